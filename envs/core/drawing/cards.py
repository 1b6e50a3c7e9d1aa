"""Cards as shapes and parts, and the small emblems on them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from . import palette
from .boxes import Box
from .picture import Circle, Line, Part, Point, Polygon, Rectangle, Shape, Stamp, Text

MIN_TEXT = 11.0  # pixels; smaller text is hard to read

# Marks


@dataclass(frozen=True, eq=False)
class Mark:
    """A small emblem: shapes around (0, 0), lengths in sizes of the emblem."""

    shapes: tuple[Circle | Polygon | Rectangle, ...]

    def at(self, x: float, y: float, size: float) -> list[Shape]:
        """Return its shapes around the centre (x, y)."""
        return [_moved(shape, x, y, size) for shape in self.shapes]


def _moved(shape: Circle | Polygon | Rectangle, x: float, y: float, size: float) -> Shape:
    if isinstance(shape, Polygon):
        return Polygon(tuple((x + size * dx, y + size * dy) for dx, dy in shape.points), shape.fill)
    x, y, edge = x + size * shape.x, y + size * shape.y, size * shape.outline_width
    if isinstance(shape, Circle):
        return replace(shape, x=x, y=y, radius=size * shape.radius, outline_width=edge)
    width, height = size * shape.width, size * shape.height
    return replace(shape, x=x, y=y, width=width, height=height, outline_width=edge)


def polygon_mark(ink: str, points: Sequence[Point]) -> Mark:
    """A mark of one polygon."""
    return Mark((Polygon(tuple(points), ink),))


def disc(ink: str) -> Mark:
    """A disc."""
    return Mark((Circle(0, 0, 0.42, ink),))


def diamond(ink: str) -> Mark:
    """A rhombus."""
    return polygon_mark(ink, ((0, -0.5), (0.38, 0), (0, 0.5), (-0.38, 0)))


def heart(ink: str) -> Mark:
    """Two lobes above a point."""
    point = Polygon(((-0.46, -0.14), (0.46, -0.14), (0, 0.42)), ink)
    return Mark((Circle(-0.235, -0.14, 0.25, ink), Circle(0.235, -0.14, 0.25, ink), point))


def spade(ink: str) -> Mark:
    """A black heart upside down, on a foot."""
    point = Polygon(((-0.46, 0.14), (0.46, 0.14), (0, -0.42)), ink)
    foot = Polygon(((0, 0), (0.2, 0.5), (-0.2, 0.5)), ink)
    return Mark((Circle(-0.235, 0.14, 0.25, ink), Circle(0.235, 0.14, 0.25, ink), point, foot))


def club(ink: str) -> Mark:
    """Three discs on a foot."""
    discs = [Circle(x, y, 0.22, ink) for x, y in ((0, -0.24), (-0.24, 0.1), (0.24, 0.1))]
    return Mark((*discs, Polygon(((0, -0.1), (0.2, 0.5), (-0.2, 0.5)), ink)))


COIN = Mark(
    (
        Circle(0, 0, 0.5, palette.GOLD, palette.DARK_GOLD, 0.07),
        Circle(0, 0, 0.31, palette.LIGHT_GOLD, palette.DARK_GOLD, 0.05),
        Circle(0, 0, 0.1, palette.DARK_GOLD),
    )
)
_TIPS = ((-0.5, -0.28), (0, -0.38), (0.5, -0.28))
_ZIGZAG = ((-0.42, 0.3), _TIPS[0], (-0.22, 0), _TIPS[1], (0.22, 0), _TIPS[2], (0.42, 0.3))
CROWN = Mark(
    (
        Polygon(_ZIGZAG, palette.GOLD),
        *(Circle(x, y, 0.065, palette.GOLD) for x, y in _TIPS),
        Rectangle(-0.42, 0.3, 0.84, 0.1, palette.DARK_GOLD),
    )
)

# Cards

CARD_ASPECT = 0.68  # width / height
TWO_CORNERS = 70.0  # the least height of a card, in pixels, with its label in two corners
TWIN_STEP = 0.7  # between cards with the same face, in steps
LABEL_STEP = 0.42  # the least step that leaves a label uncovered, in card widths
LABEL_WIDTH = 16.0  # the same in pixels, for small cards
ROW_STEP, LEAST_ROW_STEP = 0.42, 20.0  # of a row behind: in card heights, and at least in pixels
LEAST_HEIGHT = 40.0  # of cards that are made smaller, in pixels
MORE_ROWS = 3  # that are tried


@dataclass(frozen=True)
class Card:
    """A card face up: a label and a mark in two corners and, larger, one of them in its middle."""

    label: str
    ink: str
    mark: Mark | None = None
    paper: str = palette.PAPER


class CardPart(NamedTuple):
    """What a card is as a part of a picture: its id and label there, and its face."""

    id: str
    label: str
    face: Card | None  # None: face down


class Hand(NamedTuple):
    """Where a hand lies: the centre of its front row, and how large its cards and rows may be."""

    x: float
    y: float
    height: float  # of a card
    width: float  # of a row
    most: int  # cards in a row


@lru_cache(maxsize=1 << 9)
def card_back(owner: int, index: int) -> CardPart:
    """A card face down; its id is its place in the hand and tells nothing of its face."""
    return CardPart(f"seat:{owner}:back:{index}", f"a card of player {owner}, face down", None)


@lru_cache(maxsize=1 << 12)
def card_shapes(
    card: Card | None, x: float, y: float, height: float, is_covered: bool = False
) -> Stamp:
    """One card by its top left corner; None is face down, a covered one shows only its corner."""
    box, edge = Box(x, y, height * CARD_ASPECT, height), max(1.0, height * 0.012)
    below = Box(x - edge, y + edge, box.width + edge, height + edge)
    shapes: list[Shape] = [
        below.filled(palette.SHADOW, height * 0.075),
        box.filled(card.paper if card else palette.PAPER, height * 0.075, palette.PAPER_EDGE, edge),
    ]
    if card is None:
        return Stamp([*shapes, *_card_back(box, edge)])
    shapes.append(
        box.inset(height * 0.045).filled(card.paper, height * 0.05, card.ink + "50", edge)
    )
    corner_size, from_edge, _ = _corner(card.label, height)
    corner_x, corner_y = x + from_edge, y + max(height * 0.175, 4 + 0.5 * corner_size)
    has_two = height >= TWO_CORNERS and not is_covered
    mark_size, (middle_x, middle_y) = max(9.0, height * (0.15 if has_two else 0.19)), box.center
    mark_y = corner_y + 0.55 * corner_size + 0.62 * mark_size
    shapes.append(Text(corner_x, corner_y, card.label, corner_size, card.ink, is_bold=True))
    if card.mark is not None:
        shapes += card.mark.at(corner_x, mark_y, mark_size)
    if is_covered:
        return Stamp(shapes)
    if has_two:
        far_x = 2 * middle_x - corner_x
        far = Text(far_x, 2 * middle_y - corner_y, card.label, corner_size, card.ink, is_bold=True)
        shapes.append(far)
        if card.mark is not None:
            shapes += card.mark.at(far_x, 2 * middle_y - mark_y, mark_size)
    return Stamp([*shapes, *_card_middle(card, box)])


def _corner(label: str, height: float) -> tuple[float, float, float]:
    """The size of the label in a corner, its middle from the card's edge, and half its width."""
    size = max(MIN_TEXT, height * (0.215 if len(label) == 1 else 0.185))
    half = 0.29 * size * len(label)
    return size, max(height * 0.165, 3 + half), half


