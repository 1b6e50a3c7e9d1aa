"""Expert iteration for a few steps, in plain Python."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from parlour.baselines import Policy, make_policy
from parlour.baselines.networks.checkpoints import load_checkpoint
from parlour.baselines.networks.policy_value import PolicyValue
from parlour.envs.core.play.tables import action_masks
from parlour.envs.registry import load_game
from parlour.training import expert_iteration, session
from parlour.training.expert_iteration import (
    Lesson,
    sample_decisions,
    soft_policies,
    taught,
)
from tests.probe_duel import GO, HIT, STAY, probe_duel
from tests.searching import saved

pytestmark = pytest.mark.plain

GAME = probe_duel(stay=-2)
CARDS = load_game("trick_taking", num_values=2)
CONFIG = expert_iteration.Config(
    total_steps=24,
    hidden=(4,),
    num_tables=3,
    batch_decisions=2,
    num_simulations=2,
    num_determinizations=1,
    averaged_batches=1,
    minibatch_size=4,
    num_threads=1,
)


def test_a_start_has_the_same_layers_and_gives_its_weights(tmp_path: Path) -> None:
    path = saved(GAME, tmp_path)
    kept = load_checkpoint(path).weights
    weights = expert_iteration._weights_of(str(path), GAME, PolicyValue(GAME, (16, 16)))
    assert all(torch.equal(weights[name], value) for name, value in kept.items())
    with pytest.raises(ValueError, match=r"has hidden layers \(16, 16\); hidden is \(5,\)"):
        expert_iteration._weights_of(str(path), GAME, PolicyValue(GAME, (5,)))


def test_a_teacher_without_values_is_imitated_in_what_it_chooses() -> None:
    """All decisions are there: staying brings -0.2, hitting 1, and going what comes of it."""
    rows = PolicyValue(GAME, (4,)).rows(GAME)
    lesson = taught(GAME, make_policy("random", GAME), 200, 5, rows, 1.0)
    assert (lesson.policies.sum(axis=1) == 1.0).all()
    assert (lesson.policies.argmax(axis=1) == lesson.actions).all()
    assert set(np.unique(lesson.policies)) == {0.0, 1.0}
    assert np.abs(lesson.targets).max() <= 1.0
    at_the_start = lesson.masks[:, 0] == (1 << STAY) | (1 << GO)
    stayed, hit = lesson.actions == STAY, lesson.actions == HIT
    assert at_the_start.sum() == 200
    np.testing.assert_allclose(lesson.targets[stayed], -0.2)
    assert set(lesson.targets[hit]) == {1.0}
    assert set(lesson.targets[at_the_start & ~stayed]) == {-1.0, 1.0}


def test_a_teacher_draws_anew_for_each_decision() -> None:
    plays, states = make_policy("random", CARDS), list[int]()

    def choose(observations: Any, masks: Any, rngs: Any) -> Any:
        states.extend(rngs["state"].tolist())
        return plays(observations, masks, rngs)

    taught(CARDS, Policy("spy", CARDS, choose), 4, 3, PolicyValue(CARDS, (4,)).rows(CARDS), 1.0)
    assert len(set(states)) == len(states) == 4 * 4  # of four games with four plies


def test_decisions_are_paid_by_what_their_own_seat_has_won() -> None:
    """In one game that is decided, those of one seat by 1 and those of the other by -1."""
    rows = PolicyValue(CARDS, (4,)).rows(CARDS)
    for seed in range(5):
        targets = set(taught(CARDS, make_policy("random", CARDS), 1, seed, rows, 1.0).targets)
        assert targets in ({0.0}, {1.0, -1.0})
    assert targets == {1.0, -1.0}


def test_soft_policies_are_a_softmax_of_the_legal_values() -> None:
    values = np.array([[1.0, 2.0, np.nan, 9.0]])
    masks = np.array([[1, 1, 1, 0]], np.int8)
    chances = np.exp([0.5, 1.0]) / np.exp([0.5, 1.0]).sum()
    np.testing.assert_allclose(soft_policies(values, masks, 2.0), [[*chances, 0.0, 0.0]], rtol=1e-6)


def test_where_no_value_is_known_every_legal_action_is_equal() -> None:
    values = np.full((2, 3), np.nan)
    masks = np.array([[0, 1, 0], [1, 0, 1]], np.int8)
    expected = [[0.0, 1.0, 0.0], [0.5, 0.0, 0.5]]
    np.testing.assert_array_equal(soft_policies(values, masks, 0.1), expected)


@pytest.mark.parametrize("teacher", ["perfect", "mcts:num_simulations=4"])
def test_a_teacher_with_values_is_imitated_in_them(teacher: str) -> None:
    """With or without a search; one values no action where it has no choice."""
    rows = PolicyValue(CARDS, (4,)).rows(CARDS)
    lesson = taught(CARDS, make_policy(teacher, CARDS), 20, 3, rows, 0.01)
    is_legal = action_masks(lesson.masks, CARDS.num_actions) == 1
    assert (is_legal.sum(axis=1) > 1).all() and len(lesson.actions) >= 20
    assert is_legal[np.arange(len(is_legal)), lesson.actions].all()
    np.testing.assert_allclose(lesson.policies.sum(axis=1), 1.0, rtol=1e-6)
    assert not lesson.policies[~is_legal].any()
    assert set(lesson.targets.tolist()) <= {-1.0, 0.0, 1.0}
    if teacher == "perfect":
        assert (np.isclose(lesson.policies, 0.5) | np.isclose(lesson.policies % 1, 0.0)).all()


def test_a_complete_run_goes_on_where_it_may_take_longer() -> None:
    learner = expert_iteration.Learner(GAME, CONFIG)
    for _ in learner.run():
        pass
    longer = dataclasses.replace(CONFIG, total_steps=2 * CONFIG.total_steps)
    again = expert_iteration.Learner(GAME, longer)
    again.load_state_dict(learner.state_dict())
    assert again.progress.done == 0.5
    assert [progress.decisions for progress, _ in again.run()][-1] == longer.total_steps


def test_only_the_latest_lessons_are_kept_and_the_rate_falls(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    learner = expert_iteration.Learner(GAME, CONFIG)
    assert learner.progress[:4] == (0.0, 0.0, 0, 0) and learner.progress.cpu_seconds == 0.0
    rates, sizes = [], []
    learn = learner._learn

    def noted(*args: Any) -> Any:
        losses = learn(*args)
        rates.append(learner.optimizer.param_groups[0]["lr"])
        sizes.append(len(learner.lessons))
        return losses

    monkeypatch.setattr(learner, "_learn", noted)
    before = [weights.detach().clone() for weights in learner.network.parameters()]
    done = [0.0, *(progress.done for progress, _ in learner.run())]
    after = learner.network.parameters()
    assert not any(map(torch.equal, before, after))
    start, end = CONFIG.learning_rate, CONFIG.final_learning_rate
    np.testing.assert_allclose(rates, [start + at * (end - start) for at in done[:-1]])
    assert sizes == [min(n + 1, CONFIG.kept_batches) for n in range(len(sizes))]


def test_the_losses_are_cross_entropy_squared_error_and_entropy() -> None:
    learner = expert_iteration.Learner(GAME, CONFIG)
    lesson = taught(GAME, make_policy("random", GAME), 6, 1, learner.rows, 1.0)
    chosen = np.arange(len(lesson.actions))
    losses = learner._losses(lesson)
    units, values = learner.network.forward_rows(learner.rows, lesson.rows, lesson.continuous)
    legal = np.array([[word >> action & 1 for action in range(6)] for word in lesson.masks[:, 0]])
    logits = learner.network.actions(units).detach().numpy()
    logits = np.where(legal == 1, logits, -np.inf)
    log_probs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    taken = log_probs[chosen, lesson.actions]
    assert losses.policy.item() == pytest.approx(-taken.mean(), abs=1e-5)
    error = values.detach().numpy() - lesson.targets
    assert losses.value.item() == pytest.approx((error**2).mean(), abs=1e-5)
    assert losses.entropy.item() == 0.0  # of choices that are certain
    even = (legal / legal.sum(axis=1, keepdims=True)).astype(np.float32)
    entropy = learner._losses(lesson._replace(policies=even)).entropy.item()
    assert entropy == pytest.approx(np.log(legal.sum(axis=1)).mean(), abs=1e-5)


def test_what_plays_has_a_moving_average_of_the_weights_learned() -> None:
    """Each batch moves it by a third of the difference; of one batch it is what is learned."""
    learner = expert_iteration.Learner(GAME, dataclasses.replace(CONFIG, averaged_batches=3))
    expected = [weights.detach().clone() for weights in learner.network.parameters()]
    for _, played in learner.run():
        assert played is learner.average
        for index, learned in enumerate(learner.network.parameters()):
            expected[index] += (learned.detach() - expected[index]) / 3
        for one, other in zip(played.parameters(), expected, strict=True):
            torch.testing.assert_close(one, other)
    alone = expert_iteration.Learner(GAME, CONFIG)
    for _, played in alone.run():
        assert all(map(torch.equal, played.parameters(), alone.network.parameters()))


def test_no_more_than_all_of_a_run_is_done() -> None:
    learner = expert_iteration.Learner(GAME, CONFIG)
    (progress, _), *_ = learner.run()
    assert 0 < learner.fraction_done(progress) <= 1
    assert learner.fraction_done(progress._replace(decisions=3 * CONFIG.total_steps)) == 1


def test_decisions_are_drawn_from_every_lesson_whole() -> None:
    """Every decision of unequal lessons about equally often, with its own numbers."""
    numbers = np.arange(30)
    columns = [numbers.reshape(30, 1) + 100 * place for place in range(3)]
    whole = Lesson(*columns, *(numbers + 100 * place for place in (3, 4, 5, 6)))
    edges = [(0, 1), (1, 21), (21, 30)]
    lessons = [Lesson(*(column[first:end] for column in whole)) for first, end in edges]
    got = sample_decisions(lessons, np.random.default_rng(0), 3_000)
    for place, column in enumerate(got):
        np.testing.assert_array_equal(column.reshape(3_000) - 100 * place, got.rows[:, 0])
    counts = np.bincount(got.rows[:, 0], minlength=30)
    assert len(counts) == 30 and counts.min() > 60 and counts.max() < 140


def test_a_game_without_a_choice_teaches_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlour.training.self_play.MAX_DEALS", 20)
    game = load_game("trick_taking", num_values=1)
    with pytest.raises(ValueError, match="choice"):
        list(expert_iteration.Learner(game, CONFIG).run())


def test_a_teacher_is_imitated_first_for_as_many_decisions_as_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    teachers = []

    def noted(game: Any, teacher: Any, *rest: Any) -> Any:
        teachers.append(teacher.name)
        return taught(game, teacher, *rest)

    monkeypatch.setattr(expert_iteration, "taught", noted)
    list(expert_iteration.Learner(GAME, CONFIG).run())
    assert teachers == []
    taught_first = dataclasses.replace(CONFIG, teacher="random", teacher_steps=4)
    clock = SimpleNamespace(  # one second, and three of the processor, from look to look
        monotonic=itertools.count(5.0).__next__, process_time=itertools.count(2.0, 3.0).__next__
    )
    monkeypatch.setattr(session, "time", clock)
    progress = [progress for progress, _ in expert_iteration.Learner(GAME, taught_first).run()]
    assert [one.seconds for one in progress] == [n + 1.0 for n in range(len(progress))]
    assert [one.cpu_seconds for one in progress] == [3 * (n + 1.0) for n in range(len(progress))]
    assert teachers and set(teachers) == {"random"}
    assert progress[len(teachers) - 1].decisions >= 4
    assert [one.decisions < 4 for one in progress[: len(teachers) - 1]] == [True] * (
        len(teachers) - 1
    )
