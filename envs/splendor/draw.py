"""The table of Splendor as a picture: nobles, cards and the bank, and what each seat has.

A gem has the shape of its colour; a card has a band with the gem that it saves, its cost in gems,
and a golden edge if the seat to act can buy it. A click takes or returns one gem; on a card it asks
what to do with the card.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..core.drawing import palette, table
from ..core.drawing.boxes import Box
from ..core.drawing.cards import CROWN, MIN_TEXT, polygon_mark
from ..core.drawing.palette import CHALK, EMPTY_EDGE, GOLD, PAPER, PAPER_EDGE
from ..core.drawing.picture import Circle, Part, Picture, Point, Shape, Text
from ..core.words import count_noun
from . import actions, cards, rules
from .actions import MAX_RESERVED, NUM_SLOTS, SLOTS_PER_TIER
from .text import FILLS, buyable, colours_text, headline, last_action_label, nobles_won

SHAPES: tuple[tuple[Point, ...], ...] = (  # of gems, lengths in radii; no points: a disc
    (),
    ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    ((0, -1.25), (1.15, 0.85), (-1.15, 0.85)),
    ((0, -1.25), (1.15, 0), (0, 1.25), (-1.15, 0)),
    ((0, -1.1), (1.08, -0.3), (0.68, 0.95), (-0.68, 0.95), (-1.08, -0.3)),
    tuple(
        (
            (1.15 - 0.3 * (k % 2)) * math.sin(k * math.pi / 8),
            (0.3 * (k % 2) - 1.15) * math.cos(k * math.pi / 8),
        )
        for k in range(16)
    ),
)
TEXT_DROPS = (0.0, 0.0, 0.22, 0.0, 0.08, 0.0)  # of the number in a gem, in radii
INKS = ("#ffffff", "#ffffff", "#ffffff", "#ffffff", "#2b2b30", "#2b1d05")
CLICKS_ON_CARD = 2  # clicks on a card: the page makes the second, and asks what to do with it
EDGES = ("#ffffff90", *["#00000066"] * 5)
BACK_INK = "#b4c9e6"
NOBLE_PAPER = "#e8dcc0"

FULL_CARD_WIDTH, CARD_ASPECT = 92.0, 0.73  # width / height
DIM_PAPER = "#b9b4a6"  # of a card out of reach
BUYABLE, PLAIN, OUT_OF_REACH = range(3)  # looks of a card
BUTTON_WIDTH, BUTTON_HEIGHT = 144.0, 34.0


class SeatMeasures(NamedTuple):
    """Where the things of a seat lie in its panel."""

    plate: Box
    last_action: Point  # its centre
    last_size: float  # of its text
    cards: Box  # a row with a column for each colour
    gems: Box
    reserved: Box
    noble_left: float
    noble_size: float


ROOMY = SeatMeasures(
    plate=Box(10, 10, 236, 28),
    last_action=(376, 25),
    last_size=13,
    cards=Box(22, 50, 456, 66),
    gems=Box(22, 124, 456, 56),
    reserved=Box(24, 194, 312, 130),
    noble_left=352,
    noble_size=40,
)
ROOM_FOR_THREE = ROOMY._replace(
    cards=Box(12, 46, 264, 62),
    gems=Box(12, 118, 264, 42),
    reserved=Box(288, 62, 210, 91),
    noble_left=20,
    noble_size=38,
)
COMPACT = ROOM_FOR_THREE._replace(
    cards=Box(15, 43, 252, 38),
    gems=Box(15, 84, 252, 32),
    reserved=Box(288, 48, 210, 91),
    noble_left=14,
    noble_size=30,
)
NARROW = SeatMeasures(
    plate=Box(4, 5, 156, 24),
    last_action=(256, 19),
    last_size=MIN_TEXT,
    cards=Box(3, 40, 156, 29),
    gems=Box(3, 76, 156, 24),
    reserved=Box(167, 38, 184, 77),
    noble_left=14,
    noble_size=15,
)


@dataclass(frozen=True)
class SplendorPlaces(table.Places):
    """Where the rows of the table lie, and the panels of the seats, the viewer's first."""

    felt: Box
    nobles: list[Box]
    tiers: list[list[Box]]  # the deck and the slots of each tier
    bank: Box
    buttons: Box
    panels: list[Box]
    measures: SeatMeasures  # of each panel


