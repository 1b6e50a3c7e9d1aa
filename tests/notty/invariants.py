"""What holds in every position of Notty."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from parlour.envs.core.game import NO_SEAT
from parlour.envs.core.play.tables import Tables
from parlour.envs.notty.cards import has_group, kinds_of

SETTINGS = st.fixed_dictionaries(
    {
        "num_players": st.sampled_from((2, 4)),
        "hand_limit": st.sampled_from((7, 20)),
        "initial_hand": st.integers(1, 7),
        "turn_limit": st.integers(1, 25),
        "discard": st.sampled_from(("optimal", "manual")),
        "protect_small_hands": st.booleans(),
        "starter": st.sampled_from((1, "random")),
    }
)


def check(tables: Tables, seats: np.ndarray) -> None:
    """Look at all positions."""
    observations = tables.observe(tables.all_rows, seats.clip(min=0))
    for state, view, seat in zip(tables.states, observations, seats.tolist(), strict=True):
        check_position(state, view, seat, tables.game.config_dict())


def check_position(state: np.record, view: np.record, seat: int, config: dict) -> None:
    """Two copies of each kind, sizes within the limit, no group left where the game discards."""
    hands = np.array([np.bincount(kinds_of(*words), minlength=40) for words in state["hands"]])
    sizes = hands.sum(axis=1)
    assert hands.sum(axis=0).max() <= 2
    assert sizes.max() <= config["hand_limit"]
    if seat == NO_SEAT:
        return
    assert sizes.min() > 0
    assert view.hands.tolist() == np.roll(hands, -seat, axis=0).tolist()
    assert view.deck.tolist() == (2 - hands.sum(axis=0)).tolist()
    assert view.seat == seat and view.seat_to_act == 0
    if config["discard"] == "optimal":
        assert not has_group(state["hands"][seat, 0])


def check_ends(tables: Tables, returns: np.ndarray) -> None:
    """One winner with an empty hand, or a draw at the turn limit or with full hands."""
    for state, outcome in zip(tables.states, returns, strict=True):
        winner = int(state["winner"])
        if winner == NO_SEAT:
            assert not outcome.any()
            is_late = state["turns_played"] == state["turn_limit"] * len(outcome)
            sizes = [len(kinds_of(*words)) for words in state["hands"]]
            assert is_late or set(sizes) == {int(state["hand_limit"])}
        else:
            assert outcome[winner] == 1 and state["hands"][winner, 0] == 0


def check_redeal(true: np.ndarray, dealt: np.ndarray, seats: np.ndarray) -> None:
    """Nothing is hidden but a deck that was laid down."""
    assert true.tobytes() == dealt.tobytes()
