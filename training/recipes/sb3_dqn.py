"""Recipe: masked deep Q-learning with stable-baselines3, on the vector environment.

The action mask is part of the observation, and the Q-network gives illegal actions a value below
all others: one line masks behaviour, target and exported policy alike. Exploration is masked apart.

    model = learn(game, Config(total_steps=200_000, opponents="random"))
    print(play_match(game, make_policy(model, game), "random", num_deals=1_000))
"""

from typing import Any

import numpy as np
import torch
from stable_baselines3 import DQN
from stable_baselines3.dqn.policies import MultiInputPolicy, QNetwork

from ...baselines.networks.modules import mask_values
from ...envs.core.game import Game
from . import Config
from .sb3_vec_env import sb3_vec_env

SETTINGS: dict[str, Any] = {
    "learning_rate": 5e-4,
    "buffer_size": 100_000,  # transitions
    "learning_starts": 2_000,  # steps of random legal play
    "batch_size": 256,
    "gamma": 1.0,  # a game pays only at its end
    "train_freq": 1,
    "gradient_steps": 2,
    "target_update_interval": 500,
    "exploration_fraction": 0.5,
    "policy_kwargs": {"net_arch": [256, 256]},
}


class MaskedQNetwork(QNetwork):
    """A Q-network whose illegal actions can never be the maximum."""

    def forward(self, obs: Any) -> torch.Tensor:
        """Return values [B, A] for observations that contain their masks."""
        return mask_values(super().forward(obs), obs["action_mask"])


class MaskedPolicy(MultiInputPolicy):
    """The policy of stable-baselines3 for dict observations, with the masked network."""

    def make_q_net(self) -> QNetwork:
        """Make the network; called a second time for the target network."""
        arguments = self._update_features_extractor(self.net_args, features_extractor=None)
        return MaskedQNetwork(**arguments).to(self.device)


class MaskedDQN(DQN):
    """DQN that explores among legal actions only."""

    def predict(
        self,
        observation: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[np.ndarray, Any]:
        """Return the best legal action of each observation; exploring, a random legal one."""
        actions, state = self.policy.predict(observation, state, episode_start, deterministic)
        if not deterministic:
            explores = self._random.random(actions.shape) < self.exploration_rate
            actions = np.where(explores, self._random_legal(observation), actions)
        return actions, state

    def _sample_action(
        self, learning_starts: int, action_noise: Any = None, n_envs: int = 1
    ) -> tuple[np.ndarray, np.ndarray]:
        if self.num_timesteps >= learning_starts:
            return super()._sample_action(learning_starts, action_noise, n_envs)
        actions = self._random_legal(self._last_obs)
        return actions, actions

    def _random_legal(self, observation: Any) -> np.ndarray:
        masks = observation["action_mask"]
        return (self._random.random(masks.shape) * masks).argmax(axis=-1)

    @property
    def _random(self) -> np.random.Generator:
        return self.action_space.np_random  # seeded with the model


def learn(game: Game, config: Config) -> MaskedDQN:
    """Train in a random seat against `config.opponents`; return the trained model."""
    return make_model(game, config).learn(config.total_steps)


def make_model(game: Game, config: Config, **settings: Any) -> MaskedDQN:
    """Return the untrained learner with its environments; `settings` replace some of SETTINGS."""
    options = {"seat": "random", "opponents": config.opponents, "layout": "dict"}
    env = sb3_vec_env(game, config.num_envs, **options)
    return MaskedDQN(MaskedPolicy, env, seed=config.seed, **(SETTINGS | settings))
