"""A trained network as a policy: the legal action of highest value."""

from pathlib import Path
from typing import TYPE_CHECKING

from ..envs.core.game import Game
from .policy import Policy

if TYPE_CHECKING:
    from ..training.networks import ActionValues


def learned_policy(path: Path | str, game: Game, name: str | None = None) -> Policy:
    """The policy of a checkpoint file. Raises ValueError where it does not fit the game."""
    from ..training.checkpoint import load_checkpoint, network_for

    return network_policy(name or Path(path).stem, game, network_for(load_checkpoint(path), game))


def network_policy(name: str, game: Game, network: "ActionValues") -> Policy:
    """The policy of a network as it is whenever it is asked: it goes on learning, if that does."""
    from ..training.dqn import best_actions

    return Policy(
        name,
        game,
        lambda observations, masks, rngs: best_actions(game, network, observations, masks),
    )
