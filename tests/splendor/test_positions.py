"""A full position as plain data: it is laid out as it says, and what cannot be is refused."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from parlour.envs.core.play.tables import Tables
from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game
from tests.splendor.boards import (
    CARDS,
    NOBLES,
    PLAYER_COUNTS,
    Data,
    board,
    empty_seat,
    key_of,
    random_board,
    random_deal,
)
from tests.splendor.referee import COLOURS

pytestmark = pytest.mark.plain


def laid_out(deal: Data, seed: int = 1) -> Tables:
    """One table with this position."""
    game = load_game("splendor", num_players=deal["position"]["num_players"])
    tables = Tables(game, streams([seed]))
    tables.deal_from(0, deal)
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


def test_of_decks_given_by_number_the_unseen_cards_are_shuffled() -> None:
    deal = by_number(two_seats())
    seconds = []
    for seed in range(5):
        tables = laid_out(deal, seed)
        assert seen_from_seat_0(tables)["deck_left"] == [36, 26, 16]
        for _ in range(3):
            action = tables.game.parse_action("reserve:1.2")
            tables.apply(np.array([0]), np.array([action]))
        seconds.append(str(seen_from_seat_0(tables)["table_cost"]))
    assert len(set(seconds)) > 1
    assert str(laid_out(deal, 3).states[0]) == str(laid_out(deal, 3).states[0])


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


def by_number(deal: Data) -> Data:
    """The position with its decks as mere numbers."""
    position = dict(deal["position"])
    decks = position.pop("decks")
    return {"position": position | {"decks_left": [len(deck) for deck in decks]}}


Change = Callable[[Data], object]


def put(key: str, value: Any) -> Change:
    """A change that sets a key of the position."""
    return lambda position: position.update({key: value})


def put_seat(key: str, value: Any) -> Change:
    """A change that sets a key of seat 1."""
    return lambda position: position["seats"][1].update({key: value})


def drop(key: str) -> Change:
    """A change that takes a key away."""
    return lambda position: position.pop(key)


def buy_from_deck(tier: int, *places: int) -> Change:
    """A change that gives cards of a deck to seat 1."""

    def change(position: Data) -> None:
        for place in sorted(places, reverse=True):
            position["seats"][1]["cards"].append(position["decks"][tier].pop(place))

    return change


def hold(*gems: int) -> Change:
    """A change that gives seat 1 gems out of the bank."""

    def change(position: Data) -> None:
        position["seats"][1]["gems"] = list(gems)
        position["bank"] = [a - b for a, b in zip(position["bank"], gems, strict=True)]

    return change


def no_more_of(tier: int) -> Change:
    """A change that empties a slot of the table into its deck."""

    def change(position: Data) -> None:
        position["decks"][tier].append(position["table"][tier][1])
        position["table"][tier][1] = None

    return change


FIRST = CARDS[0][0]
REDS = [i for i, card in enumerate(CARDS[0][4:]) if card[0] == "red"]
WRONG: dict[str, tuple[Change, str]] = {
    "no bank": (drop("bank"), "needs 'bank'"),
    "no table": (drop("table"), "needs 'table'"),
    "no number of players": (drop("num_players"), "needs 'num_players'"),
    "another key": (put("score", 3), "no 'score'; its keys are num_players, seat_to_act"),
    "neither decks": (drop("decks"), "either 'decks' or 'decks_left'"),
    "both decks": (put("decks_left", [36, 26, 16]), "either 'decks' or 'decks_left'"),
    "other players": (put("num_players", 3), "for 3 players, the game for 2"),
    "a seat too far": (put("seat_to_act", 2), r"'seat_to_act' must be a number in 0 \.\. 1; got 2"),
    "no such first": (put("first_seat", -1), r"'first_seat' must be a number in 0 \.\. 1; got -1"),
    "a true seat": (put("seat_to_act", True), "'seat_to_act' must be a number .*; got True"),
    "too many passes": (put("passes", 2), r"'passes' must be a number in 0 \.\. 1; got 2"),
    "a turn too late": (put("turn", 200), r"'turn' must be a number in 0 \.\. 199; got 200"),
    "five in the bank": (put("bank", [4] * 5), "the bank must be 6 numbers"),
    "a debt": (put("bank", [4, 4, 4, 4, 4, -5]), "the bank must be 6 numbers of 0 or more"),
    "a gem too many": (put("bank", [4, 5, 4, 4, 4, 5]), "have 4 red gems; here are 5"),
    "gems from nowhere": (put_seat("gems", [0, 0, 1, 0, 0, 0]), "have 4 green gems; here are 5"),
    "eleven gems": (hold(4, 4, 3, 0, 0, 0), "seat 1 holds 11 gems; 10 is the limit"),
    "five gem colours": (put_seat("gems", [0] * 5), "the gems of seat 1 must be 6 numbers"),
    "one seat": (put("seats", [empty_seat()]), "'seats' must be a list of 2 seats"),
    "a bare seat": (put("seats", [{}, empty_seat()]), "seat 0 needs gems, cards, reserved, nobles"),
    "a seat's secret": (put_seat("points", 3), "seat 1 needs gems, cards, reserved, nobles"),
    "a table of two": (put("table", [[None] * 4] * 2), "table must be 3 tiers of 4"),
    "table and seat": (put_seat("cards", [FIRST]), r"\['black', 0, .*\] is there 2 times"),
    "table and deck": (lambda p: p["decks"][0].append(FIRST), "is there 2 times"),
    "a lost card": (lambda p: p["decks"][1].pop(), r"the card \[.*\] is missing"),
    "no such cost": (put_seat("cards", [["red", 0, [9, 0, 0, 0, 0]]]), "there is no card"),
    "a card's name": (put_seat("cards", ["black"]), "there is no card 'black'; a card is"),
    "a bought nothing": (put_seat("cards", [None]), "there is no card None"),
    "cards no list": (put_seat("cards", 5), "the cards of seat 1 are a list; got 5"),
    "another tier's deck": (
        lambda p: p["decks"][1].append(p["decks"][0].pop()),
        "is of tier 1, but is in the deck of tier 2",
    ),
    "another tier's row": (
        lambda p: p["table"][2].__setitem__(0, p["decks"][0].pop()),
        "is of tier 1, but is on the table of tier 3",
    ),
    "two decks": (put("decks", [[], []]), "'decks' must be 3 lists"),
    "a gap over a deck": (no_more_of(1), r"slot 2\.1 is empty, but its deck has 27 cards"),
    "four reserved": (
        lambda p: p["seats"][1].update({"reserved": [p["decks"][2].pop() for _ in range(4)]}),
        "seat 1 has reserved 4 cards; 3 is the limit",
    ),
    "eight reds": (buy_from_deck(0, *REDS), "seat 1 has 8 red cards; 7 is the limit"),
    "a noble not printed": (put("nobles", [[5, 0, 0, 0, 0]] * 3), "there is no noble"),
    "a noble twice": (put("nobles", [NOBLES[0], NOBLES[0], NOBLES[1]]), "is there 2 times"),
    "two nobles": (put("nobles", NOBLES[:2]), "2 players have 3 nobles.*got 2"),
    "a fourth noble": (put_seat("nobles", [NOBLES[9]]), "2 players have 3 nobles.*got 4"),
    "nobles no list": (put("nobles", 3), "the nobles on the table are a list of needs; got 3"),
}


def refused(deal: Any, message: str) -> None:
    """Laying this out is a ValueError with this message, and leaves the table as it was."""
    tables = Tables(load_game("splendor"), streams([1]))
    tables.deal(tables.all_rows)
    before = tables.states.tobytes(), tables.rngs.tobytes()
    with pytest.raises(ValueError, match=message):
        tables.deal_from(0, deal)
    assert (tables.states.tobytes(), tables.rngs.tobytes()) == before


@pytest.mark.parametrize("name", WRONG)
def test_a_position_that_cannot_be_is_refused_and_leaves_the_table_alone(name: str) -> None:
    change, message = WRONG[name]
    deal = copy.deepcopy(two_seats())
    change(deal["position"])
    refused(deal, message)


@pytest.mark.parametrize("counts", [[36, 26, 15], [37, 26, 16], [36, 26], "36", [36, 26, True]])
def test_numbers_of_cards_left_must_be_those_of_the_unseen_cards(counts: Any) -> None:
    deal = by_number(two_seats())
    deal["position"]["decks_left"] = counts
    refused(deal, "'decks_left'")


@pytest.mark.parametrize("data", [None, 3, [], {}, {"decks": []}, {"position": {}, "decks": []}])
def test_neither_deal_nor_position_is_refused(data: Any) -> None:
    refused(data, r'a deal is {"decks".*} or {"position": .*}; got ')


def five_pointers(number: int) -> Data:
    """A seat with so many cards of five points."""
    return empty_seat() | {"cards": [card for card in CARDS[2] if card[1] == 5][:number]}


@pytest.mark.parametrize(("seat_to_act", "first_seat"), [(0, 0), (1, 1), (0, 1)])
def test_who_has_reached_the_target_cannot_have_still_to_act(
    seat_to_act: int, first_seat: int
) -> None:
    seats = [five_pointers(3), empty_seat()]
    deal = board(seats, seat_to_act=seat_to_act, first_seat=first_seat)
    refused(deal, "seat 0 has 15 points and has yet to act in this round, but at 15 points the")


def test_who_has_reached_the_target_has_acted_and_the_others_play_the_round_to_its_end() -> None:
    tables = laid_out(board([five_pointers(4), empty_seat()], seat_to_act=1))
    assert seen_from_seat_0(tables)["points"] == [20, 0]
    action = tables.game.parse_action("collect:black+red+green")
    tables.apply(np.array([0]), np.array([action]))
    assert tables.game.is_terminal(tables.states[0])
    assert tables.returns(np.array([0]))[0].tolist() == [1, -1]


def test_nobody_has_more_points_than_one_turn_can_bring_beyond_the_target() -> None:
    deal = board([five_pointers(5), empty_seat()], seat_to_act=1)
    refused(deal, "seat 0 has 25 points; nobody comes beyond 22")


def test_what_keys_a_position_has_instead_is_said_whatever_they_are() -> None:
    refused({"position": {5: 3, "bank": []}}, "a position needs 'num_players'; its keys are 5, 'b")


@pytest.mark.parametrize("position", [None, 7, [1, 2]])
def test_a_position_is_a_dict(position: Any) -> None:
    refused({"position": position}, "a position is a dict; got")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda deal: deal["nobles"].pop(), "a deal for 2 players has 3 nobles"),
        (lambda deal: deal["decks"].pop(), "'decks' must be 3 lists"),
        (lambda deal: deal["decks"][0].pop(), "is missing"),
        (lambda deal: deal["decks"][0].append(deal["decks"][0][0]), "is there 2 times"),
        (lambda deal: deal["nobles"].__setitem__(0, deal["nobles"][1]), "is there 2 times"),
        (lambda deal: deal["nobles"].__setitem__(0, None), "a deal for 2 players has 3 nobles"),
    ],
)
def test_a_deal_that_cannot_be_is_refused(change: Change, message: str) -> None:
    deal = random_deal(random.Random(4), 2)
    change(deal)
    refused(deal, message)
