"""Legal moves in few lines: grouped by kind and numbered; moves that begin alike are folded."""

from collections.abc import Iterable, Iterator, Sequence
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
    kinds = {kind: place for place, kind in reversed([*enumerate(_kind(n) for n, _ in moves)])}
    words = {word: place for place, word in reversed([*enumerate(_word(n) for n, _ in moves)])}
    moves.sort(key=lambda move: (kinds[_kind(move[0])], words[_word(move[0])]))
    return [Move(number, *move) for number, move in enumerate(moves, start=1)]


def move_lines(moves: Sequence[Move], width: int, room: int) -> list[str]:
    """Return moves in at most `room` lines of `width` where that is possible, else in full.

    At first every kind has its own line; then moves whose first word is the same are folded, and
    at last whole kinds, those with most moves first.
    """
    kinds = [list(group) for _, group in groupby(moves, key=lambda move: _kind(move.name))]
    in_full = [_items(kind) for kind in kinds]
    by_word = [_items_by_word(kind) for kind in kinds]
    layouts = [in_full, by_word]
    for kind in sorted(kinds, key=len, reverse=True):
        layouts.append([*layouts[-1]])
        layouts[-1][kinds.index(kind)] = _whole(kind)
    for groups in layouts:
        note = [NOTE] if any(FOLDED in item for items in groups for item in items) else []
        for lines in (_separate(groups, width), _joined(groups, width)):
            if len(lines) + len(note) <= room:
                return lines + note
    return _joined(in_full, width)


def _kind(name: str) -> str:
    """What a name says before its colon."""
    kind, colon, _ = name.partition(":")
    return kind if colon else ""


def _word(name: str) -> str:
    return name.partition(" ")[0]


# Items of a line: what all names of a group begin with is written once, before the first


def _items(moves: Sequence[Move]) -> list[str]:
    start = _start([move.name for move in moves])
    items = [f"{move.number}) {move.name[len(start) :]}" for move in moves]
    return _led(start, items)


def _items_by_word(moves: Sequence[Move]) -> list[str]:
    words = [list(group) for _, group in groupby(moves, key=lambda move: _word(move.name))]
    if len(words) == 1:
        return _items(moves)
    start = _start([_word(move.name) for move in moves])
    return _led(start, [_one(group, start) for group in words])


def _one(group: Sequence[Move], start: str) -> str:
    """The moves that share a first word, as one item."""
    if len(group) == 1:
        return f"{group[0].number}) {group[0].name[len(start) :]}"
    return f"{_word(group[0].name)[len(start) :]}{FOLDED}"


def _whole(kind: Sequence[Move]) -> list[str]:
    """All moves of a kind as one item."""
    start = _start([move.name for move in kind])
    return [f"{start}{FOLDED} ({len(kind)} moves)"] if start else _items(kind)


def _start(names: Sequence[str]) -> str:
    """What several names begin with, up to a colon or a space."""
    if len(names) == 1:
        return ""
    first, last = min(names), max(names)
    length = next(
        (k for k, pair in enumerate(zip(first, last, strict=False)) if len({*pair}) > 1), 0
    )
    common = first[: length or len(first)]
    return common[: 1 + max(common.rfind(":"), common.rfind(" "))]


def _led(start: str, items: list[str]) -> list[str]:
    return [f"{start} {items[0]}", *items[1:]] if start else items


# Items in lines


def _separate(groups: Iterable[Sequence[str]], width: int) -> list[str]:
    return [line for items in groups for line in filled(items, width)]


def _joined(groups: Iterable[Sequence[str]], width: int) -> list[str]:
    return list(filled([item for items in groups for item in items], width))


def filled(items: Iterable[str], width: int) -> Iterator[str]:
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
