"""Tables are kept until somebody asks for their deletion, and reading a store changes nothing."""

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from parlour.scripts.main import main
from parlour.scripts.table.store import TableStore
from parlour.scripts.table.table import Occupant, Setup

from .serving import ME

DAY = 86_400


def kept(path: Path, *days: float) -> None:
    """A store whose tables have been untouched for this many days."""
    setup = Setup("trick_taking", {}, (Occupant(**ME),) * 2, 5)
    with contextlib.closing(TableStore(path)) as store:
        for number, _ in enumerate(days):
            tokens = tuple(f"{number}-{seat}" for seat in range(3))
            store.add(str(number), setup, 0, tokens)
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        for number, age in enumerate(days):
            database.execute(
                "UPDATE tables SET changed = changed - ? WHERE id = ?", (age * DAY, str(number))
            )
    path.chmod(0o640)


def ids(path: Path) -> list[str]:
    with contextlib.closing(sqlite3.connect(path)) as database:
        return [id for (id,) in database.execute("SELECT id FROM tables ORDER BY id")]


def play(path: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    """`parlour play`, up to the moment when the server would begin."""

    def serve(arguments: object, start: Callable[[TableStore], str]) -> None:
        with contextlib.closing(TableStore(path)) as store:
            start(store)

    monkeypatch.setattr("parlour.scripts.commands.play.serve", serve)
    assert main(["play", *arguments]) == 0


def test_a_table_that_cannot_be_kept_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    kept(path, 0)
    setup = Setup("trick_taking", {}, (Occupant(**ME),) * 2, 5)
    with contextlib.closing(TableStore(path)) as store:
        with pytest.raises(sqlite3.IntegrityError):
            store.add("0", setup, 0, ("a", "b", "c"))
        store.add("1", setup, 0, ("d", "e", "f"))
    assert ids(path) == ["0", "1"]


def test_a_replay_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    kept(path, 400, 0)
    before = path.read_bytes(), path.stat().st_mode, sorted(tmp_path.iterdir())
    command = ["replay", str(path), "--table", "2", "--think", "0"]
    page = tmp_path.parent / "old.html"
    assert main([*command, "--html", str(page)]) == 0 and page.exists()
    assert (path.read_bytes(), path.stat().st_mode, sorted(tmp_path.iterdir())) == before


def test_tables_are_forgotten_only_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "tables.db"
    kept(path, 400, 61, 59, 0)
    play(path, monkeypatch)
    assert ids(path) == ["0", "1", "2", "3"] and capsys.readouterr().out == ""
    play(path, monkeypatch, "--forget", "60d")
    assert ids(path) == ["2", "3"]
    assert capsys.readouterr().out == "Deleted 2 tables untouched for 60 days.\n"
    with contextlib.closing(TableStore(path)) as store:
        assert store.table_id("0-1") is None and store.table_id("2-1") == "2"


@pytest.mark.parametrize("wrong", ["60", "0d", "-1d", "1.5d", "d", "100000d", "60 d"])
def test_a_wrong_duration_gets_one_line(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["play", f"--forget={wrong}"])
    error = capsys.readouterr().err
    assert "expected days in 1d .. 99999d" in error and error.count("\n") == 1
