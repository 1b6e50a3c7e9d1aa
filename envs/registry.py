"""The list of games, one line each; `register_game` adds those of other packages.

PettingZoo's name of a game, such as `president_v0`, is a short module beside this one. No game is
imported or compiled before it is first used.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args

import gymnasium
import pettingzoo

from .core import catalogue
from .core.catalogue import find_game, import_game, without_numpy
from .core.environments.keywords import PETTINGZOO, with_keywords

if TYPE_CHECKING:
    from pettingzoo import ParallelEnv

    from .core.environments.aec import CheckedEnv, Observation, RawEnv
    from .core.game import Game

# The list of the games that ship; type checkers read it too.
GameName = Literal["top_trumps", "notty", "splendor", "trick_taking", "president"]

GAMES: dict[str, str] = {}  # all games that are known here, with their ids in Gymnasium


def _enter(name: str, version: int, entry: catalogue.Entry) -> bool:
    """Make a game known here; return whether it is new. Raises ValueError for a name taken."""
    is_new = catalogue.add_entry(name, entry)
    GAMES[name] = f"{name.title().replace('_', '')}-v{version}"
    return is_new


for _name in get_args(GameName):
    _enter(_name, 0, catalogue.Entry(f"{__package__}.{_name}"))

_ROOT_PACKAGE = __name__.removesuffix(".envs.registry")
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_VIEWS = f"{_ROOT_PACKAGE}.baselines.environments"  # it makes policies of opponents' names


def load_game(name: GameName, **config: Any) -> Game:
    """Load a game that ships, with its settings: `load_game("president", num_players=2)`.

    A type checker knows the names; `find_game` of `parlour.envs` takes any `str`, such as the name
    of a registered game. Raises ValueError for an unknown game, TypeError for an unknown setting,
    ValueError for an impossible value::

        >>> import parlour
        >>> game = parlour.load_game("president", num_players=2)
        >>> game.num_seats, game.num_actions
        (2, 51)
        >>> game.layout.name(3)
        'hand[3], divided by 4: your cards by rank, low to high'
    """
    return find_game(name, **config)


def list_games() -> list[str]:
    """Return the names of all registered games, those of other packages last.

    >>> import parlour
    >>> parlour.list_games()[:5]
    ['top_trumps', 'notty', 'splendor', 'trick_taking', 'president']
    """
    return list(GAMES)


def register_game(make: Callable[..., Game], *, parts: str | None = None) -> None:
    """Add a game of another package to `find_game`, to Gymnasium and to every command.

    `make(**config)`, a function at the top of a module, gives the game. Its name and version make
    the id: "kuhn_poker" of version 0 becomes `KuhnPoker-v0`. Call `register_game` where your
    package is imported; `gym.make("my_package:KuhnPoker-v0")`, spawned workers and
    `parlour COMMAND --import my_package` then find the game.

    `parts` is the package with what belongs to this game alone, as `parlour.baselines.notty` is for
    Notty. It may have modules `players`, `hints`, `inputs`, `measures`, `trials` and `agents`, and
    a folder `checkpoints`. Raises ValueError for a taken or malformed name, and TypeError where
    `make` is no function::

        >>> import dataclasses, parlour
        >>> def short_notty(**config):
        ...     game = parlour.load_game("notty", **{"turn_limit": 50, **config})
        ...     return dataclasses.replace(game, name="short_notty", make=short_notty)
        >>> parlour.register_game(short_notty)
        >>> parlour.list_games()[-1]
        'short_notty'
    """
    if not callable(make):
        raise TypeError(
            f"register_game takes the function that makes the game, not {make!r}; "
            "without parentheses: register_game(game)"
        )
    game = make()
    if not _NAME.fullmatch(game.name):
        raise ValueError(
            f"a game's name is lower_snake_case, such as 'kuhn_poker'; not {game.name!r}"
        )
    is_new = _enter(game.name, game.version, catalogue.Entry(make, parts))
    if not is_new:  # its module was imported again
        return
    package = make.__module__.partition(".")[0]
    by_name = catalogue.importable_name(game.name)
    _register_with_gymnasium(GAMES[game.name], by_name)
    _register_with_pettingzoo(f"{package}/{game.name}_v{game.version}", by_name)


def make_aec(name: str, **settings: Any) -> CheckedEnv:
    """Make the PettingZoo environment of a game, with settings of the game and of `RawEnv`.

    It has the behaviour of PettingZoo's usual wrappers: see `CheckedEnv`.
    """
    from .core.environments.aec import CheckedEnv

    return _make_view(CheckedEnv, name, settings)


def make_raw_aec(name: str, **settings: Any) -> RawEnv:
    """Make it as `make_aec`, unwrapped: an illegal action raises ValueError, changes nothing."""
    from .core.environments.aec import RawEnv

    return _make_view(RawEnv, name, settings)


def make_parallel(name: str, **settings: Any) -> ParallelEnv[str, Observation, int | None]:
    """Make the environment of `make_aec` as a parallel one, still played in turns."""
    from pettingzoo.utils.conversions import turn_based_aec_to_parallel

    return turn_based_aec_to_parallel(make_aec(name, **settings))


def pettingzoo_makers(
    module: str, name: str
) -> tuple[
    Callable[..., CheckedEnv],
    Callable[..., RawEnv],
    Callable[..., ParallelEnv[str, Observation, int | None]],
]:
    """Return what a game's module for PettingZoo holds: `env`, `raw_env` and `parallel_env`."""

    @with_keywords(PETTINGZOO)
    def env(**settings: Any) -> CheckedEnv:
        """Make the environment; settings of the game and the keywords below together."""
        return make_aec(name, **settings)

    @with_keywords(PETTINGZOO)
    def raw_env(**settings: Any) -> RawEnv:
        """Make the environment without wrappers: an illegal action raises ValueError."""
        return make_raw_aec(name, **settings)

    @with_keywords(PETTINGZOO)
    def parallel_env(**settings: Any) -> ParallelEnv[str, Observation, int | None]:
        """Make `env` as a parallel environment, in which all agents give an action at each step.

        Only that of the agent to act is played, the one whose mask is not empty.
        """
        return make_parallel(name, **settings)

    for maker in (env, raw_env, parallel_env):  # so that they can be pickled
        maker.__module__, maker.__qualname__ = module, maker.__name__
    return env, raw_env, parallel_env


