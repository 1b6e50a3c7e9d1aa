"""Tournaments: who meets whom, what counts, and the same table whatever is between."""

import dataclasses
import itertools
import json
import re
from pathlib import Path

import numpy as np
import pytest

from docs.studies import killing
from parlour.baselines import make_policy
from parlour.baselines.arena import Plan, Store, Workers, play_match, play_tournament, rate_store
from parlour.baselines.arena.play.batches import DealBatch, Fault, Outcomes, forfeit, play_deals
from parlour.baselines.arena.play.playing import num_games
from parlour.baselines.arena.play.tournament import matches_of
from parlour.baselines.arena.ratings.standings import Standings
from parlour.baselines.arena.results.export import export, summary
from parlour.baselines.statistics.result_data import as_data, finite
from parlour.envs import load_game
from tests import toy_game as toy
from tests.matches import Scripted
from tests.view_tools import last_legal

GAME = load_game("trick_taking")
THREE = ("random", "first_play", "smart")
MIXED = (*THREE, "mlp", "playout:num_playouts=6")  # compiled, learned and searched
NUM_DEALS = 20


@pytest.fixture(scope="module")
def plain() -> Standings:
    return play_tournament(GAME, MIXED, NUM_DEALS, seed=5)


@pytest.mark.parametrize("plan", [Plan(batch_deals=7), Plan(Workers(2), 16)])
def test_the_table_does_not_depend_on_batch_or_workers(plan: Plan, plain: Standings) -> None:
    assert play_tournament(GAME, MIXED, NUM_DEALS, seed=5, plan=plan) == plain


def test_a_cluster_without_ray_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(ValueError, match=r"pip install .*\[cluster\]"):
        play_tournament(GAME, THREE, 1, plan=Plan(Workers(2, cluster=True)))


def test_the_table_does_not_depend_on_the_order_of_players() -> None:
    tables = [play_tournament(GAME, order, 20) for order in itertools.permutations(THREE)]
    assert all(table == tables[0] for table in tables)


def test_two_players_of_two_seats_meet_as_in_a_match() -> None:
    table = play_tournament(GAME, ("smart", "random"), 60)
    match = play_match(GAME, "random", "smart", 60)
    loser = table.rows[1]
    assert [row.player for row in table.rows] == ["smart", "random"]
    assert loser.mean_return == pytest.approx(match.mean_return)
    assert (loser.wins / loser.games, loser.draws / loser.games) == pytest.approx(
        (match.wins.mean, match.draws.mean)
    )
    assert loser.points == 3 * loser.wins + loser.draws
    assert loser.games == loser.wins + loser.draws + loser.losses == 120
    assert table.cross[1][0] is not None
    assert table.cross[1][0].mean == pytest.approx(match.first_places.mean)


def test_everybody_meets_everybody_and_the_mirror_only_where_it_differs() -> None:
    three = toy.game(num_players=3)
    assert len(matches_of(GAME, THREE)) == 3
    assert len(matches_of(three, ("random", "first_legal"))) == 2
    assert num_games(GAME, matches_of(GAME, THREE), 10) == 60


def test_in_a_gauntlet_only_the_first_meets_all() -> None:
    met = [{e.name for e in c.entrants} for c in matches_of(GAME, THREE, "gauntlet")]
    assert met == [{"random", "first_play"}, {"random", "smart"}]
    table = play_tournament(GAME, THREE, 10, form="gauntlet")
    names = [row.player for row in table.rows]
    assert table.cross[names.index("smart")][names.index("first_play")] is None


@pytest.mark.plain
def test_free_for_all_seats_every_group_in_balance() -> None:
    game = toy.game(num_players=3)
    players = ("first_legal", last_legal, make_policy("random", game), any_card)
    table = play_tournament(game, players, 6, form="free_for_all")
    assert table.num_games == 4 * 6 * 3
    assert {row.games for row in table.rows} == {3 * 6 * 3}
    assert sum(row.wins for row in table.rows) == table.num_games
    assert sum(row.mean_return.mean for row in table.rows) == pytest.approx(0)


def any_card(observations, masks, rngs):
    return np.where(observations["num_plays"] % 2, masks.argmax(axis=1), last_legal(0, masks, 0))


