"""All outcomes of a game's own draws, with their probabilities, for exact methods such as CFR.

The rules run as plain Python, once for each way in which the numbers that they draw can fall.
"""

import math
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from .game import CHANCE, Game
from .in_python import in_python
from .rng import below

MAX_WAYS = 10_000  # most sequences of random numbers that are tried for one deal or draw

Outcome = tuple[np.record, float]  # a position and its probability


def deal_outcomes(game: Game) -> list[Outcome]:
    """Return every deal of a game, with the draws that follow it, and its probability.

    Raises ValueError where there are more than MAX_WAYS, and for a game that draws by anything but
    `below` and `shuffle`.
    """
    return _settled(game, _outcomes(game, _with_scripted_draws(game).deal, game.new_states(1)[0]))


def chance_outcomes(game: Game, position: np.record) -> list[Outcome]:
    """Return the positions after the game's own draws in a position, with their probabilities.

    In each a seat is to act or the game is over. Where no draw is due it is the position alone.
    Raises ValueError as `deal_outcomes`.
    """
    if game.play_chance is None:
        return [(position.copy(), 1.0)]
    rules = _with_scripted_draws(game)
    if rules.is_terminal(position) or rules.seat_to_act(position) != CHANCE:
        return [(position.copy(), 1.0)]
    return _settled(game, _outcomes(game, rules.play_chance, position))


def _settled(game: Game, drawn: Iterable[Outcome]) -> list[Outcome]:
    """Return what follows the outcomes of a draw; equal positions become one."""
    merged: dict[bytes, Outcome] = {}
    for before, weight in drawn:
        for position, probability in chance_outcomes(game, before):
            key = position.tobytes()
            before_it = merged.get(key, (position, 0.0))[1]
            merged[key] = position, before_it + weight * probability
            if len(merged) > MAX_WAYS:
                raise ValueError(_too_many(game))
    return list(merged.values())


def _outcomes(game: Game, draw: Callable[..., Any] | None, position: np.record) -> list[Outcome]:
    """Return what a rule that draws makes of a position, for each way its numbers can fall."""
    assert draw is not None
    outcomes, script = [], _Script(game)
    while True:
        outcome = position.copy()
        draw(outcome, script)
        outcomes.append((outcome, script.probability()))
        if not script.next():
            return outcomes


class _Script:
    """Stands for a random stream; enumerates the sequences of numbers that can be drawn."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.numbers: list[int] = []
        self.limits: list[int] = []  # of the draws so far on this way

    def draw(self, limit: int) -> np.int64:
        """Return the next number in 0 .. limit - 1."""
        place = len(self.limits)
        self.limits.append(max(int(limit), 1))  # as in compiled code, below(rng, 0) is 0
        if place == len(self.numbers):
            self.numbers.append(0)
            if math.prod(self.limits) > MAX_WAYS:
                raise ValueError(_too_many(self.game))
        return np.int64(self.numbers[place])

    def probability(self) -> float:
        """Return the probability of the draws that have just been played."""
        return 1.0 / math.prod(self.limits)

    def next(self) -> bool:
        """Turn to the next way; return whether there is one."""
        while self.numbers and self.numbers[-1] + 1 >= self.limits[len(self.numbers) - 1]:
            self.numbers.pop()
        self.limits.clear()
        if not self.numbers:
            return False
        self.numbers[-1] += 1
        return True

    @property
    def state(self) -> np.uint64:
        """The bits of a stream, which have too many values to list."""
        raise ValueError(
            f"{self.game.name} draws other numbers than those of below(rng, n) and shuffle: its "
            "outcomes cannot be listed"
        )


def _too_many(game: Game) -> str:
    return f"{game.name} can draw in more than {MAX_WAYS:,} ways here, too many to list: sample"


@lru_cache(maxsize=16)
def _with_scripted_draws(game: Game) -> Game:
    """Return the game with rules that draw from a `_Script`."""
    return in_python(game, ((below, _Script.draw),))
