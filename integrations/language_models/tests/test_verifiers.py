"""The verifiers environment, with a scripted stand-in for the model: a hundred games and groups."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from scripted_model import served
from sizes import SIZES

pytest.importorskip("verifiers.v1", reason="verifiers has an environment of its own")
import verifiers.v1 as vf
from parlour_verifiers import sittings
from verifiers.v1.utils.loaders import load_environment, resolve_env_config

ILLEGAL = "scripted-0.1"  # so much of what it says
TRICKS = {"game": "trick_taking", "settings": {"num_values": 5}}


@pytest.fixture(scope="module", name="url")
def _url() -> Iterator[str]:
    with served() as url:
        yield url


def episodes(url: str, model: str = "scripted-0", **taskset: Any) -> list[Any]:
    """Play all deals of a taskset; `agent` in it are settings of that seat."""
    agent = taskset.pop("agent", {})
    chosen = {"taskset": {"id": "parlour-verifiers", **taskset}, "agent": agent}
    environment = load_environment(resolve_env_config(chosen))
    client = vf.EvalClientConfig(base_url=url, api_key_var="NONE")
    context = vf.ModelContext(model=model, client=client)

    async def play() -> list[Any]:
        async with environment.serving():
            return [await environment.run_episode(t, context) for t in environment.taskset]

    return asyncio.run(play())


def first_read(trace: Any) -> str:
    """Return the first position that a model read."""
    return next(str(each.content) for each in trace.messages if each.role == "user")


def test_a_hundred_games_end_with_returns_and_metrics(url: str) -> None:
    games = illegal = forfeits = 0
    for name, settings, num_seats in SIZES:
        num_deals = 3 if num_seats == 2 else 2
        asked = {"game": name, "settings": settings, "num_deals": num_deals}
        for episode in episodes(url, ILLEGAL, **asked):
            assert episode.ok and len(episode.traces) == num_seats, episode.errors
            assert {trace.task.data.seat for trace in episode.traces} == {*range(num_seats)}
            games += num_seats
            for trace in episode.traces:
                metrics = trace.metrics
                assert trace.reward == trace.rewards["return"].value and -1 <= trace.reward <= 1
                assert metrics["choices"] + metrics["illegal_moves"] == trace.num_turns
                assert metrics["forfeits"] == (metrics["illegal_moves"] == 3)
                illegal += metrics["illegal_moves"]
                forfeits += metrics["forfeits"]
            mean = sum(trace.reward for trace in episode.traces) / num_seats
            assert episode.traces[0].metrics["duplicate_return"] == pytest.approx(mean)
    print(f"{games} games, {illegal:g} illegal moves, {forfeits:g} forfeits")
    assert games > 100 and illegal > 10 and forfeits > 0


def test_equal_seeds_give_equal_episodes_and_others_do_not(url: str) -> None:
    prompts = [
        [
            trace.transcript
            for trace in episodes(url, **TRICKS, num_deals=1, first_seed=seed)[0].traces
        ]
        for seed in (3, 3, 4)
    ]
    assert prompts[0] == prompts[1] != prompts[2]


def test_a_group_is_one_deal_from_every_seat(url: str) -> None:
    """In each sitting the seat that leads reads the same, with each player in it."""
    (episode,) = episodes(url, **TRICKS, num_deals=1, players=["agent", "rival"])
    by_name = episode.by_agent
    assert {name: len(traces) for name, traces in by_name.items()} == {"agent": 2, "rival": 2}
    leads = {(t.agent.name, t.task.data.sitting): first_read(t) for t in episode.traces}
    opened = [text for text in leads.values() if text.startswith("trick 1 of 5: player 0 leads")]
    assert len(opened) == 2 and opened[0] == opened[1]
    assert [t.agent.trainable for t in by_name["agent"]] == [True, True]
    assert [t.agent.trainable for t in by_name["rival"]] == [False, False]


def test_the_sittings_of_a_group_are_all_turns_of_the_table() -> None:
    turned = sittings(["agent", "lowest", "random"])
    assert [players.index("agent") for players in turned] == [0, 1, 2]
    assert turned[1] == ["random", "agent", "lowest"]
    assert sittings(["agent"] * 3) == [["agent"] * 3]  # nobody would sit elsewhere


def test_the_regret_is_recorded_where_choices_are_judged(url: str) -> None:
    asked = {**TRICKS, "num_deals": 8, "players": ["agent", "perfect"], "judge_seconds": 0.0}
    regrets = [t.metrics["regret"] for e in episodes(url, **asked) for t in e.traces]
    assert len(regrets) == 16 and max(regrets) > 0 and min(regrets) >= 0


def test_a_model_that_may_say_no_more_forfeits(url: str) -> None:
    (episode,) = episodes(url, **TRICKS, num_deals=1, agent={"max_turns": 1})
    assert [trace.reward for trace in episode.traces] == [-1, -1]
    assert [trace.metrics["forfeits"] for trace in episode.traces] == [1, 1]


def test_legal_actions_that_are_not_shown_leave_a_model_to_its_rules(url: str) -> None:
    asked = {"num_deals": 1, "show_legal": False, "max_illegal": 1, "duplicates": False}
    (episode,) = episodes(url, **TRICKS, **asked)
    (trace,) = episode.traces
    assert "Legal actions:" not in trace.transcript and "Actions:" in trace.transcript
    assert trace.reward == -1 and trace.metrics["illegal_moves"] == 1


def test_a_failing_endpoint_is_no_result() -> None:
    (episode,) = episodes("http://127.0.0.1:9/v1", **TRICKS, num_deals=1, duplicates=False)
    assert not episode.ok and episode.traces[0].errors


def test_a_wrong_taskset_is_explained(url: str) -> None:
    with pytest.raises(ValueError, match="unknown game 'chess'"):
        episodes(url, game="chess")
    (episode,) = episodes(url, **TRICKS, num_deals=1, players=["agent", "nobody"])
    assert not episode.ok and "nobody" in episode.errors[0].message
