"""Expert iteration: its probe, its teacher, and repetition.

Searches of two simulations look one ply ahead, so that every choice rests on a learned value.
Staying costs a little, so that a learner tries to go before it knows what will happen.
"""

import dataclasses
from typing import Any

import numpy as np
import pytest
import torch

from parlour.baselines import make_policy
from parlour.baselines.networks.kinds import policy_of
from parlour.baselines.networks.policy_value import PolicyValue
from parlour.envs.core.play.tables import Tables, action_masks
from parlour.envs.core.rng import streams
from parlour.training import expert_iteration
from parlour.training.teaching import taught

from .probe_duel import DOOR, GATE, GO, HIT, STAY, probe_duel

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


def played(network: PolicyValue, place: int) -> float:
    """What seat 0 gets from a place where both seats play the learned policy."""
    policy = policy_of("expert_iteration", GAME, network)
    tables = Tables(GAME, streams([0]))
    tables.deal_from(0, {"place": place})
    while not GAME.is_terminal(tables.states[0]):
        _, observations, words = tables.show(tables.all_rows)
        masks = action_masks(words, GAME.num_actions)
        tables.apply(tables.all_rows, policy(observations, masks, streams([2])))
    return round(float(tables.returns(tables.all_rows)[0, 0]), 1)


def scores(learner: expert_iteration.Learner) -> tuple[float, float]:
    """What seat 0 gets from the gate and from the door."""
    return played(learner.network, GATE), played(learner.network, DOOR)


def outputs(learner: expert_iteration.Learner, place: int) -> tuple[torch.Tensor, float]:
    """Logits [A] and the value of the network at a place."""
    tables = Tables(GAME, streams([0]))
    tables.deal_from(0, {"place": place})
    observations = tables.show(tables.all_rows)[1]
    with torch.inference_mode():
        logits, values = learner.network(torch.from_numpy(GAME.layout.integers(observations)))
    return logits[0], float(values[0])


def value_at_the_door(learner: expert_iteration.Learner) -> float:
    return outputs(learner, DOOR)[1]


def chance_to_go(learner: expert_iteration.Learner) -> float:
    """The chance that the policy gives to the better of two actions, at the door."""
    stay, go = outputs(learner, DOOR)[0][[STAY, GO]]
    return float(torch.sigmoid(go - stay))


@pytest.mark.release
def test_it_stays_where_it_would_be_hit_and_goes_where_it_can_win() -> None:
    learner = trained()
    assert scores(learner) == (-0.2, 1.0)
    assert value_at_the_door(learner) > 0.9
    assert chance_to_go(learner) > 0.95


def test_it_imitates_the_actions_and_outcomes_of_a_teacher() -> None:
    """`first_legal` stays at both places. Its two decisions of each game are all there."""
    learner = trained(teacher="first_legal", teacher_steps=8_000)
    assert scores(learner) == (-0.2, -0.2)
    teacher = make_policy("random", GAME)
    lesson = taught(GAME, teacher, 200, 0, learner.rows, temperature=1.0)
    at_the_start = lesson.masks[:, 0] == (1 << STAY) | (1 << GO)
    assert at_the_start.sum() == 200
    chosen = np.take_along_axis(lesson.policies, lesson.actions[:, None], axis=1)
    assert (chosen == 1).all()
    stayed = lesson.actions == STAY
    np.testing.assert_allclose(lesson.targets[stayed], -0.2)
    hit = lesson.actions == HIT
    assert set(lesson.targets[hit]) == {1.0}
    assert set(lesson.targets[at_the_start & ~stayed]) == {-1.0, 1.0}


def equal(first: torch.nn.Module, second: torch.nn.Module) -> bool:
    others = second.state_dict()
    return all(torch.equal(tensor, others[key]) for key, tensor in first.state_dict().items())


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
    assert scores(second) == (-0.2, 1.0)


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
        next(iter(expert_iteration.train(GAME, dataclasses.replace(CONFIG, **settings))))
