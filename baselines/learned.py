"""A trained checkpoint as a policy: the legal action of highest value."""

from pathlib import Path

from ..envs.core.game import Game
from .policy import Policy


def learned_policy(path: Path | str, game: Game) -> Policy:
    """The policy of a checkpoint file. Raises ValueError where it does not fit the game."""
    from ..training.checkpoint import load_checkpoint, network_for
    from ..training.session import load_algorithm

    checkpoint = load_checkpoint(path)
    algorithm = load_algorithm(checkpoint.algorithm)
    return algorithm.policy_of(game, network_for(checkpoint, game), Path(path).stem)
