"""Compiled self-play by a network's policy: a batch of decisions at many tables in one call.

At each table every learning seat plays the network that learns; at some tables only one
seat learns and the others play a compiled player.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..baselines.networks.compiled import (
    draw_action,
    head_value,
    network_functions,
    num_layers,
    to_chances,
    write_logits,
)
from ..baselines.networks.inputs import InputRows
from ..baselines.policies.policy import Policy
from ..envs.core.bits import nth_allowed, num_allowed
from ..envs.core.compile import array_rule, bind, bind_inline, rule, unbound
from ..envs.core.game import NO_ACTION, NO_SEAT, Function, Game
from ..envs.core.play.calls import call_player
from ..envs.core.play.driver import no_choice_error
from ..envs.core.play.loops import EXTERNAL, MAX_DEALS, bindings_of
from ..envs.core.play.policies import player_table
from ..envs.core.rng import below, uniform
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
from .settings import shares_of_tables

MIN_PROBABILITY = np.float32(1e-30)  # of an action drawn: rounding may have made it 0

# Names to which `bind` gives a meaning.
ply = observe = deal = play_on = body = unbound


class OpponentMix(NamedTuple):
    """The weights of tables with self-play and with each opponent."""

    self_play: float
    opponents: Sequence[Policy]
    opponent_weights: Sequence[float]

    def cumulative(self) -> np.ndarray:
        """Return the cumulative weights, normalized. Raises ValueError for impossible weights."""
        shares = shares_of_tables(self.self_play, self.opponents, self.opponent_weights)
        for policy in self.opponents:
            if policy.row_function is None:
                raise ValueError(f"{policy.name} is not compiled, so it cannot be an opponent here")
        return np.cumsum(shares)


class _Deciders(NamedTuple):
    """Who decides at the tables, and how their networks see them."""

    weights: np.ndarray  # [1] the network that learns
    players: np.ndarray  # PLAYER records of the opponents
    cumulative_weights: np.ndarray  # of self-play and each opponent
    scale: np.ndarray  # [V] of the continuous inputs
    first_place_weight: float


class BatchOnly(NamedTuple):
    """What `play_batch` fills in plain self-play: the batch alone, unlike `GuidedBatch`."""

    batch: Batch


class SelfPlay:
    """Tables whose games continue from batch to batch."""

    def __init__(
        self,
        game: Game,
        num_tables: int,
        seed: int,
        opponent_mix: OpponentMix,
        rows: InputRows,
        first_place_weight: float = 0.0,
    ) -> None:
        self.game = game
        self.first_place_weight = first_place_weight
        self._cumulative_weights = opponent_mix.cumulative()
        self._opponents = tuple(opponent_mix.opponents)  # whose weights must stay where they lie
        self._players = player_table(game, self._opponents)
        self._scale = continuous_scales(game, rows)
        self._spare = BatchOnly(new_batch(num_tables, NUM_SPARE, game.num_mask_words, rows))
        self._play_state = new_play_state(game, num_tables, seed)

    @property
    def forced_fraction(self) -> float:
        """Return the fraction of the learning seats' plies so far without a choice."""
        forced = int(self._play_state.forced.sum())
        return forced / max(1, forced + int(self._play_state.decided.sum()))

    def act(self, weights: np.ndarray, gae_lambda: float, batch: Batch, tables: slice) -> None:
        """Fill the rows `tables` of a batch; other threads may fill others at the same time.

        `weights` is a record [1], and `gae_lambda` the lambda of generalized advantage estimation.
        Raises ValueError where a game never gives a learning seat a choice.
        """
        play_state = rows_of(self._play_state, tables)
        loop = _bind_act(self.game, num_layers(weights))
        deciders = _Deciders(
            weights,
            self._players,
            self._cumulative_weights,
            self._scale,
            self.first_place_weight,
        )
        into = BatchOnly(rows_of(batch, tables))
        loop(into, rows_of(self._spare, tables), play_state, deciders, gae_lambda)
        if (play_state.seats == NO_SEAT).any():
            raise no_choice_error(self.game)


@lru_cache
def _bind_act(game: Game, num_layers: int) -> Function:
    rules = bindings_of(game)
    play_on = bind_inline(_play_on, **rules)
    start = bind(_start, play_on=play_on, **rules)
    decide = bind(_decide, body=network_functions(num_layers).body, **rules)
    nothing = {"note_outcome": _note_nothing, "complete": _complete_nothing}
    return acting_loop(play_on=play_on, start=start, decide=decide, **nothing, **rules)


@rule
def _note_nothing(into, index, play_state, table, is_over):
    """A batch has no more than its decisions."""


@rule
def _complete_nothing(into, spare, table, decay):
    """A batch has no more than its decisions."""


def _play_on(play_state, table, action, deciders):
    """Play an action (NO_ACTION: none) and all plies until a learning seat has a choice.

    Return that seat, with its mask in place, or NO_SEAT at the end.
    """
    state = play_state.states[table]
    mask = play_state.masks[table]
    while True:
        seat = ply(state, play_state.rngs[table], action, mask)
        if seat == NO_SEAT:
            return seat
        code = play_state.codes[table, seat]
        rng = play_state.player_rngs[table, seat]
        if num_allowed(mask) == 1:
            play_state.forced[table] += code == EXTERNAL
            action = np.int64(nth_allowed(mask, 0))
        elif code == EXTERNAL:
            return seat
        else:
            observation = play_state.observations[table]
            observe(state, seat, observation)
            player = deciders.players[code]
            action = call_player(player.function, player.weights, observation, mask, rng)


def _start(play_state, table, deciders):
    """Seat the players and deal until a learning seat has a choice; return that seat."""
    rng, cumulative_weights = play_state.seating_rngs[table], deciders.cumulative_weights
    num_seats = play_state.codes.shape[1]
    last = cumulative_weights.shape[0] - 1
    for _ in range(MAX_DEALS):
        choice = np.searchsorted(cumulative_weights, uniform(rng), side="right")
        play_state.codes[table, :] = min(choice, last) - 1  # EXTERNAL for self-play
        play_state.codes[table, below(rng, num_seats)] = EXTERNAL
        deal(play_state.states[table], play_state.rngs[table])
        seat = play_on(play_state, table, np.int64(NO_ACTION), deciders)
        if seat != NO_SEAT:
            return seat
    return NO_SEAT


@array_rule
def _decide(into, index, play_state, table, deciders):
    """Draw an action of the seat to act from the network's policy; note everything about it."""
    batch, weights = into.batch, deciders.weights[0]
    state, mask, data = play_state.states[table], play_state.masks[table], play_state.data[table]
    seat = play_state.seats[table]
    units = np.empty(weights.value.shape[0], np.float32)
    chances = np.empty(weights.actions_bias.shape[0], np.float32)
    observe(state, seat, play_state.observations[table])
    body(weights, data, units)
    write_logits(weights, units, mask, chances)
    to_chances(mask, chances)
    action = draw_action(mask, chances, uniform(play_state.player_rngs[table, seat]))
    note_shown(
        weights, data, deciders.scale, batch.rows[table, index], batch.continuous[table, index]
    )
    for word in range(mask.shape[0]):
        batch.masks[table, index, word] = mask[word]
    batch.actions[table, index] = action
    batch.log_probs[table, index] = np.log(max(chances[action], MIN_PROBABILITY))
    batch.values[table, index] = head_value(weights, units)