def _places(num_seats: int, is_narrow: bool) -> SplendorPlaces:
    if is_narrow:
        size, felt = (table.NARROW_WIDTH, 466 + 124 * num_seats), Box(2, 24, 356, 436)
        inner, panels = felt.inset(8), Box(4, 466, 352, 124 * num_seats - 8)
        measures, card_width, noble_size, bank_height = NARROW, 60.0, 58.0, 58.0
    else:
        size, felt = (1160, 760), Box(20, 40, 596, 704)
        inner, panels = Box(48, 60, 540, 664), Box(632, 46, 504, 682)
        measures = {2: ROOMY, 3: ROOM_FOR_THREE}.get(num_seats, COMPACT)
        card_width, noble_size, bank_height = FULL_CARD_WIDTH, 86.0, 76.0
    heights = [card_width / CARD_ASPECT] * cards.NUM_TIERS
    nobles, *tiers, bank, buttons = inner.rows(noble_size, *heights, bank_height, BUTTON_HEIGHT)
    return SplendorPlaces(
        size,
        felt,
        nobles.columns(*[noble_size] * actions.MAX_NOBLES),
        [tier.columns(*[card_width] * (1 + SLOTS_PER_TIER)) for tier in reversed(tiers)],
        bank,
        buttons,
        panels.equal_rows(num_seats, gap=8),
        measures,
    )


def draw(
    state: np.record, seat: int | None = None, is_narrow: bool = False, is_live: bool = True
) -> Picture:
    """The table; nothing but the order of the decks is hidden, so all see the same."""
    num_seats = len(state["gems"])
    places = _places(num_seats, is_narrow)
    clicks = _clicks(state, seat) if is_live else {}
    shapes: list[Shape | Part] = [*places.board(places.felt), places.title(headline(state))]
    shapes += [_noble_on_table(state, slot, places) for slot in range(len(state["nobles"]))]
    for tier in range(cards.NUM_TIERS):
        shapes += _tier(state, tier, _looks(state, clicks), places.tiers[tier])
    shapes += _bank(state, places.bank)
    if actions.ACTION_NAMES[actions.PASS] in clicks:
        shapes.append(table.button("pass", "pass", *places.buttons.center, BUTTON_WIDTH))
    for index, panel in enumerate(places.panels):
        shapes += _seat(state, (index + max(0, seat or 0)) % num_seats, seat, panel, places)
    plain = {card_id(int(card)) for card in (*state["table"], *state["reserved"].flat)}
    return table.table_picture(places.size, shapes, clicks, plain=plain)


# Actions and the parts that stand for them


def _clicks(state: np.record, seat: int | None) -> dict[str, tuple[str, ...]]:
    """Gems taken and returned, one click each; a card and what to do with it."""
    legal = table.clickable(rules, state, seat, actions.NUM_ACTIONS)
    return {actions.ACTION_NAMES[action]: _clicked(state, action) for action in legal}


def _clicked(state: np.record, action: int) -> tuple[str, ...]:
    """The parts that an action of the seat to act consists of."""
    owner = int(state["seat_to_act"])
    if action < actions.RESERVE or action >= actions.COLLECT_RETURNING:
        taken, returned = actions.collection_of(action)
        return (*map(bank_id, taken), *(gems_id(owner, colour) for colour in returned))
    if action < actions.BUY:
        return (card_id(int(state["table"][action - actions.RESERVE])),) * CLICKS_ON_CARD
    if action < actions.PASS:
        for_sale = *state["table"], *state["reserved"][owner]
        return (card_id(int(for_sale[action - actions.BUY])),) * CLICKS_ON_CARD
    if action == actions.PASS:
        return ("pass",)
    if action < actions.RESERVE_RETURNING:
        return (noble_id(int(state["nobles"][action - actions.NOBLE])),)
    colour, slot = divmod(action - actions.RESERVE_RETURNING, NUM_SLOTS)
    return (*(card_id(int(state["table"][slot])),) * CLICKS_ON_CARD, gems_id(owner, colour))


def bank_id(colour: int) -> str:
    """The part that shows the gems of a colour in the bank."""
    return f"bank:{cards.GEM_COLOURS[colour]}"


