"""Compiled self-play by guided search: many games in one call, each decision with its search.

Every seat searches with the same network. Each decision also has the improved policy of its search.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..baselines.networks.compiled import num_layers, values_all_seats
from ..baselines.networks.inputs import InputRows
from ..baselines.networks.policy_value import num_other_values
from ..baselines.search.guided import (
    GuidedScratch,
    GuidedSettings,
    guided_functions,
    new_scratch,
    new_tree,
    turn,
)
from ..baselines.search.tree import Tree
from ..envs.core.compile import bind, rule, unbound
from ..envs.core.game import NO_ACTION, NO_SEAT, Function, Game
from ..envs.core.play.driver import no_choice_error
from ..envs.core.play.loops import MAX_DEALS, bindings_of
from .decisions import (
    NUM_SPARE,
    Batch,
    acting_loop,
    continuous_scales,
    new_batch,
    new_play_state,
    note_shown,
    rows_of,
)

# Names to which `bind` gives a meaning.
deal = play_on = play = search_one = observe = unbound


class AllSeats(NamedTuple):
    """What the network expected for all seats at each decision, and what came of it.

    Seats are those of the table; `targets` [tables, decisions, others] count clockwise from the
    seat that decided, which is left out.
    """

    seats: np.ndarray  # int64 [tables, decisions]: who decided
    values: np.ndarray  # float [tables, decisions + 1, seats]: the last of what follows the batch
    is_last: np.ndarray  # bool [tables, decisions]: the game ended before the next decision
    returns: np.ndarray  # float [tables, decisions, seats], where it did
    targets: np.ndarray  # float32 [tables, decisions, others]


class GuidedBatch(NamedTuple):
    """Decisions of a Batch with the improved policies [tables, decisions, A] of their searches.

    The values of the Batch are those that the searches found.
    """

    batch: Batch
    policies: np.ndarray
    all_seats: AllSeats


def new_guided_batch(
    game: Game, num_tables: int, num_decisions: int, rows: InputRows
) -> GuidedBatch:
    """Return an empty batch."""
    shape, n = (num_tables, num_decisions), game.num_seats
    batch = new_batch(*shape, game.num_mask_words, rows)
    policies = np.zeros((*shape, game.num_actions), np.float32)
    all_seats = AllSeats(
        seats=np.zeros(shape, np.int64),
        values=np.zeros((num_tables, num_decisions + 1, n)),
        is_last=np.zeros(shape, np.bool_),
        returns=np.zeros((*shape, n)),
        targets=np.zeros((*shape, num_other_values(game)), np.float32),
    )
    return GuidedBatch(batch, policies, all_seats)


class _Searchers(NamedTuple):
    """What a thread searches with."""

    weights: np.ndarray  # [1]
    tree: Tree
    settings: GuidedSettings
    scratch: GuidedScratch
    action_values: np.ndarray  # [A]
    scale: np.ndarray  # [V] of the continuous inputs
    first_place_weight: float = 0.0


class GuidedPlay:
    """Tables whose games continue from batch to batch."""

    def __init__(
        self, game: Game, num_tables: int, seed: int, settings: GuidedSettings, rows: InputRows
    ) -> None:
        self.game = game
        self.settings = settings
        self._scales = continuous_scales(game, rows)
        self._spare = new_guided_batch(game, num_tables, NUM_SPARE, rows)
        self._play_state = new_play_state(game, num_tables, seed)

    def act(self, weights: np.ndarray, td_lambda: float, into: GuidedBatch, tables: slice) -> None:
        """Fill the rows `tables` of a batch; other threads may fill others at the same time.

        `weights` is a network's record [1], `td_lambda` the lambda of the values' targets. Raises
        ValueError where a game never gives a seat a choice.
        """
        play_state = rows_of(self._play_state, tables)
        loop = _bind_act(self.game, num_layers(weights), values_all_seats(weights))
        deciders = _Searchers(
            weights,
            new_tree(self.game, self.settings.num_simulations),
            self.settings,
            new_scratch(self.game, self.settings),
            np.zeros(self.game.num_actions),
            self._scales,
        )
        loop(rows_of(into, tables), rows_of(self._spare, tables), play_state, deciders, td_lambda)
        if (play_state.seats == NO_SEAT).any():
            raise no_choice_error(self.game)


@lru_cache
def _bind_act(game: Game, num_layers: int, all_seats: bool) -> Function:
    rules = bindings_of(game)
    play_on = bind(_play_on, **rules)
    search_one = guided_functions(game, num_layers, all_seats).search_one
    return acting_loop(
        decide=bind(_decide, search_one=search_one, **rules),
        play_on=play_on,
        start=bind(_start, play_on=play_on, **rules),
        note_outcome=_note_outcome,
        complete=_complete,
        **rules,
    )


def _start(play_state, table, deciders):
    """Deal until some seat has a choice; return it, or NO_SEAT after MAX_DEALS deals."""
    for _ in range(MAX_DEALS):
        deal(play_state.states[table], play_state.rngs[table])
        seat = play_on(play_state, table, np.int64(NO_ACTION), deciders)
        if seat != NO_SEAT:
            return seat
    return np.int64(NO_SEAT)


def _play_on(play_state, table, action, deciders):
    return play(play_state.states[table], play_state.rngs[table], action, play_state.masks[table])


@rule
def _note_outcome(into, index, play_state, table, is_over):
    """Note whether a decision ended its game, and the returns (valid only where it did)."""
    all_seats = into.all_seats
    all_seats.is_last[table, index] = is_over
    turn(play_state.returns[table], 0, all_seats.returns[table, index])


@rule
def _complete(into, spare, table, decay):
    """Fill in the targets of the other seats' values."""
    all_seats = into.all_seats
    num_decisions, num_seats = all_seats.returns.shape[1:]
    for seat in range(num_seats):
        all_seats.values[table, num_decisions, seat] = spare.all_seats.values[table, 0, seat]
    if all_seats.targets.shape[2] > 0:
        expect_others(all_seats, table, decay ** (1 / num_seats))


