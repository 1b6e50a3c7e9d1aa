"""Estimates with their uncertainty.

Games of one deal are not independent: together they are one observation.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy import special

LEVEL = 0.95
_Z = float(special.ndtri(0.5 + LEVEL / 2))
_ELO_SCALE = 400 / math.log(10)


class Estimate(NamedTuple):
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float

    def __format__(self, spec: str) -> str:
        spec = spec or ".3f"
        return f"{self.mean:{spec}} [{self.low:{spec}}, {self.high:{spec}}]"


def mean_of_deals(per_deal: np.ndarray) -> Estimate:
    """The mean of one value a deal, with Student's interval; infinite for fewer than two."""
    mean = float(per_deal.mean())
    if len(per_deal) < 2:
        return Estimate(mean, -math.inf, math.inf)
    error = float(per_deal.std(ddof=1)) / math.sqrt(len(per_deal))
    reach = float(special.stdtrit(len(per_deal) - 1, 0.5 + LEVEL / 2)) * error
    return Estimate(mean, mean - reach, mean + reach)


def share_of_deals(per_deal: np.ndarray, games_per_deal: int) -> Estimate:
    """A share (values 0 .. 1, one mean a deal) with Wilson's interval.

    The number of games is corrected to the number of independent ones that would have the same
    variance. Where the deals show no variance at all, each deal counts as one game.
    """
    share = float(per_deal.mean())
    variance = float(per_deal.var(ddof=1)) / len(per_deal) if len(per_deal) > 1 else 0.0
    spread = share * (1 - share)
    games = spread / variance if variance > 0 and spread > 0 else float(len(per_deal))
    games = min(games, float(len(per_deal) * games_per_deal))
    return wilson(share, games)


def wilson(share: float, games: float) -> Estimate:
    """Wilson's score interval (1927) of a share seen in `games` independent games."""
    z2 = _Z * _Z / games
    centre = (share + z2 / 2) / (1 + z2)
    reach = _Z / (1 + z2) * math.sqrt(share * (1 - share) / games + z2 / (4 * games))
    return Estimate(share, max(0.0, centre - reach), min(1.0, centre + reach))


def elo_of_score(score: Estimate) -> Estimate:
    """The Elo difference at which this mean score (0 .. 1) is expected."""
    return Estimate(*(_elo(value) for value in score))


def _elo(score: float) -> float:
    if score <= 0:
        return -math.inf
    return math.inf if score >= 1 else _ELO_SCALE * math.log(score / (1 - score))
