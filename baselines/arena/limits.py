"""What a player under time control may use up, and how its thinking is charged."""

import dataclasses
from typing import Any

WALL_FACTOR = 3.0  # a second of waiting is charged as a third of a second of computing


@dataclasses.dataclass(frozen=True)
class Limits:
    """What a player may use. Raises ValueError for a limit that is not above zero.

    Times are charged: processor time of the player and all that it started, or a third of the time
    that passed, whichever is more. Time in which the machine gave the arena no processor is free.
    """

    seconds: float = 1.0  # for an action; a slower one is a warning
    forfeit_seconds: float = 3.0  # an action slower than this forfeits the game
    start_seconds: float = 15.0  # from the start of a game to the player's first action
    warnings: int = 3  # the last of these forfeits; an illegal action is one, too
    memory_mib: int = 2048  # of data, for the player and all that it started
    processes: int = 64  # with their threads, for the player and all that it started
    private_mib: int = 64  # the size of the player's private folder
    output_kib: int = 1024  # that a player may print in a game

    def __post_init__(self) -> None:
        for field in dataclasses.fields(Limits):
            value: Any = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
                raise ValueError(f"{field.name} must be a number above 0; got {value!r}")
            if isinstance(field.default, int) and value != int(value):
                raise ValueError(f"{field.name} must be a whole number; got {value!r}")
        if self.forfeit_seconds < self.seconds:
            raise ValueError(
                f"forfeit_seconds must be at least seconds, {self.seconds}; "
                f"got {self.forfeit_seconds}"
            )


def charge(processor: float, passed: float, starved: float) -> float:
    """Seconds to charge for thinking, of processor time, of time passed, and of it without any.

    `starved` is the time in which the machine gave the arena itself no processor.
    """
    return max(processor, (passed - starved) / WALL_FACTOR)
