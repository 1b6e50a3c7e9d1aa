"""Players in files of a user's own: functions and classes, and errors that name the line."""

import dataclasses
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from ...envs.core.compile import reason_of
from ...envs.core.game import Game
from ...envs.core.play.legal import PlayerError
from ...envs.core.words import check_setting_names
from ..policies.game_parts import part_of
from ..policies.policy import Policy, remembering_policy
from ..policies.settings import parse_settings
from .foreign import over_records, policy_of_model, torch_module

_OURS = Path(__file__).resolve().parents[1]


def policy_of_file(path: Path, rest: str, game: Game, settings: dict[str, Any]) -> Policy:
    """Make the player `NAME` or `NAME:setting=1` of a user's file."""
    name, _, words = rest.partition(":")
    settings = {**parse_settings(words), **settings}
    player = _found_in_file(path, name)
    if isinstance(player, type):
        return policy_of_class(player, f"{path}:{name}", path, game, settings)
    if torch_module(player) is not None:
        check_setting_names(f"{path}:{name}", settings, ())
        return policy_of_model(player, game, name)
    if settings:
        raise TypeError(f"{path}:{name} is a function and has no setting {', '.join(settings)}")
    choose = over_records(name, game, player)
    return Policy(name, game, _Guarded(choose, f"{path}:{name}", path))


def _found_in_file(path: Path, name: str) -> Callable[..., Any]:
    if not path.is_file():
        raise ValueError(f"no file {path}")
    module = _load_module(path)
    player = getattr(module, name, None)
    if not name or not callable(player):
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
    return player


def _is_of(module: ModuleType, value: type) -> bool:
    return value.__module__ == module.__name__


def policy_of_class(
    player_class: type, who: str, path: Path | None, game: Game, settings: dict[str, Any]
) -> Policy:
    """Make a policy of this class; make one player now, so that a wrong setting fails at once."""
    own = part_of(game, "agents")  # a form of player that only this game has
    is_own = own is not None and own.is_own_form(player_class)
    make = _Guarded(
        partial(own.take_seat, player_class) if own is not None and is_own else player_class,
        who,
        path,
    )
    player, names = make(**settings), ("begin", "watch", "choose")
    missing = [name for name in names if not hasattr(player, name)]
    if missing:
        raise ValueError(f"the players of class {who} have no {', '.join(missing)}")

    def remember() -> Any:
        player = make(**settings)
        return SimpleNamespace(**{n: _Guarded(getattr(player, n), who, path) for n in names})

    return remembering_policy(player_class.__name__, game, remember)


@dataclasses.dataclass
class _Guarded:
    """A user's function; where it fails, it raises a PlayerError that names the place."""

    function: Callable[..., Any]
    who: str
    path: Path | None

    def __call__(self, *arguments: Any, **settings: Any) -> Any:
        try:
            return self.function(*arguments, **settings)
        except (PlayerError, KeyboardInterrupt):  # the latter is the person at this machine
            raise
        except BaseException as error:
            raise PlayerError(f"{self.who} failed: {_describe(error, self.path)}") from error


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
    except KeyboardInterrupt:
        raise
    except BaseException as error:
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
            is_file = not frame.filename.startswith("<")  # as Python's own do
            if is_file and file.is_relative_to(folder) and not file.is_relative_to(_OURS):
                name = "" if file == path.resolve() else f"{file.relative_to(folder)}, "
                where = f" ({name}line {frame.lineno})"
    return ": ".join(filter(None, (type(error).__name__, reason_of(error)))) + where