def gems_id(owner: int, colour: int) -> str:
    """The part that shows the gems of a colour of a seat."""
    return f"seat:{owner}:gems:{cards.GEM_COLOURS[colour]}"


def card_id(card: int) -> str:
    """The part that shows a card."""
    return f"card:{card}"


def noble_id(noble: int) -> str:
    """The part that shows a noble."""
    return f"noble:{noble}"


# The table


def _noble_on_table(state: np.record, slot: int, places: SplendorPlaces) -> Shape | Part:
    box, noble = places.nobles[slot], int(state["nobles"][slot])
    if noble == cards.NO_NOBLE:
        return Part(f"place:{slot}", "an empty place for a noble", (table.empty_place(box),))
    return _noble(noble, box, is_marked=int(state["choice"]) >> slot & 1 == 1)


@lru_cache(maxsize=1 << 8)
def _noble(noble: int, box: Box, is_marked: bool) -> Part:
    x, y, size, _ = box
    edge, edge_width = (GOLD, 4) if is_marked else (PAPER_EDGE, 1)
    points = (x + size * 0.2, y + size * 0.22, str(cards.NOBLE_POINTS), size * 0.28)
    shapes: list[Shape] = [
        box.filled(NOBLE_PAPER, size * 0.08, edge, edge_width),
        Text(*points, palette.RIM, is_bold=True),
        *CROWN.at(x + size * 0.27, y + size * 0.68, size * 0.36),
    ]
    needs = [(colour, need) for colour, need in enumerate(cards.NOBLES[noble]) if need]
    for place, (colour, need) in enumerate(needs):
        shapes += _gem(colour, x + size * 0.78, y + size * (0.2 + 0.3 * place), size * 0.12, need)
    label = f"noble, {cards.NOBLE_POINTS} points, needs {colours_text(cards.NOBLES[noble])} cards"
    return Part(noble_id(noble), label, tuple(shapes))


def _looks(state: np.record, clicks: Mapping[str, tuple[str, ...]]) -> list[int]:
    """How each card on the table looks; OUT_OF_REACH if the seat to act cannot choose it."""
    within = {part_id for ids in clicks.values() for part_id in ids}
    looks = [BUYABLE if can_buy else PLAIN for can_buy in buyable(state)[:NUM_SLOTS]]
    for slot, card in enumerate(state["table"]):
        if clicks and not state["choice"] and card_id(int(card)) not in within:
            looks[slot] = OUT_OF_REACH
    return looks


def _tier(
    state: np.record, tier: int, looks: Sequence[int], boxes: Sequence[Box]
) -> list[Shape | Part]:
    """The deck of a tier and its four slots."""
    shapes: list[Shape | Part] = [_deck(state, tier, boxes[0])]
    for slot, box in enumerate(boxes[1:], start=tier * SLOTS_PER_TIER):
        card = int(state["table"][slot])
        if card == cards.NO_CARD:
            label = f"an empty place of tier {tier + 1}"
            shapes.append(Part(f"slot:{slot}", label, (table.empty_place(box),)))
        else:
            shapes.append(_card(card, box, looks[slot]))
    return shapes


def _deck(state: np.record, tier: int, box: Box) -> Part:
    left, (x, y) = int(state["deck_left"][tier]), box.center
    size, small = box.width * 0.33, max(MIN_TEXT, box.width * 0.15)
    shapes: tuple[Shape, ...] = (
        box.filled(palette.BACK, box.width * 0.1, PAPER, 3),
        Text(x, y - box.height * 0.1, str(left), size, CHALK, is_bold=True),
        Text(x, y + box.height * 0.2, f"tier {tier + 1}", small, BACK_INK),
    )
    if not left:
        shapes = (table.empty_place(box),)
    return Part(f"deck:{tier + 1}", f"deck of tier {tier + 1}, {count_noun(left, 'card')}", shapes)


