"""Wald's sequential probability ratio test, for comparison: it needs to name the true difference.

This is the generalised form on one score for each deal: under each hypothesis the scores have the
distribution that fits the deals best among those with its mean (Van den Bergh, "A practical
introduction to the GSPRT", as testers of chess engines use it).
"""

import math

import numpy as np

from parlour.baselines.statistics.estimates import score_of_elo

ERROR = 0.05  # of either kind
_BISECTIONS = 50


def sprt_deals(scores: np.ndarray, elo0: float, elo1: float) -> int:
    """Return how many deals the test between two Elo differences takes; all where undecided."""
    bound = math.log((1 - ERROR) / ERROR)
    crossed = np.flatnonzero(np.abs(log_likelihood_ratios(scores, elo0, elo1)) >= bound)
    return int(crossed[0]) + 1 if len(crossed) else len(scores)


def log_likelihood_ratios(scores: np.ndarray, elo0: float, elo1: float) -> np.ndarray:
    """Return the log likelihood ratio of elo1 to elo0 after each deal, from scores 0 .. 1.

    Half a deal lost and half a deal won before the first give weight to results not seen yet.
    """
    values, which = np.unique(np.concatenate([[0.0, 1.0], scores]), return_inverse=True)
    counts = np.eye(len(values))[which[2:]].cumsum(axis=0)
    counts[:, [0, -1]] += 0.5
    fits = [_best_fit(counts, values, score_of_elo(elo)) for elo in (elo0, elo1)]
    return fits[1] - fits[0]


def _best_fit(counts: np.ndarray, values: np.ndarray, mean: float) -> np.ndarray:
    """Return the greatest log likelihood of each row of counts [rows, values] under this mean.

    A constant is left out. By Owen's empirical likelihood the best probabilities are proportional
    to counts / (1 + x (values - mean)), where x is the one that gives the mean.
    """
    away = values - mean
    low = np.full(len(counts), -1 / away[-1])
    high = np.full(len(counts), -1 / away[0])
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        is_below = (counts * away / (1 + middle[:, None] * away)).sum(axis=1) > 0
        low, high = np.where(is_below, middle, low), np.where(is_below, high, middle)
    return -(counts * np.log1p(low[:, None] * away)).sum(axis=1)
