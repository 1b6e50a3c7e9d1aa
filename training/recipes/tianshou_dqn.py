"""Recipe: DQN of Tianshou, the family of algorithms that it masks, on the single-seat environment.

module = learn(game, Config(total_steps=50_000, opponents="random"))
print(play_match(game, make_policy(module, game), "random", num_deals=1_000))
"""

from functools import partial
from typing import Any

import numpy as np
import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from torch import nn

from ...envs.core.game import Game
from . import Config, network, renamed_env

EXPLORED = 0.5  # part of the steps after which exploration has fallen to 0.05


class Values(nn.Module):
    """The values of actions, called as Tianshou calls a model."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, obs: np.ndarray, state: Any = None, info: Any = None) -> tuple[Any, Any]:
        """Return values [B, A] for observations [B, inputs], and the state as it was."""
        return self.module(torch.as_tensor(obs)), state


def learn(game: Game, config: Config) -> nn.Module:
    """Train in a random seat against `config.opponents`; return the network of the values."""
    torch.manual_seed(config.seed)
    np.random.seed(config.seed)  # Tianshou explores with it

    make = partial(renamed_env, game, config, observation="obs", mask="mask")
    envs = DummyVectorEnv([make] * config.num_envs)
    envs.seed(config.seed)
    module = network(game, game.num_actions)
    policy = DiscreteQLearningPolicy(model=Values(module), action_space=envs.action_space[0])
    dqn = DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=5e-4),
        gamma=1.0,
        n_step_return_horizon=5,  # a game pays at its end, some ten decisions later
        target_update_freq=500,
    )
    buffer = VectorReplayBuffer(100_000, config.num_envs)

    def explore(epoch: int, step: int) -> None:
        policy.set_eps_training(max(0.05, 1 - step / (EXPLORED * config.total_steps)))

    settings = OffPolicyTrainerParams(
        training_collector=Collector(dqn, envs, buffer, exploration_noise=True),
        max_epochs=1,
        epoch_num_steps=config.total_steps,
        collection_step_num_env_steps=4 * config.num_envs,
        update_step_num_gradient_steps_per_sample=0.125,
        batch_size=256,
        training_fn=explore,
        show_progress=False,
        verbose=False,
    )
    dqn.run_training(settings)
    return module
