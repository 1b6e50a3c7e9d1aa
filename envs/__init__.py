"""The public face."""

from .core.check import check_game
from .registry import GAMES, load_game

__all__ = ["GAMES", "check_game", "load_game"]
