"""Slow, silent, flooding and vanishing clients and slow players harm nobody but themselves."""

import contextlib
import functools
import gc
import json
import re
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from parlour.baselines.policies.policy import Policy
from parlour.scripts.table import help, host, live, sockets
from parlour.scripts.table.protocol import Allowance
from parlour.scripts.table.table import GameTable
from parlour.scripts.table.thinking import TooSlow

from .serving import (
    AS_OWNER,
    GUEST,
    ME,
    SMALL,
    Client,
    listening_server,
    open_table,
    opened,
    player,
    playing,
    seated,
    server,
    state_of,
)
from .test_fuzz import play_both

pytestmark = pytest.mark.plain

LINGER_NOT = struct.pack("ii", 1, 0)  # close by a reset, as a machine does that loses its power


class Seat(Client):
    """A client with a real socket, which notes how far its game is."""

    def __init__(self, address: str, token: str) -> None:
        # Without pings: a thread that sends them may outlive the test, and draws from `random`.
        socket = connect(f"ws://{address}/seat", ping_interval=None)
        super().__init__(socket.__enter__(), token)
        self.position: dict[str, Any] = {}
        self.send({"type": "sit", "token": token})

    def send(self, message: dict[str, Any]) -> None:
        self.socket.send(json.dumps(message))

    def receive(self) -> dict[str, Any]:
        message = json.loads(self.socket.recv(timeout=60))
        if message["type"] == "position":
            self.position = message
        return message

    def at(self, ply: int) -> dict[str, Any]:
        """Wait for the position after this number of plies."""
        while self.position.get("ply") != ply:
            self.next("position")
        return self.position


@contextlib.contextmanager
def two_seats(tmp_path: Path) -> Iterator[tuple[str, list[str], Seat]]:
    """The address, the tokens of both seats and of spectators, and a client in the first seat."""
    with listening_server(tmp_path) as address:
        tokens = opened(address, ME, GUEST)
        me = Seat(address, tokens[0])
        me.at(0)
        try:
            yield address, tokens, me
        finally:
            me.socket.close()


def play_on(address: str, tokens: list[str], me: Seat) -> None:
    """Both seats play to the end."""
    guest = Seat(address, tokens[1])
    ply = me.position["ply"]
    while guest.at(ply)["returns"] is None:
        mover = me if me.at(ply)["legal"] else guest
        mover.act(mover.position, mover.position["legal"][0])
        ply += 1
    guest.socket.close()


def last_words(client: ClientConnection) -> str:
    """What the server says before it closes this connection; nothing where it just closes."""
    said = ""
    with contextlib.suppress(ConnectionClosed):
        while True:
            message = json.loads(client.recv(timeout=60))
            said = message["text"] if message["type"] == "closed" else said
    return said


@pytest.mark.long
def test_who_does_not_read_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "QUEUE_LENGTH", 4)
    listen = socket.socket.listen

    def listen_with_little_room(listener: socket.socket, *backlog: int) -> None:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        listen(listener, *backlog)

    monkeypatch.setattr(socket.socket, "listen", listen_with_little_room)
    connection_made = WebSocketsSansIOProtocol.connection_made

    def connection_made_with_little_room(protocol: Any, transport: Any) -> None:
        transport.set_write_buffer_limits(1024)  # asyncio takes 64 KiB before it makes anybody wait
        connection_made(protocol, transport)

    monkeypatch.setattr(
        WebSocketsSansIOProtocol, "connection_made", connection_made_with_little_room
    )
    with two_seats(tmp_path) as (address, tokens, me):
        slow = socket.socket()
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect(_split(address))
        # Without pings: the thread that sends them would outlive the test.
        deaf = connect(
            f"ws://{address}/seat", sock=slow, max_queue=1, ping_interval=None
        ).__enter__()
        deaf.send(json.dumps({"type": "sit", "token": tokens[2]}))
        while me.next("presence")["watchers"] == 0:
            pass
        watchers = 1
        while watchers:  # until the server has had enough: it says so to the others
            me.send({"type": "look", "is_narrow": False})
            me.next("position")
            guest = Seat(address, tokens[1])
            guest.next("position")
            watchers = me.next("presence")["watchers"]
            guest.socket.close()
            watchers = min(watchers, me.next("presence")["watchers"])
        play_on(address, tokens, me)
        slow.close()


def _split(address: str) -> tuple[str, int]:
    name, _, port = address.partition(":")
    return name, int(port)


@pytest.mark.long
def test_who_is_silent_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "SECONDS_TO_SIT", 0.05)
    with two_seats(tmp_path) as (address, tokens, me):
        with connect(f"ws://{address}/seat") as silent:
            assert last_words(silent) == "no token in time"
        play_on(address, tokens, me)


def test_who_floods_is_closed(tmp_path: Path) -> None:
    with two_seats(tmp_path) as (address, tokens, me):
        for text in ('{"type":"look","is_narrow":true}', '{"type":"undo"}', "junk"):
            flooding = Seat(address, tokens[1])
            with contextlib.suppress(ConnectionClosed):
                for _ in range(500):
                    flooding.socket.send(text)
            said = ("too many messages", "too many wrong messages", "")  # or its end was lost
            assert last_words(flooding.socket) in said
        play_on(address, tokens, me)


