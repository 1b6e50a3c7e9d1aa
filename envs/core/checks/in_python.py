"""Checks of a game's rules as plain Python, in which each error has a place.

Compiled code reads and writes outside an array silently, and its errors name types, not lines.
"""

import dataclasses
import functools
import traceback
from collections.abc import Callable
from pathlib import Path
from types import CellType, FunctionType
from typing import Any

import numpy as np

from ..compile import Instead, entry_point, plain, python_source, reason_of
from ..game import Game
from ..rng import streams
from .report import CheckError, Trial
from .situation import FEW, Sample

_CORE = Path(__file__).resolve().parents[1]
_NUM_GAMES = 2


def in_python(game: Game, instead: Instead = ()) -> Game:
    """Return the game with its rules as plain Python, which checks every index.

    `instead` are pairs of a rule and the function to call in its place.

    As in compiled code, numbers read from a record have 64 bits. A negative index that was computed
    from a field is an IndexError too, but a literal `-1` is not.
    """
    rules = {name: getattr(game, name) for name in _arguments(game)}
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
    held = [cell.cell_contents for cell in python.__closure__ or ()]
    cells = tuple(
        CellType(_python(one, instead) if hasattr(one, "py_func") else one) for one in held
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


# Whether the rules compile, and whether they stay inside their arrays


def compile_rules(game: Game, trial: Trial) -> None:
    """Compile all that is compiled, so that an error names the function that it is in."""
    for name, arguments in _arguments(game).items():
        rule = getattr(game, name)
        if rule is not None:
            try:
                entry_point(rule, arguments)
            except Exception as error:
                raise CheckError(
                    "compiles", f"{name} cannot be compiled: {_why_not(game, trial, error)}"
                ) from None  # Numba's hundred lines would hide this one


def _arguments(game: Game) -> dict[str, tuple[Any, ...]]:
    """What each compiled function of a game may be called with."""
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


def _why_not(game: Game, trial: Trial, error: Exception) -> str:
    """Why rules cannot be compiled: the place where they fail as plain Python, if they do."""
    said = _said(error)
    try:
        _play_in_python(game, trial)
    except (CheckError, RecursionError):
        pass
    except Exception as failure:
        return f"{_place_of(failure)} fails: {_said(failure)} (Numba says {said})"
    return (
        f"{said}; a @rule works with numbers, arrays, the fields of its records and other @rule "
        "functions, and draws with below(rng, n). As plain Python it does not fail: with "
        "NUMBA_DISABLE_JIT=1 in the environment a debugger shows it"
    )


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {reason_of(error)}"


def check_bounds(game: Game, trial: Trial) -> str | None:
    """No index is outside its array: two games are played as plain Python, which checks them.

    Returns why this could not be checked, or None. It comes before compiled games, because compiled
    code would write somewhere else.
    """
    try:
        _play_in_python(game, trial)
    except IndexError as error:
        raise CheckError(
            "bounds",
            f"{_place_of(error)}: {error}; compiled code silently reads or writes something else",
        ) from None
    except Exception as error:
        place = "" if isinstance(error, CheckError) else f" at {_place_of(error)}"
        return f"As plain Python the game stops{place}: {_said(error)}"
    return None


def _play_in_python(game: Game, trial: Trial) -> None:
    """Play games as plain Python, and ask every question at some positions of them."""
    sample = Sample(in_python(game), trial._replace(seeds=trial.seeds[:_NUM_GAMES]))
    for position, seat, _ in sample.redeals(FEW):
        position.seen(seat)
        position.returns()


def _place_of(error: BaseException) -> str:
    """The place of an error in the author's code: file, line, function and call."""
    frames = traceback.extract_tb(error.__traceback__)
    of_author = [
        frame
        for frame in frames
        if not Path(frame.filename).resolve().is_relative_to(_CORE)
        and "site-packages" not in Path(frame.filename).parts
    ]
    last = (of_author or frames)[-1]
    return f"{Path(last.filename).name}, line {last.lineno}, in {last.name}: `{last.line}`"
