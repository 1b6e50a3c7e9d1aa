"""Finding players by name: scripts of a game, generic players, checkpoints, users' own files."""

import ast
import dataclasses
import importlib.util
import inspect
import re
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from ..envs.core.game import Game
from ..envs.core.seating import Memory, PlayerError
from . import human
from .networks.learned import learned_policy, shipped_checkpoints
from .policy import Policy, remembering_policy
from .roster import BLIND, Player, own_players, searching
from .search import mcts, playout

_OURS = Path(__file__).resolve().parent

GENERIC = {
    **BLIND,
    "playout": searching(playout.playout),
    "mcts": searching(mcts.mcts),
}
AT_THE_CONSOLE = {
    "human": Player(human.human, "You, at the console."),
    "user": Player(human.human, "Another name of `human`."),
}


def players_of(game: Game) -> dict[str, Player]:
    """All players of a game by name: those of any game, its own weakest first, trained ones.

    A game may have its own player of a generic name.
    """
    own = own_players(game)
    of_any_game = {name: player for name, player in GENERIC.items() if name not in own}
    return {**of_any_game, **own, **_trained(game)}


def _trained(game: Game) -> dict[str, Player]:
    return {
        name: Player(
            partial(learned_policy, path, name=name),
            f"Learned: {game.name}/checkpoints/{path.name}.",
        )
        for name, path in shipped_checkpoints(game).items()
    }


def list_policies(game: Game) -> list[str]:
    """The names of the players of a game that play by themselves: any game's, then its own.

    Its own are in the order of their strength, weakest first. `human` plays too, when asked for.
    """
    return list(players_of(game))


def make_policy(spec: Any, game: Game, **settings: Any) -> Policy:
    """A player of `game`.

    `spec` is a name (`"lowest"`, or as its inventor wrote it, `"X-DEFENSIVE"`), a name with
    settings (`"playout:num_playouts=100"`), a checkpoint file (`"runs/mine.pt"`), a function or a
    class in a file of your own (`"mine.py:choose"`, `"mine.py:Mine:setting=1"`), a function over
    batches, or a Policy. A class is for players that remember: it is called with its settings for
    each seat of each game, and what it gives has begin(seat, game), watch(observation) and
    choose(observation, action_mask, rng); a class with `take_seat` has that called in its stead.
    Raises ValueError for anything else and TypeError for a setting that the player does not have.
    """
    if isinstance(spec, Policy):
        return spec
    policy = _made(spec, game, settings)
    return dataclasses.replace(policy, remake=partial(make_policy, spec, game, **settings))


def _made(spec: Any, game: Game, settings: dict[str, Any]) -> Policy:
    if isinstance(spec, type):
        return _of_class(spec, spec.__name__, None, game, settings)
    if callable(spec):
        return Policy(getattr(spec, "__name__", type(spec).__name__), game, spec)
    if not isinstance(spec, str):
        raise ValueError(f"a player is a name, a file or a function, not {spec!r}")
    if spec.endswith(".pt"):
        return learned_policy(spec, game, **settings)
    name, _, rest = spec.partition(":")
    if name.endswith(".py"):
        return _of_file(Path(name), rest, game, settings)
    return _named(name, game, {**parse_settings(rest), **settings})


def _named(name: str, game: Game, settings: dict[str, Any]) -> Policy:
    players = {**players_of(game), **AT_THE_CONSOLE}
    return players[player_key(name, game)].make(game, **settings)


def player_key(name: str, game: Game) -> str:
    """The player as it is listed, however its inventor wrote it. Raises ValueError for nobody.

    `MeanerMax`, `meaner-max` and `meaner_max` are one name.
    """
    players = {**players_of(game), **AT_THE_CONSOLE}
    listed = {_run_together(key): key for key in players}
    if _run_together(name) not in listed:
        raise ValueError(f"{game.name} has no player {name!r}; it has {', '.join(players)}")
    return listed[_run_together(name)]


def _run_together(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name).lower()


