"""Players and games that somebody else names: guests, agents, and files from elsewhere.

A player's text may name a Python file, which runs, a model of another library, which may run code
when it is loaded, or a checkpoint; a setting of a game may name a file, which is read. Only the
person at this machine may name any file of it.
"""

import glob
import hashlib
import os
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from ...envs.core.catalogue import game_within, is_inside
from ...envs.core.game import Game
from ..players.making import player_key, players_of
from ..policies.file_names import CODE, RUNNING, STATISTICS, checkpoint_file
from ..policies.settings import parse_settings

ABSENT = "absent"  # in place of the digest of a missing file
_DIGEST_LENGTH = 16
_NEVER_NEEDED = re.compile(r"site-packages|\.(pyc|log|md)$")
_WORD = re.compile(rb"\w+")
_LOADERS = set(b"import_module __import__ pkgutil runpy exec spec_from_file_location".split())
_ENDING = re.compile(rb"[\"'*}](\.\w+)\b")  # of a file's name, in code


def files_named(spec: str, game: Game) -> list[str]:
    """Return the files that a player's text names, in its settings too.

    All that is neither a number nor a listed player counts as a file. Raises ValueError for
    malformed text.
    """
    name, _, rest = spec.partition(":")
    if name.endswith(CODE):
        files, settings = [name], rest.partition(":")[2]
    elif _is_listed(name, game):
        files, settings = [], rest
    else:
        files, settings = [checkpoint_file(name)], rest
    for value in parse_settings(settings).values():
        if not isinstance(value, int | float | None):
            files += files_named(str(value), game)
    return files


def _is_listed(name: str, game: Game) -> bool:
    try:
        return player_key(name, game) in players_of(game)
    except ValueError:
        return False


def check_player(spec: str, game: Game, folder: Path | None = None) -> None:
    """Raise ValueError unless all that a player's text names is listed, or a file in `folder`."""
    for file in files_named(spec, game):
        if not is_inside(file, folder):
            place = "" if folder is None else f", or a file in {folder}"
            danger = ": its file may run code" if file.endswith(RUNNING) else ""
            raise ValueError(
                f"{spec!r} cannot be chosen here{danger}; name one of "
                f"{', '.join(players_of(game))}, with settings if you like{place}"
            )


def check_named_files(
    name: str, settings: Mapping[str, Any], specs: Iterable[str], folder: Path | None
) -> None:
    """Raise ValueError unless all files that the settings and the players name are in `folder`."""
    game = game_within(name, settings, folder)
    for spec in specs:
        check_player(spec, game, folder)


def needed_files(path: Path) -> list[Path]:
    """Return the files in a folder; a file, with all that lies beside or below it and is needed.

    Code needs the modules there that it imports, and the files that it or these name, in parts too,
    as in `f"{name}.pt"`; an ONNX model those that it names; a model of stable-baselines3 what a
    VecNormalize learned. Logs count nowhere.
    """
    folder = path if path.is_dir() else path.parent
    if path != folder and path.suffix not in (CODE, ".onnx"):
        parts = [path, path.with_suffix(STATISTICS)] if path.suffix == ".zip" else [path]
        return [file for file in parts if file.is_file()]
    names = glob.glob("**", root_dir=folder, recursive=True)  # without hidden ones
    files = [folder / name for name in sorted(names) if not _NEVER_NEEDED.search(name)]
    files = [file for file in files if file.is_file()]
    if path == folder:
        return files
    modules = _modules_used(path, [file for file in files if file.suffix == CODE])
    code = b"\n".join(map(Path.read_bytes, modules))
    ends = set(_ENDING.findall(code))
    return [
        f for f in files if f in modules or f.suffix.encode() in ends or f.name.encode() in code
    ]


def _modules_used(path: Path, modules: list[Path]) -> set[Path]:
    """Return a file and the modules whose names stand in its code, or in the code of these.

    A package, and code that can import what it does not name, uses all of them.
    """
    used, more = set(), {path}
    while more:
        used |= more
        words = {word for module in used for word in _WORD.findall(module.read_bytes())}
        is_open = path.stem == "__init__" or not words.isdisjoint(_LOADERS)
        more = {module for module in modules if is_open or _name(module) in words} - used
    return used


def _name(module: Path) -> bytes:
    return (module.parent.name if module.stem == "__init__" else module.stem).encode()


def digests_of(specs: Iterable[str], game: Game) -> dict[str, str]:
    """Return the digest of each file that these players' texts name, by its path as it is named."""
    return {file: digest_of_file(file) for spec in specs for file in files_named(spec, game)}


def digest_of_file(path: str) -> str:
    """Return the digest of a file, or `ABSENT` where there is no ordinary one."""
    try:
        if not os.path.isfile(path):  # reading a device may have no end
            return ABSENT
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:_DIGEST_LENGTH]
    except OSError:
        return ABSENT


def check_stored(present: Mapping[str, str], kept: Collection[str], is_trusted: bool) -> None:
    """Raise ValueError where an untrusted store names files, or one of its files has changed.

    `present` are their present digests by path, `kept` the digests in the store.
    """
    for file, digest in present.items():
        if not is_trusted:
            raise ValueError(
                f"the store names {file}, which would run here: add --trust if you know it"
            )
        if digest not in kept:
            raise ValueError(f"{file} has changed since the store named it, or is gone")
