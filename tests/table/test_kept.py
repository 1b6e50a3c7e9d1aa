"""A move counts once the store has it, and one server has a store."""

import asyncio
import contextlib
import json
import sqlite3
import threading
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from parlour.scripts.table import host, live
from parlour.scripts.table.host import Host
from parlour.scripts.table.live import LiveTable
from parlour.scripts.table.serving import open_browser
from parlour.scripts.table.store import TableStore
from parlour.scripts.table.table import GameTable, Occupant, Setup

from .serving import AS_OWNER, ME, OWNER, SMALL, open_table, player, seated, server, state_of

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


def test_a_lock_held_elsewhere_stops_no_other_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    has_begun, has_ended = threading.Event(), threading.Event()
    keep = TableStore.keep

    def noting(*arguments: Any) -> None:
        has_begun.set()
        try:
            keep(*arguments)
        finally:
            has_ended.set()

    monkeypatch.setattr(TableStore, "keep", noting)
    with server(tmp_path) as client:
        state_of(client).store._connection.execute("PRAGMA busy_timeout = 60000")
        tokens = open_table(client, "trick_taking", [ME, player("high_low")], settings=SMALL)
        others = open_table(client, "trick_taking", [ME, player("high_low")], settings=SMALL)
        with seated(client, tokens[0]) as me, seated(client, others[0]) as other:
            position = me.my_turn()
            other.my_turn()
            with locked(tmp_path):
                me.act(position, position["legal"][0])
                assert has_begun.wait(60)
                other.ask({"type": "look", "is_narrow": True}, "position")
                assert client.get("/api/rules/president").status_code == 200
                assert not has_ended.is_set()
            assert me.my_turn()["ply"] > 0  # it waited, and was kept


def test_the_store_has_one_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[str] = []
    load = TableStore.load

    def noting(store: TableStore, id: str) -> Any:
        threads.append(threading.current_thread().name)
        return load(store, id)

    monkeypatch.setattr(TableStore, "load", noting)
    with server(tmp_path) as client:
        tokens = open_table(client, "trick_taking", [ME, player("high_low")], settings=SMALL)
        with seated(client, tokens[0]) as me:
            me.play_to_the_end()
        (kept,) = client.get("/api/tables", headers=AS_OWNER).json()
        for id, status in ((kept["id"], 200), ("another", 400)):
            asked = client.post("/api/replays", json={"table": id}, headers=AS_OWNER)
            assert asked.status_code == status, asked.text
    assert len(threads) == 3 and {*threads} == {"store_0"}


def test_one_table_is_alive_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A visitor who is refused drops the table, while others wait for it."""
    made: list[LiveTable] = []

    async def slowly(self: Host, id: str, *_: Any) -> None:
        await asyncio.sleep(0.05)

    monkeypatch.setattr(Host, "_check_files", slowly)

    async def race() -> None:
        tables = Host(TableStore(tmp_path / "tables.db"))
        seats = tuple(Occupant(**each) for each in (ME, player("high_low")))
        id, _ = await tables.open(Setup("trick_taking", SMALL, seats, 5))

        async def refused() -> None:
            table = await tables._live(id)
            tables._drop_if_empty(table)

        async def come() -> None:
            made.append(await tables._live(id))

        first, second = asyncio.create_task(refused()), asyncio.create_task(come())
        await first
        await asyncio.gather(second, asyncio.create_task(come()))
        tables.close()

    asyncio.run(race())
    assert made[0] is made[1]


def test_a_second_server_on_the_same_store_is_refused(tmp_path: Path) -> None:
    path, first = tmp_path / "tables.db", "http://127.0.0.1:1"
    refused = pytest.raises(ValueError, match=f"the server at {first} keeps its tables in")
    with contextlib.closing(TableStore(path, True, first)), refused:
        TableStore(path, True, "http://127.0.0.1:2")
    TableStore(path, True, "http://127.0.0.1:3").close()


def test_a_row_without_tokens_is_left_out(tmp_path: Path) -> None:
    with server(tmp_path) as client:
        for _ in range(2):
            open_table(client, "trick_taking", [ME, player("high_low")], settings=SMALL)
        with contextlib.closing(sqlite3.connect(tmp_path / "tables.db")) as other, other:
            other.execute("UPDATE tables SET tokens = '[]' WHERE rowid = 1")
        assert len(client.get("/api/tables", headers=AS_OWNER).json()) == 1


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


def test_a_shared_game_reads_no_file(tmp_path: Path) -> None:
    deck = tmp_path / "secret.csv"
    deck.write_text("a secret line")
    settings = {"deck": str(deck)}
    seats = [ME, player("random")]
    asked = {"game": "top_trumps", "settings": settings, "seats": seats, "shared": True}
    with server(tmp_path) as client:
        for path in ("/api/tables", "/api/games/top_trumps"):
            refused = client.post(path, json=asked, headers=AS_OWNER)
            assert refused.status_code == 400 and "secret line" not in refused.text


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"seed": True}, "seed is a whole number, not True"),
        ({"forced": "no"}, "forced is true or false, not 'no'"),
        ({"seats": [{**ME, "name": "\u3164 \u2800"}, player("random")]}, "can be read"),
        ({"seats": [{**ME, "name": "host"}, player("random")]}, "is not Host"),
        ({"seats": [ME, player("mcts:num_simulations=200000")]}, "100,000 simulations"),
        ({"seats": [ME, player("playout:num_playouts=200000")]}, "simulations or playouts"),
    ],
)
def test_a_request_is_taken_at_its_word(tmp_path: Path, change: dict, said: str) -> None:
    table = {"game": "trick_taking", "settings": SMALL, "seats": [ME, player("random")], **change}
    with server(tmp_path) as client:
        refused = client.post("/api/tables", json=table, headers=AS_OWNER)
        assert refused.status_code == 400 and said in refused.json()["error"]
        for key, status in ((OWNER, 403), (f"bearer {OWNER}", 200)):
            assert client.get("/api/games", headers={"Authorization": key}).status_code == status


def test_loading_a_listed_player_is_no_thinking_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[str, dict]] = []
    load = host.make_policy

    def note(name: str, game: Any, **settings: Any) -> Any:
        made.append((name, settings))
        return load(name, game, **settings)

    monkeypatch.setattr(host, "make_policy", note)
    seats = [ME, player("mcts:milliseconds=20000")]
    with server(tmp_path) as client:
        for _ in range(2):  # once a process
            open_table(client, "trick_taking", seats, settings=SMALL)
    assert made == [("mcts", {"milliseconds": 1})]