def parse_settings(text: str) -> dict[str, Any]:
    """`a=1,b=word` as a dict; values are Python literals where they can be, else text.

    Raises ValueError for a part without an equals sign, and for a setting that is given twice.
    """
    settings: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise ValueError(f"settings are written key=value, not {part!r}")
        key = key.strip()
        if key in settings:
            raise ValueError(f"{key} is set twice in {text!r}")
        try:
            settings[key] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            settings[key] = value
    return settings


def _of_file(path: Path, rest: str, game: Game, settings: dict[str, Any]) -> Policy:
    """`NAME` or `NAME:setting=1` of a user's file."""
    name, _, given = rest.partition(":")
    settings = {**parse_settings(given), **settings}
    found = _found_in_file(path, name)
    if isinstance(found, type):
        return _of_class(found, f"{path}:{name}", path, game, settings)
    if settings:
        raise TypeError(f"{path}:{name} is a function and has no setting {', '.join(settings)}")
    return Policy(name, game, _Guarded(found, f"{path}:{name}", path))


def _found_in_file(path: Path, name: str) -> Callable[..., Any]:
    if not path.is_file():
        raise ValueError(f"no file {path}")
    module = _load_module(path)
    found = getattr(module, name, None)
    if not name or not callable(found):
        own = [
            key
            for key, value in vars(module).items()
            if inspect.isfunction(value) or (inspect.isclass(value) and _is_of(module, value))
        ]
        raise ValueError(
            f"say which function or class of {path}: {path}:NAME, of {', '.join(own)}"
            if own
            else f"{path} has no function or class to play with"
        )
    return found


def _is_of(module: ModuleType, found: type) -> bool:
    return found.__module__ == module.__name__


def _of_class(
    found: type, who: str, path: Path | None, game: Game, settings: dict[str, Any]
) -> Policy:
    """A policy that makes players of this class; settings that it does not take show at once."""
    make = _Guarded(getattr(found, "take_seat", found), who, path)
    player = make(**settings)
    missing = [name for name in ("begin", "watch", "choose") if not hasattr(player, name)]
    if missing:
        raise ValueError(f"{who} is a class of players without {', '.join(missing)}")
    return remembering_policy(
        found.__name__, game, lambda: _GuardedMemory(make(**settings), who, path)
    )


@dataclasses.dataclass
class _Guarded:
    """What a user wrote; when it fails in play, the PlayerError says where."""

    function: Callable[..., Any]
    who: str
    path: Path | None = None

    def __call__(self, *arguments: Any, **settings: Any) -> Any:
        try:
            return self.function(*arguments, **settings)
        except PlayerError:
            raise
        except Exception as error:
            raise PlayerError(f"{self.who} failed: {_told(error, self.path)}") from error


@dataclasses.dataclass
class _GuardedMemory:
    """The same of a player that remembers."""

    player: Memory
    who: str
    path: Path | None

    def begin(self, seat: int, game: Game) -> None:
        _Guarded(self.player.begin, self.who, self.path)(seat, game)

    def watch(self, observation: Any) -> None:
        _Guarded(self.player.watch, self.who, self.path)(observation)

    def choose(self, observation: Any, action_mask: Any, rng: Any) -> int:
        return _Guarded(self.player.choose, self.who, self.path)(observation, action_mask, rng)


def _load_module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ValueError(f"cannot load {path}: {_told(error, path)}") from error
    return module


def _told(error: Exception, path: Path | None) -> str:
    """What went wrong, and the last line of the user's code that it went through.

    The user's code is this file and all beside or below it.
    """
    where = ""
    if path is not None:
        folder = path.resolve().parent
        for frame in traceback.extract_tb(error.__traceback__):
            file = Path(frame.filename).resolve()
            if file.is_relative_to(folder) and not file.is_relative_to(_OURS):
                name = "" if file == path.resolve() else f"{file.relative_to(folder)}, "
                where = f" ({name}line {frame.lineno})"
    return f"{type(error).__name__}: {error}{where}"
