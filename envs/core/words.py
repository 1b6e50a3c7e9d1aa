"""Words and numbers as people and errors show them."""

import math
from collections.abc import Collection, Iterable
from difflib import get_close_matches
from typing import Any

import numpy as np

LONGEST_VALUE = 60  # characters of a wrong value that an error shows

_LEAST_SIMILARITY = 0.65  # of a known name to one that is given in its place


def count_noun(number: int, noun: str) -> str:
    """`1 point`, `2 points`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def did_you_mean(unknown: str, known: Iterable[str]) -> str:
    """Return `did you mean 'lowest'? `, to go before the known names, or "" where none is close."""
    close = get_close_matches(str(unknown).lower(), list(known), 1, _LEAST_SIMILARITY)
    return f"did you mean {close[0]!r}? " if close else ""


def check_setting_names(who: str, given: Iterable[str], known: Collection[str]) -> None:
    """Raise TypeError where one of the `given` names is no setting of `who`."""
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise TypeError(
            f"{who} has no setting {', '.join(map(repr, unknown))}; "
            f"{did_you_mean(unknown[0], known)}its settings are {', '.join(known) or 'none'}"
        )


def shortened(value: Any) -> str:
    """Return a wrong value as an error shows it."""
    text = repr(value)
    return text if len(text) <= LONGEST_VALUE else text[:LONGEST_VALUE] + "..."


def is_index(value: Any, limit: float = math.inf) -> bool:
    """Return whether a value from outside is an integer, not a bool, and 0 <= value < limit."""
    is_integer = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return is_integer and 0 <= value < limit
