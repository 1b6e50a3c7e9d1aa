"""What holds in every position of trick-taking."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from parlour.envs.core.play.tables import Tables
from tests.trick_taking.tables import cards_of

SETTINGS = st.sampled_from(
    [
        {"num_players": 2, "num_values": 10},
        {"num_players": 3, "num_values": 5},
        {"num_players": 4, "num_values": 10},
    ]
)


def check(tables: Tables, seats: np.ndarray) -> None:
    """Look at all positions."""
    check_hands(tables.states)


def check_hands(states: np.ndarray) -> None:
    """Each seat holds or has played just what it was dealt, and nothing it has shown void in."""
    for state in states:
        num_values = state["dealt"].shape[1]
        for seat, dealt in enumerate(state["dealt"]):
            cards = cards_of(state["hands"][seat] | state["played"][seat], num_values)
            assert sorted(dealt.tolist()) == [
                int(card.split(".")[0]) * num_values + int(card.split(".")[1]) for card in cards
            ]
            assert not (state["hands"][seat] & state["played"][seat]).any()
            for colour, word in enumerate(state["hands"][seat]):
                assert not (word and state["voids"][seat] >> colour & 1)


def check_ends(tables: Tables, returns: np.ndarray) -> None:
    """All cards have been played, and every trick has been won."""
    num_tricks = tables.states["dealt"].shape[2]
    assert not tables.states["hands"].any()
    views = tables.observe(tables.all_rows, np.zeros(len(returns), np.int64))
    assert (views["tricks_won"].sum(axis=1) == num_tricks).all()


def check_redeal(true: np.ndarray, dealt: np.ndarray, seats: np.ndarray) -> None:
    """The hands fit what was dealt, and the seat keeps its own."""
    check_hands(dealt)
    rows = np.arange(len(seats))
    assert (true["dealt"][rows, seats] == dealt["dealt"][rows, seats]).all()
