"""The server of `parlour play`: games are played over it, and bad clients harm nobody."""

import contextlib
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from parlour.envs import GAMES, find_game
from parlour.scripts.table.guard import MAX_BODY
from parlour.scripts.table.protocol import Allowance
from parlour.scripts.table.store import TableStore

from .serving import (
    ADDRESS,
    AS_OWNER,
    GUEST,
    ME,
    OWNER,
    SEAT,
    SMALL,
    open_table,
    player,
    playing,
    seated,
    server,
)

pytestmark = pytest.mark.plain


def test_a_game_against_a_player_is_played_to_its_end(tmp_path: Path) -> None:
    with playing(tmp_path, [ME, player("high_low")]) as me:
        last = me.play_to_the_end()
    assert last["ply"] == 10
    assert sum(last["returns"]) == 0
    assert me.received[0]["type"] == "table"
    positions = [message for message in me.received if message["type"] == "position"]
    assert [position["ply"] for position in positions] == list(range(11))


def test_who_resigns_has_lost_and_sees_all_seats(tmp_path: Path) -> None:
    with playing(tmp_path, [ME, player("high_low")]) as me:
        own = me.my_turn()
        lost = me.ask({"type": "resign"}, "position")
        assert lost["returns"] == [-1, 1] and lost["result"]["headline"] == "You resigned"
        other = me.ask({"type": "look", "is_narrow": False, "seat": 1}, "position")
        assert other["svg"] != lost["svg"] != own["svg"]
        assert "nothing to take back" in me.ask({"type": "undo"}, "error")["text"]
    with server(tmp_path) as client, seated(client, me.token) as me:  # it is kept
        assert me.next("position")["returns"] == [-1, 1]


def test_who_takes_too_long_for_a_move_has_lost_once_there(tmp_path: Path) -> None:
    seats, limit = [GUEST, ME], {"move_seconds": 0.05}
    with server(tmp_path) as client:
        tokens = open_table(client, "trick_taking", seats, settings=SMALL, **limit)
        with seated(client, tokens[1]) as waiting:
            assert waiting.next("position")["to_act"] == 0
            assert waiting.next("presence")["left"] is None  # nobody has taken that seat
            with seated(client, tokens[0]):
                while (last := waiting.next("position"))["returns"] is None:
                    pass
    assert last["returns"] == [-1, 1] and last["result"]["headline"] == "Guest ran out of time"


def test_where_others_play_on_nobody_resigns(client: TestClient) -> None:
    seats = [ME, GUEST, player("random"), player("random")]
    tokens = open_table(client, "president", seats)
    with seated(client, tokens[1]) as guest:
        assert "others are playing" in guest.ask({"type": "resign"}, "error")["text"]
    limited = {"game": "president", "settings": {}, "seats": seats, "move_seconds": 60}
    refused = client.post("/api/tables", json=limited, headers=AS_OWNER)
    assert refused.status_code == 400 and "a time limit goes" in refused.json()["error"]


@pytest.mark.parametrize("name", GAMES)
def test_a_position_is_changed_and_played_on_from(name: str, client: TestClient) -> None:
    seats = [ME, *[player("random")] * (find_game(name).num_seats - 1)]
    token = open_table(client, name, seats)[0]
    with seated(client, token) as me:
        position = me.my_turn()
        me.act(position, position["legal"][0])
        scores = me.my_turn()["scores"]
        made = me.ask({"type": "share"}, "shared")
    made = {key: made[key] for key in ("game", "settings", "deal", "seed", "actions")}

    def laid(**more: Any) -> Any:
        answer = client.post("/api/positions", json={**made, **more}, headers=AS_OWNER)
        assert answer.status_code == 200, answer.text
        return answer.json()

    shown = laid()
    deal = shown["deal"]
    assert shown["problem"] == "" and shown["svg"].startswith("<svg")
    assert laid(piles={})["problem"]
    piles = {name: pile["pieces"] for name, pile in shown["piles"].items()}
    assert laid(piles=piles, seat=shown["seat"])["deal"] == deal
    refused = client.post("/api/positions", json={**made, "piles": {"no": []}}, headers=AS_OWNER)
    assert refused.status_code == 400 and "piles are" in refused.json()["error"]
    assert client.post("/api/positions", json=made).status_code == 403

    def opened(deal: Any) -> Any:
        request = {"token": token, "deal": deal}
        return client.post("/api/tables", json=request, headers=AS_OWNER)

    with seated(client, opened(deal).json()["tokens"][0]) as me:
        again = me.my_turn()
        assert again["ply"] == 0 and again["scores"] == scores
        me.act(again, again["legal"][0])
        assert me.my_turn()["ply"] > 0
    refused = opened({**deal, "seat_to_act" if "seat_to_act" in deal else "starter": 99})
    assert refused.status_code == 400 and "99" in refused.json()["error"]
    if name == "splendor":
        table = [deal["table"][1], *deal["table"][1:]]
        for wrong, said in (
            ({"bank": 0}, "black gems; here are"),
            ({"table": table}, "2 times"),
        ):
            refused = opened({**deal, **wrong})
            assert refused.status_code == 400 and said in refused.json()["error"]


