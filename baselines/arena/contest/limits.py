"""The limits of a player under time control, and the time charged for its thinking."""

import dataclasses
from typing import Any

from ...policies.settings import checked_above_zero

WALL_FACTOR = 3.0  # a second of waiting is charged as a third of a second of computing


@dataclasses.dataclass(frozen=True)
class PlayerLimits:
    """The limits of a player. Raises ValueError for a limit that is not above zero.

    The charge is the greater of two times: the processor time of the player with all processes it
    started, and a third of the time on the clock. So a machine that is busy with other work costs a
    player nothing, until it gets less than a third of a processor.

    The system limits the memory of each process alone, and stops it at once. The total of all is
    measured while the player thinks, every 20 ms, so that it may exceed the limit for a moment.
    """

    seconds: float = 1.0  # for an action; a slower action costs a warning
    forfeit_seconds: float = 3.0  # an action slower than this forfeits the game
    start_seconds: float = 15.0  # from the start of a game to the player's first action
    warnings: int = 3  # the last one forfeits the game; an illegal action costs one, too
    memory_mib: int = 2048  # memory of the player with all processes it started
    processes: int = 64  # processes and threads of the player
    private_mib: int = 64  # the size of the player's private folder
    output_kib: int = 1024  # output of a player in a game

    def __post_init__(self) -> None:
        for field in dataclasses.fields(PlayerLimits):
            value: Any = getattr(self, field.name)
            checked_above_zero(field.name, value)
            if isinstance(field.default, int) and value != int(value):
                raise ValueError(f"{field.name} must be a whole number; got {value!r}")
        if self.forfeit_seconds < self.seconds:
            raise ValueError(
                f"forfeit_seconds must be at least seconds, {self.seconds}; "
                f"got {self.forfeit_seconds}"
            )


def charge(processor: float, passed: float) -> float:
    """Return the seconds to charge for `processor` seconds of computing, `passed` by the clock."""
    return max(processor, passed / WALL_FACTOR)
