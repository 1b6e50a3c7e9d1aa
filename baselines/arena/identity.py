"""What a player is, as text: results in a store are kept under it.

For a player of ours: its name, its settings and the digest of the code and data that it and the
game are made of, found from there by their imports, so that an edit elsewhere changes nothing. For
a user's: the digest of its file; what that file imports or opens is noted as it plays (`opened`).
"""

import hashlib
import sys
import types
from collections.abc import Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

from ...envs.core.game import Game
from ...envs.core.jit import python_source
from ...envs.core.sources import UntrackedError, files_behind, files_of, result_digest_of
from ..networks.learned import learned_policy, shipped_checkpoints
from ..parts import part_of
from ..players import parse_settings, player_key, players_of
from ..roster import own_players

SCHEME = "2"  # of identities; those without one do not tell what a result depends on
_PLAYED_BY = ("batches.py", "seatings.py")  # in this folder: how games of any player come about
_SCRIPTS, _ANYBODY = "own_players", ("players_of", "make_policy")  # what gives players by name
_DEFINING = [Path(__file__).resolve().parents[1] / name for name in ("roster.py", "players.py")]
_DIGEST_LENGTH = 16
_INSTALLED = {"site-packages", "dist-packages"}


def identity_of(spec: Any, game: Game) -> str | None:
    """The identity of the player that `spec` stands for; None where nothing tells what it is."""
    if not isinstance(spec, str):
        return None
    try:
        return f"{SCHEME} {_described(spec, game)} {_played(game)}"
    except UntrackedError:  # such as a file of ours that was edited since this process began
        return None


def is_current_scheme(identity: str | None) -> bool:
    """Whether the identity says all that its results depend on."""
    return identity is not None and identity.startswith(f"{SCHEME} ")


def users_files(spec: Any) -> list[Path]:
    """The user's files of code that a player is made from: its own, and those in its settings."""
    if not isinstance(spec, str):
        return []
    name, _, rest = spec.partition(":")
    values = rest.partition(":")[2] if name.endswith(".py") else rest
    given = [name, *(parse_settings(values).values() if "=" in values else ())]
    paths = [Path(text.partition(":")[0]) for text in given if isinstance(text, str)]
    return [path for path in paths if path.suffix == ".py" and path.is_file()]


def _described(spec: str, game: Game) -> str:
    name, _, rest = spec.partition(":")
    if name.endswith(".pt"):
        code = _code(learned_policy)
        return f"checkpoint {_file_digest(Path(name))} {rest} played by {code}"
    if name.endswith(".py"):
        given = _given_to(files_behind(Path(name).resolve()), game) + _form_of(game)
        return f"file {_file_digest(Path(name))} {rest} {given}"
    key = player_key(name, game)
    parts = [key, *(f"{k}={_setting(v)}" for k, v in sorted(parse_settings(rest).items()))]
    if key in shipped_checkpoints(game):
        parts.append(f"checkpoint {_file_digest(shipped_checkpoints(game)[key])}")
    player = players_of(game)[key]
    parts.append(f"of {_code(player.make)}")
    if player.row_function is None:  # a compiled function has no names to ask for
        parts.append(_given_to(files_of(_all_modules(player.make), with_inner=True), game))
    return " ".join(parts)


def _setting(value: Any) -> str:
    """A setting as text; one that names a file stands for what is in it."""
    path = Path(value.partition(":")[0]) if isinstance(value, str) and value else None
    is_file = path is not None and path.is_file()
    return f"{value!r} {_file_digest(path)}" if is_file and path is not None else repr(value)


def _given_to(files: Iterable[Path], game: Game) -> str:
    """The digest of the game's players where this code asks for players by name, else nothing."""
    asking = [file for file in files if file.suffix == ".py" and file not in _DEFINING]
    texts = "\n".join(file.read_text("utf-8") for file in asking)
    if not any(name in texts for name in (_SCRIPTS, *_ANYBODY)):
        return ""
    asks_anybody = any(name in texts for name in _ANYBODY)
    shipped = shipped_checkpoints(game).values() if asks_anybody else ()
    makers = [player.make for player in own_players(game).values()]
    return " ".join(["with", _code(*makers), *map(_file_digest, shipped)])


def _form_of(game: Game) -> str:
    """The digest of the form that only this game has for users' players, where it has one."""
    own = part_of(game, "agents")
    return "" if own is None or own.__file__ is None else f" as {_file_digest(Path(own.__file__))}"


def _played(game: Game) -> str:
    """The digest of the game, of the files that its settings name, and of how it is played."""
    files = [Path(__file__).with_name(name) for name in _PLAYED_BY]
    named = [
        Path(value)
        for value in game.config_dict().values()
        if isinstance(value, str) and value and Path(value).is_file()
    ]
    return " ".join(["at", _code(game.make), *map(_file_digest, [*files, *named])])


def _file_digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:_DIGEST_LENGTH]


# The code of a function


def _code(*functions: Any) -> str:
    """The digest of the code and data that these functions are made of."""
    return _digest(_all_modules(*functions))


def _all_modules(*functions: Any) -> frozenset[str]:
    return frozenset(module for one in functions for module in _modules(one, set()))


@cache
def _digest(modules: frozenset[str]) -> str:
    return result_digest_of(modules)


def _modules(thing: Any, seen: set[int]) -> Iterator[str]:
    """The modules of a function and of all that it holds: what it wraps, is bound to, closes over.

    Those of Python itself and of installed packages do not count.
    """
    if id(thing) in seen:
        return
    seen.add(id(thing))
    if _counts(getattr(thing, "__module__", None)):
        yield thing.__module__
    for part in _parts(thing):
        yield from _modules(part, seen)


def _counts(module: Any) -> bool:
    if not isinstance(module, str) or module.partition(".")[0] in sys.stdlib_module_names:
        return False
    origin = getattr(sys.modules.get(module), "__file__", None) or ""
    is_game_or_ours = module.partition(".")[0] == __name__.partition(".")[0]
    return origin.endswith(".py") and (is_game_or_ours or _INSTALLED.isdisjoint(Path(origin).parts))


def _parts(thing: Any) -> list[Any]:
    if isinstance(thing, partial):
        return [thing.func, *thing.args, *thing.keywords.values()]
    if isinstance(thing, list | tuple | set | frozenset):
        return list(thing)
    if isinstance(thing, dict):
        return list(thing.values())
    if isinstance(thing, types.MethodType):
        return [thing.__func__, type(thing.__self__)]
    if not callable(thing):
        return []
    source = python_source(thing)
    if not isinstance(source, types.FunctionType):
        return []
    cells = [cell.cell_contents for cell in source.__closure__ or () if _is_full(cell)]
    wrapped = getattr(thing, "__wrapped__", None)
    bound = list(vars(source).values())  # `bind` notes there what a copy was made from
    return [source, *cells, *(source.__defaults__ or ()), wrapped, *bound]


def _is_full(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True
