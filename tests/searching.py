"""What tests of searches begin with: positions in mid-game, and the checkpoint of a network."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from parlour.baselines import make_policy
from parlour.baselines.networks.checkpoints import Checkpoint, save_checkpoint
from parlour.baselines.networks.policy_value import PolicyValue
from parlour.envs.core.game import Game
from parlour.envs.core.play.tables import Tables, action_masks
from parlour.envs.core.rng import streams

NUM_TABLES = 40


def after_plies(game: Game, num_plies: int) -> tuple[Tables, np.ndarray, np.ndarray, np.ndarray]:
    """Positions after random plies: tables, seats to act, observations, masks."""
    tables = Tables(game, streams(range(NUM_TABLES)))
    tables.deal(tables.all_rows)
    policy, rngs = make_policy("random", game), streams(range(NUM_TABLES), 9)
    for _ in range(num_plies):
        _, observations, words = tables.show(tables.all_rows)
        masks = action_masks(words, game.num_actions)
        tables.apply(tables.all_rows, policy(observations, masks, rngs))
    seats, observations, words = tables.show(tables.all_rows)
    return tables, seats, observations, action_masks(words, game.num_actions)


def saved(game: Game, folder: Path) -> Path:
    """A checkpoint of an untrained network."""
    torch.manual_seed(0)
    path = folder / "network.pt"
    weights = PolicyValue(game, (16, 16)).state_dict()
    played = (game.name, game.version, game.config_dict())
    save_checkpoint(Checkpoint(*played, "ppo", {}, (16, 16), weights), path)
    return path
