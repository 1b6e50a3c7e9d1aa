"""Legal moves in few lines: grouped by kind and numbered; moves that begin alike are folded."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

FOLDED = ".."  # after the common beginning of several moves
NOTE = f"{FOLDED} stands for several moves: type its beginning to see them"
_BETWEEN = "  "


class Move(NamedTuple):
    """A legal move with the number that stands for it."""

    number: int
    name: str
    action: int


def in_order(names: Iterable[tuple[str, int]]) -> list[Move]:
    """Number moves, given as names and actions, so that those that begin alike are neighbours."""
    moves = list(names)
    first: dict[tuple[str, str], int] = {}
    for place, (name, _) in enumerate(moves):
        first.setdefault((_kind(name), ""), place)
        first.setdefault((_kind(name), _word(name)), place)
    moves.sort(key=lambda move: (first[_kind(move[0]), ""], first[_kind(move[0]), _word(move[0])]))
    return [Move(number, *move) for number, move in enumerate(moves, start=1)]


def move_lines(moves: Sequence[Move], width: int, room: int) -> list[str]:
    """Return moves in at most `room` lines of `width` where that is possible, else in full.

    Each kind begins a line. Where that takes too many, moves whose first word is the same are
    folded, and at last all moves of a kind.
    """
    for beginning in (str, _word, lambda name: _kind(name) or name):
        lines = _lines(moves, beginning, width)
        if len(lines) <= room:
            return lines
    return _lines(moves, str, width)


def _lines(moves: Sequence[Move], beginning: Callable[[str], str], width: int) -> list[str]:
    """Return the lines with all moves of the same `beginning` as one item."""
    lines: list[str] = []
    for _, kind in groupby(moves, key=lambda move: _kind(move.name)):
        groups = [[*group] for _, group in groupby(kind, key=lambda move: beginning(move.name))]
        lines += wrapped([_item(group, beginning) for group in groups], width)
    return [*lines, NOTE] if any(FOLDED in line for line in lines) else lines


def _item(group: Sequence[Move], beginning: Callable[[str], str]) -> str:
    move, *others = group
    return f"{beginning(move.name)}{FOLDED}" if others else f"{move.number}) {move.name}"


def _kind(name: str) -> str:
    """Return what a name says up to its colon."""
    return "".join(name.partition(":")[:2]) if ":" in name else ""


def _word(name: str) -> str:
    return name.partition(" ")[0]


def wrapped(items: Iterable[str], width: int) -> Iterator[str]:
    """Lay items out side by side, in lines of at most this width where they fit at all."""
    line = ""
    for item in items:
        joined = f"{line}{_BETWEEN}{item}" if line else item
        if line and len(joined) > width:
            yield line
            line = item
        else:
            line = joined
    yield line
