"""Matches, tournaments and ratings: who is stronger, with intervals."""

from .play.budget import play_budget
from .play.duplicate import DuplicateResult, play_duplicate
from .play.match import MatchResult, play_match
from .play.playing import Plan
from .play.tournament import play_tournament, rate_store
from .play.workers import Workers
from .ratings.standings import Standing, Standings
from .results.store import Store

__all__ = [
    "DuplicateResult",
    "MatchResult",
    "Plan",
    "Standing",
    "Standings",
    "Store",
    "Workers",
    "play_budget",
    "play_duplicate",
    "play_match",
    "play_tournament",
    "rate_store",
]
