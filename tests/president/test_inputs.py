"""What networks are shown of President besides the observation: against plain counting."""

import numpy as np
import pytest

from parlour.baselines.networks.derived import shown_fields, with_inputs
from parlour.envs import load_game

from ..test_compiled_networks import positions

STEPS = [0, 1, 2, 3, 4, 4, 5, 5, 5, 5]


def weakness(seen: np.record, rank: int, count: int) -> int:
    """Steps of the number of higher ranks of which others may hold `count` cards."""
    if count == 0:
        return -1
    return STEPS[sum(1 for unseen in seen.unseen[rank + 1 :] if unseen >= count)]


@pytest.mark.parametrize("settings", [{}, {"num_players": 2}, {"num_players": 8}, {"num_games": 3}])
def test_derived_fields_count_the_sets_that_unseen_cards_can_beat(settings: dict) -> None:
    wide = with_inputs(load_game("president", **settings))
    tables = set()
    for seen in positions(wide, 6, 60)[0]:
        expected = [weakness(seen, rank, held) for rank, held in enumerate(seen.hand)]
        assert seen.weakness.tolist() == expected
        assert seen.num_sets == sum(w >= 0 for w in expected)
        assert seen.num_weak == sum(w > 0 for w in expected)
        assert seen.table_weakness == weakness(seen, seen.table_rank, seen.table_count)
        others = [size for size in seen.hand_sizes[1:] if size > 0]
        assert seen.smallest_hand == min(others, default=0)
        tables.add(int(seen.table_weakness))
    assert len(tables) > 3


def test_networks_are_not_shown_what_follows_from_the_rest() -> None:
    game = with_inputs(load_game("president"))
    shown = set(shown_fields(game))
    assert {field.name for field in game.observation_fields} - shown == {
        "played",
        "placings",
        "seat_to_act",
    }
    assert {"weakness", "num_weak", "hand", "unseen"} <= shown
