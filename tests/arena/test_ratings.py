"""Ratings: right on average, with intervals that hold, and the same in whatever order."""

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp

from parlour.baselines.arena.rankings import Choice, Scored, count_choices
from parlour.baselines.arena.ratings import rate
from parlour.baselines.arena.statistics import ELO_SCALE

from .simulation import ELO, duels, tables
from .study import match_coverage, rating_coverage


def scored(*games: tuple[tuple[int, ...], tuple[float, ...]]) -> Scored:
    """Games as (players, values), each a deal of its own."""
    players, values = (np.array(part)[:, None, :] for part in zip(*games, strict=True))
    return Scored(players, values, np.arange(len(games)))


def choices(*games: tuple[tuple[int, ...], tuple[float, ...]]) -> dict[Choice, float]:
    made = count_choices([scored(*games)])
    return dict(zip(made.choices, np.asarray(made.counts.sum(axis=0)).ravel(), strict=True))


def test_a_game_of_two_is_one_choice() -> None:
    won = choices(((3, 1), (1, -1)))
    drawn = choices(((3, 1), (0, 0)))
    assert won == {Choice((1, 3), True, (3,)): 1}
    assert drawn == {Choice((1, 3), True, (1, 3)): 1}


def test_a_game_of_four_is_a_choice_for_each_place_but_the_last() -> None:
    assert choices(((0, 1, 2, 3), (-1, 1, 0.2, 0))) == {
        Choice((0, 1, 2, 3), True, (1,)): 1,
        Choice((0, 2, 3), False, (2,)): 1,
        Choice((0, 3), False, (3,)): 1,
    }


def test_those_who_share_the_last_place_are_not_told_apart() -> None:
    assert choices(((0, 1, 2), (-0.5, 1, -0.5))) == {Choice((0, 1, 2), True, (1,)): 1}


def test_equals_in_the_middle_are_chosen_together() -> None:
    assert choices(((0, 1, 2, 3), (0, 1, 0, -1))) == {
        Choice((0, 1, 2, 3), True, (1,)): 1,
        Choice((0, 2, 3), False, (0, 2)): 1,
    }


def test_seats_of_one_player_are_chosen_alike() -> None:
    assert choices(((5, 2, 2, 2), (0, 1, 0.5, -1))) == {
        Choice((2, 2, 2, 5), True, (2,)): 1,
        Choice((2, 2, 5), False, (2,)): 1,
        Choice((2, 5), False, (5,)): 1,
    }


def test_two_players_are_rated_by_their_score() -> None:
    """Bradley and Terry: 30 of 40 games won is a factor of 3, but for the weak prior."""
    games = [((0, 1), (1, -1))] * 3000 + [((0, 1), (-1, 1))] * 1000
    first, second = rate(count_choices([scored(*games)]), 2, 50).elo
    assert first.mean - second.mean == pytest.approx(400 * np.log10(3), abs=0.5)
    assert first.mean == pytest.approx(-second.mean)


def test_the_maximum_is_that_of_an_optimiser_that_knows_nothing_of_the_model() -> None:
    """Davidson's likelihood written out, games one by one, by BFGS."""
    contests = duels(np.random.default_rng(1), 60)
    first, second = np.concatenate([c.players.reshape(-1, 2) for c in contests]).T
    results = np.concatenate([c.values.reshape(-1, 2)[:, 0] for c in contests])

    def loss(parameters: np.ndarray) -> float:
        own, other = parameters[first], parameters[second]
        logs = np.stack([own, (own + other) / 2 + parameters[-1], other])
        prior = (np.logaddexp(0, parameters) + np.logaddexp(0, -parameters)).sum() / 2
        likely = logs[1 - results, np.arange(len(results))] - logsumexp(logs, axis=0)
        return float(prior - likely.sum())

    best = minimize(loss, np.zeros(len(ELO) + 1), method="BFGS").x[:-1]
    ours = [e.mean for e in rate(count_choices(contests), len(ELO), 10).elo]
    assert ours == pytest.approx(ELO_SCALE * (best - best.mean()), abs=0.02)


