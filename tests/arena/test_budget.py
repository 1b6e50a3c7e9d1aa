"""Few games, chosen by predicted luck: unbiased, with an honest interval, kept and verified."""

from pathlib import Path

import numpy as np
import pytest

from parlour.baselines.arena import Plan, Store, play_budget, rate_store
from parlour.baselines.arena.contest.time_control import TimeControl
from parlour.baselines.arena.play.budget import POOL, STRATUM, draw
from parlour.baselines.arena.play.playing import read_matches
from parlour.baselines.arena.results.verification import is_verified, verify_store
from parlour.baselines.statistics.estimates import RETURNS, mean_of_deals
from parlour.baselines.statistics.strata import mean_of_strata
from parlour.envs import load_game

GAME = load_game("trick_taking")
BUDGET = 23  # no multiple of a stratum
PLAYERS = ("smart", "first_play")


def population(rng: np.random.Generator, likeness: float) -> tuple[np.ndarray, np.ndarray]:
    """Returns of -1 and 1 with a mean of 0.2, and predictions that are like their odds."""
    odds = likeness * rng.normal(size=POOL * BUDGET)
    is_won = odds + np.sqrt(1 - likeness**2) * rng.normal(size=odds.shape) > -0.2533
    return 2.0 * is_won - 1, odds


def test_each_stratum_gives_the_same_part_of_its_games() -> None:
    predicted = np.random.default_rng(0).normal(size=POOL * BUDGET)
    places, strata = draw(predicted, BUDGET, np.random.default_rng(1))
    assert (np.diff(places) > 0).all()
    sizes = np.bincount(strata)
    assert (len(sizes), sizes.sum()) == (BUDGET // STRATUM, BUDGET) and sizes.min() >= STRATUM
    rank = np.argsort(np.argsort(predicted))[places]
    ends = POOL * np.cumsum(sizes)
    assert (np.searchsorted(ends, rank, side="right") == strata).all()


@pytest.mark.parametrize("likeness", [0.0, 0.8])
def test_the_mean_is_unbiased_for_the_pool_and_the_interval_holds(likeness: float) -> None:
    rng = np.random.default_rng(3)
    errors, widths, is_right = [], [], []
    for _ in range(1500):
        values, predicted = population(rng, likeness)
        places, strata = draw(predicted, BUDGET, rng)
        estimate = mean_of_strata(values[places], 1, RETURNS, strata, len(values))
        by_chance = mean_of_deals(values[:BUDGET], 1, RETURNS)
        errors.append(estimate.mean - values.mean())
        widths.append((estimate.high - estimate.low) / (by_chance.high - by_chance.low))
        is_right.append(estimate.low <= 0.2 <= estimate.high)
    assert abs(np.mean(errors)) < 3.5 * np.std(errors) / np.sqrt(len(errors))
    assert 0.93 < np.mean(is_right) < 0.975
    low, high = (0.7, 0.85) if likeness else (0.97, 1.08)
    assert low < np.mean(widths) < high


def test_a_small_pool_widens_the_interval() -> None:
    strata = np.repeat([0, 1], 10)
    values = np.where(strata, 0.5, -0.5) + 0.1 * np.tile([-1, 1], 10)
    small, large = (mean_of_strata(values, 1, RETURNS, strata, pool) for pool in (40, 10**6))
    assert small.high - small.low > 1.5 * (large.high - large.low)


def test_values_that_are_all_equal_have_an_interval() -> None:
    estimate = mean_of_strata(np.ones(10), 1, RETURNS, np.repeat([0, 1], 5), 400)
    assert estimate.low < 0.9 and estimate.mean == estimate.high == 1


def test_the_games_are_kept_and_go_on_and_are_verified(tmp_path: Path) -> None:
    plain = play_budget(GAME, *PLAYERS, BUDGET, seed=7)
    assert (plain.num_deals, plain.num_games, plain.fair_share) == (BUDGET, BUDGET, 0.5)
    assert plain.sample is not None and plain.sample.pool == POOL * BUDGET
    assert "23 games, each another deal of 920" in str(plain)
    assert plain.origin["first_seed"] == 7
    done: list[int] = []

    def stop(number: int) -> None:
        done.append(number)
        if number == 9:
            raise KeyboardInterrupt

    with Store(tmp_path / "store.db") as store:
        plan = Plan(store=store)
        with pytest.raises(KeyboardInterrupt):
            play_budget(GAME, *PLAYERS, BUDGET, 7, stop, plan)
        assert done == list(range(1, 10))  # each game is kept by itself
        assert play_budget(GAME, *PLAYERS, BUDGET, 7, done.append, plan) == plain
        assert done[9] == 10
        (setting,) = store.settings()
        (played,) = read_matches(store, setting)
        assert played.returns.shape == (BUDGET, 1, 2)
        rows = verify_store(store)
        assert rows[0].num_replayed == BUDGET and is_verified(rows, store.breaks())
        (table,) = rate_store(store)
        assert table.num_games == BUDGET
        assert rate_store(store, "duplicate") == []


def test_all_players_meet_an_opponent_in_the_same_games() -> None:
    """So that two of them can be compared."""
    with Store(":memory:") as store:
        for first in ("smart", "random"):
            play_budget(GAME, first, "first_play", BUDGET, plan=Plan(store=store))
        (setting,) = store.settings()
        one, other = read_matches(store, setting)
    assert (one.seeds == other.seeds).all()
    assert (one.match.seated(2, one.seeds)[:, 0, 0] == one.seeds % 2).all()
    assert 0 < (one.seeds % 2).sum() < BUDGET  # not always from one seat


def test_a_second_player_that_is_not_compiled_is_predicted_by_the_stand_ins() -> None:
    result = play_budget(GAME, "first_play", "playout:num_playouts=1", 10)
    assert result.sample is not None and "playout" not in result.sample.stand_ins
    assert "smart" in result.sample.stand_ins


def test_impossible_budgets_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 10 games; got 9"):
        play_budget(GAME, *PLAYERS, 9)
    with pytest.raises(ValueError, match="neither until nor control"):
        play_budget(GAME, *PLAYERS, 10, plan=Plan(until=10))
    with pytest.raises(ValueError, match="neither until nor control"):
        play_budget(GAME, *PLAYERS, 10, plan=Plan(control=TimeControl()))
    with pytest.raises(ValueError, match="cannot follow seed"):
        play_budget(GAME, *PLAYERS, 10, seed=2**63 - 9)
