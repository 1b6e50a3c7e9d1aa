"""End a match as soon as its result is decided, or as precise as one wants.

The Elo interval holds at any time (see `statistics.anytime`), so optional stopping makes wrong
decisions no more frequent.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...statistics.anytime import anytime_mean
from ...statistics.estimates import LEVEL, Estimate, elo_of_score

STRONGER = "stronger"  # the whole interval is above 0
WEAKER = "weaker"
PRECISE = "equal within the width"  # the interval is as narrow as wanted
UNDECIDED = "undecided"
# Looks after every deal up to so many, then each 1 % later: a fixed list, so that a match ends at
# the same deal however its games are divided among processes.
_EVERY_DEAL, _APART = 100, 1.01


@dataclass(frozen=True)
class Verdict:
    """Why a match ended."""

    decision: str  # STRONGER, WEAKER, PRECISE or UNDECIDED: all deals are played
    num_deals: int  # that were played until then
    elo: Estimate  # Elo points of the first player above the second; valid at any time

    def __str__(self) -> str:
        return f"{self.decision} after {self.num_deals:,} deals, Elo {self.elo:+.0f}"


def check_until(elo: float, num_players: Sequence[int]) -> None:
    """Raise ValueError for an impossible width in Elo, and for matches of more than two."""
    if not 0 < elo < math.inf:
        raise ValueError(f"until must be a number of Elo points above 0; got {elo}")
    if set(num_players) != {2}:
        raise ValueError(
            "until needs matches of two players, as in a round_robin or a gauntlet; "
            f"here are tables of {max(num_players)} different players"
        )


def verdict_of(
    scores: np.ndarray, elo: float, alpha: float = 1 - LEVEL, first_look: int = 1
) -> Verdict:
    """Return the verdict at the first look that ends the match, from scores [deals] in 0 .. 1.

    `elo` is the width wanted on either side, `alpha` the probability of a wrong verdict. Earlier
    looks than `first_look` ended nothing.
    """
    for num_deals in _looks(first_look, len(scores)):
        decision, estimate = _decision(scores[:num_deals], elo, alpha)
        if decision != UNDECIDED:
            return Verdict(decision, num_deals, estimate)
    return Verdict(UNDECIDED, len(scores), _decision(scores, elo, alpha)[1])


def _decision(scores: np.ndarray, elo: float, alpha: float) -> tuple[str, Estimate]:
    estimate = elo_of_score(anytime_mean(scores, alpha=alpha))
    if estimate.low > 0:
        return STRONGER, estimate
    if estimate.high < 0:
        return WEAKER, estimate
    return PRECISE if estimate.high - estimate.low <= 2 * elo else UNDECIDED, estimate


def _looks(first: int, last: int) -> Iterator[int]:
    """Yield the numbers of deals in first .. last at which a match is looked at."""
    num_deals = 1
    while num_deals <= last:
        if num_deals >= first:
            yield num_deals
        step = 1 if num_deals < _EVERY_DEAL else math.ceil(num_deals * (_APART - 1))
        num_deals += step
