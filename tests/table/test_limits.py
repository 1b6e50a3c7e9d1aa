"""Slow players, guests and strangers take no time, threads or connections from others."""

import contextlib
import functools
import gc
import itertools
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from parlour.baselines.players.policy import Policy
from parlour.envs.core.play.seating import PlayerError
from parlour.scripts.table import sockets
from parlour.scripts.table.protocol import Allowance
from parlour.scripts.table.table import GameTable

from .serving import (
    AS_OWNER,
    GUEST,
    ME,
    SMALL,
    Client,
    open_table,
    opened,
    player,
    seated,
    server,
    state_of,
)
from .test_hostile import play_on, two_seats

NUM_STRANGERS = 70  # more than one address may have


def test_a_slow_player_takes_no_time_from_other_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release, choose = threading.Event(), GameTable.choose

    def choose_late(table: GameTable, policy: Policy) -> int:
        if policy.name == "random":
            release.wait(60)
        return choose(table, policy)

    monkeypatch.setattr(GameTable, "choose", choose_late)
    with server(tmp_path, thinking_limit=0.001) as client:
        for _ in range(4):
            seats = [player("random"), ME]
            tokens = open_table(client, "trick_taking", seats, settings=SMALL)
            with seated(client, tokens[1]) as me:
                me.play_to_the_end()
                assert sum(each["type"] == "notice" for each in me.received) == 5
        state_of(client).host.minds.thinking_limit = 30.0
        tokens = open_table(client, "trick_taking", [player("high_low"), ME], settings=SMALL)
        with seated(client, tokens[1]) as me:
            me.play_to_the_end()
            assert not any(each["type"] == "notice" for each in me.received)
        release.set()


def test_what_everybody_has_left_is_freed_at_once(tmp_path: Path) -> None:
    """Without cycles of references, since full collections are rare: they stop all tables."""
    gc.collect()
    known = [each for each in gc.get_objects() if type(each) is GameTable]
    gc.disable()
    try:
        with server(tmp_path) as client:
            for _ in range(3):
                tokens = open_table(
                    client, "trick_taking", [player("high_low"), ME], settings=SMALL
                )
                with seated(client, tokens[1]) as me:
                    me.play_to_the_end()
            ends = time.monotonic() + 20  # for the last tasks of the connections
            while sum(type(each) is GameTable for each in gc.get_objects()) > len(known):
                assert time.monotonic() < ends
                time.sleep(0.1)
    finally:
        gc.enable()


@pytest.mark.parametrize("name", ["mcts:milliseconds=31000", "best:seconds=1000"])
def test_a_player_that_thinks_longer_than_the_limit_is_refused(
    client: TestClient, name: str
) -> None:
    table = {"game": "president", "settings": {}, "seats": [ME, *[player(name)] * 3]}
    match = {"game": "president", "settings": {}, "agent": "me", "opponent": name, "deals": 1}
    for path, data in (("/api/tables", table), ("/api/matches", match)):
        answer = client.post(path, json=data, headers=AS_OWNER)
        assert answer.status_code == 400 and "the limit here is 30 s" in answer.json()["error"]


