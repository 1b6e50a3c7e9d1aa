"""The exact players of two-seat trick-taking: perfect play, and the best response to one player."""

from functools import partial
from typing import Any

import numpy as np

from ...envs.core.compile import array_rule
from ...envs.core.game import Game
from ...envs.core.rng import below
from ..players.making import make_policy
from ..policies import generic
from ..policies.policy import Policy
from ..search.best_response import best_replies
from .random_reply_table import expected_tricks, table_against_random
from .solver import MAX_TABLE_VALUES, card_values, check_solved


def perfect(game: Game, against: Any = None) -> Policy:
    """Play perfectly: take as many tricks as possible against perfect play.

    It chooses between equally good cards at random or, with `against`, the card that gains most
    against that player; this is the exact best of all perfect plays. Raises ValueError for a game
    with more than two seats or 24 values.
    """
    check_solved(game)

    def choose(observations: np.ndarray, masks: np.ndarray, rngs: np.ndarray) -> np.ndarray:
        actions = np.empty(len(observations), np.int64)
        _choose_best(card_values(game, observations), rngs, actions)
        return actions

    def values(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        tricks = observations["tricks_won"][:, :1] + card_values(game, observations)
        return 2.0 * tricks / game.config.num_values - 1.0

    if against is None:
        return Policy("perfect", game, choose, values=values)
    return _replying("perfect", game, make_policy(against, game), is_perfect=True)


def best_response(game: Game, against: Any = "first_play") -> Policy:
    """Play for the most tricks against one player; this may lose to others.

    The order in which the other hand was dealt is hidden from it, so it guesses that order.
    """
    check_solved(game)
    return _replying("best_response", game, make_policy(against, game), is_perfect=False)


def _replying(name: str, game: Game, opponent: Policy, is_perfect: bool) -> Policy:
    name = f"{name}:against={opponent.name}"
    if opponent.row_function is generic.random and game.config.num_values <= MAX_TABLE_VALUES:
        return _replying_to_random(name, game, is_perfect)
    narrow = partial(_perfect_cards, game) if is_perfect else None

    def choose(
        observations: np.ndarray, masks: np.ndarray, rngs: np.ndarray, positions: np.ndarray
    ) -> np.ndarray:
        seats = positions["seat_to_act"].astype(np.int64)
        _, values = best_replies(game, opponent, positions, seats, narrow)
        return np.nanargmax(values, axis=1)

    return Policy(name, game, choose, needs_positions=True)


def _replying_to_random(name: str, game: Game, is_perfect: bool) -> Policy:
    def choose(observations: np.ndarray, masks: np.ndarray, rngs: np.ndarray) -> np.ndarray:
        table = table_against_random(game.config.num_values, is_perfect)
        return np.nanargmax(expected_tricks(game, table, observations), axis=1)

    return Policy(name, game, choose)


def _perfect_cards(game: Game, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    values = card_values(game, observations)
    return (values == values.max(axis=1, keepdims=True)).astype(np.int8)


@array_rule
def _choose_best(values, rngs, actions):
    """Choose a random one of the cards with the highest value."""
    for row in range(values.shape[0]):
        best, ties = values[row].max(), 0
        for card in range(values.shape[1]):
            if values[row, card] == best:
                ties += 1
                if below(rngs[row], ties) == 0:
                    actions[row] = card
