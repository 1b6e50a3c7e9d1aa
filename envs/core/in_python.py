"""A game whose rules run as plain Python, in which each index is checked."""

import dataclasses
import functools
from collections.abc import Callable
from types import CellType, FunctionType
from typing import Any

import numpy as np

from .compile import Instead, plain, python_source
from .game import Game
from .rng import streams


def in_python(game: Game, instead: Instead = ()) -> Game:
    """Return the game with its rules as plain Python, which checks every index.

    `instead` are pairs of a rule and the function to call in its place.

    As in compiled code, numbers read from a record have 64 bits. A negative index that was computed
    from a field is an IndexError too, but a literal `-1` is not.
    """
    rules = {name: getattr(game, name) for name in sample_arguments(game)}
    checked: dict[str, Any] = {
        name: _checked(rule, instead) for name, rule in rules.items() if rule is not None
    }
    return dataclasses.replace(game, **checked)


def _checked(rule: Callable[..., Any], instead: Instead) -> Callable[..., Any]:
    """A rule as plain Python that is given checked records and arrays."""
    python = _python(rule, instead)

    @functools.wraps(python_source(rule))
    def call(*arguments: Any) -> Any:
        with np.errstate(all="ignore"):  # as in compiled code
            return python(*map(_guarded, arguments))

    return call


def _python(rule: Any, instead: Instead) -> Any:
    """A rule, with the rules in its closure, as plain Python; anything else as it is."""
    if not isinstance(python_source(rule), FunctionType):
        return rule
    python = plain(rule, instead)
    enclosed = [cell.cell_contents for cell in python.__closure__ or ()]
    cells = tuple(
        CellType(_python(one, instead) if hasattr(one, "py_func") else one) for one in enclosed
    )
    return FunctionType(python.__code__, python.__globals__, None, python.__defaults__, cells)


class _Record:
    """A record whose fields are checked arrays and numbers of 64 bits."""

    def __init__(self, record: Any) -> None:
        object.__setattr__(self, "record", record)

    def __getattr__(self, name: str) -> Any:
        return _guarded(self.record[self._known(name)])

    def __setattr__(self, name: str, value: Any) -> None:
        self.record[self._known(name)] = value

    __getitem__, __setitem__ = __getattr__, __setattr__

    def _known(self, name: str) -> str:
        fields = self.record.dtype.names
        if name not in fields:
            raise AttributeError(
                f"the record has no field {name!r}; its fields are {', '.join(fields)}"
            )
        return name


class _Array(np.ndarray):
    """An array that takes no negative index that was computed from a field."""

    def __getitem__(self, index: Any) -> Any:
        return _guarded(super().__getitem__(_not_negative(index)))

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(_not_negative(index), value)


def _not_negative(index: Any) -> Any:
    for one in index if isinstance(index, tuple) else (index,):
        if isinstance(one, np.integer) and one < 0:
            raise IndexError(f"index {one} is negative, so it counts from the end of the array")
    return index


def _guarded(value: Any) -> Any:
    if isinstance(value, np.void):
        return _Record(value)
    if isinstance(value, np.ndarray):
        return value.view(_Array)
    if isinstance(value, np.integer):
        return value.astype(np.uint64 if value.dtype == np.uint64 else np.int64)
    return value


def sample_arguments(game: Game) -> dict[str, tuple[Any, ...]]:
    """Return what each compiled function of a game may be called with."""
    state, rng, seat, action = game.new_states()[0], streams([0])[0], 0, 0
    return {
        "deal": (state, rng),
        "seat_to_act": (state,),
        "play_chance": (state, rng),
        "legal_actions": (state, np.zeros(game.num_mask_words, np.int64)),
        "apply_action": (state, action),
        "is_terminal": (state,),
        "returns": (state, np.zeros(game.num_seats)),
        "observe": (state, seat, game.new_observations()[0]),
        "reshuffle_unseen": (state, seat, rng),
    }