def _make_view(view: Callable[..., Any], name: str, settings: Mapping[str, Any]) -> Any:
    game, options = split_settings(view, name, settings)
    return view(game, **options)


def split_settings(
    view: Callable[..., Any], name: str, settings: Mapping[str, Any]
) -> tuple[Game, dict[str, Any]]:
    """Return the game made with its part of `settings`, and the rest, those of the view.

    Raises ValueError for an unknown game or an impossible value. The TypeError for an unknown
    setting has Python's words for one, by which other libraries know that they may leave it out.
    """
    names = [parameter for parameter in inspect.signature(view).parameters if parameter != "game"]
    settings = without_numpy(settings)
    config = {key: value for key, value in settings.items() if key not in names}
    try:
        game = import_game(name, **config)
    except TypeError as error:
        unknown = next((key for key in config if repr(key) in str(error)), "")
        raise TypeError(
            f"got an unexpected keyword argument {unknown!r}: {error}; "
            f"the environment's options are {', '.join(names)}"
        ) from None
    return game, {key: value for key, value in settings.items() if key in names}


def pettingzoo_names() -> dict[str, str]:
    """Return PettingZoo's names of the games that ship: `president_v0` and so on, with the game.

    Each is a module beside this one, with `env`, `raw_env` and `parallel_env`.
    """
    return {f"{name}_{GAMES[name].rpartition('-')[2]}": name for name in get_args(GameName)}


def register_environments() -> None:
    """Make the games known to Gymnasium, and to PettingZoo where it has a registry (1.27)."""
    for name, env_id in GAMES.items():
        _register_with_gymnasium(env_id, name)
    for versioned, name in pettingzoo_names().items():
        _register_with_pettingzoo(f"parlour/{versioned}", name)


def _register_with_gymnasium(env_id: str, name: str) -> None:
    """Register the single-seat and the vector environment of `load_game(name)`."""
    gymnasium.register(
        env_id,
        entry_point=f"{_VIEWS}:make_solo",
        vector_entry_point=f"{_VIEWS}:make_vector",
        kwargs={"name": name},
    )


def _register_with_pettingzoo(env_id: str, name: str) -> None:
    if hasattr(pettingzoo, "register"):
        for view in ("aec", "parallel"):
            entry_point = f"{__name__}:make_{view}"
            pettingzoo.register(view, env_id, entry_point=entry_point, kwargs={"name": name})
