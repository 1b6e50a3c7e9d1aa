"""What a deck may be."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

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
