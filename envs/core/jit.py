"""Compile rules once and keep the code on disk (`code_cache`).

`rule` compiles a function; `bind` makes one generic loop serve every game. Nothing here knows what
a game is.
"""

import hashlib
import inspect
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import config as numba_config

from .code_cache import CodeCache
from .inner import call_inside

_SUFFIX_LENGTH = 16
_MODULES = (
    "__parlour_modules__"  # on a copy made by `bind`: the modules of the template and its meanings
)
_OURS = __name__.partition(".")[0]

F = TypeVar("F", bound=Callable[..., Any])


def rule(function: F) -> F:
    """Compile a rule function; its code is kept on disk until a source it comes from changes.

    With `NUMBA_DISABLE_JIT=1` the same source runs as plain Python, integers wrapping as they do
    in compiled code.
    """
    return _compile(function)


def lean_rule(function: F) -> F:
    """Compile like `rule` but without Numba's reference counting, which can take most of the time.

    This is for functions that neither make nor return an array, in loops over small steps that pass
    several arrays.
    """
    return _compile(function, lean=_is_ours(function))


def vector_rule(function: F) -> F:
    """Compile like `lean_rule`, but add floats in any order, so that sums fill whole registers.

    The result is the same from call to call on one machine; its last bits differ between machines.
    """
    return _compile(function, lean=_is_ours(function), reorder=True)


def bind(template: Callable[..., Any], **meanings: Any) -> Callable[..., Any]:
    """Compile a copy of `template` in which the global names in `meanings` mean the given objects.

    A generic loop names `apply_action` or `observe` without importing them; binding it to a game's
    compiled functions gives one specialised loop. Unlike a closure over compiled functions, which
    Numba never finds again on disk, the copy is kept, under a name made from its meanings and
    until a source of any of them changes. It is not kept where one of them has no such source.
    """
    return _bind(template, meanings)


def bind_lean(template: Callable[..., Any], **meanings: Any) -> Callable[..., Any]:
    """`bind` for loops that neither make an array nor return one: see `lean_rule`.

    What comes from outside Parlour may do so where it is called: with it, references are counted.
    """
    return _bind(template, meanings, lean=True)


def bind_inline(template: Callable[..., Any], **meanings: Any) -> Callable[..., Any]:
    """`bind_lean`, and put the code into every loop that calls it.

    For steps on the hottest path, where the call itself would cost half as much as the rules.
    """
    return _bind(template, meanings, lean=True, inline=True)


def _bind(
    template: Callable[..., Any],
    meanings: dict[str, Any],
    *,
    lean: bool = False,
    inline: bool = False,
) -> Callable[..., Any]:
    source = python_source(template)
    copy = types.FunctionType(
        source.__code__, {**source.__globals__, **meanings}, source.__name__, source.__defaults__
    )
    names = ";".join(f"{name}={_identity(meaning)}" for name, meaning in sorted(meanings.items()))
    suffix = hashlib.sha256(names.encode()).hexdigest()[:_SUFFIX_LENGTH]
    copy.__qualname__ = f"{source.__qualname__}_{suffix}"
    copy.__module__ = source.__module__
    copy.__doc__ = source.__doc__
    parts = [template, *(meaning for meaning in meanings.values() if callable(meaning))]
    setattr(copy, _MODULES, _union(map(_modules_of, parts)))
    return _compile(copy, lean=lean and all(map(_is_ours, parts)), inline=inline)


def python_source(function: Callable[..., Any]) -> Any:
    """The plain Python function behind a compiled one."""
    return getattr(function, "py_func", None) or inspect.unwrap(function)


def _identity(meaning: Any) -> str:
    if not callable(meaning):
        return repr(meaning)
    source = python_source(meaning)
    return f"{source.__module__}.{source.__qualname__}:{source.__code__.co_firstlineno}"


def _is_ours(function: Callable[..., Any]) -> bool:
    source = python_source(function)
    return bool(source.__module__.partition(".")[0] == _OURS)


def _modules_of(function: Callable[..., Any]) -> frozenset[str] | None:
    """The modules whose sources this function is compiled from; None if they are not known."""
    source = python_source(function)
    if hasattr(source, _MODULES):
        return getattr(source, _MODULES)
    module = sys.modules.get(source.__module__)
    is_findable = source.__closure__ is None and "<locals>" not in source.__qualname__
    is_there = getattr(module, "__file__", None) == source.__code__.co_filename
    return frozenset([source.__module__]) if is_findable and is_there else None


def _union(parts: Iterable[frozenset[str] | None]) -> frozenset[str] | None:
    modules: frozenset[str] = frozenset()
    for part in parts:
        if part is None:
            return None
        modules |= part
    return modules


def _compile(function: F, *, lean: bool = False, inline: bool = False, reorder: bool = False) -> F:
    if numba_config.DISABLE_JIT:
        return _wrapping_integers(function)
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
    options["_nrt"] = not lean  # always given, or a function would do as its first caller does
    if inline:  # set only if True: False would keep LLVM from inlining by itself
        options["forceinline"] = True
    if reorder:  # not all of `fastmath`: infinities keep their meaning
        options["fastmath"] = {"reassoc", "contract", "nsz"}
    dispatcher = numba.njit(**options)(function)
    modules = _modules_of(function)
    inner = call_inside(dispatcher, options, modules or frozenset([function.__module__]))
    if modules is not None:
        marks = str({"lean": lean, "inline": inline, "reorder": reorder})
        dispatcher._cache = CodeCache(function, modules, marks)
        inner._cache = CodeCache(function, modules, f"inner {marks}")
    return dispatcher


def _wrapping_integers(function: F) -> F:
    """Silence NumPy's warnings on scalars that wrap around, as compiled code does on purpose."""
    return np.errstate(over="ignore")(function)
