"""`parlour verify`: what was changed in a store is noticed, and what was not is played again."""

import contextlib
import json
import sqlite3
import zlib
from pathlib import Path

import numpy as np
import pytest

from parlour.baselines.arena import Plan, Store, play_match, play_tournament
from parlour.baselines.arena.play.batches import DealBatch, Match, Outcomes
from parlour.baselines.arena.play.entrants import enter
from parlour.baselines.arena.results.store import StoreError
from parlour.baselines.arena.results.verification import verify_store
from parlour.envs import load_game
from parlour.scripts.main import main

GAME = load_game("trick_taking")
PLAYERS = ["random", "first_play", "smart"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Three matches of 12 deals, in batches of 4."""
    with Store(tmp_path / "store.db") as store:
        play_tournament(GAME, PLAYERS, 12, plan=Plan(batch_deals=4, store=store))
    return tmp_path / "store.db"


def change(path: Path, *statements: tuple) -> None:
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        for statement in statements:
            database.execute(*statement)


def returns_of(path: Path, number: int) -> np.ndarray:
    with contextlib.closing(sqlite3.connect(path)) as database:
        (packed,) = database.execute("SELECT returns FROM batch WHERE id = ?", (number,)).fetchone()
    return np.frombuffer(zlib.decompress(packed)).reshape(4, 2, 2).copy()


def verified(path: Path, capsys: pytest.CaptureFixture[str], options: str = "") -> tuple[int, dict]:
    """The exit status, and what is printed as JSON."""
    status = 0
    try:
        main(["verify", str(path), *options.split(), "--json", "-"])
    except SystemExit as end:
        status = int(end.code or 0)
    return status, json.loads(capsys.readouterr().out)


def test_an_untouched_store_is_verified(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, data = verified(path, capsys)
    assert (status, data["breaks"]) == (0, [])
    assert [row["num_replayed"] for row in data["matches"]] == [12, 12, 12]
    assert not any(row["num_different"] or row["note"] for row in data["matches"])
    with Store(path, to_read=True) as store:
        assert data["head"] == store.head() != ""


def test_a_sample_is_as_large_as_asked(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for size in (1, 7, 36, 99):
        status, data = verified(path, capsys, f"--sample {size}")
        assert status == 0
        assert sum(row["num_replayed"] for row in data["matches"]) == min(size, 36)


@pytest.mark.parametrize("number", [1, 5, 9])
def test_an_altered_return_is_noticed_twice(
    number: int, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    returns = returns_of(path, number)
    returns[2, 1] = -returns[2, 1] if returns[2, 1].any() else [1, -1]
    change(
        path,
        ("UPDATE batch SET returns = ? WHERE id = ?", (zlib.compress(returns.tobytes()), number)),
    )
    status, data = verified(path, capsys)
    assert status == 1
    assert [line.split()[1] for line in data["breaks"]] == [str(number)]
    assert [row["num_different"] for row in data["matches"]].count(1) == 1
    assert any("sitting 1, seat 0: stored" in row["note"] for row in data["matches"])


@pytest.mark.parametrize(
    ("statements", "breaks", "has_others"),
    [
        ("UPDATE batch SET first_seed = 1000 WHERE id = 8", ["batch 8 "], True),
        ("DELETE FROM batch WHERE id = 1", ["batches 1 to 1 are missing"], False),
        ("DELETE FROM batch WHERE id IN (8, 9)", ["batches 8 to 9 are missing"], False),
        (
            "UPDATE batch SET id = -1 WHERE id = 3; UPDATE batch SET id = 3 WHERE id = 4; "
            "UPDATE batch SET id = 4 WHERE id = -1",
            ["batch 3 ", "batch 4 ", "batch 5 "],
            False,
        ),
    ],
)
def test_rows_that_were_changed_removed_or_reordered_are_noticed(
    statements: str,
    breaks: list[str],
    has_others: bool,
    path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """And results that other deals brought are seen when they are played again."""
    change(path, *((statement,) for statement in statements.split("; ")))
    status, data = verified(path, capsys)
    assert status == 1 and len(data["breaks"]) == len(breaks)
    assert all(line.startswith(said) for line, said in zip(data["breaks"], breaks, strict=True))
    assert any(row["num_different"] for row in data["matches"]) == has_others


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE batch SET environment = 'elsewhere' WHERE id = 1",
        'UPDATE batch SET faults = \'[[0, 0, 0, "smart", "time", ""]]\' WHERE id = 1',
        "UPDATE player SET identity = 'parlour/1 0; best'",
        "UPDATE match SET seating = 'balanced' WHERE id = (SELECT match FROM batch WHERE id = 1)",
    ],
)
def test_the_chain_covers_all_that_a_result_depends_on(statement: str, path: Path) -> None:
    with Store(path) as store:
        assert store.breaks() == []
    change(path, (statement.replace("identity = '", "identity = id || '"),))
    with Store(path) as store:
        assert any(line.startswith("batch 1 ") for line in store.breaks())


def test_a_damaged_batch_that_is_played_again_mends_the_chain(path: Path) -> None:
    change(path, ("UPDATE batch SET returns = x'00' WHERE id = 2",))
    with Store(path) as store:
        head = store.head()
        assert [line.split()[1] for line in store.breaks()] == ["2"]
        play_tournament(GAME, PLAYERS, 12, plan=Plan(batch_deals=4, store=store))
        assert (store.breaks(), store.head()) == ([], head)


def test_results_carry_what_they_come_from(tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store:
        first = play_match(GAME, "smart", "random", 5, seed=7, plan=Plan(store=store))
        second = play_match(GAME, "smart", "random", 9, seed=7, plan=Plan(store=store))
        assert store.head() == second.origin["digest"] != first.origin["digest"]
    assert first.origin["first_seed"] == 7
    assert set(first.origin["players"]) == {"smart", "random"}
    assert "numpy" in first.origin["environment"]
    assert play_match(GAME, "smart", "random", 5).origin["digest"] is None


@pytest.mark.parametrize("value", [1.5, np.nan])
def test_a_store_keeps_no_impossible_return(value: float, tmp_path: Path) -> None:
    returns = np.zeros((1, 2, 2))
    returns[0, 1, 0] = value
    match = Match(enter(("smart", "random"), GAME), "field")
    with Store(tmp_path / "store.db") as store:
        with pytest.raises(StoreError, match=r"not in -1 \.\. 1: trick_taking, deal 3, sitting 1"):
            store.add(DealBatch(GAME, match, 3, 1, match.entrants), Outcomes(returns))
        assert store.head() == ""


def test_games_that_cannot_be_played_again_are_not_verified(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(path, ("UPDATE setting SET version = 99",))
    status, data = verified(path, capsys)
    assert status == 1
    assert all("not played: played under version 99" in row["note"] for row in data["matches"])


def test_games_lost_by_a_fault_are_not_compared(path: Path) -> None:
    returns = returns_of(path, 1)
    returns[1, 0] = [-1, 1] if returns[1, 0, 0] > 0 else [1, -1]
    fault = json.dumps([[1, 0, 0, "smart", "time", "too slow"]])
    row = (zlib.compress(returns.tobytes()), fault)
    change(path, ("UPDATE batch SET returns = ?, faults = ? WHERE id = 1", row))
    with Store(path) as store:
        assert not any(checked.num_different for checked in verify_store(store))
