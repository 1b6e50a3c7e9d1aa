"""Find what belongs to one game: `baselines/<game>/<part>.py`, or a part in its own package."""

import importlib
import importlib.util
import os
from functools import cache
from pathlib import Path
from types import ModuleType

from ...envs.core import catalogue
from ...envs.core.game import Game

_BASELINES = Path(__file__).parents[1]
_PACKAGE = __package__.rpartition(".")[0]


def part_of(game: Game, part: str) -> ModuleType | None:
    """Return the module `part` (such as "players" or "hints") of a game, or None.

    `register_game` can name the package. An error while importing an existing module is raised
    unchanged.
    """
    package = catalogue.parts_package(game.name) or f"{_PACKAGE}.{game.name}"
    try:
        return importlib.import_module(f"{package}.{part}")
    except ModuleNotFoundError as error:
        if not f"{package}.{part}.".startswith(f"{error.name}."):
            raise
        return None


def checkpoint_folder(game_name: str) -> Path:
    """Return the folder of the checkpoints that ship for a game; it need not exist."""
    package = catalogue.parts_package(game_name)
    spec = None if package is None else importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        return _folder(game_name)
    return _folder(os.path.dirname(spec.origin))


@cache  # a path takes longer to make than to look at
def _folder(package: str) -> Path:
    return _BASELINES / package / "checkpoints"  # a package elsewhere has a whole path
