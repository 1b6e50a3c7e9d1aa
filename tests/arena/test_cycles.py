"""Cycles are found and named; so is what one rating for each player does not explain."""

import json
from pathlib import Path

import numpy as np
import pytest

from parlour.baselines.arena.play.batches import Match
from parlour.baselines.arena.play.entrants import Entrant
from parlour.baselines.arena.play.playing import PlayedMatch
from parlour.baselines.arena.ratings.standings import Standings, standings
from parlour.baselines.arena.results.export import (
    export,
    notes,
    standing_cells,
)
from parlour.baselines.arena.results.store import Setting
from parlour.envs import load_game

SETTING = Setting.of(load_game("trick_taking"), None)


def table_of(*results: tuple[str, str, float], num_deals: int = 30) -> Standings:
    """A table in which the first player of each pair wins this share of the deals."""
    matches = []
    for first, second, share in results:
        entrants = tuple(Entrant(name, None, name) for name in (first, second))
        won = np.where(np.arange(num_deals) < round(share * num_deals), 1.0, -1.0)
        returns = np.stack([np.stack([won, -won], 1), np.stack([-won, won], 1)], 1)
        matches.append(PlayedMatch(Match(entrants, "field"), np.arange(num_deals), returns, ()))
    return standings(SETTING, matches)


@pytest.mark.parametrize(
    ("players", "share"),
    [(("rock", "blunt", "paper"), 1.0), (("rock", "blunt", "paper"), 0.9), (tuple("abcd"), 0.9)],
)
def test_a_cycle_is_reported(players: tuple[str, ...], share: float) -> None:
    """Also one of four, where no three form one."""
    beaten = (*players[1:], players[0])
    table = table_of(
        *((one, next_one, share) for one, next_one in zip(players, beaten, strict=True))
    )
    assert sorted(table.cycle) == sorted(players)
    text = " ".join(notes(table))
    assert f"{players[0]} beats {players[1]}" in text and "cycle" in text
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
