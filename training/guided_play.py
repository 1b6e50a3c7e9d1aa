"""Compiled self-play by guided search: many games in one call, each decision with its search.

Every seat searches with the same network. What is noted of a decision is what `acting` notes, and
the improved policy that the search found.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..baselines.networks.compiled import num_layers
from ..baselines.networks.inputs import InputRows
from ..baselines.search.guided import Settings, guided_functions, new_scratch, new_tree
from ..envs.core.game import NO_SEAT, Function, Game
from ..envs.core.jit import bind
from ..envs.core.rng import streams
from ..envs.core.seating import player_streams
from ..envs.core.tables import meanings_of
from ..envs.core.views.common import no_choice_error
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


class GuidedBatch(NamedTuple):
    """Decisions of a Batch with the improved policies [tables, decisions, A] of their searches.

    The values of the Batch are those that the searches found.
    """

    batch: Batch
    policies: np.ndarray


def new_guided_batch(
    game: Game, num_tables: int, num_decisions: int, rows: InputRows
) -> GuidedBatch:
    """Return an empty batch."""
    batch = new_batch(num_tables, num_decisions, game.num_mask_words, rows, rows)
    policies = np.zeros((num_tables, num_decisions, game.num_actions), np.float32)
    return GuidedBatch(batch, policies)


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
        self._places = _Places(
            states=game.new_states(num_tables),
            rngs=streams(seeds),
            player_rngs=player_streams(seeds, n),
            seats=np.full(num_tables, NO_SEAT),
            masks=np.zeros((num_tables, game.num_mask_words), np.int64),
            latest=np.zeros((num_tables, n), np.int64),
            returns=np.zeros((num_tables, n)),
            observations=game.new_observations(num_tables),
        )

    def act(self, weights: np.ndarray, td_lambda: float, into: GuidedBatch, tables: slice) -> None:
        """Fill the rows `tables` of a batch; other threads may fill others at the same time.

        `weights` is a network's record [1], `td_lambda` the lambda of the values' targets. Raises
        ValueError where a game never gives a seat a choice.
        """
        places = _Places(*(array[tables] for array in self._places))
        _bind_act(self.game, num_layers(weights))(
            *_rows_of(into, tables),
            *_rows_of(self._spare, tables),
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


def _rows_of(guided: GuidedBatch, tables: slice) -> tuple[Batch, np.ndarray]:
    return Batch(*(array[tables] for array in guided.batch)), guided.policies[tables]


@lru_cache
def _bind_act(game: Game, num_layers: int) -> Function:
    rules = meanings_of(game)
    search_one = guided_functions(game, num_layers).search_one
    decide = bind(_decide, search_one=search_one, **rules)
    play_on = bind(_play_on, **rules)
    return bind(_act, decide=decide, play_on=play_on, **rules)


def _act(
    batch, policies, spare, spare_policies, places, weights, tree, settings, scratch, values, scale,
    td_lambda,
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
            link(batch, places.latest, table, places.seats[table], index)
            play_on(places, table, batch.actions[table, index], batch)
        while is_pending(places.latest, table):
            seat = places.seats[table]
            decide(weights[0], places, table, tree, settings, scratch, values, scale, spare, 0,
                   spare_policies[table, 0])  # fmt: skip
            last = places.latest[table, seat]
            if last != NO_DECISION:
                batch.ends[table, last] = spare.values[table, 0]
                places.latest[table, seat] = NO_DECISION
                if not is_pending(places.latest, table):
                    break
            play_on(places, table, spare.actions[table, 0], batch)
        estimate_advantages(batch, table, td_lambda)


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
    note_shown(weights, places.observations[table], scale, rows, wide)
    for word in range(mask.shape[0]):
        batch.masks[table, index, word] = mask[word]
    batch.actions[table, index] = action
    batch.values[table, index] = value


def _play_on(places, table, action, batch):
    """Play an action and the forced plies after it; pay where the game ends, and deal the next."""
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
