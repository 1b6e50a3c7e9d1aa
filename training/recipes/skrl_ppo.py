"""Recipe: PPO of skrl on the vector environment, with the mask in the observation.

module = learn(game, Config(total_steps=200_000, opponents="random"))
print(play_match(game, make_policy(module, game), "random", num_deals=1_000))
"""

from typing import Any

import torch
from skrl.agents.torch.ppo import PPO, PPO_CFG
from skrl.envs.wrappers.torch import wrap_env
from skrl.memories.torch import RandomMemory
from skrl.models.torch import CategoricalMixin, DeterministicMixin, Model
from skrl.trainers.torch import SequentialTrainer
from skrl.utils import set_seed
from skrl.utils.spaces.torch import unflatten_tensorized_space
from torch import nn

from ...baselines.environments import vector_env
from ...envs.core.game import Game
from . import Config, Masked, network

ROLLOUT, EPOCHS, MINIBATCHES = 64, 4, 8


def model(mixin: Any, module: nn.Module, spaces: dict[str, Any], *parts: str) -> Model:
    """Return a model of skrl that shows the parts of the observation to `module`."""

    class Shown(mixin, Model):
        def __init__(self) -> None:
            Model.__init__(self, device="cpu", **spaces)
            mixin.__init__(self)
            self.module = module

        def compute(self, inputs: dict[str, Any], role: str) -> tuple[torch.Tensor, dict[str, Any]]:
            parts_by_name = unflatten_tensorized_space(
                self.observation_space, inputs["observations"]
            )
            return self.module(*(parts_by_name[name] for name in parts)), {}

    return Shown()


def learn(game: Game, config: Config) -> nn.Module:
    """Train in a random seat against `config.opponents`; return the network of the policy."""
    set_seed(config.seed)
    envs = vector_env(
        game, config.num_envs, seat="random", opponents=config.opponents, layout="dict"
    )
    envs = wrap_env(envs, wrapper="gymnasium")
    spaces = {"observation_space": envs.observation_space, "action_space": envs.action_space}
    module = network(game, game.num_actions)
    models = {
        "policy": model(CategoricalMixin, Masked(module), spaces, "observation", "action_mask")
    }
    models["value"] = model(DeterministicMixin, network(game, 1), spaces, "observation")
    settings: dict[str, Any] = {
        "rollouts": ROLLOUT,
        "learning_epochs": EPOCHS,
        "mini_batches": MINIBATCHES,
    }
    settings |= {"discount_factor": 1.0, "entropy_loss_scale": 0.01, "value_loss_scale": 0.5}
    agent = PPO(
        models=models,
        memory=RandomMemory(memory_size=ROLLOUT, num_envs=config.num_envs, device="cpu"),
        cfg=PPO_CFG(**settings, experiment={"write_interval": 0, "checkpoint_interval": 0}),
        device="cpu",
        **spaces,
    )
    steps: dict[str, Any] = {
        "timesteps": config.total_steps // config.num_envs,
        "disable_progressbar": True,
    }
    SequentialTrainer(env=envs, agents=agent, cfg={**steps, "headless": True}).train()
    return module
