"""The tables of strength in the READMEs of games: a stopped run goes on, and they are written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from docs.site.sources import CHECKOUT
from docs.studies import strengths
from docs.studies.strengths import BEGIN, END, NETWORKS, SEARCH, Row, measure, paths_of, with_tables

pytestmark = pytest.mark.plain

FIRST = '"first places" = [[2, "lowest", "random", 3, 7]]'
ROWS = f"""
[president]
{FIRST}
outcomes = [[4, "planner", "lowest", 2, 0]]
[trick_taking]
duplicate = [[2, "smart", "random", 3, 7]]
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The record of some short rows."""
    rows = tmp_path / "rows.toml"
    rows.write_text(ROWS)
    monkeypatch.setattr(strengths, "ROWS", rows)
    return tmp_path / "strengths.json"


def test_each_kind_of_row_has_its_table(file: Path) -> None:
    for name in ("president", "trick_taking"):
        record = measure(name, file)
    text = with_tables(f"before\n{BEGIN}\nold\n{END}\nafter", "president", record)
    assert text.startswith(f"before\n{BEGIN}\n\nFirst places") and text.endswith(f"{END}\nafter")
    assert "| 2 | `lowest` | `random` | 3 | 7 | " in text and "old" not in text
    assert "| first seed | first places, % | Elo |" in text
    tricks = with_tables(f"{BEGIN}{END}", "trick_taking", record)
    for each in (text, tricks):
        assert each.count("| first seed | won, % | drawn, % | lost, % |") == 1


def test_a_row_that_is_there_is_not_measured_again(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = measure("president", file)
    monkeypatch.setattr(strengths, "KINDS", {})
    assert measure("president", file) == record
    strengths.ROWS.write_text(f"[president]\n{FIRST}\n")
    assert len(measure("president", file)["president"]) == 1  # one is no longer listed
    monkeypatch.setattr(strengths, "code_digest", lambda paths: "changed")
    with pytest.raises(KeyError, match="first places"):  # of KINDS: it would be measured
        measure("president", file)


def test_a_row_depends_on_the_searches_and_networks_that_play_in_it() -> None:
    def used(name: str, kind: str, player: str, against: str) -> tuple[str, ...]:
        seats = 2 if name == "trick_taking" else 4
        return paths_of(name, [(kind, Row(seats, player, against, 1, 0))])[3:]

    assert used("president", "outcomes", "planner", "lowest") == ()
    assert used("president", "first places", "lowest", "ppo") == (NETWORKS,)
    assert used("president", "first places", "mcts:num_simulations=9", "ppo") == (NETWORKS, SEARCH)
    assert used("trick_taking", "duplicate", "perfect:against=random", "smart") == (SEARCH,)
    assert used("trick_taking", "exact", "smart", "random") == (SEARCH,)


def test_a_page_without_a_place_for_the_tables_is_refused() -> None:
    with pytest.raises(ValueError, match="no place for the tables"):
        with_tables("# President\n", "president", {})


def test_the_strength_in_the_readme_is_that_of_the_record() -> None:
    text = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    record = json.loads(strengths.RECORD.read_text(encoding="utf-8"))
    for name, player, against in (
        ("president", "`ppo`", "`lowest`"),
        ("splendor", "`guided:num_simulations=100`", "`mcts:num_simulations=3000`"),
    ):
        results = [
            row["first places, %"].replace(" ", " % ", 1)
            for row in (each["cells"] for each in record[name].values())
            if (row["player"], row["against"]) == (player, against)
        ]
        assert any(result in text for result in results), (name, results)
