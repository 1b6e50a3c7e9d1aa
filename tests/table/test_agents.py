"""An agent takes a seat with the official client of the Model Context Protocol, over stdio."""

import os
import sys
import threading
from collections.abc import Iterator
from typing import Any

import anyio
import pytest

from parlour.baselines.advice.move_values import study_of
from parlour.scripts.agents.local import LocalTables, table_of
from parlour.scripts.agents.seat import TableSeat
from parlour.scripts.table.live import THINKING_LIMIT
from parlour.scripts.table.table import GameTable

pytestmark = pytest.mark.plain

SMALL = {"num_values": 5}


def test_an_agent_plays_over_stdio_and_learns_its_regret() -> None:
    mcp = pytest.importorskip("mcp", reason="the package mcp is missing: the extra `agents`")
    command = mcp.StdioServerParameters(
        command=sys.executable, args=["-m", "parlour.scripts.main", "mcp"], env=dict(os.environ)
    )

    async def talk() -> None:
        async with mcp.Client(command) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert {"games", "rules", "start", "observation", "legal_actions"} < names
            early = await client.call_tool("play", {"action": "pass"})
            assert early.is_error and "call start" in early.content[0].text
            request = {"game": "trick_taking", "settings": SMALL, "players": ["perfect"]}
            position = data(await client.call_tool("start", request))
            wrong = await client.call_tool("play", {"action": "card:9.9"})
            assert wrong.is_error and position["legal_actions"][0] in wrong.content[0].text
            while not position["is_over"]:
                assert position["words"] and position["observation"]
                action = {"action": position["legal_actions"][0]}
                position = data(await client.call_tool("play", action))
            result = data(await client.call_tool("result"))
            assert sum(result["returns"]) == 0 and result["choices"]
            assert {row["source"] for row in result["choices"]} == {"exact"}

    anyio.run(talk)


def data(answer: Any) -> dict[str, Any]:
    assert not answer.is_error, answer.content
    return answer.structured_content


@pytest.fixture(name="tables")
def _tables() -> Iterator[LocalTables]:
    """The tables of an agent; whatever it leaves is closed."""
    tables = LocalTables(THINKING_LIMIT)
    yield tables
    tables.server.close()


def casual(game: str, players: list[str], seat: int = 0, seed: int = 3) -> dict[str, Any]:
    """The request for a table of a known deal."""
    settings = SMALL if game == "trick_taking" else {}
    return {**table_of(game, players, settings, seat), "seed": seed}


def table_behind(tables: LocalTables) -> GameTable:
    """The only table that is being played at this server."""
    app: Any = tables.server.app.app
    (live,) = app.state.host.live.values()
    return live.table


def play_on(seat: TableSeat, position: dict[str, Any]) -> None:
    """Play the first legal action to the end of the game; nothing may be judged."""
    while not position["is_over"]:
        position = seat.play(position["legal_actions"][0])
        assert "judgement" not in position


def test_the_best_moves_lose_nothing_and_the_regret_comes_last(tables: LocalTables) -> None:
    seat = tables.open(casual("trick_taking", ["high_low"], 1), 1)
    position = seat.position()
    with pytest.raises(ValueError, match="not over"):
        seat.result()
    while not position["is_over"]:
        table = table_behind(tables)
        values = study_of(table.game, table.state, "exact").think(0).values
        best = max(values, key=lambda action: values[action])
        position = seat.play(table.game.action_name(best))
    assert seat.result()["mean_regret"] == 0
    with pytest.raises(ValueError, match="stands alone"):
        seat.next_game()
    seat.close()


def test_a_choice_is_judged_after_it_is_made(tables: LocalTables) -> None:
    seat = tables.open(casual("trick_taking", ["perfect"]), 0)
    choices, position = [], seat.position()
    while not position["is_over"]:
        position = seat.play(position["legal_actions"][0])
        choices.append(position["judgement"])
    judged = seat.result()["choices"]
    assert [{key: row[key] for key in choices[0]} for row in judged] == choices
    assert seat.result()["choices"] == judged  # however often it is asked
    assert all(row["regret"] >= 0 for row in choices)
    seat.close()


def test_a_proxy_is_not_asked_for_what_is_on_this_machine(
    tables: LocalTables, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # nobody is there
    seat = tables.open(casual("trick_taking", ["high_low"]), 0)
    assert seat.position()["legal_actions"]
    seat.close()


def test_a_slow_player_is_replaced_for_one_move(monkeypatch: pytest.MonkeyPatch) -> None:
    is_let_go = threading.Event()
    monkeypatch.setattr(GameTable, "choose", lambda *_: is_let_go.wait(60))
    tables = LocalTables(thinking_limit=0.01)
    seat = tables.open(casual("trick_taking", ["high_low"], 1), 1)
    assert "Duellist gave no move (no answer within 0.015 s)" in seat.position()["notices"][0]
    is_let_go.set()
    seat.close()
    tables.server.close()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"game": "chess"}, "chess"),
        ({"players": ["nobody"]}, "nobody"),
        ({"players": ["lowest"] * 2}, "name 3 players"),
        ({"seat": 4}, "0 .. 3"),
    ],
)
def test_a_wrong_request_is_explained(
    change: dict[str, Any], problem: str, tables: LocalTables
) -> None:
    request = {"game": "president", "players": ["lowest"], "seat": 0, **change}
    with pytest.raises(ValueError, match=problem):
        tables.open(casual(**request), 0)