def test_the_page_and_its_parts_are_served_with_safe_headers(client: TestClient) -> None:
    for path in ("/", "/board.js", "/ask.js", "/table.js", "/setup.js", "/page.css", "/icon.svg"):
        answer = client.get(path)
        assert answer.status_code == 200 and answer.text
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["referrer-policy"] == "no-referrer"


def test_the_choices_of_a_game_follow_its_settings(client: TestClient) -> None:
    ask = {"settings": {"num_players": 2}}
    facts = client.post("/api/games/president", json=ask, headers=AS_OWNER).json()
    assert facts["num_seats"] == 2
    assert {"lowest", "playout"} <= {each["name"] for each in facts["players"]}
    timed = {each["name"]: each["is_timed"] for each in facts["players"]}
    assert timed["mcts"] and not timed["lowest"] and not timed["best"]  # which is `perfect`
    ask = {"settings": {"num_players": 3}}
    wrong = client.post("/api/games/president", json=ask, headers=AS_OWNER)
    assert wrong.status_code == 400 and "num_players must be one of" in wrong.json()["error"]


def test_only_the_owner_opens_tables(client: TestClient) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong"}):
        for path in ("/api/games", "/api/tables"):
            assert client.get(path, headers=headers).status_code == 403
        assert client.post("/api/tables", json={}, headers=headers).status_code == 403
        assert client.post("/api/games/notty", json={}, headers=headers).status_code == 403
    for key, status in ((OWNER, 403), (f"bearer {OWNER}", 200)):
        assert client.get("/api/games", headers={"Authorization": key}).status_code == status


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": f"{ADDRESS}.evil.example"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Host": "127.0.0.1:1"},
    ],
)
def test_another_host_or_origin_is_refused(client: TestClient, headers: dict) -> None:
    assert client.get("/", headers=headers).status_code == 403
    assert client.get("/api/games", headers={**AS_OWNER, **headers}).status_code == 403
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(SEAT, headers=headers):
        pass
    own = {"Origin": f"http://{ADDRESS}"}
    with client.websocket_connect(SEAT, headers=own) as socket:
        socket.send_json({"type": "sit", "token": "x"})
        assert socket.receive_json()["type"] == "closed"


def test_large_requests_are_refused(client: TestClient) -> None:
    body = b'{"a":"' + b"x" * MAX_BODY + b'"}'
    assert client.post("/api/tables", content=body, headers=AS_OWNER).status_code == 413


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"settings": {"num_values": -1}}, "num_values must be"),
        ({"settings": {"unknown": 1}}, "no setting 'unknown'"),
        ({"settings": []}, "settings an object"),
        ({"seats": []}, ""),
        ({"seats": [ME] * 99}, ""),
        ({"seats": [ME, {"kind": "ghost", "name": "x"}]}, ""),
        ({"seats": [ME, player("nobody")]}, "nobody"),
        ({"seats": [ME, {"kind": "here", "name": "a" * 41}]}, "1 to 40"),
        ({"seats": [ME, {"kind": "here", "name": "line\nbreak"}]}, ""),
        ({"seats": [{**ME, "name": "\u3164 \u2800"}, GUEST]}, "can be read"),
        ({"seats": [{**ME, "name": "host"}, GUEST]}, "is not Host"),
        ({"seats": [ME, player("mcts:num_simulations=200000")]}, "100,000 simulations"),
        ({"seats": [ME, player("playout:num_playouts=200000")]}, "simulations or playouts"),
        ({"seats": [ME, 3]}, "a seat is an object with a kind and a name, not 3"),
        ({"seats": [ME, {"kind": "here"}]}, "a seat is an object with a kind and a name, not {'"),
        ({"game": "presidnt", "seats": [{"kind": "here"}]}, "presidnt"),
        ({"seed": -1}, ""),
        ({"seed": True}, "seed is a whole number, not True"),
        ({"forced": "no"}, "forced is true or false, not 'no'"),
        ({"move_seconds": -1}, ""),
    ],
)
def test_an_impossible_table_gets_one_clear_answer(
    client: TestClient, change: dict, said: str
) -> None:
    data = {"game": "trick_taking", "settings": SMALL, "seats": [ME, GUEST], **change}
    answer = client.post("/api/tables", json=data, headers=AS_OWNER)
    assert answer.status_code == 400 and answer.json()["error"]
    assert said in answer.json()["error"]


