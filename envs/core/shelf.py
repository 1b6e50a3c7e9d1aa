"""Arrays that are given away, and given again once nobody holds them.

A large new array costs more than what is written to it, because the system clears its memory page
by page. An array whose holders have all let go of it needs no clearing.
"""

import sys
from collections.abc import Callable

import numpy as np

_MOST = 4  # arrays on a shelf; who keeps more gets new ones


class Shelf:
    """Equal arrays: `take` returns one that nobody else holds, nor a part of it."""

    def __init__(self, make: Callable[[], np.ndarray]) -> None:
        self._make = make
        self._arrays: list[np.ndarray] = []

    def take(self) -> np.ndarray:
        """Return an array with any values, for the caller to keep."""
        for index in range(len(self._arrays)):
            if _holders(self._arrays, index) == _NOBODY:
                return self._arrays[index]
        array = self._make()
        if len(self._arrays) < _MOST:
            self._arrays.append(array)
        return array

    def __getstate__(self) -> dict[str, object]:
        return {"_make": self._make, "_arrays": []}


def _holders(arrays: list[np.ndarray], index: int) -> int:
    """Return how many references there are to an array; each view of it has one too."""
    return sys.getrefcount(arrays[index])


_NOBODY = _holders([np.empty(0)], 0)  # what it returns where only the list has one
