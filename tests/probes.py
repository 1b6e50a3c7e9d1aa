"""The common part of the probe games: two seats, a place, a last action and the settings."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from parlour.baselines import Policy
from parlour.envs.core.compile import rule
from parlour.envs.core.fields import Field
from parlour.envs.core.game import Game
from parlour.envs.core.play.playthrough import Playthrough

NO_ACTION = -1


@dataclasses.dataclass(frozen=True)
class Config:
    """Nothing to set."""


@rule
def reshuffle_unseen(state, seat, rng):
    """Nothing is random that a seat could not see."""


def new_probe(
    make: Callable[..., Game],
    config: Config,
    action_names: tuple[str, ...],
    last_place: int,
    observation_fields: tuple[Field, ...],
    **rules: Any,
) -> Game:
    """A Game of two seats whose state is a place, 0 .. last_place, and the last action.

    A game with settings has a subclass of `Config`, each setting a number in -10 .. 10.
    """
    settings = dataclasses.asdict(config)
    return Game(
        name=make.__name__,
        version=0,
        config=config,
        make=make,
        house_rules=settings,
        num_seats=2,
        num_actions=len(action_names),
        state_fields=(
            Field("place", np.int8, (), 0, last_place, "where the game is"),
            Field("last", np.int8, (), NO_ACTION, len(action_names) - 1, "the last action"),
            *(Field(name, np.int8, (), -10, 10, "a setting") for name in settings),
        ),
        observation_fields=observation_fields,
        has_chance=True,
        has_hidden=True,
        reshuffle_unseen=reshuffle_unseen,
        describe=lambda state, seat=None: f"place {state.place}",
        action_name=lambda action: action_names[action],
        **rules,
    )


def played(game: Game, policy: Policy, place: int) -> float:
    """What seat 0 gets from a place where both seats play this policy."""
    playthrough = Playthrough(game, policy, deal={"place": place})
    for _ in playthrough:
        pass
    return round(float(playthrough.returns[0]), 1)
