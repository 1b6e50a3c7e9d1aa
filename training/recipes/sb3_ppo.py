"""Recipe: MaskablePPO of sb3-contrib, on the vector environment.

The algorithm takes its masks from the environment's `action_masks()`. Many tables make it fast.

    model = learn(game, Config(total_steps=300_000, opponents="random", num_envs=512))
    print(play_match(game, make_policy(model, game), "random", num_deals=1_000))
"""

from typing import Any

import torch
from sb3_contrib import MaskablePPO

from ...envs.core.game import Game
from . import Config
from .sb3_vec_env import sb3_vec_env

SETTINGS: dict[str, Any] = {
    "learning_rate": 1e-3,
    "n_steps": 16,
    "batch_size": 1024,
    "n_epochs": 2,
    "gamma": 1.0,  # a game pays only at its end
    "ent_coef": 0.01,
    "policy_kwargs": {"net_arch": [64, 64], "activation_fn": torch.nn.ReLU},
}


def learn(game: Game, config: Config) -> MaskablePPO:
    """Train in a random seat against `config.opponents`; return the trained model."""
    return make_model(game, config).learn(config.total_steps)


def make_model(game: Game, config: Config, **settings: Any) -> MaskablePPO:
    """Return the untrained learner with its environments; `settings` replace some of SETTINGS."""
    torch.distributions.Distribution.set_default_validate_args(False)  # takes a fifth of the time
    env = sb3_vec_env(game, config.num_envs, seat="random", opponents=config.opponents)
    return MaskablePPO("MlpPolicy", env, seed=config.seed, **(SETTINGS | settings))
