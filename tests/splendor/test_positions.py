"""A position laid out by its record is seen as it says, and what cannot be is refused."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from parlour import start
from parlour.envs import position_data
from parlour.envs.core.play.tables import Tables
from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game
from parlour.envs.splendor.cards import pack
from tests.splendor.boards import (
    CARDS,
    PLAYER_COUNTS,
    Data,
    board,
    empty_seat,
    key_of,
    lay_out,
    random_board,
    random_deal,
    record_of,
)
from tests.splendor.referee import COLOURS

pytestmark = pytest.mark.plain


def laid_out(deal: Data, seed: int = 1) -> Tables:
    """One table with this position."""
    game = load_game("splendor", num_players=deal["position"]["num_players"])
    tables = Tables(game, streams([seed]))
    lay_out(tables, 0, deal)
    return tables


def seen_from_seat_0(tables: Tables) -> dict[str, Any]:
    """What seat 0 sees, as plain data: since only the decks' order is hidden, the position."""
    record = tables.observe(np.array([0]), np.array([0]))[0]
    return {name: record[name].tolist() for name in record.dtype.names}


def shown_cards(colours: list[int], points: list[int], costs: list[list[int]]) -> list[Any]:
    """Cards of an observation as plain data, None for an empty place."""
    return [
        None if colour < 0 else [COLOURS[colour], point, cost]
        for colour, point, cost in zip(colours, points, costs, strict=True)
    ]


@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
def test_a_position_is_laid_out_just_as_it_says(num_players: int) -> None:
    rng = random.Random(num_players)
    for _ in range(20):
        deal = random_board(rng, num_players)
        position = deal["position"]
        seen = seen_from_seat_0(laid_out(deal))
        assert seen["bank"] == position["bank"]
        table = shown_cards(seen["table_colour"], seen["table_points"], seen["table_cost"])
        assert table == [card for tier in position["table"] for card in tier]
        assert seen["deck_left"] == [len(deck) for deck in position["decks"]]
        nobles = [need for need in seen["noble_need"] if need[0] >= 0]
        assert nobles == position["nobles"]
        for key in ("seat_to_act", "first_seat", "turn"):
            assert seen[key] == position[key]
        for index, seat in enumerate(position["seats"]):
            check_seat(seen, index, seat)
        for tier, deck in enumerate(position["decks"]):
            left = {key_of(card) for card in deck}
            bits = [key_of(card) in left for card in CARDS[tier]]
            assert seen[f"unseen_{tier + 1}"] == sum(bit << i for i, bit in enumerate(bits))


def check_seat(seen: dict[str, Any], index: int, seat: Data) -> None:
    """All that a seat of a position has is seen."""
    owned = [card[0] for card in seat["cards"]]
    reserved = shown_cards(
        *(seen[f"reserved_{part}"][index] for part in ("colour", "points", "cost"))
    )
    assert seen["gems"][index] == seat["gems"]
    assert seen["cards"][index] == [owned.count(colour) for colour in COLOURS]
    assert seen["num_cards"][index] == len(owned)
    assert seen["num_nobles"][index] == len(seat["nobles"])
    assert seen["points"][index] == sum(c[1] for c in seat["cards"]) + 3 * len(seat["nobles"])
    assert seen["num_reserved"][index] == len(seat["reserved"])
    assert [card for card in reserved if card] == seat["reserved"]


def test_passes_in_a_row_go_on_from_a_position() -> None:
    assert seen_from_seat_0(laid_out(two_seats(passes=1)))["passes"] == 1
    assert seen_from_seat_0(laid_out(two_seats()))["passes"] == 0


def test_given_decks_are_drawn_from_the_top() -> None:
    tables = laid_out(two_seats())
    for expected in (CARDS[0][4], CARDS[0][5]):
        action = tables.game.parse_action("reserve:1.2")
        tables.apply(np.array([0]), np.array([action]))
        seen = seen_from_seat_0(tables)
        table = shown_cards(seen["table_colour"], seen["table_points"], seen["table_cost"])
        assert table[2] == expected


def test_a_deal_begins_with_the_tops_of_the_decks_on_the_table() -> None:
    deal = random_deal(random.Random(0), 2)
    tables = Tables(load_game("splendor"), streams([0]))
    tables.deal_from(0, deal)
    seen = seen_from_seat_0(tables)
    table = shown_cards(seen["table_colour"], seen["table_points"], seen["table_cost"])
    assert table == [card for deck in deal["decks"] for card in deck[:4]]
    assert seen["noble_need"] == deal["nobles"]
    assert seen["bank"] == [4, 4, 4, 4, 4, 5]


