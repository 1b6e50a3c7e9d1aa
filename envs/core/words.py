"""Words and numbers as people and errors show them."""

import math
import re
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

LONGEST_VALUE = 60  # characters of a wrong value that an error shows

YOU = "You"  # the name of the seat that looks

_LEAST_SIMILARITY = 0.65  # of a known name to one that is given in its place
# A seat in a text of a game, with a verb, or with the spaces that align what follows.
_SEAT = re.compile(r"player (\d+)(?:, you\b| \(you\))?( {2,}| (?:is|has|[a-z]+s)\b)?")
_YOUR_VERBS = {" is": " are", " has": " have"}


class Scale(NamedTuple):
    """What people read in place of an expected return: `zero + per_return * value`, in a text."""

    zero: float
    per_return: float
    text: str = "{} % to win"
    loss: str = "{} %"
    digits: int = 0

    def words(self, value: float) -> str:
        """Return a value in words: "61 % to win"."""
        return self.text.format(f"{self.zero + self.per_return * value:.{self.digits}f}")

    def loss_words(self, loss: float) -> str:
        """Return a difference of values in words: "6 %"."""
        amount = abs(self.per_return) * loss
        digits = self.digits + (amount < 10**-self.digits)
        return self.loss.format(f"{amount:.{digits}f}")


def in_words(name: str) -> str:
    """A code name as a heading: "set_keeper" as "Set keeper"."""
    text = name.replace("_", " ")
    return text[:1].upper() + text[1:]


def how_to_install(extra: str) -> str:
    """Return the command that installs an extra: from a checkout, as Parlour is on no index."""
    checkout = Path(__file__).resolve().parents[2]
    is_checkout = (checkout / "pyproject.toml").is_file()
    return f"pip install '{checkout if is_checkout else '/path/to/parlour'}[{extra}]'"


def with_names(text: str, names: Sequence[str]) -> str:
    """Return a text of a game with the names of the seats in place of "player 0" and so on.

    The seat called `YOU` is spoken to: "player 0 leads" becomes "You lead".
    """

    def named(match: re.Match[str]) -> str:
        seat, rest = int(match[1]), match[2] or ""
        if seat >= len(names):
            return match[0]
        name = names[seat]
        if rest.isspace():  # a column: what follows stays where it is
            return f"{name[: len(match[0]) - 1]:<{len(match[0])}}"
        if name.lower() != YOU.lower():
            return name + rest
        is_inside = re.match(r"[\w,:;] ", text[max(0, match.start() - 2) :])
        return ("you" if is_inside else YOU) + _YOUR_VERBS.get(rest, rest.removesuffix("s"))

    return _SEAT.sub(named, text)


def count_noun(number: int, noun: str) -> str:
    """`1 point`, `2 points`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def did_you_mean(unknown: str, names: Iterable[str]) -> str:
    """Return `did you mean 'lowest'? `, to go before the names, or "" where none is close."""
    close = get_close_matches(str(unknown).lower(), list(names), 1, _LEAST_SIMILARITY)
    return f"did you mean {close[0]!r}? " if close else ""


def check_setting_names(who: str, names: Iterable[str], allowed: Collection[str]) -> None:
    """Raise TypeError where one of the `names` is no setting of `who`."""
    unknown = sorted(set(names) - set(allowed))
    if unknown:
        raise TypeError(
            f"{who} has no setting {', '.join(map(repr, unknown))}; "
            f"{did_you_mean(unknown[0], allowed)}its settings are {', '.join(allowed) or 'none'}"
        )


def shortened(value: Any) -> str:
    """Return a wrong value as an error shows it."""
    text = repr(value)
    return text if len(text) <= LONGEST_VALUE else text[:LONGEST_VALUE] + "..."


def visible(text: str) -> str:
    """Return a text of others as a terminal may get it: control characters as escapes, in lines."""
    if text.isprintable():
        return text
    is_kept = (letter.isprintable() or letter in "\n\t" for letter in text)
    pairs = zip(text, is_kept, strict=True)
    return "".join(one if keep else one.encode("unicode_escape").decode() for one, keep in pairs)


def is_index(value: Any, limit: float = math.inf) -> bool:
    """Return whether a value from outside is an integer, not a bool, and 0 <= value < limit."""
    is_integer = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return is_integer and 0 <= value < limit
