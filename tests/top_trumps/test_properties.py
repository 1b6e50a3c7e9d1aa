"""What holds in every position, on small decks of all kinds."""

import hypothesis.strategies as st
from hypothesis import given, settings

from tests.top_trumps.invariants import check_position
from tests.top_trumps.tables import NUM_CARDS, NUM_FIELDS, Table

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
    check_position(table.game, table.state)
    for field in fields:
        if table.game.is_terminal(table.state):
            break
        table.play(field)
        check_position(table.game, table.state)