def test_a_player_without_loss_is_rated_high_and_not_without_end() -> None:
    games = [((0, 1), (1, -1))] * 500 + [((1, 2), (1, -1)), ((1, 2), (-1, 1))] * 250
    elo = rate(count_choices([scored(*games)]), 3, 50).elo
    assert 800 < elo[0].mean - elo[1].mean < 3000
    assert np.isfinite(np.array(elo)).all()
    assert elo[1].mean == pytest.approx(elo[2].mean, abs=1)


@pytest.mark.parametrize("simulate", [duels, tables])
def test_the_order_of_contests_and_deals_is_nothing(simulate: Callable) -> None:
    contests = simulate(np.random.default_rng(2), 50)
    turned = [Scored(c.players[::-1], c.values[::-1], c.seeds[::-1]) for c in contests[::-1]]
    ours, theirs = (rate(count_choices(c), len(ELO), 40) for c in (contests, turned))
    assert np.array(ours.elo) == pytest.approx(np.array(theirs.elo), abs=1e-6)
    assert (ours.superiority == theirs.superiority).all()


@pytest.mark.parametrize("kind", ["duels", "tables"])
def test_intervals_hold_the_true_rating(kind: str) -> None:
    """400 intervals, not independent; the study has 5,000."""
    covered, rejected = rating_coverage(kind, num_trials=80, num_deals=80, num_resamples=200)
    assert 0.92 < covered < 0.98
    assert rejected < 0.12


def test_intervals_of_a_match_hold_the_truth() -> None:
    means, shares = match_coverage(num_trials=2000, num_deals=100)
    assert 0.93 < means < 0.97
    assert 0.93 < shares < 0.97


def test_the_stronger_is_likely_superior_and_of_equals_either_as_often() -> None:
    """Between equals the likelihood is uniform: below a quarter as often as above three."""
    rng = np.random.default_rng(4)
    elo = np.array([0.0, 0.0, 100.0])
    tables = [rate(count_choices(duels(rng, 100, elo)), 3, 100).superiority for _ in range(100)]
    for superiority in tables:
        assert superiority + superiority.T == pytest.approx(np.ones((3, 3)))
    assert np.mean([superiority[2, 0] for superiority in tables]) > 0.99
    between_equals = np.array([superiority[0, 1] for superiority in tables])
    assert 0.1 < (between_equals < 0.25).mean() < 0.4
    assert 0.1 < (between_equals > 0.75).mean() < 0.4


def test_who_always_does_the_same_is_as_likely_superior_as_not() -> None:
    games = [((i, j), (0, 0)) for i, j in itertools.combinations(range(4), 2)]
    assert (rate(count_choices([scored(*games * 20)]), 4, 50).superiority == 0.5).all()


def test_a_circle_is_no_scale() -> None:
    """Each beats the next in three of four games, the last the first: one number cannot say so."""
    beats = [(0, 1), (1, 2), (2, 0)]
    games = [((i, j), (1, -1)) for i, j in beats * 75] + [((i, j), (-1, 1)) for i, j in beats * 25]
    ratings = rate(count_choices([scored(*games)]), 3, 50)
    assert [e.mean for e in ratings.elo] == pytest.approx([0, 0, 0], abs=1e-6)
    assert ratings.fit.degrees_of_freedom == 1
    assert ratings.fit.p_value < 1e-9


def test_all_groups_are_counted_in_the_fit() -> None:
    """Five tables of four have 5 x 3 shares of first places; strengths come from all places."""
    ratings = rate(count_choices(tables(np.random.default_rng(5), 100)), len(ELO), 20)
    assert ratings.fit.degrees_of_freedom == len(list(itertools.combinations(ELO, 4))) * 3
