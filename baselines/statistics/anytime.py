"""Intervals that hold at every number of deals at once, however often one looks at them.

A gambler bets on each deal that the mean is above m, at odds that are fair where it is m. If m is
the true mean, her capital is a martingale, and by Ville's inequality the probability that it ever
reaches 1 / alpha is at most alpha. The interval contains every m against which neither she nor a
gambler who bets that the mean is below m has come so far (Waudby-Smith and Ramdas, "Estimating
means of bounded random variables by betting", 2023). Each divides her capital among bets of fixed
fractions of it; the capital then depends on the deals so far, and not on their order.
"""

import math

import numpy as np

from .estimates import LEVEL, Estimate

PROPORTION = (0.0, 1.0)
# Of the capital, put on each deal. The best fraction is about the distance from m to the mean over
# the variance; half and double are nearly as good, and every further fraction costs capital.
_FRACTIONS = 0.5 ** np.arange(1, 10)
_HALVINGS = 40
_ERROR = 1e-9  # of a value, by rounding


def anytime_mean(
    sums: np.ndarray,
    games: int = 1,
    bounds: tuple[float, float] = PROPORTION,
    alpha: float = 1 - LEVEL,
) -> Estimate:
    """Estimate the mean of a game's value from its `sums` [deals] over the `games` of each deal.

    The probability that the interval misses the mean at any number of deals is at most `alpha`,
    whatever decides when to stop. Raises ValueError for no deals and for values out of bounds.
    """
    low, high = bounds
    values, counts = np.unique((np.asarray(sums) / games - low) / (high - low), return_counts=True)
    if not len(values) or not -_ERROR <= values[0] <= values[-1] <= 1 + _ERROR:
        raise ValueError(f"there must be a deal, and values from {low} to {high}")
    values = values.clip(0, 1)
    mean = float(values @ counts) / len(sums)
    target = math.log(2 / alpha)  # of each of two gamblers
    return Estimate(
        mean,
        _lower_limit(values, counts, mean, target),
        1 - _lower_limit(1 - values, counts, 1 - mean, target),
    ).scaled(high - low, low)


def _lower_limit(values: np.ndarray, counts: np.ndarray, mean: float, target: float) -> float:
    """Return the least m that bets on a mean above it do not refute; their capital falls with m."""
    low, high = 0.0, mean
    for _ in range(_HALVINGS if mean > 0 else 0):
        middle = (low + high) / 2
        is_refuted = _together(_gains(values, middle) @ counts) >= target
        low, high = (middle, high) if is_refuted else (low, middle)
    return low


def log_capitals(values: np.ndarray, mean: float) -> np.ndarray:
    """Return the log of the capital, at first 1, after each of the values [deals], in 0 .. 1.

    The bets are that the mean is above `mean`, which is above 0.
    """
    return _together(np.cumsum(_gains(values, mean), axis=1))


def _gains(values: np.ndarray, mean: float) -> np.ndarray:
    """Return the logarithms of what a deal multiplies each part by: [fractions, values]."""
    return np.log1p(_FRACTIONS[:, None] * (values / mean - 1))


def _together(logarithms: np.ndarray) -> np.ndarray:
    return np.logaddexp.reduce(logarithms, axis=0) - math.log(len(_FRACTIONS))
