"""The finisher chooses the action after which its chance of winning is best, by tables.

A table has a chance for each class of positions: by the size of its hand, the number of kinds that
would make a group with it, the probability that taking a card makes one, whether another seat would
rather take from this hand than draw, and the smallest hand of the others. `fit/values.py` filled
them by play. One is for opponents that take no cards, one for each number of opponents that do, and
one for the player's last turn. The one for a single opponent is corrected by what trials showed.

A chance is an expected result: 1 for a win, 0 for a draw, -1 for a loss to a single opponent. A
loss to one of several opponents counts 0.

Where opponents take cards, a hand that they want to take from is worth more, since that makes it
small, and so is one that can wait for the card it needs to appear in another hand. Where they do
not, wins are rare and the exact cards matter: the chance of a small hand is that of `small_hands`
times the value of its class. There it draws at most one card, whose outcomes it can enumerate; with
more, sampling error would mislead it.
"""

from math import prod
from pathlib import Path

import numpy as np

from ...envs.core.bits import is_allowed, popcount
from ...envs.core.compile import array_rule, rule
from ...envs.core.rng import below
from ...envs.notty.cards import NUM_KINDS, NUM_NUMBERS, hand_size, has_group, nth_card
from ...envs.notty.discard import MAX_CARDS, best_left, unpack
from ...envs.notty.rules import (
    DRAW,
    FROM_OTHERS,
    HAS_DRAWN,
    HAS_TAKEN,
    MAX_DRAWN,
    NOTHING_YET,
    PASS,
    PROTECTED_SIZE,
    SEAT_COUNTS,
    TAKE,
)
from .small_hands import chance_of_small, is_small

VALUES_FILE = Path(__file__).with_name("values.npy")
WON = 1.0
NUM_SAMPLES = 150  # draws of two or three cards that are tried
MANY_PASSES = 2

FIRST_TURNS = 10  # in these every opponent counts as one that takes

# Classes of positions
NUM_SIZES = 15  # of the player's hand; the last class is for all larger ones
# Classes of the number of kinds that make a group with the hand, and of the smallest other hand.
OUT_CLASSES = np.array([0, 1, 2, 3, 4, 5, 6, 6, 7, 7, 7] + [8] * 3 + [9] * (NUM_KINDS - 13))
SMALLEST_CLASSES = np.array(
    [0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 4, 4, 4, 5, 5, 5, 5] + [6] * (MAX_CARDS - 19)
)
HIT_BOUNDS = (0.0, 0.15, 0.35, 0.45)  # chances that a take makes a group
NUM_DEMANDS = 3
NUM_OUTS, NUM_HITS = OUT_CLASSES.max() + 1, len(HIT_BOUNDS) + 1
NUM_SMALLEST = SMALLEST_CLASSES.max() + 1
CLASS_SHAPE = (NUM_SIZES, NUM_OUTS, NUM_DEMANDS, NUM_HITS, NUM_SMALLEST)
# The tables: by the opponent model, the phase (NOTHING_YET for a turn that is over), the class. The
# model is the number of opponents where they take cards. That of the last turn has the chances to
# win by its second action; once it is over they are 0.
LEFT_ALONE, TAKEN_FROM = 0, 1
LAST_TURN = SEAT_COUNTS[-1]
TABLE_SHAPE = (LAST_TURN + 1, max(HAS_DRAWN, HAS_TAKEN) + 1, prod(CLASS_SHAPE))

# The corrected table for a single opponent comes after the learned ones.
CORRECTED = LAST_TURN + 1
AFTER_TAKE_FACTOR = 0.97  # the learned chances after a take are too high
PATIENT_TURNS = 100  # of each seat; an opponent that has not taken by then counts as a non-taker

_NOT_FIRST = sum(1 << kind for kind in range(NUM_KINDS) if kind % NUM_NUMBERS != 0)
NOT_LAST = _NOT_FIRST >> 1
_ONE_NUMBER = (1 << NUM_NUMBERS) - 1

# Columns of `demands`: what each other hand needs, and what decides whether it takes or draws.
_NEEDED, _IS_PRESSED, _IN_DECK, _DECK_SIZE = 0, 1, 2, 3


def load_values() -> np.ndarray:
    """Return the learned tables [5, 3, classes]: expected results, each in its `unit_of`."""
    return np.load(VALUES_FILE)


def with_corrected(learned: np.ndarray) -> np.ndarray:
    """Add the corrected table for a single opponent: [6, 3, classes]."""
    corrected = learned[TAKEN_FROM].copy()
    corrected[HAS_TAKEN] *= np.float32(AFTER_TAKE_FACTOR)
    return np.concatenate([learned, corrected[np.newaxis]])