@pytest.mark.parametrize("moment", ["connected", "sitting", "seated", "asking"])
@pytest.mark.long
def test_who_vanishes_is_forgotten(moment: str, tmp_path: Path) -> None:
    with two_seats(tmp_path) as (address, tokens, me):
        client = connect(f"ws://{address}/seat", ping_interval=None).__enter__()
        if moment != "connected":
            client.send(json.dumps({"type": "sit", "token": tokens[1]}))
        if moment in ("seated", "asking"):
            while not me.next("presence")["connected"][1]:
                pass
        if moment == "asking":
            client.send('{"type":"review"}')
            client.send('{"type":"look","is_narrow":true}')
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_NOT)
        client.socket.close()
        if moment in ("seated", "asking"):
            while me.next("presence")["connected"][1]:
                pass
        play_on(address, tokens, me)


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"\x16\x03\x01\x02\x00\x01\x00",  # as a client that wants encryption begins
        b"GET /seat HTTP/1.1\r\nHost: ",
        b"GET " + b"/" * 100_000 + b" HTTP/1.1\r\n\r\n",
        b"POST /api/tables HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
    ],
)
def test_what_is_no_request_disturbs_nobody(sent: bytes, tmp_path: Path) -> None:
    with (
        two_seats(tmp_path) as (address, tokens, me),
        socket.create_connection(_split(address)) as odd,
    ):
        odd.sendall(sent)
        play_on(address, tokens, me)


@pytest.mark.parametrize("huge", ["x" * 10**6, b"\x00" * 10**6])
def test_a_huge_message_closes_its_own_connection_only(huge: str | bytes, tmp_path: Path) -> None:
    with two_seats(tmp_path) as (address, tokens, me):
        guest = Seat(address, tokens[1])
        guest.socket.send(huge)
        last_words(guest.socket)
        assert guest.socket.close_code == 1009
        play_on(address, tokens, me)


def test_one_token_takes_the_room_of_its_own_seat_only(tmp_path: Path) -> None:
    with two_seats(tmp_path) as (address, tokens, me):
        many = [Seat(address, tokens[1]) for _ in range(host.MAX_CONNECTIONS_A_SEAT)]
        for each in many:
            each.at(0)
        assert last_words(Seat(address, tokens[1]).socket) == "too many connections to this seat"
        again = Seat(address, tokens[0])
        again.at(0)
        again.socket.close()
        for each in many:
            each.socket.close()
        while me.next("presence")["connected"][1]:
            pass
        play_on(address, tokens, me)


@pytest.mark.long
def test_a_full_server_refuses_seats_and_its_games_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "MAX_CONNECTIONS", 2)
    with two_seats(tmp_path) as (address, tokens, me):
        guest = Seat(address, tokens[1])
        guest.at(0)
        assert last_words(Seat(address, tokens[1]).socket) == "too many connections"
        guest.socket.close()
        while me.next("presence")["connected"][1]:
            pass
        play_on(address, tokens, me)


