"""Hints, judgements and explanations over the wire; matches of programs, and tables to watch."""

import asyncio
import itertools
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.testclient import TestClient

from parlour.baselines import make_policy
from parlour.envs import load_game
from parlour.envs.core.play.one_game import start
from parlour.envs.core.played.transcript import record, replay
from parlour.scripts.table.protocol import read_exactly
from parlour.scripts.table.stored_games import shared_game

from .serving import AS_OWNER, GUEST, ME, SMALL, open_table, player, playing, seated

pytestmark = pytest.mark.plain

PAIR = [ME, player("perfect")]


def test_hints_come_from_any_player_by_name(tmp_path: Path) -> None:
    with playing(tmp_path, PAIR) as me:
        legal = me.my_turn()["legal"]
        for name, source, are_choices in (
            ("search", "exact", False),
            ("perfect", "perfect", False),
            ("high_low", "high_low", True),
        ):
            hints = me.ask({"type": "hint", "player": name}, "hints")
            assert hints["source"] == source and hints["are_choices"] is are_choices
            assert set(hints["values"]) == set(legal)
        assert sum(hints["values"].values()) == pytest.approx(1)


@pytest.mark.long
def test_hints_at_two_seat_president_are_exact(tmp_path: Path) -> None:
    seats, settings = [ME, player("lowest")], {"num_players": 2}
    with playing(tmp_path, seats, "president", settings=settings) as me:
        position = me.my_turn()
        hints = me.ask({"type": "hint", "player": "search"}, "hints")
        me.act(position, position["legal"][0])
        judged = me.ask({"type": "judge", "ply": position["ply"]}, "judged")
    assert hints["source"] == judged["source"] == "exact"
    assert set(hints["values"]) == set(position["legal"])
    assert set(hints["values"].values()) <= {-1.0, 1.0}
    assert judged["values"] == hints["values"] and judged["regret"] in (0, 2)


def test_notty_is_advised_by_the_chance_of_winning(tmp_path: Path) -> None:
    """Nearly all games that a search plays out are drawn: all its values would be 0."""
    with playing(tmp_path, [ME, player("x_aggressive")], "notty") as me:
        advisers = me.next("table")["advisers"]
        assert advisers[0] == "finisher" and {"search", "defensive"} < {*advisers}
        assert not {"human", "exact"} & {*advisers}  # no exact values of this game
        position = me.my_turn()
        hints = me.ask({"type": "hint", "player": advisers[0]}, "hints")
        me.act(position, position["legal"][-1])
        judged = me.ask({"type": "judge", "ply": position["ply"]}, "judged")
    assert hints["source"] == judged["source"] == "finisher" and not hints["are_choices"]
    assert len(set(hints["values"].values())) > 1
    assert set(hints["values"]) == set(position["legal"]) == set(judged["values"])


@pytest.mark.parametrize("name", ["human", "secrets.py:peek", "runs/mine.pt", "mcts:seconds=9999"])
def test_no_hint_runs_files_or_asks_the_console(tmp_path: Path, name: str) -> None:
    with playing(tmp_path, PAIR) as me:
        me.my_turn()
        refused = me.ask({"type": "hint", "player": name}, "error")["text"]
        assert refused.startswith("hints come from one of search, exact")


def test_a_players_move_is_explained_to_the_others(tmp_path: Path) -> None:
    with playing(tmp_path, PAIR) as me:
        position = me.my_turn()
        me.act(position, position["legal"][0])
        while me.next("position")["ply"] < 2:
            pass
        answer = me.ask({"type": "explain", "ply": 1}, "explained")
        assert "only moves of players" in me.ask({"type": "explain", "ply": 0}, "error")["text"]
    assert answer["source"] == "perfect" and answer["seat"] == 1
    assert answer["action"] in answer["values"] and answer["num_moves"] >= 1
    assert answer["num_positions"] > 1 and answer["interval"][0] <= answer["interval"][1]
    assert "solver" in answer["about"] or answer["about"]


