"""Compile rules with Numba; make one generic loop serve every game.

`rule` compiles a function, `bind` a copy of a generic loop in which names such as `apply_action`
mean the functions of one game. Nothing here knows what a game is.
"""

import inspect
import threading
import types
from collections.abc import Callable, Iterable
from functools import cache, lru_cache, update_wrapper
from typing import Any, TypeVar, cast

import numba
import numpy as np

from . import code_cache

# `_nrt=False` switches off the counting of references to arrays, which takes nine tenths of the
# time of small steps over records. It is the only private option of Numba's that is used.
_LEAN: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
_COUNTING: dict[str, Any] = {**_LEAN, "_nrt": True}  # if unset, the first caller's is inherited
# Not all of `fastmath`: infinities must work. A loop over the units of a layer is a seventh faster
# where it is compiled into its caller, which knows how many there are.
_REORDERING: dict[str, Any] = {
    **_LEAN,
    "fastmath": {"reassoc", "contract", "nsz"},
    "forceinline": True,
}
_INNER: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
_OURS = __name__.partition(".")[0]
_related: dict[np.dtype, frozenset[np.dtype]] = {}  # see `relate`
_making = threading.RLock()  # so that threads that call one rule make one function
_FOUND_WHILE = "Failed in nopython mode pipeline"  # Numba's words, before those that matter
_MAKES_ARRAY = ("NRT required", "<built-in function empty>")  # in its errors for a lean function

F = TypeVar("F", bound=Callable[..., Any])
Instead = tuple[tuple[Callable[..., Any], Callable[..., Any]], ...]


def rule(function: F) -> F:
    """Compile a rule function.

    Parlour's own are compiled without counting references to arrays, and cannot make an array. With
    `NUMBA_DISABLE_JIT=1` the same source runs as plain Python, where integers wrap as they do in
    compiled code.
    """
    is_ours = function.__module__.partition(".")[0] == _OURS
    return _compiled(function, _LEAN if is_ours else _COUNTING)


def array_rule(function: F) -> F:
    """Compile like `rule`, for a function of Parlour's that makes an array.

    Assigning an array to a slice makes one too, in case the two overlap. A `rule` may call it,
    unless it returns an array.
    """
    return _compiled(function, _COUNTING)


def vector_rule(function: F) -> F:
    """Compile like `rule`, but add floats in any order, so that sums fill whole registers.

    The result is the same from call to call on one machine; its last bits differ between machines.
    """
    return _compiled(function, _REORDERING)


@lru_cache(maxsize=1024, typed=True)
def bind(template: Callable[..., Any], **bindings: Any) -> Callable[..., Any]:
    """Compile a copy of `template` in which the global names in `bindings` mean the given objects.

    A generic loop names `apply_action` or `observe` without importing them; binding it to a game's
    compiled functions gives one specialised loop, the same one each time.
    """
    return _compiled(_copy(template, bindings), dict(getattr(template, "options", _LEAN)))


@lru_cache(maxsize=1024, typed=True)
def bind_inline(template: Callable[..., Any], **bindings: Any) -> Callable[..., Any]:
    """Bind as `bind`, and inline the function into each compiled caller, for hot loops.

    Numba inlines it before it finds types, which also saves compiling it by itself.
    """
    options = getattr(template, "options", _LEAN)
    return _compiled(_copy(template, bindings), {**options, "inline": "always"})


def relate(records: Iterable[np.dtype], common: Iterable[np.dtype]) -> None:
    """Let loops over some of a game's record types share the code of the rules that they call.

    Otherwise a process compiles a rule for each selection of record types that its loops take: a
    first match took half as long again. `common` are types that other games have too.
    """
    together = frozenset({*records, *common})
    for dtype in together.difference(common):
        _related.setdefault(dtype, together)


class Rule:
    """A compiled function. Numba takes it for one of its own in compiled callers.

    Called from Python, it is compiled once for each set of argument types and kept on disk; in
    compiled callers it is compiled with the caller, because Numba does not inline what it has
    loaded from disk.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self.options = options
        self._inner = numba.njit(**options)(function)
        self._kept: dict[frozenset[np.dtype], Any] = {}  # by the record types of the arguments

    @property
    def _numba_type_(self) -> Any:
        """The type by which Numba knows a compiled function that another one calls."""
        return self._inner._numba_type_

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled function from Python."""
        return self.for_records(arguments)(*arguments)

    def for_records(self, arguments: Iterable[Any]) -> Any:
        """Return the compiled function for calls from Python with records of these types."""
        dtypes = frozenset(_record_types(arguments))
        if dtypes not in self._kept:
            with _making:
                if dtypes not in self._kept:
                    self._kept[dtypes] = _kept(self, dtypes)
        return self._kept[dtypes]

    def __reduce__(self) -> str | tuple[Any, ...]:
        return self.py_func.__qualname__


def entry_point(function: Callable[..., Any], example: tuple[Any, ...]) -> Callable[..., Any]:
    """Return `function` for calls with arguments of just the types of `example`.

    Otherwise the types of all arguments are looked up at each call, which takes longer than a short
    step.
    """
    if not isinstance(function, Rule):  # plain Python
        return function
    return function.for_records(example).compile(tuple(map(numba.typeof, example)))


def is_lean(function: Callable[..., Any]) -> bool:
    """Return whether a compiled function counts no references, and so makes and raises nothing."""
    return code_cache.options_of(function)["_nrt"] is False


