"""A table of the chance to empty each small hand if nobody takes from it.

Hands that differ only by exchanged colours, or by numbers counted from the other end, are
equivalent and share an entry. `fit/small_hands.py` computed the table.
"""

from pathlib import Path

import numpy as np

from ...envs.core.bits import popcount
from ...envs.core.compile import rule
from ...envs.notty.cards import COLOUR_MASK, NUM_COLOURS, NUM_NUMBERS
from ...envs.notty.discard import PATTERN_BITS, pack, pattern_of

LARGEST_SMALL = 5  # cards
CHANCES_FILE = Path(__file__).with_name("small_hands.npy")
CHANCES_DTYPE = np.dtype([("hand", np.int64), ("chance", np.float32)])

_FROM_THE_END = np.array(
    [int(f"{bits:0{NUM_NUMBERS}b}"[::-1], 2) for bits in range(1 << NUM_NUMBERS)], np.int64
)

_TABLE = np.load(CHANCES_FILE)  # records of a packed hand, in ascending order, and its chance
_HANDS, _CHANCES = (np.ascontiguousarray(_TABLE[field]) for field in ("hand", "chance"))


@rule
def chance_of_small(once, twice):
    """The chance of a hand without a group, of at most LARGEST_SMALL cards."""
    return np.float64(_CHANCES[np.searchsorted(_HANDS, alike(once, twice))])


@rule
def is_small(once, twice):
    """Whether the table has this hand."""
    return popcount(once) + popcount(twice) <= LARGEST_SMALL


@rule
def alike(once, twice):
    """The packed hand that represents all hands equivalent to this one."""
    mirrored = pack(from_the_end(once), from_the_end(twice))
    return min(colours_in_order(pack(once, twice)), colours_in_order(mirrored))


@rule
def from_the_end(kinds):
    """Kinds with their numbers counted from the other end."""
    out = np.int64(0)
    for colour in range(NUM_COLOURS):
        shift = colour * NUM_NUMBERS
        out |= _FROM_THE_END[(kinds >> shift) & COLOUR_MASK] << shift
    return out


@rule
def colours_in_order(packed):
    """The same hand with the patterns of its colours in ascending order."""
    a, b = pattern_of(packed, 0), pattern_of(packed, 1)
    c, d = pattern_of(packed, 2), pattern_of(packed, 3)
    a, b = min(a, b), max(a, b)
    c, d = min(c, d), max(c, d)
    a, c = min(a, c), max(a, c)
    b, d = min(b, d), max(b, d)
    b, c = min(b, c), max(b, c)
    return (((a << PATTERN_BITS | b) << PATTERN_BITS | c) << PATTERN_BITS) | d
