"""What holds in every position of Top Trumps."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from parlour.envs.core.game import NO_SEAT, Game
from parlour.envs.core.play.tables import Tables
from tests.top_trumps.tables import deck_of, members

SETTINGS = st.sampled_from(
    [{"trick_limit": 60}, {"num_cards": 7, "num_fields": 3, "trick_limit": 60}]
)


def check(tables: Tables, seats: np.ndarray) -> None:
    """Look at all positions."""
    assert not tables.returns(tables.all_rows)[seats != NO_SEAT].any()
    for state in tables.states:
        check_position(tables.game, state)


def check_position(game: Game, state: np.record) -> None:
    """Cards are conserved; what can be told is true, exact as sets, and agrees with itself."""
    num_cards = len(state["ids"])
    decks = [deck_of(state, seat) for seat in (0, 1)]
    pile = state["pile"][: state["pile_size"]].tolist()
    assert sorted([*decks[0], *decks[1], *pile]) == list(range(num_cards))
    for seat in (0, 1):
        view = game.new_observations()
        game.observe(state, seat, view[0])
        check_seen(view[0], decks[seat], decks[1 - seat])


def check_seen(view: np.record, own: list[int], other: list[int]) -> None:
    assert view["deck_sizes"].tolist() == [len(own), len(other)]
    assert members(view["own_cards"]) == set(own)
    assert members(view["opponent_cards"]) == set(other)
    assert (view["opponent_top"] == view["opponent_slots"][0]).all()
    for slots, cards in ((view["own_slots"], own), (view["opponent_slots"], other)):
        candidates = [members(words) for words in slots]
        assert not any(candidates[len(cards) :])
        certain = {next(iter(slot)) for slot in candidates if len(slot) == 1}
        for place, card in enumerate(cards):
            assert card in candidates[place]
            assert len(candidates[place]) == 1 or not candidates[place] & certain
            expected = place if len(candidates[place]) == 1 else -1
            assert view["places"][card] == expected
    for card in set(range(len(view["places"]))) - {*own, *other}:
        assert view["places"][card] == -1


def check_ends(tables: Tables, returns: np.ndarray) -> None:
    """One wins what the other loses."""
    assert np.isin(returns, (-1, 0, 1)).all()


def check_redeal(true: np.ndarray, dealt: np.ndarray, seats: np.ndarray) -> None:
    """Both decks keep their cards."""
    for state, twin in zip(true, dealt, strict=True):
        for owner in (0, 1):
            assert set(deck_of(state, owner)) == set(deck_of(twin, owner))
        check_unplayed(twin)


def check_unplayed(state: np.record) -> None:
    """The set of cards never played is that of the places they lie in."""
    for owner in (0, 1):
        on_top = deck_of(state, owner)[: state["num_unplayed"][owner]]
        assert members(state["unplayed"][owner]) == set(on_top)
