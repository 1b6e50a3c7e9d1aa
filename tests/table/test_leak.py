"""What is sent to a seat and to spectators is the same for positions that they cannot tell apart.

PARLOUR_LEAK_PAIRS compares more pairs of positions of each game.
"""

import copy
import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlour.baselines.advice import explanations, move_values
from parlour.envs import GAMES, find_game
from parlour.envs.core.game import Game
from parlour.envs.core.play.one_game import PlayedPly, game_at, started_table
from parlour.envs.core.play.tables import Tables
from parlour.envs.core.rng import streams
from parlour.scripts.table import help, views
from parlour.scripts.table.live import Connection, LiveTable, ThinkingPools
from parlour.scripts.table.table import HERE, GameTable, Occupant, Setup
from parlour.scripts.table.views import SPECTATOR, history_message, position_message

from .serving import GUEST, ME, open_table, seated, server

pytestmark = pytest.mark.plain

CASES: list[tuple[str, dict[str, Any]]] = [(name, {}) for name in GAMES]
HIDING = [(name, settings) for name, settings in CASES if find_game(name).has_hidden]
LESS_HIDING = [case for case in HIDING if case[0] != "splendor"]  # whose pictures are dear
EXACT: tuple[str, dict[str, Any]] = ("trick_taking", {})  # solved: its help needs no search
EXCHANGES = pytest.param(
    "president",
    {"num_players": 4, "num_games": 2, "economy": "swap_two"},
    marks=pytest.mark.long,
)
FORMS = ((False, False), (True, False), (False, True))  # a browser's, a phone's, a program's
MAX_TRIES = 60  # positions looked at for each that can be compared with help
NUM_PAIRS = int(os.environ.get("PARLOUR_LEAK_PAIRS", "8"))
NUM_HELPED = 2  # pairs for which hints and the like are made: they take longer


def table_of(name: str, settings: dict, seed: int) -> GameTable:
    game = find_game(name, **settings)
    seats = (Occupant(HERE, "somebody"),) * game.num_seats
    return GameTable(Setup(name, settings, seats, seed, skip_forced=False))


async def keep_nothing(*_: Any) -> None:
    pass


def sent(table: GameTable, seat: int | None) -> list[str]:
    """All that is sent about a table, as it goes over the wire to each kind of client."""
    live, texts = LiveTable("table", (), table, ThinkingPools(), keep_nothing, {}), []
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
    rngs = streams([table.setup.seed])
    other.restore((table.setup, game_at(table.game, position[0], rngs, table.plies), []))
    return other


def redealt(table: GameTable, seat: int, number: int) -> np.ndarray:
    rngs, tables = streams([number], 3), table.running.tables
    return tables.determinize(tables.all_rows, np.array([seat]), rngs)


def seen_by(table: GameTable, seat: int) -> bytes:
    return table.running.observation(seat).tobytes()


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
    after = (
        replaced(table, table.running.tables.states),
        replaced(other, other.running.tables.states),
    )
    for each in after:
        each.running.tables.rngs[:] = streams([7])
        each.act(action)
    return (after[0], after[1]) if seen_by(after[0], seat) == seen_by(after[1], seat) else None


def after_any(
    table: GameTable, other: GameTable, seat: int, chooser: random.Random
) -> tuple[GameTable, GameTable] | None:
    """Both tables after some action, or None where one has no such action or the seat sees more."""
    action = chooser.choice(table.legal)
    return both_after(table, other, seat, action) if action in other.legal else None


