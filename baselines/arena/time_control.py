"""The contest's clock and limits, and what a player that breaks them is charged with.

Any game is played under them; they are those of the Splendor contest that the suite grew from.
"""

import dataclasses
from typing import Literal

import numpy as np

from ...envs.core.game import Game, check_choice

FaultKind = Literal["start", "crash", "memory", "time", "warnings", "output"]


@dataclasses.dataclass(frozen=True)
class TimeControl:
    """What a player may use. Raises ValueError for a limit that is not above zero."""

    seconds: float = 1.0  # for an action; a slower one is a warning
    forfeit_seconds: float = 3.0  # an action slower than this forfeits the game
    start_seconds: float = 15.0  # from the start of a game to the player's first action
    warnings: int = 3  # the last of these forfeits; an illegal action is one, too
    memory_mib: int = 2048  # of data, for the player's process
    output_kib: int = 1024  # that a player may print in a game

    def __post_init__(self) -> None:
        for name, value in dataclasses.asdict(self).items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
                raise ValueError(f"{name} must be a number above 0; got {value!r}")
        if self.forfeit_seconds < self.seconds:
            raise ValueError(
                f"forfeit_seconds must be at least seconds, {self.seconds}; "
                f"got {self.forfeit_seconds}"
            )


@dataclasses.dataclass(frozen=True)
class Fault:
    """Why a seat lost its game other than by the rules of the game."""

    seat: int
    player: str
    kind: FaultKind
    reason: str

    def __str__(self) -> str:
        return f"seat {self.seat}, {self.player}: {self.reason}"


class Forfeit(Exception):
    """Raised where a player loses its game by a fault, out of the game being played."""

    def __init__(self, kind: FaultKind, reason: str) -> None:
        super().__init__(reason)
        self.kind: FaultKind = kind
        self.reason = reason


def forfeit_returns(game: Game, seat: int) -> np.ndarray:
    """Returns [seats] of a game that `seat` forfeits: it has -1, the others share +1."""
    check_choice("seat", seat, range(game.num_seats))
    out = np.full(game.num_seats, 1.0 / max(1, game.num_seats - 1))
    out[seat] = -1.0
    return out
