"""Compiled self-play by guided search: many games in one call, each decision with its search.

Every seat searches with the same network. Of each decision the batch has what that of `acting` has,
and the improved policy that the search found.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..baselines.networks.compiled import num_layers, values_all_seats
from ..baselines.networks.inputs import InputRows, octets
from ..baselines.networks.policy_value import num_others
from ..baselines.search.guided import Settings, guided_functions, new_scratch, new_tree, turn
from ..envs.core.compile import bind, rule
from ..envs.core.environments.common import no_choice_error
from ..envs.core.game import NO_SEAT, Function, Game
from ..envs.core.play.loops import meanings_of
from ..envs.core.rng import player_streams, streams
from .acting import (
    NO_DECISION,
    Batch,
    estimate_advantages,
    is_pending,
    link,
    new_batch,
    note_shown,
    wide_scales,
)


class Outlook(NamedTuple):
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
    outlook: Outlook

    @property
    def learned(self) -> tuple[Batch, np.ndarray, np.ndarray]:
        """Return what a lesson is made of."""
        return self.batch, self.policies, self.outlook.targets


def new_guided_batch(
    game: Game, num_tables: int, num_decisions: int, rows: InputRows
) -> GuidedBatch:
    """Return an empty batch."""
    shape, n = (num_tables, num_decisions), game.num_seats
    batch = new_batch(*shape, game.num_mask_words, rows, rows)
    policies = np.zeros((*shape, game.num_actions), np.float32)
    outlook = Outlook(
        seats=np.zeros(shape, np.int64),
        values=np.zeros((num_tables, num_decisions + 1, n)),
        is_last=np.zeros(shape, np.bool_),
        returns=np.zeros((*shape, n)),
        targets=np.zeros((*shape, num_others(game)), np.float32),
    )
    return GuidedBatch(batch, policies, outlook)


class _Places(NamedTuple):
    """The state of the tables."""

    states: np.ndarray  # [T]
    rngs: np.ndarray  # [T] of the deals
    player_rngs: np.ndarray  # [T, seats]
    seats: np.ndarray  # [T] seats to act
    masks: np.ndarray  # [T, words]
    latest: np.ndarray  # [T, seats] latest decision in the batch
    returns: np.ndarray  # [T, seats] scratch
    observations: np.ndarray  # [T] scratch
    data: np.ndarray  # uint8 [T, size]: their bytes


class GuidedPlay:
    """Tables whose games continue from batch to batch."""

    def __init__(
        self, game: Game, num_tables: int, seed: int, settings: Settings, rows: InputRows
    ) -> None:
        n = game.num_seats
        self.game = game
        self.settings = settings
        self._scales = wide_scales(game, rows)
        self._spare = new_guided_batch(game, num_tables, 1, rows)
        seeds = np.random.default_rng(seed).integers(2**62, size=num_tables)
        observations = game.new_observations(num_tables)
        self._places = _Places(
            states=game.new_states(num_tables),
            rngs=streams(seeds),
            player_rngs=player_streams(seeds, n),
            seats=np.full(num_tables, NO_SEAT),
            masks=np.zeros((num_tables, game.num_mask_words), np.int64),
            latest=np.zeros((num_tables, n), np.int64),
            returns=np.zeros((num_tables, n)),
            observations=observations,
            data=octets(observations),
        )

    def act(self, weights: np.ndarray, td_lambda: float, into: GuidedBatch, tables: slice) -> None:
        """Fill the rows `tables` of a batch; other threads may fill others at the same time.

        `weights` is a network's record [1], `td_lambda` the lambda of the values' targets. Raises
        ValueError where a game never gives a seat a choice.
        """
        places = _Places(*(array[tables] for array in self._places))
        _bind_act(self.game, num_layers(weights), values_all_seats(weights))(
            *_rows_of(into, tables),
            *_rows_of(self._spare, tables)[:2],
            places,
            weights,
            new_tree(self.game, self.settings),
            self.settings,
            new_scratch(self.game, self.settings),
            np.zeros(self.game.num_actions),
            self._scales,
            td_lambda,
        )
        if (places.seats == NO_SEAT).any():
            raise no_choice_error(self.game)


def _rows_of(guided: GuidedBatch, tables: slice) -> tuple[Batch, np.ndarray, Outlook]:
    batch = Batch(*(array[tables] for array in guided.batch))
    outlook = Outlook(*(array[tables] for array in guided.outlook))
    return batch, guided.policies[tables], outlook


@lru_cache
def _bind_act(game: Game, num_layers: int, all_seats: bool) -> Function:
    rules = meanings_of(game)
    search_one = guided_functions(game, num_layers, all_seats).search_one
    decide = bind(_decide, search_one=search_one, **rules)
    play_on = bind(_play_on, **rules)
    return bind(_act, decide=decide, play_on=play_on, **rules)


def _act(
    batch, policies, outlook, spare, spare_policies, places, weights, tree, settings, scratch,
    values, scale, td_lambda,
):  # fmt: skip
    for table in range(batch.actions.shape[0]):
        state, rng, mask = places.states[table], places.rngs[table], places.masks[table]
        places.latest[table, :] = NO_DECISION
        if places.seats[table] == NO_SEAT:
            places.seats[table] = new_game(state, rng, mask, True)
        for index in range(batch.actions.shape[1]):
            if places.seats[table] == NO_SEAT:
                return
            decide(weights[0], places, table, tree, settings, scratch, values, scale, batch, index,
                   policies[table, index])  # fmt: skip
            seat = places.seats[table]
            outlook.seats[table, index] = seat
            turn(scratch.root_values, seat, outlook.values[table, index])
            link(batch, places.latest, table, seat, index)
            is_over = play_on(places, table, batch.actions[table, index], batch)
            outlook.is_last[table, index] = is_over
            turn(places.returns[table], 0, outlook.returns[table, index])
        is_first = True
        while is_pending(places.latest, table):
            seat = places.seats[table]
            decide(weights[0], places, table, tree, settings, scratch, values, scale, spare, 0,
                   spare_policies[table, 0])  # fmt: skip
            if is_first:
                turn(scratch.root_values, seat, outlook.values[table, outlook.seats.shape[1]])
                is_first = False
            last = places.latest[table, seat]
            if last != NO_DECISION:
                batch.ends[table, last] = spare.values[table, 0]
                places.latest[table, seat] = NO_DECISION
                if not is_pending(places.latest, table):
                    break
            play_on(places, table, spare.actions[table, 0], batch)
        estimate_advantages(batch, table, td_lambda)
        if outlook.targets.shape[2] > 0:
            expect_others(outlook, table, td_lambda ** (1 / places.latest.shape[1]))


@rule
def expect_others(outlook, table, decay):
    """Fill the targets of the other seats' values, from one decision to the next of any seat.

    The values of the decisions ahead count less and less, by `decay`, as in TD(lambda).
    """
    seats, values = outlook.seats[table], outlook.values[table]
    num_decisions, num_seats = seats.shape[0], values.shape[1]
    for seat in range(num_seats):
        ahead = values[num_decisions, seat]
        for index in range(num_decisions - 1, -1, -1):
            if outlook.is_last[table, index]:
                ahead = outlook.returns[table, index, seat]
            else:
                ahead = decay * ahead + (1.0 - decay) * values[index + 1, seat]
            clockwise = (seat - seats[index]) % num_seats
            if clockwise > 0:
                outlook.targets[table, index, clockwise - 1] = ahead


def _decide(
    weights, places, table, tree, settings, scratch, action_values, scale, batch, index, policy
):
    """Search for the seat to act, and note everything about its decision."""
    state, mask = places.states[table], places.masks[table]
    seat = places.seats[table]
    policy[:] = 0.0
    rng = places.player_rngs[table, seat]
    action, value = search_one(state, rng, weights, tree, settings, scratch, policy, action_values)
    observe(state, seat, places.observations[table])
    rows, wide = batch.rows[table, index], batch.wide[table, index]
    note_shown(weights, places.data[table], scale, rows, wide)
    for word in range(mask.shape[0]):
        batch.masks[table, index, word] = mask[word]
    batch.actions[table, index] = action
    batch.values[table, index] = value


def _play_on(places, table, action, batch):
    """Play an action and the forced plies after it; pay where the game ends, and deal the next.

    Return whether the game ended.
    """
    state, rng, mask = places.states[table], places.rngs[table], places.masks[table]
    places.seats[table] = play(state, rng, action, mask, True)
    if places.seats[table] == NO_SEAT:
        returns(state, places.returns[table])
        for seat in range(places.latest.shape[1]):
            last = places.latest[table, seat]
            if last != NO_DECISION:
                batch.ends[table, last] = places.returns[table, seat]
                places.latest[table, seat] = NO_DECISION
        places.seats[table] = new_game(state, rng, mask, True)
        return True
    return False
