"""Checks of how games depend on their seeds, the same for a Game and for an environment."""

import contextlib
import pickle
import random
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from .report import NO_CHANCE, CheckError, Trial

MORE_TRIES = 64  # after which equal deals of a small game are no coincidence
OR_NO_CHANCE = "or declare has_chance=False where the rules leave nothing to chance"


class PlaysBySeed(Protocol):
    """A Game or an environment that plays random games."""

    trial: Trial
    remedy: str  # where games do not depend on the seed as they should

    def play(self, seed: int | None = None) -> list[Any]:
        """Play a game by the same choices for all seeds; return what was seen before each ply.

        Without a seed the generator goes on from the game before.
        """


def more_seeds(subject: PlaysBySeed) -> range:
    """Return the seeds and more, because two games of a small game may be equal by chance."""
    seeds = subject.trial.seeds
    return range(seeds.start, seeds.stop + MORE_TRIES)


def check_repeatable(subject: PlaysBySeed) -> None:
    """The same seed and actions give the same game, whatever the global generators are."""
    for seed in subject.trial.seeds:
        with no_global_generators(0):
            first = subject.play(seed)
        with no_global_generators(1):
            second = subject.play(seed)
        if first != second:
            same = [one == two for one, two in zip(first, second, strict=False)]
            ply = [*same, False].index(False) + 1
            problem = f"seed {seed} gives another game from ply {ply} when it is played again"
            raise CheckError("repeatable", f"{problem}; {subject.remedy}")


@contextlib.contextmanager
def no_global_generators(seed: int, who: str = "playing") -> Iterator[None]:
    """Seed the global generators, which must not be used; restore them afterwards."""
    before = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed)
    expected = pickle.dumps(random.getstate()), pickle.dumps(np.random.get_state())
    try:
        yield
        after = pickle.dumps(random.getstate()), pickle.dumps(np.random.get_state())
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])
    for name, mine, theirs in zip(("random", "numpy.random"), expected, after, strict=True):
        if mine != theirs:
            problem = f"{who} draws from, or seeds, the global generator {name}"
            raise CheckError("global_generators", problem)


def check_seeds(subject: PlaysBySeed) -> str | None:
    """Different seeds give different episodes."""
    if not subject.trial.has_chance:
        return NO_CHANCE
    seeds = more_seeds(subject)
    if _are_alike(subject.play(seed) for seed in seeds):
        problem = f"{len(seeds)} seeds all give the same game"
        raise CheckError("seeds", f"{problem}; {subject.remedy}, {OR_NO_CHANCE}")
    return None


def check_second_episode(subject: PlaysBySeed) -> str | None:
    """The second episode neither repeats the first nor is it the same for all seeds."""
    if not subject.trial.has_chance:
        return NO_CHANCE
    seeds, problem = more_seeds(subject), ""
    if all(subject.play(seed) == subject.play() for seed in seeds):
        problem = "the second deal of every seed repeats its first"
    elif _are_alike((subject.play(seed), subject.play())[1] for seed in seeds):
        problem = "the second deal is the same for all seeds"
    if problem:
        raise CheckError("second_episode", f"{problem}; {subject.remedy}, {OR_NO_CHANCE}")
    return None


def _are_alike(games: Iterator[list[Any]]) -> bool:
    """Whether there are several games, all the same; stops at the first that differs."""
    first, second = next(games), next(games, None)
    return second == first and all(game == first for game in games)
