"""The one list of games: a line each. Everything else finds games here."""

import importlib
from typing import Any

from .core.game import Game

GAMES = {
    "president": "President-v0",
    "trick_taking": "TrickTaking-v0",
}


def load_game(name: str, **config: Any) -> Game:
    """A game by name, with its settings: `load_game("president", num_players=2)`.

    Raises ValueError for an unknown game, TypeError for an unknown setting, ValueError for an
    impossible value.
    """
    if name not in GAMES:
        raise ValueError(f"unknown game {name!r}; the games are {', '.join(GAMES)}")
    return importlib.import_module(f".{name}", __package__).game(**config)


def register_environments() -> None:
    pass
