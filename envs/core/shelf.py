"""Arrays that are given away, and given again once nobody holds them.

A large new array costs more than what is written to it, because the system clears its memory page
by page. An array whose holders have all let go of it needs no clearing. An array for each row costs
more than what is copied to it, because Python makes and frees an object.
"""

import sys
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

_MOST = 4  # arrays on a shelf; who keeps more gets new ones
FEW_ROWS = 32  # fewer new arrays cost less than to find out who holds old ones


class Shelf:
    """Equal arrays: `take` returns one that nobody else holds, nor a part of it.

    Give callers a view of it. Its shape and flags are theirs to change; those of the array stay.
    """

    def __init__(self, make: Callable[[], np.ndarray]) -> None:
        self._make = make
        self._arrays: list[np.ndarray] = []

    def take(self) -> np.ndarray:
        """Return an array with any values."""
        for index in range(len(self._arrays)):
            if _holders(self._arrays, index) == _NOBODY:
                return self._arrays[index]
        array = self._make()
        if len(self._arrays) < _MOST:
            self._arrays.append(array)
        return array

    def __getstate__(self) -> dict[str, object]:
        return {"_make": self._make, "_arrays": []}


def _holders(arrays: list[np.ndarray] | np.ndarray, index: int) -> int:
    """Return how many references there are to an array; each view of it has one too."""
    return sys.getrefcount(arrays[index])


_NOBODY = _holders([np.empty(0)], 0)  # what it returns where only the list has one


class RowShelf:
    """An array [N, ...] to write to, of which `give` returns rows, each an array of its own."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype) -> None:
        self._shape, self._dtype = shape, dtype
        self._sheet = self._new_sheet(shape[0])  # that is written to
        self._ready: _Sheet | None = None
        self._given: list[_Sheet] = []  # the last one last

    @property
    def array(self) -> np.ndarray:
        """What to write to until rows are given."""
        return self._sheet.array

    def prepare(self) -> None:
        """Do what can be done before `give`, perhaps while another thread writes to the array."""
        if self._ready is None:
            for index, sheet in enumerate(self._given):
                if sheet.take_back():
                    self._ready = self._given.pop(index)
                    return

    def give(self, rows: np.ndarray) -> np.ndarray:
        """Return objects [N]: what is in `rows` [K], K > 0, to keep, and None elsewhere."""
        num_rows = len(rows)
        if num_rows < FEW_ROWS:
            given = np.empty(self._shape[0], object)
            given[rows] = np.fromiter(self.array.take(rows, axis=0), object, num_rows)
            return given
        self.prepare()
        sheet, self._ready = self._ready, None
        if sheet is None or len(sheet.array) < num_rows:
            sheet = self._new_sheet(num_rows)
        if num_rows == self._shape[0]:
            sheet, self._sheet = self._sheet, sheet
        else:  # by "clip", because all other modes copy twice
            self._sheet.array.take(rows, 0, sheet.array[:num_rows], "clip")
        self._given.append(sheet)
        del self._given[:-_MOST]
        return sheet.give(rows)

    def _new_sheet(self, num_rows: int) -> "_Sheet":
        array = np.empty((num_rows, *self._shape[1:]), self._dtype)
        return _Sheet(array, np.empty(self._shape[0], object))

    def __reduce__(self) -> tuple[Any, ...]:
        return RowShelf, (self._shape, self._dtype)


class _Sheet:
    """An array [K, ...], an array for each of its rows, and objects [N] to give them in."""

    def __init__(self, array: np.ndarray, given: np.ndarray) -> None:
        self.array = array
        self._given = given  # None everywhere
        self._places = np.arange(0)  # of the first rows of the array, where they are given

    @cached_property
    def _rows(self) -> np.ndarray:
        """Views of the array, object [K], each made once: new ones would cost what this saves."""
        return np.fromiter(self.array, object, len(self.array))

    def give(self, places: np.ndarray) -> np.ndarray:
        """Return the objects, with the first rows of the array at these places."""
        self._places = places
        self._given[places] = self._rows[: len(places)]
        return self._given[:]

    def take_back(self) -> bool:
        """Return whether nobody holds what was given, nor a part of it: it can be given again."""
        is_kept = sys.getrefcount(self._given) != _NOBODY
        if is_kept or _holders(self._rows, 0) > _NOBODY + 1:  # the first is also in `_given`
            return False
        self._given[self._places] = None
        rows = self._rows[: len(self._places)]
        is_kept = sys.getrefcount(self.array) != _NOBODY + len(self._rows)
        if is_kept or sum(map(sys.getrefcount, rows)) != _NOBODY * len(rows):
            return False
        self._given.fill(None)  # its holders may have written to it
        return True
