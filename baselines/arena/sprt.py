"""Stopping early: Wald's sequential probability ratio test on one score a deal.

The generalised form: each hypothesis takes the distribution of scores that fits the deals best
among those with its mean (Van den Bergh, "A practical introduction to the GSPRT", as engine testers
use it), so that deals may score anything between 0 and 1.
"""

import dataclasses
import math

import numpy as np

from .statistics import score_of_elo

STRONGER = "stronger"  # the difference of elo1 is accepted
NOT_STRONGER = "not stronger"  # that of elo0 is
UNDECIDED = "undecided"
# Seen before the first deal, at scores 0 and 1: else the first few deals would rule out all others.
_PRIOR_DEALS = 1.0
_BISECTIONS = 50


@dataclasses.dataclass(frozen=True)
class Sprt:
    """A test of two Elo differences, and how often either may be taken for the other."""

    elo0: float  # no better than this
    elo1: float  # at least as good as this
    alpha: float = 0.05  # chance to accept elo1 where elo0 is the truth
    beta: float = 0.05  # chance to accept elo0 where elo1 is the truth

    def __post_init__(self) -> None:
        if not -math.inf < self.elo0 < self.elo1 < math.inf:
            raise ValueError(f"elo0 must be below elo1; got {self.elo0} and {self.elo1}")
        for name, chance in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < chance < 0.5:
                raise ValueError(f"{name} must be a chance between 0 and 0.5; got {chance}")

    @property
    def bounds(self) -> tuple[float, float]:
        """Wald's bounds of the log likelihood ratio: elo0 is accepted below, elo1 above."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)


@dataclasses.dataclass(frozen=True)
class Verdict:
    """Where a test came out."""

    decision: str
    num_deals: int  # it took so many
    log_likelihood_ratio: float
    bounds: tuple[float, float]

    def __str__(self) -> str:
        low, high = self.bounds
        ratio = f"{self.log_likelihood_ratio:+.2f} between {low:.2f} and {high:.2f}"
        return f"sequential test: {self.decision} after {self.num_deals:,} deals ({ratio})"


def judge(scores: np.ndarray, sprt: Sprt, num_judged: int = 0) -> Verdict:
    """The verdict at the first deal that allows one, of scores [deals] in 0 .. 1.

    The first `num_judged` deals are known to allow none.
    """
    ratios = log_likelihood_ratios(scores, sprt, num_judged)
    low, high = sprt.bounds
    crossed = np.flatnonzero((ratios <= low) | (ratios >= high))
    if not len(crossed):
        return Verdict(UNDECIDED, len(scores), float(ratios[-1]), sprt.bounds)
    num_deals = num_judged + int(crossed[0]) + 1
    decision = STRONGER if ratios[crossed[0]] >= high else NOT_STRONGER
    # Once more from these deals alone: scores of later ones would show in the last digit.
    ratio = float(log_likelihood_ratios(scores[:num_deals], sprt, num_deals - 1)[0])
    return Verdict(decision, num_deals, ratio, sprt.bounds)


def log_likelihood_ratios(scores: np.ndarray, sprt: Sprt, skip: int = 0) -> np.ndarray:
    """Of elo1 over elo0 after each deal from number `skip` on: [deals - skip]."""
    values, which = np.unique(np.concatenate([[0.0, 1.0], scores]), return_inverse=True)
    seen = np.zeros((len(scores) - skip, len(values)))
    seen[np.arange(len(seen)), which[2 + skip :]] = 1
    before = np.bincount(which[2 : 2 + skip], minlength=len(values)).astype(float)
    before[[0, -1]] += _PRIOR_DEALS / 2
    counts = before + seen.cumsum(axis=0)
    fits = [_best_fit(counts, values, score_of_elo(elo)) for elo in (sprt.elo0, sprt.elo1)]
    return fits[1] - fits[0]


def _best_fit(counts: np.ndarray, values: np.ndarray, mean: float) -> np.ndarray:
    """The greatest log likelihood of each row of counts [rows, values] with this mean, + constant.

    By Owen's empirical likelihood: p = counts / (1 + x (values - mean)), with the one x that
    makes the mean right.
    """
    away = values - mean
    low = np.full(len(counts), -1 / away[-1])
    high = np.full(len(counts), -1 / away[0])
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        is_below = (counts * away / (1 + middle[:, None] * away)).sum(axis=1) > 0
        low, high = np.where(is_below, middle, low), np.where(is_below, high, middle)
    return -(counts * np.log1p(low[:, None] * away)).sum(axis=1)
