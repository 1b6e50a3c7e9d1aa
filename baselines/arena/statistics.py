"""Estimates with their uncertainty.

Games of one deal are not independent: together they are one observation.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy import special

LEVEL = 0.95
_Z = float(special.ndtri(0.5 + LEVEL / 2))
ELO_SCALE = 400 / math.log(10)  # Elo points of a factor e in strength


class Estimate(NamedTuple):
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float

    def __format__(self, spec: str) -> str:
        spec = spec or ".3f"
        return f"{self.mean:{spec}} [{self.low:{spec}}, {self.high:{spec}}]"


def mean_of_deals(sums: np.ndarray, games: np.ndarray | int = 1) -> Estimate:
    """The mean of a value, with Student's interval; infinite for fewer than two deals.

    `sums` [deals] is its sum over the games of each deal, `games` how many these are.
    """
    mean, error = _mean_and_error(sums, games)
    if len(sums) < 2:
        return Estimate(mean, -math.inf, math.inf)
    reach = float(special.stdtrit(len(sums) - 1, 0.5 + LEVEL / 2)) * error
    return Estimate(mean, mean - reach, mean + reach)


def share_of_deals(sums: np.ndarray, games: np.ndarray | int) -> Estimate:
    """A share with Wilson's interval; `sums` [deals] over `games`, of values 0 .. 1.

    The number of games is corrected to the number of independent ones that would have the same
    variance, to which one deal of independent games is added: few deals, or few that differ, must
    not pass for certainty. A share of none or all has no variance, and each deal counts as a game.
    """
    share, error = _mean_and_error(sums, games)
    spread = share * (1 - share)
    num_games = float(np.broadcast_to(games, sums.shape).sum())
    if len(sums) < 2 or spread <= 0:
        return wilson(share, float(len(sums)))
    return wilson(share, spread / (error**2 + spread / (num_games * len(sums))))


def _mean_and_error(sums: np.ndarray, games: np.ndarray | int) -> tuple[float, float]:
    """The mean over all games, and its standard error with the deal as the unit."""
    games = np.broadcast_to(games, sums.shape)
    num_games = float(games.sum())
    mean = float(sums.sum()) / num_games
    if len(sums) < 2:
        return mean, 0.0
    residuals = sums - mean * games
    variance = float((residuals**2).sum()) * len(sums) / (len(sums) - 1)
    return mean, math.sqrt(variance) / num_games


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
    return math.inf if score >= 1 else ELO_SCALE * math.log(score / (1 - score))


def score_of_elo(elo: float) -> float:
    """The mean score (0 .. 1) that is expected at an Elo difference."""
    return float(special.expit(elo / ELO_SCALE))
