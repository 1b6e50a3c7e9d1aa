"""Ratings: right on average, with intervals that hold, and the same in whatever order."""

import itertools
import json
from collections.abc import Callable

import numpy as np
import pytest

from docs.studies.coverage import RECORD, match_coverage, rating_coverage
from docs.studies.simulation import ELO, duels, tables
from parlour.baselines.arena.ratings.rankings import Choice, Scored, count_choices
from parlour.baselines.arena.ratings.ratings import rate
from parlour.baselines.statistics.estimates import ELO_SCALE


def scored(*games: tuple[tuple[int, ...], tuple[float, ...]]) -> Scored:
    """Games as (players, values), each a deal of its own."""
    players, values = (np.array(part)[:, None, :] for part in zip(*games, strict=True))
    return Scored(players, values, np.arange(len(games)))


def beats(winner: int, loser: int, times: int) -> list[tuple]:
    """Repeat a game that `winner` wins `times` times."""
    return [((winner, loser), (1, -1))] * times


@pytest.mark.parametrize(
    ("players", "values", "made"),
    [
        ((3, 1), (1, -1), [((1, 3), True, (3,))]),
        ((3, 1), (0, 0), [((1, 3), True, (1, 3))]),
        (
            (0, 1, 2, 3),
            (-1, 1, 0.2, 0),
            [((0, 1, 2, 3), True, (1,)), ((0, 2, 3), False, (2,)), ((0, 3), False, (3,))],
        ),
        # Those who share the last place are not told apart; equals before it are chosen together.
        ((0, 1, 2), (-0.5, 1, -0.5), [((0, 1, 2), True, (1,))]),
        ((0, 1, 2, 3), (0, 1, 0, -1), [((0, 1, 2, 3), True, (1,)), ((0, 2, 3), False, (0, 2))]),
        # Seats of one player are chosen alike.
        (
            (5, 2, 2, 2),
            (0, 1, 0.5, -1),
            [((2, 2, 2, 5), True, (2,)), ((2, 2, 5), False, (2,)), ((2, 5), False, (5,))],
        ),
    ],
)
def test_a_game_is_a_choice_for_each_place_but_the_last(
    players: tuple[int, ...], values: tuple[float, ...], made: list[tuple]
) -> None:
    choices = count_choices([scored((players, values))])
    counts = np.asarray(choices.counts.sum(axis=0)).ravel()
    assert dict(zip(choices.choices, counts, strict=True)) == {Choice(*one): 1 for one in made}


def test_players_far_apart_are_rated() -> None:
    """Where nearly every game has the same result, equal strengths are far from the maximum."""
    strengths, tie = np.array([2500.0, 800.0, 0.0, 0.0, -2000.0]) / ELO_SCALE, 2.0
    rng, games = np.random.default_rng(2), []
    for pair in itertools.combinations(range(5), 2):
        first, second = strengths[list(pair)]
        weights = np.exp([first, (first + second) / 2 + tie, second])
        counts = rng.multinomial(1000, weights / weights.sum())
        for result, times in zip((1, 0, -1), counts, strict=True):
            games += [(pair, (result, -result))] * times
    ratings = rate(count_choices([scored(*games)]), 5)
    means = np.array([one.mean for one in ratings.elo])
    assert means[1:4] - means[2] == pytest.approx([800, 0, 0], abs=60)
    assert ratings.superiority[0, 1] > 0.99 > ratings.superiority[2, 3] > 0.01


def test_a_player_that_won_all_is_rated_high_with_an_interval_open_above() -> None:
    games = beats(0, 1, 500) + [*beats(1, 2, 1), *beats(2, 1, 1)] * 250
    winner, *others = rate(count_choices([scored(*games)]), 3).elo
    assert 800 < winner.mean - others[0].mean < 3000
    assert winner.high == np.inf and np.isfinite(winner.low)
    assert np.isfinite(np.array(others)).all()
    assert others[0].mean == pytest.approx(others[1].mean, abs=1)


