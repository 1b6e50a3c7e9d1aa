"""Matches, tournaments and ratings: who is stronger, with intervals."""

from .duplicate import DuplicateResult, play_duplicate
from .match import MatchResult, play_match
from .playing import Plan
from .sprt import Sprt
from .workers import Workers

__all__ = [
    "DuplicateResult",
    "MatchResult",
    "Plan",
    "Sprt",
    "Workers",
    "play_duplicate",
    "play_match",
]
