"""The table of Splendor as a picture: nobles, cards and the bank on the left, the seats beside.

A gem is a disc, a card bears a band in its colour and its cost in discs; who acts can buy the cards
with a golden edge.
"""

from collections.abc import Sequence

import numpy as np

from ..core.views.cards import BACK, BACK_LINE, GOLD, PAPER, PAPER_EDGE, SHADOW
from ..core.views.picture import Circle, Picture, Rectangle, Shape, Text
from ..core.views.table import CHALK, DIM_CHALK, FELT, FELT_LIGHT, RIM, ROOM, pill, seat_plate
from .actions import MAX_RESERVED, NUM_SLOTS, SLOTS_PER_TIER
from .cards import (
    CARDS,
    COLOURS,
    NO_CARD,
    NO_NOBLE,
    NOBLE_POINTS,
    NOBLES,
    NUM_COLOURS,
    NUM_GEM_COLOURS,
    NUM_TIERS,
    unpack,
)
from .rules import is_terminal
from .text import can_buy, count_noun, headline, last_action_name, nobles_won

WIDTH, HEIGHT = 1160, 760

FILLS = ("#33343a", "#c2242f", "#2f8f4f", "#2c63b4", "#f6f3ea", GOLD)
INKS = ("#ffffff", "#ffffff", "#ffffff", "#ffffff", "#2b2b30", "#2b1d05")
GEM_EDGE = "#00000066"

CARD_WIDTH, CARD_HEIGHT = 92.0, 126.0
CARD_STEP, TIER_STEP = 106.0, 138.0
TABLE_LEFT, TABLE_TOP = 168.0, 174.0
DECK_LEFT = 48.0
NOBLE_SIZE, NOBLE_TOP = 86.0, 64.0
BANK_Y, BANK_STEP = 648.0, 82.0

SEATS_LEFT, SEATS_WIDTH = 632.0, 504.0
SEATS_TOP, SEATS_HEIGHT = 46.0, 690.0
SMALL_SCALE = 0.68  # of a reserved card


def draw(state: np.record, seat: int | None = None, is_narrow: bool = False) -> Picture:
    """The table; nothing but the order of the decks is hidden, so all see the same."""
    shapes: list[Shape] = [
        Rectangle(20, 40, 596, 704, RIM, 26),
        Rectangle(27, 47, 582, 690, FELT, 21),
        Text(24, 20, headline(state), 16, DIM_CHALK, "start"),
    ]
    for slot in range(len(state.nobles)):
        shapes += _noble_on_table(state, slot)
    for tier in range(NUM_TIERS):
        shapes += _tier(state, tier)
    shapes += _bank(state)
    num_seats = len(state.gems)
    for index in range(num_seats):
        owner = (index + (seat or 0)) % num_seats
        shapes += _seat(state, owner, SEATS_TOP + SEATS_HEIGHT / num_seats * index, seat)
    return Picture(WIDTH, HEIGHT, ROOM, tuple(shapes))


# The table


def _noble_on_table(state: np.record, slot: int) -> list[Shape]:
    x = DECK_LEFT + (NOBLE_SIZE + 20) * slot
    noble = int(state.nobles[slot])
    if noble == NO_NOBLE:
        return [_empty_place(x, NOBLE_TOP, NOBLE_SIZE, NOBLE_SIZE)]
    is_choice = int(state.choice) >> slot & 1 == 1
    return _noble(noble, x, NOBLE_TOP, NOBLE_SIZE, is_choice)


def _noble(noble: int, x: float, y: float, size: float, is_marked: bool) -> list[Shape]:
    """A noble by its top left corner."""
    edge = GOLD if is_marked else PAPER_EDGE
    shapes: list[Shape] = [
        Rectangle(x, y, size, size, "#e8dcc0", size * 0.08, edge, 4 if is_marked else 1),
        Text(x + size * 0.2, y + size * 0.22, str(NOBLE_POINTS), size * 0.28, RIM, is_bold=True),
    ]
    needs = [(colour, need) for colour, need in enumerate(NOBLES[noble]) if need]
    for place, (colour, need) in enumerate(needs):
        side = size * 0.25
        left, top = x + size * 0.66, y + size * (0.08 + 0.3 * place)
        shapes.append(Rectangle(left, top, side, side, FILLS[colour], 3, GEM_EDGE, 1))
        shapes.append(Text(left + side / 2, top + side / 2, str(need), side * 0.7, INKS[colour]))
    return shapes


def _tier(state: np.record, tier: int) -> list[Shape]:
    """The deck of a tier and its four slots; the third tier lies on top."""
    y = TABLE_TOP + TIER_STEP * (NUM_TIERS - 1 - tier)
    left = int(state.deck_left[tier])
    if left:
        shapes: list[Shape] = [
            Rectangle(DECK_LEFT, y, CARD_WIDTH, CARD_HEIGHT, BACK, 9, PAPER, 3),
            Text(DECK_LEFT + CARD_WIDTH / 2, y + 50, str(left), 30, CHALK, is_bold=True),
            Text(DECK_LEFT + CARD_WIDTH / 2, y + 88, f"tier {tier + 1}", 14, BACK_LINE),
        ]
    else:
        shapes = [_empty_place(DECK_LEFT, y, CARD_WIDTH, CARD_HEIGHT)]
    for place in range(SLOTS_PER_TIER):
        slot = tier * SLOTS_PER_TIER + place
        card, x = int(state.table[slot]), TABLE_LEFT + CARD_STEP * place
        if card == NO_CARD:
            shapes.append(_empty_place(x, y, CARD_WIDTH, CARD_HEIGHT))
        else:
            shapes += _card(card, x, y, 1.0, can_buy(state, slot))
    return shapes


