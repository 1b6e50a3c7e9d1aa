"""The one list of games: a line each. Everything else finds games here.

Nothing is compiled and no game is imported before somebody asks for one.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import gymnasium
import pettingzoo

if TYPE_CHECKING:
    from .core.game import Game
    from .core.views.aec import CheckedEnv, RawEnv

GAMES = {
    "top_trumps": "TopTrumps-v0",
    "notty": "Notty-v0",
    "splendor": "Splendor-v0",
    "trick_taking": "TrickTaking-v0",
    "president": "President-v0",
}


def load_game(name: str, **config: Any) -> Game:
    """A game by name, with its settings: `load_game("president", num_players=2)`.

    Raises ValueError for an unknown game, TypeError for an unknown setting, ValueError for an
    impossible value.
    """
    if name not in GAMES:
        raise ValueError(f"unknown game {name!r}; the games are {', '.join(GAMES)}")
    return importlib.import_module(f".{name}", __package__).game(**config)


def make_aec(name: str, **settings: Any) -> CheckedEnv:
    """The PettingZoo environment of a game; settings of the game and of `RawEnv` together.

    It has the behaviour of PettingZoo's usual wrappers: see `CheckedEnv`.
    """
    from .core.views.aec import CheckedEnv

    return _make_view(CheckedEnv, name, settings)


def make_raw_aec(name: str, **settings: Any) -> RawEnv:
    """The same without wrappers: an illegal action raises ValueError and changes nothing."""
    from .core.views.aec import RawEnv

    return _make_view(RawEnv, name, settings)


def _make_view(view: Callable[..., Any], name: str, settings: Mapping[str, Any]) -> Any:
    game, options = split_settings(view, name, settings)
    return view(game, **options)


def split_settings(
    view: Callable[..., Any], name: str, settings: Mapping[str, Any]
) -> tuple[Game, dict[str, Any]]:
    """Take from `settings` those of the game, and return it with the rest, those of the view.

    Raises ValueError for an unknown game, TypeError for an unknown setting, ValueError for an
    impossible value.
    """
    known = [parameter for parameter in inspect.signature(view).parameters if parameter != "game"]
    config = {key: value for key, value in settings.items() if key not in known}
    try:
        game = load_game(name, **config)
    except TypeError as error:
        raise TypeError(f"{error}; the environment's options are {', '.join(known)}") from None
    return game, {key: value for key, value in settings.items() if key in known}


# PettingZoo's module convention: president_v0.env(...), president_v0.raw_env(...)


def pettingzoo_names() -> dict[str, str]:
    """`president_v0` and its like, each with the game it is of."""
    return {f"{name}_{env_id.rpartition('-')[2]}": name for name, env_id in GAMES.items()}


@functools.cache
def pettingzoo_face(versioned: str) -> SimpleNamespace:
    """What a module of PettingZoo has: `env` and `raw_env`."""
    name = pettingzoo_names()[versioned]
    return SimpleNamespace(
        __name__=versioned,
        env=functools.partial(make_aec, name),
        raw_env=functools.partial(make_raw_aec, name),
    )


def register_environments() -> None:
    """Make the games known to Gymnasium, and to PettingZoo where it has a registry (1.27)."""
    package = __name__.removesuffix(".envs.registry")
    views = f"{package}.baselines.environments"  # where names of opponents become policies
    for name, env_id in GAMES.items():
        gymnasium.register(
            env_id,
            entry_point=f"{views}:make_solo",
            vector_entry_point=f"{views}:make_vector",
            kwargs={"name": name},
        )
    if hasattr(pettingzoo, "register"):
        for versioned, name in pettingzoo_names().items():
            pettingzoo.register(
                "aec",
                f"parlour/{versioned}",
                entry_point=f"{__name__}:make_aec",
                kwargs={"name": name},
            )
