"""The table and what lies around it: seats, plates, buttons, and marks on what may be played."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..bits import allowed_list, mask_words
from .cards import MIN_TEXT, SHADOW
from .picture import Circle, Part, Picture, Point, Rectangle, Shape, Stamp, Text

RIM = "#4a2f1d"
RIM_LIGHT = "#6b4529"
FELT = "#174a39"
FELT_LIGHT = "#1b5340"
ROOM = "#17211e"
PANEL = "#0e2b22"
CHALK = "#e9efe6"
DIM_CHALK = "#b9d3c6"
LIGHT_GOLD = "#f0cb75"
YELLOW, YELLOW_INK = "#f2c14e", "#2b1d05"
LEGAL = "#58c8f2"  # the outline of what may be clicked

NARROW_WIDTH = 360  # pixels of a picture for a phone
PLATE_HEIGHT = 28.0
SMALL_HEIGHT = 40.0  # of the other seats' cards in such a picture


def table_shapes(width: float, height: float, margin: float) -> list[Shape]:
    """A felt table with a wooden rim and round ends, `margin` from the picture's edges."""
    shapes: list[Shape] = []
    layers = ((-6, "#00000030"), (0, RIM), (5, RIM_LIGHT), (14, RIM), (18, FELT), (46, FELT_LIGHT))
    for inset, fill in layers:
        gap = margin + inset
        inner_height = height - 2 * gap
        shapes.append(Rectangle(gap, gap, width - 2 * gap, inner_height, fill, inner_height / 2))
    return shapes


# Places


class CardRow(NamedTuple):
    """The height of the cards in a row, and how many lie in one row at most."""

    height: float
    most: int


@dataclass(frozen=True)
class SeatPlace:
    """Where the things of a seat lie, by their centres; the hand by that of its front row."""

    hand: Point
    hand_width: float
    cards: CardRow
    plate: Point
    plate_width: float
    action: Point


@dataclass(frozen=True)
class Layout:
    """The size of a picture, its middle, and the places of its seats."""

    size: tuple[int, int]
    center: Point
    seats: Sequence[SeatPlace]

    @property
    def is_narrow(self) -> bool:
        """Whether the picture is for a phone."""
        return self.size[0] == NARROW_WIDTH

    @property
    def plate_height(self) -> float:
        """The height of the seats' plates."""
        return 24.0 if self.is_narrow else PLATE_HEIGHT

    def ground(self, headline: str) -> list[Shape | Part]:
        """The table, and a line of text above it."""
        width, height = self.size
        if not self.is_narrow:
            title = Text(20, 18, headline, 16, DIM_CHALK, "start")
            return [*table_shapes(width, height, 52), title]
        size = min(13.0, (width - 16) / (0.53 * len(headline)))
        return [
            Rectangle(2, 24, width - 4, height - 26, RIM, 12),
            Rectangle(5, 27, width - 10, height - 32, FELT, 9),
            Text(8, 13, headline, max(MIN_TEXT, size), DIM_CHALK, "start"),
        ]


def around_places(
    num_seats: int,
    first: int,
    *,
    center: Point,
    half_width: float,
    half_height: float,
    hand_width: float,
    cards: CardRow,
    action_share: float = 0.5,
) -> list[SeatPlace]:
    """The places in a wide picture: around a table, each seat with its plate below its hand.

    The seats at the top and at the bottom have room for wider hands. `action_share` says how far
    from a seat to the middle its last action lies.
    """
    return [
        SeatPlace(
            (x, y - 12),
            hand_width if abs(x - center[0]) > 1 else min(1.5 * hand_width, 800.0),
            cards,
            (x, y + cards.height / 2 + 2),
            200.0,
            toward((x, y), center, action_share),
        )
        for x, y in seats_around(num_seats, center, half_width, half_height, first)
    ]


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


def toward(place: Point, target: Point, fraction: float) -> Point:
    """Return the point at this fraction of the way from one place to another."""
    return (
        place[0] + (target[0] - place[0]) * fraction,
        place[1] + (target[1] - place[1]) * fraction,
    )


