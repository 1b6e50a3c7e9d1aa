"""The page of a running tournament, and games of stores and of the server's tables replayed."""

import re
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from parlour.scripts.main import main
from parlour.scripts.table import tournaments
from parlour.scripts.table.tournaments import Ladders, RunningResults
from parlour.scripts.words import player_label

from .replay_pages import data_of
from .serving import AS_OWNER, ME, SMALL, open_table, player, seated, server

pytestmark = pytest.mark.plain

FEW = ["--set", "num_values=5"]


def hold_tournament(store: Path, deals: int) -> None:
    players = ["--players", "random,first_legal,high_low"]
    command = ["tournament", "trick_taking", *players, *FEW, "--deals", str(deals)]
    assert main([*command, "--store", str(store)]) == 0


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("results") / "results.db"
    hold_tournament(path, 8)
    return path


def replayed(client: TestClient, request: dict[str, Any]) -> dict[str, Any]:
    """The data of the page that a replay opens."""
    made = client.post("/api/replays", json=request, headers=AS_OWNER)
    assert made.status_code == 200, made.text
    return data_of(client.get(made.json()["address"]).text)


def test_ratings_and_meetings_of_a_store(store: Path) -> None:
    data = RunningResults(store).data()
    (table,) = data["tables"]
    assert data["name"] == "results.db" and table["title"] == "Trick Taking"
    assert table["num_games"] == 3 * 2 * 8
    assert {row["player"] for row in table["rows"]} == {"Random", "First legal", "High low"}
    for row in table["rows"]:
        assert row["games"] == row["won"] + row["drawn"] + row["lost"] == 32
        mean, low, high = row["elo"]
        assert low <= mean <= high
    assert [meeting["deals"] for meeting in data["meetings"]] == [8, 8, 8]
    assert [meeting["number"] for meeting in data["meetings"]] == [1, 2, 3]
    for meeting in data["meetings"]:
        assert (meeting["table"], meeting["sittings"]) == (0, 2)
        assert (meeting["first"], meeting["newest"]) == (0, 7)


def test_the_ladders_of_a_league_are_shown() -> None:
    data = Ladders(Path(__file__).parents[2] / "docs" / "league").data()
    table = next(each for each in data["tables"] if each["title"] == "Notty, 2 seats")
    elos = [rung["elo"][0] for rung in table["ladder"]]
    assert elos == sorted(elos, reverse=True) and table["ladder"][0]["time"].endswith("s")
    with pytest.raises(ValueError, match="has no ladders"):
        Ladders(Path(__file__).parent)


def test_ratings_move_as_the_store_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournaments, "_REST", 0)
    path = tmp_path / "results.db"
    hold_tournament(path, 4)
    running = RunningResults(path)
    before = running.data()["tables"][0]
    assert running.data()["tables"][0]["curve"] == before["curve"] != []
    hold_tournament(path, 12)
    after = running.data()["tables"][0]
    assert after["num_games"] == 3 * before["num_games"]
    assert [point["games"] for point in after["curve"]] == [24, 72]
    assert after["curve"][0] == before["curve"][0]


def test_only_the_owner_sees_results_and_only_where_some_are_shown(
    store: Path, tmp_path: Path
) -> None:
    with server(tmp_path, results=RunningResults(store)) as client:
        assert client.get("/results").status_code == 200
        assert client.get("/api/results").status_code == 403
        assert client.get("/api/results", headers=AS_OWNER).json()["tables"]
        assert client.post("/api/replays", json={"match": 1}).status_code == 403
    with server(tmp_path) as client:
        assert client.get("/api/results", headers=AS_OWNER).status_code == 404
        wrong = client.post("/api/replays", json={"match": 1}, headers=AS_OWNER)
        assert wrong.status_code == 400 and "no store" in wrong.json()["error"]


def test_a_game_of_the_results_is_replayed_from_its_page(store: Path, tmp_path: Path) -> None:
    with server(tmp_path, results=RunningResults(store)) as client:
        for meeting in client.get("/api/results", headers=AS_OWNER).json()["meetings"]:
            both = [
                replayed(client, {"match": meeting["number"], "deal": 3, "sitting": sitting})
                for sitting in range(2)
            ]
            assert sorted(both[0]["names"]) == sorted(map(player_label, meeting["players"]))
            assert both[0]["names"] == both[1]["names"][::-1]
            assert both[0]["frames"][0] == both[1]["frames"][0]  # the same deal
            assert all(len(data["plies"]) == 10 and data["judged"] for data in both)
        for request, problem in (
            ({"match": 9}, "has matches 1 .. 3"),
            ({"match": 1, "deal": 800}, "no game of deal 800"),
            ({"match": 1, "sitting": 2}, "sitting must be in 0 .. 1"),
        ):
            wrong = client.post("/api/replays", json=request, headers=AS_OWNER)
            assert wrong.status_code == 400 and problem in wrong.json()["error"]
        assert client.get("/replay/guessed").status_code == 404


def test_games_under_contest_time_are_replayed_from_the_secret(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, page = tmp_path / "contest.db", tmp_path / "game.html"
    contest = ["--contest", f"logs={tmp_path / 'logs'}", "--deals", "2", "--store", str(path)]
    assert main(["match", "trick_taking", "high_low,first_legal", *FEW, *contest]) == 0
    (secret,) = re.findall(r"--contest secret=(\w+)", capsys.readouterr().err)
    games = []
    for deal in ("0", "1"):
        for sitting in ("0", "1"):
            which = ["--deal", deal, "--sitting", sitting, "--think", "0"]
            assert main(["replay", str(path), *which, "--html", str(page)]) == 0
            data = data_of(page.read_text())
            assert len(data["plies"]) == 10 and secret not in page.read_text()
            assert data["seed"] not in (0, 1)
            games.append((data["seed"], data["names"]))
    assert games[0][0] == games[1][0] != games[2][0] == games[3][0]
    assert games[0][1] == games[1][1][::-1]


def test_tables_of_the_server_are_replayed_from_its_page(client: TestClient) -> None:
    tokens = open_table(client, "trick_taking", [ME, player("high_low")], settings=SMALL)
    (table,) = client.get("/api/tables", headers=AS_OWNER).json()
    early = client.post("/api/replays", json={"table": table["id"]}, headers=AS_OWNER)
    assert early.status_code == 400 and "no finished game" in early.json()["error"]
    with seated(client, tokens[0]) as me:
        returns = me.play_to_the_end()["returns"]
    data = replayed(client, {"table": table["id"]})
    assert data["names"] == ["You", "Duellist"] and data["returns"] == returns
