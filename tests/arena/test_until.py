"""Matches that end by their interval, and intervals that are valid at any time."""

import math

import numpy as np
import pytest

from docs.studies.anytime import wrong_tournaments
from docs.studies.simulation import paired_scores
from parlour.baselines.arena import Plan, play_duplicate, play_match, play_tournament
from parlour.baselines.arena.ratings.until import (
    PRECISE,
    STRONGER,
    UNDECIDED,
    WEAKER,
    verdict_of,
)
from parlour.baselines.arena.results.export import sections
from parlour.baselines.statistics.anytime import anytime_mean, log_capitals
from parlour.baselines.statistics.estimates import RETURNS, mean_of_deals, score_of_elo
from parlour.baselines.statistics.result_words import ANYTIME, FIXED
from parlour.envs import load_game

GAME = load_game("trick_taking")
SCORES = paired_scores(np.random.default_rng(3), score_of_elo(30), 6000)


def test_the_interval_contains_exactly_the_means_that_bets_do_not_refute() -> None:
    """The bets are written out here deal by deal, for every mean of a grid."""
    scores = SCORES[:40]
    low, high = anytime_mean(scores)[1:]
    for mean in np.linspace(0.01, 0.99, 99):
        capitals = []
        for own, fair in ((scores, mean), (1 - scores, 1 - mean)):
            capital = 0.0
            for power in range(1, 10):
                part = 1 / 9
                for score in own:
                    part *= 1 + 0.5**power * (score - fair) / fair
                capital += part
            capitals.append(capital)
        assert (low < mean < high) == (max(capitals) < 2 / 0.05)
    assert 0 < low < scores.mean() < high < 1


def test_no_capital_grows_on_average_where_the_mean_is_true() -> None:
    """By Ville's inequality that is why intervals hold; with fair odds for 0.4 it would grow."""
    rng = np.random.default_rng(1)
    values, chances = np.array([0.0, 0.5, 1.0]), np.array([0.3, 0.4, 0.3])
    for mean, is_fair in ((values @ chances, True), (0.4, False)):
        expected = sum(
            chances[a] * chances[b] * math.exp(log_capitals(values[[a, b]], mean)[-1])
            for a in range(3)
            for b in range(3)
        )
        assert (abs(expected - 1) < 1e-12) == is_fair
    assert len(log_capitals(rng.random(5), 0.5)) == 5


def test_intervals_hold_although_one_looks_after_every_deal() -> None:
    """Intervals for a fixed number of deals exclude the truth at some look in most tournaments."""
    false, missed = wrong_tournaments(np.zeros(3), 60)
    assert false == missed < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 60)
    rng = np.random.default_rng(0)
    excluded = 0
    for _ in range(40):
        scores = paired_scores(rng, 0.5, 1000)
        ends = [mean_of_deals(scores[:n], 1, (0.0, 1.0))[1:] for n in range(5, 1001, 5)]
        excluded += any(not low <= 0.5 <= high for low, high in ends)
    assert excluded > 8


@pytest.mark.parametrize("values", [[], [0.5, 1.5], [-0.1], [math.nan]])
def test_values_out_of_bounds_have_no_interval(values: list[float]) -> None:
    with pytest.raises(ValueError, match=r"values from 0\.0 to 1\.0"):
        anytime_mean(np.array(values))


def test_a_verdict_is_the_first_interval_that_is_narrow_or_excludes_equality() -> None:
    stronger = verdict_of(SCORES, 1)
    weaker = verdict_of(1 - SCORES, 1)
    assert (stronger.decision, weaker.decision) == (STRONGER, WEAKER)
    assert stronger.num_deals == weaker.num_deals < len(SCORES)
    assert stronger.elo.low > 0 > weaker.elo.high
    assert verdict_of(SCORES[: stronger.num_deals - 1], 1).decision == UNDECIDED
    even = np.tile([0.0, 1.0], 1500)
    precise = verdict_of(even, 40)
    assert precise.decision == PRECISE
    assert 2 * 35 < precise.elo.high - precise.elo.low <= 2 * 40
    assert verdict_of(even, 20).num_deals > 3 * precise.num_deals
    assert verdict_of(SCORES, 1, alpha=0.001).num_deals > stronger.num_deals


