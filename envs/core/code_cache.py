"""Keep compiled loops on disk, in Numba's own cache, under a name that says all they depend on.

Numba's cache notices an edit of the file of a function, but not of the functions and constants that
it uses from other files. Here a digest of all of them is the folder's name, so that old code is
never run. Whatever is wrong with the disk costs a compilation and one warning, never the run.
"""

import contextlib
import dis
import hashlib
import logging
import os
import pickle
import secrets
import shutil
import sys
import threading
import time
import types
import warnings
from collections.abc import Callable, Iterator
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
import platformdirs
from numba.core.serialize import dumps

PRIVATE_CODE = "PARLOUR_PRIVATE_CODE"  # a folder to write to where `cache_folder` is read-only
_KEEP_FOR = 14 * 24 * 3600.0  # seconds that code is kept without use
_DIGEST_LENGTH = 16
_CHECKSUM_SIZE = hashlib.sha256().digest_size
_LIBRARIES = sys.stdlib_module_names | {"numpy", "numba"}
_logger = logging.getLogger("parlour.compile")
_config_lock = threading.Lock()
_noted: set[str] = set()


class UnknownError(Exception):
    """Code depends on something that has no digest."""


def cache_folder() -> Path:
    """Return the folder of compiled code: `NUMBA_CACHE_DIR`, or one in the user's cache."""
    return Path(os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_dir("parlour"))


