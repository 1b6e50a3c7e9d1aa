"""Only the order of the decks is hidden, and each order is as likely."""

from __future__ import annotations

import numpy as np
import pytest

from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game
from tests.one_table import dealt

pytestmark = pytest.mark.plain


def test_every_order_of_what_is_left_is_as_likely() -> None:
    """Each of the 16 cards left in the third deck comes next about as often as another."""
    game = load_game("splendor")
    tables = dealt(game, [0])
    num_samples = 800
    rows = np.zeros(num_samples, np.int64)
    determinized = tables.determinize(rows, rows, streams(range(num_samples), 2))
    left = int(tables.states["deck_left"][0, 2])
    next_cards = determinized["deck"][:, 70 + left - 1]
    counts = np.bincount(next_cards, minlength=90)[70:]
    assert (counts > 0).sum() == left == 16
    assert abs(counts[counts > 0] - num_samples / left).max() < 5 * (num_samples / left) ** 0.5
