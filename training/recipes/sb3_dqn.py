"""Recipe: masked deep Q-learning with stable-baselines3, through the single-seat environment.

The action mask is part of the observation, and the Q-network gives illegal actions a value below
all others: one line masks behaviour, target and exported policy alike. Exploration is masked apart.

    model = learn(game, Config(total_steps=200_000, opponents="random"))
    player = policy_of(game, model)
    print(play_match(game, player, "random", num_deals=1_000))
"""

import dataclasses
from typing import Any

import numpy as np
import torch
from stable_baselines3 import DQN
from stable_baselines3.common.vec_env import DummyVecEnv
from stable_baselines3.dqn.policies import MultiInputPolicy, QNetwork

from ...baselines.environments import solo_env
from ...baselines.networks.modules import mask_values
from ...baselines.players.policy import Policy
from ...envs.core.game import Game


@dataclasses.dataclass
class Config:
    """Settings of the recipe."""

    total_steps: int = 200_000  # decisions of the learning seat
    seed: int = 0
    opponents: str = "random"  # player in the other seats
    num_envs: int = 8
    buffer_size: int = 100_000  # transitions
    warmup_steps: int = 2_000  # steps of random legal play before learning starts
    batch_size: int = 256
    learning_rate: float = 5e-4
    hidden: tuple[int, ...] = (256, 256)


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
        """Return the best legal action of each observation, or at random another legal one."""
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


def make_model(game: Game, config: Config) -> MaskedDQN:
    """Return the untrained learner with its environments."""
    env = DummyVecEnv(
        [lambda: solo_env(game, seat="random", opponents=config.opponents, layout="dict")]
        * config.num_envs
    )
    return MaskedDQN(
        MaskedPolicy,
        env,
        learning_rate=config.learning_rate,
        buffer_size=config.buffer_size,
        learning_starts=config.warmup_steps,
        batch_size=config.batch_size,
        gamma=1.0,  # a game pays only at its end
        train_freq=4,
        gradient_steps=1,
        target_update_interval=2_000,
        exploration_fraction=0.5,
        policy_kwargs={"net_arch": list(config.hidden)},
        seed=config.seed,
    )


def policy_of(game: Game, model: MaskedDQN, name: str = "sb3_dqn") -> Policy:
    """Return the trained model as a player for matches."""

    def choose(observations: np.ndarray, action_masks: np.ndarray, rngs: np.ndarray) -> np.ndarray:
        shown = {"observation": game.layout.scaled(observations), "action_mask": action_masks}
        return model.predict(shown, deterministic=True)[0]

    return Policy(name, game, choose)
