"""The table and what lies around it: seats, plates, buttons, and marks on what may be played."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..bits import allowed_list, mask_words
from . import palette
from .boxes import Box
from .cards import CARD_ASPECT, MIN_TEXT, Hand, card_shapes
from .picture import Circle, Part, Picture, Point, Rectangle, Shape, Stamp, Text

NARROW_WIDTH = 360  # pixels of a picture for a phone
NARROW_LETTERS = 60  # of a line of text in it
SMALL_HEIGHT = 40.0  # of the other seats' cards in such a picture


@dataclass(frozen=True)
class Places:
    """The size of a picture, in pixels; games add where their things lie."""

    size: tuple[int, int]

    @property
    def is_narrow(self) -> bool:
        """Whether the picture is for a phone."""
        return self.size[0] == NARROW_WIDTH

    def title(self, headline: str) -> Text:
        """A line of text above the table."""
        if not self.is_narrow:
            return Text(20, 18, headline, 16, palette.DIM_CHALK, "start")
        if len(headline) > NARROW_LETTERS:  # without "trick 3 of 10"
            headline = headline.partition(": ")[2] or headline
        size = min(13.0, (NARROW_WIDTH - 16) / (0.53 * len(headline)))
        return Text(8, 13, headline, max(MIN_TEXT, size), palette.DIM_CHALK, "start")

    def board(self, box: Box) -> list[Shape]:
        """A felt with corners in a wooden rim."""
        radius, rim = (12, 3) if self.is_narrow else (26, 7)
        inner = box.inset(rim).filled(palette.FELT, radius - rim)
        return [box.filled(palette.RIM, radius), inner]


# A table with cards in hands


class SeatPlace(NamedTuple):
    """Where the hand of a seat lies, its plate, and the centre of its last action."""

    hand: Hand
    plate: Box
    action: Point


@dataclass(frozen=True)
class CardTable(Places):
    """A picture with a hand of cards for each seat; `center` is between all hands."""

    center: Point
    seats: Sequence[SeatPlace]

    def ground(self, headline: str) -> list[Shape | Part]:
        """The table, and a line of text above it."""
        whole = Box(0, 0, *self.size)
        if self.is_narrow:
            felt = self.board(Box(2, 24, whole.width - 4, whole.height - 26))
        else:
            felt = _round_table(whole.inset(52))
        return [*felt, self.title(headline)]


def _round_table(box: Box) -> list[Shape]:
    """A felt with round ends in a wooden rim."""
    shadow, rim = (-6, "#00000030"), ((0, palette.RIM), (5, palette.RIM_LIGHT), (14, palette.RIM))
    layers = (shadow, *rim, (18, palette.FELT), (46, palette.FELT_LIGHT))
    return [box.inset(gap).filled(fill, box.height / 2 - gap) for gap, fill in layers]


class WideHands(NamedTuple):
    """The measures of a wide table; seats at the top and at the bottom have wider hands."""

    hand_width: float
    card_height: float
    most: int  # cards in a row; in wider hands more
    half_width: float = 320.0  # from the middle to the seats
    half_height: float = 236.0


class NarrowHands(NamedTuple):
    """The measures of a narrow table."""

    height: int  # of the picture
    row_height: float  # of another seat
    card_height: float  # in the hand at the bottom
    most: int  # cards in a row of that hand
    most_small: int = 16  # cards in a row of another
    columns: int = 1  # other seats side by side
    center_x: float = NARROW_WIDTH / 2


def card_table(num_seats: int, seat: int | None, measures: WideHands | NarrowHands) -> CardTable:
    """The table as `seat`, or for a spectator seat 0, sees it: that seat is at the bottom."""
    if isinstance(measures, WideHands):
        return _wide_table(num_seats, max(0, seat or 0), measures)
    return _narrow_table(num_seats, max(0, seat or 0), measures)


def _wide_table(num_seats: int, first: int, measures: WideHands) -> CardTable:
    """Seats around a table, each with its plate below its hand.

    The last action lies below the plate, of seats in the lower half above the hand; the viewer's
    hand has room above it for badges of the page.
    """
    size, center = (1080, 740), (540.0, 372.0)
    width, height, most, half_width, half_height = measures
    places = []
    for x, y in seats_around(num_seats, center, half_width, half_height, first):
        wider = 1.5 if num_seats > 5 else 1.9
        row_width = width if abs(x - center[0]) > 1 else min(wider * width, 800.0)
        hand = Hand(x, y - 12, height, row_width, round(most * row_width / width))
        plate = Box.around(x, y + height / 2 + 2, 200, 28)
        above = hand.y - height / 2 - (46 if row_width > width else 18)
        action_y = plate.bottom + 18 if y <= center[1] else above
        places.append(SeatPlace(hand, plate, (x, action_y)))
    return CardTable(size, center, places)


def seats_around(
    num_seats: int, center: Point, half_width: float, half_height: float, first: int = 0
) -> list[Point]:
    """The place of each seat: `first` nearest to the viewer, the others clockwise."""
    places = []
    for seat in range(num_seats):
        angle = math.pi / 2 + 2 * math.pi * ((seat - first) % num_seats) / num_seats
        along, down = math.cos(angle), math.sin(angle)
        # A superellipse: seats come nearer to the corners than on an ellipse.
        x = math.copysign(abs(along) ** 0.8, along) if abs(along) > 1e-9 else 0.0
        y = math.copysign(abs(down) ** 0.8, down) if abs(down) > 1e-9 else 0.0
        places.append((center[0] + half_width * x, center[1] + half_height * y))
    return places


def _narrow_table(num_seats: int, first: int, measures: NarrowHands) -> CardTable:
    """`first` at the bottom, above it the others in rows, clockwise from the top left."""
    height, row_height, card_height, most, most_small, columns, center_x = measures
    plate = Box(10, height - 33, 124, 24)
    hand_y = plate.y - 8 - card_height / 2
    hand = Hand(NARROW_WIDTH / 2, hand_y, card_height, NARROW_WIDTH - 20, most)
    places = [SeatPlace(hand, plate, (203, plate.center[1]))]
    num_rows = -(-(num_seats - 1) // columns)
    bottom = 32 + row_height * num_rows
    for row in Box(8, 32, NARROW_WIDTH - 16, bottom - 32).equal_rows(num_rows):
        for cell in row.equal_columns(columns):
            plate = Box(cell.x + 2, cell.y, 122 if columns == 1 else 100, 24)
            y = cell.bottom - 6 - SMALL_HEIGHT / 2
            hand = Hand(cell.center[0], y, SMALL_HEIGHT, cell.width - 8, most_small)
            action = ((plate.right + cell.right) / 2, plate.center[1])
            places.append(SeatPlace(hand, plate, action))
    seats = [places[(seat - first) % num_seats] for seat in range(num_seats)]
    return CardTable((NARROW_WIDTH, height), (center_x, (bottom + height - 160) / 2), seats)


# Plates, buttons and notes


@lru_cache(maxsize=1 << 12)
def seat_plate(box: Box, name: str, badge: str, is_to_act: bool) -> Stamp:
    """A plate with a seat's name and, at its end, a short badge."""
    fill, ink, edge = palette.PANEL, palette.CHALK, palette.PANEL_EDGE
    if is_to_act:
        fill, ink, edge = palette.YELLOW, palette.YELLOW_INK, palette.YELLOW_EDGE
    x, y, width, height = box
    radius, size = height / 2, max(MIN_TEXT, height * 0.53)
    shapes: list[Shape] = [
        Rectangle(x - 1, y + 2, width + 2, height, palette.SHADOW, radius),
        box.filled(fill, radius, edge, 1.5),
        Text(x + radius, y + radius, name, size, ink, "start", is_bold=is_to_act),
    ]
    if badge:
        badge_width = max(height - 6, 10 + 0.58 * size * len(badge))
        ground = Box(box.right - 3 - badge_width, y + 3, badge_width, height - 6)
        shapes.append(ground.filled("#0000001c" if is_to_act else "#00000038", radius - 3))
        shapes.append(Text(*ground.center, badge, size, ink, is_bold=True))
    return Stamp(shapes)


