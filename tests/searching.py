"""What tests of searches begin with: positions in mid-game, and the checkpoint of a network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch

from parlour.baselines import make_policy
from parlour.baselines.networks.checkpoints import Checkpoint, save_checkpoint
from parlour.baselines.networks.policy_value import PolicyValue
from parlour.baselines.policies.policy import Policy, values_of
from parlour.envs.core.game import Game
from parlour.envs.core.play.tables import Tables, action_masks
from parlour.envs.core.rng import streams

NUM_TABLES = 40


def after_plies(
    game: Game, num_plies: int, num_tables: int = NUM_TABLES
) -> tuple[Tables, np.ndarray, np.ndarray, np.ndarray]:
    """Positions after random plies: tables, seats to act, observations, masks."""
    tables = Tables(game, streams(range(num_tables)))
    tables.deal(tables.all_rows)
    policy, rngs = make_policy("random", game), streams(range(num_tables), 9)
    for _ in range(num_plies):
        _, observations, words = tables.show(tables.all_rows)
        masks = action_masks(words, game.num_actions)
        tables.apply(tables.all_rows, policy(observations, masks, rngs))
    seats, observations, words = tables.show(tables.all_rows)
    return tables, seats, observations, action_masks(words, game.num_actions)


def asked(policy: Policy, tables: Tables) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The masks of all tables, what a policy plays there, and its values."""
    seats, observations, words = tables.show(tables.all_rows)
    masks = action_masks(words, tables.game.num_actions)
    positions = tables.determinize(tables.all_rows, seats, streams(range(len(seats)), 5))
    inputs = observations, masks, streams(range(len(seats)), 6), positions
    return masks, policy(*inputs), values_of(policy, *inputs)


def saved(
    game: Game,
    folder: Path,
    network: torch.nn.Module | None = None,
    algorithm: str = "ppo",
    **settings: Any,
) -> Path:
    """A checkpoint of a network with these settings, or of an untrained one."""
    torch.manual_seed(0)
    path, hidden = folder / "network.pt", settings.get("hidden", (16, 16))
    weights = (network or PolicyValue(game, hidden)).state_dict()
    played = (game.name, game.version, game.config_dict())
    save_checkpoint(Checkpoint(*played, algorithm, settings, hidden, weights), path)
    return path
