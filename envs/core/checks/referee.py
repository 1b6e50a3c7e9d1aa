"""The comparison of one turn with a naive referee, for games and environments."""

from collections.abc import Sequence
from typing import Any

from .report import CheckError


def check_turn(
    referee: Any, who: str, where: str, turn: tuple[int | None, Sequence[str]] | None
) -> None:
    """Raise a CheckError where a referee disagrees on who acts, what is legal or the end.

    `turn` is the seat to act, None if it is not known, and the names of its legal actions, as `who`
    says at a place of a game; None where the game is over.
    """
    if (turn is None) != bool(referee.is_terminal()):
        who = who if turn is None else "the referee"
        raise CheckError("referee_end", f"{where}: only {who} thinks that it is over")
    if turn is None:
        return
    seat, legal = turn
    expected, by_referee = referee.seat_to_act(), referee.legal_actions()
    if seat not in (None, expected):
        what = f"{where}: seat {seat} is to act, the referee says {expected}"
        raise CheckError("referee_seat", what)
    where += f", seat {expected}"
    if too_many := [name for name in legal if name not in by_referee]:
        raise CheckError("mask_too_wide", f"{where}: {', '.join(too_many)} should not be legal")
    if missing := [name for name in by_referee if name not in legal]:
        raise CheckError("mask_too_narrow", f"{where}: {', '.join(missing)} should be legal")