@pytest.mark.parametrize("times", [1, 2, 50])
def test_deals_that_are_all_alike_leave_some_width(times: int) -> None:
    """A bootstrap over such deals would have none."""
    players = np.tile([[0, 1], [1, 0], [0, 1]], (times, 1, 1))
    values = np.tile([[1, -1], [1, -1], [1, -1]], (times, 1, 1))
    elo = rate(count_choices([Scored(players, values, np.arange(times))]), 2).elo
    widths = [estimate.high - estimate.low for estimate in elo]
    assert all(0 < 5 / times < width < np.inf for width in widths)


def test_players_that_no_games_connect_are_rated_separately() -> None:
    """The rating of either group is what it would be without the other."""
    three = beats(0, 1, 30) + beats(1, 0, 10) + beats(1, 2, 20) + beats(2, 1, 15)
    two = beats(4, 3, 5) + beats(3, 4, 4)
    both = rate(count_choices([scored(*three), scored(*two)]), 5)
    assert both.group == [0, 0, 0, 1, 1]
    alone = rate(count_choices([scored(*three)]), 3)
    assert np.array(both.elo[:3]) == pytest.approx(np.array(alone.elo), abs=1e-6)
    assert both.elo[3].mean == pytest.approx(-both.elo[4].mean)
    assert np.isnan(both.superiority[0, 3]) and both.superiority[4, 3] > 0.5


def test_a_player_without_a_game_has_no_rating_and_changes_no_other() -> None:
    made = count_choices([scored(*beats(0, 1, 3), *beats(1, 0, 1))])
    *both, nobody = rate(made, 3).elo
    assert both == rate(made, 2).elo
    assert nobody == (0.0, -np.inf, np.inf)


@pytest.mark.parametrize("simulate", [duels, tables])
def test_the_order_of_matches_and_deals_is_nothing(simulate: Callable) -> None:
    matches = simulate(np.random.default_rng(2), 50)
    turned = [Scored(c.players[::-1], c.values[::-1], c.seeds[::-1]) for c in matches[::-1]]
    ours, theirs = (rate(count_choices(c), len(ELO)) for c in (matches, turned))
    assert np.array(ours.elo) == pytest.approx(np.array(theirs.elo), abs=1e-6)
    assert ours.superiority == pytest.approx(theirs.superiority, abs=1e-6)


@pytest.mark.parametrize(
    ("kind", "num_deals", "at_least", "at_most"),
    [
        ("tables", 2, 0.95, 1.0),
        ("duels", 30, 0.9, 0.985),
        pytest.param("duels", 2, 0.95, 1.0, marks=pytest.mark.long),
        pytest.param("tables", 30, 0.9, 0.985, marks=pytest.mark.long),
    ],
)
def test_intervals_contain_the_true_rating(
    kind: str, num_deals: int, at_least: float, at_most: float
) -> None:
    """200 intervals, not independent. A bootstrap over deals covers 50 % of two deals and 84 % of
    five; the recorded study has 5,000 intervals and narrower limits."""
    record = rating_coverage(kind, num_trials=40, num_deals=num_deals)
    assert at_least < record.covered <= at_most
    assert record.decided_wrongly < 0.025
    assert record.rejected < 0.15
    assert record.narrowest > 10
    if num_deals == 30:
        assert record.width_to_oracle < 1.3


@pytest.mark.parametrize("row", json.loads(RECORD.read_text())["ratings"])
def test_the_recorded_intervals_are_right(row: dict) -> None:
    """What `python -m docs.studies.arena coverage` found."""
    if row["num_deals"] >= 2:
        assert row["covered"] >= 0.93
    if row["num_deals"] >= 10:
        assert row["width_to_oracle"] <= 1.3
    if row["num_deals"] >= 30:
        assert row["covered"] <= 0.97
    assert row["narrowest"] > 0
    assert row["decided_wrongly"] <= 0.025
    assert row["equals_decided"] <= 0.025


