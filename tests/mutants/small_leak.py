"""A few re-deals in each game: short enough for plain Python, as `small_lockstep` is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from parlour.envs.core.game import NO_SEAT
from parlour.envs.core.rng import streams
from parlour.envs.core.tables import Tables, action_masks
from parlour.envs.registry import find_game

SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("president", {"num_players": 4, "num_games": 2, "economy": "swap_two"}),
    ("president", {"num_players": 5}),
    ("splendor", {"num_players": 3}),
    ("top_trumps", {"num_cards": 9, "num_fields": 3}),
    ("trick_taking", {"num_seats": 4, "num_values": 4}),
]
NUM_TABLES = 3
EVERY = 5  # plies
MAX_PLIES = 60


@pytest.mark.parametrize(("name", "settings"), SETTINGS)
def test_a_re_deal_leaves_what_a_seat_sees_and_changes_what_it_does_not(
    name: str, settings: dict[str, Any]
) -> None:
    game = find_game(name, **settings)
    tables, rng = Tables(game, streams(range(NUM_TABLES))), np.random.default_rng(1)
    tables.deal(tables.all_rows)
    changed = 0
    for ply in range(MAX_PLIES):
        acting, _, words = tables.show(tables.all_rows)
        rows = np.flatnonzero(acting != NO_SEAT)
        if not len(rows):
            break
        if ply % EVERY == 0:
            for seat in range(game.num_seats):
                seats = np.full(len(rows), seat)
                dealt = Tables(game, streams(range(len(rows))))
                dealt.states = tables.determinize(rows, seats, streams(range(len(rows)), ply))
                seen = dealt.observe(dealt.all_rows, seats)
                assert seen.tobytes() == tables.observe(rows, seats).tobytes()
                assert (dealt.show(dealt.all_rows)[0] == acting[rows]).all()
                changed += dealt.states.tobytes() != tables.states[rows].tobytes()
        masks = action_masks(words, game.num_actions)[rows]
        tables.apply(rows, (masks * rng.random(masks.shape)).argmax(axis=1))
    assert changed
