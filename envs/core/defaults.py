"""Default functions of a `Game`, for those that its author leaves out."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from .bits import WORD_BITS
from .compile import rule
from .fields import Field
from .words import did_you_mean, is_index

MANY_NAMES = 8  # that an error lists


@rule
def nothing_is_unseen(state, seat, rng):
    """Leave the position alone: every seat knows all of it."""


def any_position(state: np.record) -> None:
    """Take every position whose numbers are in range."""


def derived(*arguments: Any) -> Any:
    """Stand for a function that `Game` makes from its other functions."""
    raise NotImplementedError


def name_as_label(action_name: Callable[[int], str], state: np.record, action: int) -> str:
    """Return the name of an action as a label, with spaces in place of underscores."""
    return action_name(action).replace("_", " ")


def no_score(state: np.record, seat: int) -> str:
    """Return "": the game has no other score than its returns."""
    return ""


def deal_from_fields(
    deal: Callable[..., Any], fields: Sequence[Field], state: np.record, data: Any, rng: np.record
) -> None:
    """Deal, then overwrite the given state fields: `{"heaps": [3, 4, 5]}`.

    Raises ValueError for a field that the state does not have and for numbers that do not fit its
    shape or range. A game in which such numbers can still be impossible needs its own `deal_from`.
    """
    by_name = {field.name: field for field in fields}
    if not isinstance(data, dict) or not data or not set(data) <= set(by_name):
        raise ValueError(f"a deal is a dict of {', '.join(by_name)}; got {data!r}")
    values = {name: fitting(by_name[name], field_data) for name, field_data in data.items()}
    deal(state, rng)
    for name, value in values.items():
        state[name] = value


def fitting(field: Field, data: Any) -> np.ndarray:
    """Return the numbers of a field. Raises ValueError where they do not fit."""
    high = 2**field.num_bits - 1 if field.num_bits else field.high
    low = 0 if field.num_bits else field.low
    if field.num_bits == WORD_BITS:
        low = -(2**63)  # the last member is the sign
    try:
        value = np.asarray(data)
    except ValueError:
        value = np.array(None)  # lists of unequal lengths
    is_whole = value.dtype.kind in "iu" and value.shape == field.shape
    if not is_whole or not ((value >= low) & (value <= high)).all():
        shape = f"{' x '.join(map(str, field.shape))} integers" if field.shape else "an integer"
        raise ValueError(f"{field.name} is {shape} in {low} .. {high}; got {data!r}")
    return value


def name_of(names: Sequence[str], action: int) -> str:
    """Return the name of an action, of the names of all. ValueError where there is none."""
    if not is_index(action, len(names)):
        raise ValueError(f"actions are 0 .. {len(names) - 1}, not {action!r}")
    return names[action]


def parse_name(action_name: Callable[[int], str], num_actions: int, name: str) -> int:
    """Return the action with a name. Raises a ValueError that lists some valid names."""
    indices = _indices(action_name, num_actions)
    if not isinstance(name, str) or name not in indices:
        some = ", ".join([*indices][:: -(-num_actions // MANY_NAMES)])
        close, such_as = did_you_mean(name, indices), "such as " * (num_actions > MANY_NAMES)
        raise ValueError(f"no action is called {name!r}; {close}actions are {such_as}{some}")
    return indices[name]


@lru_cache(maxsize=64)
def _indices(action_name: Callable[[int], str], num_actions: int) -> dict[str, int]:
    return {action_name(action): action for action in range(num_actions)}
