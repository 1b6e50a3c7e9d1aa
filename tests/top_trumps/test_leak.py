"""Re-dealing what a seat cannot know: it must see no difference, and every order is as likely."""

import itertools
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from parlour.envs.core.game import NO_SEAT
from tests.num_bits import num_bits
from tests.one_table import redealt
from tests.top_trumps.lockstep import Size, dealt_tables
from tests.top_trumps.tables import Table, deck_of, members

pytestmark = pytest.mark.plain

ALMOST_NEVER = 1e-4  # a fair sample fails a test this seldom; the seeds are fixed


def orders(table: Table, seat: int, owner: int) -> set[tuple[int, ...]]:
    """All orders of a deck that agree, place by place, with what a seat can tell."""
    slots = table.own(seat) if owner == seat else table.other(seat)
    cards = sorted(table.deck(owner))
    return {
        order
        for order in itertools.permutations(cards)
        if all(card in slot for card, slot in zip(order, slots, strict=True))
    }


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("fields", [(), (1,), (1, 0), (0, 1)])
def test_every_order_that_agrees_with_what_was_seen_is_as_likely(
    seat: int, fields: tuple[int, ...]
) -> None:
    cards = [[10, 3], [20, 1], [30, 3], [40, 2], [50, 3], [30, 3]]
    table = Table([[5, 2, 0], [1, 3, 4]], cards).play(*fields)
    drawn = redealt(table.game, table.state, seat, 1000)
    for owner in (0, 1):
        possible = orders(table, seat, owner)
        counts = Counter(tuple(deck_of(state, owner)) for state in drawn)
        assert set(counts) <= possible
        if len(possible) > 1:
            observed = [counts[order] for order in possible]
            assert stats.chisquare(observed).pvalue > ALMOST_NEVER


@pytest.mark.compiled
def test_many_doubtful_places_are_redealt_even_where_drawing_collides() -> None:
    """With values 0 and 1 only, the cards that beat me are in doubt all at once."""
    tables = dealt_tables(Size(50, 5, 5000, top_value=1), 12, seed=2)
    game = tables.game
    chooser = np.random.default_rng(0)
    most, watcher, hardest = 0, 0, tables.states[0].copy()
    for _ in range(40):
        seats, _, _ = tables.show(tables.all_rows)
        rows = np.flatnonzero(seats != NO_SEAT)
        for row, seat in itertools.product(rows, (0, 1)):
            in_doubt = int(num_bits(tables.states["doubtful"][row, 1 - seat]).sum())
            if in_doubt > most:
                most, watcher, hardest = in_doubt, seat, tables.states[row].copy()
        tables.apply(rows, chooser.integers(0, 5, len(rows)))
    assert most >= 12  # with fewer, drawing seldom collides in every try
    places = sorted(members(hardest["doubtful"][1 - watcher]))
    drawn = redealt(game, hardest, watcher, 20)
    cards = np.array([twin["decks"][1 - watcher][places] for twin in drawn])
    candidates = hardest["candidates"][1 - watcher][places]
    for column, words in zip(cards.T, candidates, strict=True):
        assert set(column.tolist()) <= members(words)
    assert np.mean([len(set(column)) > 1 for column in cards.T]) > 0.8
    before = hardest["decks"][1 - watcher][places]
    assert (cards != before).any(axis=1).mean() > 0.9  # also of those whose draws collide
