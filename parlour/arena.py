"""Matches, tournaments and ratings: who is stronger, with confidence intervals."""

from .baselines.arena import (
    DuplicateResult,
    MatchResult,
    Plan,
    Standing,
    Standings,
    Store,
    Workers,
    play_budget,
    play_duplicate,
    play_match,
    play_tournament,
    rate_store,
)
from .baselines.arena.contest.time_control import TimeControl
from .baselines.statistics.estimates import Estimate

__all__ = [
    "DuplicateResult",
    "Estimate",
    "MatchResult",
    "Plan",
    "Standing",
    "Standings",
    "Store",
    "TimeControl",
    "Workers",
    "play_budget",
    "play_duplicate",
    "play_match",
    "play_tournament",
    "rate_store",
]
