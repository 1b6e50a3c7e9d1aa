"""Exact values of every card for people who play trick-taking with two seats."""

from ...envs.core.game import Game
from ..advice.move_values import Values
from .exact_players import perfect
from .solver import is_solved


def exact_values(game: Game) -> Values | None:
    """Return the function that values every card under perfect play, or None if not solved."""
    return perfect(game).values if is_solved(game) else None
