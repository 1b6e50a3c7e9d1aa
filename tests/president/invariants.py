"""What holds in every position of President."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from parlour.envs.core.game import NO_SEAT
from parlour.envs.core.play.tables import Tables
from tests.num_bits import num_bits
from tests.president.playing import ECONOMIES, PASSINGS, PLAYER_COUNTS


def settings_with(player_counts: Sequence[int]) -> st.SearchStrategy[dict]:
    """All settings with these numbers of players."""
    return st.fixed_dictionaries(
        {
            "num_players": st.sampled_from(player_counts),
            "num_games": st.sampled_from((1, 3)),
            "economy": st.sampled_from(ECONOMIES),
            "passing": st.sampled_from(PASSINGS),
        }
    )


SETTINGS = settings_with((2, 4))
EVERY_SETTING = settings_with(PLAYER_COUNTS)


def check(tables: Tables, seats: np.ndarray) -> None:
    """Cards conserved, hand sizes true, placings without gaps."""
    game = tables.game
    rows = np.repeat(tables.all_rows, game.num_seats)
    seats = np.tile(np.arange(game.num_seats), len(tables.all_rows))
    views = tables.observe(rows, seats)
    assert (views["hand"].sum(axis=1) == views["hand_sizes"][:, 0]).all()
    assert (views["hand_sizes"].sum(axis=1) + views["played"].sum(axis=1) == 40).all()
    by_table = views.reshape(len(tables.all_rows), game.num_seats)
    assert (by_table["hand"].sum(axis=1) + by_table["played"][:, 0] == 4).all()
    assert (by_table["has_golds"].sum(axis=1) == (views["played"][:: game.num_seats, 0] == 0)).all()
    for placings, sizes in zip(views["placings"], views["hand_sizes"], strict=True):
        placed = sorted(placings[placings > 0])
        assert placed == list(range(1, len(placed) + 1))
        assert ((placings > 0) == (sizes == 0)).all() or len(placed) == game.num_seats


def check_ends(tables: Tables, returns: np.ndarray) -> None:
    """Placings are permutations; returns follow the placings."""
    num_seats = tables.game.num_seats
    placings = tables.states["placings"]
    assert (np.sort(placings, axis=1) == np.arange(1, num_seats + 1)).all()
    if tables.game.config.num_games == 1:
        assert (np.argsort(-returns, axis=1) == np.argsort(placings, axis=1)).all()
    assert np.unique(returns, axis=1).size > 1


def check_redeal(true: np.ndarray, dealt: np.ndarray, seats: np.ndarray) -> None:
    """The deck is whole, hands keep their sizes, the 2 of oros stays where a seat knows it."""
    check_deck(dealt)
    assert (num_bits(true["hands"]) == num_bits(dealt["hands"])).all()
    golds_shown = (true["gives_left"] == 0) | (true["golds_seat"] == seats)
    assert (true["golds_seat"] == dealt["golds_seat"])[golds_shown].all()
    if true["hands"].shape[1] == 2:  # two seats know each other's cards
        assert (true["hands"] == dealt["hands"]).all()


def check_deck(states: np.ndarray) -> None:
    """Every rank four times, and the 2 of oros with somebody who holds a two."""
    for rank in range(10):
        hands = num_bits(states["hands"] >> 4 * rank & 0b1111).sum(axis=1)
        assert (hands + (states["played"] >> 4 * rank & 0b1111) == 4).all()
    (unplayed,) = np.nonzero(states["golds_seat"] != NO_SEAT)
    holders = states["golds_seat"][unplayed]
    assert (states["hands"][unplayed, holders] & 1 == 1).all()
