"""The identity of a player at a game: the text under which a store keeps its results."""

import secrets
import sys
import time
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path

from .... import __version__
from ....envs.core import catalogue
from ....envs.core.game import Game
from ...players import making, named_files
from ...policies.file_names import USERS_FILES

UNKNOWN, SEPARATOR = "unknown", "; "
_STARTED = time.time()
_as_loaded: dict[Path, str] = {}  # digests of files with the code that runs in this process


def identity_of(spec: object, game: Game) -> str:
    """Return Parlour's version and digest, the player's text, and its files with their digests.

    That of what has none begins with `UNKNOWN` and ends with the reason.
    """
    try:
        if not isinstance(spec, str):
            raise ValueError("it is an object of Python; name it, or give FILE.py:FUNCTION")
        name, colon, rest = spec.partition(":")
        name = Path(name).name if name.endswith(USERS_FILES) else making.player_key(name, game)
        modules = game.make.__module__, catalogue.parts_package(game.name) or __name__
        tops = {module.partition(".")[0] for module in modules} - {__name__.partition(".")[0]}
        files = [*named_files.files_named(spec, game), *map(str, game.config_dict().values())]
        files += [str(import_module(top).__file__) for top in sorted(tops)]
        paths = [Path(file).resolve() for file in files if file and Path(file).exists()]
        digests = (f"{path.name} {_digest(path)}" for path in paths)
        return SEPARATOR.join((parlour_digest(), name + colon + rest, *digests))
    except (ValueError, OSError, ImportError, AttributeError) as reason:
        return SEPARATOR.join((UNKNOWN, secrets.token_hex(8), str(reason)))


@cache
def parlour_digest() -> str:
    """Return Parlour's version with a digest of its installed files."""
    return f"parlour/{__version__} {_digest(Path(__file__).parents[3])}"


def _digest(path: Path) -> str:
    """Return the digest of a file or folder, and of what it needs. Raises ValueError; see below."""
    folder, files = path if path.is_dir() else path.parent, named_files.needed_files(path)
    digests = [(str(f.relative_to(folder)), named_files.digest_of_file(str(f))) for f in files]
    digest = sha256(repr(digests).encode()).hexdigest()[:16]
    loaded = {getattr(module, "__file__", None) for module in [*sys.modules.values()]}
    newest = max((file.stat().st_ctime for file in files), default=0.0)
    if newest <= _STARTED or loaded.isdisjoint(map(str, files)):
        _as_loaded[path] = digest
    if _as_loaded.get(path) != digest:  # a module is not loaded twice
        raise ValueError(f"{folder} has changed since this process loaded code from it")
    return digest
