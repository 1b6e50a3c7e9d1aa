"""Estimates with their 95 % intervals; the deal is the unit, because its games are not independent.

Few deals give a poor estimate of the variance between deals. So all intervals use Student's
quantile, and those of bounded means add to this estimate 1/n of the variance of a deal of
independent games, for n deals: enough that no interval is degenerate, and soon negligible. In
simulations (docs/studies/intervals.md) the intervals contain the truth in about 95 % of cases
whether the games of a deal are alike, independent or opposed.
"""

import math
import re
from typing import Any, NamedTuple

import numpy as np
from scipy import special

LEVEL = 0.95
_NORMAL_QUANTILE = float(special.ndtri(0.5 + LEVEL / 2))
ELO_SCALE = 400 / math.log(10)  # Elo points of a factor e in strength
RETURNS = (-1.0, 1.0)  # the range of a game's returns
_MAX_DECIMALS = 6  # of a printed estimate
_SIGN_OF_ZERO = re.compile(r"^[-+](?=[0.]+$)")  # of what is rounded to zero
_SIGNED = re.compile(r"\+\.(\d)f")  # the format of a quantity whose zero is equal strength


class Estimate(NamedTuple):
    """A mean with its 95 % interval; an open side of the interval is infinite.

    `str` gives "+102 [+97, +107]", with as many decimals as the interval supports. A signed
    interval that excludes 0 has enough of them to show it.
    """

    mean: float  # in the unit of the field that holds it, as `low` and `high`
    low: float  # the lower end of the interval
    high: float  # the upper end

    def __str__(self) -> str:
        return f"{self:+.{_decimals(self)}f}"

    def __format__(self, spec: str) -> str:
        if not spec:
            return str(self)
        mean, low, high = (_SIGN_OF_ZERO.sub("", f"{value:{spec}}") for value in self)
        nearest = low if self.low > 0 else high if self.high < 0 else ""
        signed = _SIGNED.fullmatch(spec)
        if signed and nearest.strip("0.") == "" != nearest and int(signed[1]) < _MAX_DECIMALS:
            return f"{self:+.{int(signed[1]) + 1}f}"
        return f"{mean} [{low}, {high}]"

    def scaled(self, factor: float, shift: float = 0.0) -> "Estimate":
        """The estimate of factor * value + shift, for a positive factor."""
        return Estimate(*(factor * value + shift for value in self))


def _decimals(estimate: Estimate) -> int:
    """The fewest decimals whose unit is at most half of the interval's shorter finite side."""
    sides = (estimate.mean - estimate.low, estimate.high - estimate.mean)
    shortest = min((side for side in sides if 0 < side < math.inf), default=2.0)
    return min(max(-math.floor(math.log10(shortest / 2)), 0), _MAX_DECIMALS)


def quantile(num_deals: float | np.ndarray, num_intervals: int = 1) -> np.ndarray:
    """Student's two-sided 95 % quantile of one or, together, of several intervals (Bonferroni).

    See `degrees_of_freedom`.
    """
    tail = (1 - LEVEL) / 2 / num_intervals
    return special.stdtrit(degrees_of_freedom(num_deals), 1 - tail)


def degrees_of_freedom(num_deals: float | np.ndarray) -> np.ndarray:
    """Return the degrees of freedom of Student's t for a mean over `num_deals` deals.

    One less than the deals, and 1 / deals for the term that `variance_of_deals` adds. A single deal
    counts as two: its interval would be too wide to print otherwise.
    """
    counted = np.maximum(num_deals, 2.0)
    return counted - 1 + 1 / counted


def variance_of_deals(residuals: np.ndarray, independent: Any, num_deals: Any) -> Any:
    """Estimate the variance of a sum over deals, from each deal's residual [deals] or [deals, M].

    It is the unbiased estimate, n / (n - 1) times the sum of squares, plus `independent` / n**2,
    where `independent` is the variance that independent games would have. n is the effective
    number of deals: `num_deals`, or fewer where the kurtosis of the residuals is above normal.
    """
    squares = residuals**2
    between = squares.sum(axis=0)
    normal = 3 * between**2 / np.maximum((squares**2).sum(axis=0), np.finfo(float).tiny)
    telling = np.clip(normal, 1, np.maximum(num_deals, 1))
    return between * telling / np.maximum(telling - 1, 1) + independent / telling**2


def mean_of_deals(
    sums: np.ndarray,
    games: np.ndarray | int = 1,
    bounds: tuple[float, float] | None = None,
) -> Estimate:
    """Estimate the mean of a game's value from its `sums` [deals] over the `games` of each deal.

    With the `bounds` of the value the interval is Wilson's and stays within them. Without, it is
    Student's: infinite for a single deal, and of no width where all deals are equal.
    """
    num_games, num_deals = _counts(games, len(sums))
    mean = float(sums.sum()) / num_games
    residuals = sums - mean * games
    if bounds is None:
        return _unbounded(mean, residuals / num_games)
    low, high = bounds
    proportion = min(max((mean - low) / (high - low), 0.0), 1.0)
    residuals /= num_games * (high - low)
    return _from_proportion(proportion, residuals, num_games, num_deals).scaled(high - low, low)


def _counts(games: np.ndarray | int, num_deals: int) -> tuple[float, float]:
    """Return the number of games, and the effective number of deals, of `games` in each deal."""
    if np.ndim(games) == 0:  # as many in each
        return float(games * num_deals), float(num_deals)
    return float(np.sum(games)), float(effective_number(np.asarray(games)))


def proportion_of_deals(sums: np.ndarray, games: np.ndarray | int) -> Estimate:
    """Estimate a proportion from `sums` [deals] of values 0 .. 1 over the `games` of each deal."""
    return mean_of_deals(sums, games, (0.0, 1.0))


def _unbounded(mean: float, residuals: np.ndarray) -> Estimate:
    freedom = len(residuals) - 1
    if freedom < 1:
        return Estimate(mean, -math.inf, math.inf)
    variance = float((residuals**2).sum()) * len(residuals) / freedom
    reach = float(special.stdtrit(freedom, 0.5 + LEVEL / 2)) * math.sqrt(variance)
    return Estimate(mean, mean - reach, mean + reach)


def _from_proportion(
    proportion: float, residuals: np.ndarray, num_games: float, num_deals: float
) -> Estimate:
    """Return Wilson's interval for the number of independent games with the same variance.

    A proportion of 0 or 1 has no variance; then each deal counts as one game.
    """
    spread = proportion * (1 - proportion)
    if spread <= 0:
        return wilson(proportion, num_deals, float(quantile(num_deals)))
    variance = variance_of_deals(residuals, spread / num_games, num_deals)
    return wilson(proportion, spread / float(variance), float(quantile(num_deals)))


def effective_number(weights: np.ndarray) -> np.ndarray:
    """The number of equal weights that vary as much as these (Kish 1965), along the first axis."""
    return weights.sum(axis=0) ** 2 / (weights**2).sum(axis=0)


def wilson(proportion: float, games: float, quantile: float = _NORMAL_QUANTILE) -> Estimate:
    """Return Wilson's score interval (1927) of a proportion in `games` independent games."""
    z2 = quantile * quantile / games
    centre = (proportion + z2 / 2) / (1 + z2)
    reach = (
        quantile / (1 + z2) * math.sqrt(proportion * (1 - proportion) / games + z2 / (4 * games))
    )
    # In exact arithmetic the interval contains the proportion and stays within 0 .. 1.
    return Estimate(
        proportion,
        max(0.0, min(proportion, centre - reach)),
        min(1.0, max(proportion, centre + reach)),
    )


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
