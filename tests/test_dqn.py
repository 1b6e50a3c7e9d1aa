"""The deep Q-learner: its probe, its masks, its reproducibility, and a short run that must pay."""

import dataclasses
from collections import deque
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
import torch

from parlour.baselines.arena import play_match
from parlour.baselines.networks.kinds import action_values, policy_of
from parlour.baselines.networks.modules import ActionValues
from parlour.envs import load_game
from parlour.envs.core.game import Game
from parlour.training import dqn, session

from .probe_game import LOSE, SAFE_RETURN, START, probe_game
from .probes import played
from .searching import after_plies

PROBE = dqn.Config(
    total_steps=20_000,
    hidden=(16,),
    num_tables=64,
    opponents=(),
    opponent_weights=(),
    n_steps=1,
    batch_size=64,
    learning_rate=1e-2,
    epsilon=0.5,
    target_update_interval=20,
    num_threads=1,
)


def learned(game: Game, config: dqn.Config) -> ActionValues:
    _, network = deque(dqn.Learner(game, config).run(), maxlen=1)[0]
    return network


@pytest.fixture(scope="module")
def network() -> ActionValues:
    """What a sound learner learns from the probe."""
    return learned(probe_game(), PROBE)


def test_the_learner_avoids_the_trap_of_the_probe(network: ActionValues) -> None:
    game = probe_game()
    assert played(game, policy_of("dqn", game, network), START) == SAFE_RETURN


def test_the_network_chooses_the_action_whose_value_the_target_network_gives() -> None:
    """Double DQN. The two networks prefer different actions and disagree about every value.

    Choosing with the target network would give 0.9 (0.5 where action 1 is illegal), its value by
    the network itself 0.7.
    """
    game = probe_game()

    def constant(*values: float) -> ActionValues:
        row = torch.tensor([values])
        return cast(ActionValues, lambda observations: row.expand(len(observations), -1))

    network, target = constant(0.7, 0.6, -1.0, 2.0), constant(-0.2, 0.9, 0.5, 3.0)
    batch = dqn.Transitions.empty(game, 3)
    batch.next_masks[:, 0] = [0b0111, 0b0101, 0]
    batch.rewards[:] = [0.0, 0.0, -0.4]
    targets = dqn.td_targets(game, network, target, batch)
    assert targets.tolist() == pytest.approx([-0.2, -0.2, -0.4])


def test_behaviour_and_exported_policy_stay_within_the_mask(network: ActionValues) -> None:
    """The network values `win` highest wherever it looks like a room."""
    game = probe_game()
    observations = game.new_observations(200)
    observations["is_room"] = 1
    masks = np.zeros((200, game.num_actions), np.int8)
    masks[:, LOSE] = 1
    assert (action_values(game, network, observations, masks).argmax(axis=1) == LOSE).all()
    choose = dqn.epsilon_greedy(game, network, 1.0, np.random.default_rng(0))
    assert (choose(observations, masks) == LOSE).all()


@pytest.mark.plain
def test_behaviour_without_exploration_is_the_action_of_highest_value() -> None:
    """Acting is by rows, values are torch's; equal values may be chosen either way."""
    game = load_game("trick_taking")
    network = ActionValues(game, (19, 9))
    chooser = np.random.default_rng(0)
    for num_plies in range(3):
        _, _, observations, masks = after_plies(game, num_plies, 40)
        values = action_values(game, network, observations, masks)
        chosen = dqn.epsilon_greedy(game, network, 0.0, chooser)(observations, masks)
        taken = np.take_along_axis(values, chosen[:, None], axis=1)[:, 0]
        np.testing.assert_allclose(taken, values.max(axis=1), atol=1e-5)
        assert (chosen == values.argmax(axis=1)).mean() > 0.99
        with torch.no_grad():
            network.body[-1].bias.normal_()  # type: ignore[operator]


@pytest.mark.plain
def test_minutes_are_of_training_whatever_happens_between_the_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An hour passes after every step, and none of it in the learner."""
    hours = iter(range(0, 10**9, 3600))
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(
        session,
        "time",
        SimpleNamespace(monotonic=lambda: clock.now, process_time=lambda: clock.now),
    )
    config = dataclasses.replace(PROBE, total_steps=5 * PROBE.num_tables, minutes=1.0)
    progresses = []
    for reached, _ in dqn.Learner(probe_game(), config).run():
        clock.now = float(next(hours))
        progresses.append(reached)
    assert len(progresses) == 5
    assert progresses[-1].seconds == progresses[-1].cpu_seconds == 0.0


def test_the_same_seed_learns_the_same_network(network: ActionValues) -> None:
    first, second = network.state_dict(), learned(probe_game(), PROBE).state_dict()
    assert all(torch.equal(first[key], second[key]) for key in first)


@pytest.mark.release
def test_a_short_run_beats_three_random_players_well_over_the_fair_share() -> None:
    """Fair share is 25 % of first places; a learner of the wrong sign gets under 5 %."""
    game = load_game("president", num_players=4)
    config = dqn.Config(
        total_steps=60_000,
        hidden=(128, 128),
        num_tables=256,
        updates_per_step=4,
        batch_size=256,
        num_threads=1,
    )
    network = learned(game, config)
    result = play_match(game, policy_of("dqn", game, network), "random", num_deals=500)
    assert result.first_places.low > 0.45
