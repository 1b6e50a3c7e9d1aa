"""Pairs of positions that a seat cannot tell apart, and comparisons of all that it is sent.

Every comparison raises AssertionError at the first difference.
"""

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from parlour.baselines.advice import explanations, move_values
from parlour.envs import GAMES, find_game
from parlour.envs.core.rng import streams
from parlour.scripts.table import help, views
from parlour.scripts.table.live import Connection, LiveTable, Minds
from parlour.scripts.table.table import HERE, GameTable, Occupant, PlayedPly, Setup
from parlour.scripts.table.views import SPECTATOR, history_message

CASES: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in GAMES),
    ("president", {"num_players": 4, "num_games": 2, "economy": "swap_two"}),
]
HIDING = [(name, settings) for name, settings in CASES if find_game(name, **settings).has_hidden]
FORMS = ((False, False), (True, False), (False, True))  # a browser's, a phone's, a program's
MAX_TRIES = 60  # positions looked at for each that can be compared with help


def table_of(name: str, settings: dict, seed: int) -> GameTable:
    game = find_game(name, **settings)
    seats = (Occupant(HERE, "somebody"),) * game.num_seats
    return GameTable(Setup(name, settings, seats, seed, skip_forced=False))


def sent(table: GameTable, seat: int | None) -> list[str]:
    """All that is sent about a table, as it goes over the wire to each kind of client."""
    table = copy.copy(table)
    table.listeners = []
    live, texts = LiveTable("table", (), table, Minds(), {}), []
    for number, (is_narrow, has_data) in enumerate(FORMS):
        connection = Connection()
        connection.seat, connection.is_narrow, connection.has_data = seat, is_narrow, has_data
        live.connections = {connection}
        if number == 0:  # the same for every form
            connection.put(history_message(table, seat))
        live.broadcast(live.position_for)
        live.send_presence()
        texts += [connection.queue.get_nowait() for _ in range(connection.queue.qsize())]
    return texts


def replaced(table: GameTable, position: np.ndarray) -> GameTable:
    """The same table in another position."""
    other = copy.copy(table)
    other._deal()
    other.tables.states[:] = position
    other.plies = list(table.plies)
    return other


def redealt(table: GameTable, seat: int, number: int) -> np.ndarray:
    rngs = streams([number], 3)
    return table.tables.determinize(table.tables.all_rows, np.array([seat]), rngs)


def seen_by(table: GameTable, seat: int) -> bytes:
    return table.tables.observe(table.tables.all_rows, np.array([seat])).tobytes()


def pairs(
    name: str, settings: dict, count: int
) -> Iterator[tuple[GameTable, GameTable, int, random.Random]]:
    """Two tables that a seat cannot tell apart, the seat, and a source of choices."""
    chooser = random.Random(1)
    num_pairs = seed = 0
    while num_pairs < count:
        table = table_of(name, settings, seed)
        seed += 1
        while not table.is_over and num_pairs < count:
            seat = chooser.randrange(table.game.num_seats)
            yield table, replaced(table, redealt(table, seat, num_pairs)), seat, chooser
            num_pairs += 1
            for _ in range(1 + chooser.randrange(6)):
                if not table.is_over:
                    table.act(chooser.choice(table.legal))


def both_after(
    table: GameTable, other: GameTable, seat: int, action: int
) -> tuple[GameTable, GameTable] | None:
    """Both tables after an action, or None where the seat can tell them apart then."""
    after = replaced(table, table.tables.states), replaced(other, other.tables.states)
    for each in after:
        each.tables.rngs[:] = streams([7])
        each.act(action)
    return after if seen_by(after[0], seat) == seen_by(after[1], seat) else None


def compare_seats(name: str, settings: dict, count: int) -> int:
    """Compare at least `count` pairs in all forms; return how many.

    A pair is compared as it is, and once more after the same action has been played in both
    positions, where the seat cannot tell these apart either.
    """
    num_compared = num_after = 0
    for table, other, seat, chooser in pairs(name, settings, count):
        if num_compared + num_after >= count:
            break
        assert sent(other, seat) == sent(table, seat)
        num_compared += 1
        if after := after_any(table, other, seat, chooser):
            assert sent(after[0], seat) == sent(after[1], seat)
            num_after += 1
    assert num_after > count // 10
    return num_compared + num_after


