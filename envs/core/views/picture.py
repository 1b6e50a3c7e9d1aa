"""A picture as plain data: shapes on a background, and the usual parts of card games.

A game's `draw` makes a `Picture` without any drawing library; `render` turns it into pixels.
Lengths are in pixels, y grows downwards, colours are "#rrggbb" or "#rrggbbaa".
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

Point = tuple[float, float]


@dataclass(frozen=True)
class Rectangle:
    """A rectangle by its top left corner; `radius` rounds the corners."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    radius: float = 0.0
    outline: str | None = None
    outline_width: float = 0.0


@dataclass(frozen=True)
class Circle:
    """A disc by its centre."""

    x: float
    y: float
    radius: float
    fill: str
    outline: str | None = None
    outline_width: float = 0.0


@dataclass(frozen=True)
class Line:
    """A stroke through two or more points."""

    points: tuple[Point, ...]
    color: str
    width: float


@dataclass(frozen=True)
class Polygon:
    """A filled outline through three or more points."""

    points: tuple[Point, ...]
    fill: str


@dataclass(frozen=True)
class Text:
    """One line of ASCII text, with capitals centred on `y`; `anchor` is the place of `x` in it."""

    x: float
    y: float
    text: str
    size: float
    color: str
    anchor: str = "middle"  # "start", "middle" or "end"
    is_bold: bool = False


Shape = Rectangle | Circle | Line | Polygon | Text


@dataclass(frozen=True)
class Part:
    """Shapes that are one thing: a card, a pile, a button.

    Its `id` stays the same in the next picture, wherever the thing then lies, so that a move can be
    animated. It reveals no more than the shapes. A screen reader says the `label`.
    """

    id: str
    label: str
    shapes: tuple[Shape, ...]


@dataclass(frozen=True)
class Picture:
    """Shapes on a background, back to front.

    `clicks` gives, for each legal action that can be chosen in the picture, the ids of the parts
    that stand for it, in any order: an action of three gems is three clicks.
    """

    width: int
    height: int
    background: str
    shapes: tuple[Shape | Part, ...]
    clicks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def all_shapes(self) -> Iterator[Shape]:
        """The shapes, those of the parts among them, back to front."""
        for shape in self.shapes:
            if isinstance(shape, Part):
                yield from shape.shapes
            else:
                yield shape


# Marks: small emblems, drawn around a centre

Mark = Callable[[float, float, float], list[Shape]]

GOLD = "#d9a441"
DARK_GOLD = "#8f6216"
SHADOW = "#0000002e"


def coin(x: float, y: float, size: float) -> list[Shape]:
    """A gold coin, `size` across."""
    radius = size / 2
    return [
        Circle(x, y, radius, GOLD, DARK_GOLD, size * 0.07),
        Circle(x, y, radius * 0.62, "#f0cb75", DARK_GOLD, size * 0.05),
        Circle(x, y, radius * 0.2, DARK_GOLD),
    ]


def crown(x: float, y: float, size: float) -> list[Shape]:
    """A gold crown, `size` wide."""
    outline = ((-0.42, 0.3), (-0.5, -0.28), (-0.22, 0.0), (0.0, -0.38), (0.22, 0.0), (0.5, -0.28))
    points = tuple((x + size * dx, y + size * dy) for dx, dy in (*outline, (0.42, 0.3)))
    tips = [Circle(px, py, size * 0.065, GOLD) for px, py in (points[1], points[3], points[5])]
    band = Rectangle(x - size * 0.42, y + size * 0.3, size * 0.84, size * 0.1, DARK_GOLD)
    return [Polygon(points, GOLD), *tips, band]


# Cards

CARD_ASPECT = 0.68  # width / height
TWIN_STEP = 0.7  # between cards with the same face, in steps
LABEL_STEP = 0.42  # the least step that leaves a label uncovered, in card widths
PAPER = "#fbf7ec"
PAPER_EDGE = "#b9b09a"
BACK = "#28456e"
BACK_LINE = "#6f8fbd"


@dataclass(frozen=True)
class Card:
    """A card face up: a label in its corner and, larger, in its middle, or a mark there."""

    label: str
    ink: str
    mark: Mark | None = None
    paper: str = PAPER


def card_shapes(
    card: Card | None, x: float, y: float, height: float, is_covered: bool = False
) -> list[Shape]:
    """One card by its top left corner; None is face down, a covered one shows only its corner."""
    width = height * CARD_ASPECT
    radius = height * 0.075
    edge = max(1.0, height * 0.012)
    shapes: list[Shape] = [
        Rectangle(x - edge, y + edge, width + edge, height + edge, SHADOW, radius)
    ]
    if card is None:
        return shapes + _card_back(x, y, width, height, radius, edge)
    shapes.append(Rectangle(x, y, width, height, card.paper, radius, PAPER_EDGE, edge))
    shapes.append(_card_frame(card, x, y, width, height, edge))
    corner_x, corner_y = x + height * 0.165, y + height * 0.175
    corner_size = height * (0.215 if len(card.label) == 1 else 0.185)
    shapes.append(Text(corner_x, corner_y, card.label, corner_size, card.ink, is_bold=True))
    if card.mark is not None:
        shapes += card.mark(corner_x, corner_y + height * 0.225, height * 0.19)
    if is_covered:
        return shapes
    middle_x, middle_y = x + width * 0.54, y + height * 0.62
    if card.mark is not None:
        return shapes + card.mark(middle_x, middle_y, height * 0.38)
    return [*shapes, Text(middle_x, middle_y, card.label, height * 0.38, card.ink)]


