"""The value of every legal move of one position, for people: exact, from a player, or searched.

A search goes on for as long as it is asked to. It starts from determinized positions, so its values
reveal nothing that the seat cannot know. It is repeated independently, and how far the repetitions
differ says how far the values can be trusted. A player without values is asked what it would play.
"""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...envs.core.game import Game
from ...envs.core.play.one_game import game_at
from ...envs.core.rng import fresh_seed, streams
from ..players.making import make_policy, players_of
from ..policies.game_parts import part_of
from ..policies.policy import Policy, values_of
from ..search.mcts import EXPANSION_THRESHOLD, MAX_NODES_IN_TIME, TreeSearch, TreeSettings, keep_all
from ..search.playouts import EPSILON, row_function_of

if TYPE_CHECKING:
    from ..statistics.estimates import Estimate

SEARCH = "search"
EXACT = "exact"
NUM_TREES = 8  # that grow independently of each other
_SIMULATIONS_A_ROUND = 64
MAX_SIMULATIONS = 200_000  # more change no value visibly
MIN_SEARCHES, MAX_SEARCHES = 8, 256  # by a player that searches
_ASKED_AT_ONCE = 8
MAX_ASKED = 64  # times that a player without values is asked

Values = Callable[[np.ndarray, np.ndarray], np.ndarray]  # (records [B], masks [B, A]) -> [B, A]
# (game, position, seat) -> lines of text, which reveal only what that seat may know.
HintLines = Callable[[Game, np.record, int], list[str]]


class MoveValues(NamedTuple):
    """Expected returns, -1 .. 1, of the legal actions, and how they were found.

    A row of `samples` holds the values of one of several independent searches, with NaN for an
    action that it left aside; values that involve no chance are one row. Where `are_choices`, the
    values are instead how often a player chose each action, 0 .. 1.
    """

    actions: np.ndarray  # int64 [L]: the legal ones
    samples: np.ndarray  # float [R, L]
    source: str  # "exact", "search" or the name of a player
    num_simulations: int  # of a search; how often a player without values was asked; else 0
    are_choices: bool = False

    @property
    def values(self) -> dict[int, float]:
        """The mean value of each action that was searched."""
        samples = {int(a): self._of(int(a)) for a in self.actions}
        return {action: float(values.mean()) for action, values in samples.items() if len(values)}

    @property
    def reaches(self) -> dict[int, float]:
        """Half the width of the 95 % interval of each value; missing where it is not known."""
        if len(self.samples) == 1 or self.are_choices:
            return {}
        means = {action: _mean_of(self._of(action)) for action in self.values}
        return {a: each.high - each.mean for a, each in means.items() if np.isfinite(each.high)}

    @property
    def unsearched(self) -> list[int]:
        """The legal actions without a value."""
        return [int(action) for action in self.actions if action not in self.values]

    @property
    def best(self) -> int:
        """The action of the highest value."""
        return max(self.values, key=lambda action: self.values[action])

    def lead(self, action: int, other: int, num_leads: int = 1) -> "Estimate | None":
        """Return by how much an action is better than another, with its 95 % interval.

        Both are compared search by search, in the same determinized positions. The intervals of
        `num_leads` such leads hold together. Return None where no search valued both.
        """
        differences = self._column(action) - self._column(other)
        differences = differences[~np.isnan(differences)]
        return _mean_of(differences, num_leads) if len(differences) else None

    def _column(self, action: int) -> np.ndarray:
        return self.samples[:, np.flatnonzero(self.actions == action)[0]]

    def _of(self, action: int) -> np.ndarray:
        column = self._column(action)
        return column[~np.isnan(column)]