@lru_cache(maxsize=1 << 11)
def _card(card: int, box: Box, look: int) -> Part:
    """A card: points and colour on top, the cost below."""
    tier, colour, points, cost = cards.CARDS[card]
    (x, y, width, height), scale = box, box.width / FULL_CARD_WIDTH
    edge, edge_width = (GOLD, max(4.0, 5 * scale)) if look == BUYABLE else (PAPER_EDGE, 1.0)
    band = Box(x + 5 * scale, y + 5 * scale, width - 10 * scale, 36 * scale)
    is_white = cards.COLOURS[colour] == "white"  # which is lost on the paper
    band_edge = ("#888888", 1.0) if is_white else (None, 0.0)
    shapes: list[Shape] = [
        Box(x - 1, y + 2, width + 2, height + 1).filled(palette.SHADOW, 9 * scale),
        box.filled(DIM_PAPER if look == OUT_OF_REACH else PAPER, 9 * scale, edge, edge_width),
        band.filled(FILLS[colour], 5 * scale, *band_edge),
    ]
    shapes += _outline(colour, x + width - 18 * scale, y + 23 * scale, 9 * scale, INKS[colour])
    if points:
        place = (x + 20 * scale, y + 23 * scale)
        shapes.append(Text(*place, str(points), 24 * scale, INKS[colour], is_bold=True))
    radius = 17.5 * scale  # two rows of two, to be read at arm's length
    for index, (c, count) in enumerate((c, count) for c, count in enumerate(cost) if count):
        column, row = divmod(index, 2)
        gem_x = x + radius + 8 * scale + (2 * radius + 7 * scale) * column
        gem_y = y + height - radius - 6 * scale - (2 * radius + 4 * scale) * row
        shapes += _gem(c, gem_x, gem_y, radius - 1, count)
    worth = f", {count_noun(points, 'point')}" if points else ""
    label = f"{cards.COLOURS[colour]} card of tier {tier + 1}{worth}, costs {colours_text(cost)}"
    return Part(card_id(card), label, tuple(shapes))


def _gem(colour: int, x: float, y: float, radius: float, count: int) -> tuple[Shape, ...]:
    size, text_y = max(MIN_TEXT, radius * 1.2), y + TEXT_DROPS[colour] * radius
    return (
        *_outline(colour, x, y, radius + 1, EDGES[colour]),
        *_outline(colour, x, y, radius - 0.5, FILLS[colour]),
        Text(x, text_y, str(count), size, INKS[colour], is_bold=True),
    )


def _outline(colour: int, x: float, y: float, radius: float, fill: str) -> list[Shape]:
    """The shape of the gems of a colour; a disc around it is what may be clicked."""
    if not SHAPES[colour]:
        return [Circle(x, y, radius, fill)]
    shape = polygon_mark(fill, SHAPES[colour]).at(x, y, radius)
    return [Circle(x, y, radius, palette.CLEAR), *shape]


def _bank(state: np.record, row: Box) -> list[Shape | Part]:
    """The gems of the bank, a disc a colour."""
    radius, counts = row.height / 2 - 9, cards.unpack(state["bank"])
    shapes: list[Shape | Part] = [row.filled(palette.FELT_LIGHT, 16)]
    for colour, box in enumerate(row.equal_columns(cards.NUM_GEM_COLOURS)):
        count = counts[colour]
        empty = _outline(colour, *box.center, radius, FILLS[colour] + "60")
        disc = _gem(colour, *box.center, radius, count) if count else tuple(empty)
        label = f"{count_noun(count, f'{cards.GEM_COLOURS[colour]} gem')} in the bank"
        shapes.append(Part(bank_id(colour), label, disc))
    return shapes


# The seats


def _seat(
    state: np.record, owner: int, seat: int | None, panel: Box, places: SplendorPlaces
) -> list[Shape | Part]:
    """All that a seat has, in its panel."""
    is_to_act = owner == state["seat_to_act"] and not rules.is_terminal(state)
    measures = places.measures
    shown = f"player {owner}{', you' if owner == seat and not places.is_narrow else ''}"
    points = count_noun(int(state["points"][owner]), "point")
    plate = table.seat_plate(measures.plate.moved(panel), shown, points, is_to_act)
    x, y = panel.x + measures.last_action[0], panel.y + measures.last_action[1]
    return [
        panel.filled("#ffffff0d", 14, GOLD if is_to_act else None, 2.0),
        table.seat_part(owner, seat, points, plate),
        *_holdings(state, owner, panel, measures),
        *_reserved(state, owner, is_to_act, measures.reserved.moved(panel)),
        *_won_nobles(state, owner, panel, measures),
        *_last_action(last_action_label(state, owner), x, y, measures.last_size),
    ]