def test_a_picture_is_drawn_once_and_earlier_ones_beside_the_event_loop(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[tuple[str, threading.Thread]] = []

    def note(module: Any, name: str) -> None:
        draw = getattr(module, name)

        def noted(*arguments: Any) -> Any:
            drawn.append((name, threading.current_thread()))
            return draw(*arguments)

        monkeypatch.setattr(module, name, noted)

    token = open_table(client, "trick_taking", [ME, player("random")], settings=SMALL)[0]
    note(help, "picture_before")
    note(live, "position_message")
    with seated(client, token) as me:
        position = me.my_turn()
        before = len(drawn)
        for _ in range(30):
            me.ask({"type": "look", "is_narrow": False}, "position")
        assert len(drawn) == before > 0
        me.act(position, position["legal"][0])
        me.my_turn()
        assert me.ask({"type": "look_back", "ply": 0}, "picture")["ply"] == 0
    threads = dict(drawn)
    assert threads["picture_before"] is not threads["position_message"]


@pytest.mark.parametrize("error", [IndexError("mine"), SystemExit(0), KeyboardInterrupt()])
def test_a_player_that_fails_holds_nobody_up(
    error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> int:
        raise error

    monkeypatch.setattr(GameTable, "choose", fail)
    with playing(tmp_path, [ME, player("high_low")]) as me:
        assert me.play_to_the_end()["returns"] is not None
        notices = [each for each in me.received if each["type"] == "notice"]
        assert "random legal move" in notices[0]["text"]


def test_a_refused_connection_leaves_no_table_in_memory(client: TestClient) -> None:
    seats = [ME, player("high_low")]
    tokens = open_table(client, "trick_taking", seats, settings=SMALL)
    tables = state_of(client).host.live
    with seated(client, tokens[1]) as thief:
        assert "a player has taken" in thief.next("closed")["text"]
    assert not tables
    with seated(client, tokens[0]) as me:
        assert me.next("position")["ply"] == 0
    assert not tables


def test_a_table_that_is_too_slow_to_look_back_at_leaves_no_table_in_memory(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = open_table(client, "president", [ME, *[player("lowest")] * 3])
    tables = state_of(client).host.live
    with seated(client, tokens[0]) as me:
        position = me.my_turn()
        me.act(position, position["legal"][0])
        me.next("position")

    def recall(*_: Any) -> None:
        raise TooSlow("no answer within 30 s")

    monkeypatch.setattr(GameTable, "recall", recall)
    with seated(client, tokens[0]) as me:
        assert "no answer" in me.next("closed")["text"]
    assert not tables


def test_a_forced_move_is_not_made_where_others_would_learn_that_it_was(client: TestClient) -> None:
    """With hidden cards, who passes at once had no choice; people at one table must not know."""
    tokens = open_table(client, "president", [ME, GUEST, player("lowest"), player("lowest")])
    with seated(client, tokens[0]) as me, seated(client, tokens[1]) as guest:
        play_both(me, guest)
        heard = [*me.received, *guest.received]
    assert any(len(each["legal"]) == 1 for each in heard if each["type"] == "position")


NUM_STRANGERS = 70  # more than one address may have


@pytest.mark.long
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
        state_of(client).host.pools.thinking_limit = 30.0
        tokens = open_table(client, "trick_taking", [player("high_low"), ME], settings=SMALL)
        with seated(client, tokens[1]) as me:
            me.play_to_the_end()
            assert not any(each["type"] == "notice" for each in me.received)
        release.set()


@pytest.mark.long
def test_what_everybody_has_left_is_freed_at_once(tmp_path: Path) -> None:
    """Without cycles of references, since full collections are rare: they stop all tables."""
    gc.collect()
    earlier = [each for each in gc.get_objects() if type(each) is GameTable]
    gc.disable()
    try:
        with server(tmp_path) as client:
            for _ in range(3):
                tokens = open_table(
                    client, "trick_taking", [player("high_low"), ME], settings=SMALL
                )
                with seated(client, tokens[1]) as me:
                    me.play_to_the_end()
            ends = time.monotonic() + 60  # for the last tasks of the connections
            while sum(type(each) is GameTable for each in gc.get_objects()) > len(earlier):
                assert time.monotonic() < ends
                time.sleep(0.1)
    finally:
        gc.enable()


@pytest.mark.parametrize("name", ["mcts:milliseconds=31000", "best:milliseconds=1000000"])
def test_a_player_that_thinks_longer_than_the_limit_is_refused(
    client: TestClient, name: str
) -> None:
    table = {"game": "top_trumps", "settings": {}, "seats": [ME, player(name)]}
    answer = client.post("/api/tables", json=table, headers=AS_OWNER)
    assert answer.status_code == 400 and "the limit here is 30 s" in answer.json()["error"]


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


@pytest.mark.long
def test_requests_of_a_guest_do_not_delay_a_new_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = threading.Event()
    is_late = []
    monkeypatch.setattr(GameTable, "explain", lambda *_: is_late.append(release.wait(60)))
    seats = [ME, GUEST, player("high_low")]
    settings = {"num_values": 4, "num_players": 3}
    with server(tmp_path) as client:
        tokens = open_table(client, "trick_taking", seats, settings=settings)
        with seated(client, tokens[0]) as me, seated(client, tokens[1]) as guest:
            for each in (me, guest):
                position = each.my_turn()
                each.act(position, position["legal"][0])
            position = guest.next("position")
            while position["last"] is None or position["last"]["seat"] != 2:
                position = guest.next("position")
            for _ in range(5):
                guest.send({"type": "explain", "ply": position["ply"] - 1})
            guest.socket.send_text("junk")  # is answered when the requests have been taken
            guest.next("error")
            open_table(client, "trick_taking", seats, settings=settings)
            assert is_late == []
            release.set()


@pytest.mark.long
def test_idle_strangers_keep_nobody_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "MAX_CONNECTIONS", 8)
    with two_seats(tmp_path) as (address, tokens, me):
        idle = [connect(f"ws://{address}/seat").__enter__() for _ in range(NUM_STRANGERS)]
        with pytest.raises(ConnectionClosed):  # the oldest gave way
            idle[0].recv(timeout=60)
        play_on(address, tokens, me)
        for each in idle:
            each.close()


@pytest.mark.long
def test_silent_connections_give_way_to_the_owner(tmp_path: Path) -> None:
    with two_seats(tmp_path) as (address, tokens, me):
        idle = [socket.create_connection(_split(address)) for _ in range(NUM_STRANGERS)]
        idle[0].settimeout(60)
        with contextlib.suppress(ConnectionResetError):
            assert idle[0].recv(1) == b""
        assert opened(address, ME, GUEST)
        play_on(address, tokens, me)
        for each in idle:
            each.close()


@pytest.mark.parametrize("own", ["192.0.2.7:8123", "[2001:db8::7]:8123"])
def test_the_address_that_a_browser_came_to_is_accepted(client: TestClient, own: str) -> None:
    if own.startswith("[") and version("starlette").startswith("0."):
        pytest.skip("Starlette's test client took no such address before 1.0")
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
