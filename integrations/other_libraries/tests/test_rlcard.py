"""RLCard's agents at our tables."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from parlour_rlcard import agent_state, rlcard_policy

from parlour.baselines.arena import play_match
from parlour.baselines.environments import solo_env
from parlour.baselines.players.making import make_policy
from parlour.envs import load_game

GAME = load_game("trick_taking", num_values=3)


def test_an_agent_reads_states_of_rlcard() -> None:
    """An agent that plays the last legal action, which it finds in either list."""
    states = []

    def eval_step(state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        states.append(state)
        actions = list(state["legal_actions"])
        assert [GAME.action_name(action) for action in actions] == state["raw_legal_actions"]
        return actions[-1], {}

    player = rlcard_policy("last", GAME, SimpleNamespace(eval_step=eval_step))
    env = solo_env(GAME)
    observation, info = env.reset(seed=1)
    assert player.act(observation, info["action_mask"]) == np.flatnonzero(info["action_mask"])[-1]
    assert np.array_equal(states[0]["obs"], observation) and states[0]["obs"].dtype == np.float32


def test_agents_of_other_cards_are_refused() -> None:
    with pytest.raises(ValueError, match=r"rule reads the cards of a game of RLCard \(use_raw\)"):
        rlcard_policy("rule", GAME, SimpleNamespace(use_raw=True))


def test_the_random_agent_of_rlcard_plays_whole_matches() -> None:
    agents = pytest.importorskip("rlcard.agents")
    player = rlcard_policy("random agent", GAME, agents.RandomAgent(GAME.num_actions))
    assert play_match(GAME, player, "perfect", num_deals=50).mean_return.mean < 0


def test_a_learner_of_rlcard_trains_in_our_environment() -> None:
    pytest.importorskip("torch")
    learners = pytest.importorskip("rlcard.agents.dqn_agent")
    learner = learners.DQNAgent(
        num_actions=GAME.num_actions,
        state_shape=[GAME.layout.num_inputs],
        mlp_layers=[16],
        replay_memory_init_size=32,
        batch_size=16,
        device="cpu",
    )
    env = solo_env(GAME)
    for seed in range(30):
        observation, info = env.reset(seed=seed)
        state, is_over = agent_state(GAME, observation, info["action_mask"]), False
        while not is_over:
            action = int(learner.step(state))
            observation, reward, is_over, _, info = env.step(action)
            after = agent_state(GAME, observation, info["action_mask"])
            learner.feed([state, action, reward, after, is_over])
            state = after
    player = rlcard_policy("dqn of RLCard", GAME, learner)
    assert play_match(GAME, player, make_policy("random", GAME), num_deals=20).num_games == 40
