"""Exact measures of players, for games that can be solved."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...envs.core.game import Game
from ...envs.core.play.driver import Seating
from ...envs.core.play.loops import EXTERNAL
from ...envs.core.play.playthrough import turns
from ...envs.core.play.tables import Tables
from ...envs.core.play.turns import Turns
from ...envs.core.rng import player_streams
from ..policies.game_parts import part_of

if TYPE_CHECKING:
    from ..policies.policy import Policy
    from ..statistics.estimates import Estimate


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


def turns_from_both_seats(
    players: tuple["Policy", "Policy"], tables: Tables
) -> Iterator[tuple[Turns, np.ndarray]]:
    """Yield the turns of the first of two players with its actions, from either seat.

    The games start from the positions at the tables; the other player has the other seat.
    """
    start = tables.states.copy()
    for seat in range(2):
        tables.states[:] = start
        seated = np.full((len(start), 2), 1)
        seated[:, seat] = EXTERNAL
        rngs = player_streams(np.arange(len(start)), 2, sitting=seat)
        for turn in turns(tables, Seating(tables, players, seated, rngs)):
            yield turn, turn.ask(players[0], rngs)
