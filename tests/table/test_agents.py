"""An agent takes a seat with the official client of the Model Context Protocol, over stdio."""

import os
import sys
from typing import Any

import anyio
import pytest

from parlour.scripts.table.agent import AgentSeat, rules

SMALL = {"num_values": 4}


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


def test_the_best_moves_lose_nothing_and_the_regret_comes_last() -> None:
    agent = AgentSeat("trick_taking", ["high_low"], SMALL, seat=1, seed=3)
    with pytest.raises(ValueError, match="not over"):
        agent.result()
    while not agent.table.is_over:
        values = agent.table.study("exact").think(0).values
        best = max(values, key=lambda action: values[action])
        agent.play(agent.table.game.action_name(best))
    assert agent.result()["mean_regret"] == 0


def test_a_position_says_only_what_the_seat_may_know() -> None:
    agent = AgentSeat("president", ["lowest"], seed=4)
    other = AgentSeat("president", ["lowest"], seed=4)
    rows = agent.table.tables.all_rows
    rngs = agent.table._streams(1)[:, 0]
    other.table.tables.states[:] = agent.table.tables.determinize(rows, rows * 0, rngs)
    assert other.table.tables.states.tobytes() != agent.table.tables.states.tobytes()
    assert other.position() == agent.position()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"game": "chess"}, "chess"),
        ({"players": ["nobody"]}, "nobody"),
        ({"players": ["lowest"] * 2}, "name 3 players"),
        ({"seat": 4}, "0 .. 3"),
    ],
)
def test_a_wrong_request_is_explained(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        AgentSeat(**{"game": "president", "players": ["lowest"], **change})


def test_the_rules_are_the_page_of_the_game() -> None:
    assert "President" in rules("president")
