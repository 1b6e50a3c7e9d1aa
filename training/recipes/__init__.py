"""Recipes: the same task in third-party frameworks, one short file each.

Each has `learn(game, config)`, which returns a torch module that scores actions, a model of
stable-baselines3, or a function of arrays. `make_policy(result, game)` makes a policy of any of
them. `sb3_vec_env` is the environment of the recipes for stable-baselines3.
"""

import dataclasses
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from torch import nn

from ...baselines.environments import solo_env
from ...envs.core.game import Game


@dataclasses.dataclass
class Config:
    """Settings of a recipe."""

    total_steps: int = 200_000  # decisions of the learning seat, rounded to whole rollouts
    seed: int = 0
    opponents: str = "random"  # player in the other seats
    num_envs: int = 64


def renamed_env(game: Game, config: Config, observation: str, mask: str) -> gym.Env:
    """Return the single-seat environment whose observation has these two keys, both float32."""
    env = solo_env(game, seat="random", opponents=config.opponents, layout="dict")
    masks = gym.spaces.Box(0, 1, (game.num_actions,), np.float32)
    parts: Any = env.observation_space
    space = gym.spaces.Dict({observation: parts["observation"], mask: masks})

    def renamed(shown: Any) -> dict[str, np.ndarray]:
        return {observation: shown["observation"], mask: np.float32(shown["action_mask"])}

    return gym.wrappers.TransformObservation(env, renamed, space)


def network(game: Game, num_outputs: int) -> nn.Sequential:
    """Return a network [B, inputs] -> [B, outputs] for the inputs of the game."""
    return nn.Sequential(
        *(nn.Linear(game.layout.num_inputs, 128), nn.Tanh()),
        *(nn.Linear(128, 128), nn.Tanh()),
        nn.Linear(128, num_outputs),
    )


class Masked(nn.Module):
    """A network for observations [B, inputs] whose illegal actions, masked 0, are never chosen."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, observations: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
        """Return logits; those of illegal actions are -1e9."""
        return self.module(observations).masked_fill(masks == 0, -1e9)