def labels_in(svg: str) -> set[str]:
    """What the parts of a picture are called."""
    return set(re.findall(r'aria-label="([^"]*)"', svg))


def test_earlier_pictures_are_shown_as_they_were_seen(client: TestClient) -> None:
    tokens = open_table(client, "president", [ME, GUEST, *[player("lowest")] * 2])
    with seated(client, tokens[0]) as me:
        first = me.my_turn()
        me.act(first, first["legal"][0])
        now = me.next("position")
        for ply, svg in ((first["ply"], first["svg"]), (now["ply"], now["svg"])):
            sent = me.ask({"type": "look_back", "ply": ply}, "picture")
            assert sent["ply"] == ply and labels_in(sent["svg"]) == labels_in(svg) - {"pass"}
        narrow = me.ask({"type": "look", "is_narrow": True}, "position")["svg"]
        back = me.ask({"type": "look_back", "ply": now["ply"]}, "picture")["svg"]
        assert labels_in(back) == labels_in(narrow) - {"pass"}
        for ply in (-1, now["ply"] + 1):
            assert "no such ply" in me.ask({"type": "look_back", "ply": ply}, "error")["text"]
    with seated(client, tokens[-1]) as watcher:
        back = watcher.ask({"type": "look_back", "ply": 0}, "picture")["svg"]
        assert back.count(", face down") == 40


def test_spectators_see_all_hands_only_where_players_have_all_seats(client: TestClient) -> None:
    four = [player("lowest")] * 4
    for seats, is_open in ((four, True), (four, False)):
        token = open_table(client, "president", seats, open=is_open)[-1]
        with seated(client, token) as watcher:
            assert (", face down" in watcher.next("position")["svg"]) is not is_open
    request = {"game": "president", "settings": {}, "seats": [GUEST, *four[1:]], "open": True}
    answer = client.post("/api/tables", json=request, headers=AS_OWNER)
    assert answer.status_code == 400 and "open to spectators" in answer.json()["error"]


def test_players_keep_the_pace_for_those_who_watch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    async def no_wait(seconds: float) -> None:
        waits.append(seconds)

    # Of this module alone: a server of another test may sleep in a thread of this process.
    quick = SimpleNamespace(**{**vars(asyncio), "sleep": no_wait})
    monkeypatch.setattr("parlour.scripts.table.live.asyncio", quick)
    pair = [player("random")] * 2
    settings = {"num_values": 2}
    with playing(tmp_path, pair, number=-1, settings=settings, pace=9) as watcher:
        while watcher.next("position")["returns"] is None:
            pass
    assert len(waits) == 4 and max(waits) > 0  # on a slow machine a move may take the whole pace
    assert all(0 <= seconds <= 9 for seconds in waits)


# Study


def test_a_person_plays_on_from_an_earlier_position(client: TestClient) -> None:
    tokens = open_table(client, "trick_taking", [ME, player("high_low")], settings=SMALL)
    with seated(client, tokens[0]) as me:
        me.play_to_the_end()
        token = me.ask({"type": "again", "deal": "same", "ply": 2}, "moved")["token"]
    with seated(client, token) as me:
        assert len(me.next("table")["history"]) == 2
        assert me.play_to_the_end()["returns"] is not None


def test_a_shared_game_opens_as_it_was(client: TestClient) -> None:
    seats = [ME, player("high_low")]
    tokens = open_table(client, "trick_taking", seats, settings=SMALL)
    with seated(client, tokens[0]) as me:
        position = me.my_turn()
        me.act(position, position["legal"][0])
        before = me.my_turn()
        shared = me.ask({"type": "share"}, "shared")
    assert {*shared} == {"type", "game", "settings", "seed", "deal", "actions"}
    made = {name: shared[name] for name in ("settings", "seed", "deal", "actions")}
    again = open_table(client, "trick_taking", seats, **made)
    with seated(client, again[0]) as me:
        assert me.my_turn()["svg"] == before["svg"]
    data = {**shared, "seats": seats, "actions": [shared["actions"][0]] * 2}
    answer = client.post("/api/tables", json=data, headers=AS_OWNER)
    assert answer.status_code == 400 and "move 2 is not legal" in answer.json()["error"]


