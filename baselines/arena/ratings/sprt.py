"""Stop a match early by Wald's sequential probability ratio test on one score for each deal.

This is the generalised form, in which a deal may score anything between 0 and 1: under each
hypothesis the scores have the distribution that fits the deals best among those with its mean
(Van den Bergh, "A practical introduction to the GSPRT", as testers of chess engines use it).
"""

import dataclasses
import math

import numpy as np

from ...statistics.estimates import score_of_elo

STRONGER = "stronger"  # elo1 is accepted
NOT_STRONGER = "not stronger"  # elo0 is accepted
UNDECIDED = "undecided"
# Counted at scores 0 and 1 before the first deal. Without them a distribution that fits the first
# few deals best would give no weight to scores that were not seen yet.
_PRIOR_DEALS = 1.0
_BISECTIONS = 50


@dataclasses.dataclass(frozen=True)
class Sprt:
    """A test between two Elo differences, with the allowed probabilities of its two errors."""

    elo0: float  # the hypothesis "not stronger"
    elo1: float  # the hypothesis "stronger"
    alpha: float = 0.05  # chance of accepting elo1 when elo0 is true
    beta: float = 0.05  # chance of accepting elo0 when elo1 is true

    def __post_init__(self) -> None:
        if not -math.inf < self.elo0 < self.elo1 < math.inf:
            raise ValueError(f"elo0 must be below elo1; got {self.elo0} and {self.elo1}")
        for name, chance in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < chance < 0.5:
                raise ValueError(f"{name} must be a chance between 0 and 0.5; got {chance}")

    @property
    def bounds(self) -> tuple[float, float]:
        """Return Wald's bounds of the log likelihood ratio: accept elo0 below, elo1 above."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The outcome of a test."""

    decision: str  # STRONGER, NOT_STRONGER or UNDECIDED
    num_deals: int  # that the decision took
    log_likelihood_ratio: float
    bounds: tuple[float, float]

    def __str__(self) -> str:
        low, high = self.bounds
        ratio = f"{self.log_likelihood_ratio:+.2f} between {low:.2f} and {high:.2f}"
        return f"sequential test: {self.decision} after {self.num_deals:,} deals ({ratio})"


def sprt_verdict(scores: np.ndarray, sprt: Sprt, num_judged: int = 0) -> Verdict:
    """Return the verdict at the first deal that allows one, from scores [deals] in 0 .. 1.

    The first `num_judged` deals were judged before, without a decision.
    """
    ratios = log_likelihood_ratios(scores, sprt, num_judged)
    low, high = sprt.bounds
    crossed = np.flatnonzero((ratios <= low) | (ratios >= high))
    if not len(crossed):
        return Verdict(UNDECIDED, len(scores), float(ratios[-1]), sprt.bounds)
    num_deals = num_judged + int(crossed[0]) + 1
    decision = STRONGER if ratios[crossed[0]] >= high else NOT_STRONGER
    # Computed again from these deals alone: the scores of later ones would change the last digit.
    ratio = float(log_likelihood_ratios(scores[:num_deals], sprt, num_deals - 1)[0])
    return Verdict(decision, num_deals, ratio, sprt.bounds)


def log_likelihood_ratios(scores: np.ndarray, sprt: Sprt, skip: int = 0) -> np.ndarray:
    """Return the log likelihood ratio of elo1 to elo0 after each deal from number `skip` on."""
    values, which = np.unique(np.concatenate([[0.0, 1.0], scores]), return_inverse=True)
    seen = np.zeros((len(scores) - skip, len(values)))
    seen[np.arange(len(seen)), which[2 + skip :]] = 1
    before = np.bincount(which[2 : 2 + skip], minlength=len(values)).astype(float)
    before[[0, -1]] += _PRIOR_DEALS / 2
    counts = before + seen.cumsum(axis=0)
    fits = [_best_fit(counts, values, score_of_elo(elo)) for elo in (sprt.elo0, sprt.elo1)]
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
