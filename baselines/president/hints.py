"""Exact values of every move for people who play President with two seats."""

from functools import lru_cache

from ...envs.core.game import Game
from ..advice.move_values import Values
from ..players.making import make_policy
from .exact_player import is_solved


def exact_values(game: Game) -> Values | None:
    """Return the function that values every move as won (+1) or lost (-1), or None if not solved.

    The first position of a deal may take it some seconds; see docs/studies/president_perfect.md.
    """
    return _exact_values(game) if is_solved(game) else None


@lru_cache(maxsize=1)
def _exact_values(game: Game) -> Values | None:
    """The function of one solver, whose memory is large and makes later answers fast."""
    return make_policy("perfect", game).values