def seat_part(owner: int, seat: int | None, holds: str, plate: Stamp, name: str = "") -> Part:
    """The plate of a seat, with what a screen reader says of it; `seat` looks at the picture."""
    you = ", you" if owner == seat else ""
    return Part(f"seat:{owner}", f"{name or f'player {owner}'}{you}: {holds}", plate)


@lru_cache(maxsize=1 << 10)
def button(part_id: str, text: str, x: float, y: float, width: float, height: float = 34.0) -> Part:
    """A button around the centre (x, y)."""
    box = Box.around(x, y, width, height)
    ground = box.filled(palette.BUTTON, height * 0.3, palette.BUTTON_EDGE, 1.5)
    label = Text(x, y, text, 14, palette.BUTTON_INK, is_bold=True)
    return Part(part_id, text, Stamp([ground, label]))


def flowing_buttons(
    names: Sequence[str], left: float, top: float, width: float
) -> tuple[list[Part], int]:
    """A button for each of these actions, in rows; also the y at which they end."""
    x, y, height, gap = left, top, 34.0, 8.0
    buttons = []
    for name in names:
        button_width = min(width, 30 + 8.5 * len(name))
        if x > left and x + button_width > left + width:
            x, y = left, y + height + gap
        middle = x + button_width / 2
        buttons.append(button(f"action:{name}", name, middle, y + height / 2, button_width))
        x += button_width + gap
    return buttons, round(y + height if names else top)


