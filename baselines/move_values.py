"""The value of every legal move of one position, for people: exact, from a player, or searched.

A search goes on for as long as it is asked to. It starts from determinized positions, so its values
reveal nothing that the seat cannot know. A player without values is asked what it would play.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..envs.core.game import Game
from ..envs.core.rng import fresh_seed, streams
from .parts import part_of
from .players import make_policy
from .policy import Policy, values_of
from .search.mcts import EXPANSION_THRESHOLD, MAX_NODES_IN_TIME, Settings, TreeSearch, keep_all
from .search.playout import EPSILON, row_function_of

SEARCH = "search"
EXACT = "exact"
_SIMULATIONS_A_ROUND = 64
MAX_SIMULATIONS = 200_000  # more change no value visibly
_ASKED_AT_ONCE = 8
MAX_ASKED = 64  # times that a player without values is asked

Values = Callable[[np.ndarray, np.ndarray], np.ndarray]  # (records [B], masks [B, A]) -> [B, A]


class MoveValues(NamedTuple):
    """Expected returns, -1 .. 1, of the legal actions, and how they were found.

    A player that searches may have left some actions aside. Where `are_choices`, the values are
    instead how often a player chose each action, 0 .. 1.
    """

    values: dict[int, float]
    source: str  # "exact", "search" or the name of a player
    num_simulations: int  # 0 unless searched; how often a player without values was asked
    are_choices: bool = False

    @property
    def best(self) -> int:
        """The action of the highest value."""
        return max(self.values, key=lambda action: self.values[action])

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
        """Raise ValueError where `player` is neither "search", "exact" nor a player."""
        self.game, self.position, self.seen, self.mask, self.rng = game, position, seen, mask, rng
        self.legal = np.flatnonzero(mask[0])
        self.num_simulations = 0
        self.source = player
        self._known: np.ndarray | None = None
        self._asked: Policy | None = None  # a player without values
        exact = exact_values_of(game) if player in (SEARCH, EXACT) else None
        if exact is not None:
            self.source, self._known = EXACT, exact(seen, mask)[0]
        elif player == EXACT:
            raise ValueError(f"{game.name} is not solved with these settings")
        elif player != SEARCH:
            self._consult(make_policy(player, game))
        else:
            settings = Settings(EPSILON, EXPANSION_THRESHOLD)
            function = row_function_of(game, None)
            self._search = TreeSearch(game, function, keep_all, MAX_NODES_IN_TIME, settings)

    def _consult(self, policy: Policy) -> None:
        """Take the values of a player; ask one without values later. Raises ValueError."""
        if policy.remember is not None:
            raise ValueError(
                f"{policy.name} has a memory: it plays whole games, and gives no hints"
            )
        if policy.values is None:
            self._asked = policy
            self._choices = np.zeros(self.game.num_actions)
        else:
            self._known = values_of(policy, self.seen, self.mask, self.rng, self.position)[0]

    @property
    def is_finished(self) -> bool:
        """Whether more thinking would change nothing."""
        limit = MAX_SIMULATIONS if self._asked is None else MAX_ASKED
        return self._known is not None or self.num_simulations >= limit

    def think(self, seconds: float) -> MoveValues:
        """Search for about this long and return the values so far."""
        until = time.perf_counter() + seconds
        while not self.is_finished:
            if self._asked is not None:
                self._ask(self._asked)
            else:
                self._round(self.mask)
                if self.num_simulations > len(self.legal) * _SIMULATIONS_A_ROUND:
                    self._round(self._better_half())
            if time.perf_counter() >= until:
                break
        return self.result()

    def _ask(self, policy: Policy) -> None:
        """Ask a player what it would play; it may choose at random."""
        count = 1 if policy.needs_positions else _ASKED_AT_ONCE
        rngs = streams([fresh_seed() for _ in range(count)])
        seen, mask, position = (
            np.repeat(each, count, axis=0) for each in (self.seen, self.mask, self.position)
        )
        chosen = policy(seen, mask, rngs, position)
        np.add.at(self._choices, chosen, 1)
        self.num_simulations += count

    def result(self) -> MoveValues:
        """Return the values so far. Raises ValueError before the first `think` of a search."""
        values = self._known
        if self._asked is not None:
            values = self._choices / max(1, self.num_simulations)
        elif values is None:
            values = self._search.tree.action_values(self.game.num_actions)
        found = {int(a): float(values[a]) for a in self.legal if not np.isnan(values[a])}
        if not found or (self.source == SEARCH and len(found) < len(self.legal)):
            raise ValueError("this search has not begun: call think()")
        return MoveValues(found, self.source, self.num_simulations, self._asked is not None)

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


def study_of(game: Game, state: np.record, player: str = SEARCH) -> Study:
    """Return a study of the moves of the seat to act in `state`; see `Study`. Raises ValueError."""
    seat = int(game.seat_to_act(state))
    rng = streams([fresh_seed()])
    position, seen = game.new_states(), game.new_observations()
    position[0] = state
    game.reshuffle_unseen(position[0], seat, rng[0])
    game.observe(state, seat, seen[0])
    mask = np.zeros((1, game.num_actions), np.int8)
    mask[0, game.legal_action_list(state)] = 1
    return Study(game, position, seen, mask, rng, player)
