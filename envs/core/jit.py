"""Compile rules once, and keep their code on disk (`code_cache`).

`rule` compiles a function; `bind` makes one generic loop serve every game. Nothing here knows what
a game is.
"""

import hashlib
import inspect
import sys
import types
from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import config as numba_config
from numba.core.caching import NullCache
from numba.core.errors import NumbaError

from .code_cache import CodeCache
from .folding import mark_sizes_elsewhere
from .inner import (
    ApartCompiler,
    FlatCompiler,
    InlineCompiler,
    InnerCompiler,
    OuterCompiler,
    call_inside,
)
from .operators import remember_operators
from .symbols import name_records_by_content

_SUFFIX_LENGTH = 16
_FOUND_WHILE = "Failed in nopython mode pipeline"  # Numba's words, before those that matter
_MODULES = "__parlour_modules__"  # of a copy made by `bind`: the modules it is compiled from
_KIND = "__parlour_kind__"  # of such a copy: how it is compiled
_OURS = __name__.partition(".")[0]
# By kind: how a function is compiled for a call from Python, and for one from compiled code.
_COMPILERS = {
    "plain": (OuterCompiler, InnerCompiler),
    "inline": (OuterCompiler, InlineCompiler),
    "flat": (FlatCompiler, InnerCompiler),
    "flat upwards": (FlatCompiler, InnerCompiler),
    "apart": (OuterCompiler, ApartCompiler),
}

F = TypeVar("F", bound=Callable[..., Any])

name_records_by_content()
remember_operators()
mark_sizes_elsewhere()


def rule(function: F) -> F:
    """Compile a rule function; its code is kept on disk until a source it comes from changes.

    With `NUMBA_DISABLE_JIT=1` the same source runs as plain Python, where integers wrap as they do
    in compiled code. Parlour's own functions are compiled without Numba's reference counting, which
    can take most of the time in small steps that pass several arrays: see `array_rule`.
    """
    return _compile(function, lean=_is_ours(function))


def array_rule(function: F) -> F:
    """Compile like `rule`, for a function that makes an array, or calls one that returns its own.

    Assigning an array to a slice makes one too, in case the two overlap.

    References to arrays are counted in it. A `rule` may call it, unless it returns an array.
    """
    return _compile(function)


def reason_of(error: BaseException) -> str:
    """Return what an error says; where it is Numba's, only what is wrong, not how it was found."""
    if not isinstance(error, NumbaError):
        return str(error)
    said = [
        line.strip()
        for line in str(error).splitlines()
        if line.strip() and not line.startswith(_FOUND_WHILE)
    ]
    return " ".join(said[: 2 if said[0].endswith(":") else 1])


def vector_rule(function: F) -> F:
    """Compile like `rule`, but add floats in any order, so that sums fill whole registers.

    The result is the same from call to call on one machine; its last bits differ between machines.
    """
    return _compile(function, lean=_is_ours(function), reorder=True)


def bind(template: Callable[..., Any], **meanings: Any) -> Callable[..., Any]:
    """Compile a copy of `template` in which the global names in `meanings` mean the given objects.

    A generic loop names `apply_action` or `observe` without importing them; binding it to a game's
    compiled functions gives one specialised loop. Numba never finds a closure over compiled
    functions on disk; but the copy is kept there, named by its meanings, until the source of one
    changes. It is not kept where one has no source file. References are counted, as in an
    `array_rule`, where a function from outside Parlour is among the meanings, because it may make
    an array.
    """
    return _bind(template, meanings)


def bind_inline(template: Callable[..., Any], **meanings: Any) -> Callable[..., Any]:
    """`bind`, and put the code into every loop that calls it.

    For steps on the hottest path, where the call itself would cost half as much as the rules.
    """
    return _bind(template, meanings, "inline")


def bind_flat(template: Callable[..., Any], **meanings: Any) -> Callable[..., Any]:
    """`bind`, and put the code of everything that it calls into it, except what is `apart`.

    For the loops whose speed matters most: they take LLVM up to three times as long.
    """
    return _bind(template, meanings, "flat")


def bind_flat_upwards(template: Callable[..., Any], **meanings: Any) -> Callable[..., Any]:
    """`bind_flat`, and what `bind` binds to it is flat too.

    For loops that are slower in what calls them than by themselves.
    """
    return _bind(template, meanings, "flat upwards")