def rules_in(function: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    """Yield the rules that a function calls, with the names that it calls them by: "bits.allow"."""
    return ((name, value) for name, value in _globals_of(function) if hasattr(value, "py_func"))


def options_of(rule: Any) -> dict[str, Any]:
    """Return the options to compile a rule with, or a function of Numba's.

    A function of Numba's may make arrays; it would take on what is not set from its first caller.
    """
    options = getattr(rule, "options", None) or {"_nrt": True, **rule.targetoptions}
    return {name: value for name, value in options.items() if name != "nopython"}


def _globals_of(function: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    """Yield the global names of a function and their values.

    A name read from a module of ours is "bits.allow"; a library's module is itself the value.
    """
    source = getattr(function, "py_func", function)
    for first, *attributes in _global_names(source.__code__):
        if first not in source.__globals__:
            continue  # built into Python
        name, value = first, source.__globals__[first]
        for attribute in attributes:
            if not isinstance(value, types.ModuleType) or _is_library(value):
                break
            name, value = f"{name}.{attribute}", getattr(value, attribute, None)
        yield name, value


@cache
def _global_names(code: types.CodeType) -> tuple[tuple[str, ...], ...]:
    """Return the global names that code reads, each with the attributes that it reads of them."""
    names: list[tuple[str, ...]] = []
    is_read = False
    for one in dis.get_instructions(code):
        if one.opname == "LOAD_GLOBAL":
            names.append((one.argval,))
        elif is_read and one.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            names[-1] += (one.argval,)
        is_read = one.opname in ("LOAD_GLOBAL", "LOAD_ATTR", "LOAD_METHOD") and bool(names)
    return tuple(dict.fromkeys(names))


def keep(function: Any, rule: Any) -> None:
    """Let Numba cache `function`, a copy of `rule`, on disk, unless the rule has no digest."""
    content = content_digest(rule)
    if content is None:
        return
    name = f"rules-{content}"
    folder = Path(os.environ.get(PRIVATE_CODE) or cache_folder()) / name
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            _prune(folder.parent)
        os.utime(folder)  # in use
    except OSError as error:
        _warn_unwritable(folder, error)
        return
    with _config_lock:  # Numba reads the setting only while it makes the cache of a function
        before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(folder)
        try:
            function.enable_caching()
        except RuntimeError as error:  # no folder can be written to
            _warn_unwritable(folder, error)
            return
        finally:
            numba.config.CACHE_DIR = before
    function._cache._cache_file = _CheckedFiles(folder, cache_folder() / name)
    function._cache = _SafeCache(function._cache, folder, rule.__name__)


class _CheckedFiles:
    """The files of compiled code, in place of Numba's own, which have no checksum.

    Damaged code must not run: it would end the process. What `folder` lacks is read from `other`.
    """

    def __init__(self, folder: Path, other: Path) -> None:
        self._folder = folder
        self._other = other

    def load(self, key: Any) -> Any:
        """Return what was saved under a key, or None. Raises an error where it is damaged."""
        paths = (folder / self._name(key) for folder in (self._folder, self._other))
        path = next(filter(Path.is_file, paths), None)
        if path is None:
            return None
        content = path.read_bytes()
        checksum, code = content[:_CHECKSUM_SIZE], content[_CHECKSUM_SIZE:]
        if hashlib.sha256(code).digest() != checksum:
            raise ValueError(f"the checksum of {path.name} is wrong")
        return pickle.loads(code)

    def save(self, key: Any, data: Any) -> None:
        """Write a file that other processes see as a whole or not at all."""
        code = dumps(data)
        self._folder.mkdir(parents=True, exist_ok=True)
        new = self._folder / f"{secrets.token_hex(8)}.new"
        try:
            new.write_bytes(hashlib.sha256(code).digest() + code)
            new.replace(self._folder / self._name(key))
        finally:
            new.unlink(missing_ok=True)

    def _name(self, key: Any) -> str:
        return f"{digest(repr(key))}.code"


class _SafeCache:
    """Numba's cache of one function, in which a damaged file or a full disk only costs time."""

    def __init__(self, cache: Any, folder: Path, rule: str) -> None:
        self._cache, self._folder, self._rule = cache, folder, rule

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the code for these argument types, or None where it has to be compiled."""
        code = None
        try:
            code = self._cache.load_overload(signature, context)
        except (ImportError, AttributeError) as error:  # a class lay elsewhere in that version
            _logger.debug("compiled code of another version", exc_info=error)
        except Exception as error:  # a damaged file may raise anything
            _warn_once(f"damaged compiled code in {self._folder.parent}: compiling it again")
            _logger.debug("damaged compiled code", exc_info=error)
        if code is None:
            _note_once(
                "parlour: compiling, once each: a game about 5 seconds, a player 1, a search 10; "
                f"the code is kept in {self._folder.parent}"
            )
            _logger.debug("compiling %s", self._rule)
        return code

    def save_overload(self, signature: Any, code: Any) -> None:
        """Keep the code for these argument types."""
        try:
            self._cache.save_overload(signature, code)
        except OSError as error:
            _warn_unwritable(self._folder, error)


def _prune(parent: Path) -> None:
    """Remove code that has not been used for a long time."""
    for folder in parent.glob("rules-*"):
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > _KEEP_FOR:
                shutil.rmtree(folder, ignore_errors=True)


def _warn_unwritable(folder: Path, error: Exception) -> None:
    reason = getattr(error, "strerror", None) or error
    _warn_once(
        f"cannot keep compiled code in {folder.parent} ({reason}): every process compiles it "
        "again, which takes some seconds for each game"
    )


def _warn_once(message: str) -> None:
    if message not in _noted:
        _noted.add(message)
        warnings.warn(message, RuntimeWarning, stacklevel=2)


def _note_once(message: str) -> None:
    if message not in _noted:
        _noted.add(message)
        _logger.warning(message)  # without a handler, logging prints it on stderr


# What code depends on


@cache
def content_digest(rule: Any) -> str | None:
    """Return a digest of the code of a rule, of all rules that it calls, and of their constants.

    None where there is none, such as of a player in a notebook.
    """
    try:
        return digest(*_parts_of(rule))
    except UnknownError:
        return None


def digest(*parts: str) -> str:
    """Return a short digest of some texts."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:_DIGEST_LENGTH]


def _parts_of(rule: Any) -> Iterator[str]:
    """Yield what the code of a rule depends on. Raises UnknownError where that has no digest."""
    yield from (sys.implementation.cache_tag or "", numba.__version__, np.__version__)
    yield str((numba.config.BOUNDSCHECK, str(numba.config.OPT)))
    source, code = rule.py_func, rule.py_func.__code__
    has_inner_code = any(isinstance(constant, types.CodeType) for constant in code.co_consts)
    if has_inner_code or source.__closure__ or not Path(code.co_filename).is_file():
        raise UnknownError
    options = sorted(
        (key, str(sorted(value) if isinstance(value, set) else value))  # a set has no fixed order
        for key, value in options_of(rule).items()
    )
    yield from (source.__module__, source.__qualname__, str(options))
    yield _constant(source.__defaults__)
    yield from (code.co_code.hex(), code.co_exceptiontable.hex())
    yield from (repr(code.co_names), repr(code.co_varnames), *map(repr, code.co_consts))
    for name, value in _globals_of(source):
        described = content_digest(value) if hasattr(value, "py_func") else _constant(value)
        if described is None:
            raise UnknownError
        yield f"{name}={described}"


def _constant(value: Any) -> str:
    """Return a description of a constant. Raises UnknownError where there is none."""
    if isinstance(value, tuple):
        return f"{type(value).__qualname__}({', '.join(map(_constant, value))})"
    if isinstance(value, np.ndarray | np.generic):
        return f"{value.dtype.descr} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, types.ModuleType) and _is_library(value):
        return value.__name__
    if isinstance(value, type):
        fields = getattr(value, "_fields", ()), getattr(value, "_field_defaults", ())
        members = list(value) if issubclass(value, Enum) else ()
        return f"{value.__module__}.{value.__qualname__} {fields} {members}"
    text = repr(value)
    if " at 0x" in text or isinstance(value, types.ModuleType):
        raise UnknownError
    return text


def _is_library(module: types.ModuleType) -> bool:
    return module.__name__.partition(".")[0] in _LIBRARIES
