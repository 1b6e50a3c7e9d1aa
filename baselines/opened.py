"""Find the files that a user's player depends on: those it imports, and those it opens as it runs.

An audit hook of the interpreter sees every file that Python opens: with `open`, through NumPy,
torch and pandas, and for modules imported late. It does not see what a child process opens.
"""

import hashlib
import os
import sys
from collections.abc import Callable, Iterable
from functools import cache
from importlib.util import source_from_cache
from pathlib import Path
from typing import Any

from ..envs.core.code_cache import cache_folder
from .sources import files_behind, is_ours

ABSENT = "absent"  # in place of the digest of a missing file
_CHANGED = "changed while the player ran"
_IMPORTS = "what Parlour gives to "  # before a path: the files of Parlour that it imports
_DIGEST_LENGTH = 16
_WRITING = set("wax+")
_WRITING_FLAGS = os.O_WRONLY | os.O_RDWR
_INSTALLED = {"site-packages", "dist-packages"}
_SYSTEM = ("/proc/", "/sys/", "/dev/")

Files = dict[str, str]  # digest by path


class _Opened:
    """The files of one player so far, without those that it writes itself."""

    def __init__(self) -> None:
        self.digests: Files = {}
        self._written: set[str] = set()
        self._seen: dict[str, tuple[int, int]] = {}

    def note(self, path: str, is_written: bool) -> None:
        if is_written:
            self._written.add(path)
        elif path not in self._written:
            stamp = _stamp(path)
            if path not in self.digests or self._seen[path] != stamp:
                self._seen[path] = stamp
                digest = digest_of_file(path)
                if self.digests.setdefault(path, digest) != digest:
                    self.digests[path] = _CHANGED


_players: dict[Path, _Opened] = {}  # by the player's file
_running: _Opened | None = None  # the player whose code runs now


def run_watched(path: Path, function: Callable[..., Any], *arguments: Any, **settings: Any) -> Any:
    """Call a function of the user's file `path` (resolved); record the files that it opens."""
    global _running
    before, _running = _running, _player(path)
    try:
        return function(*arguments, **settings)
    finally:
        _running = before


def opened_by(paths: Iterable[Path]) -> Files:
    """Return all files that the players in these files have imported or opened so far."""
    found: Files = {}
    for path in paths:
        found |= _player(path.resolve()).digests
    return found


def changed_files(files: Files) -> list[str]:
    """Return those of these files that have changed."""
    return [path for path, digest in files.items() if _digest_now(path) != digest]


def _digest_now(path: str) -> str:
    if path.startswith(_IMPORTS):
        return _imports_digest(Path(path.removeprefix(_IMPORTS)))
    return digest_of_file(path)


def _player(path: Path) -> _Opened:
    """Return the record of the player in this file, which begins with its imports."""
    _install()
    if path not in _players:
        _players[path] = opened = _Opened()
        for file in files_behind(path):
            if not is_ours(file):
                opened.note(str(file), is_written=False)
        opened.digests[f"{_IMPORTS}{path}"] = _imports_digest(path)
    return _players[path]


def _imports_digest(path: Path) -> str:
    files = sorted(str(file) for file in files_behind(path) if is_ours(file))
    return hashlib.sha256("".join(map(digest_of_file, files)).encode()).hexdigest()[:_DIGEST_LENGTH]


def digest_of_file(path: str) -> str:
    """Return the digest of a file, or `ABSENT` where there is no ordinary one."""
    try:
        if not os.path.isfile(path):  # reading a device may have no end
            return ABSENT
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:_DIGEST_LENGTH]
    except OSError:
        return ABSENT


def _stamp(path: str) -> tuple[int, int]:
    try:
        found = os.stat(path)
    except OSError:
        return (0, -1)
    return found.st_mtime_ns, found.st_size


# The hook


@cache
def _install() -> None:
    """Install the hook once, and only where a user's player runs: it slows every `open`."""
    sys.addaudithook(_hook)


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    global _running
    if _running is None or event not in ("open", "sqlite3.connect"):
        return
    opened, _running = _running, None  # the hook itself opens files
    try:
        path = _users_path(arguments[0])
        if path is not None:
            opened.note(path, event == "open" and _is_writing(*arguments[1:]))
    finally:
        _running = opened


def _is_writing(mode: str | None, flags: int) -> bool:
    if mode is not None:
        return not _WRITING.isdisjoint(mode)
    return isinstance(flags, int) and bool(flags & _WRITING_FLAGS)


def _users_path(given: Any) -> str | None:
    """Return the resolved path; None for a file of the system, of Python or of a package."""
    if not isinstance(given, str | bytes | os.PathLike):
        return None
    path = os.path.realpath(os.fsdecode(given))
    if path.endswith(".pyc"):
        path = _source_of(path)
    if path.startswith((*_SYSTEM, *_python_folders())) or not _INSTALLED.isdisjoint(
        path.split(os.sep)
    ):
        return None
    is_code = path.endswith(".py") and is_ours(Path(path))  # `_IMPORTS` stands for it
    return None if is_code or os.path.isdir(path) else path


def _source_of(path: str) -> str:
    try:
        return source_from_cache(path)
    except ValueError:
        return path


@cache
def _python_folders() -> tuple[str, ...]:
    folders = (sys.prefix, sys.base_prefix, os.path.dirname(os.__file__), str(cache_folder()))
    return tuple(os.path.realpath(folder) + os.sep for folder in folders)
