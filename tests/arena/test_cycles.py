"""Cycles are found and named; so is what one rating for each player does not explain."""

import json
from pathlib import Path

import numpy as np
import pytest

from parlour.baselines.arena.play.batches import Match
from parlour.baselines.arena.play.entrants import Entrant
from parlour.baselines.arena.play.playing import PlayedMatch
from parlour.baselines.arena.ratings.cycles import find_cycle
from parlour.baselines.arena.ratings.standings import Standings, standings
from parlour.baselines.arena.results.export import (
    export,
    notes,
    standing_cells,
)
from parlour.baselines.arena.results.store import Setting
from parlour.envs import load_game

SETTING = Setting.of(load_game("trick_taking"), None)
ROCK_PAPER_SCISSORS = np.array([[0.5, 0, 1], [1, 0.5, 0], [0, 1, 0.5]])


def table_of(*results: tuple[str, str, float], num_deals: int = 30) -> Standings:
    """A table in which the first player of each pair wins this share of the deals."""
    matches = []
    for first, second, share in results:
        entrants = tuple(Entrant(name, None, name) for name in (first, second))
        won = np.where(np.arange(num_deals) < round(share * num_deals), 1.0, -1.0)
        returns = np.stack([np.stack([won, -won], 1), np.stack([-won, won], 1)], 1)
        matches.append(PlayedMatch(Match(entrants, "field"), np.arange(num_deals), returns, ()))
    return standings(SETTING, matches)


def test_rock_paper_scissors_is_a_cycle() -> None:
    assert find_cycle(ROCK_PAPER_SCISSORS) == [0, 2, 1]


def test_a_ladder_has_no_cycle() -> None:
    scores = np.array([[0.5, 0.7, 0.9], [0.3, 0.5, 0.6], [0.1, 0.4, 0.5]])
    assert find_cycle(scores) == []


def test_a_cycle_of_four_is_found_where_no_three_form_one() -> None:
    lows = np.zeros((4, 4))
    lows[[0, 1, 2, 3], [1, 2, 3, 0]] = 0.8
    assert find_cycle(lows) == [0, 1, 2, 3]


@pytest.mark.parametrize("share", [1.0, 0.9])
def test_a_cycle_is_reported(share: float) -> None:
    table = table_of(("rock", "blunt", share), ("blunt", "paper", share), ("paper", "rock", share))
    assert sorted(table.cycle) == ["blunt", "paper", "rock"]
    text = " ".join(notes(table))
    assert "rock beats blunt" in text and "cycle" in text
    assert "does not explain" in text


def test_where_one_number_explains_the_results_a_note_says_so() -> None:
    table = table_of(("a", "b", 0.7), ("b", "c", 0.7), ("a", "c", 0.8))
    assert table.cycle == ()
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
