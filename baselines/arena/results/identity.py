"""The identity of a player at a game: the text under which a store keeps its results.

Results depend on the version of Parlour and on all files of the packages of the game and of its
players. For a user's player they depend on all of Parlour and on the folder that its file lies in,
where every file counts except hidden ones, caches, READMEs, logs and stores of results. A model of
another library is one file, except in ONNX.
"""

import contextlib
import hashlib
import importlib
import os
import secrets
import stat
import sys
import time
from collections.abc import Collection, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args

from .... import __version__
from ....envs.core import catalogue
from ....envs.core.game import Game
from ....envs.registry import GameName
from ...players.making import player_key
from ...players.named_files import files_named
from ...policies.file_names import CODE, RUNNING, USERS_FILES
from ...policies.settings import parse_settings

SCHEME = "3"  # of identities; a result under an older one is not used again
UNKNOWN = "unknown"  # begins the identity of a player whose results cannot be kept
SEPARATOR = "; "
MAX_FILES, MAX_MIB = 10_000, 256  # of a folder

_ROOT = Path(__file__).resolve().parents[3]
_GAMES, _PLAYERS, _TRAINING = (_ROOT / name for name in ("envs", "baselines", "training"))
_OURS = __name__.partition(".")[0]
_INSTALLED = {"site-packages", "dist-packages"}
_LEFT_OUT = ("README.md", ".log", ".out", ".arena", "-wal", "-shm", "-journal")  # ends of names
_STORE = b"SQLite format 3\0", b"PARL"  # the first bytes of a store, and those from the 68th on
_STARTED = time.time()
_DIGEST_LENGTH = 16

_as_loaded: dict[tuple[Path, ...], str] = {}  # digests of folders with the code that runs here


class _NoIdentityError(Exception):
    """Nothing says what the results of a player depend on."""


def identity_of(spec: Any, game: Game) -> str:
    """Return the identity of a player at a game.

    A function, a class or a Policy that was made in Python, a folder that is too large, and code
    that was edited after this process loaded it have no contents to compare: then the identity is
    new with every call. It begins with UNKNOWN and ends with the reason.
    """
    try:
        return SEPARATOR.join((SCHEME, *_depends_on(spec, game)))
    except _NoIdentityError as reason:
        return SEPARATOR.join((UNKNOWN, secrets.token_hex(8), str(reason)))


def _depends_on(spec: Any, game: Game) -> Iterator[str]:
    """Yield the player as text, then name and digest of each thing that its results depend on."""
    if not isinstance(spec, str):
        raise _NoIdentityError("it is an object of Python; name it, or give FILE.py:FUNCTION")
    try:
        files = files_named(spec, game)
    except ValueError as error:
        raise _NoIdentityError(str(error)) from error
    yield _player_text(spec, game)
    packages = _other_packages(game)
    if packages or any(file.endswith(RUNNING) for file in files):
        yield f"parlour {__version__} {_digest(_GAMES, _PLAYERS, _TRAINING)}"
    else:
        others = [folder / name for folder in (_GAMES, _PLAYERS) for name in get_args(GameName)]
        yield f"parlour {__version__} {_digest(_GAMES, _PLAYERS, left_out=others)}"
        yield f"{game.name} {_digest(_GAMES / game.name, _PLAYERS / game.name)}"
    yield from (f"package {name} {_digest(*roots)}" for name, roots in packages.items())
    for file in (*files, *game.config_dict().values()):
        if isinstance(file, str) and file and os.path.exists(file):
            path = Path(file).resolve()
            has_parts = path.suffix in (CODE, ".onnx")  # which may keep weights in other files
            name = f"folder of {path.name}" if has_parts else path.name
            yield f"{name} {_digest(path.parent if has_parts else path)}"


def _player_text(spec: str, game: Game) -> str:
    name, _, rest = spec.partition(":")
    if name.endswith(USERS_FILES):
        return f"{Path(name).name}:{rest}"
    settings = sorted(parse_settings(rest).items())
    given = ",".join(f"{key}={value!r}" for key, value in settings)
    return f"{player_key(name, game)}:{given}".removesuffix(":")