def _last_action(name: str, x: float, y: float, size: float) -> list[Shape]:
    """What was done last, and below it what was returned: together they are too long for a line."""
    lines = name.replace(", returned", "\nreturned").splitlines()
    shapes: list[Shape] = []
    for index, line in enumerate(lines):
        line_y = y + 1.75 * size * (index - (len(lines) - 1) / 2)
        shapes += table.pill(x, line_y, line, palette.PANEL, CHALK, size)
    return shapes


def _holdings(
    state: np.record, owner: int, panel: Box, measures: SeatMeasures
) -> list[Shape | Part]:
    """Cards and gems by colour, one above the other."""
    num_cards, num_gems = cards.unpack(state["cards"][owner]), cards.unpack(state["gems"][owner])
    shapes: list[Shape | Part] = []
    boxes = measures.cards.moved(panel).equal_columns(cards.NUM_GEM_COLOURS)
    for colour, (count, box) in enumerate(zip(num_cards, boxes, strict=True)):
        name, size = cards.GEM_COLOURS[colour], box.height * 0.52
        card = Box.around(*box.center, box.height * 0.75, box.height)
        if not count and colour < cards.NUM_COLOURS:
            shapes.append(card.filled("#ffffff14", 4, EMPTY_EDGE, 1.5))
            shapes += _outline(colour, *card.center, card.width * 0.3 + 1, EDGES[colour])
            shapes += _outline(colour, *card.center, card.width * 0.3, FILLS[colour])
        if count:
            label = f"{count_noun(count, f'{name} card')} of player {owner}, a discount"
            ground = card.filled(FILLS[colour], 4, PAPER_EDGE, 1.5)
            middle, half = card.center[0], card.height / 4
            number = Text(middle, card.y + half, str(count), size, INKS[colour], is_bold=True)
            gem = _outline(colour, middle, card.bottom - half, half * 0.6, INKS[colour])
            shapes.append(Part(f"seat:{owner}:cards:{name}", label, (ground, number, *gem)))
    boxes = measures.gems.moved(panel).equal_columns(cards.NUM_GEM_COLOURS)
    for colour, (count, box) in enumerate(zip(num_gems, boxes, strict=True)):
        if count:
            label = f"{count_noun(count, f'{cards.GEM_COLOURS[colour]} gem')} of player {owner}"
            disc = _gem(colour, *box.center, box.height / 2, count)
            shapes.append(Part(gems_id(owner, colour), label, disc))
        else:  # a place for them, in their shape
            shapes += _outline(colour, *box.center, box.height * 0.36, "#ffffff14")
    return shapes


def _reserved(state: np.record, owner: int, is_to_act: bool, row: Box) -> list[Shape | Part]:
    """The cards that a seat has reserved, and places for others."""
    can_buy = buyable(state)[NUM_SLOTS:] if is_to_act else [False] * MAX_RESERVED
    boxes = row.columns(*[row.height * CARD_ASPECT] * MAX_RESERVED)
    shapes: list[Shape | Part] = []
    for card, box, is_marked in zip(state["reserved"][owner], boxes, can_buy, strict=True):
        if card != cards.NO_CARD:
            shapes.append(_card(int(card), box, BUYABLE if is_marked else PLAIN))
        else:
            size = max(MIN_TEXT, box.width * 0.16)
            note = Text(*box.center, "reserve", size, palette.DIM_CHALK)
            shapes += [table.empty_place(box), note]
    return shapes


def _won_nobles(state: np.record, owner: int, panel: Box, measures: SeatMeasures) -> list[Part]:
    """A small tile for each noble that a seat has received."""
    side, parts = measures.noble_size, []
    for place, noble in enumerate(nobles_won(state, owner)):
        left = panel.x + measures.noble_left + (side + 6) * place
        tile = Box(left, panel.bottom - side - 2, side, side)
        shapes = (tile.filled(NOBLE_PAPER, 3, PAPER_EDGE, 1), *CROWN.at(*tile.center, side * 0.7))
        label = f"noble of player {owner}, {cards.NOBLE_POINTS} points"
        parts.append(Part(noble_id(noble), label, shapes))
    return parts
