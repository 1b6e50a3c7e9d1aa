"""Positions of two-seat trick-taking between tricks, as all of its solvers see them.

Only the order of the cards left in each colour matters. A position is one word of the cards of both
colours in order of rank, the lowest card of the first colour lowest. A bit is set if the leader
owns the card, and a card is given as its bit. The colours may be exchanged.
"""

from typing import NamedTuple

import numpy as np

from ...envs.core.bits import lowest_bit, popcount
from ...envs.core.compile import bind, rule, unbound
from ...envs.core.game import Function

MAX_VALUES_OF_KEY = 30  # of a position whose key is one number

# Names to which `bind` gives a meaning.
worth = unbound


class CardsLeft(NamedTuple):
    """What is left of both colours as the leader sees it, int64."""

    word: int
    size: int  # bits of the first colour
    tricks: int  # to come


@rule
def other_hand(position):
    """The cards of the other seat."""
    return ~position.word & ((np.int64(1) << 2 * position.tricks) - 1)


@rule
def colour_of(position, card):
    """The bits of all cards of this card's colour, and perhaps bits above all cards."""
    first = (np.int64(1) << position.size) - 1
    return first if card <= first else ~first


@rule
def lowest_of_runs(position, cards):
    """The lowest card of each run: cards of one owner with no other card between them are equal."""
    return cards & ~(cards << 1 & ~(np.int64(1) << position.size))


@rule
def legal_replies(position, lead):
    """The other seat's cards of the colour led, or all its cards if it has none."""
    own = other_hand(position)
    fitting = own & colour_of(position, lead)
    return fitting if fitting != 0 else own


@rule
def after_trick(position, lead, reply):
    """Whether the leader wins, and the position as the next leader sees it."""
    word, size, tricks = position
    leads_first, replies_first = lead >> size == 0, reply >> size == 0
    leader_wins = lead > reply or leads_first != replies_first
    word = without(without(word, max(lead, reply)), min(lead, reply))
    if not leader_wins:
        word ^= (np.int64(1) << 2 * tricks - 2) - 1
    return leader_wins, CardsLeft(word, size - leads_first - replies_first, tricks - 1)


@rule
def without(word, card):
    """A word after one of its cards has gone."""
    below = card - 1
    return (word & below) | (word >> 1 & ~below)


@rule
def highest_bit(word):
    """The index of the highest bit set in a word that is not negative; -1 for an empty one."""
    return popcount(filled(word)) - 1


@rule
def highest_card(cards):
    """The highest of some cards, as its bit; 0 if there are none."""
    word = filled(cards)
    return word ^ word >> 1


@rule
def filled(word):
    """A word that is not negative with all bits below its highest set."""
    word |= word >> 1
    word |= word >> 2
    word |= word >> 4
    word |= word >> 8
    word |= word >> 16
    return word | word >> 32


@rule
def next_with_as_many_bits(word):
    """The next larger word with the same number of bits set (Gosper)."""
    lowest = word & -word
    ripple = word + lowest
    return ripple | (((word ^ ripple) >> 2) // lowest)


# Keys of a memory of positions


@rule
def position_key(position):
    """A position of up to MAX_VALUES_OF_KEY values as a number, the same for exchanged colours."""
    above = np.int64(1) << position.size
    key = position.word & above - 1 | above
    key2 = (position.word | np.int64(1) << 2 * position.tricks) >> position.size
    return min(key, key2) << MAX_VALUES_OF_KEY + 1 | max(key, key2)


@rule
def slot_of(key, num_slots):
    """The slot of a memory, whose size is a power of two, for a key."""
    mixed = key * np.int64(0x1E3779B97F4A7C15)
    mixed = (mixed ^ mixed >> 29) * np.int64(0x14D049BB133111EB)
    return mixed >> 32 & num_slots - 1


# Tables of all positions


def lay_out_table(num_values: int, most_tricks: int) -> tuple[np.ndarray, int]:
    """Return where a table has the positions of up to `most_tricks` tricks, and its size.

    A position is at `starts[tricks, size] + word`, with starts int64 [tricks + 1, sizes].
    """
    starts = np.zeros((most_tricks + 1, num_values + 1), np.int64)
    total = 0
    for tricks in range(most_tricks + 1):
        for size in range(*sizes_of(num_values, tricks)):
            starts[tricks, size] = total
            total += 1 << 2 * tricks
    return starts, total


@rule
def sizes_of(num_values, tricks):
    """The least size that the first colour can have, and one more than the greatest."""
    return max(0, 2 * tricks - num_values), min(num_values, 2 * tricks) + 1


@rule
def place_in(starts, position):
    """The place of a position in a table."""
    return starts[position.tricks, position.size] + position.word


# From an observation to the value of each legal card


def card_values_by(worth: Function) -> Function:
    """Return a function that values cards: (solution, hands, unseen, tables, led, out [B, A]).

    `worth(solution, position, lead, card)` is what a card is worth to the seat to act; a lead of 0
    means that it leads. Illegal cards are left as they are in `out`.
    """
    return bind(_value_cards, worth=worth)


def cards_in(observations: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return hands [B, 2], unseen cards, cards on the table, and the colours led [B]."""
    names = "hand", "unseen", "table"
    led = observations["led_colour"].astype(np.int64)
    return (*(np.ascontiguousarray(observations[name]) for name in names), led)


def _value_cards(solution, hands, unseen, tables, led, out):
    for row in range(hands.shape[0]):
        hand = hands[row]
        position, lead = position_seen(hand, unseen[row], tables[row], led[row])
        for colour in range(2):
            is_legal = lead == 0 or colour == led[row] or hand[led[row]] == 0
            left = hand[colour] | unseen[row, colour] | tables[row, colour]
            cards = hand[colour] if is_legal else hand[colour] & 0
            while cards != 0:
                value = lowest_bit(cards)
                cards &= cards - 1
                card = bit_of(position, left, colour, value)
                out[row, colour * (out.shape[1] // 2) + value] = worth(
                    solution, position, lead, card
                )


@rule
def position_seen(hand, unseen, table, led):
    """The position before the trick under way and the card led, or 0, as the seat to act knows it.

    The arguments are sets of cards by colour, and the colour led, which is negative before a lead.
    """
    leads = led < 0
    word, size = ranked(hand[0] if leads else unseen[0] | table[0], unseen[0] if leads else hand[0])
    word2, size2 = ranked(
        hand[1] if leads else unseen[1] | table[1], unseen[1] if leads else hand[1]
    )
    position = CardsLeft(word | word2 << size, size, (size + size2) >> 1)
    if leads:
        return position, np.int64(0)
    left = hand[led] | unseen[led] | table[led]
    return position, bit_of(position, left, led, lowest_bit(table[led]))


@rule
def bit_of(position, left, colour, value):
    """A card as a bit of the position's word; `left` are all cards left of its colour."""
    return np.int64(1) << popcount(left & ((np.int64(1) << value) - 1)) + position.size * colour


@rule
def ranked(own, other):
    """A colour as a word of ranks, and its size."""
    cards = own | other
    word, size = np.int64(0), np.int64(0)
    while cards != 0:
        lowest = cards & -cards
        if own & lowest != 0:
            word |= np.int64(1) << size
        size += 1
        cards ^= lowest
    return word, size
