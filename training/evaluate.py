"""Measure the strength of a policy by duplicate matches against a list of players."""

from collections.abc import Iterable
from typing import Any

from ..baselines.arena import MatchResult, play_match
from ..envs.core.game import Game


def evaluate(
    game: Game, policy: Any, against: Iterable[Any], num_deals: int, seed: int = 0
) -> list[MatchResult]:
    """Play one match against each player: `policy` in one seat, that player in all others.

    All matches use the same deals.
    """
    return [play_match(game, policy, other, num_deals, seed) for other in against]
