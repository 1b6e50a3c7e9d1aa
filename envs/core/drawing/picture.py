"""A picture as plain data: shapes on a background, parts made of them, and what clicks mean.

A game's `draw` makes a `Picture` without any drawing library; `render` turns it into pixels.
Lengths are in pixels, y grows downwards, colours are "#rrggbb" or "#rrggbbaa".
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

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


class Stamp(tuple[Shape, ...]):
    """Shapes that are drawn again and again, such as a card at its place in a hand.

    The same object stands for them in every picture, so that `render` makes SVG of them once.
    """

    svg: str | None = None  # kept by `render`


@dataclass(frozen=True)
class Part:
    """Shapes that are one thing: a card, a pile, a button.

    Its `id` stays the same in the next picture, wherever the thing then lies, so that a move can be
    animated. It reveals no more than the shapes. A screen reader says the `label`.
    """

    id: str
    label: str
    shapes: tuple[Shape, ...]
    svg: str | None = field(default=None, init=False, repr=False, compare=False)  # as in Stamp


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
