"""Compiled code on disk: one file for each function and each set of argument types.

The name of a file is a digest of everything its code depends on, and the file starts with a
checksum, so that stale or damaged code never runs. An error here costs time, but never ends the
run.
"""

import contextlib
import hashlib
import os
import pickle
import shutil
import sys
import time
import uuid
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import platformdirs
from numba.core import config as numba_config
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.intrinsics import INTR_MATH
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

from . import inner
from .sources import UntrackedError, digest_of

_KEEP_OLD_CODE_FOR = 14 * 24 * 3600.0  # seconds; other checkouts may still use theirs
_CHECKSUM_LENGTH = 32
_KEY_LENGTH = 16
_VERSIONS = (sys.implementation.cache_tag, numba.__version__, llvmlite.__version__)
# Names that LLVM or Numba define from the start, and those that `rtsys` defines.
_KNOWN_NAMES = ("llvm.", "Py", "_Py", "mem", "numba_", "_ZN08NumbaEnv", "sched_yield", *INTR_MATH)
_RUNTIME_NAMES = "NRT_"
_warned: set[str] = set()


def cache_folder() -> Path:
    """Return the folder of compiled code: `NUMBA_CACHE_DIR`, or one in the user's cache."""
    return Path(os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_dir("parlour"))


class CodeCache(NullCache):
    """Numba's cache of the compiled code of one function, in place of its own.

    Numba's own checks only the file of the function, not those with the functions and constants it
    uses; it loads damaged files; and it may write next to the sources.
    """

    def __init__(self, function: Callable[..., Any], modules: frozenset[str], options: str) -> None:
        self._function = function
        self._modules = modules
        self._options = options
        self._paths: dict[Any, Path | None] = {}  # by argument types: their names are long

    @property
    def cache_path(self) -> str | None:
        """Return the folder of this function's code; None where it is not kept."""
        folder = self._folder()
        return None if folder is None else str(folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load the code for these argument types, or return None.

        Numba's own cache also loads what only compiling needs, which is slow.
        """
        path = self._path(sig, target_context.codegen())
        if path is None:
            return None
        try:
            content = path.read_bytes()
        except OSError:
            return None
        try:
            needs_all, needs_runtime, reduced = pickle.loads(_checked(content))
            if needs_all:
                inner.prepare()
                target_context.refresh()
            elif needs_runtime:
                rtsys.initialize(target_context)
            if reduced[0][1] == inner.KIND:
                return inner.rebuild(target_context, reduced)
            return CompileResult._rebuild(target_context, *reduced)
        except Exception as error:  # a damaged file may raise anything
            _warn_once("damaged", f"damaged compiled code in {path} ({error}): compiling it again")
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save the code for these argument types."""
        if any(not loop.can_cache for loop in data.lifted) or data.library.has_dynamic_globals:
            return  # the code contains addresses of this process
        path = self._path(sig, data.codegen)
        if path is None:
            return
        content = dumps((*_needs(data.library), _reduced(data)))
        try:
            _write(path, hashlib.sha256(content).digest() + content)
        except OSError as error:
            _warn_once(
                "unwritable",
                f"cannot keep compiled code in {path.parent} ({error.strerror or error}): every "
                "process compiles it again, which takes some seconds for each game",
            )

    def _path(self, sig: Any, codegen: Any) -> Path | None:
        if sig not in self._paths:
            self._paths[sig] = self._find_path(sig, codegen)
        return self._paths[sig]

    def _find_path(self, sig: Any, codegen: Any) -> Path | None:
        types = str(sig)
        folder = self._folder()
        if folder is None or " at 0x" in types:  # a function passed as an argument
            return None
        code = self._function.__code__
        target = (*codegen.magic_tuple(), *_VERSIONS)
        parts = (self._function.__module__, code.co_firstlineno, code.co_code, self._options)
        key = hashlib.sha256(repr((types, *parts, *target)).encode()).hexdigest()[:_KEY_LENGTH]
        return folder / f"{self._function.__qualname__}-{key}.code"

    def _folder(self) -> Path | None:
        try:
            return _folder_of(self._modules)
        except UntrackedError:
            return None


@cache
def _folder_of(modules: frozenset[str]) -> Path:
    """Return the folder, named by a digest of the sources and by the bounds check."""
    check = "-checked" if numba_config.BOUNDSCHECK else ""
    folder = cache_folder() / f"rules-{digest_of(modules)}{check}"
    with contextlib.suppress(OSError):
        os.utime(folder)  # mark as in use
    return folder


def _reduced(result: Any) -> tuple[Any, ...]:
    """Return what rebuilds a function, without empty environments.

    Loading the environment of a Python function imports its module, and some modules of Numba
    import SciPy.
    """
    *parts, environments = result._replace(type_annotation="")._reduce()
    return (*parts, tuple(one for one in environments if one.consts))


def _needs(library: Any) -> tuple[bool, bool]:
    """Return whether the code calls what Numba defines only for compiling, and whether `rtsys`."""
    module = library._final_module
    used = [one for one in (*module.functions, *module.global_variables) if one.is_declaration]
    others = [one.name for one in used if not one.name.startswith(_KNOWN_NAMES)]
    of_runtime = [name for name in others if name.startswith(_RUNTIME_NAMES)]
    return len(of_runtime) < len(others), bool(of_runtime)


def _checked(content: bytes) -> bytes:
    checksum, code = content[:_CHECKSUM_LENGTH], content[_CHECKSUM_LENGTH:]
    if hashlib.sha256(code).digest() != checksum:
        raise ValueError("its checksum is wrong")
    return code


def _write(path: Path, content: bytes) -> None:
    """Write all of it or nothing, even where two processes write at once."""
    if not path.parent.is_dir():
        path.parent.mkdir(parents=True, exist_ok=True)
        _prune(path.parent.parent)
    unfinished = path.with_name(f"{uuid.uuid4().hex}.unfinished")
    try:
        unfinished.write_bytes(content)
        unfinished.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise


def _prune(parent: Path) -> None:
    """Remove code that has not been used for a long time."""
    for folder in parent.glob("rules-*"):
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > _KEEP_OLD_CODE_FOR:
                shutil.rmtree(folder, ignore_errors=True)


def _warn_once(kind: str, message: str) -> None:
    if kind not in _warned:
        _warned.add(kind)
        warnings.warn(message, RuntimeWarning, stacklevel=2)
