"""One link for a class: guests take free chairs under a name, and the owner starts the game."""

import urllib.parse
from typing import Any

import pytest
from starlette.testclient import TestClient

from parlour.envs import GAMES, find_game
from parlour.scripts.table.serving import LOOPBACK, lan_address

from .serving import AS_OWNER, GUEST, ME, SMALL, open_table, player, seated

pytestmark = pytest.mark.plain

FREE = {"kind": "free", "name": "Free chair"}
FOUR = {"num_players": 4}
TAKE = {"type": "take", "seat": 1, "name": "Ada"}


def start(client: TestClient, token: str, headers: dict[str, str] | None = None) -> Any:
    return client.post("/api/start", json={"token": token}, headers=headers or AS_OWNER)


def table_link(client: TestClient, token: str) -> str:
    """The token in the one link of a table."""
    links = client.post("/api/links", json={"token": token}, headers=AS_OWNER).json()
    return urllib.parse.parse_qs(urllib.parse.urlsplit(links["link"]).fragment)["seat"][0]


def test_four_guests_sit_down_with_one_link_and_the_owner_starts(client: TestClient) -> None:
    tokens = open_table(client, "president", [FREE] * 4, settings=FOUR)
    link = table_link(client, tokens[0])
    taken = []
    for seat, name in enumerate(["Ada", "Ben", "Cy", " Di "]):
        with seated(client, link) as guest:
            taken.append(guest.ask({"type": "take", "seat": seat, "name": name}, "moved")["token"])
    assert taken == tokens[:4]
    with seated(client, link) as watcher, seated(client, taken[2]) as guest:
        seats = [who["name"] for who in watcher.next("table")["seats"]]
        assert seats == ["Ada", "Ben", "Cy", "Di"]
        assert start(client, link).json() == {}
        assert watcher.next("table")["is_waiting"] is False
        shown = watcher.next("position")
        assert "face down" in shown["svg"] and not shown["words"]
        while guest.next("table")["is_waiting"]:
            pass
        assert "Ada" in guest.next("position")["words"]
    assert "has started" in start(client, link).json()["error"]


def test_nobody_is_sent_a_card_or_moves_before_the_start(client: TestClient) -> None:
    tokens = open_table(client, "trick_taking", [ME, FREE], settings=SMALL, forced=False)
    for token in tokens:
        with seated(client, token) as each:
            assert each.next("table")["is_waiting"] is True
            for asked in ("look", None):
                if asked:
                    each.send({"type": "look", "is_narrow": False})
                shown = each.next("position")
                assert (shown["svg"], shown["words"], shown["legal"]) == (None, None, [])
                assert shown["to_act"] is None  # who begins may depend on the cards
            for message in (
                {"type": "act", "ply": 0, "action": "card:0.0"},
                {"type": "hint", "player": "search"},
                {"type": "share"},
                {"type": "again", "deal": "new"},
                {"type": "resign"},
            ):
                assert "has not started" in each.ask(message, "error")["text"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"seat": 0}, "not free"),
        ({"seat": 9}, "not free"),
        ({"seat": -1}, "not free"),
        ({"name": " host "}, "not Host"),
        ({"name": "you"}, "give your name"),
        ({"name": "\u3164"}, "can be read"),
        ({"name": "x" * 41}, "1 to 40 letters"),
    ],
)
def test_a_wrong_chair_or_name_is_refused(client: TestClient, change: Any, reason: str) -> None:
    tokens = open_table(client, "trick_taking", [ME, FREE], settings=SMALL)
    with seated(client, tokens[-1]) as guest:
        assert reason in guest.ask({**TAKE, **change}, "error")["text"]
        assert guest.ask(TAKE, "moved")["token"] == tokens[1]
        assert "not free" in guest.ask(TAKE, "error")["text"]  # a chair is taken once


def test_who_has_a_seat_takes_no_other(client: TestClient) -> None:
    tokens = open_table(client, "trick_taking", [ME, FREE], settings=SMALL)
    with seated(client, tokens[0]) as me:
        assert "you have a seat" in me.ask(TAKE, "error")["text"]
    started = open_table(client, "trick_taking", [ME, GUEST], settings=SMALL)
    with seated(client, started[-1]) as watcher:
        assert "not free" in watcher.ask(TAKE, "error")["text"]


def test_players_take_the_chairs_that_are_free_at_the_start(client: TestClient) -> None:
    tokens = open_table(client, "president", [ME, FREE, FREE, FREE], settings=FOUR)
    assert start(client, tokens[-1], {"Authorization": "Bearer guessed"}).status_code == 403
    assert start(client, "guessed").status_code == 404
    start(client, tokens[0])
    with seated(client, tokens[0]) as me:
        assert [who["kind"] for who in me.next("table")["seats"]] == ["here"] + ["player"] * 3
        assert me.my_turn()["svg"]
    with seated(client, tokens[1]) as guest:
        assert "a player has taken" in guest.next("closed")["text"]


def test_the_list_of_tables_leads_to_no_seat_of_a_guest(client: TestClient) -> None:
    own = open_table(client, "trick_taking", [ME, FREE], settings=SMALL)
    watched = open_table(client, "trick_taking", [FREE, GUEST], settings=SMALL)
    tables = client.get("/api/tables", headers=AS_OWNER).json()
    assert {table["token"]: table["is_mine"] for table in tables} == {
        own[0]: True,
        watched[-1]: False,
    }


@pytest.mark.parametrize("name", GAMES)
def test_a_spectator_has_a_picture_in_every_game(client: TestClient, name: str) -> None:
    seats = [ME, *[player("random")] * (find_game(name).num_seats - 1)]
    tokens = open_table(client, name, seats)
    with seated(client, tokens[-1]) as watcher:
        assert watcher.next("position")["svg"].startswith("<svg")


def test_guests_agree_to_another_deal_and_all_are_told(client: TestClient) -> None:
    tokens = open_table(client, "trick_taking", [ME, GUEST], settings=SMALL)
    with seated(client, tokens[0]) as me, seated(client, tokens[1]) as guest:
        early = guest.ask({"type": "again", "deal": "new"}, "error")
        assert "only the person who opened" in early["text"]
        me.my_turn()
        me.send({"type": "resign"})
        while guest.next("position")["returns"] is None:
            pass
        other = guest.ask({"type": "again", "deal": "same"}, "error")
        assert "agree to a new deal" in other["text"]
        guest.send({"type": "again", "deal": "new"})
        while not (agreed := me.next("presence")["agreed"])[1]:
            pass
        assert agreed == [False, True]
        me.send({"type": "again", "deal": "new"})
        assert me.next("moved")["token"] != guest.next("moved")["token"]


def test_where_the_host_only_watches_guests_play_again_once_all_agree(client: TestClient) -> None:
    tokens = open_table(client, "trick_taking", [GUEST, GUEST], settings=SMALL)
    with seated(client, tokens[0]) as first, seated(client, tokens[1]) as second:
        first.my_turn()
        first.send({"type": "resign"})
        for each in (first, second):
            while each.next("position")["returns"] is None:
                pass
        first.send({"type": "again", "deal": "new"})
        while not second.next("presence")["agreed"][0]:
            pass
        second.send({"type": "again", "deal": "new"})
        assert second.next("moved") and first.next("moved")


def test_the_address_that_is_printed_is_one_of_this_machine() -> None:
    address = lan_address()
    assert address == LOOPBACK or not address.startswith(("127.", "0."))
