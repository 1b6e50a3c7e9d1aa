"""What holds in every position of every game, whatever the seed, the settings and the choices."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.envs.core.game import NO_SEAT
from parlour.envs.core.play.tables import Tables, action_masks
from parlour.envs.core.rng import streams
from parlour.envs.notty.cards import has_group, kinds_of
from parlour.envs.registry import load_game

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
NUM_TABLES = 8


@settings(max_examples=25, deadline=None)
@given(config=SETTINGS, seed=st.integers(0, 2**63 - 20), hurry=st.booleans())
def test_every_position_of_every_game_adds_up(config: dict, seed: int, hurry: bool) -> None:
    game = load_game("notty", **config)
    tables = Tables(game, streams(range(seed, seed + NUM_TABLES)))
    tables.deal(tables.all_rows)
    choices = np.random.default_rng(seed)
    rows = tables.all_rows
    while len(rows):
        seats, observations, words = tables.show(rows)
        for k, row in enumerate(rows):
            check_position(tables.states[row], observations[k], int(seats[k]), config)
        is_running = seats != NO_SEAT
        rows, words = rows[is_running], words[is_running]
        masks = action_masks(words, game.num_actions).astype(float)
        assert (masks.sum(axis=1) > 0).all()
        masks[:, 0] = masks[:, 0] / 2 if hurry else masks[:, 0] * 4
        tables.apply(rows, (masks * choices.random(masks.shape)).argmax(axis=1))
    check_ends(tables)


def check_position(state: np.record, seen: np.record, seat: int, config: dict) -> None:
    """Two copies of each kind, sizes within the limit, no group left where the game discards."""
    held = np.array([np.bincount(kinds_of(*words), minlength=40) for words in state["hands"]])
    sizes = held.sum(axis=1)
    assert held.sum(axis=0).max() <= 2
    assert sizes.max() <= config["hand_limit"]
    if seat == NO_SEAT:
        return
    assert sizes.min() > 0
    assert seen.hands.tolist() == np.roll(held, -seat, axis=0).tolist()
    assert seen.deck.tolist() == (2 - held.sum(axis=0)).tolist()
    assert seen.seat == seat and seen.seat_to_act == 0
    if config["discard"] == "optimal":
        assert not has_group(state["hands"][seat, 0])


def check_ends(tables: Tables) -> None:
    """One winner with an empty hand, or a draw at the turn limit or with full hands."""
    returns = tables.returns(tables.all_rows)
    for state, outcome in zip(tables.states, returns, strict=True):
        assert abs(outcome.sum()) < 1e-9
        winner = int(state["winner"])
        if winner == NO_SEAT:
            assert not outcome.any()
            is_late = state["turns_played"] == state["turn_limit"] * len(outcome)
            sizes = [len(kinds_of(*words)) for words in state["hands"]]
            assert is_late or set(sizes) == {int(state["hand_limit"])}
        else:
            assert outcome[winner] == 1 and state["hands"][winner, 0] == 0
