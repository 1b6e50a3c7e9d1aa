"""Exact measures of players, for games that can be solved."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ...envs.core.game import Game
from .game_parts import part_of

if TYPE_CHECKING:
    from ..arena.ratings.statistics import Estimate
    from .policy import Policy


class Measure(NamedTuple):
    """A figure that a solver computes about a player.

    `compute(game, policy, against, num_deals, seed)` averages over `num_deals` random deals, or
    over all deals where that is None. It raises ValueError where the game or the player cannot be
    measured.
    """

    compute: Callable[[Game, "Policy", "Policy", int | None, int], "Estimate"]
    has_opponent: bool  # whether it depends on the opponent


def measures_of(game: Game) -> dict[str, Measure]:
    """Return the exact measures of a game by name; empty for a game without a solver."""
    module = part_of(game, "measures")
    return {} if module is None else module.MEASURES