@pytest.mark.parametrize(
    ("path", "data", "lacking"),
    [
        ("tables", {}, "game, settings, seats"),
        ("tables", {"game": "president", "seats": []}, "settings"),
        ("links", {}, "token"),
    ],
)
def test_a_request_says_all_that_it_lacks(
    client: TestClient, path: str, data: dict, lacking: str
) -> None:
    answer = client.post(f"/api/{path}", json=data, headers=AS_OWNER)
    assert answer.json()["error"] == f"this request needs {lacking}"


def test_moves_that_are_illegal_late_or_anothers_are_refused(client: TestClient) -> None:
    tokens = open_table(client, "trick_taking", [ME, GUEST], settings=SMALL)
    with seated(client, tokens[0]) as me, seated(client, tokens[1]) as guest:
        position = me.my_turn()
        legal = position["legal"][0]
        others = guest.next("position")
        assert others["legal"] == [] and others["clicks"] == {}
        guest.act(others, legal)
        assert "not your turn" in guest.next("error")["text"]
        me.act(position, "card:9.9")
        assert "not legal" in me.next("error")["text"]
        me.act({"ply": 7}, legal)
        assert "not your turn" in me.next("error")["text"]
        me.act(position, legal)
        assert me.next("position")["last"]["action"] == legal


def test_a_token_opens_its_own_seat_only(client: TestClient) -> None:
    tokens = open_table(client, "president", [ME, GUEST, GUEST, player("lowest")])
    assert len(set(tokens)) == 5 and all(len(token) >= 32 for token in tokens)
    for token, seat in zip(tokens[:3], range(3), strict=True):
        with seated(client, token) as one:
            assert one.next("position")["seat"] == seat
    with seated(client, tokens[3]) as thief:
        assert "a player has taken" in thief.next("closed")["text"]
    with seated(client, "guessed") as thief:
        assert "no seat has this token: a seat's is what follows" in thief.next("closed")["text"]
    with seated(client, tokens[4]) as watcher:
        position = watcher.next("position")
        assert position["svg"].count(", face down") == 40 and position["seat"] is None
        watcher.act(position, "pass")
        assert "only watch" in watcher.next("error")["text"]


def test_moves_are_taken_back_and_played_again(tmp_path: Path) -> None:
    with playing(tmp_path, [ME, player("high_low")]) as me:
        first = me.my_turn()
        assert not first["can_undo"]
        me.act(first, first["legal"][1])
        second = me.my_turn()
        me.send({"type": "undo"})
        back = me.my_turn()
        assert (back["ply"], back["svg"]) == (first["ply"], first["svg"])
        assert back["can_redo"]
        me.send({"type": "redo"})
        assert me.my_turn()["svg"] == second["svg"]
        assert "nothing to play again" in me.ask({"type": "redo"}, "error")["text"]


def test_nobody_takes_back_moves_between_people(tmp_path: Path) -> None:
    with playing(tmp_path, [ME, GUEST]) as me:
        position = me.my_turn()
        me.act(position, position["legal"][0])
        assert "nothing to take back" in me.ask({"type": "undo"}, "error")["text"]


def test_hints_value_every_legal_move_and_the_review_finds_regret(tmp_path: Path) -> None:
    with playing(tmp_path, [ME, player("perfect")]) as me:
        position = me.my_turn()
        hints = me.ask({"type": "hint", "player": "search"}, "hints")
        assert hints["source"] == "exact" and set(hints["values"]) == set(position["legal"])
        me.act(position, min(hints["values"], key=lambda action: hints["values"][action]))
        last = me.play_to_the_end()
        row = me.ask({"type": "review"}, "review")
        best, worst = max(hints["values"].values()), min(hints["values"].values())
        assert row["ply"] == 0 and row["regret"] == pytest.approx(best - worst, abs=1e-3)
        assert me.next("reviewed")["of"] >= 1
        assert last["returns"] is not None


