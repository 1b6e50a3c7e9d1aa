"""Finding what belongs to one game: `baselines/<game>/<part>.py`, by name."""

import importlib
from types import ModuleType

from ..envs.core.game import Game


def part_of(game: Game, part: str) -> ModuleType | None:
    """The module `part` ("players", "hints", "measures", "trials") of a game; None if it has none.

    A module that exists but fails to import raises what it raises.
    """
    folder = f"{__package__}.{game.name}"
    try:
        return importlib.import_module(f"{folder}.{part}")
    except ModuleNotFoundError as error:
        if error.name not in (folder, f"{folder}.{part}"):
            raise
        return None
