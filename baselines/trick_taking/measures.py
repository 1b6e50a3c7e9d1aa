"""How far a player of two-seat trick-taking is from perfect play, in tricks per game.

Regret is what its own cards give away; exploitability is what the best response to it gains.
"""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...envs.core.compile import array_rule
from ...envs.core.game import Game
from ...envs.core.play.tables import Tables
from ...envs.core.rng import streams
from ...envs.trick_taking.rules import start_game
from ..players.making import make_policy
from ..players.measures import Measure, turns_from_both_seats
from ..search.best_response import best_replies
from ..statistics.estimates import Estimate, mean_of_deals
from .solver import card_values, check_solved

_BATCH = 4096


def regret(
    game: Game, policy: Any, against: Any = "random", num_deals: int | None = None, seed: int = 0
) -> Estimate:
    """Return the tricks per game that a player gives away by playing worse cards than the best.

    The value of a card assumes that both seats play perfectly afterwards, but the game continues as
    the two players play it; against `perfect` the sum is the value of the game minus its result.
    The mean is over both seats and `num_deals` random deals, or all deals (184,756 with 10 values),
    each with both hands in random order. Over all deals the interval is too wide, because it treats
    them as a sample.
    """
    players = (make_policy(policy, game), make_policy(against, game))
    parts = [_lost_tricks(game, players, tables) for tables in _deals(game, num_deals, seed)]
    return mean_of_deals(np.concatenate(parts))


def exact_exploitability(
    game: Game, policy: Any, num_deals: int | None = None, seed: int = 0
) -> Estimate:
    """Return the tricks per game that the best response takes beyond those of perfect play.

    Deals are as for `regret`. The reply sees the order in which hands were dealt, so this is an
    upper bound for a player that uses that order. A deal of 10 values takes about 20 ms, so all
    deals take an hour. Raises ValueError for a player that uses random numbers, unless it is
    `random`.
    """
    player = make_policy(policy, game)
    parts = [_gained_tricks(game, player, tables) for tables in _deals(game, num_deals, seed)]
    return mean_of_deals(np.concatenate(parts))


def _lost_tricks(game: Game, players: tuple[Any, Any], tables: Tables) -> np.ndarray:
    """The mean of the first player over both seats, for each deal."""
    lost = np.zeros(len(tables.states))
    for turn, actions in turns_from_both_seats(players, tables):
        values = card_values(game, turn.observations).astype(np.int64)
        lost[turn.rows] += values.max(axis=1) - values[np.arange(len(actions)), actions]
    return lost / 2


def _gained_tricks(game: Game, player: Any, tables: Tables) -> np.ndarray:
    """The mean over both seats for each deal; the values of the seats add up to all tricks."""
    total = np.zeros(len(tables.states))
    for seat in range(2):
        returns, _ = best_replies(game, player, tables.states, np.full(len(total), seat))
        total += (returns + 1) * game.config.num_values / 2
    return (total - game.config.num_values) / 2


def _deals(game: Game, num_deals: int | None, seed: int) -> Iterator[Tables]:
    """Yield tables with deals laid out, in batches: random deals, or all of them."""
    check_solved(game)
    hands: np.ndarray | None = None
    if num_deals is None:
        hands = _all_hands(game.config.num_values)
        num_deals = len(hands)
    elif num_deals < 1:
        raise ValueError(f"a measure needs at least one deal; got {num_deals}")
    shuffler = np.random.default_rng(seed)
    for start in range(0, num_deals, _BATCH):
        rows = range(start, min(start + _BATCH, num_deals))
        tables = Tables(game, streams(range(seed + rows.start, seed + rows.stop)))
        tables.deal(tables.all_rows)
        if hands is not None:
            _lay_out(tables.states, _in_random_order(hands[rows.start : rows.stop], shuffler))
        yield tables


def _all_hands(num_values: int) -> np.ndarray:
    """Every set of cards that seat 0 can hold, as a word."""
    hands = itertools.combinations(range(2 * num_values), num_values)
    return np.sort([sum(1 << card for card in hand) for hand in hands])


def _in_random_order(hands: np.ndarray, shuffler: np.random.Generator) -> np.ndarray:
    """The cards of both seats [deals, 2, values], from the hands of seat 0 as words."""
    num_values = int(hands[0]).bit_count()
    owners = hands[:, None] >> np.arange(2 * num_values) & 1
    cards = np.argsort(1 - owners, axis=1, kind="stable").reshape(len(hands), 2, num_values)
    return shuffler.permuted(cards, axis=2).astype(np.int8)


@array_rule
def _lay_out(states, dealt):
    for row in range(states.shape[0]):
        states[row].dealt[:] = dealt[row]
        start_game(states[row], states[row].first_leader)


MEASURES = {
    "regret, tricks a game": Measure(regret, has_opponent=True),
    "exploitability, tricks a game": Measure(
        lambda game, policy, against, num_deals, seed: exact_exploitability(
            game, policy, num_deals, seed
        ),
        has_opponent=False,
    ),
}
