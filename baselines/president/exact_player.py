"""The exact player of two-seat President, where nothing is hidden."""

import numpy as np

from ...envs.core.game import NO_ACTION, Game
from ..policies.policy import Policy
from .solver import MEMORY_OF_FULL_DEALS, Solver


def perfect(game: Game, in_lost_positions: Policy) -> Policy:
    """Play perfectly: win every position that can be won; ask another player in the others.

    A position takes the solver milliseconds in the middle of a game, and some seconds in rare full
    deals (docs/studies/president_perfect.md); what it finds makes the later moves of a game fast.
    Its values are +1 and -1. Raises ValueError for more than two seats, and for a match of several
    games, where the result of one decides the exchange before the next.
    """
    solver = solver_of_games(game)

    def choose(observations: np.ndarray, masks: np.ndarray, rngs: np.ndarray) -> np.ndarray:
        actions = solver.winning_actions(observations, masks)
        lost = actions == NO_ACTION
        if lost.any():
            actions[lost] = in_lost_positions(observations[lost], masks[lost], rngs[lost])
        return actions

    def values(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        rows, actions = np.nonzero(masks)
        out = np.full(masks.shape, -1.0)
        out[rows, actions] = 2.0 * solver.action_wins(observations[rows], actions) - 1.0
        return out

    return Policy("perfect", game, choose, values=values)


def is_solved(game: Game) -> bool:
    """Whether `perfect` plays this game."""
    return game.num_seats == 2 and bool(game.config.num_games == 1)


def solver_of_games(game: Game) -> Solver:
    """Return a solver with room for full deals. Raises ValueError for a game it cannot solve."""
    if game.num_seats == 2 and game.config.num_games > 1:
        raise ValueError(
            "single games of President are solved, not matches; "
            f"got num_games={game.config.num_games}"
        )
    return Solver(game, MEMORY_OF_FULL_DEALS)
