"""What holds in every position of Splendor."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import strategies as st

from parlour.envs.core.play.tables import Tables

SETTINGS = st.fixed_dictionaries(
    {"num_players": st.sampled_from((2, 3, 4)), "turn_limit": st.just(60)}
)
GEMS = {2: 4, 3: 5, 4: 7}


def check(tables: Tables, seats: np.ndarray) -> None:
    """Look at all positions."""
    for seen in tables.observe(tables.all_rows, np.zeros(len(seats), np.int64)):
        check_counts(seen, tables.game.num_seats)


def check_counts(seen: np.record, num_players: int) -> None:
    """All gems, cards and nobles are somewhere; nobody holds more than is allowed."""
    gems = seen.bank + seen.gems.sum(axis=0)
    assert gems.tolist() == [GEMS[num_players]] * 5 + [5]
    assert seen.gems.sum(axis=1).max() <= 10
    on_table = (seen.table_colour >= 0).sum()
    reserved = (seen.reserved_colour >= 0).sum()
    assert on_table + reserved + seen.num_cards.sum() + seen.deck_left.sum() == 90
    unseen = [int(seen[f"unseen_{tier}"]).bit_count() for tier in (1, 2, 3)]
    assert unseen == seen.deck_left.tolist()
    free_nobles = (seen.noble_need[:, 0] >= 0).sum()
    assert free_nobles + seen.num_nobles.sum() == num_players + 1
    assert seen.cards.max() <= 7


def check_ends(tables: Tables, returns: np.ndarray) -> None:
    """Somebody has won, and the others have the same loss; or all have drawn."""
    least = -1 / (tables.game.num_seats - 1)
    for out in returns:
        assert not out.any() or out.min() == pytest.approx(least)


def check_redeal(true: np.ndarray, dealt: np.ndarray, seats: np.ndarray) -> None:
    """Only the order of the decks is hidden."""
    for name in true.dtype.names or ():
        assert name == "deck" or (true[name] == dealt[name]).all(), name
