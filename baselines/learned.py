"""A trained checkpoint as a policy: the legal action of highest value."""

from pathlib import Path

from ..envs.core.game import Game
from .policy import Policy


def learned_policy(path: Path | str, game: Game, name: str | None = None) -> Policy:
    """The policy of a checkpoint file. Raises ValueError where it does not fit the game."""
    from ..training.checkpoint import load_checkpoint, network_for
    from ..training.dqn import best_actions

    network = network_for(load_checkpoint(path), game)
    return Policy(
        name or Path(path).stem,
        game,
        lambda observations, masks, rngs: best_actions(game, network, observations, masks),
    )
