"""The input and output of a check: the trial, the error and the report."""

import contextlib
import inspect
import pickle
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

NO_CHANCE = "The game has no chance."  # why a check of seeds was left out
IRRELEVANT = ""  # a reason that the report leaves out, with the check
NO_REFEREE = (  # last, because only the rules of the game tell
    "Masks that are too wide or too narrow, and whatever else the rules of the game forbid, are "
    "found by a referee alone. No referee was given."
)
MORE_TRIES = 64  # tries after which equal deals of a small game are no coincidence


class CheckError(AssertionError):
    """A fault of a game or environment; `check` names the check that found it."""

    def __init__(self, check: str, sentence: str) -> None:
        super().__init__(f"{check}: {sentence}")
        self.check = check


class Trial(NamedTuple):
    """The settings of a check: see `check_game`."""

    seeds: range
    referee: Callable[[int], tuple[Any, Any]] | None
    has_chance: bool
    max_plies: int

    @property
    def more_seeds(self) -> range:
        """These seeds and more, because two games of a small game may be equal by chance."""
        more = MORE_TRIES if len(self.seeds) > 1 else 0
        return range(self.seeds.start, self.seeds.stop + more)


class CheckReport(NamedTuple):
    """The checks that a game or environment passed, and those that were not made.

    `hidden` says for each seat which fields of the position `reshuffle_unseen` deals anew, and
    which it never does. Whether the rules hide these is not checked: `observe` and
    `reshuffle_unseen` may have the same fault.
    """

    subject: str
    num_games: int
    num_plies: int
    checked: tuple[str, ...]
    not_checked: tuple[str, ...]
    hidden: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"{self.subject}: {self.num_games} games, {self.num_plies:,} plies"]
        lines += [f"  ok   {sentence}" for sentence in self.checked]
        lines += [f"  not checked: {sentence}" for sentence in self.not_checked]
        if self.hidden:
            lines.append("  what reshuffle_unseen deals anew; compare it with what the rules hide:")
        lines += [f"    {sentence}" for sentence in self.hidden]
        return "\n".join(lines)

    @classmethod
    def of(
        cls,
        subject: str,
        plies: Sequence[int],
        made: Sequence[tuple[Callable[..., Any], str | None]],
        hidden: tuple[str, ...] = (),
    ) -> "CheckReport":
        """Return a report of games with these numbers of plies.

        `made` are the checks, each with the reason why it could not be made, or None. The first
        line of a check's docstring is what it claims.
        """
        claims = [(str(inspect.getdoc(check)).splitlines()[0], reason) for check, reason in made]
        checked = tuple(claim for claim, reason in claims if reason is None)
        others = tuple(f"{claim} {reason}" for claim, reason in claims if reason)
        return cls(subject, len(plies), sum(plies), checked, others, hidden)


def check_seeds_differ(
    trial: Trial, story: Callable[[int], Any], check: str, sentence: str
) -> str | None:
    """Raise a CheckError where the games of all seeds, as `story` tells them, are the same."""
    if not trial.has_chance:
        return NO_CHANCE
    first, *others = trial.more_seeds
    told = story(first)
    if others and all(story(seed) == told for seed in others):
        raise CheckError(check, sentence)
    return None


def check_second_game(
    trial: Trial, stories: Callable[[int], tuple[Any, Any]], check: str, repeats: str, same: str
) -> str | None:
    """Raise a CheckError where second games repeat the first ones, or are the same for all seeds.

    `stories` tells the first and the second game of a seed; `repeats` and `same` say what is wrong.
    """
    if trial.has_chance and all(one == two for one, two in map(stories, trial.more_seeds)):
        raise CheckError(check, repeats)
    return check_seeds_differ(trial, lambda seed: stories(seed)[1], check, same)


@contextlib.contextmanager
def no_global_generators(seed: int) -> Iterator[None]:
    """Play with seeded global generators, which must not be used; restore them afterwards."""
    before = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed)
    given = _global_generators()
    try:
        yield
        found = _global_generators()
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])
    for name, mine, theirs in zip(("random", "numpy.random"), given, found, strict=True):
        if mine != theirs:
            raise CheckError(
                "global_generators", f"playing draws from, or seeds, the global generator {name}"
            )


def _global_generators() -> tuple[bytes, bytes]:
    return pickle.dumps(random.getstate()), pickle.dumps(np.random.get_state())
