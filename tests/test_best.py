"""`best` stands for a player that ships, under whose name everything is kept."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from parlour.baselines import list_policies, make_policy
from parlour.baselines.arena import play_match
from parlour.baselines.arena.play.entrants import enter
from parlour.baselines.players import best, making
from parlour.baselines.players.making import players_of, resolved
from parlour.envs import GAMES, find_game, load_game
from parlour.envs.core.catalogue import games_by_seats
from parlour.envs.core.game import Game
from parlour.scripts.table.table import HERE, PLAYER, GameTable, Occupant, Setup

pytestmark = pytest.mark.plain

LEAGUES = Path(__file__).parents[1] / "docs" / "league"
HOUSE_RULES: list[tuple[str, dict[str, Any]]] = [
    ("top_trumps", {"deck": "planets", "starter": 1}),
    ("notty", {"num_players": 4, "discard": "manual", "hand_limit": 9}),
    ("splendor", {"target": 21}),
    ("trick_taking", {"num_values": 30}),
    ("trick_taking", {"num_values": 4, "num_players": 4}),
    ("president", {"num_players": 2, "num_games": 3, "passing": "out"}),
    ("president", {"num_players": 8, "economy": "none"}),
]
ALL = [game for name in GAMES for game in games_by_seats(name)]
ALL += [find_game(name, **settings) for name, settings in HOUSE_RULES]


def test_a_game_is_tried_with_every_number_of_seats_the_default_first() -> None:
    assert [game.num_seats for game in games_by_seats("president")] == [4, 2, 5, 8]
    assert [game.num_seats for game in games_by_seats("trick_taking")] == [2, 3, 4]
    assert [game.num_seats for game in games_by_seats("top_trumps")] == [2]


@pytest.mark.parametrize("game", ALL, ids=repr)
def test_every_game_has_a_best_player_under_all_its_settings(game: Game) -> None:
    champion = str(resolved("best", game))
    name = champion.partition(":")[0]
    assert name in list_policies(game)
    assert name not in ("best", "random")
    assert make_policy("best", game).name == make_policy(champion, game).name
    assert f"`{champion}`" in players_of(game)["best"].summary


@pytest.mark.parametrize("game", ALL, ids=repr)
def test_milliseconds_limit_the_best_player_where_it_searches(game: Game) -> None:
    champion, limited = str(resolved("best", game)), str(resolved("best:milliseconds=20", game))
    is_timed = players_of(game)["best"].is_timed
    assert limited == (f"{champion}:milliseconds=20" if is_timed else champion)
    assert resolved("Best", game, milliseconds=20) == limited


@pytest.mark.parametrize("game", [find_game(name) for name in GAMES], ids=repr)
def test_every_search_takes_milliseconds(game: Game) -> None:
    for player in players_of(game).values():
        if player.is_timed:
            assert player.make(game, milliseconds=1.5).needs_positions
            with pytest.raises(ValueError, match="milliseconds"):
                player.make(game, milliseconds=0)


def test_the_first_player_that_ships_is_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    game = find_game("president")
    named = ("missing", "mcts:epsilon=0.1", "planner")
    part = SimpleNamespace(strongest=lambda game: named)
    monkeypatch.setattr(best, "part_of", lambda game, name: part)
    assert resolved("best", game) == "mcts:epsilon=0.1"
    assert resolved("best:milliseconds=2000", game) == "mcts:epsilon=0.1,milliseconds=2000"
    monkeypatch.setattr(best, "part_of", lambda game, name: None)
    assert resolved("best", game) == best.ANY_GAME


@pytest.mark.parametrize("milliseconds", [0, -1, float("inf"), float("nan"), True, "soon"])
def test_impossible_milliseconds_are_refused(milliseconds: Any) -> None:
    for name in ("president", "splendor"):
        with pytest.raises(ValueError, match="milliseconds must be a number above 0"):
            make_policy("best", find_game(name), milliseconds=milliseconds)


@pytest.mark.parametrize("name", sorted(path.stem for path in LEAGUES.glob("*.json")))
def test_nobody_on_the_ladder_beats_the_best_player(name: str) -> None:
    """As the README says: a score of one half is even, whatever the number of seats."""
    for league in json.loads((LEAGUES / f"{name}.json").read_text()):
        champion = str(resolved("best", find_game(name, **league["config"])))
        (row,) = (one for one in league["ladder"] if one["player"] == champion.partition(":")[0])
        _, low, _ = row["against_it"]  # of the player that does best against it
        assert low <= 0.5, row


@pytest.mark.parametrize("name", sorted(path.stem for path in LEAGUES.glob("*.json")))
def test_the_best_player_is_worth_its_time(name: str) -> None:
    """A hundred times the time of another only for 10 Elo more: a score of 51.4 % or better."""
    for league in json.loads((LEAGUES / f"{name}.json").read_text()):
        champion = str(resolved("best", find_game(name, **league["config"]))).partition(":")[0]
        (row,) = (one for one in league["ladder"] if one["player"] == champion)
        for other in league["ladder"]:
            leads = row["elo"][1] - other["elo"][2] >= 10
            beats = other["exploiter"] == champion and other["against_it"][1] >= 0.514
            assert row["seconds"] <= 100 * other["seconds"] or leads or beats, (champion, other)


def test_the_players_of_a_game_are_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """And once for the copy that plays. Before: 14 times for one match of two players."""
    results: list[Game] = []

    def own_players(game: Game) -> dict[str, Any]:
        results.append(game)
        return sound(game)

    sound = making.own_players
    monkeypatch.setattr(making, "own_players", own_players)
    game = load_game("president", num_players=4, passing="out", num_games=3)
    for _ in range(2):
        play_match(game, "best", "lowest", num_deals=1)
        list_policies(game)
    assert game in results and len(results) == len({*results}) == 2


def test_another_setting_is_refused() -> None:
    with pytest.raises(TypeError, match="best has no setting depth; it has milliseconds"):
        make_policy("best:depth=3", find_game("president"))


def test_contests_keep_the_player_that_it_stands_for() -> None:
    game = find_game("president")
    (entrant,), (named,) = enter(["best"], game), enter([resolved("best", game)], game)
    assert entrant == named
    assert "; best" not in entrant.identity


def test_a_table_shows_and_keeps_the_player_that_it_stands_for() -> None:
    seats = (
        Occupant(HERE, "best"),
        Occupant(PLAYER, "best:milliseconds=500", "best:milliseconds=500"),
        Occupant(PLAYER, "Ada", "best"),
    )
    table = GameTable(Setup("splendor", {"num_players": 3}, seats, 1))
    shown = [(seat.name, seat.player) for seat in table.setup.seats]
    champion = str(resolved("best", find_game("splendor", num_players=3)))
    limited = f"{champion}:milliseconds=500"
    assert shown == [("best", ""), (limited, limited), ("Ada", champion)]
