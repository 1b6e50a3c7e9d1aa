"""A move counts once the store has it, and one server has a store."""

import contextlib
import json
import sqlite3
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from parlour.scripts.table import live
from parlour.scripts.table.serving import open_browser
from parlour.scripts.table.store import TableStore
from parlour.scripts.table.table import GameTable

from .serving import ME, SMALL, open_table, player, seated, server, state_of

pytestmark = pytest.mark.plain


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Another process writes into the store, and does not end."""
    with contextlib.closing(sqlite3.connect(folder / "tables.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def test_a_move_counts_once_the_store_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "RETRY_SECONDS", 0.1)
    with server(tmp_path) as client:
        state_of(client).store._connection.execute("PRAGMA busy_timeout = 300")
        tokens = open_table(client, "trick_taking", [ME, player("high_low")], settings=SMALL)
        with seated(client, tokens[0]) as me, seated(client, tokens[2]) as watcher:
            position = me.my_turn()
            watcher.next("presence")
            with locked(tmp_path):
                me.act(position, position["legal"][0])
                assert "database is locked" in me.next("store")["problem"]
                assert "database is locked" in me.next("error")["text"]
                assert "database is locked" in watcher.next("store")["problem"]
                assert me.ask({"type": "look", "is_narrow": True}, "position")["ply"] == 0
                with seated(client, tokens[2]) as late:  # sees what everybody sees
                    assert late.next("position")["ply"] == 0
                    assert "locked" in late.next("store")["problem"]
            me.act(position, position["legal"][0])
            assert me.next("store")["problem"] is None
            monkeypatch.setattr(TableStore, "keep", failing_once(TableStore.keep))
            assert me.play_to_the_end()["ply"] == 10  # the player goes on after a failure
            assert "disk I/O error" in json.dumps(me.received)
    with server(tmp_path) as client, seated(client, tokens[0]) as me:
        assert me.next("position")["ply"] == 10


def failing_once(keep: Callable[..., None]) -> Callable[..., None]:
    """Fail at the first move of a player."""
    is_done = False

    def kept(store: TableStore, id: str, table: GameTable, is_other_setup: bool) -> None:
        nonlocal is_done
        if not is_done and table.plies[-1].seat == 1:
            is_done = True
            raise sqlite3.OperationalError("disk I/O error")
        keep(store, id, table, is_other_setup)

    return kept


def test_a_second_server_on_the_same_store_is_refused(tmp_path: Path) -> None:
    path, first = tmp_path / "tables.db", "http://127.0.0.1:1"
    refused = pytest.raises(ValueError, match=f"the server at {first} keeps its tables in")
    with contextlib.closing(TableStore(path, True, first)), refused:
        TableStore(path, True, "http://127.0.0.1:2")
    TableStore(path, True, "http://127.0.0.1:3").close()


def test_the_address_with_the_key_is_in_no_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    open_browser("http://127.0.0.1:1/#owner=secret")
    (path,) = (tmp_path / "parlour").iterdir()
    assert opened == [path.as_uri()] and "secret" in path.read_text()
    assert path.stat().st_mode & 0o77 == 0