VALUES = with_corrected(load_values())
# For compiled players apart: Numba keeps no code with a constant of more than a megabyte.
LEARNED_VALUES, CORRECTED_VALUES = VALUES[:CORRECTED], VALUES[CORRECTED]


@rule
def opponent_model_of(turns_played, takes):
    """Return the number of opponents where one has taken from a hand no larger than its own.

    Such opponents may finish a hand that is nearly empty. In the first turns each may be one; later
    the hand is LEFT_ALONE until one has taken. `turns_played` counts those of all seats.
    """
    num_opponents = takes.shape[0] - 1
    if turns_played < FIRST_TURNS * takes.shape[0]:
        return num_opponents
    for place in range(1, takes.shape[0]):
        if takes[place, FROM_OTHERS] > 0:
            return num_opponents
    return LEFT_ALONE


@rule
def table_index(turns_played, turn_limit, takes):
    """Return the index of the table to play by: an opponent model, LAST_TURN or CORRECTED.

    The turns are those of all seats.
    """
    if turns_played + takes.shape[0] >= turn_limit:
        return LAST_TURN
    if takes.shape[0] > 2:
        return opponent_model_of(turns_played, takes)
    has_taken = takes[1, FROM_OTHERS] > 0
    return CORRECTED if has_taken or turns_played < 2 * PATIENT_TURNS else LEFT_ALONE


@array_rule
def best_turn_action(values, table, mask, hands, phase, passes, rng):
    """Return the action with the best chance, of equals a pass, and that chance.

    A pass where the seat `waits_in_vain` is replaced by a draw of one card; the chance is still
    that of the pass. `values` [3, classes] are those of the table. `hands` are words
    [seats + 1, 2]: the player's first, the deck last. `passes` [seats] are consecutive ones.
    """
    demands = demands_of(hands, passes)
    own, size = hands[0], smallest_other(hands)
    best = np.int64(PASS)
    most = position_value(values[NOTHING_YET], table, own[0], own[1], hands, size, demands)
    after = values[HAS_DRAWN if phase == NOTHING_YET else NOTHING_YET]
    for count in range(1, (1 if table == LEFT_ALONE else MAX_DRAWN) + 1):
        if is_allowed(mask, DRAW + count):
            value = chance_after_draw(after, table, hands, count, size, demands, rng)
            if value > most:
                best, most = np.int64(DRAW + count), value
    after = values[HAS_TAKEN if phase == NOTHING_YET else NOTHING_YET]
    for place in range(1, hands.shape[0] - 1):
        if is_allowed(mask, TAKE + place):
            less = min(size, hand_size(hands[place]) - 1)
            value = chance_after_card(after, table, hands, place, less, demands)
            if value > most:
                best, most = np.int64(TAKE + place), value
    is_waiting = best == PASS and phase == NOTHING_YET and table == CORRECTED
    if is_waiting and is_allowed(mask, DRAW + 1) and waits_in_vain(own, demands):
        best = np.int64(DRAW + 1)
    return best, most


@rule
def waits_in_vain(hand, demands):
    """Whether a hand of two or four cards has no outs and the opponent would not take from it.

    Against a single opponent, the learned chances of waiting are too high here.
    """
    size = hand_size(hand)
    if size != 2 and size != 4:
        return False
    return out_kinds(hand[0]) == 0 and demand_class(hand[0], hand[1], size, demands) == 0


@rule
def chance_after_draw(values, table, hands, count, smallest, demands, rng):
    """The mean chance after a draw: exact for one card, over random draws for more."""
    place = hands.shape[0] - 1
    if count == 1:
        return chance_after_card(values, table, hands, place, smallest, demands)
    deck, total = hands[place], 0.0
    size = hand_size(deck)
    for _ in range(NUM_SAMPLES):
        once, twice, deck_once, deck_twice = hands[0, 0], hands[0, 1], deck[0], deck[1]
        for drawn in range(count):
            bit = np.int64(1) << nth_card(deck_once, deck_twice, below(rng, size - drawn))
            twice |= once & bit
            once |= bit
            deck_once &= deck_twice | ~bit
            deck_twice &= ~bit
        total += position_value(values, table, once, twice, hands, smallest, demands)
    return total / NUM_SAMPLES


