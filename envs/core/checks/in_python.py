"""A game's rules as plain Python, in which an index outside an array is an error with a place.

Compiled code reads and writes there silently, and its own errors name types instead of lines.
"""

import dataclasses
import functools
import traceback
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..compile import python_source
from ..game import Game

RULES = (
    "deal",
    "seat_to_act",
    "play_chance",
    "legal_actions",
    "apply_action",
    "is_terminal",
    "returns",
    "observe",
    "reshuffle_unseen",
)
_CORE = Path(__file__).resolve().parents[1]


def in_python(game: Game) -> Game:
    """Return the game with its rules as plain Python, which checks every index.

    As in compiled code, numbers read from a record have 64 bits. A negative index that was computed
    from a field is an IndexError too, but a literal `-1` is not.
    """
    rules = {name: getattr(game, name) for name in RULES}
    checked: dict[str, Any] = {n: _checked(rule) for n, rule in rules.items() if rule is not None}
    return dataclasses.replace(game, **checked)


def place_of(error: BaseException) -> str:
    """Return the place of an error in the author's code: file, line, function and call."""
    frames = traceback.extract_tb(error.__traceback__)
    of_author = [f for f in frames if _is_by_the_author(f.filename)] or frames
    last = of_author[-1]
    return f"{Path(last.filename).name}, line {last.lineno}, in {last.name}: `{last.line}`"


def _is_by_the_author(file: str) -> bool:
    path = Path(file).resolve()
    return not path.is_relative_to(_CORE) and "site-packages" not in path.parts


def _checked(rule: Callable[..., Any]) -> Callable[..., Any]:
    """A rule as plain Python that is given checked records and arrays."""
    python = _python(rule, {})

    @functools.wraps(python_source(rule))
    def call(*arguments: Any) -> Any:
        with np.errstate(all="ignore"):  # as in compiled code
            return python(*map(_guarded, arguments))

    return call


def _python(rule: Any, made: dict[Any, Any]) -> Any:
    """A rule and all rules that it calls as plain Python."""
    source = python_source(rule)
    if rule in made or not isinstance(source, types.FunctionType):
        return made.get(rule, rule)
    names = source.__code__.co_names
    called = {name: source.__globals__[name] for name in names if name in source.__globals__}
    meanings = dict(source.__globals__)
    cells = tuple(types.CellType() for _ in source.__closure__ or ())
    python = types.FunctionType(source.__code__, meanings, None, source.__defaults__, cells)
    python.__kwdefaults__ = source.__kwdefaults__
    made[rule] = python  # first, because a rule may call itself
    meanings.update({name: _part(one, names, made) for name, one in called.items()})
    for cell, original in zip(cells, source.__closure__ or (), strict=True):
        cell.cell_contents = _part(original.cell_contents, names, made)
    return python


def _part(meaning: Any, names: tuple[str, ...], made: dict[Any, Any]) -> Any:
    """What a name in a rule means: a rule or a module of rules becomes plain Python as well."""
    if isinstance(meaning, types.ModuleType):
        rules = {n: _part(vars(meaning)[n], (), made) for n in names if n in vars(meaning)}
        return types.SimpleNamespace(**{**vars(meaning), **rules})
    return _python(meaning, made) if hasattr(meaning, "py_func") else meaning


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
    if isinstance(value, np.signedinteger):
        return np.int64(value)
    if isinstance(value, np.unsignedinteger):
        return np.uint64(value) if value.dtype.itemsize == 8 else np.int64(value)
    return value
