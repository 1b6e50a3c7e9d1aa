"""Collect experience: many tables at once, whose learning seats yield transitions.

All seats that do not learn are played by policies, the compiled ones at full speed.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..baselines.policies.policy import Policy
from ..envs.core.compile import array_rule, rule
from ..envs.core.game import NO_SEAT, Game
from ..envs.core.play.driver import Seating
from ..envs.core.play.loops import EXTERNAL
from ..envs.core.play.tables import Tables, action_masks
from ..envs.core.rng import player_streams, streams
from .settings import shares_of_tables

Choose = Callable[[np.ndarray, np.ndarray], np.ndarray]  # (observations, masks) -> actions


class Transitions(NamedTuple):
    """Decisions of learning seats, each with what the seat observed n decisions later.

    `observations` and `next_observations` are records [B]; `actions` int64 [B]; `rewards` float32
    [B], the return of the game where it ended within n decisions of that seat, else 0;
    `next_masks` int64 words [B, W], all zero where the game ended.
    """

    observations: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    next_observations: np.ndarray
    next_masks: np.ndarray

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(self.actions)

    @staticmethod
    def empty(game: Game, size: int) -> "Transitions":
        """Return `size` rows of zeros."""
        return Transitions(
            observations=game.new_observations(size),
            actions=np.zeros(size, np.int64),
            rewards=np.zeros(size, np.float32),
            next_observations=game.new_observations(size),
            next_masks=np.zeros((size, game.num_mask_words), np.int64),
        )


class _Pending(NamedTuple):
    """The latest decisions of each seat, whose outcome is not known yet."""

    observations: np.ndarray  # [N, seats, n_steps], a ring
    actions: np.ndarray  # [N, seats, n_steps]
    counts: np.ndarray  # [N, seats] decisions in this game so far


class Rollout:
    """N tables, each of which awaits a decision of a learning seat in every step.

    With weight `self_play` all seats of a table learn; with weights[k] one seat learns, and
    opponents[k] plays all others. Every new game draws which.
    """

    def __init__(
        self,
        game: Game,
        num_tables: int,
        opponents: Sequence[Policy],
        weights: Sequence[float],
        self_play: float,
        n_steps: int,
        seed: int,
    ) -> None:
        n = game.num_seats
        self.game = game
        self._random = np.random.default_rng(seed)
        self._weights = shares_of_tables(self_play, opponents, weights)
        seeds = self._random.integers(2**62, size=num_tables)
        self.tables = Tables(game, streams(seeds))
        rows = self.tables.all_rows
        self._seating = Seating(
            self.tables, opponents, self._draw_seats(num_tables), player_streams(seeds, n)
        )
        self._pending = _Pending(
            game.new_observations(num_tables * n * n_steps).reshape(-1, n, n_steps),
            np.zeros((num_tables, n, n_steps), np.int64),
            np.zeros((num_tables, n), np.int64),
        )
        self._out = Transitions.empty(game, num_tables * n * (n_steps + 1))
        self.tables.deal(rows)
        self._go_on(rows, 0)
        self._shown = self.tables.show(rows)

    def step(self, choose: Choose) -> Transitions:
        """Take one decision at every table; return the transitions that it completed.

        They are views that the next step overwrites. `choose` maps observation records [N] and
        masks int8 [N, A] to actions [N].
        """
        rows = self.tables.all_rows
        seats, observations, words = self._shown
        actions = choose(observations, action_masks(words, self.game.num_actions))
        size = _remember(seats, observations, words, actions, self._pending, self._out)
        self.tables.apply(rows, actions)
        size = self._go_on(rows, size)
        self._shown = self.tables.show(rows)
        return Transitions(*(column[:size] for column in self._out))

    def _go_on(self, rows: np.ndarray, size: int) -> int:
        """Play on until a learning seat must act at every table; deal anew where a game ends.

        `size` is the number of transitions completed before; return the number after.
        """
        while len(rows):
            self._seating.advance(rows)
            rows = rows[self.tables.show(rows)[0] == NO_SEAT]
            returns = self.tables.returns(rows)
            size = _flush(rows, returns, self._pending, size, self._out)
            self._start_games(rows)
        return size

    def _start_games(self, rows: np.ndarray) -> None:
        seated = self._seating.seated.copy()
        seated[rows] = self._draw_seats(len(rows))
        self._seating.seated[:] = seated
        self._seating.begin(rows)
        self.tables.deal(rows)

    def _draw_seats(self, num_rows: int) -> np.ndarray:
        n = self.game.num_seats
        choice = self._random.choice(len(self._weights), size=num_rows, p=self._weights) - 1
        seated = np.repeat(choice[:, None], n, axis=1)  # choice -1 is EXTERNAL: all seats learn
        seated[np.arange(num_rows), self._random.integers(n, size=num_rows)] = EXTERNAL
        return seated


def explore(
    actions: np.ndarray, masks: np.ndarray, epsilon: float, random: np.random.Generator
) -> np.ndarray:
    """Replace each action by a random legal one with probability `epsilon`; return a new array.

    `actions` are int64 [B], `masks` int8 [B, A].
    """
    explores = random.random(len(actions)) < epsilon
    keys = random.random((int(explores.sum()), masks.shape[1]))
    out = actions.copy()
    out[explores] = (keys * masks[explores]).argmax(axis=1)
    return out


@array_rule
def _remember(seats, observations, words, actions, pending, out):
    """Store a decision of each acting seat; emit those that are now n decisions old."""
    size = 0
    n_steps = pending.actions.shape[2]
    for row in range(seats.shape[0]):
        seat = seats[row]
        slot = pending.counts[row, seat] % n_steps
        if pending.counts[row, seat] >= n_steps:
            out.observations[size] = pending.observations[row, seat, slot]
            out.actions[size] = pending.actions[row, seat, slot]
            out.rewards[size] = 0.0
            out.next_observations[size] = observations[row]
            out.next_masks[size] = words[row]
            size += 1
        pending.observations[row, seat, slot] = observations[row]
        pending.actions[row, seat, slot] = actions[row]
        pending.counts[row, seat] += 1
    return size


@rule
def _flush(rows, returns, pending, size, out):
    """At the end of a game, emit all decisions still stored, with its return."""
    n_steps = pending.actions.shape[2]
    for index in range(rows.shape[0]):
        row = rows[index]
        for seat in range(pending.counts.shape[1]):
            for slot in range(min(pending.counts[row, seat], n_steps)):
                out.observations[size] = pending.observations[row, seat, slot]
                out.actions[size] = pending.actions[row, seat, slot]
                out.rewards[size] = returns[index, seat]
                out.next_observations[size] = pending.observations[row, seat, slot]
                out.next_masks[size, :] = 0
                size += 1
            pending.counts[row, seat] = 0
    return size
