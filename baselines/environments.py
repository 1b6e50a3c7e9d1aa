"""The entry points of `gym.make` and `gym.make_vec`, where names of opponents become policies."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from ..envs.core.environments.keywords import SOLO, VECTOR, with_keywords
from ..envs.core.environments.rendering import rendering
from ..envs.core.environments.solo import SoloEnv
from ..envs.core.environments.vector import TablesEnv
from ..envs.core.game import Game
from ..envs.registry import split_settings
from .players.making import make_policy
from .policies.policy import Policy, PolicySpec

_EntryPoint = TypeVar("_EntryPoint", bound=Callable[..., Any])

RANDOM = "random"  # the default opponent

# A player in any form that `make_policy` takes, or a pool: such players with their weights.
Opponent = PolicySpec | Mapping[PolicySpec, float]


def _with_metadata(entry_point: _EntryPoint) -> _EntryPoint:
    """Tell Gymnasium the render modes, which it looks up before there is an environment."""
    vars(entry_point)["metadata"] = rendering()
    return entry_point


@with_keywords(SOLO)
@_with_metadata
def make_solo(name: str, **settings: Any) -> SoloEnv:
    """Make the single-seat environment of a game: `make_solo("president", opponents="lowest")`.

    `settings` are those of the game and the keywords below. Raises ValueError for an unknown game
    or an impossible value, TypeError for an unknown setting.
    """
    game, options = split_settings(SoloEnv, name, settings)
    return solo_env(game, **options)


@with_keywords(VECTOR)
@_with_metadata
def make_vector(name: str, **settings: Any) -> TablesEnv:
    """Make the vector environment of a game; `settings` and errors are as those of `make_solo`."""
    game, options = split_settings(TablesEnv, name, settings)
    return vector_env(game, **options)


@with_keywords(SOLO)
class NamedSoloEnv(SoloEnv):
    """A `parlour.envs.core.environments.solo.SoloEnv`, whose opponents may be names."""

    def set_opponents(self, opponents: Opponent | Sequence[Opponent]) -> None:
        """Change the opponents as `SoloEnv.set_opponents` does, by name or by policy."""
        super().set_opponents(_policies(opponents, self.game))


@with_keywords(VECTOR)
class NamedTablesEnv(TablesEnv):
    """A `parlour.envs.core.environments.vector.TablesEnv`, whose opponents may be names."""

    def set_opponents(self, opponents: Opponent | Sequence[Opponent] | None) -> None:
        """Change the opponents as `TablesEnv.set_opponents` does, by name or by policy."""
        super().set_opponents(_policies(RANDOM if opponents is None else opponents, self.game))


def solo_env(
    game: Game, *, opponents: Opponent | Sequence[Opponent] = RANDOM, **options: Any
) -> SoloEnv:
    """Make a `SoloEnv` whose opponents are named in any form that `make_policy` takes.

    `opponents` is one player or pool for all other seats, or a list with one for each, clockwise.
    """
    return NamedSoloEnv(game, opponents=_policies(opponents, game), **options)


def vector_env(
    game: Game, num_envs: int = 1, *, self_play: bool = False, opponents: Any = None, **options: Any
) -> TablesEnv:
    """Make a `TablesEnv` whose opponents are named in any form that `make_policy` takes."""
    if self_play:
        return NamedTablesEnv(game, num_envs, self_play=self_play, opponents=opponents, **options)
    chosen = _policies(RANDOM if opponents is None else opponents, game)
    return NamedTablesEnv(game, num_envs, opponents=chosen, **options)


def _policies(opponents: Opponent | Sequence[Opponent], game: Game) -> Any:
    """Make the policies of one opponent, or of each in a list."""
    if isinstance(opponents, list | tuple):
        return [_policy_or_pool(opponent, game) for opponent in opponents]
    return _policy_or_pool(opponents, game)


def _policy_or_pool(opponent: Any, game: Game) -> Policy | dict[Policy, float]:
    if isinstance(opponent, Mapping):
        return {make_policy(spec, game): weight for spec, weight in opponent.items()}
    return make_policy(opponent, game)