def pill(x: float, y: float, text: str, fill: str, ink: str, size: float = 14) -> list[Shape]:
    """A short text on a rounded background around the centre (x, y)."""
    box = Box.around(x, y, 18 + 0.56 * size * len(text), size * 1.7)
    return [box.filled(fill, box.height / 2), Text(x, y, text, size, ink)]


def pile(x: float, y: float, height: float, count: int) -> list[Shape]:
    """Cards face down on a pile, the lowest around (x, y); at most eight can be told apart."""
    width = height * CARD_ASPECT
    return [
        shape
        for layer in range(min(count, 8))
        for shape in card_shapes(None, x - width / 2, y - height * (0.5 + 0.05 * layer), height)
    ]


def empty_place(box: Box) -> Rectangle:
    """A place where a card can lie."""
    return box.filled(palette.EMPTY, 9, palette.EMPTY_EDGE, 2)


# Legal actions


def clickable(rules: Any, state: np.record, seat: int | None, num_actions: int) -> list[int]:
    """The actions that `seat` (None: the seat to act) can choose in a picture, ascending.

    `rules` is the module with the rules of the game.
    """
    actor = int(rules.seat_to_act(state))
    if rules.is_terminal(state) or actor < 0 or seat not in (None, actor):
        return []
    mask = np.zeros(mask_words(num_actions), np.int64)
    rules.legal_actions(state, mask)
    return allowed_list(mask)


def table_picture(
    size: tuple[int, int],
    shapes: Sequence[Shape | Part],
    clicks: Mapping[str, tuple[str, ...]],
    background: str = palette.ROOM,
    plain: Collection[str] = (),
) -> Picture:
    """A picture in which the parts that stand for legal actions are outlined, but for `plain`."""
    chosen = {part_id for ids in clicks.values() for part_id in ids}.difference(plain)
    marked = [
        replace(shape, shapes=_with_outline(shape.shapes))
        if isinstance(shape, Part) and shape.id in chosen
        else shape
        for shape in shapes
    ]
    return Picture(*size, background, tuple(marked), clicks)


@lru_cache(maxsize=1 << 12)
def _with_outline(shapes: tuple[Shape, ...]) -> Stamp:
    """Add the outline of what may be clicked around a part's first disc or rectangle."""
    bodies = (shape for shape in shapes if isinstance(shape, Rectangle | Circle))
    body = next(shape for shape in bodies if shape.fill != palette.SHADOW)
    if isinstance(body, Circle):
        edge: Shape = Circle(body.x, body.y, body.radius + 1.5, palette.CLEAR, palette.LEGAL, 3.0)
    else:
        box = Box(body.x, body.y, body.width, body.height).inset(-2)
        edge = box.filled(palette.CLEAR, body.radius + 2, palette.LEGAL, 3.0)
    return Stamp([*shapes, edge])
