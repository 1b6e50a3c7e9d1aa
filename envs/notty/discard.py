"""The exact best discard: the most cards in groups that do not share a card.

The counts of one colour of a hand form one of 3**10 patterns; a table says how many cards runs can
cover in each. A hand has few sets, so all choices of sets are tried, and the table is looked up for
the cards they leave.
"""

from collections.abc import Sequence
from itertools import combinations_with_replacement

import numpy as np

from ..core.bits import lowest_bit
from ..core.compile import rule
from .cards import (
    COLOUR_MASK,
    GROUPS,
    NUM_COLOURS,
    NUM_COPIES,
    NUM_KINDS,
    NUM_NUMBERS,
    RUNS,
    SETS,
    hand_words,
    numbers_in_three_colours,
)

SOLVERS = ("table", "scip")
MAX_CARDS = 20  # in a hand; a larger hand can have too many choices of sets to try

# A hand in one word: 16 bits per colour, red in the highest. The ten counts of a colour are the
# digits of a number in base 3, the count of the 1 first. So words compare as the counts do.
BASE = NUM_COPIES + 1
NUM_PATTERNS = BASE**NUM_NUMBERS
PATTERN_BITS = 16
PATTERN_MASK = (1 << PATTERN_BITS) - 1
_SHIFTS = tuple(PATTERN_BITS * (NUM_COLOURS - 1 - colour) for colour in range(NUM_COLOURS))
DIGITS = np.array([BASE ** (NUM_NUMBERS - 1 - number) for number in range(NUM_NUMBERS)])
_SIGN = np.int64(-(2**63))  # with this bit flipped, signed words compare like unsigned ones


def _bits_of_pattern() -> np.ndarray:
    """For each pattern the numbers held once (low ten bits) and twice (the next ten)."""
    counts = np.arange(NUM_PATTERNS)[:, None] // DIGITS % BASE
    powers = 1 << np.arange(NUM_NUMBERS)
    once, twice = (counts >= 1) @ powers, (counts >= 2) @ powers
    return (once | twice << NUM_NUMBERS).astype(np.int32)


def _best_runs() -> np.ndarray:
    """The best runs to discard from each pattern: most cards, then the least pattern left.

    An entry packs both: the number of cards << 16 | 65535 - the pattern left. Either nothing of a
    pattern is discarded, or a run and then the best discard of the rest.
    """
    patterns = np.arange(NUM_PATTERNS)
    word_of_pattern = _BITS_OF_PATTERN & COLOUR_MASK
    best = PATTERN_MASK - patterns
    runs = [run for run in RUNS if run[-1] < NUM_NUMBERS]  # those of one colour
    while True:
        before = best.copy()
        for run in runs:
            word, value = sum(1 << number for number in run), sum(DIGITS[number] for number in run)
            fits = patterns[word_of_pattern & word == word]
            best[fits] = np.maximum(best[fits], (len(run) << PATTERN_BITS) + best[fits - value])
        if (best == before).all():
            return best.astype(np.int32)


# The pattern [1024] of each set of numbers held once.
_PATTERN_OF_BITS = (np.arange(1 << NUM_NUMBERS)[:, None] >> np.arange(NUM_NUMBERS) & 1) @ DIGITS
_BITS_OF_PATTERN = _bits_of_pattern()
_BEST_RUNS = _best_runs()
_COVERED = (_BEST_RUNS >> PATTERN_BITS).astype(np.uint8)

