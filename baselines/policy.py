"""The Policy: chooses actions for a batch of seats from what those seats may know.

A scripted player is one compiled row function, lifted here to batches; anything else is a function
over batches.
"""

import dataclasses
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from ..envs.core.bits import gather_mask
from ..envs.core.game import Function, Game
from ..envs.core.jit import bind
from ..envs.core.rng import fresh_seed, streams
from ..envs.core.seating import Memory, check_legal
from ..envs.core.tables import NO_WEIGHTS, CompiledPlayer, chooser


@dataclasses.dataclass(frozen=True, eq=False)
class Policy:
    """A player of one game.

    Calling it plays a batch: observations [B] (records of the game's observation dtype), masks
    int8 [B, A], one random stream a row, and returns legal actions [B]. It is a pure function of
    these; whoever shares a deal with it shares no randomness.

    `values`, where a policy has an opinion, says what return it expects of each action: (records
    [B], masks int8 [B, A]) -> float [B, A], of use at legal actions only.

    A searching policy (`needs_positions`) is also handed positions [B]: full states re-dealt at
    random from everything its seat cannot tell apart, never the true ones.

    One that remembers is made anew for each seat of each game by `remember`, and is shown every
    ply: it plays wherever games are played, and cannot be called for a position by itself.
    """

    name: str
    game: Game
    choose: Callable[..., np.ndarray]
    row: Function | None = None  # compiled: (observation, mask words, rng) -> action
    weights: np.ndarray | None = None  # a record [1]; where given, `row` takes it first
    needs_positions: bool = False
    values: Callable[..., np.ndarray] | None = None
    remember: Callable[[], Memory] | None = None
    remake: Callable[[], "Policy"] | None = None  # makes it again in another process

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle as what makes it again, so that compiled functions need not be pickled."""
        return super().__reduce_ex__(protocol) if self.remake is None else (self.remake, ())

    def __deepcopy__(self, memo: Any) -> "Policy":
        return self  # nothing in it changes

    def __call__(
        self,
        observations: np.ndarray,
        action_masks: np.ndarray,
        rngs: np.ndarray,
        positions: np.ndarray | None = None,
    ) -> np.ndarray:
        """Actions [B]; raises ValueError where a searching policy is given no positions."""
        if not self.needs_positions:
            return self.choose(observations, action_masks, rngs)
        if positions is None:
            raise ValueError(
                f"{self.name} searches and needs positions: pass what "
                "Tables.determinize or an environment's determinize() gives"
            )
        return self.choose(observations, action_masks, rngs, positions)

    def act(
        self,
        observation: Any,
        action_mask: np.ndarray,
        *,
        rng: np.ndarray | None = None,
        position: np.ndarray | None = None,
    ) -> int:
        """One action at one table.

        `observation` is a record, or a flat array as the environments give it, scaled or integer.
        `rng` is a stream array [1] to draw from; without one a fresh stream is made. `position` is
        a state record for searching policies. Raises PlayerError where the action is not legal.
        """
        masks = np.asarray(action_mask, dtype=np.int8).reshape(1, self.game.num_actions)
        rngs = streams([fresh_seed()]) if rng is None else rng
        positions = None if position is None else np.asarray(position).reshape(1)
        actions = self(as_records(self.game, observation), masks, rngs, positions)
        check_legal(self.game, self.name, np.asarray(actions), masks)
        return int(actions[0])


def as_records(game: Game, observation: Any) -> np.ndarray:
    """One observation, as a record or a flat array, to records [1]."""
    array = np.asarray(observation)
    if array.dtype.names is not None:
        return array.reshape(1).view(game.observation_dtype)
    return game.layout.records(array.reshape(1, -1))


def compiled_policy(
    name: str,
    game: Game,
    row: Function,
    weights: np.ndarray | None = None,
    values: Callable[..., np.ndarray] | None = None,
) -> Policy:
    """A policy from one compiled row function: (observation record, mask words, rng) -> action.

    With `weights`, a record [1], the function takes that record first.
    """
    lifted = _lift(CompiledPlayer(row, weights is not None))
    given = (NO_WEIGHTS if weights is None else weights,)

    def choose(observations: np.ndarray, action_masks: np.ndarray, rngs: np.ndarray) -> np.ndarray:
        actions = np.empty(len(observations), np.int64)
        words = np.zeros(game.num_mask_words, np.int64)
        lifted(given, observations, action_masks, rngs, words, actions)
        return actions

    return Policy(name, game, choose, row=row, weights=weights, values=values)


def remembering_policy(name: str, game: Game, remember: Callable[[], Memory]) -> Policy:
    """A policy from what makes a player with begin(seat, game), watch(observation) and choose."""

    def choose(observations: np.ndarray, action_masks: np.ndarray, rngs: np.ndarray) -> np.ndarray:
        raise ValueError(
            f"{name} remembers its game: seat it in one, it cannot be asked in between"
        )

    return Policy(name, game, choose, remember=remember)


@lru_cache
def _lift(player: CompiledPlayer) -> Function:
    return bind(_choose_rows, choose=chooser((player,)))


def _choose_rows(weights, observations, action_masks, rngs, words, actions):
    for index in range(observations.shape[0]):
        gather_mask(action_masks[index], words)
        actions[index] = choose(0, weights, observations[index], words, rngs[index])
