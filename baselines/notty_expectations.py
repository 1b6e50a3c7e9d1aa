"""What a draw or a take brings: how often a group comes of it, and how many cards go, exactly.

Draws are counted by the kinds drawn, each multiset with the number of draws it stands for, so that
the results are whole numbers over the number of all draws. Nothing is sampled but in
`sample_draws`, the estimate of the document.
"""

import numpy as np

from ..envs.core.bits import lowest_bit, popcount
from ..envs.core.jit import rule
from ..envs.core.rng import below
from ..envs.notty.cards import NUM_KINDS, NUM_NUMBERS, nth_card, words_of
from ..envs.notty.discard import DIGITS, PATTERN_BITS, most_discarded, pack

# How many cards go and whether any do, added up in one word.
HIT_SHIFT = 32
_HIT = 1 << HIT_SHIFT
_CARDS_MASK = _HIT - 1

SAMPLED_FROM = 2000  # the document samples where there are more draws than this
_SAMPLE_SIZE = 1000

# One card of each kind, as a packed hand.
PACKED_KINDS = np.array(
    [
        DIGITS[kind % NUM_NUMBERS] << PATTERN_BITS * (3 - kind // NUM_NUMBERS)
        for kind in range(NUM_KINDS)
    ]
)


@rule
def num_draws(size, count):
    """In how many ways so many of `size` cards can be drawn."""
    if count == 1:
        return size
    pairs = size * (size - 1) // 2
    return pairs if count == 2 else pairs * (size - 2) // 3


@rule
def worth(once, twice, packed):
    """The cards that go of a hand, and a hit where any do."""
    most = most_discarded(once, twice, packed)
    return most + _HIT if most > 0 else np.int64(0)


@rule
def after_one(once, twice, packed, deck_once, deck_twice, least):
    """Summed over one card of the kinds from `least` on: the worth of the hand with it."""
    total = np.int64(0)
    kinds = (deck_once >> least) << least
    while kinds != 0:
        bit = kinds & -kinds
        kinds ^= bit
        value = worth(once | bit, twice | (once & bit), packed + PACKED_KINDS[lowest_bit(bit)])
        total += value
        if deck_twice & bit:
            total += value
    return total


@rule
def after_two(once, twice, packed, deck_once, deck_twice, least):
    """The same for two cards."""
    total = np.int64(0)
    for kind in range(least, NUM_KINDS):
        bit = np.int64(1) << kind
        if deck_once & bit:
            has_both = deck_twice & bit != 0
            with_one, one_twice = once | bit, twice | (once & bit)
            one_packed = packed + PACKED_KINDS[kind]
            rest = after_one(with_one, one_twice, one_packed, deck_once, deck_twice, kind + 1)
            total += 2 * rest if has_both else rest
            if has_both:
                total += worth(with_one, one_twice | bit, one_packed + PACKED_KINDS[kind])
    return total


@rule
def after_three(once, twice, packed, deck_once, deck_twice):
    """The same for three cards."""
    total = np.int64(0)
    for kind in range(NUM_KINDS):
        bit = np.int64(1) << kind
        if deck_once & bit:
            has_both = deck_twice & bit != 0
            with_one, one_twice = once | bit, twice | (once & bit)
            one_packed = packed + PACKED_KINDS[kind]
            rest = after_two(with_one, one_twice, one_packed, deck_once, deck_twice, kind + 1)
            total += 2 * rest if has_both else rest
            if has_both:
                both_packed = one_packed + PACKED_KINDS[kind]
                both_twice = one_twice | bit
                total += after_one(
                    with_one, both_twice, both_packed, deck_once, deck_twice, kind + 1
                )
    return total


@rule
def after_draw(hand, deck, count):
    """Over all draws of 1, 2 or 3 cards: draws with a group, and cards discarded in all.

    `hand` and `deck` are words: kinds held at least once, kinds held twice.
    """
    once, twice, packed = hand[0], hand[1], pack(hand[0], hand[1])
    if count == 1:
        total = after_one(once, twice, packed, deck[0], deck[1], 0)
    elif count == 2:
        total = after_two(once, twice, packed, deck[0], deck[1], 0)
    else:
        total = after_three(once, twice, packed, deck[0], deck[1])
    return total >> HIT_SHIFT, total & _CARDS_MASK


@rule
def after_take(hand, other):
    """Over all cards of another hand: those that make a group, and cards discarded in all."""
    total = after_one(hand[0], hand[1], pack(hand[0], hand[1]), other[0], other[1], 0)
    return total >> HIT_SHIFT, total & _CARDS_MASK


@rule
def size_of(words):
    """How many cards two words are."""
    return popcount(words[0]) + popcount(words[1])


@rule
def read_hands(observation, hands):
    """The hands of an observation as words [seats + 1, 2]; the last is the deck."""
    num_seats = observation.hands.shape[0]
    for place in range(num_seats):
        words_of(observation.hands[place], hands[place])
    words_of(observation.deck, hands[num_seats])


# The document's estimate


@rule
def sample_draws(hand, deck, count, rng):
    """The same sums, estimated as the document does it from one draw in k, each but once.

    With C draws in all, k is C // 1000 where C is over 2000, and 1, which is exact, below.
    Returns (draws with a group, cards discarded), both times k.
    """
    size = size_of(deck)
    total_draws = num_draws(size, count)
    if total_draws <= SAMPLED_FROM:
        return after_draw(hand, deck, count)
    factor = total_draws // _SAMPLE_SIZE
    seen = np.zeros((total_draws >> 5) + 1, np.int64)
    total = np.int64(0)
    for last in range(total_draws - total_draws // factor, total_draws):
        index = below(rng, last + 1)  # Floyd's way to a random subset
        if seen[index >> 5] >> (index & 31) & 1:
            index = last
        seen[index >> 5] |= 1 << (index & 31)
        total += worth_of_draw(hand, deck, count, index)
    return (total >> HIT_SHIFT) * factor, (total & _CARDS_MASK) * factor


@rule
def worth_of_draw(hand, deck, count, index):
    """The worth of a hand with the draw of this index, among all draws of so many cards."""
    once, twice, packed = hand[0], hand[1], pack(hand[0], hand[1])
    for left in range(count, 0, -1):
        place = left - 1
        while num_draws(place + 1, left) <= index:
            place += 1
        index -= num_draws(place, left)
        kind = nth_card(deck[0], deck[1], place)
        bit = np.int64(1) << kind
        twice |= once & bit
        once |= bit
        packed += PACKED_KINDS[kind]
    return worth(once, twice, packed)
