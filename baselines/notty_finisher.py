"""How the finisher chooses: a whole turn ahead, on the chance that a hand is emptied some day.

A hand is judged by its size and by how many kinds of cards would make a group with it. Those
chances come from value iteration over such classes of hands, for one seat from which a card is
taken in 15 % of the turns. Two things concern the others: a hand that tempts one of them to take
from it is worth more, since that is how hands become small; and their small hands are dangerous.
"""

import numpy as np

from ..envs.core.bits import is_allowed, popcount
from ..envs.core.jit import rule
from ..envs.core.rng import below
from ..envs.notty.cards import NUM_KINDS, NUM_NUMBERS, has_group, nth_card
from ..envs.notty.discard import best_left, unpack
from ..envs.notty.rules import DRAW, MOST_DRAWN, NOTHING_YET, PASS, PROTECTED_SIZE, TAKE
from .notty_expectations import size_of

WON = 1.0
# Chances by size of the hand (0 is not used) and class of the number of kinds that make a group.
HAND_VALUES = np.array(
    [
        [1.000, 1.000, 1.000, 1.000, 1.000, 1.000, 1.000, 1.000],
        [0.414, 0.414, 0.414, 0.414, 0.414, 0.414, 0.414, 0.414],
        [0.395, 0.487, 0.528, 0.528, 0.528, 0.528, 0.528, 0.528],
        [0.384, 0.415, 0.428, 0.463, 0.478, 0.478, 0.478, 0.478],
        [0.372, 0.388, 0.394, 0.408, 0.414, 0.434, 0.434, 0.434],
        [0.360, 0.370, 0.373, 0.381, 0.386, 0.396, 0.396, 0.396],
        [0.348, 0.355, 0.358, 0.363, 0.366, 0.374, 0.383, 0.383],
        [0.337, 0.342, 0.344, 0.348, 0.351, 0.358, 0.366, 0.366],
        [0.335, 0.335, 0.337, 0.339, 0.341, 0.346, 0.353, 0.353],
        [0.334, 0.334, 0.334, 0.335, 0.336, 0.339, 0.344, 0.351],
        [0.332, 0.332, 0.332, 0.333, 0.334, 0.336, 0.339, 0.344],
        [0.330, 0.330, 0.330, 0.330, 0.332, 0.334, 0.336, 0.339],
        [0.330, 0.330, 0.330, 0.330, 0.330, 0.333, 0.335, 0.337],
        [0.333, 0.333, 0.333, 0.333, 0.333, 0.333, 0.334, 0.336],
    ]
)
LARGEST_CLASS = len(HAND_VALUES) - 1
OUT_CLASSES = np.array([0, 1, 2, 3, 4, 5, 5, 5, 6, 6, 6, 6] + [7] * (NUM_KINDS - 11))
NOT_TEMPTING = 0.85  # what is left of the value of a hand from which nobody would take
# What the smallest hand of the others costs, by its size.
RISKS = np.array([0.1, 0.1, 0.1, 0.05, 0.03, 0.03, 0.02, 0.02, 0.01, 0.01, 0.01])
NUM_SAMPLES = 100  # draws of two or three cards that are tried
NUM_SECOND_SAMPLES = 40  # after a take
SMALL_HAND = 3  # up to here a take after a draw is thought of before the draw
MANY_PASSES = 2

_NOT_FIRST = sum(1 << kind for kind in range(NUM_KINDS) if kind % NUM_NUMBERS != 0)
_NOT_LAST = _NOT_FIRST >> 1
_ONE_NUMBER = (1 << NUM_NUMBERS) - 1

# Columns of a lure: what one of the others wants, and when it would take it.
_WANTED, _IS_PRESSED, _IN_DECK, _DECK_SIZE = 0, 1, 2, 3


@rule
def best_plan(mask, hands, phase, passes, rng):
    """The action with the best chance, looking to the end of the turn; a pass among equals.

    `hands` are words [seats + 1, 2], the own first, the deck last; `passes` [seats] in a row.
    """
    lures = lures_of(hands, passes)
    own, smallest = hands[0], smallest_other(hands)
    best, most = np.int64(PASS), value_of(own[0], own[1], smallest, lures)
    for count in range(1, MOST_DRAWN + 1):
        if is_allowed(mask, DRAW + count):
            is_small = phase == NOTHING_YET and size_of(own) <= SMALL_HAND and count == 1
            if is_small:
                value = after_draw_and_take(mask, hands, smallest, lures)
            else:
                value = after_draws(own, hands, count, NUM_SAMPLES, smallest, lures, rng)
            if value > most:
                best, most = np.int64(DRAW + count), value
    for place in range(1, hands.shape[0] - 1):
        if is_allowed(mask, TAKE + place):
            value = after_taking(mask, hands, place, phase == NOTHING_YET, smallest, lures, rng)
            if value > most:
                best, most = np.int64(TAKE + place), value
    return best


# The value of a hand at the end of a turn


@rule
def value_of(once, twice, smallest, lures):
    """The chance of a hand, its groups discarded, less the danger from the smallest other."""
    if has_group(once):
        once, twice = unpack(best_left(once, twice))
        if once == 0:
            return WON
    size = popcount(once) + popcount(twice)
    value = HAND_VALUES[min(size, LARGEST_CLASS), OUT_CLASSES[popcount(out_kinds(once))]]
    if not is_tempting(once, twice, size, lures):
        value *= NOT_TEMPTING
    return value - (RISKS[smallest] if smallest < RISKS.shape[0] else 0.0)