def _card_middle(card: Card, box: Box) -> list[Shape]:
    """The mark of a card, or its label, drawn large."""
    (x, y), height = box.center, box.height
    if height < TWO_CORNERS:
        x, y = x + height * 0.1, y + height * 0.16  # away from the only corner
    if card.mark is not None:  # between those in the corners
        return card.mark.at(x, y, height * (0.26 if height >= TWO_CORNERS else 0.36))
    if height * 0.38 < MIN_TEXT * 1.4:
        return []  # the label in the corner is enough
    return [Text(x, y, card.label, height * 0.34, card.ink)]


def _card_back(box: Box, edge: float) -> list[Shape]:
    field, line, (x, y) = box.inset(box.height * 0.07), box.inset(box.height * 0.14), box.center
    corners = ((x, line.y), (line.right, y), (x, line.bottom), (line.x, y))
    return [
        field.filled(palette.BACK, box.height * 0.045),
        Line((*corners, corners[0]), palette.BACK_LINE, edge),
        Circle(x, y, box.height * 0.07, palette.BACK_LINE),
    ]


@lru_cache(maxsize=1 << 10)
def counted(
    label: str, ink: str, count: int, most: int, place: tuple[float, float, float]
) -> Stamp:
    """A label and below it a dot for each of `most` cards, bright for `count` of them.

    `place` is the centre of the label and the size of its text.
    """
    x, y, size = place
    shapes: list[Shape] = [Text(x, y, label, size, ink, is_bold=count > 0)]
    for index in range(most):
        row, column = divmod(index, 2)
        dot_x, dot_y = x + size * (0.54 * column - 0.27), y + size * (0.8 + 0.65 * row)
        shapes.append(Circle(dot_x, dot_y, size * 0.21, ink if index < count else palette.NO_DOT))
    return Stamp(shapes)