def two_seats(**changes: Any) -> Data:
    """Two empty seats and all cards in the order of the data file."""
    return board([empty_seat(), empty_seat()], **changes)


Change = Callable[[Data], object]


def fixed(**values: Any) -> Change:
    """A change that sets fields of the position."""
    return lambda position: position.update(values)


def put(name: str, place: int, value: Any) -> Change:
    """A change of one number of a field; -1 counts from the end."""
    return lambda position: position[name].__setitem__(place, value)


def hold(*gems: int) -> Change:
    """A change that gives seat 1 gems out of the bank."""

    def change(position: Data) -> None:
        position["gems"][1] = pack(gems)
        position["bank"] -= pack(gems)

    return change


ONE_RED, ONE_CARD_OF_EACH = pack([0, 1]), pack([1] * 5)
WRONG: dict[str, tuple[Change, str]] = {
    "a gem too many": (fixed(bank=pack([4, 5, 4, 4, 4, 5])), "have 4 red gems; here are 5"),
    "gems from nowhere": (fixed(gems=[ONE_RED, 0]), "have 4 red gems; here are 5"),
    "a carried gem": (fixed(bank=pack([5, 3, 4, 4, 4, 5]), gems=[0, 255]), "black gems; here are"),
    "eleven gems": (hold(4, 4, 3, 0, 0, 0), "seat 1 holds 11 gems; 10 is the limit"),
    "a card twice": (put("table", 1, 0), r"\['black', 0, .*\] is there 2 times"),
    "table and seat": (fixed(reserved=[[0, 90, 90], [90] * 3], num_reserved=[1, 0]), "2 times"),
    "a row of another tier": (put("table", 8, 20), "is of tier 1, not 3"),
    "a deck of another tier": (put("deck", 40, 20), "is of tier 1, not 2"),
    "a deck too long": (put("deck_left", 2, 40), "is of tier 1, not 3"),
    "an unseen card too few": (put("unseen", 0, 1), "'unseen' does not fit the cards"),
    "a lost card": (put("table", 0, 90), "a slot of tier 1 is empty"),
    "a card in a gap": (fixed(gap=0), "'face_up' does not fit"),
    "a gap over a deck": (
        lambda p: p.update(table=[90, *p["table"][1:]], face_up=p["face_up"] - 1),
        "a slot of tier 1 is empty, but its deck has 36 cards",
    ),
    "reserved nothing": (fixed(num_reserved=[1, 0]), "'num_reserved' does not fit"),
    "cards of nowhere": (fixed(cards=[ONE_CARD_OF_EACH, 0]), "'cards' does not fit the cards"),
    "points of nowhere": (fixed(points=[1, 0]), "'points' does not fit the cards"),
    "a noble twice": (fixed(nobles=[0, 0, 1]), "is there 2 times"),
    "two nobles": (fixed(nobles=[0, 1, 10]), "3 nobles are in the game; here are 2"),
    "a fourth noble": (fixed(won=[1 << 9, 0], points=[3, 0]), "3 nobles are .* here are 4"),
    "a choice of nothing": (
        fixed(nobles=[10, 1, 2], won=[1, 0], points=[3, 0], choice=1),
        "'choice' does not fit",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_position_that_cannot_be_is_refused(name: str) -> None:
    change, message = WRONG[name]
    game = load_game("splendor")
    position = position_data(game, record_of(game, two_seats()["position"]))
    change(position)
    with pytest.raises(ValueError, match=message):
        start(game, position=position)


def test_nobody_owns_eight_cards_of_a_colour() -> None:
    reds = [card for tier in CARDS for card in tier if card[0] == "red"]
    deal = board([empty_seat() | {"cards": reds[:8]}, empty_seat()])
    with pytest.raises(ValueError, match="a seat has 8 cards of a colour; 7 at most"):
        laid_out(deal)


def test_who_has_reached_the_target_has_acted_and_the_others_play_the_round_to_its_end() -> None:
    five_pointers = [card for card in CARDS[2] if card[1] == 5][:4]
    leader = empty_seat() | {"cards": five_pointers}
    tables = laid_out(board([leader, empty_seat()], seat_to_act=1))
    assert seen_from_seat_0(tables)["points"] == [20, 0]
    action = tables.game.parse_action("collect:black+red+green")
    tables.apply(np.array([0]), np.array([action]))
    assert tables.game.is_terminal(tables.states[0])
    assert tables.returns(np.array([0]))[0].tolist() == [1, -1]