def _card_frame(
    card: Card, x: float, y: float, width: float, height: float, edge: float
) -> Rectangle:
    inset = height * 0.045
    inner_width, inner_height = width - 2 * inset, height - 2 * inset
    color = card.ink + "50"
    return Rectangle(
        x + inset, y + inset, inner_width, inner_height, card.paper, height * 0.05, color, edge
    )


def _card_back(
    x: float, y: float, width: float, height: float, radius: float, edge: float
) -> list[Shape]:
    inset = height * 0.07
    inner_width, inner_height = width - 2 * inset, height - 2 * inset
    middle_x, middle_y = x + width / 2, y + height / 2
    diamond = (
        (middle_x, y + inset * 2),
        (x + width - inset * 2, middle_y),
        (middle_x, y + height - inset * 2),
        (x + inset * 2, middle_y),
    )
    return [
        Rectangle(x, y, width, height, PAPER, radius, PAPER_EDGE, edge),
        Rectangle(x + inset, y + inset, inner_width, inner_height, BACK, radius * 0.6),
        Line((*diamond, diamond[0]), BACK_LINE, edge),
        Circle(middle_x, middle_y, height * 0.07, BACK_LINE),
    ]


def small_card_shapes(card: Card, x: float, y: float, height: float) -> list[Shape]:
    """A small card that shows only its label, by its top left corner."""
    width = height * CARD_ASPECT
    return [
        Rectangle(x - 1, y + 1, width + 1, height + 1, SHADOW, height * 0.1),
        Rectangle(x, y, width, height, card.paper, height * 0.1, PAPER_EDGE, 1),
        Text(x + width / 2, y + height / 2, card.label, height * 0.38, card.ink, is_bold=True),
    ]


def card_row(
    cards: Sequence[Card | None],
    x: float,
    y: float,
    height: float,
    width: float,
    spread: float = 0.72,
) -> list[Shape]:
    """Cards side by side around the centre (x, y), overlapping, never wider than `width`.

    `spread` is the widest step from card to card, in card widths; above 1 the cards do not overlap.
    Equal faces lie closer together than different ones if there is room.
    """
    card_width = height * CARD_ASPECT
    room = width - card_width
    places = _places(cards, TWIN_STEP if spread < 1 else 1.0)
    if room * TWIN_STEP < places[-1] * card_width * LABEL_STEP:
        places = _places(cards, 1.0)
    step = min(card_width * spread, room / max(places[-1], 1.0))
    first = x - card_width / 2 - step * places[-1] / 2
    shapes: list[Shape] = []
    for index, card in enumerate(cards):
        is_covered = index < len(cards) - 1 and step < card_width
        left = first + step * places[index]
        shapes += card_shapes(card, left, y - height / 2, height, is_covered)
    return shapes


def _places(cards: Sequence[Card | None], twin_step: float) -> list[float]:
    """The place of each card in a row, in steps; face-down cards do not count as equal."""
    places = [0.0]
    for card, following in pairwise(cards):
        is_twin = card is not None and card == following
        places.append(places[-1] + (twin_step if is_twin else 1.0))
    return places


# The table

RIM = "#4a2f1d"
RIM_LIGHT = "#6b4529"
FELT = "#1f5c46"
FELT_LIGHT = "#266a52"
ROOM = "#17211e"
CHALK = "#e9efe6"
DIM_CHALK = "#9dbcae"


def table_shapes(width: float, height: float, margin: float) -> list[Shape]:
    """A felt table with a wooden rim and round ends, `margin` from the picture's edges."""
    shapes: list[Shape] = []
    layers = ((-6, "#00000030"), (0, RIM), (5, RIM_LIGHT), (14, RIM), (18, FELT), (46, FELT_LIGHT))
    for inset, fill in layers:
        gap = margin + inset
        inner_height = height - 2 * gap
        shapes.append(Rectangle(gap, gap, width - 2 * gap, inner_height, fill, inner_height / 2))
    return shapes


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


def seat_plate(
    x: float, y: float, width: float, name: str, badge: str, is_to_act: bool
) -> list[Shape]:
    """A plate around the centre (x, y) with a seat's name and, at its end, a short badge."""
    height = 28.0
    fill, ink, edge = (
        ("#f2c14e", "#2b1d05", "#fff1c4") if is_to_act else ("#0e2b22", CHALK, "#3d7d66")
    )
    left, radius = x - width / 2, height / 2
    shapes: list[Shape] = [
        Rectangle(left - 1, y - radius + 2, width + 2, height, SHADOW, radius),
        Rectangle(left, y - radius, width, height, fill, radius, edge, 1.5),
        Text(left + 14, y, name, 15, ink, "start", is_bold=is_to_act),
    ]
    if badge:
        badge_width = max(height - 6, 10 + 8.5 * len(badge))
        badge_x = left + width - 3 - badge_width
        shapes += [
            Rectangle(badge_x, y - radius + 3, badge_width, height - 6, "#00000038", radius - 3),
            Text(badge_x + badge_width / 2, y, badge, 14, ink, is_bold=True),
        ]
    return shapes


def pill(x: float, y: float, text: str, fill: str, ink: str, size: float = 14) -> list[Shape]:
    """A short text on a rounded background around the centre (x, y)."""
    width, height = 18 + 0.56 * size * len(text), size * 1.7
    ground = Rectangle(x - width / 2, y - height / 2, width, height, fill, height / 2)
    return [ground, Text(x, y, text, size, ink)]
