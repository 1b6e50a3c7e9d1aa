"""Recipe: MaskablePPO of sb3-contrib, through the single-seat environment.

The environment's `action_masks()` is all that the algorithm asks for.
"""

import dataclasses

import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv

from ..baselines.policy import Policy
from ..envs.core.game import Game
from ..envs.core.solo import SoloEnv


@dataclasses.dataclass
class Config:
    """Settings of the recipe."""

    steps: int = 200_000  # own decisions
    seed: int = 0
    opponents: str = "random"
    num_envs: int = 8
    learning_rate: float = 5e-4
    hidden: tuple[int, ...] = (256, 256)


def learn(game: Game, config: Config) -> MaskablePPO:
    """Train in a random seat against `config.opponents`."""
    env = DummyVecEnv(
        [
            lambda: SoloEnv(game, seat="random", opponents=config.opponents)
            for _ in range(config.num_envs)
        ]
    )
    model = MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=config.learning_rate,
        n_steps=256,
        batch_size=512,
        n_epochs=4,
        gamma=1.0,
        ent_coef=0.01,
        policy_kwargs={"net_arch": list(config.hidden)},
        seed=config.seed,
    )
    return model.learn(config.steps)


def policy_of(game: Game, model: MaskablePPO, name: str = "sb3_ppo") -> Policy:
    """The trained model as a player for matches."""

    def choose(observations: np.ndarray, action_masks: np.ndarray, rngs: np.ndarray) -> np.ndarray:
        vectors = game.layout.scaled(observations)
        return model.predict(vectors, action_masks=action_masks, deterministic=True)[0]

    return Policy(name, game, choose)
