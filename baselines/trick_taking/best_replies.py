"""The best reply to a player of two-seat trick-taking in every position, as a table.

The table is for players that use only the order of the cards left, such as a random one. A position
between tricks is the size of the first colour and one word, as in the solver. The word has the
cards of both colours in order of rank; a bit is set if the leader owns the card, and a card is the
index of a bit.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...envs.core.bits import lowest_bit, popcount
from ...envs.core.compile import array_rule, rule
from ...envs.core.game import Game
from .solver import (
    Solution,
    card_values,
    check_solved,
    flipped,
    next_with_as_many_bits,
    rank_of,
    ranked,
    solution_of,
    without,
)

MAX_VALUES = 12  # the limit of the solver's table
ANY = -1  # the player plays any legal card, all equally likely


class Opponent(NamedTuple):
    """The card that a player leads in each position, and its reply to each lead, or ANY."""

    leads: np.ndarray  # int8 [slots]
    replies: np.ndarray  # int8 [slots, cards]


class ReplyTable(NamedTuple):
    """The tricks that the best reply takes on average when it leads and when it follows."""

    solution: Solution
    opponent: Opponent
    is_perfect: bool  # it may choose perfect cards only
    leading: np.ndarray  # float64 [slots]
    following: np.ndarray  # float64 [slots]


def reply_table(num_values: int, opponent: Opponent, is_perfect: bool = False) -> ReplyTable:
    """Make the table for a player, in about a second for ten values.

    Raises ValueError for more values than the solver's table allows.
    """
    check_has_table(num_values)
    solution = solution_of(num_values)
    slots = len(solution.values)
    table = ReplyTable(solution, opponent, is_perfect, np.zeros(slots), np.zeros(slots))
    _fill(table)
    return table


@lru_cache(maxsize=2)
def table_against_random(num_values: int, is_perfect: bool) -> ReplyTable:
    """The table against uniformly random play, made once per process."""
    check_has_table(num_values)
    return reply_table(num_values, no_choices(num_values), is_perfect)


def no_choices(num_values: int) -> Opponent:
    """A player that plays any legal card."""
    slots = len(solution_of(num_values).values)
    return Opponent(np.full(slots, ANY, np.int8), np.full((slots, 2 * num_values), ANY, np.int8))


def check_has_table(num_values: int) -> None:
    """Raise ValueError for a game too large for a table of all positions."""
    if num_values > MAX_VALUES:
        raise ValueError(f"a table of all positions is for up to {MAX_VALUES} values")


# The table: bottom-up over the number of tricks left


@rule
def _fill(table):
    """Compute the values of every position."""
    most = table.solution.num_values
    for tricks in range(1, most + 1):
        for size in range(max(0, 2 * tricks - most), min(most, 2 * tricks) + 1):
            start = table.solution.starts[tricks, size]
            words = (np.int64(1) << tricks) - 1
            while words < np.int64(1) << (2 * tricks):
                table.leading[start + words] = best_lead(table, tricks, size, words)
                table.following[start + words] = mean_after_leads(table, tricks, size, words)
                words = next_with_as_many_bits(words)


@rule
def best_lead(table, tricks, size, words):
    """The highest mean value of the cards that may be led."""
    best = -1.0
    leads = perfect_leads(table.solution, tricks, size, words) if table.is_perfect else words
    while leads != 0:
        best = max(best, lead_worth(table, tricks, size, words, lowest_bit(leads)))
        leads &= leads - 1
    return best


@rule
def lead_worth(table, tricks, size, words, lead):
    """The mean value of leading this card, over the player's possible replies."""
    replies = legal_replies(tricks, size, words, lead)
    chosen = table.opponent.replies[table.solution.starts[tricks, size] + words, lead]
    if chosen != ANY:
        replies = np.int64(1) << chosen
    total, count = 0.0, popcount(replies)
    while replies != 0:
        total += trick_worth(table, tricks, size, words, lead, lowest_bit(replies), True)
        replies &= replies - 1
    return total / count


@rule
def mean_after_leads(table, tricks, size, words):
    """The mean value of the best replies, over the player's possible leads."""
    chosen = table.opponent.leads[table.solution.starts[tricks, size] + words]
    leads = words if chosen == ANY else np.int64(1) << chosen
    total, count = 0.0, popcount(leads)
    while leads != 0:
        total += best_reply(table, tricks, size, words, lowest_bit(leads))
        leads &= leads - 1
    return total / count


@rule
def best_reply(table, tricks, size, words, lead):
    """The highest value of the replies that may be chosen."""
    best = -1.0
    replies = legal_replies(tricks, size, words, lead)
    if table.is_perfect:
        replies = perfect_replies(table.solution, tricks, size, words, lead)
    while replies != 0:
        worth = trick_worth(table, tricks, size, words, lead, lowest_bit(replies), False)
        best = max(best, worth)
        replies &= replies - 1
    return best


@rule
def trick_worth(table, tricks, size, words, lead, reply, leads):
    """The tricks that the replying seat takes from this trick on; `leads`: it has led."""
    leader_wins, rest, size = after_trick(tricks, size, words, lead, reply)
    slot = table.solution.starts[tricks - 1, size] + rest
    if leader_wins == leads:
        return 1.0 + table.leading[slot]
    return table.following[slot]


