"""Boxes that divide into rows and columns: where the things of a picture lie."""

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from .picture import Point, Rectangle


class Box(NamedTuple):
    """A part of a picture by its top left corner, in pixels."""

    x: float
    y: float
    width: float
    height: float

    @classmethod
    def around(cls, x: float, y: float, width: float, height: float) -> "Box":
        """Return the box with the centre (x, y)."""
        return cls(x - width / 2, y - height / 2, width, height)

    @property
    def center(self) -> Point:
        """The point in the middle."""
        return self.x + self.width / 2, self.y + self.height / 2

    @property
    def right(self) -> float:
        """The x of the right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The y of the lower edge."""
        return self.y + self.height

    def inset(self, gap: float) -> "Box":
        """Return the box whose edges lie `gap` further in, or further out if it is negative."""
        return Box(self.x + gap, self.y + gap, self.width - 2 * gap, self.height - 2 * gap)

    def moved(self, outer: "Box") -> "Box":
        """Return this box, relative to the corner of `outer`, in the picture's coordinates."""
        return self._replace(x=outer.x + self.x, y=outer.y + self.y)

    def rows(self, *heights: float) -> list["Box"]:
        """Return boxes of these heights from the top edge to the lower one, with equal gaps."""
        tops = _starts(self.y, self.height, heights)
        return [Box(self.x, y, self.width, h) for y, h in zip(tops, heights, strict=True)]

    def columns(self, *widths: float) -> list["Box"]:
        """Return boxes of these widths from the left edge to the right one, with equal gaps.

        The gaps are negative, so that the boxes overlap, if there is too little room.
        """
        lefts = _starts(self.x, self.width, widths)
        return [Box(x, self.y, w, self.height) for x, w in zip(lefts, widths, strict=True)]

    def equal_rows(self, number: int, gap: float = 0.0) -> list["Box"]:
        """Divide the box into rows of one height."""
        return self.rows(*[(self.height - gap * (number - 1)) / number] * number)

    def equal_columns(self, number: int, gap: float = 0.0) -> list["Box"]:
        """Divide the box into columns of one width."""
        return self.columns(*[(self.width - gap * (number - 1)) / number] * number)

    def filled(
        self, fill: str, radius: float = 0.0, outline: str | None = None, outline_width: float = 0.0
    ) -> Rectangle:
        """Return the box as a shape, with rounded corners of this radius."""
        return Rectangle(*self, fill, radius, outline, outline_width)


def _starts(start: float, length: float, sizes: Sequence[float]) -> list[float]:
    """Return where things of these sizes begin that are spread evenly over a length."""
    gap = (length - sum(sizes)) / max(len(sizes) - 1, 1)
    ends = accumulate([size + gap for size in sizes], initial=start)
    return list(ends)[: len(sizes)]
