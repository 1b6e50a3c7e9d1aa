"""The messages that a client may send, checked and counted before anything is done with them.

docs/protocol.md describes both directions.
"""

import json
import re
import time
from collections.abc import Callable
from typing import Any

MAX_BYTES = 4096  # of one message

# Fields by type of message, with the type of each value; a field after "?" may be left out.
_FIELDS: dict[str, dict[str, type]] = {
    "sit": {"token": str, "?is_narrow": bool, "?has_data": bool},
    "look": {"is_narrow": bool, "?seat": int},
    "look_back": {"ply": int},
    "act": {"ply": int, "action": str},
    "undo": {},
    "redo": {},
    "hint": {"player": str, "?second": str},
    "no_hint": {},
    "judge": {"ply": int},
    "explain": {"ply": int},
    "review": {"?all": bool},
    "share": {},
    "resign": {},
    "take": {"seat": int, "name": str},
    "again": {"deal": str, "?turned": bool, "?ply": int},
    "take_over": {"seat": int, "player": str},
}
NEW_DEAL, SAME_DEAL = "new", "same"

MAX_EXACT = 2**53  # the numbers that JavaScript keeps exactly
_LARGE = re.compile(r"-?\d{16,18}\d?")


def sent_exactly(data: Any) -> Any:
    """Return plain data with each number that a page would round as a text of its digits."""
    return _each(data, lambda one: str(one) if type(one) is int and abs(one) > MAX_EXACT else one)


def read_exactly(data: Any) -> Any:
    """Return what `sent_exactly` was given."""
    return _each(data, lambda one: int(one) if _LARGE.fullmatch(str(one)) else one)


def _each(data: Any, change: Callable[[Any], Any]) -> Any:
    """Return plain data with everything in it changed that is no object and no list."""
    if isinstance(data, dict):
        return {name: _each(one, change) for name, one in data.items()}
    return [_each(one, change) for one in data] if isinstance(data, list) else change(data)


def title(name: str) -> str:
    """A game's name as a heading."""
    return name.replace("_", " ").title()


class Refused(Exception):
    """A request that cannot be granted; the text is for the person."""


class BadMessage(ValueError):
    """A message that is not in the protocol; its text helps the author of the client."""


def parse(text: str | bytes) -> dict[str, Any]:
    """Return a checked message. Raises BadMessage."""
    if len(text) > MAX_BYTES:
        raise BadMessage(f"a message has at most {MAX_BYTES} bytes")
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise BadMessage("a message is a JSON object") from None
    if not isinstance(message, dict):
        raise BadMessage("a message is a JSON object")
    kind = message.get("type")
    if not isinstance(kind, str) or kind not in _FIELDS:
        raise BadMessage(f"type is one of {', '.join(_FIELDS)}")
    _check_fields(kind, message)
    return message


def _check_fields(kind: str, message: dict[str, Any]) -> None:
    allowed = {name.removeprefix("?"): form for name, form in _FIELDS[kind].items()}
    for name in _FIELDS[kind]:
        if not name.startswith("?") and name not in message:
            raise BadMessage(f"{kind} needs {name}")
    for name, value in message.items():
        if name == "type":
            continue
        if name not in allowed:
            raise BadMessage(f"{kind} has fields {', '.join(allowed) or 'none'}, not that one")
        if type(value) is not allowed[name]:
            raise BadMessage(f"{name} of {kind} is of type {allowed[name].__name__}")
        if isinstance(value, str) and any("\ud800" <= letter <= "\udfff" for letter in value):
            raise BadMessage(f"{name} of {kind} has half a character")


class Allowance:
    """A token bucket: `burst` events at once, and `a_second` per second on average."""

    def __init__(self, a_second: float, burst: float) -> None:
        self.a_second, self.burst = a_second, burst
        self._left, self._time = burst, time.monotonic()

    def take(self) -> bool:
        """Use one; return whether there was one."""
        now = time.monotonic()
        self._left = min(self.burst, self._left + (now - self._time) * self.a_second)
        self._time = now
        if self._left < 1:
            return False
        self._left -= 1
        return True

    def give_back(self) -> None:
        """Let the last event cost nothing."""
        self._left += 1
