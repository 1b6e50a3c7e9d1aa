"""The OpenEnv server, with its own client: a hundred games of all sizes, seeds, wrong requests."""

from collections.abc import Iterator
from typing import Any

import pytest
from scripted_model import reply_to
from sizes import SIZES

pytest.importorskip("openenv", reason="OpenEnv has an environment of its own")
from openenv import GenericEnvClient
from openenv_server import served

NUM_DEALS = 8  # of each of 14 sizes
COMPILE_SECONDS = 600.0  # the first judgement waits for the code
ILLEGAL_RATE = 0.1


@pytest.fixture(scope="module", name="url")
def _url() -> Iterator[str]:
    with served() as url:
        yield url


@pytest.fixture(name="client")
def _client(url: str) -> Iterator[Any]:
    with GenericEnvClient(base_url=url, message_timeout_s=COMPILE_SECONDS).sync() as client:
        yield client


def play(client: Any, illegal_rate: float = ILLEGAL_RATE, **asked: Any) -> tuple[list[str], Any]:
    """Play a game; return what was read, and the last result."""
    result = client.reset(**asked)
    read = [result.observation["instructions"]]
    while not result.done:
        text = result.observation["text"]
        read.append(text)
        conversation = [{"role": "user", "content": each} for each in read]
        result = client.step({"reply": reply_to(conversation, illegal_rate)})
    return read, result


def test_a_hundred_games_of_every_size_end_with_their_returns(client: Any) -> None:
    games = illegal = forfeits = 0
    for name, settings, num_seats in SIZES:
        for seed in range(NUM_DEALS):
            seat = seed % num_seats
            players = ["random"] * num_seats
            players[seat] = "agent"
            asked = {"game": name, "settings": settings, "players": players, "seed": seed}
            read, result = play(client, **asked)
            returns = result.observation["returns"]
            metrics = result.observation["metrics"][str(seat)]
            assert f"in seat {seat} of {num_seats}" in read[0]
            assert result.reward == returns[seat] and sum(returns) == pytest.approx(0, abs=1e-6)
            assert metrics["forfeits"] == (metrics["illegal_moves"] == 3)
            assert metrics["choices"] + metrics["illegal_moves"] == len(read) - 1
            assert not metrics["forfeits"] or result.reward == -1
            games += 1
            illegal += metrics["illegal_moves"]
            forfeits += metrics["forfeits"]
    print(f"\n{games} games, {illegal:g} illegal moves, {forfeits:g} forfeits")
    assert games == len(SIZES) * NUM_DEALS > 100 and illegal > 10 and forfeits > 0


def test_equal_seeds_give_equal_games_and_others_do_not(client: Any) -> None:
    asked = {"game": "president", "players": ["agent", "random"]}
    first, again = (play(client, seed=7, **asked) for _ in range(2))
    assert first[0] == again[0] and first[1].observation == again[1].observation
    assert play(client, seed=8, **asked)[0] != first[0]
    drawn = []
    for _ in range(2):  # without a seed: new ones, which the state tells
        client.reset(**asked)
        drawn.append(client.state()["seed"])
    assert drawn[0] != drawn[1]


def test_a_client_may_answer_at_every_seat(client: Any) -> None:
    read, result = play(client, 0.0, game="president", players=["agent"], seed=1)
    assert len(result.observation["metrics"]) == 4 and len(read) > 20
    assert result.observation["returns"][0] == result.reward


def test_the_style_is_that_of_the_request(client: Any) -> None:
    style = {"show_legal": False, "max_illegal": 1, "judge_seconds": 0}
    asked = {"game": "trick_taking", "settings": {"num_values": 5}, "style": style}
    hidden = client.reset(**asked).observation
    assert hidden["legal_actions"] == [] and "Legal actions:" not in hidden["text"]
    ended = client.step({"reply": "fold"})
    assert ended.done and ended.reward == -1 and "'fold'" in ended.observation["error"]
    asked["style"] = {"judge_seconds": 0}
    assert 0 <= play(client, 0.0, **asked)[1].observation["metrics"]["0"]["regret"] < 1


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"players": ["lowest"]}, "call at least one of the players 'agent'"),
        ({"players": ["agent", "nobody"]}, "nobody"),
        ({"players": ["agent", "mine.py:choose"]}, "cannot be chosen here"),
        ({"players": ["agent"] * 5}, "name 1 to 4 players"),
        ({"settings": {"num_players": 3}}, "num_players must be one of 2, 4, 5, 8"),
        ({"game": "top_trumps", "settings": {"deck": "/etc/passwd"}}, "deck must be"),
        ({"style": {"colour": "red"}}, "style has no setting 'colour'"),
        ({"style": {"max_illegal": 0}}, "max_illegal must be an integer in 1 .. 1000"),
    ],
)
def test_a_wrong_request_is_explained(asked: dict[str, Any], problem: str, client: Any) -> None:
    with pytest.raises(RuntimeError, match=problem):
        client.reset(**asked)
    with pytest.raises(RuntimeError, match="reset first"):
        client.step({"reply": "pass"})
