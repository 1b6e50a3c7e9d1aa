"""Recipe: masked deep Q-learning with stable-baselines3, through the single-seat environment.

The action mask travels in the observation, and the Q-network itself puts illegal actions out of
reach. So behaviour, target and export are all masked by one line; only exploration needs two more.
"""

import dataclasses
from typing import Any

import numpy as np
import torch
from stable_baselines3 import DQN
from stable_baselines3.common.vec_env import DummyVecEnv
from stable_baselines3.dqn.policies import MultiInputPolicy, QNetwork

from ..baselines.policy import Policy
from ..envs.core.game import Game
from ..envs.core.solo import SoloEnv
from .networks import mask_values


class MaskedQNetwork(QNetwork):
    """A Q-network whose illegal actions can never be the maximum."""

    def forward(self, obs: Any) -> torch.Tensor:
        """Values [B, A] of observations with their masks."""
        return mask_values(super().forward(obs), obs["action_mask"])


class MaskedPolicy(MultiInputPolicy):
    """stable-baselines3's policy for dict observations, with the masked network in it."""

    def make_q_net(self) -> QNetwork:
        """Called for the network and for its target."""
        arguments = self._update_features_extractor(self.net_args, features_extractor=None)
        return MaskedQNetwork(**arguments).to(self.device)


class MaskedDQN(DQN):
    """DQN that also explores within the mask."""

    def predict(
        self,
        observation: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> Any:
        """The best legal action, or with the exploration rate any legal one."""
        if not deterministic and np.random.rand() < self.exploration_rate:
            return random_legal(observation["action_mask"]), state
        return self.policy.predict(observation, state, episode_start, deterministic)

    def _sample_action(
        self, learning_starts: int, action_noise: Any = None, n_envs: int = 1
    ) -> Any:
        if self.num_timesteps < learning_starts:
            assert isinstance(self._last_obs, dict)
            actions = random_legal(self._last_obs["action_mask"])
            return actions, actions
        return super()._sample_action(learning_starts, action_noise, n_envs)


def random_legal(action_masks: np.ndarray) -> np.ndarray:
    """A uniformly random legal action for each mask [B, A]."""
    return (np.random.random(action_masks.shape) * action_masks).argmax(axis=1)


@dataclasses.dataclass
class Config:
    """Settings of the recipe."""

    steps: int = 200_000  # own decisions
    seed: int = 0
    opponents: str = "random"
    num_envs: int = 8
    learning_rate: float = 5e-4
    hidden: tuple[int, ...] = (256, 256)


def learn(game: Game, config: Config) -> MaskedDQN:
    """Train in a random seat against `config.opponents`."""
    env = DummyVecEnv(
        [
            lambda: SoloEnv(game, seat="random", opponents=config.opponents, layout="dict")
            for _ in range(config.num_envs)
        ]
    )
    model = MaskedDQN(
        MaskedPolicy,
        env,
        learning_rate=config.learning_rate,
        buffer_size=100_000,
        learning_starts=2_000,
        batch_size=256,
        gamma=1.0,
        train_freq=4,
        gradient_steps=1,
        target_update_interval=2_000,
        exploration_fraction=0.5,
        policy_kwargs={"net_arch": list(config.hidden)},
        seed=config.seed,
    )
    return model.learn(config.steps)


def policy_of(game: Game, model: MaskedDQN, name: str = "sb3_dqn") -> Policy:
    """The trained model as a player for matches."""

    def choose(observations: np.ndarray, action_masks: np.ndarray, rngs: np.ndarray) -> np.ndarray:
        shown = {"observation": game.layout.scaled(observations), "action_mask": action_masks}
        return model.predict(shown, deterministic=True)[0]

    return Policy(name, game, choose)