class OneDraw:
    """Lets hints see one re-deal for all positions that look the same to those they are for.

    Re-deals are random and may differ; whatever else differs between two positions is a leak.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.positions: dict[bytes, np.ndarray] = {}
        self.fitting: dict[bytes, Any] = {}
        for module in (move_values, explanations):
            monkeypatch.setattr(module, "fresh_seed", lambda: 7)
        begin, fit = move_values.MoveSearch.__init__, explanations._that_fit

        def begin_alike(study, game, position, view, mask, rng, player=None):
            key = view.tobytes() + mask.tobytes() + str(player).encode()
            position = self.positions.setdefault(key, position.copy())
            begin(study, game, position.copy(), view, mask, streams([7]), player)

        def fit_alike(game, state, action, onlooker):
            view = game.new_observations()
            game.observe(state, onlooker, view[0])
            key = view.tobytes() + bytes(str(action), "ascii")
            return self.fitting.setdefault(key, fit(game, state, action, onlooker))

        def think_briefly(study, seconds, min_rounds=1):
            if not study.is_finished:
                study._step()
            return study.result()

        monkeypatch.setattr(move_values.MoveSearch, "__init__", begin_alike)
        monkeypatch.setattr(move_values.MoveSearch, "think", think_briefly)
        monkeypatch.setattr(explanations, "_that_fit", fit_alike)


def help_with(table: GameTable, seat: int) -> str:
    """The hints for the seat to act."""
    assert table.seat_to_act == seat
    values = move_values.study_of(table.game, table.state, "search").think(0)
    return json.dumps(views.values_data(table.game, values, table.state))


def help_about(table: GameTable, ply: PlayedPly, seat: int) -> str:
    """Return the review of a seat's own move, or the explanation of another's."""
    if ply.seat != seat:
        reason = table.explain(ply, seat)
        return json.dumps(reason and views.reason_data(table.game, reason, ply.before))
    connection = Connection()
    connection.seat = seat
    return json.dumps(help.reviewed(table, len(table.plies) - 1, connection))


@pytest.mark.parametrize(("name", "settings"), [*CASES, EXCHANGES])
def test_a_seat_is_sent_the_same_for_all_it_cannot_tell_apart(name: str, settings: dict) -> None:
    """Both right away and after the same action has been played in both positions."""
    num_compared = num_after = 0
    for table, other, seat, chooser in pairs(name, settings, NUM_PAIRS):
        if num_compared + num_after >= NUM_PAIRS:
            break
        assert sent(other, seat) == sent(table, seat)
        num_compared += 1
        if after := after_any(table, other, seat, chooser):
            assert sent(after[0], seat) == sent(after[1], seat)
            num_after += 1
    assert num_compared + num_after >= NUM_PAIRS and num_after > NUM_PAIRS // 10


@pytest.mark.parametrize(("name", "settings"), [*CASES, EXCHANGES])
def test_spectators_are_sent_what_every_seat_knows(name: str, settings: dict) -> None:
    """At pairs of positions that a seat cannot tell apart."""
    num_compared = 0
    for table, other, _, chooser in pairs(name, settings, NUM_PAIRS // 2):
        if num_compared >= NUM_PAIRS // 2:
            break
        assert sent(other, SPECTATOR) == sent(table, SPECTATOR)
        num_compared += 1
        seats = range(table.game.num_seats)
        after = after_any(table, other, 0, chooser)
        if after and all(seen_by(after[0], seat) == seen_by(after[1], seat) for seat in seats):
            assert sent(after[0], SPECTATOR) == sent(after[1], SPECTATOR)
            num_compared += 1
    assert num_compared >= NUM_PAIRS // 2


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        EXACT,
        *(pytest.param(*case, marks=pytest.mark.long) for case in HIDING if case != EXACT),
        EXCHANGES,
    ],
)
def test_hints_reviews_and_explanations_depend_on_nothing_hidden(
    name: str, settings: dict, monkeypatch: pytest.MonkeyPatch
) -> None:
    draws, num_compared = OneDraw(monkeypatch), 0
    for table, other, seat, chooser in pairs(name, settings, MAX_TRIES * NUM_HELPED):
        if num_compared >= NUM_HELPED:
            break
        if table.seat_to_act == seat:
            assert help_with(other, seat) == help_with(table, seat)
        action = chooser.choice(table.legal)
        if action not in other.legal or len(table.legal) == 1:
            continue
        first, second = (replaced(each, each.running.tables.states) for each in (table, other))
        for each in (first, second):
            each.act(action)
        if first.sees(first.plies[-1], seat):
            texts = [help_about(each, each.plies[-1], seat) for each in (first, second)]
            assert texts[0] == texts[1]
            num_compared += 1
    assert num_compared >= NUM_HELPED and (draws.positions or draws.fitting)


@pytest.mark.parametrize(("name", "settings"), [*LESS_HIDING, EXCHANGES])
def test_a_socket_brings_the_same_bytes_from_either_of_two_deals(
    name: str, settings: dict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compare what the first seat's socket gets while the other seats send messages."""

    def alike(game: Game, seed: int, deal: Any = None) -> Tables:
        tables = started_table(game, 5, deal)
        if seed == 6:  # the same to the first seat as a table of seed 5
            tables.states[:] = tables.determinize(tables.all_rows, np.zeros(1, int), streams([1]))
        return tables

    monkeypatch.setattr("parlour.scripts.table.table.started_table", alike)
    shadows = [table_of(name, settings, seed) for seed in (5, 6)]
    assert seen_by(shadows[0], 0) == seen_by(shadows[1], 0)
    assert shadows[0].running.tables.states.tobytes() != shadows[1].running.tables.states.tobytes()
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
    tables = [replaced(shadow, shadow.running.tables.states) for shadow in shadows]
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


def test_a_hidden_action_is_named_and_explained_to_those_who_saw_it() -> None:
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
    others = [seat for seat in range(4) if not named[seat]]
    assert [table.explain(table.plies[-1], seat) for seat in others] == [None, None]
