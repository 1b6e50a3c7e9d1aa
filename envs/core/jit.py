"""How rules are compiled, and where the compiled code is kept.

`rule` compiles a function once and keeps the result on disk; `bind` makes one generic loop serve
every game. Nothing here knows what a game is.
"""

import contextlib
import hashlib
import inspect
import os
import shutil
import time
import types
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
import platformdirs
from numba.core import config as numba_config

_ROOT = Path(__file__).resolve().parents[2]
_SOURCE_FOLDERS = ("envs", "baselines", "training")
_SOURCE_SUFFIXES = (".py", ".csv", ".npy")  # compiled code takes constants from tables of data, too
_DIGEST_LENGTH = 16
_KEEP_OLD_DIGESTS_FOR = 14 * 24 * 3600.0  # seconds; other checkouts may still use theirs

F = TypeVar("F", bound=Callable[..., Any])


def rule(function: F) -> F:
    """Compile a rule function, cached on disk under the digest of all rule sources.

    With `NUMBA_DISABLE_JIT=1` the same source runs as plain Python, integers wrapping as they do
    in compiled code.
    """
    return _compile(function, cache=_is_ours(function))


def lean_rule(function: F) -> F:
    """`rule`, without Numba's counting of references, which can take most of the time.

    For functions that neither make an array nor return one, in loops over small steps that pass
    several arrays around.
    """
    return _compile(function, cache=_is_ours(function), lean=_is_ours(function))


def vector_rule(function: F) -> F:
    """`lean_rule` for loops over floats: sums are added in any order, so they fill whole registers.

    The result is the same from call to call on one machine; its last bits differ between machines.
    """
    return _compile(function, cache=_is_ours(function), lean=_is_ours(function), reorder=True)


def bind(template: Callable[..., Any], **meanings: Any) -> Callable[..., Any]:
    """Compile a copy of `template` in which the global names in `meanings` mean the given objects.

    A generic loop names `apply_action` or `observe` without importing them; binding it to a game's
    compiled functions gives one specialised loop. Unlike a closure over compiled functions, which
    Numba never finds again on disk, the copy is cached, under a name made from its meanings. It is
    not cached where one of them comes from outside Parlour, whose edits the digest cannot see.
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
    suffix = hashlib.sha256(names.encode()).hexdigest()[:_DIGEST_LENGTH]
    copy.__qualname__ = f"{source.__qualname__}_{suffix}"
    copy.__module__ = source.__module__
    copy.__doc__ = source.__doc__
    functions = [meaning for meaning in meanings.values() if callable(meaning)]
    is_ours = all(map(_is_ours, [source, *functions]))
    return _compile(copy, cache=is_ours, lean=lean and is_ours, inline=inline)


def python_source(function: Callable[..., Any]) -> Any:
    """The plain Python function behind a compiled one."""
    return getattr(function, "py_func", None) or inspect.unwrap(function)


def _identity(meaning: Any) -> str:
    if not callable(meaning):
        return repr(meaning)
    source = python_source(meaning)
    return f"{source.__module__}.{source.__qualname__}"


def _is_ours(function: Callable[..., Any]) -> bool:
    """Whether the digest of our sources notices every edit of this function."""
    source = python_source(function)
    path = Path(source.__code__.co_filename).resolve()
    return source.__closure__ is None and any(
        path.is_relative_to(_ROOT / folder) for folder in _SOURCE_FOLDERS
    )


def _compile(
    function: F, cache: bool, *, lean: bool = False, inline: bool = False, reorder: bool = False
) -> F:
    if numba_config.DISABLE_JIT:
        return _wrapping_integers(function)
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
    options["_nrt"] = not lean  # always given, or a function would do as its first caller does
    if inline:  # set only where it is wanted: False would keep LLVM from inlining by itself
        options["forceinline"] = True
    if reorder:  # not all of `fastmath`: infinities keep their meaning
        options["fastmath"] = {"reassoc", "contract", "nsz"}
    if not cache:
        return numba.njit(**options)(function)
    with _cache_directory():
        try:
            return numba.njit(cache=True, **options)(function)
        except RuntimeError:  # "no locator available": no folder here can be written
            return numba.njit(**options)(function)


def _wrapping_integers(function: F) -> F:
    """NumPy warns where a scalar wraps around; compiled code wraps silently, and means it."""
    return np.errstate(over="ignore")(function)


@contextlib.contextmanager
def _cache_directory() -> Iterator[None]:
    """Point Numba at our folder for one compilation; other people's functions keep theirs."""
    before = numba_config.CACHE_DIR
    numba_config.CACHE_DIR = str(cache_folder())
    try:
        yield
    finally:
        numba_config.CACHE_DIR = before


@lru_cache(maxsize=1)
def cache_folder() -> Path:
    """The folder of compiled rules: named by a digest, so that an edited rule is never ignored.

    Numba's own cache looks only at the file of the function itself, not at the files it calls or
    takes constants from. A user's `NUMBA_CACHE_DIR` is respected as the parent.
    """
    parent = Path(os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_dir("parlour"))
    folder = parent / f"rules-{source_digest()}"
    with contextlib.suppress(OSError):  # read-only: Numba then looks for a place of its own
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        _prune(parent, keep=folder)
    return folder


@lru_cache(maxsize=1)
def source_digest() -> str:
    """Digest of every source file that compiled rules can come from, and of the bounds check."""
    digest = hashlib.sha256(f"boundscheck={numba_config.BOUNDSCHECK}".encode())
    for folder in _SOURCE_FOLDERS:
        sources = [p for p in (_ROOT / folder).rglob("*") if p.suffix in _SOURCE_SUFFIXES]
        for path in sorted(sources):
            digest.update(path.relative_to(_ROOT).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:_DIGEST_LENGTH]


def _prune(parent: Path, keep: Path) -> None:
    for folder in parent.glob("rules-*"):
        if folder != keep and time.time() - folder.stat().st_mtime > _KEEP_OLD_DIGESTS_FOR:
            shutil.rmtree(folder, ignore_errors=True)