def _mean_of(samples: np.ndarray, num_means: int = 1) -> "Estimate":
    """Return the mean with Student's interval, which holds for `num_means` at once (Bonferroni).

    A single value, without chance, has no width.
    """
    from ..statistics.estimates import (  # with scipy: when first needed
        Estimate,
        mean_of_deals,
        quantile,
    )

    mean = float(samples.mean())
    if len(samples) == 1:
        return Estimate(mean, mean, mean)
    reach = mean_of_deals(samples).high - mean
    reach *= float(quantile(len(samples), num_means) / quantile(len(samples)))
    return Estimate(mean, mean - reach, mean + reach)


def exact_values_of(game: Game) -> Values | None:
    """Return the exact values of a solved game, from `exact_values` of its hints, or None."""
    find = getattr(part_of(game, "hints"), "exact_values", None)
    return None if find is None else find(game)


def estimates_of(game: Game, player: str) -> Values | None:
    """Return a script's own estimates, from `estimates` of the game's hints, or None."""
    find = getattr(part_of(game, "hints"), "estimates", None)
    return None if find is None else find(game, player)


def hints_of(game: Game) -> HintLines | None:
    """Return the lines about each move, from `hint_lines` of the game's hints, or None."""
    return getattr(part_of(game, "hints"), "hint_lines", None)


def adviser_of(game: Game) -> str:
    """Return who values moves unless somebody is named: `ADVISER` of the hints, or a search.

    A trained network that does not ship for these settings cannot advise.
    """
    named = getattr(part_of(game, "hints"), "ADVISER", SEARCH)
    return named if named in players_of(game) else SEARCH


