"""Compiled opponents inside the step of the single-seat and of the vector environment."""

from typing import Any

import pytest

from parlour.baselines import compiled_policy
from parlour.baselines.environments import solo_env, vector_env
from parlour.envs import load_game
from parlour.envs.core.jit import rule
from parlour.envs.core.seating import PlayerError

LAST_CARD = 19


@rule
def stubborn(observation, mask, rng):
    """Plays the last card of the game, whether it has it or not."""
    return LAST_CARD


def play(env: Any, num_plies: int) -> None:
    _, info = env.reset(seed=1)
    for _ in range(num_plies):
        *_, info = env.step(info["action_mask"].argmax(axis=-1))


@pytest.mark.parametrize("make", [solo_env, lambda game, **k: vector_env(game, 3, **k)])
def test_an_illegal_choice_is_named_with_what_was_legal(make: Any) -> None:
    game = load_game("trick_taking")
    env = make(game, opponents=compiled_policy("stubborn", game, stubborn))
    with pytest.raises(PlayerError, match=r"stubborn chose 19 \(card:1\.9\).* legal: card:"):
        play(env, game.config.num_values)
