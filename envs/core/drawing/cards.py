"""Cards as shapes and parts, and the small emblems on them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from .picture import Circle, Line, Part, Polygon, Rectangle, Shape, Stamp, Text

MIN_TEXT = 11.0  # pixels; smaller text is hard to read

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


def polygon_mark(ink: str, outline: Sequence[tuple[float, float]]) -> Mark:
    """A mark of one polygon; its points are in sizes of the mark, from its centre."""

    def mark(x: float, y: float, size: float) -> list[Shape]:
        return [Polygon(tuple((x + size * dx, y + size * dy) for dx, dy in outline), ink)]

    return mark


def spade(ink: str) -> Mark:
    """A black heart upside down, on a foot."""

    def mark(x: float, y: float, size: float) -> list[Shape]:
        foot = ((0.0, 0.0), (0.2, 0.5), (-0.2, 0.5))
        return [*_lobes(ink, x, y, size, -1.0), *polygon_mark(ink, foot)(x, y, size)]

    return mark


def heart(ink: str) -> Mark:
    """Two lobes above a point."""
    return lambda x, y, size: _lobes(ink, x, y, size, 1.0)


def _lobes(ink: str, x: float, y: float, size: float, down: float) -> list[Shape]:
    """Two discs side by side and the point they run into, below (1) or above (-1)."""
    radius, discs_y = size * 0.25, y - down * size * 0.14
    point = ((-0.46, 0.0), (0.46, 0.0), (0.0, 0.56))
    tip = tuple((x + size * dx, discs_y + down * size * dy) for dx, dy in point)
    return [
        Circle(x - size * 0.235, discs_y, radius, ink),
        Circle(x + size * 0.235, discs_y, radius, ink),
        Polygon(tip, ink),
    ]


def club(ink: str) -> Mark:
    """Three discs on a foot."""

    def mark(x: float, y: float, size: float) -> list[Shape]:
        discs = ((0.0, -0.24), (-0.24, 0.1), (0.24, 0.1))
        foot = ((0.0, -0.1), (0.2, 0.5), (-0.2, 0.5))
        leaves: list[Shape] = [
            Circle(x + size * dx, y + size * dy, size * 0.22, ink) for dx, dy in discs
        ]
        return leaves + polygon_mark(ink, foot)(x, y, size)

    return mark


def disc(ink: str) -> Mark:
    """A disc."""
    return lambda x, y, size: [Circle(x, y, size * 0.42, ink)]


def diamond(ink: str) -> Mark:
    """A rhombus."""
    return polygon_mark(ink, ((0.0, -0.5), (0.38, 0.0), (0.0, 0.5), (-0.38, 0.0)))


# Cards

CARD_ASPECT = 0.68  # width / height
TWIN_STEP = 0.7  # between cards with the same face, in steps
LABEL_STEP = 0.42  # the least step that leaves a label uncovered, in card widths
LABEL_WIDTH = 16.0  # the same in pixels, for small cards
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


class CardPart(NamedTuple):
    """What a card is as a part of a picture: its id and label there, and its face."""

    id: str
    label: str
    face: Card | None  # None: face down


@lru_cache(maxsize=1 << 9)
def card_back(owner: int, index: int) -> CardPart:
    """A card face down; its id is its place in the hand and tells nothing of its face."""
    return CardPart(f"seat:{owner}:back:{index}", f"a card of player {owner}, face down", None)


@lru_cache(maxsize=1 << 12)
def card_shapes(
    card: Card | None, x: float, y: float, height: float, is_covered: bool = False
) -> Stamp:
    """One card by its top left corner; None is face down, a covered one shows only its corner."""
    width = height * CARD_ASPECT
    radius = height * 0.075
    edge = max(1.0, height * 0.012)
    shadow = Rectangle(x - edge, y + edge, width + edge, height + edge, SHADOW, radius)
    if card is None:
        return Stamp([shadow, *_card_back(x, y, width, height, radius, edge)])
    shapes: list[Shape] = [
        shadow,
        Rectangle(x, y, width, height, card.paper, radius, PAPER_EDGE, edge),
        _card_frame(card, x, y, width, height, edge),
    ]
    corner_size = max(MIN_TEXT, height * (0.215 if len(card.label) == 1 else 0.185))
    corner_x = x + max(height * 0.165, 3 + 0.29 * corner_size * len(card.label))
    corner_y = y + max(height * 0.175, 4 + 0.5 * corner_size)
    shapes.append(Text(corner_x, corner_y, card.label, corner_size, card.ink, is_bold=True))
    if card.mark is not None:
        mark_size = max(9.0, height * 0.19)
        shapes += card.mark(corner_x, corner_y + 0.55 * corner_size + 0.62 * mark_size, mark_size)
    return Stamp(shapes if is_covered else [*shapes, *_card_middle(card, x, y, height)])


def _card_middle(card: Card, x: float, y: float, height: float) -> list[Shape]:
    """The mark of a card, or its label, drawn large."""
    width = height * CARD_ASPECT
    if card.mark is not None:
        return card.mark(x + width * 0.64, y + height * 0.66, height * 0.36)
    if height * 0.38 < MIN_TEXT * 1.4:
        return []  # the label in the corner is enough
    return [Text(x + width * 0.54, y + height * 0.64, card.label, height * 0.38, card.ink)]


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
    corners = (
        (middle_x, y + inset * 2),
        (x + width - inset * 2, middle_y),
        (middle_x, y + height - inset * 2),
        (x + inset * 2, middle_y),
    )
    return [
        Rectangle(x, y, width, height, PAPER, radius, PAPER_EDGE, edge),
        Rectangle(x + inset, y + inset, inner_width, inner_height, BACK, radius * 0.6),
        Line((*corners, corners[0]), BACK_LINE, edge),
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
    cards: Sequence[CardPart],
    x: float,
    y: float,
    height: float,
    width: float,
    spread: float = 0.72,
) -> list[Part]:
    """Cards side by side around the centre (x, y), overlapping, never wider than `width`.

    `spread` is the widest step from card to card, in card widths; above 1 the cards do not overlap.
    Equal faces lie closer together than different ones if there is room.
    """
    return list(_card_row(tuple(cards), x, y, height, width, spread))


@lru_cache(maxsize=1 << 9)  # most hands stay as they are from one ply to the next
def _card_row(
    cards: tuple[CardPart, ...], x: float, y: float, height: float, width: float, spread: float
) -> tuple[Part, ...]:
    card_width = height * CARD_ASPECT
    room = width - card_width
    for twin_step in (TWIN_STEP if spread < 1 else 1.0, 1.0):
        places = _places(cards, twin_step)
        step = min(card_width * spread, room / max(places[-1], 1.0))
        if step * twin_step >= max(card_width * LABEL_STEP, LABEL_WIDTH):
            break
    first = x - card_width / 2 - step * places[-1] / 2
    parts = []
    for index, card in enumerate(cards):
        is_covered = index < len(cards) - 1 and step < card_width
        left = first + step * places[index]
        shapes = card_shapes(card.face, left, y - height / 2, height, is_covered)
        parts.append(Part(card.id, card.label, shapes))
    return tuple(parts)


def card_rows(
    cards: Sequence[CardPart],
    x: float,
    y: float,
    height: float,
    width: float,
    most_in_row: int,
    spread: float = 0.72,
) -> list[Part]:
    """Cards in rows of about equal length, one behind the other; (x, y) is the front row's centre.

    A row behind shows the labels of its cards.
    """
    num_rows = -(-len(cards) // most_in_row) or 1
    visible = row_step(height)
    parts: list[Part] = []
    for row in range(num_rows):
        first, last = (len(cards) * k // num_rows for k in (row, row + 1))
        raised = visible * (num_rows - 1 - row)
        parts += card_row(cards[first:last], x, y - raised, height, width, spread)
    return parts


def row_step(height: float) -> float:
    """The visible part of a card behind another row, with cards of this height."""
    return max(height * 0.42, 20.0)


def _places(cards: Sequence[CardPart], twin_step: float) -> list[float]:
    """The place of each card in a row, in steps; face-down cards do not count as equal."""
    places = [0.0]
    for card, following in pairwise(cards):
        is_twin = card.face is not None and card.face == following.face
        places.append(places[-1] + (twin_step if is_twin else 1.0))
    return places
