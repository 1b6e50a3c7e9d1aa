"""Intervals of the arena hold the true value as often as they say, games of a deal being alike."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from parlour.baselines.statistics.estimates import (
    LEVEL,
    Estimate,
    degrees_of_freedom,
    effective_number,
    elo_of_score,
    mean_of_deals,
    proportion_of_deals,
    score_of_elo,
    wilson,
)

TRIALS = 2000
DEALS = 100
SEATS = 4
SLACK = 4 * math.sqrt(LEVEL * (1 - LEVEL) / TRIALS)  # four standard errors of a coverage


def coverage(truth: float, estimate: Callable[[np.random.Generator], Estimate], seed: int) -> float:
    """How often an interval holds the true value."""
    rng = np.random.default_rng(seed)
    intervals = [estimate(rng) for _ in range(TRIALS)]
    return sum(one.low <= truth <= one.high for one in intervals) / TRIALS


@pytest.mark.parametrize("likeness", [0.0, 0.3, 0.8])
def test_a_share_is_covered_however_alike_the_games_of_a_deal_are(likeness: float) -> None:
    """Each deal has a chance of its own to be won."""
    spread = (1 - likeness) / max(likeness, 1e-9)

    def estimate(rng: np.random.Generator) -> Estimate:
        alike = np.full(DEALS, 0.3)
        chances = rng.beta(0.3 * spread, 0.7 * spread, DEALS) if likeness else alike
        wins = rng.random((DEALS, SEATS)) < chances[:, None]
        return proportion_of_deals(wins.sum(axis=1), SEATS)

    assert abs(coverage(0.3, estimate, 1) - LEVEL) < SLACK + 0.01


@pytest.mark.parametrize("deals", [2, 3, 5, 30])
@pytest.mark.parametrize("likeness", [0.0, 0.9])
def test_a_mean_return_is_covered_for_few_deals(deals: int, likeness: float) -> None:
    """Returns 1 and -1 with as many games a deal as seats. Student's interval has no width where
    all deals are alike, and covers about 80 % of two deals."""

    def estimate(rng: np.random.Generator) -> Estimate:
        luck = np.sqrt(likeness) * rng.standard_normal((deals, 1))
        own = np.sqrt(1 - likeness) * rng.standard_normal((deals, SEATS))
        returns = np.sign(0.2533 + luck + own)  # positive with chance 0.6
        interval = mean_of_deals(returns.sum(axis=1), SEATS, (-1, 1))
        assert -1 <= interval.low < interval.high <= 1
        return interval

    assert coverage(0.2, estimate, 8) > 0.93


@pytest.mark.parametrize("deals", [5, 30, 200])
def test_a_mean_is_covered_for_few_deals_and_for_many(deals: int) -> None:
    covered = coverage(0.2, lambda rng: mean_of_deals(rng.normal(0.2, 0.7, deals)), 3)
    assert abs(covered - LEVEL) < SLACK


@pytest.mark.parametrize("deals", [1, 2, 50])
@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_share_of_none_or_all_has_an_interval_within_nought_and_one(
    deals: int, share: float
) -> None:
    estimate = proportion_of_deals(np.full(deals, share * SEATS), SEATS)
    assert estimate.mean == share
    assert 0 <= estimate.low <= share <= estimate.high <= 1
    assert estimate.high - estimate.low > 0.5 / deals


def test_deals_that_are_all_alike_pass_for_independent_games() -> None:
    alike = proportion_of_deals(np.full(5000, 0.25 * SEATS), SEATS)
    assert tuple(alike) == pytest.approx(wilson(0.25, 5000 * SEATS), abs=1e-5)


def test_a_share_is_covered_where_the_games_of_a_deal_exclude_each_other() -> None:
    """Duplicate deals: mostly won with one hand and lost with the other. Independent games would
    have an interval twice as wide."""
    chances = [0.08, 0.82, 0.1]
    covered = coverage(
        0.51, lambda rng: proportion_of_deals(rng.choice(3, p=chances, size=DEALS), 2), seed=6
    )
    assert abs(covered - LEVEL) < SLACK + 0.01


def test_a_single_deal_says_nothing_about_its_mean() -> None:
    assert mean_of_deals(np.array([0.5])) == (0.5, -math.inf, math.inf)


def test_wilson_agrees_with_a_value_worked_by_hand() -> None:
    estimate = wilson(0.5, 100)  # z = 1.96: 0.5 -+ 0.0962
    assert estimate.low == pytest.approx(0.4038, abs=1e-4)
    assert estimate.high == pytest.approx(0.5962, abs=1e-4)


def test_elo_is_nought_at_a_half_and_four_hundred_at_ten_to_one() -> None:
    elo = elo_of_score(Estimate(0.5, 1 / 11, 10 / 11))
    assert elo == pytest.approx((0, -400, 400))
    assert elo_of_score(Estimate(1.0, 0.0, 1.0)) == (math.inf, -math.inf, math.inf)


@pytest.mark.parametrize(
    ("estimate", "text"),
    [
        (Estimate(101.8595, 96.81, 106.93), "+102 [+97, +107]"),
        (Estimate(-3.21, -15.4, 8.8), "-3 [-15, +9]"),
        (Estimate(0.30321, 0.30134, 0.30505), "+0.3032 [+0.3013, +0.3050]"),
        (Estimate(0.5, 0.25, 0.75), "+0.5 [+0.2, +0.8]"),
        (Estimate(1554.2, 1203.4, math.inf), "+1554 [+1203, +inf]"),
        (Estimate(0.5, -math.inf, math.inf), "0 [-inf, +inf]"),
        (Estimate(2.0, 2.0, 2.0), "+2 [+2, +2]"),
    ],
)
def test_an_estimate_prints_as_many_digits_as_its_interval_supports(
    estimate: Estimate, text: str
) -> None:
    assert str(estimate) == f"{estimate}" == text


def test_what_is_rounded_to_zero_has_no_sign() -> None:
    assert f"{Estimate(0.2, -3.4, 0.4):+.0f}" == "0 [-3, 0]"
    assert f"{Estimate(-0.01, -0.04, 12.0):+.1f}" == "0.0 [0.0, +12.0]"


def test_an_interval_that_excludes_zero_shows_it() -> None:
    assert f"{Estimate(-28.0, -54.0, -0.04):+.0f}" == "-28.00 [-54.00, -0.04]"
    assert f"{Estimate(5.61, 0.2, 11.0):+.0f}" == "+5.6 [+0.2, +11.0]"
    assert f"{Estimate(0.3, 0.01, 0.6):.1f}" == "0.3 [0.0, 0.6]"  # no sign: a proportion
    assert f"{Estimate(3.0, 1e-9, 6.0):+.0f}" == "+3.000000 [0.000000, +6.000000]"


def test_a_ratio_counts_each_deal_by_its_games() -> None:
    """Deals of one and of three games: the mean over games, not the mean of the deals' means."""
    sums, games = np.array([1.0, 0.0, 1.0, 3.0]), np.array([1, 3, 1, 3])
    assert mean_of_deals(sums, games).mean == pytest.approx(5 / 8)
    assert proportion_of_deals(sums, games).mean == pytest.approx(5 / 8)


def test_a_ratio_is_covered_where_deals_differ_in_games() -> None:
    def estimate(rng: np.random.Generator) -> Estimate:
        games = rng.integers(1, 5, DEALS)
        return proportion_of_deals(rng.binomial(games, rng.beta(3, 7, DEALS)), games)

    assert abs(coverage(0.3, estimate, 5) - LEVEL) < SLACK + 0.01


def test_scores_and_elo_are_inverse() -> None:
    assert elo_of_score(Estimate(score_of_elo(37), 0.5, 0.5)).mean == pytest.approx(37)


def test_degrees_of_freedom_are_those_of_the_deals_and_of_what_was_added() -> None:
    assert degrees_of_freedom(np.array([1, 2, 4])).tolist() == [1.5, 1.5, 3.25]


def test_unequal_weights_count_as_fewer_equal_ones() -> None:
    """Kish's number, by hand: 1, 1 and 2 count as 16 / 6 equal weights."""
    assert effective_number(np.array([1.0, 1.0, 2.0])) == pytest.approx(16 / 6)
    assert effective_number(np.full((5, 2), 3.0)).tolist() == [5, 5]
