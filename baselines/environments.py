"""The entry points of `gym.make` and `gym.make_vec`, where names of opponents become policies."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ..envs.core.drawing.render import rendering
from ..envs.core.environments.solo import SoloEnv
from ..envs.core.environments.vector import TablesEnv
from ..envs.core.game import Game
from ..envs.registry import split_settings
from .players.making import named_policies
from .players.policy import PolicySpec

_EntryPoint = TypeVar("_EntryPoint", bound=Callable[..., Any])

RANDOM = "random"  # the default opponent


def _with_metadata(entry_point: _EntryPoint) -> _EntryPoint:
    """Tell Gymnasium the render modes, which it looks up before there is an environment."""
    vars(entry_point)["metadata"] = rendering()
    return entry_point


@_with_metadata
def make_solo(name: str, **settings: Any) -> SoloEnv:
    """Make the single-seat environment of a game: `make_solo("president", opponents="lowest")`.

    `settings` are those of the game and of `SoloEnv`. Raises ValueError for an unknown game or an
    impossible value, TypeError for an unknown setting.
    """
    game, options = split_settings(SoloEnv, name, settings)
    return solo_env(game, **options)


@_with_metadata
def make_vector(name: str, **settings: Any) -> TablesEnv:
    """Make the vector environment of a game; `settings` are those of the game and of `TablesEnv`.

    Raises as `make_solo` does.
    """
    game, options = split_settings(TablesEnv, name, settings)
    return vector_env(game, **options)


def solo_env(
    game: Game, *, opponents: PolicySpec | Sequence[PolicySpec] = RANDOM, **options: Any
) -> SoloEnv:
    """Make a `SoloEnv` whose opponents are named in any form that `make_policy` takes.

    `opponents` is one player for all other seats, or a list with one for each, clockwise.
    """
    return SoloEnv(game, opponents=named_policies(opponents, game), **options)


def vector_env(
    game: Game, num_envs: int = 1, *, self_play: bool = False, opponents: Any = None, **options: Any
) -> TablesEnv:
    """Make a `TablesEnv` whose opponents are named in any form that `make_policy` takes."""
    if self_play:
        return TablesEnv(game, num_envs, self_play=self_play, opponents=opponents, **options)
    chosen = named_policies(RANDOM if opponents is None else opponents, game)
    return TablesEnv(game, num_envs, opponents=chosen, **options)
