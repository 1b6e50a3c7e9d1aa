"""The games that can be loaded by name; `envs/registry.py` fills it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .words import did_you_mean

if TYPE_CHECKING:
    from .game import Game


class Entry(NamedTuple):
    """One game of the catalogue."""

    make: Callable[..., Game] | str  # or the module with `game`, imported on first use
    parts: str | None = None  # the package of its `players`, `hints`, ...; None: by its name


MAX_SEATS = 16  # numbers of seats are tried up to this

_ENTRIES: dict[str, Entry] = {}


def add_entry(name: str, entry: Entry) -> bool:
    """Add a game; return whether it is new. Raises ValueError where its name is taken."""
    former = _ENTRIES.get(name)
    if former is not None and _source(former) != _source(entry):
        raise ValueError(
            f"{_source(former)} has already registered a game {name!r}; "
            f"give the game of {_source(entry)} another name"
        )
    _ENTRIES[name] = entry
    return former is None


def check_known(name: str) -> None:
    """Raise ValueError for a game that is not registered."""
    if name not in _ENTRIES:
        raise ValueError(
            f"unknown game {name!r}; {did_you_mean(name, _ENTRIES)}the games are "
            f"{', '.join(_ENTRIES)}, and those of packages that are imported first (--import)"
        )


def find_game(name: str, /, **config: Any) -> Game:
    """Load a game by name, with its settings; a game of another package once that is imported.

    It imports no package, because names also come from files and over a network. Raises ValueError
    for an unknown game, TypeError for an unknown setting, ValueError for an impossible value.
    """
    check_known(name)
    make = _ENTRIES[name].make
    if isinstance(make, str):
        make = importlib.import_module(make).game
    return make(**without_numpy(config))


def as_game(game: Game | str) -> Game:
    """Return a game, loaded with its default settings where it is given by name.

    Raises ValueError for an unknown name, and TypeError for anything that is neither.
    """
    from .game import Game

    if isinstance(game, str):
        return find_game(game)
    if not isinstance(game, Game):
        names = ", ".join(_ENTRIES)
        raise TypeError(f"a game is a Game, or the name of one ({names}); got {game!r}")
    return game


def game_within(name: str, settings: Mapping[str, Any], folder: Path | None = None) -> Game:
    """Load a game with settings that somebody else chose; a file that they name is in `folder`.

    Without a folder they name no file. A setting that may name a file is one that the game's
    Config lists in `FILES`, with the values that ship; text of several lines is no name. Raises
    what `find_game` raises, and ValueError for a file elsewhere.
    """
    config = find_game(name).config
    for key, shipped in getattr(config, "FILES", {}).items():
        value, others = settings.get(key), (getattr(config, key), *shipped)
        if not isinstance(value, str) or value in others or "\n" in value:
            continue
        if not is_inside(value, folder):
            place = "" if folder is None else f", the path of a file in {folder}"
            raise ValueError(
                f"{key} must be {', '.join(map(repr, others))}{place} or the text of a file here, "
                f"not {value!r}"
            )
    return find_game(name, **settings)


def is_inside(file: str, folder: Path | None) -> bool:
    """Return whether a path leads into a folder, links followed; False without a folder."""
    return folder is not None and Path(file).resolve().is_relative_to(folder.resolve())


def kept_settings(game: Game, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings a game was given with the text of a file in place of its path."""
    config = game.config_dict()
    return {name: config.get(name, value) for name, value in settings.items()}


def without_numpy(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with NumPy's numbers, which sweeps often give, as Python's own."""
    return {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in settings.items()
    }


def import_game(name: str, /, **config: Any) -> Game:
    """Load a game as `find_game`; `"my_package:my_game"` first imports the package."""
    if not isinstance(name, str):
        raise ValueError(f"name the game, with its settings as keywords; got {name!r}")
    package, _, name = name.rpartition(":")
    if package:
        importlib.import_module(package)
    return find_game(name, **config)


def games_by_seats(name: str) -> list[Game]:
    """Load a game with the default settings, then with each other number of seats it allows."""
    default = find_game(name)
    counts = range(1, MAX_SEATS + 1) if "num_players" in default.config_dict() else ()
    games = [default]
    for count in counts:
        with suppress(ValueError):
            games.append(find_game(name, num_players=count))
    return [default, *(game for game in games if game.num_seats != default.num_seats)]


def importable_name(name: str) -> str:
    """Return the name, with its package, that `import_game` takes in another process."""
    make = _ENTRIES[name].make
    is_elsewhere = not isinstance(make, str) and make.__module__ != "__main__"
    return f"{_source(_ENTRIES[name])}:{name}" if is_elsewhere else name


def parts_package(name: str) -> str | None:
    """Return the package with the players of a registered game; None where it names none."""
    entry = _ENTRIES.get(name)
    return None if entry is None else entry.parts


def _source(entry: Entry) -> str:
    """Return the module that makes the game."""
    return entry.make if isinstance(entry.make, str) else entry.make.__module__