def test_in_duplicate_a_deal_is_won_by_who_does_more_with_the_same_hand() -> None:
    table = play_tournament(GAME, ("smart", "random"), 50, scoring="duplicate")
    policies = (make_policy("random", GAME), make_policy("smart", GAME))
    seeds = np.arange(50)
    seated = np.broadcast_to([[0, 1], [1, 0]], (50, 2, 2))
    returns = play_deals(GAME, policies, seeds, seated)
    wins = int((returns[:, 1, 0] > returns[:, 0, 0]).sum())
    draws = int((returns[:, 1, 0] == returns[:, 0, 0]).sum())
    best = table.rows[0]
    assert (best.player, best.games, best.wins, best.draws) == ("smart", 50, wins, draws)
    assert "The games of a deal between two players count once: 3 points" in summary(table)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"players": ("first_play", "First-Play")}, "first_play is entered twice"),
        ({"players": THREE, "form": "knockout"}, "form must be one of round_robin"),
        ({"players": THREE, "scoring": "chess"}, "scoring must be one of games"),
        ({"players": THREE, "num_deals": 0}, "at least one deal"),
        ({"players": THREE, "seed": 2**63 - 1, "num_deals": 2}, "follow seed"),
        ({"players": THREE, "plan": Plan(Workers(0))}, "workers must be an integer in 1"),
        ({"players": THREE, "plan": Plan(batch_deals=0)}, "one in a batch"),
    ],
)
def test_what_cannot_be_played_is_refused(change: dict, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        play_tournament(GAME, **{"num_deals": 1, **change})


def lost_on_time(batch: DealBatch, seated: np.ndarray) -> Outcomes:
    """The player in seat 1 of sitting 0 loses every game by a fault."""
    returns = np.zeros(seated.shape)
    returns[:, 0] = forfeit(seated.shape[2], 1)
    name = batch.match.entrants[int(seated[0, 0, 1])].name
    return Outcomes(returns, tuple(Fault(int(s), 0, 1, name, "time", "slow") for s in batch.seeds))


def test_a_control_plays_the_games_and_its_faults_are_counted(tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store:
        plan = Plan(batch_deals=4, store=store, control=Scripted(lost_on_time))
        match = play_match(GAME, "random", "smart", 10, plan=plan)
        table = play_tournament(GAME, ("random", "smart"), 10, plan=plan)
        play_match(GAME, "random", "smart", 10, plan=plan._replace(control=None))
        rated = rate_store(store)
    assert match.faults == (0, 10)
    assert match.wins.mean == match.draws.mean == 0.5
    assert {row.player: row.faults for row in table.rows} == {"random": 0, "smart": 10}
    assert [sum(row.faults for row in kept.rows) for kept in rated] == [10, 0]


def test_a_stored_tournament_is_not_played_again(tmp_path: Path) -> None:
    counts: list[int] = []
    with Store(tmp_path / "store.db") as store:
        plan = Plan(batch_deals=8, store=store)
        first = play_tournament(GAME, THREE, 20, plan=plan)
        again = play_tournament(GAME, THREE[::-1], 20, on_progress=counts.append, plan=plan)
        assert counts == []
        longer = play_tournament(GAME, THREE, 30, seed=10, on_progress=counts.append, plan=plan)
        assert (counts[0], counts[-1]) == (60 + 16, 180)
        (rated,) = rate_store(store)
    assert again == first
    assert longer == play_tournament(GAME, THREE, 30, seed=10)
    assert rated == play_tournament(GAME, THREE, 40)


def test_deals_far_apart_are_rated_together(tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store:
        for seed in (0, 2**62):
            play_match(GAME, "random", "smart", 10, seed, plan=Plan(store=store))
        (rated,) = rate_store(store)
    assert (rated.num_deals, rated.num_games) == (20, 40)


def test_a_file_of_another_content_is_another_player(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    source = "def choose(observations, masks, rngs):\n    return masks.argmax(axis=1)\n"
    with Store(tmp_path / "store.db") as store:
        plan = Plan(store=store)
        file.write_text(source)
        before = play_match(GAME, f"{file}:choose", "smart", 10, plan=plan)
        file.write_text(
            source.replace("masks.argmax", "masks.shape[1] - 1 - masks[:, ::-1].argmax")
        )
        after = play_match(GAME, f"{file}:choose", "smart", 10, plan=plan)
        names = sorted(row.player for row in rate_store(store)[0].rows)
    assert before != after
    assert len(set(names)) == 3
    assert sum(name.startswith(f"{file}:choose (as of ") for name in names) == 2


@pytest.mark.parametrize("num_kills", [1, pytest.param(3, marks=pytest.mark.long)])
def test_killed_on_the_way_the_table_is_the_same(num_kills: int, tmp_path: Path) -> None:
    table, survived = killing.with_kills(tmp_path / "killed.db", num_kills, seed=7)
    plain = play_tournament(load_game("trick_taking"), killing.PLAYERS, killing.NUM_DEALS)
    assert json.loads(table) == as_data(dataclasses.replace(plain, origin={}))
    assert survived == sorted(set(survived))
    assert 0 < survived[-1] < killing.NUM_BATCHES


def test_results_are_exported_in_all_forms(tmp_path: Path) -> None:
    table = play_tournament(GAME, THREE, 20)
    head, *rows = str(table).splitlines()
    assert head == "trick_taking: 120 games"
    assert [row.split()[0] for row in rows] == [row.player for row in table.rows]
    assert re.fullmatch(r"  \w+ +Elo .*\[.*\], first in \d.*\[.*\] % of 80 games", rows[1])
    files = {path.name: path for path in export(table, tmp_path / "out")}
    data = json.loads(files["results.json"].read_text())
    assert data == finite(as_data(table))
    lines = files["standings.csv"].read_text().splitlines()
    assert lines[0].startswith("player,elo,elo_low,elo_high,games,wins")
    assert [line.split(",")[0] for line in lines[1:]] == [row.player for row in table.rows]
    assert len(files["cross_table.csv"].read_text().splitlines()) == 1 + 6
    summary = files["summary.md"].read_text()
    assert all(f"| {player} |" in summary for player in THREE)
    assert files["ratings.png"].read_bytes().startswith(b"\x89PNG")


@pytest.mark.long
def test_two_runs_write_to_one_store(tmp_path: Path) -> None:
    store = tmp_path / "both.db"
    runs = [killing.start(store), killing.start(store)]
    tables = [run.communicate()[0].splitlines()[-1] for run in runs]
    assert tables[0] == tables[1]
    assert tables[0].startswith(killing.DONE)
    assert killing.batches_in(store) == killing.NUM_BATCHES