@rule
def expect_others(all_seats, table, decay):
    """Fill the targets of the other seats' values, from one decision to the next of any seat.

    The values of the decisions ahead count less and less, by `decay`, as in TD(lambda).
    """
    seats, values = all_seats.seats[table], all_seats.values[table]
    num_decisions, num_seats = seats.shape[0], values.shape[1]
    for seat in range(num_seats):
        ahead = values[num_decisions, seat]
        for index in range(num_decisions - 1, -1, -1):
            if all_seats.is_last[table, index]:
                ahead = all_seats.returns[table, index, seat]
            else:
                ahead = decay * ahead + (1.0 - decay) * values[index + 1, seat]
            clockwise = (seat - seats[index]) % num_seats
            if clockwise > 0:
                all_seats.targets[table, index, clockwise - 1] = ahead


def _decide(into, index, play_state, table, deciders):
    """Search for the seat to act, and note everything about its decision."""
    weights, tree, settings, scratch, action_values, scale, _ = deciders
    batch, all_seats, policy = into.batch, into.all_seats, into.policies[table, index]
    state, mask = play_state.states[table], play_state.masks[table]
    seat = play_state.seats[table]
    rng = play_state.player_rngs[table, seat]
    policy[:] = 0.0
    action, value = search_one(
        state, rng, weights[0], tree, settings, scratch, policy, action_values
    )
    observe(state, seat, play_state.observations[table])
    rows, continuous = batch.rows[table, index], batch.continuous[table, index]
    note_shown(weights[0], play_state.data[table], scale, rows, continuous)
    for word in range(mask.shape[0]):
        batch.masks[table, index, word] = mask[word]
    batch.actions[table, index] = action
    batch.values[table, index] = value
    all_seats.seats[table, index] = seat
    turn(scratch.root_values, seat, all_seats.values[table, index])
