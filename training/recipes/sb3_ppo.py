"""Recipe: MaskablePPO of sb3-contrib, on the vector environment.

The algorithm takes its masks from the environment's `action_masks()`. More tables and larger
batches, such as `Config(num_envs=256, batch_size=4096)`, make more decisions a second.

    model = learn(game, Config(total_steps=200_000, opponents="random"))
    player = policy_of(game, model)
    print(play_match(game, player, "random", num_deals=1_000))
"""

import dataclasses

import numpy as np
from sb3_contrib import MaskablePPO

from ...baselines.players.policy import Policy
from ...envs.core.game import Game
from .sb3_vec_env import sb3_vec_env


@dataclasses.dataclass
class Config:
    """Settings of the recipe."""

    total_steps: int = 200_000  # decisions of the learning seat, rounded up to whole rollouts
    seed: int = 0
    opponents: str = "random"  # player in the other seats
    num_envs: int = 32
    rollout_size: int = 64  # steps of each environment between two updates
    batch_size: int = 512
    learning_rate: float = 5e-4
    hidden: tuple[int, ...] = (256, 256)


def learn(game: Game, config: Config) -> MaskablePPO:
    """Train in a random seat against `config.opponents`; return the trained model."""
    return make_model(game, config).learn(config.total_steps)


def make_model(game: Game, config: Config) -> MaskablePPO:
    """Return the untrained learner with its environments."""
    env = sb3_vec_env(game, config.num_envs, seat="random", opponents=config.opponents)
    return MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=config.learning_rate,
        n_steps=config.rollout_size,
        batch_size=config.batch_size,
        n_epochs=4,
        gamma=1.0,  # a game pays only at its end
        ent_coef=0.01,
        policy_kwargs={"net_arch": list(config.hidden)},
        seed=config.seed,
    )


def policy_of(game: Game, model: MaskablePPO, name: str = "sb3_ppo") -> Policy:
    """Return the trained model as a player for matches."""

    def choose(observations: np.ndarray, action_masks: np.ndarray, rngs: np.ndarray) -> np.ndarray:
        vectors = game.layout.scaled(observations)
        return model.predict(vectors, action_masks=action_masks, deterministic=True)[0]

    return Policy(name, game, choose)
