"""Programs at a table of a running server, over its WebSocket: an agent's seat, and the example."""

import ast
import contextlib
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.server import ServerConnection, serve

from docs.studies.table import Server
from parlour.scripts.agents.seat import TableSeat

from .serving import GUEST, link, listening_server, opened, player

pytestmark = pytest.mark.plain

CLIENT = Path(__file__).parents[2] / "docs/examples/seat_client.py"
WAIT = 60.0  # seconds: far more than any answer takes


def links(address: str, *others: dict[str, str], **more: Any) -> list[str]:
    """The links of a new table: a guest, then others."""
    return [link(address, token) for token in opened(address, GUEST, *others, **more)]


@contextlib.contextmanager
def taken(link: str, **settings: Any) -> Iterator[TableSeat]:
    seat = TableSeat(link, wait=WAIT, **settings)
    try:
        yield seat
    finally:
        seat.close()


def play_on(seat: TableSeat, position: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Play the first legal action to the end; return the last position and all moves."""
    moves = list(position["moves_since"])
    while not position["is_over"]:
        position = seat.play(position["legal_actions"][0])
        moves += position["moves_since"]
    return position, moves


def test_a_game_without_help_is_played_without_judgements(tmp_path: Path) -> None:
    with (
        listening_server(tmp_path) as address,
        taken(links(address, player("high_low"), help=False)[0]) as seat,
    ):
        position = seat.play(seat.position()["legal_actions"][0])
        assert "judgement" not in position and position["legal_actions"]
        assert play_on(seat, position)[0]["is_over"]


def test_a_game_is_played_with_every_move_told_once(tmp_path: Path) -> None:
    with (
        listening_server(tmp_path) as address,
        taken(links(address, player("high_low"))[0]) as seat,
    ):
        first = seat.position()
        assert first["seat"] == 0 and first["observation"] and first["words"]
        with pytest.raises(ValueError, match="not over"):
            seat.result()
        with pytest.raises(ValueError, match="not over"):
            seat.next_game()
        with pytest.raises(ValueError, match=f"legal: {first['legal_actions'][0]}"):
            seat.play("card:9.9")
        position = seat.play(first["legal_actions"][0])
        assert position["judgement"]["action"] == first["legal_actions"][0]
        assert position["judgement"]["regret"] >= 0
        last, moves = play_on(seat, position)
        assert len(moves) + len(first["moves_since"]) == 10
        assert last["legal_actions"] == [] and sum(seat.result()["returns"]) == 0
        with pytest.raises(ValueError, match="none: it is not your turn"):
            seat.play("card:1.1")


def test_a_restart_of_the_server_is_survived(tmp_path: Path) -> None:
    with listening_server(tmp_path) as address:
        where = links(address, player("high_low"))[0]
        seat = TableSeat(where, judges=False, wait=WAIT)
        first = seat.position()
        second = seat.play(first["legal_actions"][0])
    moves = [*first["moves_since"], *second["moves_since"]]
    with listening_server(tmp_path, int(address.rpartition(":")[2])):
        last, later = play_on(seat, {**second, "moves_since": []})
        assert len(moves + later) == 10 and last["is_over"]
        seat.close()


@pytest.mark.long
def test_a_server_that_is_killed_loses_no_ply(tmp_path: Path) -> None:
    """All that was told is on the disk."""
    killed = Server(tmp_path)
    with taken(link(killed.address, killed.open("trick_taking")), judges=False) as seat:
        first = seat.position()
        second = seat.play(first["legal_actions"][0])
        killed.process.kill()
        killed.process.wait()
        server = Server(tmp_path, killed.address.rpartition(":")[2])
        try:
            last, later = play_on(seat, {**second, "moves_since": []})
        finally:
            server.process.kill()
            server.process.wait()
    assert last["is_over"]
    assert len([*first["moves_since"], *second["moves_since"], *later]) == 20


def test_without_a_server_it_says_so(tmp_path: Path) -> None:
    with listening_server(tmp_path) as address:
        where = links(address, player("high_low"))[0]
    with pytest.raises(ValueError, match="no server answers"):
        TableSeat(where, wait=0)


def test_a_server_that_says_nothing_is_left() -> None:
    def read_only(connection: ServerConnection) -> None:
        for _ in connection:
            pass

    with serve(read_only, "127.0.0.1", 0) as mute:
        listening = threading.Thread(target=mute.serve_forever)
        listening.start()
        port = mute.socket.getsockname()[1]
        with pytest.raises(ValueError, match="does not answer"):
            TableSeat(f"http://127.0.0.1:{port}/#seat=x", wait=0.1)
        mute.shutdown()
        listening.join()


@pytest.mark.parametrize("wrong", ["", "http://127.0.0.1:1/", "ftp://127.0.0.1:1/#seat=x"])
def test_a_wrong_link_is_explained(wrong: str) -> None:
    with pytest.raises(ValueError, match="a link of a seat looks like"):
        TableSeat(wrong)


def test_two_agents_wait_for_each_other(tmp_path: Path) -> None:
    with listening_server(tmp_path) as address:
        both = links(address, GUEST)
        news: dict[int, tuple[dict[str, Any], list[str]]] = {}

        def play(number: int) -> None:
            with taken(both[number], judges=False) as seat:
                news[number] = play_on(seat, seat.position())

        agents = [threading.Thread(target=play, args=(number,)) for number in range(2)]
        for agent in agents:
            agent.start()
        for agent in agents:
            agent.join()
        assert news[0][1] == news[1][1] and len(news[0][1]) == 10


# docs/examples/seat_client.py


def test_two_programs_play_president_to_its_end(tmp_path: Path) -> None:
    seats = [GUEST, player("lowest"), GUEST, player("random")]
    with listening_server(tmp_path) as address:
        tokens = opened(address, *seats, game="president", settings={})
        programs = [started(link(address, tokens[seat])) for seat in (0, 2)]
        printed = [program.communicate(timeout=100)[0] for program in programs]
    results = [ast.literal_eval(text) for text in printed]
    assert results[0] == results[1]
    assert len(results[0]) == 4 and any(results[0])


def test_the_example_says_why_it_is_refused(tmp_path: Path) -> None:
    with listening_server(tmp_path) as address:
        refused = started(link(address, "guessed"))
        problem = refused.communicate(timeout=100)[1]
    assert refused.returncode != 0 and "no seat has this token" in problem


def started(link: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(CLIENT), link],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
