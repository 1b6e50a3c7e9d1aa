"""Whatever a client sends, it gets one clear answer, the server lives, and the others play on.

The messages are drawn anew from PARLOUR_FUZZ_SEED; their number grows with PARLOUR_FUZZ_MESSAGES.
"""

import json
import os
import random
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from parlour.scripts.table.protocol import MAX_BYTES
from parlour.scripts.table.sockets import MAX_MISTAKES

from .serving import (
    AS_OWNER,
    GUEST,
    ME,
    SEAT,
    SMALL,
    Client,
    open_table,
    player,
    seated,
    server,
)

pytestmark = pytest.mark.plain

NUM_MESSAGES = int(os.environ.get("PARLOUR_FUZZ_MESSAGES", "150"))
SEED = int(os.environ.get("PARLOUR_FUZZ_SEED", "1"))
KINDS = (
    *("sit", "look", "look_back", "act", "undo", "redo", "hint", "no_hint", "judge", "explain"),
    *("review", "again", "take_over", "take", "share"),
    *("position", "table", "closed", "moved", "__class__", "_on_act"),
)
FIELDS = (
    *("token", "is_narrow", "has_data", "ply", "action", "player", "second", "deal", "turned"),
    *("seat", "name", "all", "type", "more"),
)
NUMBERS = (0, -1, 1, 2**31, -(2**63), 10**40, 0.5, -0.0, 1e308, float("nan"), float("inf"))
TEXTS = (
    *("", "\x00", "\ud800", "é" * 9, "../../etc/passwd", "mine.py:choose", "mcts:seconds=1e9"),
    *("' OR 1=1 --", "<script>", "search", "new", "card:1.1", "\u202e\u2028"),
)


def value(chooser: random.Random, depth: int = 0) -> Any:
    """Any JSON."""
    makers: list[Callable[[], Any]] = [
        lambda: None,
        lambda: chooser.random() < 0.5,
        lambda: chooser.choice(NUMBERS),
        lambda: chooser.choice(TEXTS),
        lambda: "".join(chooser.choices(string.printable, k=chooser.randrange(40))),
        lambda: chooser.randrange(-3, 12),
    ]
    if depth < 3:
        makers += [
            lambda: [value(chooser, depth + 1) for _ in range(chooser.randrange(4))],
            lambda: {chooser.choice(FIELDS): value(chooser, depth + 1) for _ in range(3)},
        ]
    return chooser.choice(makers)()


def message(chooser: random.Random) -> str | bytes:
    """A message that somebody might send who means harm, or nothing at all."""
    kind = chooser.randrange(6)
    fields = {chooser.choice(FIELDS): value(chooser) for _ in range(chooser.randrange(4))}
    text = json.dumps({"type": chooser.choice(KINDS), **fields})
    if kind == 0:
        return chooser.choice(["[" * 3000, "", json.dumps(value(chooser))])
    if kind == 1:
        return chooser.randbytes(chooser.randrange(1, 200))
    if kind == 2:  # cut off, or with a wrong letter in it
        place = chooser.randrange(len(text))
        return text[:place] + chooser.choice(["", "\x7f", "}", '"'])
    if kind == 3:
        return text + " " * (MAX_BYTES if chooser.random() < 0.3 else 9)
    return text if chooser.random() < 0.7 else text.encode()


def answers(me: Client, sent: str | bytes) -> list[dict]:
    """What the server answers before it answers a request for the position."""
    if isinstance(sent, bytes):
        me.socket.send_bytes(sent)
    else:
        me.socket.send_text(sent)
    me.send({"type": "look", "is_narrow": False})
    heard = []
    while (answer := me.next("error", "position", "table", "closed"))["type"] != "position":
        heard.append(answer)
        if answer["type"] == "closed":
            break
    return heard


def test_any_message_gets_one_clear_answer_and_the_others_play_on(tmp_path: Path) -> None:
    chooser = random.Random(SEED)
    num_left, num_errors = NUM_MESSAGES, 0
    with server(tmp_path) as client:
        seats = [ME, GUEST, player("lowest"), player("lowest")]
        settings = {"num_players": 4}
        tokens = open_table(client, "president", seats, settings=settings, forced=False)
        while num_left > 0:
            with seated(client, tokens[1]) as guest:
                guest.next("position")
                for _ in range(min(num_left, MAX_MISTAKES - 1)):
                    num_left -= 1
                    sent = message(chooser)
                    heard = answers(guest, sent)
                    errors = [answer["text"] for answer in heard if answer["type"] == "error"]
                    assert len(errors) <= 1, (sent, errors)
                    assert len(heard) == len(errors), (sent, heard)
                    assert all(0 < len(text) < 300 and text.isprintable() for text in errors)
                    num_errors += len(errors)
        with seated(client, tokens[0]) as me, seated(client, tokens[1]) as guest:
            play_both(me, guest)
    assert num_errors > 0.8 * NUM_MESSAGES


def play_both(me: Client, guest: Client) -> None:
    """Two people play the first legal moves to the end."""
    last = {me: me.next("position"), guest: guest.next("position")}
    while any(position["returns"] is None for position in last.values()):
        for each in (me, guest):
            if last[each]["legal"]:
                each.act(last[each], last[each]["legal"][0])
        for each in (me, guest):
            if last[each]["returns"] is None:
                last[each] = each.next("position")


def test_who_is_not_seated_is_told_to_take_a_seat_and_closed(client: TestClient) -> None:
    chooser = random.Random(SEED)
    for number in range(NUM_MESSAGES // 5):
        with client.websocket_connect(SEAT) as socket:
            sent = message(chooser) if number else '{"type": "sit", "token": "\\ud800"}'
            socket.send_bytes(sent) if isinstance(sent, bytes) else socket.send_text(sent)
            answer = socket.receive_json()
            assert answer["type"] == "closed" and answer["text"].isprintable(), sent


def test_requests_of_any_form_get_one_clear_answer(client: TestClient) -> None:
    chooser = random.Random(SEED)
    keys = (
        *("game", "settings", "seats", "seed", "forced", "pace", "open", "deals", "agent", "kind"),
        *("piles", "seat", "actions", "deal", "token"),
    )
    addresses = (
        *("/api/tables", "/api/games/president", "/api/replays"),
        *("/api/positions", "/api/links", "/api/start"),
    )
    for _ in range(NUM_MESSAGES):
        data: Any = {"game": "president", "settings": {}, "seats": [ME, GUEST]}
        data.update({chooser.choice(keys): value(chooser) for _ in range(2)})
        body = json.dumps(value(chooser) if chooser.random() < 0.2 else data).encode()
        if chooser.random() < 0.1:
            body = body[: chooser.randrange(len(body) + 1)] + chooser.randbytes(3)
        answer = client.post(chooser.choice(addresses), content=body, headers=AS_OWNER)
        if answer.status_code != 200:
            assert 400 <= answer.status_code < 500, body
            assert answer.json()["error"], body
    tokens = open_table(client, "trick_taking", [ME, player("high_low")], settings=SMALL)
    with seated(client, tokens[0]) as me:
        assert me.play_to_the_end()["returns"] is not None
