"""Bad input gets an error that says what was wrong and what is allowed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from parlour.envs.core.game import Game
from parlour.envs.core.play.tables import Tables
from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game
from tests.president.playing import ladder


@pytest.fixture(scope="module")
def game() -> Game:
    """Two games in a match of four."""
    return load_game("president", num_games=2)


@pytest.mark.parametrize("value", [3, 0, -4, 4.0, "4", True, None])
def test_a_wrong_number_of_players_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"num_players must be one of 2, 4, 5, 8; got"):
        load_game("president", num_players=value)


@pytest.mark.parametrize("value", [0, -1, 101, 1.0, "1", True, None])
def test_a_wrong_number_of_games_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"num_games must be an integer in 1 \.\. 100; got"):
        load_game("president", num_games=value)


@pytest.mark.parametrize("value", ["swap_three", "SWAP_ONE", 1, None, True])
def test_an_unknown_economy_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"economy must be one of 'none', 'swap_one', 'swap_two'"):
        load_game("president", economy=value)


@pytest.mark.parametrize("value", ["never", 0, None])
def test_an_unknown_passing_rule_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"passing must be one of 'free', 'out'; got"):
        load_game("president", passing=value)


def test_an_unknown_setting_is_refused_with_the_list_of_settings() -> None:
    known = "num_players, num_games, economy, passing"
    with pytest.raises(
        TypeError, match=f"no setting 'jokers', 'players'; its settings are {known}"
    ):
        load_game("president", players=4, jokers=2)


def without(hands: list[list[str]], seat: int) -> list[list[str]]:
    """The hands with one card of a seat taken away."""
    return [hand[1:] if index == seat else hand for index, hand in enumerate(hands)]


def replaced(card: Any) -> list[list[Any]]:
    """The ladder with its very first card, the 2 of oros, replaced."""
    return [[card, *ladder(4)[0][1:]], *ladder(4)[1:]]


IMPOSSIBLE_DEALS: dict[str, tuple[Any, str]] = {
    "no dict": (ladder(4), r'a deal is {"hands": .* or, in a match, {"games"'),
    "none": (None, "a deal is .*; got None"),
    "a number": (7, "a deal is .*; got 7"),
    "empty": ({}, "a deal is .*; got {}"),
    "both keys": ({"hands": ladder(4), "games": []}, "a deal is "),
    "another key": ({"cards": ladder(4)}, "a deal is .*; got {'cards'"),
    "no games": ({"games": []}, "a deal is .*; got {'games': \\[\\]}"),
    "games no list": ({"games": 3}, "a deal is .*; got {'games': 3}"),
    "a game no dict": ({"games": [ladder(4)]}, "each game of a deal is "),
    "a game without hands": (
        {"games": [{"hand": 1}]},
        "each game of a deal is .*; got {'hand': 1}",
    ),
    "too many games": ({"games": [{"hands": ladder(4)}] * 3}, "has 3 games, the match only 2"),
    "hands no list": ({"hands": 5}, "hands of a deal are lists of cards; got 5"),
    "hands none": ({"hands": None}, "hands of a deal are lists of cards; got None"),
    "a hand a number": ({"hands": [1, 2, 3, 4]}, "hands of a deal are lists of cards; got"),
    "a hand a word": ({"hands": ["2O2B2C2E4O"] * 4}, "hands of a deal are lists of cards; got"),
    "too few hands": ({"hands": ladder(4)[:3]}, "needs 4 hands of 10 cards; got 10, 10, 10$"),
    "no hands": ({"hands": []}, "needs 4 hands of 10 cards; got none"),
    "too many hands": ({"hands": ladder(8)}, "needs 4 hands of 10 cards; got 5, 5, 5"),
    "a short hand": ({"hands": without(ladder(4), 2)}, "of 10 cards; got 10, 10, 9, 10"),
    "a card twice": ({"hands": replaced("1E")}, "the card 1E is dealt twice"),
    "a card that is not": ({"hands": replaced("8O")}, "no card is called '8O'; a card is a rank"),
    "a suit that is not": ({"hands": replaced("2X")}, "and a suit, of O B C E, such as 12E"),
    "a card number": ({"hands": replaced(0)}, "no card is called 0; a card is a rank, of 2 4 5"),
    "a card none": ({"hands": replaced(None)}, "no card is called None"),
    "a card list": ({"hands": replaced(["2O"])}, r"no card is called \['2O'\]"),
}


@pytest.mark.parametrize("name", IMPOSSIBLE_DEALS)
def test_an_impossible_deal_is_refused_and_leaves_the_table_alone(game: Game, name: str) -> None:
    data, message = IMPOSSIBLE_DEALS[name]
    tables = Tables(game, streams([1]))
    tables.deal(tables.all_rows)
    before = tables.states.tobytes(), tables.rngs.tobytes()
    with pytest.raises(ValueError, match=message):
        tables.deal_from(0, data)
    assert (tables.states.tobytes(), tables.rngs.tobytes()) == before


def test_an_error_in_a_later_game_of_the_deal_is_found(game: Game) -> None:
    data = {"games": [{"hands": ladder(4)}, {"hands": replaced("1E")}]}
    with pytest.raises(ValueError, match="the card 1E is dealt twice"):
        Tables(game, streams([1])).deal_from(0, data)


@pytest.mark.parametrize("action", [-1, 51, 1000, 1.0, "pass", None])
def test_an_action_that_is_not_has_no_name(game: Game, action: Any) -> None:
    with pytest.raises(ValueError, match=r"President has actions 0 \.\. 50, not"):
        game.action_name(action)


@pytest.mark.parametrize("name", ["", "PASS", "5x2", "0x2", "1x8", "give:8", "give", 3, None, []])
def test_a_name_that_is_no_action_is_refused(game: Game, name: Any) -> None:
    with pytest.raises(ValueError, match=r"no action is called .*; actions are pass, COUNTxRANK"):
        game.parse_action(name)


def test_every_action_has_a_name_that_parses(game: Game) -> None:
    names = [game.action_name(action) for action in range(game.num_actions)]
    assert [game.parse_action(name) for name in names] == list(range(51))
    assert names[:6] == ["pass", "1x2", "2x2", "3x2", "4x2", "1x4"]
    assert names[41:] == [
        f"give:{rank}" for rank in ("2", "4", "5", "6", "7", *["10", "11", "12", "3", "1"])
    ]
    assert game.action_name(np.array([3])[0]) == "3x2"