# Choices of sets of one number. A column has four bits for the colours that hold the number, and
# four for those that hold it twice. `_TAKEN` has the cards that a choice takes as a packed hand of
# tens, the lowest digit; DIGITS[number] times that is the same for another number.
_COLOUR_BITS = 1 << NUM_COLOURS
_ALL_COLOURS = _COLOUR_BITS - 1
_EVERY_COLOUR = sum(1 << colour * NUM_NUMBERS for colour in range(NUM_COLOURS))
_GATHERED = (NUM_COLOURS - 1) * NUM_NUMBERS
_GATHER = sum(1 << _GATHERED - colour * (NUM_NUMBERS - 1) for colour in range(NUM_COLOURS))
_SETS_OF_A_NUMBER = tuple(
    tuple(kind // NUM_NUMBERS for kind in group) for group in SETS if group[0] % NUM_NUMBERS == 0
)
_SET_CHOICES = (
    (),
    *((colours,) for colours in _SETS_OF_A_NUMBER),
    *combinations_with_replacement(_SETS_OF_A_NUMBER, 2),
)
_COUNTS = np.array(  # of the cards of each colour that a choice takes
    [[sum(colour in s for s in choice) for colour in range(NUM_COLOURS)] for choice in _SET_CHOICES]
)
_COLUMNS = np.arange(_COLOUR_BITS**2)[:, None] >> np.arange(2 * NUM_COLOURS) & 1
_HELD = _COLUMNS[:, :NUM_COLOURS] + _COLUMNS[:, NUM_COLOURS:]
_FITS = (_HELD[:, None] >= _COUNTS).all(axis=2)  # [columns, choices]
_NUM_FITTING = _FITS.sum(axis=1)
_CHOICES = np.argsort(~_FITS, axis=1, kind="stable")  # those that fit a column come first
_TAKEN = _COUNTS @ (1 << np.array(_SHIFTS))
_NUM_TAKEN = _COUNTS.sum(axis=1)


@rule
def pack(once, twice):
    """A hand as one word of four patterns."""
    word = np.int64(0)
    for colour in range(NUM_COLOURS):
        shift = colour * NUM_NUMBERS
        pattern = _PATTERN_OF_BITS[(once >> shift) & COLOUR_MASK]
        pattern += _PATTERN_OF_BITS[(twice >> shift) & COLOUR_MASK]
        word = (word << PATTERN_BITS) | pattern
    return word


@rule
def unpack(word):
    """A word of four patterns as two sets of kinds: held at least once, held twice."""
    once, twice = np.int64(0), np.int64(0)
    for colour in range(NUM_COLOURS):
        bits = np.int64(_BITS_OF_PATTERN[pattern_of(word, colour)])
        once |= (bits & COLOUR_MASK) << (colour * NUM_NUMBERS)
        twice |= (bits >> NUM_NUMBERS) << (colour * NUM_NUMBERS)
    return once, twice


@rule
def pattern_of(word, colour):
    """One colour of a packed hand."""
    return (word >> (PATTERN_BITS * (NUM_COLOURS - 1 - colour))) & PATTERN_MASK


@rule
def covered_by_runs(word):
    """The number of cards of a packed hand that runs can cover."""
    total = np.int64(_COVERED[(word >> 48) & PATTERN_MASK])
    total += _COVERED[(word >> 32) & PATTERN_MASK]
    total += _COVERED[(word >> 16) & PATTERN_MASK]
    return total + _COVERED[word & PATTERN_MASK]


@rule
def left_by_runs(word):
    """The lexicographically smallest hand that runs leave when they cover the most."""
    left = np.int64(0)
    for colour in range(NUM_COLOURS):
        best = np.int64(_BEST_RUNS[pattern_of(word, colour)])
        left = (left << PATTERN_BITS) | (PATTERN_MASK - (best & PATTERN_MASK))
    return left


@rule
def column_of(once, twice, number):
    """Four bits for the colours that hold a number, and four for those that hold it twice.

    A multiplication by a sum of four powers of two puts the bits of the four colours side by side.
    """
    low = ((once >> number) & _EVERY_COLOUR) * _GATHER
    high = ((twice >> number) & _EVERY_COLOUR) * _GATHER
    return ((low >> _GATHERED) & _ALL_COLOURS) | (
        ((high >> _GATHERED) & _ALL_COLOURS) << NUM_COLOURS
    )


@rule
def num_set_choices(once, twice, numbers):
    """The number of choices of sets at these numbers, including no sets."""
    total = 1
    while numbers != 0:
        total *= _NUM_FITTING[column_of(once, twice, lowest_bit(numbers))]
        numbers &= numbers - 1
    return total


@rule
def take_sets(once, twice, numbers, packed, choice):
    """What a choice of sets leaves of a packed hand, and the number of cards it takes."""
    taken = np.int64(0)
    while numbers != 0:
        number = lowest_bit(numbers)
        numbers &= numbers - 1
        column = column_of(once, twice, number)
        num_fitting = _NUM_FITTING[column]
        sets = _CHOICES[column, choice % num_fitting]
        choice //= num_fitting
        packed -= _TAKEN[sets] * DIGITS[number]
        taken += _NUM_TAKEN[sets]
    return packed, taken


@rule
def most_discarded(once, twice, packed):
    """The largest number of cards that groups of a hand can cover."""
    numbers = numbers_in_three_colours(once)
    if numbers == 0:
        return covered_by_runs(packed)
    if numbers & (numbers - 1) == 0:
        return most_with_sets_of(once, twice, packed, lowest_bit(numbers))
    most = np.int64(0)
    for choice in range(num_set_choices(once, twice, numbers)):
        left, taken = take_sets(once, twice, numbers, packed, choice)
        most = max(most, taken + covered_by_runs(left))
    return most


@rule
def most_with_sets_of(once, twice, packed, number):
    """`most_discarded` where sets are possible at one number only, as nearly always."""
    column, most = column_of(once, twice, number), np.int64(0)
    for index in range(_NUM_FITTING[column]):
        sets = _CHOICES[column, index]
        left = packed - _TAKEN[sets] * DIGITS[number]
        most = max(most, _NUM_TAKEN[sets] + covered_by_runs(left))
    return most


@rule
def best_left(once, twice):
    """The packed hand that the best discard leaves: of several, the smallest counts (10)."""
    packed = pack(once, twice)
    numbers = numbers_in_three_colours(once)
    most, best = np.int64(-1), np.int64(0)
    for choice in range(num_set_choices(once, twice, numbers)):
        left, taken = take_sets(once, twice, numbers, packed, choice)
        taken += covered_by_runs(left)
        if taken >= most:
            left = left_by_runs(left)
            if taken > most or (left ^ _SIGN) < (best ^ _SIGN):
                most, best = taken, left
    return best


@rule
def discard_groups(hand):
    """Put away the best discard of a hand that has a group."""
    hand[0], hand[1] = unpack(best_left(hand[0], hand[1]))


# For people


def best_discard(hand: Sequence[int] | np.ndarray, solver: str = "table") -> list[tuple[int, ...]]:
    """Return the groups of a best discard as kinds in ascending order; one may appear twice.

    `hand` [40] has the number of cards of each kind. `solver="scip"` solves an integer programme
    (`scip.py`) instead; both solvers cover as many cards and leave the same ones. Raises
    ValueError for an impossible hand or an unknown solver.
    """
    if solver not in SOLVERS:
        raise ValueError(f"solver must be one of {', '.join(SOLVERS)}; got {solver!r}")
    counts = checked_hand(hand)
    if solver == "scip":
        from . import scip

        return scip.best_discard(counts)
    words = np.zeros(2, np.int64)
    hand_words(np.array(counts), words)
    return sorted(_groups_of(np.array(counts) - counts_of(best_left(words[0], words[1]))) or [])


def checked_hand(hand: Sequence[int] | np.ndarray) -> list[int]:
    """Return a hand as 40 counts of at most 20 cards in all. Raises ValueError."""
    counts = [int(count) for count in hand]
    if len(counts) != NUM_KINDS or not all(0 <= count <= NUM_COPIES for count in counts):
        raise ValueError(f"a hand is {NUM_KINDS} counts of 0 .. {NUM_COPIES}; got {counts}")
    if sum(counts) > MAX_CARDS:
        raise ValueError(f"a hand has at most {MAX_CARDS} cards; got {sum(counts)}")
    return counts


def counts_of(packed: int) -> np.ndarray:
    """The number of cards [40] of each kind in a packed hand."""
    kinds = np.arange(NUM_KINDS)
    once, twice = unpack(np.int64(packed))
    return (once >> kinds & 1) + (twice >> kinds & 1)


def _groups_of(counts: np.ndarray) -> list[tuple[int, ...]] | None:
    """Groups that together consist of exactly these cards [40]; None where there are none."""
    kinds = np.flatnonzero(counts)
    if not len(kinds):
        return []
    for group in GROUPS:
        if group[0] == kinds[0] and counts[list(group)].all():
            rest = counts.copy()
            rest[list(group)] -= 1
            others = _groups_of(rest)
            if others is not None:
                return [group, *others]
    return None
