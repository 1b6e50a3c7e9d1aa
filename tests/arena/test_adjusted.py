"""Adjusted results: unbiased whoever stands in, more precise where the stand-ins are like."""

from pathlib import Path

import numpy as np
import pytest

from docs.studies.luck import check
from parlour.baselines.arena import Plan, play_match
from parlour.baselines.arena.contest.time_control import TimeControl
from parlour.baselines.arena.play.adjusted import OTHERS, StandIns, without_luck
from parlour.envs import load_game

GAME = load_game("trick_taking")


def test_the_same_players_as_stand_ins_know_all_the_luck() -> None:
    """What is left is how well the other deals tell the mean: 1 / OTHERS of the variance."""
    result = play_match(GAME, "smart", "first_play", 1500, stand_ins=("smart", "first_play"))
    assert result.adjusted is not None
    assert result.adjusted.saved == pytest.approx(OTHERS, rel=0.25)
    mean, low, high = result.adjusted.mean_return
    assert (high - low) < 0.5 * (result.mean_return.high - result.mean_return.low)
    assert result.mean_return.low < mean < result.mean_return.high
    assert str(result.adjusted) in str(result)


def test_the_luck_of_a_contest_is_that_of_its_secret_deals(tmp_path: Path) -> None:
    control = TimeControl(sandbox="none", secret="word", logs=str(tmp_path))
    names = "smart", "first_play"
    result = play_match(GAME, *names, 40, plan=Plan(control=control), stand_ins=names)
    assert result.adjusted is not None and result.adjusted.saved > 2


def test_the_match_is_played_as_without_stand_ins() -> None:
    plain = play_match(GAME, "smart", "first_play", 30)
    result = play_match(GAME, "smart", "first_play", 30, stand_ins=("random", "first_play"))
    assert plain.adjusted is None
    assert (result.mean_return, result.elo) == (plain.mean_return, plain.elo)
    again = play_match(
        GAME,
        "smart",
        "first_play",
        30,
        plan=Plan(batch_deals=7),
        stand_ins=("random", "first_play"),
    )
    assert again.adjusted == result.adjusted


@pytest.mark.parametrize("stand_ins", [("first_play", "smart"), ("random", "random")])
def test_bad_stand_ins_cost_precision_and_no_bias(stand_ins: tuple[str, str]) -> None:
    row = check("trick_taking", 2, ("smart", "random"), stand_ins, 60)
    assert abs(row["errors"]) < 3.5
    assert 0.7 < row["saved"] < 1.6
    assert row["right"] > 0.8


def test_the_mean_luck_is_zero() -> None:
    """Compared with deals that are not drawn like its own, it would not be."""
    luck = StandIns(GAME, ("smart", "random")).luck_of_games(np.arange(3000)).mean(axis=1)
    assert abs(luck.mean()) < 3.5 * luck.std() / np.sqrt(len(luck))
    assert luck.std() > 0.02


def test_the_part_of_a_deal_depends_on_earlier_deals_alone() -> None:
    rng = np.random.default_rng(0)
    luck = rng.normal(size=400)
    raw = 0.6 * luck + 0.1 * rng.normal(size=400)
    values = without_luck(raw, luck)
    parts = (raw - values) / luck
    assert parts[0] == 0 and parts[-1] == pytest.approx(0.6, abs=0.05)
    later = raw.copy()
    later[200:] = 9
    taken = without_luck(later, luck) - later
    assert taken[:201] == pytest.approx((values - raw)[:201])
    assert taken[201] != pytest.approx(values[201] - raw[201])
    assert without_luck(raw, -luck) == pytest.approx(raw)  # no part below 0
    assert without_luck(raw, 0 * luck) == pytest.approx(raw)


def test_a_match_that_may_end_early_is_not_adjusted() -> None:
    with pytest.raises(ValueError, match="take until or stand_ins"):
        play_match(GAME, "smart", "random", 9, plan=Plan(until=30), stand_ins=("smart", "random"))


def test_a_search_cannot_stand_in() -> None:
    with pytest.raises(ValueError, match="mcts cannot stand in"):
        play_match(GAME, "smart", "first_play", 3, stand_ins=("mcts", "first_play"))
