"""The checks of each game and a few re-deals, in plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from parlour.envs.core.checks.check_game import check_game
from parlour.envs.core.play.tables import Tables
from parlour.envs.core.rng import streams
from parlour.envs.registry import find_game, load_game
from tests.president.invariants import check_deck
from tests.president.playing import Table, ladder, one_suit_each
from tests.president.test_leak import determinize
from tests.president.test_rules import match
from tests.top_trumps.tables import Table as Deck
from tests.top_trumps.test_leak import deck, orders, sample
from tests.trick_taking import tables as tricks
from tests.trick_taking.test_second_opinion import check_uniform

SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("notty", {"turn_limit": 4}),
    ("president", {"num_players": 4, "economy": "swap_two"}),
    ("splendor", {"num_players": 3, "turn_limit": 4}),
    ("top_trumps", {"num_cards": 9, "num_fields": 3, "trick_limit": 30}),
    ("trick_taking", {"num_players": 4, "num_values": 4}),
]


@pytest.mark.parametrize(("name", "settings"), SETTINGS)
def test_a_game_of_each_kind_passes_all_checks(name: str, settings: dict[str, Any]) -> None:
    """Among them that a re-deal leaves what a seat sees, and that all numbers are in range."""
    assert check_game(find_game(name, **settings), num_games=1).num_plies > 0


@pytest.mark.parametrize("watcher", [0, 1, 2, 3])
def test_every_seat_of_president_may_hold_what_is_unseen(watcher: int) -> None:
    table = match(one_suit_each(), economy="swap_one")  # seat 0 is to give a card back
    states = determinize(table, watcher, 60)
    check_deck(states)
    sizes = np.bitwise_count(table.tables.states["hands"])
    assert (np.bitwise_count(states["hands"]) == sizes).all()
    partners = {0: {3}, 3: {0}}.get(watcher, set())
    holds_gold = table.sees(watcher)["has_golds"]
    possible = {watcher} if holds_gold else {0, 1, 2, 3} - {watcher}
    assert set(states["golds_seat"]) - partners == possible - partners
    ones = np.bitwise_count(states["hands"] >> 36 & 0b1111)
    for seat in {0, 1, 2, 3} - partners - {watcher}:
        assert len(set(ones[:, seat])) > 1


def test_the_leader_of_president_keeps_a_two() -> None:
    states = determinize(Table({"hands": ladder(4)}), 2, 40)
    check_deck(states)
    assert (states["golds_seat"] == 0).all()
    assert (states["hands"][:, 0] & 1 == 1).all()


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("fields", [(), (1,), (1, 0)])
def test_every_possible_order_of_a_top_trumps_deck_is_dealt(
    seat: int, fields: tuple[int, ...]
) -> None:
    cards = [[10, 3], [20, 1], [30, 3], [40, 2], [50, 3], [30, 3]]
    table = Deck([[5, 2, 0], [1, 3, 4]], cards).play(*fields)
    drawn = sample(table.game, table.state, seat, 80)
    for owner in (0, 1):
        assert {tuple(deck(state, owner)) for state in drawn} == orders(table, seat, owner)


def test_every_card_left_in_a_splendor_deck_may_come_next() -> None:
    game = load_game("splendor")
    tables = Tables(game, streams([0]))
    tables.deal(tables.all_rows)
    rows = np.zeros(150, np.int64)
    dealt = tables.determinize(rows, rows, streams(range(150), 2))
    left = int(tables.states["deck_left"][0, 2])
    assert len(set(dealt["deck"][:, 70 + left - 1])) == left


@pytest.mark.parametrize(("num_seats", "script"), [(3, "0.0 1.0"), (4, "0.0 1.0 0.1 0.2 3.2 3.0")])
def test_trick_taking_deals_all_that_agree_with_what_was_seen(num_seats: int, script: str) -> None:
    check_uniform(num_seats, script, 400)


def test_cards_that_two_seats_may_hold_are_shared_in_every_way() -> None:
    """Seat 1 has shown that it is void in colour 0, so seats 2 and 3 hold the rest of it."""
    hands = [[0, 6, 9], [3, 4, 8], [1, 10, 5], [2, 11, 7]]
    table = tricks.table({"hands": hands}, "0.0 1.0", num_players=4, num_values=3)
    rows = np.zeros(80, np.int64)
    dealt = table.determinize(rows, rows, streams(range(80)))["hands"]
    found = np.bitwise_count(dealt[:, 2, 0])
    assert set(found) == {0, 1, 2}
    assert not dealt[:, 1, 0].any()
    assert abs(found.mean() - 1) < 0.35
