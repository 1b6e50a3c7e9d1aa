"""Exact players where a game can be solved, and what they can measure of any player."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ..envs.core.game import Game
from .parts import part_of

if TYPE_CHECKING:
    from .arena.statistics import Estimate
    from .policy import Policy


class Measure(NamedTuple):
    """What a solver can say of a player.

    `compute(game, policy, against, num_deals, seed)`: without a number of deals over all there are.
    Raises ValueError where the game or the player cannot be measured.
    """

    compute: Callable[[Game, "Policy", "Policy", int | None, int], "Estimate"]
    has_opponent: bool  # whether it depends on whom the player plays


def measures_of(game: Game) -> dict[str, Measure]:
    """The exact measures of a game's players by name; none where nothing solves the game."""
    module = part_of(game, "measures")
    return {} if module is None else module.MEASURES