def test_a_match_ends_at_the_same_deal_whatever_the_plan() -> None:
    plans = [Plan(until=30, batch_deals=size) for size in (512, 16)]
    results = [play_match(GAME, "smart", "random", 600, plan=plan) for plan in plans]
    assert results[0] == results[1]
    verdict = results[0].verdict
    assert verdict is not None and verdict.decision == STRONGER
    assert results[0].num_deals == verdict.num_deals < 600
    assert results[0].elo == verdict.elo
    assert f"stronger after {verdict.num_deals} deals" in str(results[0])


def test_a_result_says_which_kind_its_intervals_are() -> None:
    fixed = play_match(GAME, "smart", "random", 40)
    weaker = play_match(GAME, "random", "smart", 600, plan=Plan(until=30))
    short = play_match(GAME, "random", "smart", 3, plan=Plan(until=1))
    assert (fixed.intervals, weaker.intervals, short.intervals) == (FIXED, ANYTIME, ANYTIME)
    assert FIXED in str(fixed) and ANYTIME in str(weaker)
    assert weaker.verdict is not None and weaker.verdict.decision == WEAKER
    assert short.verdict is not None and short.verdict.decision == UNDECIDED
    assert (fixed.verdict, short.num_deals) == (None, 3)


def test_each_meeting_of_a_tournament_ends_by_itself() -> None:
    players = ["random", "first_play", "smart"]
    plan = Plan(until=60, batch_deals=32)
    table = play_tournament(GAME, players, 400, plan=plan)
    ends = {(one.first, one.second): one.verdict for one in table.meetings}
    assert set(ends) == {("first_play", "random"), ("first_play", "smart"), ("random", "smart")}
    assert ends["random", "smart"].decision == WEAKER
    assert len({verdict.num_deals for verdict in ends.values()}) > 1
    assert table.num_games == 2 * sum(verdict.num_deals for verdict in ends.values())
    text = str(list(sections(table)))
    assert all(verdict.decision in text for verdict in ends.values()) and ANYTIME in text
    fixed = play_tournament(GAME, players, 10)
    assert fixed.meetings == () and FIXED in str(list(sections(fixed)))
    alone = play_match(GAME, "random", "smart", 400, plan=Plan(until=60))
    assert alone.num_deals < ends["random", "smart"].num_deals  # one of three decisions


def test_a_duplicate_match_ends_in_the_same_way() -> None:
    result = play_duplicate(GAME, "smart", "random", 600, plan=Plan(until=30))
    assert (
        result.num_deals == play_match(GAME, "smart", "random", 600, plan=Plan(until=30)).num_deals
    )
    assert result.wins.low < play_duplicate(GAME, "smart", "random", result.num_deals).wins.low


@pytest.mark.parametrize("until", [0, -3, math.inf, math.nan])
def test_an_impossible_width_is_refused(until: float) -> None:
    with pytest.raises(ValueError, match="until must be a number of Elo points"):
        play_match(GAME, "smart", "random", 3, plan=Plan(until=until))


def test_a_table_of_different_players_has_no_sign_to_decide() -> None:
    game = load_game("president", num_players=4)
    players = ["random", "lowest", "planner", "first_legal"]
    with pytest.raises(ValueError, match="round_robin or a gauntlet"):
        play_tournament(game, players[:4], 3, form="free_for_all", plan=Plan(until=3))


@pytest.mark.parametrize(("values", "mean"), [([0.0] * 9, -1), ([1.0] * 9, 1), ([0.0, 1.0], 0)])
def test_an_interval_stays_within_its_bounds(values: list[float], mean: float) -> None:
    estimate = anytime_mean(2 * np.array(values) - 1, 1, RETURNS)
    assert -1 <= estimate.low <= estimate.mean <= estimate.high <= 1
    assert estimate.mean == pytest.approx(mean)
    assert estimate.high - estimate.low > 0.3
