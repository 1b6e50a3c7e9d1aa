"""Make players by name: scripts of a game, generic players, checkpoints, users' own files."""

import ast
import dataclasses
import importlib.util
import inspect
import os
import re
import sys
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from ...envs.core.catalogue import without_numpy
from ...envs.core.compile import reason_of
from ...envs.core.game import Game
from ...envs.core.play.seating import Memory, PlayerError
from ..networks.learned import learned_policy, shipped_checkpoints
from ..search import mcts, playout
from . import best, human
from .game_parts import part_of
from .policy import Policy, PolicySpec, remembering_policy
from .roster import BLIND, Player, check_settings, own_players, searching

_OURS = Path(__file__).resolve().parents[1]

GUIDE = "expert_iteration"  # of the learners whose networks ship, the one that learns by search
GUIDED = "guided"
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
    """Return all players of a game by name: generic ones, its own (weakest first), trained ones.

    A game's own player replaces a generic one of the same name; one that cannot play with these
    settings is left out. `best` stands for one of the others; see `resolved`.
    """
    others = {name: player for name, player in _all_but_best(game).items() if player.plays(game)}
    champion = best.champion_of(game, others)
    is_timed = others[champion.partition(":")[0]].is_timed
    summary = f"The strongest player that ships: here `{champion}`."
    return {best.NAME: Player(_make_best, summary, is_timed=is_timed), **others}


def _all_but_best(game: Game) -> dict[str, Player]:
    own = own_players(game)
    of_any_game = {name: player for name, player in GENERIC.items() if name not in own}
    return {**of_any_game, **own, **_trained(game)}


def player_called(key: str, game: Game) -> Player:
    """Return the player of a key from `player_key`.

    A player that cannot play with these settings is refused when it is made.
    """
    if key == best.NAME:
        return players_of(game)[key]
    return {**_all_but_best(game), **AT_THE_CONSOLE}[key]


def _make_best(game: Game, **settings: Any) -> Policy:
    return make_policy(best.NAME, game, **settings)


def resolved(spec: PolicySpec, game: Game, **settings: Any) -> PolicySpec:
    """Return the player that `best` stands for at this game; any other spec as it is.

    A store of results keeps a player under the spec that this returns.
    """
    name, _, rest = spec.partition(":") if isinstance(spec, str) else ("", "", "")
    if _run_together(name) != best.NAME:
        return spec
    return best.stand_in(game, players_of(game), **{**parse_settings(rest), **settings})


def _trained(game: Game) -> dict[str, Player]:
    """Return the players whose networks ship, and the search that one of them guides."""
    shipped = shipped_checkpoints(game)
    players = {
        name: Player(
            partial(learned_policy, path, name=name),
            f"Learned: {game.name}/checkpoints/{path.name}.",
        )
        for name, path in shipped.items()
    }
    if GUIDE in shipped:
        players[GUIDED] = Player(
            partial(_guided, shipped[GUIDE]),
            f"Looks ahead in a tree: `mcts` with `{GUIDE}` in place of playouts.",
            is_timed=True,
        )
    return players


def _guided(path: Path, game: Game, **settings: Any) -> Policy:
    search = {**GENERIC, **own_players(game)}["mcts"]
    return dataclasses.replace(search.make(game, network=str(path), **settings), name=GUIDED)


def list_policies(game: Game) -> list[str]:
    """Return the names of the players of a game: generic ones first, then its own, weakest first.

    `human` is not listed, because it needs a person at the console.
    """
    return list(players_of(game))


def make_policy(spec: PolicySpec, game: Game, **settings: Any) -> Policy:
    """Make a player of `game`.

    `spec` is one of these:

    * a name, also as its inventor spelled it: `"lowest"`, `"X-DEFENSIVE"`
    * `"best"`, the strongest player that ships; `"best:seconds=0.02"` limits its time for a move
      where it searches, and changes nothing where it does not
    * a name with settings: `"playout:num_playouts=100"`
    * a checkpoint file: `"runs/mine.pt"`, with `":other_rules=True"` to play under house rules that
      it was not trained for
    * a function or a class in a file of your own: `"mine.py:choose"`, `"mine.py:Mine:setting=1"`
    * a function over batches, a class, or a Policy that was made for this game

    A class makes players with memory. It is called with its settings for each seat of each game and
    returns an object with begin(seat, game), watch(observation) and choose(observation,
    action_mask, rng). A game may accept another form, such as the agents of Top Trumps.

    Raises ValueError for anything else, and TypeError for a setting that the player does not have.
    """
    if isinstance(spec, Policy):
        return _made_for(spec, game)
    settings = without_numpy(settings)
    named = resolved(spec, game, **settings)
    if named is not spec:
        return make_policy(named, game)
    policy = _made(spec, game, settings)
    return dataclasses.replace(policy, remake=partial(make_policy, spec, game, **settings))


