"""Q-learning one ply ahead: its targets agree with the exact solution, and a short run pays."""

from collections import deque

import numpy as np
import pytest
import torch
from parlour.baselines import make_policy
from parlour.baselines.arena import play_match
from parlour.envs import load_game
from parlour.training import lookahead

GAME = load_game("trick_taking")
CONFIG = lookahead.Config(
    decisions=128 * 800,
    num_tables=128,
    hidden=(64,),
    inputs=("tricks_won", "led_colour", "hand", "unseen", "table"),
    learning_rate=3e-3,
    follow=0.2,
)


def positions() -> lookahead.Positions:
    tables = lookahead.scattered_tables(GAME, 200, np.random.default_rng(0))
    return lookahead.look(GAME, tables)


def exact_values(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    values = make_policy("perfect", GAME).values
    assert values is not None
    return np.asarray(values(observations, masks), dtype=np.float32)


def solved(integers: torch.Tensor) -> torch.Tensor:
    """Stands in for a network that knows everything."""
    records = GAME.layout.records(integers.numpy())
    return torch.from_numpy(exact_values(records, np.empty(0)))


def test_if_the_network_knew_all_values_its_targets_would_be_the_same() -> None:
    """Fails with a wrong sign, a missing mask, or the return of the wrong seat."""
    here = positions()
    wanted = exact_values(here.observations, here.masks)
    legal = here.masks == 1
    found = lookahead.targets(GAME, solved, here)  # type: ignore[arg-type]
    np.testing.assert_allclose(found[legal], wanted[legal], atol=1e-6)


def test_tables_start_at_all_ages() -> None:
    tricks_left = np.bincount(positions().states["tricks_left"], minlength=11)
    assert (tricks_left[1:] > 0).all()


def test_a_short_run_beats_random() -> None:
    """Measured: mean return +0.18 after 800 steps; the floor is +0.08."""
    network = deque(lookahead.train(GAME, CONFIG), maxlen=1)[0][1]
    result = play_match(GAME, lookahead.policy_of(GAME, network), "random", 500)
    assert result.mean_return.low > 0.08


def test_games_of_more_seats_and_unknown_fields_are_refused() -> None:
    with pytest.raises(ValueError, match="two seats"):
        next(lookahead.train(load_game("trick_taking", num_seats=3), CONFIG))
    with pytest.raises(ValueError, match="no observation 'luck'"):
        lookahead.new_network(GAME, lookahead.Config(inputs=("luck",)))