def stacked_places(
    num_seats: int,
    first: int,
    *,
    top: float,
    row_height: float,
    bottom: float,
    cards: CardRow,
    columns: int = 1,
    most_in_small_row: int = 16,
) -> list[SeatPlace]:
    """The places in a narrow picture: `first` at the bottom, above it the others in rows.

    The others follow clockwise from the top left; their rows start at `top`. The plate of `first`
    ends at `bottom`.
    """
    cell_width = (NARROW_WIDTH - 16) / columns
    plate_width = 122.0 if columns == 1 else 100.0
    own_plate_y = bottom - 13
    own_hand = (NARROW_WIDTH / 2, own_plate_y - 20 - cards.height / 2)
    own = SeatPlace(
        own_hand,
        NARROW_WIDTH - 20,
        cards,
        (72, own_plate_y),
        124.0,
        (230, own_plate_y),
    )
    places, small = [own], CardRow(SMALL_HEIGHT, most_in_small_row)
    for index in range(num_seats - 1):
        row, column = divmod(index, columns)
        left, y = 8 + cell_width * column, top + row_height * row
        hand = (left + cell_width / 2, y + row_height - 6 - SMALL_HEIGHT / 2)
        plate = (left + 2 + plate_width / 2, y + 12)
        action = (left + (plate_width + cell_width) / 2, y + 12)
        places.append(SeatPlace(hand, cell_width - 8, small, plate, plate_width, action))
    return places[-first % num_seats :] + places[: -first % num_seats] if first else places


# Plates, buttons and notes


@lru_cache(maxsize=1 << 12)
def seat_plate(
    x: float,
    y: float,
    width: float,
    name: str,
    badge: str,
    is_to_act: bool,
    height: float = PLATE_HEIGHT,
) -> Stamp:
    """A plate around the centre (x, y) with a seat's name and, at its end, a short badge."""
    fill, ink, edge = (YELLOW, YELLOW_INK, "#fff1c4") if is_to_act else (PANEL, CHALK, "#3d7d66")
    left, radius, size = x - width / 2, height / 2, max(MIN_TEXT, height * 0.53)
    shapes: list[Shape] = [
        Rectangle(left - 1, y - radius + 2, width + 2, height, SHADOW, radius),
        Rectangle(left, y - radius, width, height, fill, radius, edge, 1.5),
        Text(left + height / 2, y, name, size, ink, "start", is_bold=is_to_act),
    ]
    if badge:
        badge_width = max(height - 6, 10 + 0.58 * size * len(badge))
        badge_x = left + width - 3 - badge_width
        ground = "#0000001c" if is_to_act else "#00000038"
        shapes += [
            Rectangle(badge_x, y - radius + 3, badge_width, height - 6, ground, radius - 3),
            Text(badge_x + badge_width / 2, y, badge, size, ink, is_bold=True),
        ]
    return Stamp(shapes)


@lru_cache(maxsize=1 << 10)
def button(part_id: str, text: str, x: float, y: float, width: float, height: float = 34.0) -> Part:
    """A button around the centre (x, y)."""
    ground = Rectangle(
        x - width / 2, y - height / 2, width, height, "#143d5c", height * 0.3, "#8fb4d4", 1.5
    )
    shapes = Stamp([ground, Text(x, y, text, 14, "#ffffff", is_bold=True)])
    return Part(part_id, text, shapes)


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
    width, height = 18 + 0.56 * size * len(text), size * 1.7
    ground = Rectangle(x - width / 2, y - height / 2, width, height, fill, height / 2)
    return [ground, Text(x, y, text, size, ink)]


# Legal actions


def legal_list(legal_actions: Callable[..., Any], state: np.record, num_actions: int) -> list[int]:
    """The legal actions of a position where a seat is to act, in ascending order."""
    mask = np.zeros(mask_words(num_actions), np.int64)
    legal_actions(state, mask)
    return allowed_list(mask)


def table_picture(
    size: tuple[int, int],
    shapes: Sequence[Shape | Part],
    clicks: Mapping[str, tuple[str, ...]],
    background: str = ROOM,
) -> Picture:
    """A picture in which the parts that stand for legal actions are outlined."""
    chosen = {part_id for ids in clicks.values() for part_id in ids}
    marked = [
        outlined(shape) if isinstance(shape, Part) and shape.id in chosen else shape
        for shape in shapes
    ]
    return Picture(*size, background, tuple(marked), clicks)


def outlined(part: Part) -> Part:
    """Draw the outline of what may be clicked around the part's largest disc or rectangle."""
    return replace(part, shapes=_with_outline(part.shapes))


@lru_cache(maxsize=1 << 12)
def _with_outline(shapes: tuple[Shape, ...]) -> Stamp:
    bodies = [
        shape for shape in shapes if isinstance(shape, Rectangle | Circle) and shape.fill != SHADOW
    ]
    body = max(bodies, key=_area)
    if isinstance(body, Circle):
        body = replace(body, radius=body.radius + 1.5)
    else:
        x, y, width, height = body.x - 2, body.y - 2, body.width + 4, body.height + 4
        body = replace(body, x=x, y=y, width=width, height=height, radius=body.radius + 2)
    edge = replace(body, fill="#00000000", outline=LEGAL, outline_width=3.0)
    return Stamp([*shapes, edge])


def _area(shape: Rectangle | Circle) -> float:
    if isinstance(shape, Circle):
        return math.pi * shape.radius**2
    return shape.width * shape.height
