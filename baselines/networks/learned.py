"""A checkpoint as a policy: files of your own, and those that ship, by their algorithm."""

import dataclasses
import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ...envs.core.catalogue import as_game
from ...envs.core.game import Game
from ..policies.game_parts import checkpoint_folder
from ..policies.policy import Policy

if TYPE_CHECKING:
    from torch import nn

    from .policy_value import PolicyValue


def learned_policy(
    path: Path | str, game: Game, name: str | None = None, other_rules: bool = False
) -> Policy:
    """The policy of a checkpoint file. Raises ValueError where it does not fit the game.

    `other_rules`: let it play under other house rules than those that it was trained for.
    """
    from .kinds import policy_of

    algorithm, network = _loaded(path, game, other_rules)
    return policy_of(algorithm, game, network, name or Path(path).stem)


def _loaded(path: Path | str, game: Game, other_rules: bool = False) -> "tuple[str, nn.Module]":
    """Return the algorithm of a checkpoint, and its network ready to play the game."""
    from .checkpoints import load_checkpoint, network_for  # torch, which other players do not need

    checkpoint = load_checkpoint(path)
    return checkpoint.algorithm, network_for(checkpoint, game, other_rules)


def load_network(path: Path | str, game: Game | str) -> "nn.Module":
    """Return the torch module of a checkpoint: a file, a run's folder, or one that ships by name.

    It takes whole numbers [B, num_inputs] and returns a value or logit of each action [B, A], legal
    or not; a `PolicyValue` returns a tuple of logits and values [B]. A `PolicyValue` may need more
    inputs: `network.seen(game)` is the game whose observations it takes. `make_policy` takes the
    module back. Raises ValueError where the checkpoint does not fit the game::

        >>> import gymnasium as gym, parlour, torch
        >>> from parlour.policies import load_network
        >>> network = load_network("dqn", parlour.load_game("president"))
        >>> env = gym.make("parlour:President-v0", observation="integer")
        >>> observation, info = env.reset(seed=1)
        >>> network(torch.from_numpy(observation[None])).shape
        torch.Size([1, 51])
    """
    game = as_game(game)
    _, network = _loaded(shipped_checkpoints(game).get(str(path), path), game)
    vars(network)["game"] = game  # so that it plays no other
    return network


def guide_network(path: Path | str, game: Game) -> "PolicyValue":
    """The network of a checkpoint that has a policy and a value, to guide a search.

    Raises ValueError where it has none, and where it does not fit the game.
    """
    from .policy_value import PolicyValue

    algorithm, network = _loaded(path, game)
    if not isinstance(network, PolicyValue):
        raise ValueError(
            f"{path} was made by {algorithm} and cannot guide a search: that needs a "
            "policy and a value, as ppo and expert_iteration learn"
        )
    return network


def shipped_checkpoints(game: Game) -> dict[str, Path]:
    """The checkpoints that ship for exactly this game and its settings, by algorithm.

    A file is called ALGORITHM.pt for the default settings, else ALGORITHM-setting=value.pt with
    the settings that differ.
    """
    fields = dataclasses.fields(game.config)
    changed_fields = [f for f in fields if getattr(game.config, f.name) != f.default]
    settings = "".join(f"-{f.name}={getattr(game.config, f.name)}" for f in changed_fields)
    folder = checkpoint_folder(game.name)
    try:
        changed = folder.stat().st_mtime_ns
    except OSError:  # there is none
        return {}
    return dict(_files_ending(f"{settings}.pt", folder, changed))


@lru_cache
def _files_ending(ending: str, folder: Path, changed: int) -> dict[str, Path]:
    """Return the files with this ending in a folder, by their names without it.

    `changed`, the folder's modification time, only makes the cache forget an older list.
    """
    files = sorted(os.listdir(folder))  # a glob takes 20 times as long
    names = [file.removesuffix(ending) for file in files if file.endswith(ending)]
    return {name: folder / f"{name}{ending}" for name in names if "-" not in name}
