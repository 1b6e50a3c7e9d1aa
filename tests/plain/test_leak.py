"""The checks of each game, in plain Python, and a re-deal that they cannot judge."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from parlour.envs.core.checks.check_game import check_game
from parlour.envs.core.rng import streams
from parlour.envs.registry import find_game
from tests.trick_taking import tables as tricks

pytestmark = pytest.mark.plain

SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("notty", {"turn_limit": 4}),
    ("president", {"num_players": 4, "economy": "swap_two"}),
    ("splendor", {"num_players": 3, "turn_limit": 4}),
    ("top_trumps", {"num_cards": 9, "num_fields": 3, "trick_limit": 30}),
    ("trick_taking", {"num_players": 4, "num_values": 4}),
]


@pytest.mark.parametrize(("name", "settings"), SETTINGS)
def test_a_game_of_each_kind_passes_all_checks(name: str, settings: dict[str, Any]) -> None:
    """Among them that a re-deal leaves what a seat sees, and that all numbers are in range."""
    assert check_game(find_game(name, **settings), num_games=1).num_plies > 0


def test_cards_that_two_seats_may_hold_are_shared_in_every_way() -> None:
    """Seat 1 has shown that it is void in colour 0, so seats 2 and 3 hold the rest of it."""
    hands = [[0, 6, 9], [3, 4, 8], [1, 10, 5], [2, 11, 7]]
    table = tricks.table({"hands": hands}, "0.0 1.0", num_players=4, num_values=3)
    rows = np.zeros(80, np.int64)
    dealt = table.determinize(rows, rows, streams(range(80)))["hands"]
    found = np.bitwise_count(dealt[:, 2, 0])
    assert set(found) == {0, 1, 2}
    assert not dealt[:, 1, 0].any()
    assert abs(found.mean() - 1) < 0.35
