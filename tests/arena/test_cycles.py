"""Cycles are found and named, and the ratings that allow them agree with known equilibria."""

import json
from pathlib import Path

import numpy as np
import pytest

from parlour.baselines.arena.play.batches import Contest
from parlour.baselines.arena.play.entrants import Entrant
from parlour.baselines.arena.play.playing import PlayedContest
from parlour.baselines.arena.ratings.cycles import equilibrium, find_cycle
from parlour.baselines.arena.ratings.standings import Standings, standings
from parlour.baselines.arena.results.export import (
    export,
    notes,
    standing_cells,
    summary,
)
from parlour.baselines.arena.results.store import Setting
from parlour.envs import load_game

SETTING = Setting.of(load_game("trick_taking"), None)
ROCK_PAPER_SCISSORS = np.array([[0.5, 0, 1], [1, 0.5, 0], [0, 1, 0.5]])


def table_of(*results: tuple[str, str, float], num_deals: int = 30) -> Standings:
    """A table in which the first player of each pair wins this share of the deals."""
    contests = []
    for first, second, share in results:
        entrants = tuple(Entrant(name, None, name) for name in (first, second))
        won = np.where(np.arange(num_deals) < round(share * num_deals), 1.0, -1.0)
        returns = np.stack([np.stack([won, -won], 1), np.stack([-won, won], 1)], 1)
        contests.append(
            PlayedContest(Contest(entrants, "field"), np.arange(num_deals), returns, ())
        )
    return standings(SETTING, contests)


def test_rock_paper_scissors_is_a_cycle_with_an_even_mixture() -> None:
    assert find_cycle(ROCK_PAPER_SCISSORS) == [0, 2, 1]
    assert equilibrium(ROCK_PAPER_SCISSORS) == pytest.approx(np.full(3, 1 / 3), abs=1e-4)


def test_a_copy_of_a_player_shares_its_part_of_the_mixture() -> None:
    """Two rocks: the mixture of greatest entropy has as much rock as before."""
    doubled = ROCK_PAPER_SCISSORS[np.ix_([0, 0, 1, 2], [0, 0, 1, 2])]
    assert equilibrium(doubled) == pytest.approx([1 / 6, 1 / 6, 1 / 3, 1 / 3], abs=1e-4)


def test_an_uneven_cycle_has_the_mixture_worked_by_hand() -> None:
    """Rock, paper and scissors with margins a, b and c: the parts are as b, c and a."""
    a, b, c = 0.1, 0.2, 0.4  # 0 beats 1 by a, 1 beats 2 by b, 2 beats 0 by c
    margins = np.array([[0, a, -c], [-a, 0, b], [c, -b, 0]])
    assert equilibrium(0.5 + margins) == pytest.approx(np.array([b, c, a]) / 0.7, abs=1e-3)


def test_no_player_beats_the_equilibrium() -> None:
    rng = np.random.default_rng(3)
    noise = rng.normal(size=(9, 9))
    scores = 1 / (1 + np.exp(noise.T - noise))
    mixture = equilibrium(scores)
    assert mixture.sum() == pytest.approx(1)
    assert (scores @ mixture).max() < 0.5 + 1e-5


def test_a_ladder_has_no_cycle_and_its_best_player_is_the_mixture() -> None:
    scores = np.array([[0.5, 0.7, 0.9], [0.3, 0.5, 0.6], [0.1, 0.4, 0.5]])
    assert find_cycle(scores) == []
    assert equilibrium(scores) == pytest.approx([1, 0, 0])


def test_a_cycle_of_four_is_found_where_no_three_form_one() -> None:
    lows = np.zeros((4, 4))
    lows[[0, 1, 2, 3], [1, 2, 3, 0]] = 0.8
    assert find_cycle(lows) == [0, 1, 2, 3]


@pytest.mark.parametrize("share", [1.0, 0.9])
def test_a_cycle_is_reported_with_ratings_that_allow_it(share: float) -> None:
    table = table_of(("rock", "blunt", share), ("blunt", "paper", share), ("paper", "rock", share))
    assert sorted(table.cycle) == ["blunt", "paper", "rock"]
    text = " ".join(notes(table))
    assert "rock beats blunt" in text and "cycle" in text
    assert "does not explain" in text
    assert "Nash averaging" in summary(table)
    for row in table.nash_averages:
        assert row.weight == pytest.approx(1 / 3, abs=0.001)
        assert row.score is not None
        assert row.score.low < 0.5 < row.score.high
        assert row.score.low < row.score.high


def test_where_one_number_explains_the_results_no_other_rating_is_added() -> None:
    table = table_of(("a", "b", 0.7), ("b", "c", 0.7), ("a", "c", 0.8))
    assert (table.cycle, table.nash_averages) == ((), ())
    assert "Nash" not in summary(table)
    assert "explains the results" in " ".join(notes(table))


def test_players_that_never_met_are_said_to_be_on_separate_scales(tmp_path: Path) -> None:
    table = table_of(("a", "b", 0.7), ("b", "c", 0.6), ("x", "y", 1.0))
    assert [row.group for row in table.rows] == [1, 1, 1, 2, 2]
    assert "cannot be compared (group 1: a, b, c; group 2: x, y)" in " ".join(notes(table))
    assert table.superiority[2][3] is None
    _, rows = standing_cells(table)
    assert [cells[2] == "" for cells in rows] == [False, False, True, False, True]
    assert [cells[-1] for cells in rows] == ["1", "1", "1", "2", "2"]
    assert table.rows[3].elo.high == np.inf
    files = {path.name: path for path in export(table, tmp_path)}
    data = json.loads(files["results.json"].read_text())
    assert data["rows"][3]["elo"][2] is None and data["rows"][4]["elo"][1] is None
    assert ",inf," in files["standings.csv"].read_text()
    assert "inf]" in files["summary.md"].read_text()


def test_neighbours_whose_order_is_open_are_named() -> None:
    table = table_of(("a", "b", 0.5), ("b", "c", 0.9), ("a", "c", 0.9))
    assert "order of these neighbours is not decided: a and b." in " ".join(notes(table))
