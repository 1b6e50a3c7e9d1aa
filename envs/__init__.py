"""The public face."""

from .registry import GAMES, load_game

__all__ = ["GAMES", "load_game"]