@rule
def chance_after_card(values, table, hands, place, smallest, demands):
    """The mean chance after one card from another hand, or from the deck (the last place)."""
    source, total = hands[place], 0.0
    kinds = source[0]
    while kinds != 0:
        bit = kinds & -kinds
        kinds ^= bit
        once, twice = hands[0, 0] | bit, hands[0, 1] | (hands[0, 0] & bit)
        weight = 2 if source[1] & bit else 1
        total += weight * position_value(values, table, once, twice, hands, smallest, demands)
    return total / hand_size(source)


# The chance of a position


@rule
def position_value(values, table, once, twice, hands, smallest, demands):
    """The chance with this hand after its groups are discarded."""
    if has_group(once):
        once, twice = unpack(best_left(once, twice))
        if once == 0:
            return WON
    value = values[class_of(once, twice, hands, smallest, demands)]
    return min(WON, value * unit_of(table, once, twice))


@rule
def unit_of(table, once, twice):
    """The factor of a table entry: a small hand's own chance against non-takers, else 1."""
    if table == LEFT_ALONE and is_small(once, twice):
        return chance_of_small(once, twice)
    return 1.0


@rule
def class_of(once, twice, hands, smallest, demands):
    """The class of a position in which the hand `once`, `twice` has no group."""
    size, outs = popcount(once) + popcount(twice), out_kinds(once)
    index = np.int64(min(size, NUM_SIZES - 1))
    index = index * NUM_OUTS + OUT_CLASSES[popcount(outs)]
    index = index * NUM_DEMANDS + demand_class(once, twice, size, demands)
    index = index * NUM_HITS + hit_class(outs, hands)
    return index * NUM_SMALLEST + SMALLEST_CLASSES[smallest]


@rule
def out_kinds(once):
    """The kinds of which one card would make a group with a hand that has none."""
    below_one, above_one = (once << 1) & _NOT_FIRST, (once >> 1) & NOT_LAST
    below_two, above_two = (below_one << 1) & _NOT_FIRST, (above_one >> 1) & NOT_LAST
    runs = (below_one & below_two) | (above_one & above_two) | (below_one & above_one)
    red, blue = once, once >> NUM_NUMBERS
    green, yellow = once >> (2 * NUM_NUMBERS), once >> (3 * NUM_NUMBERS)
    pairs = (red & blue) | (green & yellow) | ((red | blue) & (green | yellow))
    numbers = pairs & _ONE_NUMBER
    sets = numbers | numbers << NUM_NUMBERS
    sets |= sets << (2 * NUM_NUMBERS)
    return (runs | sets) & ~once


@rule
def hit_class(outs, hands):
    """The class of the best chance that a take from one of the other hands makes a group."""
    highest = 0
    for place in range(1, hands.shape[0] - 1):
        other = hands[place]
        size = hand_size(other)
        if size > PROTECTED_SIZE:
            probability = (popcount(other[0] & outs) + popcount(other[1] & outs)) / size
            reached = 0
            for bound in HIT_BOUNDS:
                reached += probability > bound
            highest = max(highest, reached)
    return highest


@rule
def demand_class(once, twice, size, demands):
    """2 if an opponent would now rather take from this hand than draw or pass, 1 if soon.

    An opponent prefers a take to a draw if it needs a larger share of this hand than of the deck.
    It prefers a take to a pass if it needs a third of the hand, or has passed often enough.
    """
    highest = 0
    if size > PROTECTED_SIZE:
        for place in range(demands.shape[0]):
            needed = demands[place, _NEEDED]
            num_needed = popcount(once & needed) + popcount(twice & needed)
            if num_needed * demands[place, _DECK_SIZE] > demands[place, _IN_DECK] * size:
                is_now = 3 * num_needed >= size or demands[place, _IS_PRESSED] == 1
                highest = max(highest, 2 if is_now else 1)
    return highest


@array_rule
def demands_of(hands, passes):
    """For each opponent: the kinds it needs, and the facts that make it prefer a take."""
    num_seats = hands.shape[0] - 1
    demands = np.empty((num_seats - 1, _DECK_SIZE + 1), np.int64)
    deck = hands[num_seats]
    for place in range(1, num_seats):
        needed = out_kinds(hands[place, 0])
        demands[place - 1, _NEEDED] = needed
        demands[place - 1, _IS_PRESSED] = passes[place] >= MANY_PASSES
        demands[place - 1, _IN_DECK] = popcount(deck[0] & needed) + popcount(deck[1] & needed)
        demands[place - 1, _DECK_SIZE] = hand_size(deck)
    return demands


@rule
def smallest_other(hands):
    """The size of the smallest other hand."""
    smallest = hand_size(hands[1])
    for place in range(2, hands.shape[0] - 1):
        smallest = min(smallest, hand_size(hands[place]))
    return smallest