class MoveSearch:
    """The values of one seat's moves in one position, which become better with every `think`.

    `position` is one that the seat cannot tell from the true one, `observation` [1] what it sees,
    and `mask` its legal actions int8 [1, A].
    """

    def __init__(
        self,
        game: Game,
        position: np.ndarray,
        observation: np.ndarray,
        mask: np.ndarray,
        rng: np.ndarray,
        player: str | None = None,
    ) -> None:
        """Raise ValueError where `player` is neither "search", "exact" nor a player.

        By default it is the game's adviser.
        """
        player = adviser_of(game) if player is None else player
        self.game, self.position, self.observation = game, position, observation
        self.mask, self.rng = mask, rng
        self.legal = np.flatnonzero(mask[0])
        self.num_simulations = 0
        self.source = player
        self._samples: list[np.ndarray] = []  # [A] each
        self._trees: list[TreeSearch] = []
        self._policy: Policy | None = None  # that is asked again and again
        exact = exact_values_of(game) if player in (SEARCH, EXACT) else None
        if exact is not None:
            self.source = EXACT
            self._samples.append(exact(observation, mask)[0])
        elif player == EXACT:
            raise ValueError(f"{game.name} is not solved with these settings")
        elif player != SEARCH:
            self._consult(player)
        else:
            function = row_function_of(game, None)
            settings = TreeSettings(EPSILON, EXPANSION_THRESHOLD)
            grown = game, function, keep_all, MAX_NODES_IN_TIME // NUM_TREES, settings
            self._trees = [TreeSearch(*grown) for _ in range(NUM_TREES)]

    def _consult(self, player: str) -> None:
        """Take a script's or a network's values now; keep any other player to ask.

        Raises ValueError for a player with a memory.
        """
        estimates = estimates_of(self.game, player)
        if estimates is not None:
            self._samples.append(estimates(self.observation, self.mask)[0])
            return
        policy = make_policy(player, self.game)
        if policy.remember is not None:
            raise ValueError(
                f"{policy.name} has a memory: it plays whole games, and gives no hints"
            )
        if policy.values is None or policy.needs_positions:
            self._policy = policy
        else:
            self._samples.append(values_of(policy, self.observation, self.mask, self.rng, None)[0])

    @property
    def is_finished(self) -> bool:
        """Whether more thinking would change nothing."""
        if self._trees:
            return self.num_simulations >= MAX_SIMULATIONS
        if self._policy is None:
            return True
        is_asked = self._policy.values is None
        return self.num_simulations >= (MAX_ASKED if is_asked else MAX_SEARCHES)

    def think(self, seconds: float, min_rounds: int = 1) -> MoveValues:
        """Search for about this long and return the values so far.

        A round is one search of a player, or `_SIMULATIONS_A_ROUND` in each tree; there are at
        least `min_rounds` of them, however long they take.
        """
        until, num_rounds = time.perf_counter() + seconds, 0
        while not self.is_finished:
            self._step()
            num_rounds += 1
            is_late = num_rounds >= min_rounds and time.perf_counter() >= until
            if is_late and self._can_stop:
                break
        return self.result()

    @property
    def _can_stop(self) -> bool:
        """Whether the values have intervals."""
        is_searching = self._policy is not None and self._policy.values is not None
        return not is_searching or self.num_simulations >= MIN_SEARCHES

    def _step(self) -> None:
        if self._policy is None:
            self._round(self.mask)
            if (
                len(self.legal) > 2
                and self.num_simulations > len(self.legal) * _SIMULATIONS_A_ROUND * NUM_TREES
            ):
                self._round(self._better_half())
        elif self._policy.values is None:
            self._ask(self._policy)
        else:
            asked = self.observation, self.mask, self.rng, self.position
            self._samples.append(values_of(self._policy, *asked)[0])
            self.num_simulations += 1

    def _ask(self, policy: Policy) -> None:
        """Ask a player what it would play; it may choose at random."""
        count = 1 if policy.needs_positions else _ASKED_AT_ONCE
        rngs = streams([fresh_seed() for _ in range(count)])
        observations, mask, position = (
            np.repeat(each, count, axis=0) for each in (self.observation, self.mask, self.position)
        )
        self._samples += list(
            np.eye(self.game.num_actions)[policy(observations, mask, rngs, position)]
        )
        self.num_simulations += count

    def result(self) -> MoveValues:
        """Return the values so far. Raises ValueError before the first `think` of a search."""
        samples = self._samples
        if self._trees:
            samples = [each.tree.action_values(self.game.num_actions) for each in self._trees]
        values = np.array(samples).reshape(len(samples), self.game.num_actions)[:, self.legal]
        if not len(values) or (self._trees and np.isnan(values).any()):
            raise ValueError("this search has not begun: call think()")
        are_choices = self._policy is not None and self._policy.values is None
        return MoveValues(self.legal, values, self.source, self.num_simulations, are_choices)

    def _round(self, alive: np.ndarray) -> None:
        """Simulate the same actions in every tree."""
        num_alive = int(alive.sum())
        rounds = np.array([max(1, _SIMULATIONS_A_ROUND // num_alive)])
        for search in self._trees:
            search.simulate(self.position, self.rng, alive, rounds, np.zeros(self.mask.shape))
        self.num_simulations += int(rounds[0]) * num_alive * len(self._trees)

    def _better_half(self) -> np.ndarray:
        """Return a mask [1, A] of the better half of the moves: their values matter most."""
        values = self.result().samples.mean(axis=0)
        better = self.legal[np.argsort(-values, kind="stable")][: (len(self.legal) + 1) // 2]
        mask = np.zeros_like(self.mask)
        mask[0, better] = 1
        return mask


def study_of(
    game: Game,
    state: np.record,
    player: str | None = None,
    among: tuple[int, ...] = (),
    seed: int | None = None,
) -> MoveSearch:
    """Return the `MoveSearch` of the seat to act in `state`. Raises ValueError as that does.

    With `among`, only these of the legal moves are searched. The `seed` is fresh by default.
    """
    rng = streams([fresh_seed() if seed is None else seed])
    turn = game_at(game, state, rng).turn
    mask = np.zeros((1, game.num_actions), np.int8)
    mask[0, list(among) or np.flatnonzero(turn.masks[0])] = 1
    return MoveSearch(game, turn.determinized(rng), turn.observations, mask, rng, player)