# Rows of cards


@lru_cache(maxsize=1 << 9)  # most hands stay as they are from one ply to the next
def card_row(
    cards: tuple[CardPart, ...],
    x: float,
    y: float,
    height: float,
    width: float,
    spread: float = 0.72,
    is_behind: bool = False,
) -> tuple[Part, ...]:
    """Cards side by side around the centre (x, y), overlapping, never wider than `width`.

    `spread` is the widest step from card to card, in card widths; above 1 the cards do not overlap.
    A row that `is_behind` another shows the upper corners alone.
    Equal faces lie closer together than different ones if there is room.
    """
    card_width = height * CARD_ASPECT
    for twin_step in (TWIN_STEP if spread < 1 else 1.0, 1.0):
        places = _places(cards, twin_step)
        step = min(card_width * spread, (width - card_width) / max(places[-1], 1.0))
        if step * twin_step >= max(card_width * LABEL_STEP, LABEL_WIDTH):
            break
    first = x - card_width / 2 - step * places[-1] / 2
    parts = []
    for index, card in enumerate(cards):
        is_covered = is_behind or (index < len(cards) - 1 and step < card_width)
        left = first + step * places[index]
        shapes = card_shapes(card.face, left, y - height / 2, height, is_covered)
        parts.append(Part(card.id, card.label, shapes))
    return tuple(parts)


def card_rows(cards: Sequence[CardPart], hand: Hand) -> list[Part]:
    """Cards in rows of about equal length, one behind the other.

    A row behind shows the labels of its cards. Where too many are side by side for their labels,
    the cards are smaller and lie in more rows.
    """
    num_rows, height = _rows_and_height(cards, hand)
    step = max(height * ROW_STEP, LEAST_ROW_STEP)
    parts: list[Part] = []
    for row in range(num_rows):
        first, last = (len(cards) * k // num_rows for k in (row, row + 1))
        y = hand.y + (hand.height - height) / 2 - step * (num_rows - 1 - row)
        in_row, is_behind = tuple(cards[first:last]), row < num_rows - 1
        parts += card_row(in_row, hand.x, y, height, hand.width, is_behind=is_behind)
    return parts


def _rows_and_height(cards: Sequence[CardPart], hand: Hand) -> tuple[int, float]:
    """The number of rows in which cards are largest that leave their labels uncovered."""
    fewest = -(-len(cards) // hand.most) or 1
    labels = {card.face.label for card in cards if card.face is not None}
    if not labels:
        return fewest, hand.height
    _, middle, half = _corner(max(labels, key=len), hand.height)
    label_end = middle + half

    def height(num_rows: int) -> float:
        num_steps = -(-len(cards) // num_rows) - 1
        width = label_end * num_steps + hand.height * CARD_ASPECT
        scale = min(hand.width / width, 1 / (1 + ROW_STEP * (num_rows - fewest)))
        return min(hand.height, max(LEAST_HEIGHT, hand.height * scale))

    num_rows = max(range(fewest, fewest + MORE_ROWS), key=height)
    return num_rows, height(num_rows)


def _places(cards: Sequence[CardPart], twin_step: float) -> list[float]:
    """The place of each card in a row, in steps; face-down cards do not count as equal."""
    places = [0.0]
    for card, following in pairwise(cards):
        is_twin = card.face is not None and card.face == following.face
        places.append(places[-1] + (twin_step if is_twin else 1.0))
    return places
