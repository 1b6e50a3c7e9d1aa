"""Matches, tournaments and ratings: who is stronger, with intervals."""

from .match import MatchResult, play_match

__all__ = ["MatchResult", "play_match"]
