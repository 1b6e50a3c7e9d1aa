"""The flat table of actions, and the tables from which their masks are assembled.

Actions that return nothing come first and fill one word of the mask, which is all that a seat with
few gems needs; those that return gems follow.
"""

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..core.bits import WORD_BITS, mask_words
from .cards import COLOUR_BITS, COLOURS, GEM_COLOURS, NUM_COLOURS, NUM_GEM_COLOURS, NUM_TIERS

SLOTS_PER_TIER = 4
NUM_SLOTS = NUM_TIERS * SLOTS_PER_TIER
MAX_RESERVED = 3
MAX_NOBLES = 5
GEM_LIMIT = 10
MAX_TAKEN = 3  # gems taken, and gems returned, by one action

Colours = tuple[int, ...]  # in ascending order, one entry per gem


class Collecting(NamedTuple):
    """Gems taken and gems returned, as colours."""

    taken: Colours
    returned: Colours = ()

    @property
    def is_same(self) -> bool:
        """Whether two gems of one colour are taken."""
        return len(self.taken) > len(set(self.taken))


def _takings() -> list[Colours]:
    """Sets of one, two and three colours, then two gems of one colour."""
    different = [
        taken for size in (1, 2, 3) for taken in itertools.combinations(range(NUM_COLOURS), size)
    ]
    return [*different, *((colour, colour) for colour in range(NUM_COLOURS))]


def _collections() -> Iterator[Collecting]:
    """All ways to collect, those that return nothing first."""
    takings = _takings()
    for num_returned in range(MAX_TAKEN + 1):
        for taken in takings:
            others = [colour for colour in range(NUM_GEM_COLOURS) if colour not in taken]
            if num_returned <= len(taken):  # a seat with ten gems returns as many as it takes
                for returned in itertools.combinations_with_replacement(others, num_returned):
                    yield Collecting(taken, returned)


COLLECTIONS = tuple(_collections())
NUM_PLAIN_COLLECTIONS = sum(not collecting.returned for collecting in COLLECTIONS)

# The first action of each kind.
COLLECT = 0
RESERVE = COLLECT + NUM_PLAIN_COLLECTIONS
BUY = RESERVE + NUM_SLOTS
BUY_RESERVED = BUY + NUM_SLOTS
PASS = BUY_RESERVED + MAX_RESERVED
NOBLE = PASS + 1
RESERVE_RETURNING = NOBLE + MAX_NOBLES  # colour by colour, the slots of each together
COLLECT_RETURNING = RESERVE_RETURNING + NUM_COLOURS * NUM_SLOTS
NUM_ACTIONS = COLLECT_RETURNING + len(COLLECTIONS) - NUM_PLAIN_COLLECTIONS

NUM_WORDS = mask_words(NUM_ACTIONS)


def collection_of(action: int) -> Collecting:
    """What a collecting action takes and returns."""
    is_plain = action < RESERVE
    return COLLECTIONS[action if is_plain else action - COLLECT_RETURNING + NUM_PLAIN_COLLECTIONS]


def _slot_name(slot: int) -> str:
    return f"{slot // SLOTS_PER_TIER + 1}.{slot % SLOTS_PER_TIER}"


def _collecting_name(collecting: Collecting) -> str:
    taken, returned = collecting
    names = [COLOURS[colour] for colour in sorted(set(taken))]
    name = "collect:" + (f"{names[0]}*2" if collecting.is_same else "+".join(names))
    return name + (" return:" + "+".join(GEM_COLOURS[c] for c in returned) if returned else "")


def _names() -> Iterator[str]:
    slots = [_slot_name(slot) for slot in range(NUM_SLOTS)]
    names = [_collecting_name(collecting) for collecting in COLLECTIONS]
    yield from names[:NUM_PLAIN_COLLECTIONS]
    yield from (f"reserve:{slot}" for slot in slots)
    yield from (f"buy:{slot}" for slot in slots)
    yield from (f"buy-reserved:{place}" for place in range(MAX_RESERVED))
    yield "pass"
    yield from (f"noble:{place}" for place in range(MAX_NOBLES))
    yield from (f"reserve:{slot} return:{colour}" for colour in COLOURS for slot in slots)
    yield from names[NUM_PLAIN_COLLECTIONS:]


