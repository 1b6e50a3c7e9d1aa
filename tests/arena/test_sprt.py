"""The sequential test: errs as seldom as it says, decides at one deal whatever the blocks."""

import math

import numpy as np
import pytest

from docs.studies.arena import wrong_decisions
from docs.studies.simulation import paired_scores
from parlour.baselines.arena import Plan, Sprt, Workers, play_match
from parlour.baselines.arena.ratings.sprt import (
    NOT_STRONGER,
    STRONGER,
    UNDECIDED,
    log_likelihood_ratios,
    sprt_verdict,
)
from parlour.baselines.statistics.estimates import score_of_elo
from parlour.envs import load_game

TRIALS = 150
SLACK = 3 * math.sqrt(0.05 * 0.95 / TRIALS)
GAME = load_game("trick_taking")


def test_it_errs_about_as_often_as_allowed() -> None:
    """With its hypotheses exchanged it would accept elo1 in 95 and 5 % instead of 5 and 95."""
    test = Sprt(0, 50)
    falsely, undecided, _ = wrong_decisions(test, test.elo0, TRIALS)
    rightly, _, num_deals = wrong_decisions(test, test.elo1, TRIALS)
    assert falsely < test.alpha + SLACK
    assert rightly > 1 - test.beta - SLACK
    assert undecided == 0
    assert num_deals < 500


def test_each_error_has_its_own_allowance() -> None:
    """With alpha and beta exchanged, elo1 would be accepted by mistake twenty times as often."""
    test = Sprt(0, 80, alpha=0.01, beta=0.3)
    falsely, _, _ = wrong_decisions(test, test.elo0, TRIALS)
    rightly, _, _ = wrong_decisions(test, test.elo1, TRIALS)
    assert falsely < 0.05
    assert 0.55 < rightly < 0.95


def test_the_bounds_are_those_of_wald() -> None:
    low, high = Sprt(0, 10, alpha=0.01, beta=0.2).bounds
    assert low == pytest.approx(math.log(0.2 / 0.99))
    assert high == pytest.approx(math.log(0.8 / 0.01))


def test_the_ratio_agrees_with_a_value_worked_by_hand() -> None:
    """Won and lost deals only: the best fit of a mean s is a coin of chance s, prior included."""
    scores = np.array([1.0, 1.0, 0.0, 1.0])
    s0, s1 = score_of_elo(0), score_of_elo(40)
    by_hand = 3.5 * math.log(s1 / s0) + 1.5 * math.log((1 - s1) / (1 - s0))
    assert log_likelihood_ratios(scores, Sprt(0, 40))[-1] == pytest.approx(by_hand, abs=1e-9)


def test_a_draw_between_the_hypotheses_says_nothing() -> None:
    ratios = log_likelihood_ratios(np.full(50, 0.5), Sprt(-20, 20))
    assert ratios == pytest.approx(np.zeros(50), abs=1e-9)


def test_blocks_do_not_move_the_decision() -> None:
    scores = paired_scores(np.random.default_rng(3), score_of_elo(40), 2000)
    test = Sprt(0, 30)
    at_once = sprt_verdict(scores, test)
    assert at_once.decision == STRONGER
    for block in (1, 7, 64):
        judged = (at_once.num_deals - 1) // block * block
        assert sprt_verdict(scores[:judged], test).decision == UNDECIDED if judged else True
        assert sprt_verdict(scores[: judged + block], test, judged) == at_once


def test_a_match_stops_at_the_same_deal_whatever_the_plan() -> None:
    plans = [Plan(batch_deals=size) for size in (512, 16)] + [Plan(Workers(2), 16)]
    results = [
        play_match(GAME, "smart", "random", 600, sprt=Sprt(0, 20), plan=plan) for plan in plans
    ]
    assert results[0] == results[1] == results[2]
    verdict = results[0].verdict
    assert verdict is not None and verdict.decision == STRONGER
    assert results[0].num_deals == verdict.num_deals < 600
    assert f"stronger after {verdict.num_deals} deals" in str(results[0])


def test_a_weaker_player_is_found_not_stronger_and_a_short_match_undecided() -> None:
    weaker = play_match(GAME, "random", "smart", 600, sprt=Sprt(0, 20))
    short = play_match(GAME, "random", "smart", 3, sprt=Sprt(0, 1))
    assert weaker.verdict is not None and weaker.verdict.decision == NOT_STRONGER
    assert short.verdict is not None and short.verdict.decision == UNDECIDED
    assert short.num_deals == 3


@pytest.mark.parametrize(
    ("numbers", "named"),
    [((10, 0), "elo0"), ((0, 0), "elo0"), ((0, 9, 0), "alpha"), ((0, 9, 0.1, 0.5), "beta")],
)
def test_an_impossible_test_is_refused(numbers: tuple[float, ...], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        Sprt(*numbers)


def test_an_undecided_verdict_tells_the_ratio_after_its_last_deal() -> None:
    scores, sprt = np.array([1.0, 0.5, 0.0, 1.0, 1.0]), Sprt(0, 20)
    verdict = sprt_verdict(scores, sprt)
    assert (verdict.decision, verdict.num_deals) == (UNDECIDED, 5)
    assert verdict.log_likelihood_ratio == log_likelihood_ratios(scores, sprt)[-1]
    assert sprt_verdict(scores, sprt, 3) == verdict