def _made_for(policy: Policy, game: Game) -> Policy:
    """Return the policy. Raises ValueError where it was made for another game or other settings."""
    made, asked = ((one.name, one.config_dict()) for one in (policy.game, game))
    if made != asked:
        raise ValueError(f"{policy.name} was made for {policy.game!r}, not for {game!r}")
    return policy


def _made(spec: Any, game: Game, settings: dict[str, Any]) -> Policy:
    if isinstance(spec, type):
        return _of_class(spec, spec.__name__, None, game, settings)
    if callable(spec):
        return Policy(getattr(spec, "__name__", type(spec).__name__), game, spec)
    if not isinstance(spec, str):
        raise ValueError(
            f"a player must be a name, a file, a function, a class or a Policy; got {spec!r}"
        )
    name, _, rest = spec.partition(":")
    if name.endswith(".pt"):
        return learned_policy(name, game, **parse_settings(rest), **settings)
    if name.endswith(".py"):
        return _of_file(Path(name), rest, game, settings)
    return _named(name, game, {**parse_settings(rest), **settings})


def _named(name: str, game: Game, settings: dict[str, Any]) -> Policy:
    key = player_key(name, game)
    make = player_called(key, game).make
    check_settings(key, make, settings)
    return make(game, **settings)


def player_key(name: str, game: Game) -> str:
    """Return the name of a player as it is listed. Raises ValueError where there is none.

    Case, hyphens, underscores and spaces are ignored: `MeanerMax` and `meaner-max` are
    `meaner_max`.
    """
    keys = (best.NAME, *_all_but_best(game), *AT_THE_CONSOLE)
    if name in keys:
        return name
    known = {_run_together(key): key for key in keys}
    if _run_together(name) not in known:
        players = ", ".join([*players_of(game), *AT_THE_CONSOLE])
        trained = os.path.join(name, "checkpoint.pt")
        hint = f"; a run's player is {trained}" if os.path.isfile(trained) else ""
        raise ValueError(f"{game.name} has no player {name!r}; it has {players}{hint}")
    return known[_run_together(name)]


def _run_together(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name).lower()


def parse_settings(text: str) -> dict[str, Any]:
    """Parse `a=1,b=word` into a dict; a value that is no Python literal is text.

    Raises ValueError for a part without an equals sign, and for a setting that is set twice.
    """
    settings: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise ValueError(f"a setting must be written key=value; got {part!r}")
        key = key.strip()
        if key in settings:
            raise ValueError(f"{key} is set twice in {text!r}")
        try:
            settings[key] = ast.literal_eval(value)
        except (ValueError, SyntaxError, RecursionError, MemoryError):  # the last two: nested deep
            settings[key] = value
    return settings


def _of_file(path: Path, rest: str, game: Game, settings: dict[str, Any]) -> Policy:
    """Make the player `NAME` or `NAME:setting=1` of a user's file."""
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
            f"name a function or class of {path} as {path}:NAME; it has {', '.join(own)}"
            if own
            else f"{path} has no function or class that could play"
        )
    return found


def _is_of(module: ModuleType, found: type) -> bool:
    return found.__module__ == module.__name__


def _of_class(
    found: type, who: str, path: Path | None, game: Game, settings: dict[str, Any]
) -> Policy:
    """Make a policy of this class; make one player now, so that a wrong setting fails at once."""
    own = part_of(game, "agents")  # a form of player that only this game has
    is_own = own is not None and own.is_own_form(found)
    make = _Guarded(
        partial(own.take_seat, found) if own is not None and is_own else found, who, path
    )
    player = make(**settings)
    missing = [name for name in ("begin", "watch", "choose") if not hasattr(player, name)]
    if missing:
        raise ValueError(f"the players of class {who} have no {', '.join(missing)}")
    return remembering_policy(
        found.__name__, game, lambda: _GuardedMemory(make(**settings), who, path)
    )


@dataclasses.dataclass
class _Guarded:
    """A user's function; where it fails, it raises a PlayerError that names the place."""

    function: Callable[..., Any]
    who: str
    path: Path | None = None

    def __call__(self, *arguments: Any, **settings: Any) -> Any:
        try:
            return self.function(*arguments, **settings)
        except PlayerError:
            raise
        except (Exception, SystemExit) as error:
            raise PlayerError(f"{self.who} failed: {_describe(error, self.path)}") from error


@dataclasses.dataclass
class _GuardedMemory:
    """A user's player with memory, guarded in the same way."""

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
    """Run a user's file, which may import what lies beside it, also later. Raises ValueError."""
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)  # last, so that it hides nothing that is installed
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise ValueError(f"cannot load {path}: {_describe(error, path)}") from error
    return module


def _describe(error: BaseException, path: Path | None) -> str:
    """Describe an error, with the last line of the user's code that it passed through.

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
    return ": ".join(filter(None, (type(error).__name__, reason_of(error)))) + where
