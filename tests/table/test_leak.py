"""What is sent to a seat and to spectators is the same for positions that they cannot tell apart.

The number of pairs grows with PARLOUR_LEAK_PAIRS; `make test` compares a few.
"""

import json
import os
import random

import numpy as np
import pytest

from parlour.envs import GAMES, find_game
from parlour.envs.core.rng import streams
from parlour.scripts.table.table import HERE, GameTable, Occupant, Setup
from parlour.scripts.table.views import SPECTATOR, history_message, position_message

NUM_PAIRS = int(os.environ.get("PARLOUR_LEAK_PAIRS", "12"))
CASES = [
    *((name, {}) for name in GAMES),
    ("president", {"num_players": 4, "num_games": 2, "economy": "swap_two"}),
]


def table_of(name: str, settings: dict, seed: int) -> GameTable:
    game = find_game(name, **settings)
    seats = (Occupant(HERE, "somebody"),) * game.num_seats
    return GameTable(Setup(name, settings, seats, seed, skip_forced=False))


def sent(table: GameTable, seat: int | None) -> str:
    """All that a connection is sent about a table, as it goes over the wire."""
    messages = [history_message(table, seat)]
    messages += [position_message(table, seat, is_narrow) for is_narrow in (False, True)]
    return json.dumps(messages)


def replaced(table: GameTable, position: np.ndarray) -> GameTable:
    """The same table in another position."""
    other = GameTable(table.setup)
    other.tables.states[:] = position
    other.plies = list(table.plies)
    return other


def seen_by(table: GameTable, seat: int) -> bytes:
    return table.tables.observe(table.tables.all_rows, np.array([seat])).tobytes()


@pytest.mark.parametrize(("name", "settings"), CASES)
def test_a_seat_is_sent_the_same_for_all_it_cannot_tell_apart(name: str, settings: dict) -> None:
    """Both right away and after the same action has been played in both positions."""
    chooser = random.Random(1)
    num_pairs = seed = 0
    while num_pairs < NUM_PAIRS:
        table = table_of(name, settings, seed)
        seed += 1
        while not table.is_over and num_pairs < NUM_PAIRS:
            seat = chooser.randrange(table.game.num_seats)
            other = replaced(table, redealt(table, seat, num_pairs))
            assert sent(other, seat) == sent(table, seat)
            num_pairs += 1
            action = chooser.choice(table.legal)
            if seat != table.seat_to_act and action in other.legal:
                check_after(table, other, seat, action)
            for _ in range(1 + chooser.randrange(6)):
                if not table.is_over:
                    table.act(chooser.choice(table.legal))


def redealt(table: GameTable, seat: int, number: int) -> np.ndarray:
    rngs = streams([number], 3)
    return table.tables.determinize(table.tables.all_rows, np.array([seat]), rngs)


def check_after(table: GameTable, other: GameTable, seat: int, action: int) -> None:
    """Where an action leaves both positions alike, what is sent about it is the same, too."""
    pair = (replaced(table, table.tables.states), replaced(other, other.tables.states))
    for each in pair:
        each.tables.rngs[:] = streams([7])
        each.act(action)
    if seen_by(pair[0], seat) == seen_by(pair[1], seat):
        assert sent(pair[0], seat) == sent(pair[1], seat)


@pytest.mark.parametrize(("name", "settings"), CASES)
def test_spectators_are_sent_what_every_seat_knows(name: str, settings: dict) -> None:
    table = table_of(name, settings, 1)
    chooser = random.Random(2)
    for number in range(8):
        for seat in range(table.game.num_seats):
            other = replaced(table, redealt(table, seat, number))
            assert sent(other, SPECTATOR) == sent(table, SPECTATOR)
        if not table.is_over:
            table.act(chooser.choice(table.legal))


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
