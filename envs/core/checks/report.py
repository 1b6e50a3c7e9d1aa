"""The input and output of a check: the trial, the error and the report."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

NO_CHANCE = "The game has no chance."  # why a check of seeds was left out
IRRELEVANT = ""  # a reason that the report leaves out, with the check
NO_REFEREE = (  # last, because only the rules of the game tell
    "Masks that are too wide or too narrow, and whatever else the rules of the game forbid, are "
    "found by a referee alone. No referee was given."
)


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


class CheckReport(NamedTuple):
    """The checks that a game or environment passed, and those that were not made.

    `warnings` are about what may be intended. `hidden` says for each seat which fields of the
    position `reshuffle_unseen` resamples, and which it never does. Whether the rules hide these is
    not checked: `observe` and `reshuffle_unseen` may have the same fault.
    """

    subject: str
    num_games: int
    num_plies: int
    checked: tuple[str, ...]
    not_checked: tuple[str, ...]
    hidden: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"{self.subject}: {self.num_games} games, {self.num_plies:,} plies"]
        lines += [f"  ok   {sentence}" for sentence in self.checked]
        lines += [f"  warning: {sentence}" for sentence in self.warnings]
        lines += [f"  not checked: {sentence}" for sentence in self.not_checked]
        if self.hidden:
            lines.append("  what reshuffle_unseen resamples; compare it with what the rules hide:")
        lines += [f"    {sentence}" for sentence in self.hidden]
        return "\n".join(lines)

    @classmethod
    def of(
        cls,
        subject: str,
        plies: Sequence[int],
        made: Sequence[tuple[Callable[..., Any], str | None]],
        hidden: tuple[str, ...] = (),
        warnings: tuple[str, ...] = (),
    ) -> "CheckReport":
        """Return a report of games with these numbers of plies.

        `made` are the checks, each with the reason why it could not be made, or None. The first
        line of a check's docstring is what it claims.
        """
        claims = [(str(inspect.getdoc(check)).splitlines()[0], reason) for check, reason in made]
        checked = tuple(claim for claim, reason in claims if reason is None)
        others = tuple(f"{claim} {reason}" for claim, reason in claims if reason)
        return cls(subject, len(plies), sum(plies), checked, others, hidden, warnings)
