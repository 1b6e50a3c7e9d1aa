"""What is sent to a seat and to spectators is the same for positions that they cannot tell apart.

PARLOUR_LEAK_PAIRS compares more pairs of positions of each game.
"""

import os
import random
from pathlib import Path
from typing import Any

import pytest

from parlour.envs.core.rng import streams
from parlour.scripts.table.table import GameTable
from parlour.scripts.table.views import SPECTATOR, position_message

from .leaks import (
    CASES,
    HIDING,
    both_after,
    compare_help,
    compare_seats,
    compare_spectators,
    redealt,
    replaced,
    seen_by,
    table_of,
)
from .serving import GUEST, ME, open_table, seated, server

NUM_PAIRS = int(os.environ.get("PARLOUR_LEAK_PAIRS", "24"))
NUM_HELPED = 2  # pairs for which hints and the like are made: they take longer


@pytest.mark.parametrize(("name", "settings"), CASES)
def test_a_seat_is_sent_the_same_for_all_it_cannot_tell_apart(name: str, settings: dict) -> None:
    """Both right away and after the same action has been played in both positions."""
    assert compare_seats(name, settings, NUM_PAIRS) >= NUM_PAIRS


@pytest.mark.parametrize(("name", "settings"), CASES)
def test_spectators_are_sent_what_every_seat_knows(name: str, settings: dict) -> None:
    assert compare_spectators(name, settings, NUM_PAIRS) >= NUM_PAIRS


@pytest.mark.parametrize(("name", "settings"), HIDING)
def test_hints_reviews_and_explanations_depend_on_nothing_hidden(name: str, settings: dict) -> None:
    assert compare_help(name, settings, NUM_HELPED) == NUM_HELPED


@pytest.mark.parametrize(("name", "settings"), HIDING)
def test_a_socket_brings_the_same_bytes_from_either_of_two_deals(
    name: str, settings: dict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compare what the first seat's socket gets while the other seats send messages."""
    deal = GameTable._deal

    def deal_twice(table: GameTable) -> None:
        deal(table)
        if table.setup.seed == 6:  # the same to the first seat as a table of seed 5
            table.tables.rngs[:] = streams([5])
            table.tables.deal(table.tables.all_rows)
            table.tables.states[:] = redealt(table, 0, 1)

    monkeypatch.setattr(GameTable, "_deal", deal_twice)
    shadows = [table_of(name, settings, seed) for seed in (5, 6)]
    assert seen_by(shadows[0], 0) == seen_by(shadows[1], 0)
    assert shadows[0].tables.states.tobytes() != shadows[1].tables.states.tobytes()
    seats = [ME, *[GUEST] * (shadows[0].game.num_seats - 1)]
    heard: list[list[str]] = []
    actions = script(shadows)
    for number, shadow in enumerate(shadows):
        (tmp_path / str(number)).mkdir()
        with server(tmp_path / str(number)) as client:
            tokens = open_table(
                client, name, seats, settings=settings, seed=5 + number, forced=False
            )
            heard.append(conversation(client, tokens, shadow, actions))
    assert heard[0] == heard[1]
    assert len(heard[0]) >= 3


def script(shadows: list[GameTable]) -> list[int]:
    """Actions that are legal at both tables and leave them alike to the first seat."""
    tables = [replaced(shadow, shadow.tables.states) for shadow in shadows]
    chooser = random.Random(4)
    actions: list[int] = []
    while not any(table.is_over for table in tables) and len(actions) < 12:
        common = sorted(set(tables[0].legal) & set(tables[1].legal))
        chooser.shuffle(common)
        for action in common:
            after = both_after(tables[0], tables[1], 0, action)
            if after is not None:
                break
        else:
            break
        tables, actions = list(after), [*actions, action]
    return actions


def conversation(client: Any, tokens: list[str], shadow: GameTable, actions: list[int]) -> list:
    """All that the first seat hears while these actions are played, and some that are refused."""
    with seated(client, tokens[0]) as me:
        heard = [me.socket.receive_text() for _ in range(3)]
        for ply, action in enumerate(actions):
            seat, name = int(shadow.seat_to_act), shadow.game.action_name(action)
            me.act({"ply": ply}, "nothing")
            me.send({"type": "look", "is_narrow": ply % 2 == 0, "seat": 1})
            me.send({"type": "look_back", "ply": ply // 2})
            heard += [me.socket.receive_text() for _ in range(3)]
            if seat == 0:
                me.act({"ply": ply}, name)
                heard.append(me.socket.receive_text())
            else:
                with seated(client, tokens[seat]) as guest:
                    guest.my_turn()
                    guest.act({"ply": ply}, name)
                    guest.next("position")
                heard += [me.socket.receive_text() for _ in range(3)]  # it came, moved and left
            shadow.act(action)
    return heard


def test_a_hidden_action_is_named_to_those_who_saw_it() -> None:
    table = table_of("president", {"num_games": 2, "economy": "swap_two"}, 3)
    chooser = random.Random(3)
    while not any(table.game.action_name(action).startswith("give") for action in table.legal):
        table.act(chooser.choice(table.legal))
    giver = table.seat_to_act
    table.act(table.legal[0])
    named = {
        seat: position_message(table, seat)["last"]["action"] is not None
        for seat in (SPECTATOR, *range(4))
    }
    assert named[giver] and sum(named.values()) == 2