def address_of(function: Callable[..., Any], dtypes: Iterable[np.dtype]) -> int:
    """Return the address of a rule of four pointers, to records of these types, as a C function."""
    assert isinstance(function, Rule)
    signature = (numba.types.voidptr,) * 4
    compiled = _kept(
        function, frozenset(one for one in dtypes if one.names is not None), for_c=True
    )
    compiled.compile(signature)
    code = compiled.overloads[signature]
    return int(code.library.get_pointer_to_function(code.fndesc.llvm_cfunc_wrapper_name))


def unbound(*arguments: Any) -> Any:
    """Stand for a name that a template uses and `bind` gives a meaning."""
    raise TypeError("a template is a function once `bind` has given its names a meaning")


def python_source(function: Callable[..., Any]) -> Any:
    """Return the plain Python function behind a compiled one."""
    return getattr(function, "py_func", None) or inspect.unwrap(function)


@cache
def plain(function: Callable[..., Any], instead: Instead = ()) -> Callable[..., Any]:
    """Return a rule and the rules that it calls as plain Python, which also takes whole arrays.

    For rules that most processes call too rarely to repay compiling. `instead` are pairs of a rule
    and the function to call in its place.
    """
    for one, other in instead:
        if function is one:
            return other
    rules = code_cache.rules_in(function)
    return _copy(function, {name: plain(one, instead) for name, one in rules})


def reason_of(error: BaseException) -> str:
    """Return what an error says; where it is Numba's, only what is wrong, not how it was found."""
    if not isinstance(error, numba.errors.NumbaError):
        return str(error)
    said = [
        line.strip()
        for line in str(error).splitlines()
        if line.strip() and not line.startswith(_FOUND_WHILE)
    ]
    reason = " ".join(said[: 2 if said[0].endswith(":") else 1])
    if any(words in str(error) for words in _MAKES_ARRAY):
        return f"{reason} (a function of Parlour's that makes an array is an @array_rule)"
    return reason


def _compiled(function: F, options: dict[str, Any]) -> F:
    if numba.config.DISABLE_JIT:
        wrapping = np.errstate(over="ignore")(function)  # rules use integers that wrap around
        wrapping.py_func = function  # type: ignore[attr-defined]  # by which a rule is known
        return wrapping
    return cast(F, Rule(function, options))


def _copy(
    function: Callable[..., Any], bindings: dict[str, Any], suffix: str = ""
) -> types.FunctionType:
    """Return a copy of a function's Python source in which some global names mean other objects."""
    source = python_source(function)
    names = dict(source.__globals__)
    for name, meaning in bindings.items():
        _set_meaning(names, name, meaning)
    copy = types.FunctionType(
        source.__code__, names, source.__name__, source.__defaults__, source.__closure__
    )
    copy.__qualname__ = source.__qualname__ + suffix
    copy.__module__ = source.__module__
    copy.__doc__ = source.__doc__
    return copy


def _set_meaning(names: dict[str, Any], name: str, meaning: Any) -> None:
    """Let a name mean something else; where it has dots, in copies of the modules."""
    first, _, attribute = name.partition(".")
    if not attribute:
        names[first] = meaning
        return
    module = types.ModuleType(names[first].__name__)
    vars(module).update(vars(names[first]))
    _set_meaning(vars(module), attribute, meaning)
    names[first] = module


def _record_types(arguments: Iterable[Any]) -> Iterable[np.dtype]:
    for argument in arguments:
        if isinstance(argument, tuple):
            yield from _record_types(argument)
        else:
            dtype = getattr(argument, "dtype", None)
            if dtype is not None and dtype.names is not None:
                yield dtype


def _kept(called: Rule, dtypes: frozenset[np.dtype], for_c: bool = False) -> Any:
    """Compile a rule for calls from Python, or from compiled code by its address, kept on disk.

    Numba names record types, and functions of one name, by counters of the process, so that two
    functions in its cache may bear one name (Numba's issue 7654). Therefore the names of the rule
    and of all rules that it calls contain a digest of the record types and of what they do.
    """
    _refuse_recursion(called, (), set())
    related = dtypes.union(*(_related.get(dtype, ()) for dtype in dtypes))
    records = code_cache.digest(*sorted(repr(dtype.descr) for dtype in related))
    inner = {name: _renamed(one, records) for name, one in code_cache.rules_in(called)}
    options = {**called.options, "inline": "never", "no_cfunc_wrapper": not for_c}
    function = numba.njit(**options)(_copy(called, inner, _suffix(called, records)))
    code_cache.keep(function, called)
    return function


@cache
def _renamed(called: Rule, records: str) -> Any:
    """Return a copy of a rule, and of the rules that it calls, with digests after their names."""
    inner = {name: _renamed(one, records) for name, one in code_cache.rules_in(called)}
    options = code_cache.options_of(called)
    return numba.njit(**options, **_INNER)(_copy(called, inner, _suffix(called, records)))


def _suffix(called: Rule, records: str) -> str:
    return "_" + code_cache.digest(records, code_cache.content_digest(called) or "")


def _refuse_recursion(called: Any, callers: tuple[Any, ...], visited: set[Any]) -> None:
    """Raise TypeError for a rule that calls itself: Numba cannot keep the code of such a one."""
    if called in callers:
        raise TypeError(f"rule {called.__name__} calls itself; write a stack")
    if called not in visited:
        for _, one in code_cache.rules_in(called):
            _refuse_recursion(one, (*callers, called), visited)
        visited.add(called)