def compare_spectators(name: str, settings: dict, count: int) -> int:
    """Compare at least `count` pairs that a seat cannot tell apart as spectators see them."""
    num_compared = 0
    for table, other, _, chooser in pairs(name, settings, count):
        if num_compared >= count:
            break
        assert sent(other, SPECTATOR) == sent(table, SPECTATOR)
        num_compared += 1
        seats = range(table.game.num_seats)
        after = after_any(table, other, 0, chooser)
        if after and all(seen_by(after[0], seat) == seen_by(after[1], seat) for seat in seats):
            assert sent(after[0], SPECTATOR) == sent(after[1], SPECTATOR)
            num_compared += 1
    return num_compared


def after_any(
    table: GameTable, other: GameTable, seat: int, chooser: random.Random
) -> tuple[GameTable, GameTable] | None:
    """Both tables after some action, or None where one has no such action or the seat sees more."""
    action = chooser.choice(table.legal)
    return both_after(table, other, seat, action) if action in other.legal else None


def compare_help(name: str, settings: dict, count: int) -> int:
    """Compare hints, and reviews or explanations of moves, at `count` pairs; return how many."""
    num_compared = 0
    with pytest.MonkeyPatch.context() as monkeypatch:
        draws = OneDraw(monkeypatch)
        for table, other, seat, chooser in pairs(name, settings, MAX_TRIES * count):
            if num_compared >= count:
                break
            if table.seat_to_act == seat:
                assert help_with(other, seat) == help_with(table, seat)
            action = chooser.choice(table.legal)
            if action not in other.legal or len(table.legal) == 1:
                continue
            first, second = (replaced(each, each.tables.states) for each in (table, other))
            for each in (first, second):
                each.act(action)
            if first.sees(first.plies[-1], seat):
                told = [help_about(each, each.plies[-1], seat) for each in (first, second)]
                assert told[0] == told[1]
                num_compared += 1
        assert draws.positions or draws.fitting
    assert num_compared >= count
    return num_compared


class OneDraw:
    """Lets hints see one re-deal for all positions that look the same to those they are for.

    Re-deals are random and may differ; whatever else differs between two positions is a leak.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.positions: dict[bytes, np.ndarray] = {}
        self.fitting: dict[bytes, Any] = {}
        for module in (move_values, explanations):
            monkeypatch.setattr(module, "fresh_seed", lambda: 7)
        begin, fit = move_values.Study.__init__, explanations._that_fit

        def begin_alike(study, game, position, seen, mask, rng, player=None):
            key = seen.tobytes() + mask.tobytes() + str(player).encode()
            position = self.positions.setdefault(key, position.copy())
            begin(study, game, position.copy(), seen, mask, streams([7]), player)

        def fit_alike(game, state, action, onlooker):
            seen = game.new_observations()
            game.observe(state, onlooker, seen[0])
            key = seen.tobytes() + bytes(str(action), "ascii")
            return self.fitting.setdefault(key, fit(game, state, action, onlooker))

        def think_briefly(study, seconds):
            if not study.is_finished:
                study._step()
            return study.result()

        monkeypatch.setattr(move_values.Study, "__init__", begin_alike)
        monkeypatch.setattr(move_values.Study, "think", think_briefly)
        monkeypatch.setattr(explanations, "_that_fit", fit_alike)


def help_with(table: GameTable, seat: int) -> str:
    """The hints for the seat to act."""
    assert table.seat_to_act == seat
    found = table.study("search").think(0)
    return json.dumps(views.values_data(table.game, found, table.state))


def help_about(table: GameTable, ply: PlayedPly, seat: int) -> str:
    """Return the review of a seat's own move, or the explanation of another's."""
    if ply.seat != seat:
        found = table.explain(ply, seat)
        return json.dumps(found and views.reason_data(table.game, found, ply.before))
    connection = Connection()
    connection.seat = seat
    return json.dumps(help.reviewed(table, len(table.plies) - 1, connection))