def _other_packages(game: Game) -> dict[str, list[Path]]:
    """Return the packages of a game and its players other than Parlour, each with its folders.

    A module that is in no package stands for the folder that it lies in.
    """
    modules = getattr(game.make, "__module__", ""), catalogue.parts_package(game.name) or _OURS
    tops = {module.partition(".")[0] for module in modules} - {_OURS}
    return {top: _roots_of(top) for top in sorted(tops)}


def _roots_of(top: str) -> list[Path]:
    try:
        module = importlib.import_module(top)
    except ImportError:
        return []  # the package of a game's players need not exist
    file = getattr(module, "__file__", None)
    if folders := getattr(module, "__path__", ()):
        return [Path(folder).resolve() for folder in folders]
    if file is None or top in sys.stdlib_module_names:
        raise _NoIdentityError(f"its game comes from {top}, which is no file")
    path = Path(file).resolve()
    return [path.parent if _INSTALLED.isdisjoint(path.parts) else path]


# Digests


def _digest(*roots: Path, left_out: Collection[Path] = ()) -> str:
    """Return the digest of all files in these folders, with their names.

    Raises _NoIdentityError where there are too many, and where they were edited since this process
    loaded code from there.
    """
    lines, size, edited = [], 0, 0.0
    for number, root in enumerate(roots):
        for path, found in _files_in(root, left_out):
            content = _content(path, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
            if content is not None:
                lines.append(f"{number} {path.relative_to(root)} {content}\n")
                size, edited = size + found.st_size, max(edited, found.st_ctime)
            if len(lines) > MAX_FILES or size > MAX_MIB << 20:
                raise _NoIdentityError(
                    f"{root} has more than {MAX_FILES:,} files or {MAX_MIB} MiB, all of which "
                    "count: put the player into a folder of its own"
                )
    digest = hashlib.sha256("".join(sorted(lines)).encode()).hexdigest()[:_DIGEST_LENGTH]
    key = (*roots, *left_out)
    if not _has_loaded(roots) or (key not in _as_loaded and edited <= _STARTED):
        _as_loaded[key] = digest
    if _as_loaded.get(key) != digest:
        raise _NoIdentityError(
            f"files in {roots[0]} were edited after this process loaded code from there: "
            "start a new process"
        )
    return digest


def _files_in(root: Path, left_out: Collection[Path]) -> Iterator[tuple[Path, os.stat_result]]:
    if root.is_file():
        yield root, root.stat()
    for place, folders, names in os.walk(root, followlinks=True):
        folders[:] = [
            name
            for name in folders
            if name[0] != "." and name != "__pycache__" and Path(place, name) not in left_out
        ]
        for name in names:
            if name[0] != "." and not name.endswith(_LEFT_OUT):
                with contextlib.suppress(OSError):  # a broken link, or deleted meanwhile
                    path = Path(place, name)
                    found = path.stat()
                    if stat.S_ISREG(found.st_mode):
                        yield path, found


@lru_cache(maxsize=1 << 14)
def _content(path: Path, size: int, *stamp: int) -> str | None:
    """Return the digest of the content of a file; None for a store of results."""
    try:
        with path.open("rb") as file:
            head = file.read(72)
            if head.startswith(_STORE[0]) and head.endswith(_STORE[1]):
                return None
            file.seek(0)
            is_small = size <= MAX_MIB << 20
            return hashlib.file_digest(file, "sha256").hexdigest() if is_small else ""
    except OSError:
        return "unreadable"


def _has_loaded(roots: Collection[Path]) -> bool:
    """Return whether this process has imported a module from one of these folders."""
    starts = tuple(str(root) if root.is_file() else f"{root}{os.sep}" for root in roots)
    modules = [module for name, module in list(sys.modules.items()) if name != "__main__"]
    files = [getattr(module, "__file__", None) for module in modules]
    known = (file for file in files if isinstance(file, str) and os.path.isabs(file))
    return any(_real(file).startswith(starts) for file in known)  # torch has others: "_ops.py"


@lru_cache(maxsize=1 << 14)
def _real(file: str) -> str:
    return os.path.realpath(file)
