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
    for view in tables.observe(tables.all_rows, np.zeros(len(seats), np.int64)):
        check_counts(view, tables.game.num_seats)


def check_counts(view: np.record, num_players: int) -> None:
    """All gems, cards and nobles are somewhere; nobody holds more than is allowed."""
    gems = view.bank + view.gems.sum(axis=0)
    assert gems.tolist() == [GEMS[num_players]] * 5 + [5]
    assert view.gems.sum(axis=1).max() <= 10
    on_table = (view.table_colour >= 0).sum()
    reserved = (view.reserved_colour >= 0).sum()
    assert on_table + reserved + view.num_cards.sum() + view.deck_left.sum() == 90
    unseen = [int(view[f"unseen_{tier}"]).bit_count() for tier in (1, 2, 3)]
    assert unseen == view.deck_left.tolist()
    free_nobles = (view.noble_need[:, 0] >= 0).sum()
    assert free_nobles + view.num_nobles.sum() == num_players + 1
    assert view.cards.max() <= 7


def check_ends(tables: Tables, returns: np.ndarray) -> None:
    """Somebody has won, and the others have the same loss; or all have drawn."""
    least = -1 / (tables.game.num_seats - 1)
    for out in returns:
        assert not out.any() or out.min() == pytest.approx(least)


def check_redeal(true: np.ndarray, dealt: np.ndarray, seats: np.ndarray) -> None:
    """Only the order of the decks is hidden."""
    for name in true.dtype.names or ():
        assert name == "deck" or (true[name] == dealt[name]).all(), name
