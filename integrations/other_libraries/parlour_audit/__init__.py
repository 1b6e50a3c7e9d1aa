"""Audit a game of OpenSpiel or RLCard, or a PettingZoo module, by its name."""

from .audit import Audit, Subject, audit
from .rlcard_games import RLCARD, rlcard_subject
from .spiel_games import SPIEL, spiel_subject
from .zoo_environments import zoo_subject

SECONDS = 20.0  # of the processor, that an audit takes about at most


def subject_of(name: str) -> Subject:
    """Return `pyspiel:NAME`, `rlcard:NAME` or the module `package.NAME` of an AEC environment.

    Raises ValueError where there is no such library or game, and for one that cannot be audited.
    """
    if name.startswith(SPIEL):
        return spiel_subject(name.removeprefix(SPIEL))
    if name.startswith(RLCARD):
        return rlcard_subject(name.removeprefix(RLCARD))
    return zoo_subject(name)


def audited(name: str, num_games: int = 1000, seed: int = 0, seconds: float = SECONDS) -> Audit:
    """Audit a game by name; see `subject_of` for the names and errors."""
    return audit(subject_of(name), seconds, num_games, seed)
