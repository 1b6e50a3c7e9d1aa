"""Measure the strength of a policy by duplicate matches against a list of players."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from ..baselines.arena import MatchResult, play_match
from ..envs.core.game import Game


def evaluate(
    game: Game,
    policy: Any,
    against: Iterable[Any],
    num_deals: int,
    seed: int = 0,
    on_progress: Callable[[Any, int], None] | None = None,
) -> list[MatchResult]:
    """Play one match against each player: `policy` in one seat, that player in all others.

    All matches use the same deals. `on_progress` is called with the player that it is measured
    against and the number of games played.
    """
    return [
        play_match(
            game, policy, other, num_deals, seed, on_progress and partial(on_progress, other)
        )
        for other in against
    ]
