"""Matches, tournaments and ratings: who is stronger, with intervals."""

from .duplicate import DuplicateResult, play_duplicate
from .match import MatchResult, play_match

__all__ = ["DuplicateResult", "MatchResult", "play_duplicate", "play_match"]
