"""Words and numbers as people and errors show them."""

import math
from typing import Any

import numpy as np

LONGEST_VALUE = 60  # characters of a wrong value that an error shows


def count_noun(number: int, noun: str) -> str:
    """`1 point`, `2 points`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def shortened(value: Any) -> str:
    """Return a wrong value as an error shows it."""
    text = repr(value)
    return text if len(text) <= LONGEST_VALUE else text[:LONGEST_VALUE] + "..."


def is_index(value: Any, limit: float = math.inf) -> bool:
    """Return whether a value from outside is an integer, not a bool, and 0 <= value < limit."""
    is_integer = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return is_integer and 0 <= value < limit
