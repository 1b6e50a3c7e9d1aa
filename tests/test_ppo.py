"""PPO: its probe, its estimates, and that runs repeat."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from parlour.training import ppo
from parlour.training.decisions import weigh_first_place

from .probe_duel import equal, probe_duel, scores

GAME = probe_duel()
CONFIG = ppo.Config(
    total_steps=10_000,
    hidden=(16, 16),
    num_tables=64,
    batch_decisions=2,  # so that many decisions rest on a bootstrap
    minibatch_size=64,
    epochs=4,
    learning_rate=1e-2,
    final_learning_rate=1e-3,
    num_threads=1,
)


def trained(**settings: Any) -> ppo.Learner:
    learner = ppo.Learner(GAME, dataclasses.replace(CONFIG, **settings))
    for _ in learner.run():
        pass
    return learner


def test_it_stays_where_it_would_be_hit_and_goes_where_it_can_win() -> None:
    assert scores("ppo", GAME, trained().network) == (0.8, 1.0)


def test_a_shared_first_place_is_worth_its_share() -> None:
    worth = np.array([0.5, -1.0, 0.5, 0.0])
    weigh_first_place(worth, 1.0)
    assert worth.tolist() == [0.0, -1.0, 0.0, -1.0]


def test_the_same_seed_learns_the_same_whether_acting_overlaps_or_not() -> None:
    short = {"total_steps": 2_000, "batch_decisions": 4}
    alone = trained(**short).network
    assert equal(alone, trained(**short, num_threads=2).network)
    assert not equal(alone, trained(**short, seed=1).network)


def test_an_interrupted_run_continues_where_it_stood() -> None:
    first = ppo.Learner(GAME, CONFIG)
    for progress, _ in first.run():
        if progress.done >= 0.5:
            break
    second = ppo.Learner(GAME, CONFIG)
    second.load_state_dict(first.state_dict())
    assert equal(first.network, second.network)
    progresses = [progress for progress, _ in second.run()]
    assert progresses[0].decisions == first.progress.decisions + 2 * CONFIG.num_tables
    assert progresses[-1].done == 1.0
    assert scores("ppo", GAME, second.network) == (0.8, 1.0)


@pytest.mark.release
def test_one_seat_learns_at_tables_with_opponents() -> None:
    """Seat 0 plays a random seat 1 at the gate half of the time: then going is worth 0."""
    learner = trained(self_play=0.0, opponents=("random",), opponent_weights=(1.0,))
    assert scores("ppo", GAME, learner.network) == (0.8, 1.0)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"num_tables": 0}, "num_tables must be"),
        ({"hidden": ()}, "at least one layer"),
        ({"clip": 0.0}, "clip must be above 0"),
        ({"gae_lambda": 1.5}, r"gae_lambda must be in 0 \.\. 1"),
        ({"first_place_weight": -0.1}, r"first_place_weight must be in 0 \.\. 1"),
        ({"opponents": ("random",)}, "a weight for each of the opponents; got 0 for 1"),
        ({"self_play": 0.0}, "not all 0"),
        ({"opponents": ("playout",), "opponent_weights": (1.0,)}, "playout is not compiled"),
    ],
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        next(ppo.Learner(GAME, dataclasses.replace(CONFIG, **settings)).run())
