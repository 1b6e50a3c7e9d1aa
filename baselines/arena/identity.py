"""The identity of a player as text, under which a store keeps its results.

For a player of Parlour it has the name, the settings, and a digest of the code and data of the
player and the game. That code is found by following imports, so an edit elsewhere changes nothing.
For a user's player it has the digest of its file; `opened` records what that file imports or opens.
"""

import hashlib
import sys
import types
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from ...envs.core.compile import python_source
from ...envs.core.game import Game
from ..networks.learned import learned_policy, shipped_checkpoints
from ..parts import part_of
from ..players import parse_settings, player_called, player_key
from ..roster import own_players
from ..sources import (
    UntrackedError,
    file_digest,
    files_behind,
    files_of,
    result_digest_of,
)

SCHEME = "2"  # of identities; older ones do not say what a result depends on
# They affect the results of every game.
_PLAYED_BY = [Path(__file__).with_name(name) for name in ("batches.py", "seatings.py")]
_SCRIPTS, _ANYBODY = "own_players", ("players_of", "make_policy")  # they return players by name
_DEFINING = [Path(__file__).resolve().parents[1] / name for name in ("roster.py", "players.py")]
_DIGEST_LENGTH = 16
_INSTALLED = {"site-packages", "dist-packages"}


def identities_of(specs: Sequence[Any], game: Game) -> list[str | None]:
    """Return the identity of each of these players, or None where it cannot be determined."""
    if not any(isinstance(spec, str) for spec in specs):
        return [None] * len(specs)
    try:
        played = _played(game)
    except UntrackedError:  # such as a file of Parlour edited since this process began
        return [None] * len(specs)
    return [_identity(spec, game, played) for spec in specs]


def _identity(spec: Any, game: Game, played: str) -> str | None:
    if not isinstance(spec, str):
        return None
    try:
        return f"{SCHEME} {_described(spec, game)} {played}"
    except UntrackedError:
        return None


def is_current_scheme(identity: str | None) -> bool:
    """Return whether the identity says everything that the results depend on."""
    return identity is not None and identity.startswith(f"{SCHEME} ")


def users_files(spec: Any) -> list[Path]:
    """Return the user's code files of a player: its own, and those named in its settings."""
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
    player = player_called(key, game)
    parts.append(f"of {_code(player.make)}")
    if player.row_function is None:  # a compiled function has no names to ask for
        parts.append(_given_to(files_of(_all_modules(player.make), with_inner=True), game))
    return " ".join(parts)


def _setting(value: Any) -> str:
    """Return a setting as text; add the digest of the file that it names."""
    path = Path(value.partition(":")[0]) if isinstance(value, str) and value else None
    is_file = path is not None and path.is_file()
    return f"{value!r} {_file_digest(path)}" if is_file and path is not None else repr(value)


def _given_to(files: Iterable[Path], game: Game) -> str:
    """Return the digest of the game's players where this code makes players by name, else ""."""
    asking = [file for file in files if file.suffix == ".py" and file not in _DEFINING]
    texts = "\n".join(file.read_text("utf-8") for file in asking)
    if not any(name in texts for name in (_SCRIPTS, *_ANYBODY)):
        return ""
    asks_anybody = any(name in texts for name in _ANYBODY)
    shipped = shipped_checkpoints(game).values() if asks_anybody else ()
    makers = [player.make for player in own_players(game).values()]
    return " ".join(["with", _code(*makers), *map(_file_digest, shipped)])


def _form_of(game: Game) -> str:
    """Return the digest of the game's own interface for users' players, or ""."""
    own = part_of(game, "agents")
    return "" if own is None or own.__file__ is None else f" as {_file_digest(Path(own.__file__))}"


def _played(game: Game) -> str:
    """Return the digest of the game, the code that plays it, and the files its settings name."""
    ours = [file_digest(path)[:_DIGEST_LENGTH] for path in _PLAYED_BY]
    named = [
        Path(value)
        for value in game.config_dict().values()
        if isinstance(value, str) and value and Path(value).is_file()
    ]
    return " ".join(["at", _code(game.make), *ours, *map(_file_digest, named)])


def _file_digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:_DIGEST_LENGTH]


# The code of a function


def _code(*functions: Any) -> str:
    """Return the digest of the code and data that these functions are made of."""
    return _digest(_all_modules(*functions))


def _all_modules(*functions: Any) -> frozenset[str]:
    return frozenset(module for one in functions for module in _modules(one, set()))


@cache
def _digest(modules: frozenset[str]) -> str:
    return result_digest_of(modules)


def _modules(thing: Any, seen: set[int]) -> Iterator[str]:
    """Yield the modules of a function and of what it wraps, is bound to, or closes over.

    Leave out modules of Python itself and of installed packages.
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
    bound = list(vars(source).values())  # `bind` records there what a copy was made from
    return [source, *cells, *(source.__defaults__ or ()), wrapped, *bound]


def _is_full(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True