def fail_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let players fail at the first move, and play the first action after that."""
    moves = itertools.count()

    def choose(table: GameTable, policy: Policy) -> int:
        if next(moves) == 0:
            raise PlayerError("on purpose")
        return table.legal[0]

    monkeypatch.setattr(GameTable, "choose", choose)


def test_a_match_does_not_count_deals_with_a_replaced_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_once(monkeypatch)
    with server(tmp_path) as client:
        last = play_match(client, num_games=4)
    assert (last["games_played"], last["games_replaced"]) == (4, 1)
    assert last["result"]["num_deals"] == 1
    assert "without the deals of 1 games" in last["text"]


def play_match(client: TestClient, num_games: int) -> dict[str, Any]:
    """Play a match over the socket; return its last message."""
    data = {"game": "trick_taking", "settings": SMALL, "agent": "me", "opponent": "high_low"}
    asked = {**data, "deals": num_games // 2}
    token = client.post("/api/matches", json=asked, headers=AS_OWNER).json()["token"]
    for number in range(num_games):
        with seated(client, token) as me:
            me.play_to_the_end()
            last = me.next("moved", "match")
            assert (last["type"] == "moved") is (number < num_games - 1)
    return last


def test_moves_that_answer_a_position_are_not_limited_in_rate(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    once = functools.partial(Allowance, a_second=0, burst=1)
    monkeypatch.setattr(sockets, "Allowance", lambda **_: once())
    tokens = open_table(client, "trick_taking", [ME, player("high_low")], settings=SMALL)
    with seated(client, tokens[0]) as me:
        me.play_to_the_end()
        me.send({"type": "look", "is_narrow": False})
        assert me.ask({"type": "look", "is_narrow": False}, "closed")["text"] == "too many messages"
    assert play_match(client, num_games=2)["games_played"] == 2


def test_requests_of_a_guest_do_not_delay_a_new_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = threading.Event()
    is_late = []
    monkeypatch.setattr(GameTable, "explain", lambda *_: is_late.append(release.wait(20)))
    seats = [ME, GUEST, player("high_low")]
    settings = {"num_values": 4, "num_players": 3}
    with server(tmp_path) as client:
        tokens = open_table(client, "trick_taking", seats, settings=settings)
        with seated(client, tokens[0]) as me, seated(client, tokens[1]) as guest:
            for each in (me, guest):
                position = each.my_turn()
                each.act(position, position["legal"][0])
            ply = played_by_player(guest)
            for _ in range(5):
                guest.send({"type": "explain", "ply": ply})
            guest.socket.send_text("junk")  # is answered when the requests have been taken
            guest.next("error")
            open_table(client, "trick_taking", seats, settings=settings)
            assert is_late == []
            release.set()


def played_by_player(guest: Client) -> int:
    """Wait for the player's move; return the number of its ply."""
    position = guest.next("position")
    while position["last"] is None or position["last"]["seat"] != 2:
        position = guest.next("position")
    return position["ply"] - 1


def test_idle_strangers_keep_nobody_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "MAX_CONNECTIONS", 8)
    with two_seats(tmp_path) as (address, tokens, me):
        idle = [connect(f"ws://{address}/seat").__enter__() for _ in range(NUM_STRANGERS)]
        with pytest.raises(ConnectionClosed):  # the oldest gave way
            idle[0].recv(timeout=60)
        play_on(address, tokens, me)
        for each in idle:
            each.close()


def test_silent_connections_give_way_to_the_owner(tmp_path: Path) -> None:
    with two_seats(tmp_path) as (address, tokens, me):
        name, _, port = address.partition(":")
        idle = [socket.create_connection((name, int(port))) for _ in range(NUM_STRANGERS)]
        idle[0].settimeout(60)
        with contextlib.suppress(ConnectionResetError):
            assert idle[0].recv(1) == b""
        assert opened(address, ME, GUEST)
        play_on(address, tokens, me)
        for each in idle:
            each.close()


@pytest.mark.parametrize("own", ["192.0.2.7:8123", "[2001:db8::7]:8123"])
def test_the_address_that_a_browser_came_to_is_accepted(client: TestClient, own: str) -> None:
    browser = TestClient(client.app, base_url=f"http://{own}")
    page = browser.get("/", headers={"Origin": f"http://{own}"})
    assert page.status_code == 200
    for other in ("evil.example:8123", "192.0.2.8:8123"):
        assert browser.get("/", headers={"Host": other}).status_code == 403
        assert browser.get("/", headers={"Origin": f"http://{other}"}).status_code == 403


def test_a_server_for_all_machines_says_where_it_is_and_warns(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "parlour.scripts.main", "play", "--no-browser"]
    command += ["--host", "0.0.0.0", "--port", "0", "--store", str(tmp_path / "tables.db")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        printed = ""
        while "Ctrl-C" not in printed:
            printed += running.stdout.readline()
        for address in re.findall(r"http://[\w.:]+", printed):
            assert "0.0.0.0" not in address
            with urllib.request.urlopen(address) as page:
                assert page.status == 200
        running.terminate()
    (warning,) = [line for line in printed.splitlines() if line.startswith("Warning")]
    assert "plain HTTP" in warning and "owner's key" in warning
