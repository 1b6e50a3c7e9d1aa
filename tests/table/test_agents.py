"""An agent takes a seat with the official client of the Model Context Protocol, over stdio."""

import os
import sys
import threading
from typing import Any

import anyio
import pytest

from parlour.baselines import make_policy
from parlour.scripts.agents.agent import AgentMatch, AgentSeat, casual_setup
from parlour.scripts.table.matches import match_result, new_plan
from parlour.scripts.table.rules import game_page
from parlour.scripts.table.table import GameTable

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


def test_the_best_moves_lose_nothing_and_the_regret_comes_last() -> None:
    agent = AgentSeat(casual_setup("trick_taking", ["high_low"], SMALL, 1, 3), 1)
    with pytest.raises(ValueError, match="not over"):
        agent.result()
    while not agent.table.is_over:
        values = agent.table.study("exact").think(0).values
        best = max(values, key=lambda action: values[action])
        agent.play(agent.table.game.action_name(best))
    assert agent.result()["mean_regret"] == 0


def test_a_choice_is_judged_after_it_is_made() -> None:
    agent = AgentSeat(casual_setup("trick_taking", ["perfect"], SMALL, seed=3), 0)
    choices = []
    while not agent.table.is_over:
        choices.append(agent.play(agent.legal()[0])["judgement"])
    judged = agent.result()["choices"]
    assert [{key: row[key] for key in choices[0]} for row in judged] == choices
    assert all(row["regret"] >= 0 for row in choices)


def test_a_match_plays_every_deal_from_every_seat_and_ends_with_intervals() -> None:
    plan = new_plan("trick_taking", SMALL, "agent", "high_low", 12)
    assert len({seed for seed, _ in plan.games}) == 12
    assert {seat for _, seat in plan.games} == {0, 1} and len(set(plan.games)) == 24
    assert any(one[0] != other[0] for one, other in zip(*2 * [iter(plan.games)], strict=True))
    match = AgentMatch(plan)
    while True:
        position = match.position()
        assert not {str(seed) for seed, _ in plan.games} & set(str(position).split())
        while not position["is_over"]:
            position = match.play(position["legal_actions"][0])
            assert "judgement" not in position
        if position["match"]["game"] == 24:
            break
        with pytest.raises(ValueError, match="is over"):
            match.play("card:1.1")
        match.next_game()
    with pytest.raises(ValueError, match="last game"):
        match.next_game()
    result = match.result()
    assert result["games_played"] == 24 and result["result"]["num_deals"] == 12
    mean, low, high = result["result"]["mean_return"]
    assert low < mean < high
    assert "agent v high_low at trick_taking: 24 games, 12 deals" in result["text"]


def test_a_match_of_equals_is_even() -> None:
    """An agent that plays as its opponent does gets the same total from the seats of each deal."""
    plan = new_plan("trick_taking", SMALL, "agent", "high_low", 6)
    returns = []
    for number, (_, seat) in enumerate(plan.games):
        table = AgentSeat(plan.setup(number), seat, judges=False).table
        while not table.is_over:
            policy = make_policy("high_low", table.game)
            table.act(table.choose(table.to_think or policy))
        returns.append(table.returns)
    half = match_result(plan, returns[:7])
    assert half is None or half.num_deals < 6
    whole = match_result(plan, returns)
    assert whole is not None and whole.mean_return.mean == 0


def test_a_slow_player_is_replaced_for_one_move(monkeypatch: pytest.MonkeyPatch) -> None:
    setup = casual_setup("president", ["lowest"], seed=4)
    is_let_go = threading.Event()
    monkeypatch.setattr(GameTable, "choose", lambda *_: is_let_go.wait(60))
    agent = AgentSeat(setup, 3, thinking_limit=0.01)
    assert "lowest gave no move (no answer within 0.015 s)" in agent.position()["notices"][0]
    is_let_go.set()


def test_a_position_says_only_what_the_seat_may_know() -> None:
    agent = AgentSeat(casual_setup("president", ["lowest"], seed=4), 0)
    other = AgentSeat(casual_setup("president", ["lowest"], seed=4), 0)
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
        AgentSeat(casual_setup(**{"game": "president", "players": ["lowest"], **change}), 0)


def test_the_rules_are_the_page_of_the_game() -> None:
    assert "President" in game_page("president")
