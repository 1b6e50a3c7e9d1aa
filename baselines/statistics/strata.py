"""The estimate of a mean from a stratified sample of a random pool (two-phase sampling).

The pool is a random sample of all games. It is sorted by a prediction that costs little and cut
into strata; each stratum gives the same part of its games, drawn at random. So the plain mean is
unbiased for all games, whatever the prediction. For n games its variance is W / n + B / pool:
W is the variance within strata, and B that of their means, which the pool knows only as well as a
sample of its size does (Cochran, Sampling Techniques, 1977, chapter 12).
"""

import math
from collections.abc import Sequence

import numpy as np

from .estimates import Estimate, quantile, variance_of_deals, wilson


def mean_of_strata(
    sums: np.ndarray,
    games: int,
    bounds: tuple[float, float],
    strata: Sequence[int] | np.ndarray,
    pool: int,
) -> Estimate:
    """Estimate the mean of a game's value from its `sums` [deals] over the `games` of each deal.

    `strata` [deals], each of at least two deals, are parts of a pool of `pool` deals. The interval
    is Wilson's, as in `mean_of_deals`, with the degrees of freedom that the strata leave.
    """
    low, high = bounds
    values, stratum = (sums / games - low) / (high - low), np.asarray(strata)
    sizes, mean, num_deals = np.bincount(stratum), float(values.mean()), len(values)
    means = np.bincount(stratum, values) / sizes
    within = (values - means[stratum]) * np.sqrt(sizes / (sizes - 1))[stratum]
    between = (means[stratum] - mean) * math.sqrt(num_deals / pool)
    freedom = num_deals - len(sizes) + 1.0  # as a number of deals
    spread = mean * (1 - mean) / num_deals
    if spread <= 0:
        return wilson(mean, freedom, float(quantile(freedom))).scaled(high - low, low)
    variance = variance_of_deals(np.hypot(within, between) / num_deals, spread, freedom)
    independent = mean * (1 - mean) / float(variance)
    return wilson(mean, independent, float(quantile(freedom))).scaled(high - low, low)
