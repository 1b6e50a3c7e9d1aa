"""The value of every legal move of one position, for people: exact, from a player, or searched.

A search goes on for as long as it is asked to. It starts from determinized positions, so its values
reveal nothing that the seat cannot know.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..envs.core.game import Game
from .parts import part_of
from .players import make_policy
from .search.mcts import EXPANSION_THRESHOLD, MAX_NODES_IN_TIME, Settings, TreeSearch, _keep_all
from .search.playout import EPSILON, row_function_of

SEARCH = "search"
EXACT = "exact"
_SIMULATIONS_A_ROUND = 64
MAX_SIMULATIONS = 200_000  # more change no value visibly

Values = Callable[[np.ndarray, np.ndarray], np.ndarray]  # (records [B], masks [B, A]) -> [B, A]


class MoveValues(NamedTuple):
    """Expected returns, -1 .. 1, of the legal actions, and how they were found."""

    values: dict[int, float]
    source: str  # "exact", "search" or the name of a player
    num_simulations: int  # 0 unless searched

    def regret(self, action: int) -> float:
        """What `action` loses compared with the best action."""
        return max(self.values.values()) - self.values[action]


def exact_values_of(game: Game) -> Values | None:
    """Return the exact values of a solved game, from `exact_values` of its hints, or None."""
    module = part_of(game, "hints")
    find = getattr(module, "exact_values", None)
    return None if find is None else find(game)


class Study:
    """The values of one seat's moves in one position, which become better with every `think`.

    `position` is one that the seat cannot tell from the true one, `seen` its observation [1] and
    `mask` its legal actions int8 [1, A].
    """

    def __init__(
        self,
        game: Game,
        position: np.ndarray,
        seen: np.ndarray,
        mask: np.ndarray,
        rng: np.ndarray,
        player: str = SEARCH,
    ) -> None:
        """Raise ValueError where `player` is neither "search" nor a player that has values."""
        self.game, self.position, self.mask, self.rng = game, position, mask, rng
        self.legal = np.flatnonzero(mask[0])
        self.num_simulations = 0
        self.source = player
        self._known: np.ndarray | None = None
        exact = exact_values_of(game) if player in (SEARCH, EXACT) else None
        if exact is not None:
            self.source, self._known = EXACT, exact(seen, mask)[0]
        elif player == EXACT:
            raise ValueError(f"{game.name} is not solved with these settings")
        elif player != SEARCH:
            self._known = _values_of(player, game)(seen, mask)[0]
        if self._known is None:
            settings = Settings(EPSILON, EXPANSION_THRESHOLD)
            function = row_function_of(game, None)
            self._search = TreeSearch(game, function, _keep_all, MAX_NODES_IN_TIME, settings)

    @property
    def is_finished(self) -> bool:
        """Whether more thinking would change nothing."""
        return self._known is not None or self.num_simulations >= MAX_SIMULATIONS

    def think(self, seconds: float) -> MoveValues:
        """Search for about this long and return the values so far."""
        until = time.perf_counter() + seconds
        while not self.is_finished:
            self._round(self.mask)
            if self.num_simulations > len(self.legal) * _SIMULATIONS_A_ROUND:
                self._round(self._better_half())
            if time.perf_counter() >= until:
                break
        return self.result()

    def result(self) -> MoveValues:
        """Return the values so far. Raises ValueError before the first `think` of a search."""
        values = self._known
        if values is None:
            values = self._search.tree.action_values(self.game.num_actions)
        found = {int(action): float(values[action]) for action in self.legal}
        if any(np.isnan(value) for value in found.values()):
            raise ValueError("this search has not begun: call think()")
        return MoveValues(found, self.source, self.num_simulations)

    def _round(self, alive: np.ndarray) -> None:
        rounds = np.array([max(1, _SIMULATIONS_A_ROUND // int(alive.sum()))])
        sums = np.zeros(self.mask.shape)
        self._search.simulate(self.position, self.rng, alive, rounds, sums)
        self.num_simulations += int(rounds[0] * alive.sum())

    def _better_half(self) -> np.ndarray:
        """Return a mask [1, A] of the better half of the moves: their values matter most."""
        values = self._search.tree.action_values(self.game.num_actions)[self.legal]
        better = self.legal[np.argsort(-values, kind="stable")][: (len(self.legal) + 1) // 2]
        mask = np.zeros_like(self.mask)
        mask[0, better] = 1
        return mask


def _values_of(player: str, game: Game) -> Values:
    values = make_policy(player, game).values
    if values is None:
        raise ValueError(f"{player} does not estimate the value of moves; {SEARCH!r} does")
    return values
