"""The cards of Notty: kinds, hands as two words, and the groups that can be discarded.

A kind is a colour and a number; its index is colour * 10 + number - 1. Two copies of each exist, so
a hand is two sets of kinds: those it holds at least once, and those it holds twice.
"""

from itertools import combinations

import numpy as np

from ..core.bits import nth_bit, popcount
from ..core.compile import rule

COLOURS = ("red", "blue", "green", "yellow")
NUM_COLOURS = len(COLOURS)
NUM_NUMBERS = 10
NUM_KINDS = NUM_COLOURS * NUM_NUMBERS
NUM_COPIES = 2
NUM_CARDS = NUM_KINDS * NUM_COPIES
ALL_KINDS = (1 << NUM_KINDS) - 1
COLOUR_MASK = (1 << NUM_NUMBERS) - 1

SMALLEST_GROUP = 3
_LAST_START = NUM_NUMBERS - SMALLEST_GROUP + 1

KIND_NAMES = tuple(f"{colour} {number + 1}" for colour in COLOURS for number in range(NUM_NUMBERS))

RUNS = tuple(  # consecutive numbers of one colour, by colour, first and last number
    tuple(range(colour * NUM_NUMBERS + first, colour * NUM_NUMBERS + last + 1))
    for colour in range(NUM_COLOURS)
    for first in range(_LAST_START)
    for last in range(first + SMALLEST_GROUP - 1, NUM_NUMBERS)
)
SETS = tuple(  # one number in three or four colours, by number
    tuple(colour * NUM_NUMBERS + number for colour in colours)
    for number in range(NUM_NUMBERS)
    for size in range(SMALLEST_GROUP, NUM_COLOURS + 1)
    for colours in combinations(range(NUM_COLOURS), size)
)
GROUPS = RUNS + SETS  # each as its kinds, in ascending order
GROUP_WORDS = np.array([sum(1 << kind for kind in group) for group in GROUPS], np.int64)

_RUN_STARTS = sum(((1 << _LAST_START) - 1) << colour * NUM_NUMBERS for colour in range(NUM_COLOURS))


# One hand: an int64 array of two words, [held at least once, held twice]


@rule
def add_card(hand, kind):
    """Add a card of a kind of which the hand has fewer than two."""
    bit = np.int64(1) << kind
    hand[1] |= hand[0] & bit
    hand[0] |= bit


@rule
def remove_card(hand, kind):
    """Remove a card of a kind that the hand has."""
    bit = np.int64(1) << kind
    hand[0] &= hand[1] | ~bit
    hand[1] &= ~bit


@rule
def hand_size(hand):
    """The number of cards in a hand."""
    return popcount(hand[0]) + popcount(hand[1])


@rule
def nth_card(once, twice, n):
    """The kind of the n-th card, counted from 0, of cards given as two sets of kinds."""
    num_kinds = popcount(once)
    return nth_bit(once, n) if n < num_kinds else nth_bit(twice, n - num_kinds)


@rule
def deck_words(hands):
    """The deck is all cards that nobody holds: kinds it has at least once, and twice."""
    one_held, two_held = np.int64(0), np.int64(0)
    for seat in range(hands.shape[0]):
        two_held |= hands[seat, 1] | (one_held & hands[seat, 0])
        one_held |= hands[seat, 0]
    return ALL_KINDS & ~two_held, ALL_KINDS & ~one_held


@rule
def has_group(once):
    """A group is a run of three numbers of a colour, or a number in three colours (3)."""
    runs = once & (once >> 1) & (once >> 2) & _RUN_STARTS
    return runs != 0 or numbers_in_three_colours(once) != 0


@rule
def numbers_in_three_colours(once):
    """The numbers held in three or four colours, as a set of ten bits."""
    red, blue = once, once >> NUM_NUMBERS
    green, yellow = once >> (2 * NUM_NUMBERS), once >> (3 * NUM_NUMBERS)
    return ((red & blue & (green | yellow)) | (green & yellow & (red | blue))) & COLOUR_MASK


@rule
def hand_words(counts, hand):
    """Write a hand as two words, from its counts of the 40 kinds."""
    once, twice = np.int64(0), np.int64(0)
    for kind in range(NUM_KINDS):
        once |= np.int64(counts[kind] > 0) << kind
        twice |= np.int64(counts[kind] > 1) << kind
    hand[0] = once
    hand[1] = twice


def kinds_of(once: int, twice: int) -> list[int]:
    """The kind of each card of a hand, in ascending order."""
    return [
        kind for kind in range(NUM_KINDS) for word in (int(once), int(twice)) if word >> kind & 1
    ]
