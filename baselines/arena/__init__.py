"""Matches, tournaments and ratings: who is stronger, with intervals."""

from .duplicate import DuplicateResult, play_duplicate
from .match import MatchResult, play_match
from .playing import Plan
from .sprt import Sprt
from .standings import Standing, Standings
from .store import Store
from .tournament import play_tournament, rate_store
from .workers import Workers

__all__ = [
    "DuplicateResult",
    "MatchResult",
    "Plan",
    "Sprt",
    "Standing",
    "Standings",
    "Store",
    "Workers",
    "play_duplicate",
    "play_match",
    "play_tournament",
    "rate_store",
]