@rule
def out_kinds(once):
    """The kinds of which one card would make a group with a hand that has none."""
    below_one, above_one = (once << 1) & _NOT_FIRST, (once >> 1) & _NOT_LAST
    below_two, above_two = (below_one << 1) & _NOT_FIRST, (above_one >> 1) & _NOT_LAST
    runs = (below_one & below_two) | (above_one & above_two) | (below_one & above_one)
    red, blue = once, once >> NUM_NUMBERS
    green, yellow = once >> (2 * NUM_NUMBERS), once >> (3 * NUM_NUMBERS)
    pairs = (red & blue) | (green & yellow) | ((red | blue) & (green | yellow))
    numbers = pairs & _ONE_NUMBER
    sets = numbers | numbers << NUM_NUMBERS
    sets |= sets << (2 * NUM_NUMBERS)
    return (runs | sets) & ~once


@rule
def is_tempting(once, twice, size, lures):
    """Whether one of the others would rather take from this hand than draw or pass."""
    if size <= PROTECTED_SIZE:
        return False
    for place in range(lures.shape[0]):
        wanted = lures[place, _WANTED]
        num_wanted = popcount(once & wanted) + popcount(twice & wanted)
        is_worth_it = 3 * num_wanted >= size or lures[place, _IS_PRESSED] == 1
        if is_worth_it and num_wanted * lures[place, _DECK_SIZE] > lures[place, _IN_DECK] * size:
            return True
    return False


@rule
def lures_of(hands, passes):
    """For each of the others: the kinds it wants, and what it must know to prefer a take."""
    num_seats = hands.shape[0] - 1
    lures = np.empty((num_seats - 1, _DECK_SIZE + 1), np.int64)
    deck = hands[num_seats]
    for place in range(1, num_seats):
        wanted = out_kinds(hands[place, 0])
        lures[place - 1, _WANTED] = wanted
        lures[place - 1, _IS_PRESSED] = passes[place] >= MANY_PASSES
        lures[place - 1, _IN_DECK] = popcount(deck[0] & wanted) + popcount(deck[1] & wanted)
        lures[place - 1, _DECK_SIZE] = size_of(deck)
    return lures


@rule
def smallest_other(hands):
    """The size of the smallest other hand."""
    smallest = size_of(hands[1])
    for place in range(2, hands.shape[0] - 1):
        smallest = min(smallest, size_of(hands[place]))
    return smallest


# The rest of the turn


@rule
def after_draws(hand, hands, count, num_samples, smallest, lures, rng):
    """The mean value after a draw: of one card exactly, of more over random draws."""
    deck = hands[hands.shape[0] - 1]
    if count == 1:
        return after_one_of(hand, deck, smallest, lures)
    total, size = 0.0, size_of(deck)
    for _ in range(num_samples):
        once, twice, deck_once, deck_twice = hand[0], hand[1], deck[0], deck[1]
        for drawn in range(count):
            bit = np.int64(1) << nth_card(deck_once, deck_twice, below(rng, size - drawn))
            twice |= once & bit
            once |= bit
            deck_once &= deck_twice | ~bit
            deck_twice &= ~bit
        total += value_of(once, twice, smallest, lures)
    return total / num_samples


@rule
def after_one_of(hand, source, smallest, lures):
    """The mean value after one card of a deck or a hand."""
    total, kinds = 0.0, source[0]
    while kinds != 0:
        bit = kinds & -kinds
        kinds ^= bit
        weight = 2 if source[1] & bit else 1
        total += weight * value_of(hand[0] | bit, hand[1] | (hand[0] & bit), smallest, lures)
    return total / size_of(source)


@rule
def after_draw_and_take(mask, hands, smallest, lures):
    """The mean value after drawing one card and then, where it is better, taking one."""
    deck, total = hands[hands.shape[0] - 1], 0.0
    hand, kinds = np.empty(2, np.int64), deck[0]
    while kinds != 0:
        bit = kinds & -kinds
        kinds ^= bit
        hand[0], hand[1] = hands[0, 0] | bit, hands[0, 1] | (hands[0, 0] & bit)
        value = value_of(hand[0], hand[1], smallest, lures)
        if not has_group(hand[0]):
            for place in range(1, hands.shape[0] - 1):
                if is_allowed(mask, TAKE + place):
                    less = min(smallest, size_of(hands[place]) - 1)
                    value = max(value, after_one_of(hand, hands[place], less, lures))
        total += value * (2 if deck[1] & bit else 1)
    return total / size_of(deck)


@rule
def after_taking(mask, hands, place, may_draw, smallest, lures, rng):
    """The mean value after a take and then, where it is better, a draw."""
    source = hands[place]
    smallest = min(smallest, size_of(source) - 1)
    if not may_draw:
        return after_one_of(hands[0], source, smallest, lures)
    hand, total, kinds = np.empty(2, np.int64), 0.0, source[0]
    while kinds != 0:
        bit = kinds & -kinds
        kinds ^= bit
        hand[0], hand[1] = hands[0, 0] | bit, hands[0, 1] | (hands[0, 0] & bit)
        value = value_of(hand[0], hand[1], smallest, lures)
        if has_group(hand[0]):
            hand[0], hand[1] = unpack(best_left(hand[0], hand[1]))
        for count in range(1, MOST_DRAWN + 1):
            if hand[0] != 0 and is_allowed(mask, DRAW + count):
                drawn = after_draws(hand, hands, count, NUM_SECOND_SAMPLES, smallest, lures, rng)
                value = max(value, drawn)
        total += value * (2 if source[1] & bit else 1)
    return total / size_of(source)
