"""The 90 cards and ten nobles of Splendor, read from the tables beside this file.

Source: the official game (Space Cowboys, 2014). Gems are packed into words, a byte to a colour, so
that a seat's gems, its cards, or a cost are one number that is added and compared as a whole.
"""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

COLOURS = ("black", "red", "green", "blue", "white")
YELLOW = len(COLOURS)  # the index of the colour that stands for any other
GEM_COLOURS = (*COLOURS, "yellow")
NUM_COLOURS = len(COLOURS)
NUM_GEM_COLOURS = len(GEM_COLOURS)

NUM_TIERS = 3
TIER_SIZES = (40, 30, 20)
NUM_CARDS = sum(TIER_SIZES)
NUM_NOBLES = 10
NOBLE_POINTS = 3
MAX_POINTS_OF_CARD = 5
HIGHEST_COST = 7  # of one colour

NO_CARD = NUM_CARDS  # an empty place; the tables below have a row for it
NO_NOBLE = NUM_NOBLES
NOTHING = -1  # every number of an empty place in the tables
UNAFFORDABLE = 25  # of each colour: more than a seat can have, but small enough to add up

COLOUR_BITS = 8


class DevelopmentCard(NamedTuple):
    """A card as printed."""

    tier: int  # 0 .. 2
    colour: int
    points: int
    cost: tuple[int, ...]  # by colour


def pack(counts: Sequence[int]) -> int:
    """Counts by colour as one word."""
    return sum(count << COLOUR_BITS * colour for colour, count in enumerate(counts))


def unpack(word: int, num_colours: int = NUM_GEM_COLOURS) -> list[int]:
    """The inverse of `pack`."""
    return [int(word) >> COLOUR_BITS * colour & 0xFF for colour in range(num_colours)]


def _rows(name: str) -> list[list[str]]:
    """The rows of a table below its head."""
    with (Path(__file__).parent / name).open(encoding="utf-8", newline="") as file:
        return [row for row in csv.reader(file) if row][1:]


CARDS = tuple(  # sorted by tier, so a tier is a range of indices
    DevelopmentCard(int(tier) - 1, COLOURS.index(colour), int(points), tuple(map(int, cost)))
    for tier, colour, points, *cost in _rows("cards.csv")
)
NOBLES = tuple(tuple(map(int, need)) for need in _rows("nobles.csv"))
FIRST_OF_TIER = (0, 40, 70, 90)

_NO_WORD = pack([UNAFFORDABLE] * NUM_COLOURS)
_NO_COUNTS = (NOTHING,) * NUM_COLOURS

# By card, with a last row for NO_CARD.
COST_WORDS = np.array([*(pack(card.cost) for card in CARDS), _NO_WORD], np.int64)
COSTS = np.array([*(card.cost for card in CARDS), _NO_COUNTS], np.int16)
POINTS = np.array([*(card.points for card in CARDS), NOTHING], np.int16)
CARD_COLOURS = np.array([*(card.colour for card in CARDS), NOTHING], np.int16)

# By noble, with a last row for NO_NOBLE.
NEED_WORDS = np.array([*(pack(need) for need in NOBLES), _NO_WORD], np.int64)
NEEDS = np.array([*NOBLES, _NO_COUNTS], np.int16)