def _empty_place(x: float, y: float, width: float, height: float) -> Rectangle:
    return Rectangle(x, y, width, height, "#ffffff0a", 9, "#ffffff38", 2)


def _card(card: int, x: float, y: float, scale: float, is_marked: bool) -> list[Shape]:
    """A card by its top left corner: points and colour on top, the cost below."""
    _, colour, points, cost = CARDS[card]
    width, height, band = CARD_WIDTH * scale, CARD_HEIGHT * scale, 36 * scale
    edge, edge_width = (GOLD, 5 * scale) if is_marked else (PAPER_EDGE, 1.0)
    shapes: list[Shape] = [
        Rectangle(x - 1, y + 2, width + 2, height + 1, SHADOW, 9 * scale),
        Rectangle(x, y, width, height, PAPER, 9 * scale, edge, edge_width),
        Rectangle(x + 5 * scale, y + 5 * scale, width - 10 * scale, band, FILLS[colour], 5 * scale),
    ]
    if points:
        ink = INKS[colour]
        shapes.append(
            Text(x + 20 * scale, y + 23 * scale, str(points), 24 * scale, ink, is_bold=True)
        )
    if COLOURS[colour] == "white":  # the band would be lost on the paper
        shapes[2] = Rectangle(
            x + 5 * scale,
            y + 5 * scale,
            width - 10 * scale,
            band,
            "#ffffff",
            5 * scale,
            "#888888",
            1,
        )
    costs = [(c, count) for c, count in enumerate(cost) if count]
    for place, (c, count) in enumerate(costs):
        column, row = divmod(place, 3)
        gem_x = x + (20 + 32 * column) * scale
        gem_y = y + height - (19 + 27 * row) * scale
        shapes += _gem(c, gem_x, gem_y, 12.5 * scale, str(count))
    return shapes


def _gem(colour: int, x: float, y: float, radius: float, label: str) -> list[Shape]:
    return [
        Circle(x, y, radius, FILLS[colour], GEM_EDGE, max(1.0, radius * 0.1)),
        Text(x, y, label, radius * 1.2, INKS[colour], is_bold=True),
    ]


def _bank(state: np.record) -> list[Shape]:
    """The gems of the bank, a disc a colour."""
    shapes: list[Shape] = [Rectangle(48, BANK_Y - 44, 540, 100, FELT_LIGHT, 16)]
    for colour, count in enumerate(unpack(state.bank)):
        x = 113 + BANK_STEP * colour
        if count:
            shapes += _gem(colour, x, BANK_Y + 6, 29, str(count))
        else:
            shapes.append(Circle(x, BANK_Y + 6, 29, "#00000000", FILLS[colour] + "60", 3))
    return shapes


# The seats


def _seat(state: np.record, owner: int, top: float, seat: int | None) -> list[Shape]:
    """All that a seat has, in a panel by its top."""
    height = SEATS_HEIGHT / len(state.gems) - 12
    x = SEATS_LEFT
    is_to_act = owner == state.seat_to_act and not is_terminal(state)
    you = ", you" if owner == seat else ""
    shapes: list[Shape] = [
        Rectangle(x, top, SEATS_WIDTH, height, "#ffffff0d", 14, GOLD if is_to_act else None, 2.0)
    ]
    points = count_noun(int(state.points[owner]), "point")
    shapes += seat_plate(x + 128, top + 24, 236, f"player {owner}{you}", points, is_to_act)
    shapes += _last_action(last_action_name(state, owner), x + 376, top + 25)
    shapes += _holdings(unpack(state.cards[owner], NUM_COLOURS), unpack(state.gems[owner]), x, top)
    shapes += _reserved(state, owner, x + 282, top + 48, is_to_act)
    for place, noble in enumerate(nobles_won(state, owner)):
        shapes += _noble(noble, x + 16 + 50 * place, top + height - 48, 42, False)
    return shapes


def _last_action(name: str, x: float, y: float) -> list[Shape]:
    """What was done last, and below it what was returned: together they are too long for a line."""
    parts = name.split()
    shapes: list[Shape] = []
    for line, part in enumerate(parts):
        shapes += pill(x, y + 20 * (line - (len(parts) - 1) / 2), part, "#0e2b22", CHALK, 11)
    return shapes


def _holdings(cards: Sequence[int], gems: Sequence[int], x: float, top: float) -> list[Shape]:
    """Cards and gems by colour, one above the other."""
    shapes: list[Shape] = []
    for colour in range(NUM_GEM_COLOURS):
        middle = x + 36 + 42 * colour
        if colour < NUM_COLOURS and cards[colour]:
            shapes.append(
                Rectangle(middle - 14, top + 43, 28, 34, FILLS[colour], 4, PAPER_EDGE, 1.5)
            )
            label = str(cards[colour])
            shapes.append(Text(middle, top + 60, label, 18, INKS[colour], is_bold=True))
        if gems[colour]:
            shapes += _gem(colour, middle, top + 94, 13, str(gems[colour]))
    return shapes


def _reserved(state: np.record, owner: int, x: float, top: float, is_to_act: bool) -> list[Shape]:
    shapes: list[Shape] = []
    for place in range(MAX_RESERVED):
        card = int(state.reserved[owner, place])
        if card != NO_CARD:
            is_marked = is_to_act and can_buy(state, NUM_SLOTS + place)
            left = x + (CARD_WIDTH * SMALL_SCALE + 9) * place
            shapes += _card(card, left, top, SMALL_SCALE, is_marked)
    return shapes
