"""A few re-deals in each game: short enough for plain Python, as `small_lockstep` is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from parlour.envs.core.checks.rules import check_ranges
from parlour.envs.core.checks.situation import PlayedGame
from parlour.envs.core.game import NO_SEAT
from parlour.envs.core.play.tables import Tables, action_masks
from parlour.envs.core.rng import streams
from parlour.envs.registry import find_game, load_game
from tests.president.playing import Table, ladder, one_suit_each
from tests.president.test_leak import check_deck, determinize
from tests.president.test_rules import match
from tests.top_trumps.tables import Table as Deck
from tests.top_trumps.test_leak import deck, orders, sample
from tests.trick_taking import tables as tricks
from tests.trick_taking.test_second_opinion import check_uniform

SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("president", {"num_players": 4, "num_games": 2, "economy": "swap_two"}),
    ("president", {"num_players": 5, "economy": "none"}),
    ("splendor", {"num_players": 3}),
    ("top_trumps", {"num_cards": 9, "num_fields": 3}),
    ("trick_taking", {"num_players": 4, "num_values": 4}),
]
NUM_TABLES = 2
EVERY = 5  # plies
MAX_PLIES = 40


@pytest.mark.parametrize(("name", "settings"), SETTINGS)
def test_a_re_deal_leaves_what_a_seat_sees_and_changes_what_it_does_not(
    name: str, settings: dict[str, Any]
) -> None:
    game = find_game(name, **settings)
    tables, rng = Tables(game, streams(range(NUM_TABLES))), np.random.default_rng(1)
    tables.deal(tables.all_rows)
    changed = 0
    for ply in range(MAX_PLIES):
        acting, _, words = tables.show(tables.all_rows)
        rows = np.flatnonzero(acting != NO_SEAT)
        if not len(rows):
            break
        if ply % EVERY == 0:
            for seat in range(game.num_seats):
                seats = np.full(len(rows), seat)
                dealt = Tables(game, streams(range(len(rows))))
                dealt.states = tables.determinize(rows, seats, streams(range(len(rows)), ply))
                seen = dealt.observe(dealt.all_rows, seats)
                assert seen.tobytes() == tables.observe(rows, seats).tobytes()
                assert (dealt.show(dealt.all_rows)[0] == acting[rows]).all()
                changed += dealt.states.tobytes() != tables.states[rows].tobytes()
        masks = action_masks(words, game.num_actions)[rows]
        tables.apply(rows, (masks * rng.random(masks.shape)).argmax(axis=1))
    assert changed


@pytest.mark.parametrize(("name", "settings"), SETTINGS)
def test_every_number_is_in_its_declared_range(name: str, settings: dict[str, Any]) -> None:
    game = find_game(name, **settings)
    tables, rng = Tables(game, streams([7])), np.random.default_rng(7)
    tables.deal(tables.all_rows)
    states = [tables.states.copy()]
    while not game.is_terminal(tables.states[0]) and len(states) < MAX_PLIES:
        _, _, words = tables.show(tables.all_rows)
        masks = action_masks(words, game.num_actions)
        tables.apply(tables.all_rows, (masks * rng.random(masks.shape)).argmax(axis=1))
        states.append(tables.states.copy())
    shown = np.concatenate([*states[:4], *states[4::4], states[-1]]).view(states[0].dtype)
    check_ranges(game, [PlayedGame(7, shown, streams(range(len(shown))), ())])


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
