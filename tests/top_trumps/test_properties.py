"""What holds in every position, on decks of all kinds."""

import hypothesis.strategies as st
import numpy as np
from hypothesis import given, settings

from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game
from tests.top_trumps.tables import NUM_CARDS, NUM_FIELDS, Table, deck, members

CARDS = st.lists(
    st.lists(st.integers(0, 3), min_size=NUM_FIELDS, max_size=NUM_FIELDS),
    min_size=NUM_CARDS,
    max_size=NUM_CARDS,
)


@settings(deadline=None, max_examples=150)
@given(
    cards=CARDS,
    order=st.permutations(range(NUM_CARDS)),
    starter=st.integers(0, 1),
    fields=st.lists(st.integers(0, NUM_FIELDS - 1), max_size=40),
)
def test_small_decks(
    cards: list[list[int]], order: list[int], starter: int, fields: list[int]
) -> None:
    half = NUM_CARDS // 2
    table = Table([list(order[:half]), list(order[half:])], cards, starter)
    check(table.game, table.state)
    for field in fields:
        if table.game.is_terminal(table.state):
            break
        table.play(field)
        check(table.game, table.state)


def test_large_decks() -> None:
    game = load_game("top_trumps")
    states, rngs = game.new_states(), streams([5])
    chooser = np.random.default_rng(5)
    for _ in range(4):
        game.deal(states[0], rngs[0])
        for _ in range(150):
            check(game, states[0])
            if game.is_terminal(states[0]):
                break
            game.apply_action(states[0], int(chooser.integers(5)))


def check(game, state) -> None:  # type: ignore[no-untyped-def]
    """Cards are conserved; what can be told is true, exact as sets, and agrees with itself."""
    num_cards = len(state["ids"])
    decks = [deck(state, seat) for seat in (0, 1)]
    pile = state["pile"][: state["pile_size"]].tolist()
    assert sorted([*decks[0], *decks[1], *pile]) == list(range(num_cards))
    out = np.zeros(2)
    game.returns(state, out)
    assert out.sum() == 0
    assert game.is_terminal(state) or not out.any()
    for seat in (0, 1):
        seen = game.new_observations()
        game.observe(state, seat, seen[0])
        check_seen(seen[0], decks[seat], decks[1 - seat])


def check_seen(seen: np.record, own: list[int], other: list[int]) -> None:
    assert seen["deck_sizes"].tolist() == [len(own), len(other)]
    assert members(seen["own_cards"]) == set(own)
    assert members(seen["opponent_cards"]) == set(other)
    assert (seen["opponent_top"] == seen["opponent_slots"][0]).all()
    for slots, cards in ((seen["own_slots"], own), (seen["opponent_slots"], other)):
        candidates = [members(words) for words in slots]
        assert not any(candidates[len(cards) :])
        known = {next(iter(slot)) for slot in candidates if len(slot) == 1}
        for place, card in enumerate(cards):
            assert card in candidates[place]
            assert len(candidates[place]) == 1 or not candidates[place] & known
            expected = place if len(candidates[place]) == 1 else -1
            assert seen["places"][card] == expected
    for card in set(range(len(seen["places"]))) - {*own, *other}:
        assert seen["places"][card] == -1
