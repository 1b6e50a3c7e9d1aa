"""PPO and expert iteration: their probe, and that runs repeat and go on where they stood.

Searches of two simulations look one ply ahead, so that every choice of expert iteration rests on a
learned value. Staying costs a little there, so that it tries to go before it knows what happens.
"""

import dataclasses
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

from parlour.baselines.policies.objective import weigh_first_place
from parlour.envs.core.game import Game
from parlour.envs.core.play.tables import Tables
from parlour.envs.core.rng import streams
from parlour.training import expert_iteration, mlp, ppo

from .probe_duel import DOOR, GO, STAY, equal, probe_duel, scores

pytestmark = pytest.mark.plain

PPO = ppo.Config(
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
EXPERT = expert_iteration.Config(
    total_steps=5_000,
    hidden=(16, 16),
    num_tables=64,
    batch_decisions=2,
    num_simulations=2,
    num_determinizations=1,
    averaged_batches=1,
    minibatch_size=32,
    epochs=4,
    learning_rate=1e-2,
    final_learning_rate=1e-3,
    num_threads=1,
)


class Case(NamedTuple):
    """A learner, and what it should get at the gate and at the door."""

    module: Any
    game: Game
    config: Any
    best: tuple[float, float]

    def learner(self, **settings: Any) -> Any:
        return self.module.Learner(self.game, dataclasses.replace(self.config, **settings))

    def trained(self, **settings: Any) -> Any:
        learner = self.learner(**settings)
        for _ in learner.run():
            pass
        return learner

    def scores(self, learner: Any) -> tuple[float, float]:
        return scores(self.module.__name__.rpartition(".")[2], self.game, learner.network)


CLIPPED = Case(ppo, probe_duel(), PPO, (0.8, 1.0))
GUIDED = Case(expert_iteration, probe_duel(stay=-2), EXPERT, (-0.2, 1.0))
both = pytest.mark.parametrize("case", [CLIPPED, GUIDED], ids=["ppo", "expert_iteration"])


@pytest.mark.compiled
def test_ppo_stays_where_it_would_be_hit_and_goes_where_it_can_win() -> None:
    assert CLIPPED.scores(CLIPPED.trained()) == CLIPPED.best


@pytest.mark.release
def test_expert_iteration_stays_where_it_would_be_hit_and_goes_where_it_can_win() -> None:
    learner = GUIDED.trained()
    assert GUIDED.scores(learner) == GUIDED.best
    tables = Tables(GUIDED.game, streams([0]))
    tables.deal_from(0, {"place": DOOR})
    observations = tables.show(tables.all_rows)[1]
    with torch.inference_mode():
        integers = torch.from_numpy(GUIDED.game.layout.integers(observations))
        logits, values = learner.network(integers)
    assert values[0] > 0.9
    assert torch.sigmoid(logits[0, GO] - logits[0, STAY]) > 0.95


@pytest.mark.long
def test_it_imitates_a_teacher() -> None:
    """`first_legal` stays at both places."""
    learner = GUIDED.trained(teacher="first_legal", teacher_steps=8_000)
    assert GUIDED.scores(learner) == (-0.2, -0.2)


def test_a_shared_first_place_is_worth_its_share() -> None:
    worth = np.array([0.5, -1.0, 0.5, 0.0])
    weigh_first_place(worth, 1.0)
    assert worth.tolist() == [0.0, -1.0, 0.0, -1.0]


@both
def test_the_same_seed_learns_the_same_with_any_number_of_threads(case: Case) -> None:
    """Whether acting overlaps or not."""
    short = {"total_steps": 128, "batch_decisions": 2, "num_tables": 16}
    alone = case.trained(**short).network
    assert equal(alone, case.trained(**short, num_threads=3).network)
    assert not equal(alone, case.trained(**short, seed=1).network)


@both
def test_an_interrupted_run_continues_where_it_stood(case: Case) -> None:
    short = {"total_steps": 128, "num_tables": 16}
    first = case.learner(**short)
    for progress, _ in first.run():
        if progress.done >= 0.5:
            break
    second = case.learner(**short)
    second.load_state_dict(first.state_dict())
    assert equal(first.network, second.network)
    progresses = [progress for progress, _ in second.run()]
    assert progresses[0].decisions == first.progress.decisions + 2 * 16
    assert progresses[-1].done == 1.0
    assert not equal(first.network, second.network)


@pytest.mark.release
def test_one_seat_learns_at_tables_with_opponents() -> None:
    """Seat 0 plays a random seat 1 at the gate half of the time: then going is worth 0."""
    learner = CLIPPED.trained(self_play=0.0, opponents=("random",), opponent_weights=(1.0,))
    assert CLIPPED.scores(learner) == CLIPPED.best


@pytest.mark.parametrize(
    ("module", "settings", "said"),
    [
        (ppo, {"num_tables": 0}, "num_tables must be"),
        (ppo, {"hidden": ()}, "at least one layer"),
        (ppo, {"clip": 0.0}, "clip must be above 0"),
        (ppo, {"gae_lambda": 1.5}, r"gae_lambda must be in 0 \.\. 1"),
        (ppo, {"first_place_weight": -0.1}, r"first_place_weight must be in 0 \.\. 1"),
        (
            ppo,
            {"opponents": ("random",), "opponent_weights": (1.0, 1.0)},
            "a weight for each of the opponents; got 2 for 1",
        ),
        (ppo, {"self_play": 0.0}, "not all 0"),
        (ppo, {"opponents": ("playout",), "opponent_weights": (1.0,)}, "playout is not compiled"),
        (expert_iteration, {"num_tables": 0}, "num_tables must be"),
        (expert_iteration, {"hidden": ()}, "at least one layer"),
        (expert_iteration, {"num_simulations": 1}, "num_simulations must be at least 2"),
        (expert_iteration, {"td_lambda": 1.5}, r"td_lambda must be in 0 \.\. 1"),
        (expert_iteration, {"teacher": "nobody"}, "no player 'nobody'"),
        *(
            (expert_iteration, {name: -1}, f"{name} must be an integer in")
            for name in ("seed", "teacher_steps", "epochs", "num_threads")
        ),
        (mlp, {"num_matches": 0}, "num_matches must be"),
        (mlp, {"hidden": ()}, "hidden must name at least one layer"),
        (mlp, {"learning_rate": 0.0}, "learning_rate must be above 0"),
    ],
)
def test_settings_that_cannot_work_are_refused(
    module: Any, settings: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        next(module.Learner(CLIPPED.game, module.Config(**settings)).run())