def apart(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a copy of a rule that LLVM keeps out of the loops that call it.

    For rules that loops call rarely: the time that LLVM takes for a loop grows faster than the
    loop, and a loop may call the same rule in several places.
    """
    return _bind(function, {}, "apart")


def _bind(
    template: Callable[..., Any], meanings: dict[str, Any], kind: str = "plain"
) -> Callable[..., Any]:
    source = python_source(template)
    if kind == "plain" and any(map(_is_flat_upwards, meanings.values())):
        kind = "flat upwards"
    copy = types.FunctionType(
        source.__code__, {**source.__globals__, **meanings}, source.__name__, source.__defaults__
    )
    names = ";".join(f"{name}={_identity(meaning)}" for name, meaning in sorted(meanings.items()))
    suffix = hashlib.sha256(names.encode()).hexdigest()[:_SUFFIX_LENGTH]
    copy.__qualname__ = f"{source.__qualname__}_{suffix}"
    copy.__module__ = source.__module__
    copy.__doc__ = source.__doc__
    parts = [template, *(meaning for meaning in meanings.values() if callable(meaning))]
    setattr(copy, _KIND, kind)
    setattr(copy, _MODULES, _union(map(_modules_of, parts)))
    lean = all(map(_is_ours, parts)) and not _counts_references(template)
    return _compile(copy, lean=lean, kind=kind)


def with_fixed(
    function: Callable[..., Any], fixed: Iterable[Any], example: Iterable[Any]
) -> Callable[..., Any]:
    """Return `function` with its first arguments fixed; `example` has the types of the others.

    Numba otherwise looks up the types of all arguments at each call, which takes longer than a
    short step. Calls must keep to the types of `example`.
    """
    fixed = tuple(fixed)
    if hasattr(function, "compile"):  # not plain Python
        function = function.compile(tuple(map(numba.typeof, (*fixed, *example))))
    return partial(function, *fixed)


def python_source(function: Callable[..., Any]) -> Any:
    """Return the plain Python function behind a compiled one."""
    return getattr(function, "py_func", None) or inspect.unwrap(function)


@cache
def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a rule, with the rules that it calls, as plain Python, which may be given arrays.

    For what few processes call often enough to be worth compiling.
    """
    source = python_source(function)
    called = {name: source.__globals__.get(name) for name in source.__code__.co_names}
    rules = {name: plain(one) for name, one in called.items() if hasattr(one, "py_func")}
    return types.FunctionType(source.__code__, {**source.__globals__, **rules}, source.__name__)


def _is_flat_upwards(meaning: Any) -> bool:
    return callable(meaning) and getattr(python_source(meaning), _KIND, None) == "flat upwards"


def _identity(meaning: Any) -> str:
    if not callable(meaning):
        return repr(meaning)
    source = python_source(meaning)
    return f"{source.__module__}.{source.__qualname__}:{source.__code__.co_firstlineno}"


def _is_ours(function: Callable[..., Any]) -> bool:
    source = python_source(function)
    return bool(source.__module__.partition(".")[0] == _OURS)


def _counts_references(function: Callable[..., Any]) -> bool:
    return bool(getattr(function, "targetoptions", {}).get("_nrt"))


def _modules_of(function: Callable[..., Any]) -> frozenset[str] | None:
    """Return the modules that this function is compiled from; None where they are unknown."""
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


def _compile(function: F, *, lean: bool = False, kind: str = "plain", reorder: bool = False) -> F:
    if numba_config.DISABLE_JIT:
        return _wrapping_integers(function)
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
    options["_nrt"] = not lean  # always set: otherwise a function inherits it from its first caller
    if reorder:  # not all of `fastmath`: infinities must work
        options["fastmath"] = {"reassoc", "contract", "nsz"}
    vars(function)["__signature__"] = inspect.signature(function)  # Numba asks several times
    outer, inner = _COMPILERS[kind]
    dispatcher = numba.njit(pipeline_class=outer, **options)(function)
    modules = _modules_of(function)
    inner_cache: Any = NullCache()
    if modules is not None:
        settings = str({"lean": lean, "kind": kind, "reorder": reorder})
        dispatcher._cache = CodeCache(function, modules, settings)
        inner_cache = CodeCache(function, modules, f"inner {settings}")
    options["pipeline_class"] = inner
    call_inside(dispatcher, options, modules or frozenset([function.__module__]), inner_cache)
    return dispatcher


def _wrapping_integers(function: F) -> F:
    """Turn off NumPy's warnings of overflow: rules use integers that wrap around."""
    return np.errstate(over="ignore")(function)
