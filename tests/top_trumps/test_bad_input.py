"""Wrong settings, decks, deals and players are refused with a word on what is wrong."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from parlour.baselines import make_policy
from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game
from tests.top_trumps.tables import CARDS

HANDS = [[5, 0, 2], [1, 4, 3]]
DEAL: dict[str, Any] = {"cards": CARDS, "hands": HANDS}


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"num_cards": 1}, "num_cards must be an integer in 2 .. 128"),
        ({"num_cards": 129}, "num_cards"),
        ({"num_fields": 0}, "num_fields must be an integer in 1 .. 16"),
        ({"num_fields": 17}, "num_fields"),
        ({"trick_limit": 0}, "trick_limit"),
        ({"starter": 2}, "starter must be one of 0, 1, 'random'"),
        ({"starter": True}, "starter"),
        ({"deck": "no_such_file.csv"}, "there is no file 'no_such_file.csv'"),
        ({"deck": 7}, "deck must be 'random', 'planets'"),
        ({"deck": "planets", "num_cards": 10}, "num_cards must be one of 9"),
        ({"deck": "id\na\nb\n"}, "deck must have 1 .. 16 columns beside id; it has 0"),
        ({"deck": "id,x\na,1\n"}, "deck must have 2 .. 128 cards; it has 1"),
        ({"deck": "name,x\na,1\nb,2\n"}, "deck needs one column 'id'; it has name, x"),
        ({"deck": "id,x\na,1\na,2\n"}, "a name of its own for each card; got 'a'"),
        ({"deck": "id,x,x\na,1,2\nb,2,3\n"}, "a name of its own for each column; got 'x'"),
        ({"deck": "id,x\na,1\nb,2.5\n"}, "x of b is '2.5'"),
        ({"deck": "id,x\na,1\nb,\n"}, "x of b is ''"),
        ({"deck": "id,x\na,1\nb,9999999999999\n"}, "whole numbers of at most"),
        ({"deck": "id,x\na,1\nb\n"}, "deck has 2 columns, but a row"),
    ],
)
def test_settings(settings: dict[str, Any], word: str) -> None:
    with pytest.raises(ValueError, match=word):
        load_game("top_trumps", **settings)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"hands": [[0, 1], [2, 3, 4, 5]]}, "hands must have 3 and 3 cards"),
        ({"hands": [[0, 1, 2], [3, 4, 4]]}, "hands hold the card 4 twice"),
        ({"hands": [[0, 1, 2], [3, 4, 6]]}, r"indices of cards 0 \.\. 5; got 6"),
        ({"hands": [[0, 1, 2], [3, 4, "5"]]}, "got '5'"),
        ({"hands": 5}, "hands"),
        ({"cards": CARDS[:5]}, "cards must be 6 rows of 2 values"),
        ({"cards": [*CARDS[:5], [1, 2, 3]]}, "cards must be 6 rows"),
        ({"cards": [*CARDS[:5], [1, 256]]}, r"0 \.\. 255; got 256"),
        ({"cards": [*CARDS[:5], [1, 2.0]]}, "got 2.0"),
        ({"ids": ["AAAAAA"] * 6}, "ids must be 6 different ones"),
        ({"ids": ["AAAAA1", "B", "C", "D", "E", "F"]}, "six characters|6 characters"),
        ({"ids": ["AAAAA1", [], "C", "D", "E", "F"]}, r"A-Z0-9; got \[\]"),
        ({"starter": 2}, "starter must be one of 0, 1"),
        ({"pile": []}, "a deal is"),
    ],
)
def test_deals(change: dict[str, Any], word: str) -> None:
    game = load_game("top_trumps", num_cards=6, num_fields=2)
    states = game.new_states()
    with pytest.raises(ValueError, match=word):
        game.deal_from(states[0], {**DEAL, **change}, streams([0])[0])


def test_a_deck_of_the_games_own_leaves_no_cards_to_be_dealt() -> None:
    game = load_game("top_trumps", deck="planets")
    states, hands = game.new_states(), [[0, 1, 2, 3, 4], [5, 6, 7, 8]]
    game.deal_from(states[0], {"hands": hands, "starter": 1}, streams([0])[0])
    assert states["starter"][0] == 1
    with pytest.raises(ValueError, match="the game has its own deck"):
        game.deal_from(states[0], {"cards": CARDS, "hands": hands}, streams([0])[0])


def test_actions() -> None:
    game = load_game("top_trumps")
    with pytest.raises(ValueError, match="no field is called 'Field5'; the fields are Field0"):
        game.parse_action("Field5")
    with pytest.raises(ValueError, match=r"the fields are 0 \.\. 4, not 5"):
        game.action_name(5)


@pytest.mark.parametrize(
    ("player", "error", "word"),
    [
        ("expert:m=1.5", ValueError, r"m must be a number in 0 \.\. 1; got 1.5"),
        ("goliath:m=x", ValueError, "m must be"),
        ("rand_maxer:fraction=-1", ValueError, "fraction must be"),
        ("maxer:m=1", TypeError, "m"),
        ("david:num_playouts=0", ValueError, "num_playouts must be an integer in 1"),
        ("samson", ValueError, "no player 'samson'"),
    ],
)
def test_players(player: str, error: type[Exception], word: str) -> None:
    with pytest.raises(error, match=word):
        make_policy(player, load_game("top_trumps"))


def test_a_file_and_a_frame_are_decks(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": ["a", "b", "c"], "top speed": [1, -2, 70000], "age": [1.0, 2, 3]})
    path = tmp_path / "cars.csv"
    frame.to_csv(path, index=False)
    games = [load_game("top_trumps", deck=deck) for deck in (frame, path, str(path))]
    assert len({game.config for game in games}) == 1
    assert [games[0].action_name(a) for a in (0, 1)] == ["top_speed", "age"]
    states = games[0].new_states()
    assert states["values"][0].tolist() == [[1, 1], [-2, 2], [70000, 3]]
    assert games[0].layout.plain_dtype == np.int32
