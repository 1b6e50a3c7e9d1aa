"""The league: who is a member, and pages that say what was recorded.

The pages that are kept are compared with their records in `tests/documents/figures.py`.
"""

import dataclasses
import json
from typing import Any

import pytest

from parlour.baselines.arena.play.league import (
    Rung,
    ladder,
    members_of,
    play_league,
    seconds_a_decision,
)
from parlour.baselines.arena.play.playing import Plan
from parlour.baselines.arena.results.league_pages import (
    BEGIN,
    END,
    league_record,
    page,
    time_text,
    with_ladders,
)
from parlour.baselines.arena.results.store import Store
from parlour.baselines.players.making import make_policy, players_of
from parlour.envs import GAMES, find_game

pytestmark = pytest.mark.plain

SMALL = find_game("trick_taking", num_values=3)
FIELD = ["random", "smart", "playout:num_playouts=8"]


@pytest.mark.parametrize("name", GAMES)
def test_every_script_and_the_best_player_are_members(name: str) -> None:
    game = find_game(name)
    members = [spec.partition(":")[0] for spec in members_of(game)]
    assert len(members) == len(set(members))
    scripts = {key for key, player in players_of(game).items() if player.row_function is not None}
    assert scripts <= set(members)
    assert make_policy("best", game).name.partition(":")[0] in members


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A league played twice into one store, with more deals the second time."""
    with Store(tmp_path_factory.mktemp("league") / "league.db") as store:
        first = play_league(SMALL, FIELD, 4, 2, Plan(store=store))
        games: list[int] = []
        second = play_league(SMALL, FIELD, 8, 2, Plan(store=store), games.append)
    return first, second, games


def test_searches_play_fewer_deals_and_a_second_run_only_what_is_new(league: Any) -> None:
    first, second, games = league
    assert first.num_games == 2 * (4 + 2 + 2)
    assert second.num_games == 2 * (8 + 2 + 2)
    assert games == [16]  # 8 of them were known; the searches had nothing left to play


def test_the_exploiter_is_the_member_that_scores_most_against_a_player(league: Any) -> None:
    table = league[1]
    seconds = dict.fromkeys([row.player for row in table.rows], 0.001)
    rungs = ladder(table, seconds)
    assert [rung.player for rung in rungs] == [row.player for row in table.rows]
    for rung in rungs:
        row = [r.player for r in table.rows].index(rung.player)
        scores = {
            other.player: 1 - cell.mean
            for other, cell in zip(table.rows, table.cross[row], strict=True)
            if cell is not None
        }
        assert rung.against_it[0] == pytest.approx(max(scores.values()))
        assert scores[rung.exploiter] == max(scores.values())
        assert rung.against_it[1] <= rung.against_it[0] <= rung.against_it[2]


def test_without_known_games_anything_is_possible_and_there_is_no_exploiter(league: Any) -> None:
    table = dataclasses.replace(league[1], rows=league[1].rows[:1], cross=((None,),))
    (rung,) = ladder(table, {table.rows[0].player: 0.001})
    assert (rung.exploiter, rung.against_it) == ("", [0.5, 0.0, 1.0])


def test_a_record_survives_a_file_and_makes_a_page(league: Any) -> None:
    table = league[1]
    rungs = ladder(table, dict.fromkeys([row.player for row in table.rows], 0.0024))
    one = league_record(SMALL, table, rungs, (8, 2), ["mcts"])
    kept = json.loads(json.dumps(one))
    assert kept == one
    text = page("trick_taking", [kept])
    assert f"| `{rungs[0].player}` | 2.4 ms | " in text and "Not members: `mcts`." in text
    assert ". 8 deals for each meeting of compiled players, 2 where" in text
    with pytest.raises(ValueError, match="no place for a ladder"):
        with_ladders("# Rules\n", [kept])


def test_an_open_interval_is_written_with_its_sign() -> None:
    rung = Rung("a", 1e-6, [float("inf"), 40.0, float("inf")], 2, "b", [0.0, 0.0, 0.3])
    league = {"seats": 2, "num_games": 2, "ladder": [rung._asdict() | {"elo": [None, 40.0, None]}]}
    text = with_ladders(f"{BEGIN}{END}", [league])
    assert "| `a` | 1 µs | +inf [+40, +inf] | `b` | 0.0 [0.0, 30.0] |" in text


def test_long_times_have_two_digits_and_a_unit() -> None:
    assert [time_text(seconds) for seconds in (12.3, 1.04e-5)] == ["12 s", "10 µs"]


@pytest.mark.long
def test_a_decision_is_timed_for_scripts_and_searches() -> None:
    quick = seconds_a_decision(SMALL, make_policy("smart", SMALL))
    slow = seconds_a_decision(SMALL, make_policy("playout:num_playouts=3", SMALL))
    assert 0 < quick < slow < 1
