"""The public face."""

from .registry import GAMES, load_game