def in_a_page(data: Any) -> Any:
    """What a page reads: JavaScript rounds numbers to 53 bits."""
    return json.loads(json.dumps(data), parse_int=lambda digits: int(float(digits)))


LARGE = 2**53 + 1  # JavaScript's neighbours are even


def test_a_shared_game_has_the_same_deal_after_a_page_has_read_its_seed(
    client: TestClient,
) -> None:
    seats = [ME, player("high_low")]
    made: dict[str, Any] = {"settings": SMALL, "seed": LARGE}
    for _ in range(2):  # the game that was shared, and the one that is opened from it
        (token, *_) = open_table(client, "trick_taking", seats, **made)
        with seated(client, token) as me:
            position = me.my_turn()
            shared = in_a_page(me.ask({"type": "share"}, "shared"))
        made = {name: shared[name] for name in ("settings", "seed", "deal", "actions")}
        assert int(shared["seed"]) == LARGE
    rounded = open_table(client, "trick_taking", seats, settings=SMALL, seed=in_a_page(LARGE))
    with seated(client, rounded[0]) as me:
        assert me.my_turn()["svg"] != position["svg"]


@pytest.mark.parametrize("seed", [4, LARGE, 2**63 - 1])
def test_a_stored_game_is_played_on_from_the_same_deal(seed: int) -> None:
    game = load_game("trick_taking", **SMALL)
    played = record(game, seed, policies=make_policy("high_low", game))
    made = read_exactly(in_a_page(shared_game(played)))
    assert made["seed"] == seed
    again = start(game, seed=made["seed"])
    assert again.position.tobytes() == next(iter(replay(played))).tobytes()


def test_a_position_with_large_numbers_is_laid_out_in_a_page(client: TestClient) -> None:
    """Of sixty cards a set is a number of sixty bits."""
    data = {"game": "top_trumps", "settings": {"num_cards": 60}, "seed": LARGE}
    laid = client.post("/api/positions", json=data, headers=AS_OWNER).json()
    assert laid["problem"] == "" and int(laid["seed"]) == LARGE
    seats, deal = [ME, player("maxer")], in_a_page(laid["deal"])
    tokens = open_table(client, "top_trumps", seats, settings=data["settings"], deal=deal)
    with seated(client, tokens[0]) as me:
        assert me.ask({"type": "share"}, "shared")["deal"] == laid["deal"]


def test_the_deal_of_a_running_game_with_others_stays_secret(client: TestClient) -> None:
    tokens = open_table(client, "trick_taking", [ME, GUEST], settings=SMALL)
    for token, ask in itertools.product(tokens[:2], ("share", "again")):
        with seated(client, token) as me:
            me.next("position")
            more = {"deal": "same", "ply": 0} if ask == "again" else {}
            text = me.ask({"type": ask, **more}, "error")["text"]
            assert "others are playing" in text or "only the person" in text


def test_two_advisers_answer_side_by_side_and_the_review_is_of_all(tmp_path: Path) -> None:
    with playing(tmp_path, [ME, player("high_low")]) as me:
        position = me.my_turn()
        me.send({"type": "hint", "player": "exact", "second": "high_low"})
        assert [me.next("hints")["source"] for _ in range(2)] == ["exact", "high_low"]
        me.act(position, position["legal"][0])
        me.play_to_the_end()
        me.send({"type": "review", "all": True})
        names = set()
        while (row := me.next("review", "reviewed"))["type"] == "review":
            names.add(row["seat"])
        assert names == {0, 1}
