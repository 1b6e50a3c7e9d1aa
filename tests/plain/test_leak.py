"""The checks of each game, in plain Python, and a re-deal that they cannot judge."""

from __future__ import annotations

from typing import Any

import pytest

from parlour.envs.core.checks.check_game import check_game
from parlour.envs.registry import find_game

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
