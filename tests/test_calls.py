"""Players are called by address: what that relies on in Numba, and that no loop depends on them."""

from typing import Any

import numba
import numpy as np
import pytest

import parlour
from parlour.baselines import compiled_policy, make_policy
from parlour.envs.core.compile import rule
from parlour.envs.core.play.calls import call_player
from parlour.envs.core.play.legal import PlayerError
from parlour.envs.core.play.policies import NO_WEIGHTS, callable_player
from parlour.envs.core.play.tables import step_of
from parlour.envs.core.rng import STREAM, below, rng

OBSERVATION = np.dtype((np.record, [("cards", np.int8, (3,))]))
WEIGHTS = np.dtype((np.record, [("factor", np.int64)]))


@rule
def shifted(observation, mask, rng):
    """Depend on all that a player is given."""
    return 1000 * observation.cards[2] + 10 * mask[1] + below(rng, 10)


@rule
def weighed(weights, observation, mask, rng):
    """Depend on the weights, too."""
    return weights.factor * shifted(observation, mask, rng)


@numba.njit
def raising(observation, mask, rng):
    """Raise an error, as code may that is not Parlour's own."""
    if mask[0] != 0:
        raise ValueError("no idea")
    return 0


@rule
def ask(players, observations, masks, rngs):
    """Call the player at an address, from a loop that is compiled without it."""
    return call_player(players[0], players[1], observations[0], masks[0], rngs[0])


@pytest.mark.parametrize(("player", "factor"), [(shifted, 0), (weighed, 3)])
def test_a_player_gets_its_observation_mask_stream_and_weights(player: Any, factor: int) -> None:
    """If this fails after an update of Numba, look at `calls.py` and `compile.address_of` first."""
    weights = np.zeros(1, WEIGHTS) if factor else None
    if weights is not None:
        weights["factor"] = factor
    players = np.array(callable_player(player, weights, OBSERVATION, 2), np.int64)
    observations, streams = np.zeros(1, OBSERVATION), rng(7)
    observations["cards"][0] = [1, 2, 3]
    masks = np.array([[5, 6]])
    drawn = int(below(rng(7)[0], 10))
    assert ask(players, observations, masks, streams) == max(1, factor) * (3060 + drawn)
    assert streams["state"][0] != rng(7)["state"][0]
    assert streams.dtype == STREAM
    assert NO_WEIGHTS.size == 0


def test_an_error_in_a_compiled_player_is_an_error_of_the_match() -> None:
    game = parlour.load_game("trick_taking", num_values=3)
    with pytest.raises((PlayerError, ValueError), match=r"careless|no idea"):
        parlour.play_match(game, compiled_policy("careless", game, raising), "random", 5)


def test_one_step_serves_every_view_and_every_player() -> None:
    game = parlour.load_game("trick_taking", num_values=3)
    step = step_of(game)
    for name in ("random", "smart", "first_legal"):
        parlour.play_match(game, make_policy(name, game), "random", 3)
    assert step_of(parlour.load_game("trick_taking", num_values=3)) is step
    assert step_of(parlour.load_game("trick_taking", num_values=3), is_scaled=False) is not step
