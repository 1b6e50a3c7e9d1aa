"""Wrong players are refused with a word on what is wrong; what a deck may be."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from parlour.baselines import make_policy
from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game
from tests.top_trumps.tables import CARDS

pytestmark = pytest.mark.plain


def test_a_deck_of_the_games_own_leaves_no_cards_to_be_dealt() -> None:
    game = load_game("top_trumps", deck="planets")
    states, hands = game.new_states(), [[0, 1, 2, 3, 4], [5, 6, 7, 8]]
    game.deal_from(states[0], {"hands": hands, "starter": 1}, streams([0])[0])
    assert states["starter"][0] == 1
    with pytest.raises(ValueError, match="the game has its own deck"):
        game.deal_from(states[0], {"cards": CARDS, "hands": hands}, streams([0])[0])


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
