"""How often a player of two-seat President loses a position that it could have won."""

from typing import Any

import numpy as np

from ...envs.core.game import NO_ACTION, Game
from ...envs.core.play.tables import Tables
from ...envs.core.rng import streams
from ..players.making import make_policy
from ..players.measures import Measure, turns_from_both_seats
from ..statistics.estimates import Estimate, mean_of_deals
from .exact_player import solver_of_games


def blunders(
    game: Game, policy: Any, against: Any = "random", num_deals: int | None = None, seed: int = 0
) -> Estimate:
    """Return the blunders of a player, in per cent of its moves in won positions.

    A blunder is a move after which the other seat can win, made where another move wins. Every deal
    is played from both seats against `against`. Raises ValueError where `num_deals` is None,
    because there are too many deals to play all, and where no position was won.
    """
    solver = solver_of_games(game)
    if num_deals is None:
        raise ValueError("there are too many deals to measure all; choose a number")
    players = make_policy(policy, game), make_policy(against, game)
    tables = Tables(game, streams(range(seed, seed + num_deals)))
    tables.deal(tables.all_rows)
    won, lost = counts = np.zeros((2, num_deals), np.int64)
    for turn, actions in turns_from_both_seats(players, tables):
        was_won = solver.winning_actions(turn.observations, turn.masks) != NO_ACTION
        is_lost = was_won.copy()
        is_lost[was_won] = ~solver.action_wins(turn.observations[was_won], actions[was_won])
        counts[:, turn.rows] += np.stack([was_won, is_lost])
    if not won.any():
        raise ValueError("the player was in no won position in these deals")
    return mean_of_deals(lost.astype(float), won, (0.0, 1.0)).scaled(100.0)


MEASURES = {"blunders, % of moves in won positions": Measure(blunders, has_opponent=True)}