ACTION_NAMES = tuple(_names())

# Of each collection: its action, colours taken as a set, gems taken, if of one colour, and gems
# taken and returned by colour.
_ACTIONS = np.r_[:NUM_PLAIN_COLLECTIONS, COLLECT_RETURNING:NUM_ACTIONS]
_TAKEN = np.array([sum(1 << colour for colour in set(c.taken)) for c in COLLECTIONS])
_NUM_TAKEN = np.array([len(c.taken) for c in COLLECTIONS])
_IS_SAME = np.array([c.is_same for c in COLLECTIONS])
_COUNTS = np.array(
    [[[gems.count(k) for k in range(NUM_GEM_COLOURS)] for gems in c] for c in COLLECTIONS]
)
_RETURNED = _COUNTS[:, 1]
_NUM_RETURNED = _RETURNED.sum(axis=1)

# For each action what it adds to a seat's gems, as a word (see cards.py).
_ONE_GEM = 1 << COLOUR_BITS * np.arange(NUM_GEM_COLOURS)
GEMS_MOVED = np.zeros(NUM_ACTIONS, np.int64)
GEMS_MOVED[_ACTIONS] = (_COUNTS[:, 0] - _RETURNED) @ _ONE_GEM
GEMS_MOVED[RESERVE_RETURNING:COLLECT_RETURNING] = -np.repeat(_ONE_GEM[:NUM_COLOURS], NUM_SLOTS)


# The words from which masks are assembled


NUM_HOLDINGS = 4  # up to 7 gems held, 8, 9 and 10: each may collect differently
COLOURS_PER_HALF = 3
_HELD_BITS = 2  # a count of 0 .. 3: no action returns more


def _words_where(is_set: np.ndarray) -> np.ndarray:
    """Return a mask with the bits of the collections that are set."""
    flags = np.zeros(NUM_WORDS * WORD_BITS, np.uint8)
    flags[_ACTIONS[is_set]] = 1
    return np.packbits(flags, bitorder="little").view(np.int64)


def _different_words() -> np.ndarray:
    """[holding, set of colours in the bank]: collections of different colours (5)."""
    words = np.zeros((NUM_HOLDINGS, 1 << NUM_COLOURS, NUM_WORDS), np.int64)
    for holding, available in np.ndindex(words.shape[:2]):
        num_available = int(available).bit_count()
        most = min(MAX_TAKEN, num_available)
        fewest = (most, min(2, num_available), 1, 1)[holding]
        to_return = np.maximum(0, _NUM_TAKEN + holding - MAX_TAKEN)
        is_there = _TAKEN & ~available == 0
        is_number = np.isin(_NUM_TAKEN, np.arange(fewest, most + 1))
        may_take = ~_IS_SAME & is_there & is_number & (to_return == _NUM_RETURNED)
        words[holding, available] = _words_where(may_take)
    return words


def _same_words() -> np.ndarray:
    """[holding, set of colours of which the bank has four]: collections of two of one colour (6).

    Nine gems return one, ten return two.
    """
    words = np.zeros((NUM_HOLDINGS, 1 << NUM_COLOURS, NUM_WORDS), np.int64)
    for holding, plenty in np.ndindex(words.shape[:2]):
        is_there = _TAKEN & ~plenty == 0
        is_returned = max(0, holding + 2 - MAX_TAKEN) == _NUM_RETURNED
        words[holding, plenty] = _words_where(_IS_SAME & is_there & is_returned)
    return words


def _return_words() -> np.ndarray:
    """[half, gems held of its three colours]: collections that return no more than held.

    The counts are packed in two bits each; 3 stands for three and more.
    """
    words = np.zeros((2, 1 << _HELD_BITS * COLOURS_PER_HALF, NUM_WORDS), np.int64)
    for half, packed in np.ndindex(words.shape[:2]):
        counts = [packed >> _HELD_BITS * place & MAX_TAKEN for place in range(COLOURS_PER_HALF)]
        first = half * COLOURS_PER_HALF
        returned = _RETURNED[:, first : first + COLOURS_PER_HALF]
        words[half, packed] = _words_where(np.all(returned <= counts, axis=1))
    return words


DIFFERENT_WORDS = _different_words()
SAME_WORDS = _same_words()
RETURN_WORDS = _return_words()
