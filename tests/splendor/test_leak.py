"""Only the order of the decks is hidden: re-dealing it changes nothing that anybody sees."""

from __future__ import annotations

import numpy as np
import pytest

from parlour.envs.core.play.tables import Tables, action_masks
from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game

NUM_TABLES = 30
NUM_PLIES = 60


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_no_seat_sees_a_difference_when_the_decks_are_shuffled_again(num_players: int) -> None:
    game = load_game("splendor", num_players=num_players)
    tables = Tables(game, streams(range(NUM_TABLES)))
    tables.deal(tables.all_rows)
    choices = np.random.default_rng(num_players)
    for ply in range(NUM_PLIES):
        seats, _, words = tables.show(tables.all_rows)
        determinized = Tables(game, np.zeros(0, tables.rngs.dtype))
        determinized.states = tables.determinize(
            tables.all_rows, seats, streams(range(NUM_TABLES), 1)
        )
        assert (determinized.states["deck"] != tables.states["deck"]).any(axis=1).all(), ply
        for seat in range(num_players):
            watchers = np.full(NUM_TABLES, seat)
            seen = tables.observe(tables.all_rows, watchers)
            assert determinized.observe(tables.all_rows, watchers).tobytes() == seen.tobytes()
        for field in game.state_fields:
            if field.name != "deck":
                assert (determinized.states[field.name] == tables.states[field.name]).all(), (
                    field.name
                )
        masks = action_masks(words, game.num_actions)
        actions = np.array([choices.choice(np.flatnonzero(mask)) for mask in masks])
        tables.apply(tables.all_rows, actions)


def test_every_order_of_what_is_left_is_as_likely() -> None:
    """Each of the 16 cards left in the third deck comes next about as often as another."""
    game = load_game("splendor")
    tables = Tables(game, streams([0]))
    tables.deal(tables.all_rows)
    num_samples = 3200
    rows = np.zeros(num_samples, np.int64)
    determinized = tables.determinize(rows, rows, streams(range(num_samples), 2))
    left = int(tables.states["deck_left"][0, 2])
    next_cards = determinized["deck"][:, 70 + left - 1]
    counts = np.bincount(next_cards, minlength=90)[70:]
    assert (counts > 0).sum() == left == 16
    assert abs(counts[counts > 0] - num_samples / left).max() < 5 * (num_samples / left) ** 0.5
