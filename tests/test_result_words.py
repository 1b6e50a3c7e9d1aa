"""Words for results: won, drawn, first and score, and what a draw counts."""

from functools import cache

import pytest

from parlour.baselines.arena import MatchResult, Standings, play_match, play_tournament
from parlour.baselines.arena.results.export import summary
from parlour.envs import load_game
from parlour.scripts.output import print_matches, print_standings

HALF, PART = "a draw counts half", "a first place that k players share counts 1/k"


@cache
def of_two_seats() -> MatchResult:
    """Nearly all games are drawn: none of these players ever shrinks its hand for long."""
    game = load_game("notty", turn_limit=10)
    return play_match(game, "random", "first_legal", num_deals=20)


@cache
def of_four_seats() -> MatchResult:
    return play_match(load_game("president", num_players=4), "planner", "lowest", num_deals=20)


@cache
def table(num_players: int) -> Standings:
    game = load_game("president", num_players=num_players)
    return play_tournament(game, ["random", "lowest"], num_deals=10)


def test_a_player_that_is_not_first_of_four_has_not_lost() -> None:
    text = str(of_four_seats())
    assert "first alone" in text and "first shared" in text and "not first" in text
    assert "won" not in text and "lost" not in text
    assert PART in text and "of an equal player 25.0" in text


def test_drawn_games_are_no_first_places() -> None:
    result = of_two_seats()
    assert result.draws.mean > 0.9 and result.wins.mean < 0.1
    text = str(result)
    assert "first" not in text.replace("first_legal", "")
    assert "score" in text and HALF in text and "drawn" in text


def test_the_table_of_matches_has_wins_beside_the_score(capsys: pytest.CaptureFixture[str]) -> None:
    for result, heads, counting in (
        (of_two_seats(), ("won, %", "drawn, %", "score, %"), HALF),
        (of_four_seats(), ("first alone, %", "first shared, %", "first places, %"), PART),
    ):
        print_matches([result])
        shown = capsys.readouterr().out
        assert all(head in shown for head in heads) and counting in shown
        assert "mean return decides who is stronger" in shown
        assert f"{100 * result.wins.mean:.1f}" in shown


@pytest.mark.parametrize(("num_players", "heads"), [(2, HALF), (4, PART)])
def test_tournaments_say_what_counts(
    num_players: int, heads: str, capsys: pytest.CaptureFixture[str]
) -> None:
    print_standings(table(num_players))
    for text in (capsys.readouterr().out, summary(table(num_players))):
        assert heads in text and "3 points" in text
        assert "Elo decides who is stronger. It is given above the mean of these players" in text
        assert "a draw counting half" in text  # in the cross table
        assert ("first alone" in text) is ("first places, %" in text) is (num_players == 4)
        assert (" lost " in text) is ("score, %" in text) is (num_players == 2)
