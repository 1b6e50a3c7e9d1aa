"""The best response to uniformly random play of two-seat trick-taking: a table of all positions."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...envs.core.bits import popcount
from ...envs.core.compile import bind, rule
from ...envs.core.game import Game
from .position import (
    CardsLeft,
    after_trick,
    card_values_by,
    cards_in,
    legal_replies,
    next_with_as_many_bits,
    place_in,
    sizes_of,
)
from .solver import (
    Solution,
    card_values,
    card_worth,
    lead_value,
    solution_of,
    table_value,
    trick_value,
)

# The solver's functions without its search, for games whose table has all positions.
_trick_value = bind(trick_value, value_of=table_value)
_lead_value = bind(lead_value, trick_value=_trick_value)
_card_worth = bind(card_worth, lead_value=_lead_value, trick_value=_trick_value)


class ReplyTable(NamedTuple):
    """The tricks that the best response takes on average when it leads and when it follows."""

    solution: Solution
    is_perfect: bool  # it may choose perfect cards only
    leading: np.ndarray  # float64 [slots]
    following: np.ndarray  # float64 [slots]


@lru_cache(maxsize=2)
def table_against_random(num_values: int, is_perfect: bool) -> ReplyTable:
    """Make the table for up to MAX_TABLE_VALUES, once per process: about a second for ten."""
    solution = solution_of(num_values)
    slots = len(solution.values)
    table = ReplyTable(solution, is_perfect, np.zeros(slots), np.zeros(slots))
    _fill(table)
    return table


# The table: bottom-up over the number of tricks left


@rule
def _fill(table):
    """Compute the values of every position."""
    most = table.solution.num_values
    for tricks in range(1, most + 1):
        smallest, end = sizes_of(most, tricks)
        for size in range(smallest, end):
            word = (np.int64(1) << tricks) - 1
            while word < np.int64(1) << (2 * tricks):
                position = CardsLeft(word, size, tricks)
                place = place_in(table.solution.starts, position)
                table.leading[place] = best_worth(table, position, np.int64(0))
                table.following[place] = mean_after_leads(table, position)
                word = next_with_as_many_bits(word)


@rule
def mean_after_leads(table, position):
    """The mean value of the best replies, over all leads."""
    leads = position.word
    total, count = 0.0, popcount(leads)
    while leads != 0:
        total += best_worth(table, position, leads & -leads)
        leads &= leads - 1
    return total / count


@rule
def best_worth(table, position, lead):
    """The highest mean value of the cards that may be led or, after a lead, replied."""
    cards = allowed_cards(table, position, lead)
    best = -1.0
    while cards != 0:
        best = max(best, mean_worth(table, position, lead, cards & -cards))
        cards &= cards - 1
    return best


@rule
def allowed_cards(table, position, lead):
    """The legal cards or, in a table of perfect cards only, those with the highest value."""
    cards = position.word if lead == 0 else legal_replies(position, lead)
    if not table.is_perfect:
        return cards
    best, most = np.int64(0), np.int64(-1)
    while cards != 0:
        card = cards & -cards
        cards ^= card
        value = _card_worth(table.solution, position, lead, card)
        if value > most:
            best, most = np.int64(0), value
        if value == most:
            best |= card
    return best


@rule
def mean_worth(table, position, lead, card):
    """The tricks that a lead, or a reply, is worth to its seat on average."""
    if lead != 0:
        return trick_worth(table, position, lead, card, False)
    replies = legal_replies(position, card)
    total, count = 0.0, popcount(replies)
    while replies != 0:
        total += trick_worth(table, position, card, replies & -replies, True)
        replies &= replies - 1
    return total / count


@rule
def trick_worth(table, position, lead, reply, leads):
    """The tricks from this trick on of the seat that responds best; `leads`: it led the trick."""
    leader_wins, rest = after_trick(position, lead, reply)
    place = place_in(table.solution.starts, rest)
    return 1.0 + table.leading[place] if leader_wins == leads else table.following[place]


# Cards


def expected_tricks(game: Game, table: ReplyTable, observations: np.ndarray) -> np.ndarray:
    """The tricks that the seat to act takes on average from now on, by card: float64 [B, A].

    NaN for an illegal card and, in a table of perfect cards only, for one that is not perfect.
    """
    out = np.full((len(observations), game.num_actions), np.nan)
    _value_cards(table, *cards_in(observations), out)
    if table.is_perfect:
        exact = card_values(game, observations)
        out[exact < exact.max(axis=1, keepdims=True)] = np.nan
    return out


_value_cards = card_values_by(mean_worth)