def test_a_table_without_help_refuses_it_until_the_end(client: TestClient) -> None:
    seats = [ME, GUEST, player("high_low")]
    settings = {"num_values": 4, "num_players": 3}
    asked: list[dict[str, Any]] = [
        {"type": "hint", "player": "search"},
        {"type": "judge", "ply": 0},
        {"type": "explain", "ply": 2},
    ]
    tokens = open_table(client, "trick_taking", seats, settings=settings, help=False)
    with seated(client, tokens[0]) as me, seated(client, tokens[1]) as guest:
        assert not guest.next("table")["has_help"]
        for each in (me, guest):
            position = each.my_turn()
            each.act(position, position["legal"][0])
            for message in asked:
                each.send(message)
                assert each.next("error")["text"] == "this table is played without help"
    pair = [ME, player("high_low")]
    tokens = open_table(client, "trick_taking", pair, settings=SMALL, help=False)
    with seated(client, tokens[0]) as me:
        me.play_to_the_end()
        assert me.ask({"type": "review"}, "review")["ply"] == 0


def test_the_owner_is_given_the_links_of_a_table(client: TestClient) -> None:
    tokens = open_table(client, "trick_taking", [ME, GUEST], settings=SMALL)
    start = f"http://{ADDRESS}/#seat="
    for token in tokens:
        answer = client.post("/api/links", json={"token": token}, headers=AS_OWNER).json()
        assert answer["seats"] == [["Guest", start + tokens[1]]]
        assert answer["link"] == start + tokens[2]
        assert answer["code"].startswith("data:image/svg+xml")
        assert client.post("/api/links", json={"token": token}).status_code == 403
    unknown = client.post("/api/links", json={"token": "guessed"}, headers=AS_OWNER)
    assert unknown.status_code == 404


def test_the_same_deal_is_played_from_the_next_seat(client: TestClient) -> None:
    tokens = open_table(client, "trick_taking", [ME, player("first_play")], settings=SMALL)
    with seated(client, tokens[0]) as me:
        me.my_turn()
        token = me.ask({"type": "again", "deal": "same", "turned": True}, "moved")["token"]
    with seated(client, token) as me:
        table = me.next("table")
        assert table["seat"] == 1 and table["seats"][0]["name"] == "Beginner"
        assert me.play_to_the_end()["returns"] is not None


def test_a_player_takes_over_an_abandoned_seat(client: TestClient) -> None:
    tokens = open_table(client, "trick_taking", [ME, GUEST], settings=SMALL)
    with seated(client, tokens[0]) as me:
        me.my_turn()
        seats = me.ask({"type": "take_over", "seat": 1, "player": "high_low"}, "table")["seats"]
        assert seats[1]["kind"] == "player"
        assert me.play_to_the_end()["returns"] is not None
    with seated(client, tokens[1]) as late:
        assert "a player has taken" in late.next("closed")["text"]


def test_names_are_data_never_markup(client: TestClient) -> None:
    name = '<img src=x onerror="alert(1)">'
    seats = [{"kind": "here", "name": name}, GUEST]
    tokens = open_table(client, "trick_taking", seats, settings=SMALL)
    with seated(client, tokens[1]) as guest:
        assert guest.next("table")["seats"][0]["name"] == name
        assert "<img" not in json.dumps(guest.next("position")["svg"])


def test_an_allowance_fills_up_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("parlour.scripts.table.protocol.time.monotonic", lambda: now[0])
    allowance = Allowance(a_second=2, burst=3)
    assert [allowance.take() for _ in range(4)] == [True, True, True, False]
    now[0] = 1.0
    assert [allowance.take() for _ in range(3)] == [True, True, False]


def test_tokens_are_readable_by_their_owner_only(tmp_path: Path) -> None:
    with server(tmp_path):
        assert (tmp_path / "tables.db").stat().st_mode & 0o077 == 0


def test_a_file_of_another_kind_stays_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Ada, " * 100)
    path.chmod(0o644)
    with pytest.raises(ValueError, match="cannot keep tables"):
        TableStore(path)
    assert path.read_text() == "Dear Ada, " * 100 and path.stat().st_mode & 0o777 == 0o644
    with contextlib.closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE letters (text TEXT)")
    with pytest.raises(ValueError, match="another kind"):
        TableStore(tmp_path / "other.db")


@pytest.mark.parametrize("name", GAMES)
def test_everybody_may_read_the_rules(client: TestClient, name: str) -> None:
    rules = client.get(f"/api/rules/{name}").json()
    facts, lines = rules["facts"], rules["lines"]
    assert "players" in facts and "minutes" in facts and len(lines) <= 10
    assert all(start in "".join(lines) for start in ("**Goal.**", "**The end.**"))
    assert not any(sign in line for line in lines for sign in ("](", "|--", "`"))
    assert client.get("/api/rules/chess").status_code == 404
