"""Expert iteration: its probe, its teacher, and repetition.

Searches of two simulations look one ply ahead, so that every choice rests on a learned value.
Staying costs a little, so that a learner tries to go before it knows what will happen.
"""

import dataclasses
from typing import Any

import pytest
import torch

from parlour.envs.core.play.tables import Tables
from parlour.envs.core.rng import streams
from parlour.training import expert_iteration

from .probe_duel import DOOR, GO, STAY, equal, probe_duel, scores

GAME = probe_duel(stay=-2)
CONFIG = expert_iteration.Config(
    total_steps=5_000,
    hidden=(16, 16),
    num_tables=64,
    batch_decisions=2,  # so that many decisions rest on a bootstrap
    num_simulations=2,
    num_determinizations=1,
    averaged_batches=1,
    minibatch_size=32,
    epochs=4,
    learning_rate=1e-2,
    final_learning_rate=1e-3,
    num_threads=1,
)


def trained(**settings: Any) -> expert_iteration.Learner:
    learner = expert_iteration.Learner(GAME, dataclasses.replace(CONFIG, **settings))
    for _ in learner.run():
        pass
    return learner


@pytest.mark.release
def test_it_stays_where_it_would_be_hit_and_goes_where_it_can_win() -> None:
    learner = trained()
    assert scores("expert_iteration", GAME, learner.network) == (-0.2, 1.0)
    tables = Tables(GAME, streams([0]))
    tables.deal_from(0, {"place": DOOR})
    observations = tables.show(tables.all_rows)[1]
    with torch.inference_mode():
        logits, values = learner.network(torch.from_numpy(GAME.layout.integers(observations)))
    assert values[0] > 0.9
    assert torch.sigmoid(logits[0, GO] - logits[0, STAY]) > 0.95


def test_it_imitates_a_teacher() -> None:
    """`first_legal` stays at both places."""
    learner = trained(teacher="first_legal", teacher_steps=8_000)
    assert scores("expert_iteration", GAME, learner.network) == (-0.2, -0.2)


def test_the_same_seed_learns_the_same_with_any_number_of_threads() -> None:
    short = {"total_steps": 1_000, "batch_decisions": 3}
    alone = trained(**short).network
    assert equal(alone, trained(**short, num_threads=3).network)
    assert not equal(alone, trained(**short, seed=1).network)


def test_an_interrupted_run_continues_where_it_stood() -> None:
    first = expert_iteration.Learner(GAME, CONFIG)
    for progress, _ in first.run():
        if progress.done >= 0.5:
            break
    second = expert_iteration.Learner(GAME, CONFIG)
    second.load_state_dict(first.state_dict())
    assert equal(first.network, second.network)
    progresses = [progress for progress, _ in second.run()]
    assert progresses[0].decisions == first.progress.decisions + 2 * CONFIG.num_tables
    assert progresses[-1].done == 1.0
    assert scores("expert_iteration", GAME, second.network) == (-0.2, 1.0)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"num_tables": 0}, "num_tables must be"),
        ({"hidden": ()}, "at least one layer"),
        ({"num_simulations": 1}, "num_simulations must be at least 2"),
        ({"td_lambda": 1.5}, r"td_lambda must be in 0 \.\. 1"),
        ({"teacher_temperature": 0.0}, "teacher_temperature must be above 0"),
        ({"teacher": "nobody"}, "no player 'nobody'"),
    ],
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        next(expert_iteration.Learner(GAME, dataclasses.replace(CONFIG, **settings)).run())
