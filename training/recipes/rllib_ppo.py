"""Recipe: PPO of RLlib with its own module for masks, on the single-seat environment.

player = learn(game, Config(total_steps=50_000, opponents="random"))
print(play_match(game, make_policy(player, game), "random", num_deals=1_000))
"""

from typing import Any

import numpy as np
import torch
from ray import tune
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from ...baselines.players.foreign import takes_arrays
from ...envs.core.game import Game
from . import Config, renamed_env

BATCH, MINIBATCH, EPOCHS, WORKERS = 4096, 512, 4, 2  # two workers on a local cluster of Ray


def learn(game: Game, config: Config) -> Any:
    """Train in a random seat against `config.opponents`; return a function of arrays that plays."""
    names = {"observation": "observations", "mask": "action_mask"}
    tune.register_env("parlour", lambda _: renamed_env(game, config, **names))
    settings = PPOConfig().environment("parlour").debugging(seed=config.seed, log_level="ERROR")
    settings.env_runners(
        num_env_runners=WORKERS, num_envs_per_env_runner=config.num_envs // WORKERS
    )
    settings.rl_module(
        rl_module_spec=RLModuleSpec(
            module_class=ActionMaskingTorchRLModule, model_config={"fcnet_hiddens": [128, 128]}
        )
    )
    settings.training(
        train_batch_size_per_learner=BATCH, minibatch_size=MINIBATCH, num_epochs=EPOCHS
    )
    settings.training(gamma=1.0, lambda_=0.95, lr=1e-3, entropy_coeff=0.01)
    learner = settings.build_algo()
    for _ in range(config.total_steps // BATCH):
        learner.train()
    module = learner.get_module()
    learner.stop()

    @takes_arrays
    def rllib_ppo(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        shown = torch.as_tensor(observations), torch.as_tensor(masks)
        parts = dict(zip(names.values(), shown, strict=True))
        with torch.no_grad():
            return module.forward_inference({"obs": parts})["action_dist_inputs"].numpy()

    return rllib_ppo
