"""Recipe: PPO of AgileRL on the vector environment; it reads the mask in `info`.

module = learn(game, Config(total_steps=200_000, opponents="random"))
print(play_match(game, make_policy(module, game), "random", num_deals=1_000))
"""

from typing import Any

import torch
from agilerl.algorithms import PPO
from agilerl.rollouts.on_policy import collect_rollouts
from torch import nn

from ...baselines.environments import vector_env
from ...envs.core.game import Game
from . import Config

ROLLOUT = 64
NETWORK = {"encoder_config": {"hidden_size": [128]}, "head_config": {"hidden_size": [128]}}


def learn(game: Game, config: Config) -> nn.Module:
    """Train in a random seat against `config.opponents`; return the network of the policy."""
    torch.manual_seed(config.seed)
    envs = vector_env(game, config.num_envs, seat="random", opponents=config.opponents)
    agent = PPO(
        envs.single_observation_space,
        envs.single_action_space,
        net_config=NETWORK,
        batch_size=512,
        lr=1e-3,
        learn_step=ROLLOUT * config.num_envs,
        gamma=1.0,
        num_envs=config.num_envs,
    )
    state: dict[str, Any] = {}
    for _ in range(config.total_steps // agent.learn_step):
        _, *last = collect_rollouts(agent, envs, **state)
        state = dict(zip(("last_obs", "last_done", "last_scores", "last_info"), last, strict=True))
        agent.learn()
    return nn.Sequential(agent.actor.encoder, agent.actor.head_net.wrapped)  # logits, no sampling
