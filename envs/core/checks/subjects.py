"""Find what to audit by its name: a game of OpenSpiel or RLCard, a PettingZoo module."""

from .audit import Audit, Subject, audit
from .audit_rlcard import RLCARD, rlcard_subject
from .audit_spiel import SPIEL, spiel_subject
from .audit_zoo import zoo_subject

SECONDS = 20.0  # of an audit


def names_other_library(name: str) -> bool:
    """Return whether a name stands for a game of another library."""
    return name.startswith((SPIEL, RLCARD)) or "." in name


def subject_of(name: str) -> Subject:
    """Return `pyspiel:NAME`, `rlcard:NAME` or the module `package.NAME` of an AEC environment.

    Raises ValueError where there is no such library or game, and for one that cannot be audited.
    """
    if name.startswith(SPIEL):
        return spiel_subject(name.removeprefix(SPIEL))
    if name.startswith(RLCARD):
        return rlcard_subject(name.removeprefix(RLCARD))
    return zoo_subject(name)


def audited(name: str, num_games: int, seed: int, seconds: float = SECONDS) -> Audit:
    """Audit a game by name; see `subject_of` for the names and errors."""
    return audit(subject_of(name), seconds, num_games, seed)