def test_the_stronger_is_likely_superior_and_of_equals_either_as_often() -> None:
    """Between equals the likelihood is uniform: below a quarter as often as above three."""
    rng = np.random.default_rng(4)
    elo = np.array([0.0, 0.0, 100.0])
    tables = [rate(count_choices(duels(rng, 100, elo)), 3).superiority for _ in range(100)]
    for superiority in tables:
        assert superiority + superiority.T == pytest.approx(np.ones((3, 3)))
    assert np.mean([superiority[2, 0] for superiority in tables]) > 0.99
    between_equals = np.array([superiority[0, 1] for superiority in tables])
    assert 0.1 < (between_equals < 0.25).mean() < 0.4
    assert 0.1 < (between_equals > 0.75).mean() < 0.4


def test_who_always_does_the_same_is_as_likely_superior_as_not() -> None:
    games = [((i, j), (0, 0)) for i, j in itertools.combinations(range(4), 2)]
    assert (rate(count_choices([scored(*games * 20)]), 4).superiority == 0.5).all()


@pytest.mark.parametrize("lost", [0, 25])
def test_a_cycle_is_no_scale(lost: int) -> None:
    """Each player beats the next, always or in three of four games: one number cannot say so."""
    links = [(0, 1), (1, 2), (2, 0)]
    games = [game for i, j in links for game in beats(i, j, 75) + beats(j, i, lost)]
    ratings = rate(count_choices([scored(*games)]), 3)
    assert [e.mean for e in ratings.elo] == pytest.approx([0, 0, 0], abs=1e-6)
    assert np.isfinite(np.array(ratings.elo)).all()
    assert ratings.fit.degrees_of_freedom == 1
    assert ratings.fit.p_value < 1e-9


def test_a_single_deal_does_not_test_the_fit() -> None:
    """Games of one deal may all have been decided by the same luck."""
    players = np.array([[[0, 1], [1, 2], [2, 0]]])
    made = count_choices([Scored(players, np.tile([1, -1], (1, 3, 1)), np.arange(1))])
    assert rate(made, 3).fit.degrees_of_freedom == 0


def test_all_groups_of_players_are_counted_in_the_fit() -> None:
    """Five tables of four have 5 x 3 shares of first places; strengths come from all places."""
    ratings = rate(count_choices(tables(np.random.default_rng(5), 100)), len(ELO))
    assert ratings.fit.degrees_of_freedom == len(list(itertools.combinations(ELO, 4))) * 3


BY_NEWTON = [
    (-167.64231713, -210.60945095, -126.2204733),
    (-68.7507012, -95.84410543, -41.9418245),
    (-7.31497415, -35.65505213, 20.99249374),
    (66.50831485, 37.35097432, 95.99539565),
    (177.19967763, 139.21836968, 216.54032902),
]


def test_the_maximum_and_its_ends_are_those_of_newtons_method() -> None:
    """What an iteration written out found for these games: to 1e-6 of an Elo point."""
    ratings = rate(count_choices(duels(np.random.default_rng(1), 60)), len(ELO))
    assert np.array(ratings.elo) == pytest.approx(np.array(BY_NEWTON), abs=1e-6)
    assert ratings.superiority[0, 1:3] == pytest.approx([5.50133e-05, 3.41e-08], abs=1e-10)


def test_a_player_that_met_only_itself_has_no_rating() -> None:
    alone = rate(count_choices([scored(((0, 0), (1, -1)))]), 1)
    assert alone.elo == [(0, -np.inf, np.inf)]


@pytest.mark.parametrize(("num_deals", "at_most"), [(2, 1.0), (5, 1.0), (100, 0.97)])
def test_intervals_of_a_match_contain_the_truth(num_deals: int, at_most: float) -> None:
    """Student's interval alone, with nothing added to the variance, has 65 % of two deals."""
    means, shares = match_coverage(num_trials=2000, num_deals=num_deals)
    assert 0.93 < means <= at_most
    assert 0.93 < shares <= at_most
