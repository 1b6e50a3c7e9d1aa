"""Settings of players: from text such as `a=1,b=word` to values, and checks of the values."""

import ast
from typing import Any


def parse_settings(text: str) -> dict[str, Any]:
    """Parse `a=1,b=word` into a dict; a value that is no Python literal is text.

    Raises ValueError for a part without an equals sign, and for a setting that is set twice.
    """
    settings: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise ValueError(f"a setting must be written key=value; got {part!r}")
        key = key.strip()
        if key in settings:
            raise ValueError(f"{key} is set twice in {text!r}")
        try:
            settings[key] = ast.literal_eval(value)
        except (ValueError, SyntaxError, RecursionError, MemoryError):  # the last two: nested deep
            settings[key] = value
    return settings


def checked_number(setting: str, value: Any, high: float | None = None) -> float:
    """Return a number in 0 .. `high`, by default any finite one from 0 on. Raises ValueError."""
    limits = "of 0 or more" if high is None else f"in 0 .. {high:g}"
    highest = float("inf") if high is None else high
    if not _is_number(value) or not 0 <= value <= highest or value == float("inf"):
        raise ValueError(f"{setting} must be a number {limits}; got {value!r}")
    return float(value)


def checked_above_zero(setting: str, value: Any) -> float:
    """Return a finite number above 0. Raises ValueError."""
    if not _is_number(value) or not 0 < value < float("inf"):
        raise ValueError(f"{setting} must be a number above 0; got {value!r}")
    return float(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