# Tricks


@rule
def after_trick(tricks, size, words, lead, reply):
    """Whether the leader wins, and the position as the next leader sees it."""
    has_followed = (lead < size) == (reply < size)
    leader_wins = lead > reply or not has_followed
    rest = without(words, np.int64(1) << max(lead, reply))
    rest = without(rest, np.int64(1) << min(lead, reply))
    if not leader_wins:
        rest = flipped(rest, 2 * tricks - 2)
    return leader_wins, rest, size - (lead < size) - (reply < size)


@rule
def legal_replies(tricks, size, words, lead):
    """The other seat's cards of the colour led, or all its cards if it has none."""
    own = flipped(words, 2 * tricks)
    first = (np.int64(1) << size) - 1
    fitting = own & first if lead < size else own & ~first
    return fitting if fitting != 0 else own


@rule
def exact_value(solution, tricks, size, words, lead, reply):
    """The tricks that the leader takes from this trick on if both then play perfectly."""
    leader_wins, rest, size = after_trick(tricks, size, words, lead, reply)
    value = np.int64(solution.values[solution.starts[tricks - 1, size] + rest])
    return 1 + value if leader_wins else tricks - 1 - value


@rule
def perfect_leads(solution, tricks, size, words):
    """The leads with the highest value."""
    best, most, leads = np.int64(0), np.int64(-1), words
    while leads != 0:
        lead = leads & -leads
        leads ^= lead
        value = exact_lead(solution, tricks, size, words, lowest_bit(lead))
        if value > most:
            best, most = np.int64(0), value
        if value == most:
            best |= lead
    return best


@rule
def exact_lead(solution, tricks, size, words, lead):
    """The value of a lead against the best reply."""
    least = np.int64(tricks)
    replies = legal_replies(tricks, size, words, lead)
    while replies != 0:
        reply = lowest_bit(replies)
        least = min(least, exact_value(solution, tricks, size, words, lead, reply))
        replies &= replies - 1
    return least


@rule
def perfect_replies(solution, tricks, size, words, lead):
    """The replies that leave the leader the fewest tricks."""
    best, least = np.int64(0), np.int64(tricks) + 1
    replies = legal_replies(tricks, size, words, lead)
    while replies != 0:
        reply = replies & -replies
        replies ^= reply
        value = exact_value(solution, tricks, size, words, lead, lowest_bit(reply))
        if value < least:
            best, least = np.int64(0), value
        if value == least:
            best |= reply
    return best


# Cards: from an observation to the value of each legal card


def expected_tricks(game: Game, table: ReplyTable, observations: np.ndarray) -> np.ndarray:
    """The tricks that the seat to act takes on average from now on, by card: float64 [B, A].

    NaN for an illegal card and, in a table of perfect cards only, for one that is not perfect.
    """
    check_solved(game)
    out = np.full((len(observations), game.num_actions), np.nan)
    led = observations["led_colour"].astype(np.int64)
    hands, others, tables = (
        np.ascontiguousarray(observations[name]) for name in ("hand", "unseen", "table")
    )
    _value_cards(table, hands, others, tables, led, out)
    if table.is_perfect:
        exact = card_values(game, observations)
        out[exact < exact.max(axis=1, keepdims=True)] = np.nan
    return out


@array_rule
def _value_cards(table, hands, others, tables, led, out):
    for row in range(hands.shape[0]):
        if led[row] < 0:
            value_leads(table, hands[row], others[row], out[row])
        else:
            value_replies(table, hands[row], others[row], tables[row], led[row], out[row])


@rule
def position_of(own, other):
    """The position of two hands that are sets of cards by colour: its size and word."""
    word, size = ranked(own[0], other[0])
    word2, _ = ranked(own[1], other[1])
    return size, word | word2 << size


@rule
def index_of(all_cards, size, colour, value):
    """The index of a card in the position's word; `all_cards` are those left of its colour."""
    return rank_of(all_cards, value) + size * colour


@rule
def value_leads(table, hand, other, out):
    """The value of each card that the leader may play."""
    size, words = position_of(hand, other)
    tricks = popcount(words)
    for colour in range(2):
        cards = hand[colour]
        while cards != 0:
            value = lowest_bit(cards)
            cards &= cards - 1
            lead = index_of(hand[colour] | other[colour], size, colour, value)
            worth = lead_worth(table, tricks, size, words, lead)
            out[colour * table.solution.num_values + value] = worth


@array_rule
def value_replies(table, hand, other, on_table, led, out):
    """The value of each card that the follower may play; the leader's card is on the table."""
    leader = other | on_table
    size, words = position_of(leader, hand)
    tricks = popcount(words)
    lead = index_of(leader[led] | hand[led], size, led, lowest_bit(on_table[led]))
    for colour in range(2):
        cards = hand[colour] if colour == led or hand[led] == 0 else np.int64(0)
        while cards != 0:
            value = lowest_bit(cards)
            cards &= cards - 1
            reply = index_of(leader[colour] | hand[colour], size, colour, value)
            worth = trick_worth(table, tricks, size, words, lead, reply, False)
            out[colour * table.solution.num_values + value] = worth
