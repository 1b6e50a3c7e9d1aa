"""Intervals of the arena hold the true value as often as they say, games of a deal being alike."""

import math

import numpy as np
import pytest

from parlour.baselines.arena.statistics import (
    LEVEL,
    Estimate,
    elo_of_score,
    mean_of_deals,
    score_of_elo,
    share_of_deals,
    wilson,
)

TRIALS = 2000
DEALS = 100
SEATS = 4
SLACK = 4 * math.sqrt(LEVEL * (1 - LEVEL) / TRIALS)  # four standard errors of a coverage


def holds(estimate: Estimate, truth: float) -> bool:
    """Whether an interval holds the true value."""
    return estimate.low <= truth <= estimate.high


def clustered_wins(rng: np.random.Generator, likeness: float) -> tuple[np.ndarray, float]:
    """Wins [deals, seats] where each deal has a chance of its own; and the true share."""
    share = 0.3
    spread = (1 - likeness) / max(likeness, 1e-9)
    chances = (
        np.full(DEALS, share)
        if likeness == 0
        else rng.beta(share * spread, (1 - share) * spread, DEALS)
    )
    return rng.random((DEALS, SEATS)) < chances[:, None], share


@pytest.mark.parametrize("likeness", [0.0, 0.3, 0.8])
def test_a_share_is_covered_however_alike_the_games_of_a_deal_are(likeness: float) -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(TRIALS):
        wins, share = clustered_wins(rng, likeness)
        covered += holds(share_of_deals(wins.sum(axis=1), SEATS), share)
    assert abs(covered / TRIALS - LEVEL) < SLACK + 0.01


def test_taking_the_games_of_a_deal_for_independent_would_not_cover() -> None:
    rng = np.random.default_rng(2)
    covered = 0
    for _ in range(TRIALS):
        wins, share = clustered_wins(rng, 0.8)
        covered += holds(wilson(float(wins.mean()), wins.size), share)
    assert covered / TRIALS < 0.8


@pytest.mark.parametrize("deals", [5, 30, 200])
def test_a_mean_is_covered_for_few_deals_and_for_many(deals: int) -> None:
    rng = np.random.default_rng(3)
    covered = sum(holds(mean_of_deals(rng.normal(0.2, 0.7, deals)), 0.2) for _ in range(TRIALS))
    assert abs(covered / TRIALS - LEVEL) < SLACK


def test_duplicate_deals_narrow_the_interval() -> None:
    rng = np.random.default_rng(4)
    luck = rng.normal(0, 1, DEALS)
    paired = np.stack([luck, -luck], axis=1).mean(axis=1) + rng.normal(0.1, 0.05, DEALS)
    unpaired = luck + rng.normal(0.1, 0.05, DEALS)
    narrow, wide = mean_of_deals(paired), mean_of_deals(unpaired)
    assert narrow.high - narrow.low < (wide.high - wide.low) / 10


@pytest.mark.parametrize("deals", [1, 2, 50])
@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_share_of_none_or_all_has_an_interval_within_nought_and_one(
    deals: int, share: float
) -> None:
    estimate = share_of_deals(np.full(deals, share * SEATS), SEATS)
    assert estimate.mean == share
    assert 0 <= estimate.low <= share <= estimate.high <= 1
    assert estimate.high - estimate.low > 0.5 / deals


def test_deals_that_are_all_alike_have_the_variance_of_one_deal_that_is_not() -> None:
    alike = share_of_deals(np.full(50, 0.25 * SEATS), SEATS)
    assert alike == pytest.approx(wilson(0.25, 50 * 50 * SEATS))


def test_a_share_is_covered_where_the_games_of_a_deal_exclude_each_other() -> None:
    """Duplicate deals: mostly won with one hand and lost with the other. Independent games would
    have an interval twice as wide."""
    rng = np.random.default_rng(6)
    covered = 0
    for _ in range(TRIALS):
        wins = rng.choice(3, p=[0.08, 0.82, 0.1], size=DEALS)
        covered += holds(share_of_deals(wins, 2), 0.51)
    assert abs(covered / TRIALS - LEVEL) < SLACK + 0.01


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


def test_an_estimate_prints_with_its_interval() -> None:
    assert f"{Estimate(0.5, 0.25, 0.75):.2f}" == "0.50 [0.25, 0.75]"
    assert f"{Estimate(0.5, 0.25, 0.75)}" == "0.500 [0.250, 0.750]"


def test_a_ratio_counts_each_deal_by_its_games() -> None:
    """Deals of one and of three games: the mean over games, not the mean of the deals' means."""
    sums, games = np.array([1.0, 0.0, 1.0, 3.0]), np.array([1, 3, 1, 3])
    assert mean_of_deals(sums, games).mean == pytest.approx(5 / 8)
    assert share_of_deals(sums, games).mean == pytest.approx(5 / 8)


def test_a_ratio_is_covered_where_deals_differ_in_games() -> None:
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(TRIALS):
        games = rng.integers(1, 5, DEALS)
        chances = rng.beta(3, 7, DEALS)
        covered += holds(share_of_deals(rng.binomial(games, chances), games), 0.3)
    assert abs(covered / TRIALS - LEVEL) < SLACK + 0.01


def test_scores_and_elo_are_inverse() -> None:
    assert elo_of_score(Estimate(score_of_elo(37), 0.5, 0.5)).mean == pytest.approx(37)
