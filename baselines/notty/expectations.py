"""Exact results of draws and takes: how often they make a group, and how many cards go.

The results are whole numbers over the number of all draws, or of the cards that can be taken.
Only `sample_draws` samples; it is the estimate in the Notty program's document
(envs/notty/SAMPLING.md).
"""

import numpy as np

from ...envs.core.bits import lowest_bit
from ...envs.core.compile import array_rule, rule
from ...envs.core.rng import below
from ...envs.notty.cards import hand_size, nth_card
from ...envs.notty.discard import most_discarded, pack
from .draws import cards_of_draws, copies_in, hits_of_draws, num_draws, with_card

SAMPLED_FROM = 2000  # `sample_draws` samples where there are more draws than this
_SAMPLE_SIZE = 1000


@rule
def results_of_draw(hand, deck, count):
    """Over all draws of `count` cards: the draws with a group, and all cards discarded.

    `hand` and `deck` are two words each: kinds held at least once, kinds held twice.
    """
    return hits_of_draws(hand, deck)[count - 1], cards_of_draws(hand, deck)[count - 1]


@rule
def results_of_take(hand, other):
    """Over all cards of another hand: those that make a group, and all cards discarded."""
    hits, discarded, kinds = np.int64(0), np.int64(0), other[0]
    cards = (hand[0], hand[1], pack(hand[0], hand[1]))
    while kinds != 0:
        kind = lowest_bit(kinds)
        kinds &= kinds - 1
        once, twice, packed = with_card(cards, kind)
        most, copies = most_discarded(once, twice, packed), copies_in(other, kind)
        hits += copies * (most > 0)
        discarded += copies * most
    return hits, discarded


# The sampled estimate


@array_rule
def sample_draws(hand, deck, count, rng):
    """Estimate the sums of `results_of_draw` from one draw in k, without repetition.

    With C draws in all, k is C // 1000 if C is over 2000; otherwise k is 1, which is exact.
    Returns (draws with a group, cards discarded), both times k.
    """
    size = hand_size(deck)
    total_draws = num_draws(size, count)
    if total_draws <= SAMPLED_FROM:
        return results_of_draw(hand, deck, count)
    factor = total_draws // _SAMPLE_SIZE
    drawn = np.zeros((total_draws >> 5) + 1, np.int64)
    hits, discarded = np.int64(0), np.int64(0)
    for last in range(total_draws - total_draws // factor, total_draws):
        index = below(rng, last + 1)  # Floyd's algorithm for a random subset
        if drawn[index >> 5] >> (index & 31) & 1:
            index = last
        drawn[index >> 5] |= 1 << (index & 31)
        most = most_after_draw(hand, deck, count, index)
        hits += most > 0
        discarded += most
    return hits * factor, discarded * factor


@rule
def most_after_draw(hand, deck, count, index):
    """The cards discarded after the draw with this index among all draws of `count` cards."""
    cards = (hand[0], hand[1], pack(hand[0], hand[1]))
    for left in range(count, 0, -1):
        place = left - 1
        while num_draws(place + 1, left) <= index:
            place += 1
        index -= num_draws(place, left)
        cards = with_card(cards, nth_card(deck[0], deck[1], place))
    return most_discarded(cards[0], cards[1], cards[2])
