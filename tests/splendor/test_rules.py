"""The sheet's sentences one by one on the game itself, each on a position laid out for it."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from parlour.envs.core.play.tables import Tables
from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game
from tests.one_table import OneTable, dealt
from tests.splendor.boards import (
    CARDS,
    NOBLES,
    Data,
    board,
    board_with,
    empty_seat,
    random_board,
    random_deal,
    record_of,
    seat_with,
    stuck_board,
)
from tests.splendor.referee import COLOURS

pytestmark = pytest.mark.plain


class Table(OneTable):
    """One table, laid out from data."""

    def __init__(self, deal: Data, **settings: Any) -> None:
        position = deal.get("position")
        seats = {"num_players": position["num_players"]} if position else {}
        game = load_game("splendor", **seats | settings)
        super().__init__(game, record_of(game, position) if position else deal)

    def sees(self, field: str, seat: int = 0) -> Any:
        """One field of a seat's observation."""
        return self.observed(seat)[field].tolist()


def table_of(*seats: Data, **changes: Any) -> Table:
    """A table around these seats; a missing second seat is empty."""
    return Table(board([*seats, empty_seat()] if len(seats) == 1 else list(seats), **changes))


def collects(table: Table) -> list[str]:
    """The legal ways to collect."""
    return [name for name in table.legal if name.startswith("collect:")]


@pytest.mark.parametrize(("num_players", "gems"), [(2, 4), (3, 5), (4, 7)])
def test_1_4_5_or_7_gems_of_each_colour_and_always_five_yellow(num_players: int, gems: int) -> None:
    deal = random_deal(random.Random(0), num_players)
    table = Table(deal, num_players=num_players)
    assert table.sees("bank") == [gems] * 5 + [5]
    assert not np.any(table.sees("gems"))


def test_2_four_cards_of_40_30_and_20_lie_open() -> None:
    deal = random_deal(random.Random(0), 2)
    table = Table(deal)
    assert table.sees("deck_left") == [36, 26, 16]
    assert table.sees("table_cost") == [card[2] for deck in deal["decks"] for card in deck[:4]]


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_3_players_and_one_nobles_are_drawn_at_random(num_players: int) -> None:
    game = load_game("splendor", num_players=num_players)
    tables = dealt(game, range(60))
    needs = tables.observe(tables.all_rows, tables.all_rows * 0)["noble_need"].tolist()
    assert all(len({tuple(need) for need in drawn}) == num_players + 1 for drawn in needs)
    assert {tuple(need) for drawn in needs for need in drawn} == {tuple(n) for n in NOBLES}


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_4_only_the_order_of_the_decks_is_hidden(num_players: int) -> None:
    """A re-deal of what is unseen changes the next card and nothing that any seat sees."""
    table = Table(random_board(random.Random(num_players), num_players))
    rows = np.zeros(60, np.int64)
    determinized = Tables(table.game, streams(range(60)))
    determinized.states[:] = table.determinize(rows, rows, streams(range(60), 9))
    seats = np.arange(60) % num_players
    before = table.observe(rows, seats)
    assert determinized.observe(determinized.all_rows, seats).tobytes() == before.tobytes()
    reserving = [name for name in table.legal if name.startswith("reserve:3.0")]
    action = table.game.parse_action(reserving[0])
    determinized.apply(determinized.all_rows, np.full(60, action))
    after = determinized.observe(determinized.all_rows, seats)["table_cost"][:, 8]
    assert len({tuple(cost) for cost in after.tolist()}) > 5


def test_5_up_to_seven_gems_exactly_three_colours_or_as_many_as_there_are() -> None:
    assert len(collects(table_of(empty_seat()))) == 10 + 5
    others = [seat_with(gems=[0, 0, 5, 5, 0, 0]), seat_with(gems=[0, 0, 0, 0, 5, 5])]
    assert collects(table_of(empty_seat(), *others))[0] == "collect:black+red"


def test_5_with_eight_gems_two_or_three_colours_and_one_goes_back() -> None:
    names = collects(table_of(seat_with(gems=[3, 3, 2, 0, 0, 0])))
    assert "collect:black+red" in names and "collect:black" not in names
    assert "collect:green+blue+white return:red" in names
    assert "collect:green+blue+white" not in names


def test_5_with_nine_gems_one_to_three_colours_and_all_but_one_go_back() -> None:
    names = collects(table_of(seat_with(gems=[3, 3, 3, 0, 0, 0])))
    assert "collect:black" in names and "collect:black return:red" not in names
    assert "collect:blue+white return:red" in names
    assert "collect:green+blue+white return:black+red" in names


def test_5_with_ten_gems_as_many_go_back_as_are_collected() -> None:
    names = collects(table_of(seat_with(gems=[3, 3, 3, 1, 0, 0])))
    assert "collect:white return:blue" in names and "collect:white" not in names
    assert "collect:blue+white return:red+red" in names
    assert "collect:green+blue+white return:black+red+red" in names
    assert "collect:green+blue+white return:black+red" not in names


def test_6_two_of_a_colour_of_which_the_bank_has_four() -> None:
    same = [n for n in collects(table_of(seat_with(gems=[1, 0, 0, 0, 0, 0]))) if "*2" in n]
    assert same == [f"collect:{colour}*2" for colour in COLOURS[1:]]
    nine = collects(table_of(seat_with(gems=[4, 4, 1, 0, 0, 0])))
    assert "collect:blue*2 return:green" in nine and "collect:blue*2" not in nine
    ten = collects(table_of(seat_with(gems=[4, 4, 2, 0, 0, 0])))
    assert "collect:blue*2 return:green+green" in ten and "collect:blue*2 return:green" not in ten


def test_7_what_goes_back_is_held_may_be_yellow_and_has_not_just_been_collected() -> None:
    names = collects(table_of(seat_with(gems=[4, 0, 0, 3, 0, 3])))
    assert "collect:red+green+white return:yellow+yellow+yellow" in names
    assert "collect:red+green+white return:blue+yellow+yellow" in names
    parts = [name.removeprefix("collect:").split(" return:") for name in names]
    for taken, returned in parts:
        back = returned.split("+")
        assert not set(taken.replace("*2", "").split("+")) & set(back)
        assert set(back) <= {"black", "blue", "yellow"}


def test_7_with_nothing_to_return_a_collection_is_not_legal() -> None:
    seats = [seat_with(gems=[5, 5, 0, 0, 0, 0]), empty_seat(), empty_seat(), empty_seat()]
    names = collects(table_of(*seats))
    assert "collect:black return:red" in names
    assert not [name for name in names if "black+red" in name.split(" return:")[0]]
    assert len(names) == 8 + 15 + 10 + 9


def test_8_a_reserve_brings_a_yellow_and_with_ten_gems_another_gem_goes_back() -> None:
    table = table_of(seat_with(gems=[4, 4, 0, 0, 0, 2]))
    names = [name for name in table.legal if name.startswith("reserve:2.1")]
    assert names == ["reserve:2.1 return:black", "reserve:2.1 return:red"]
    table.play("reserve:2.1 return:red")
    assert table.sees("gems")[0] == [4, 3, 0, 0, 0, 3] and table.sees("num_reserved") == [1, 0]


def test_8_without_yellow_in_the_bank_nothing_is_taken_and_nothing_returned() -> None:
    table = table_of(seat_with(gems=[4, 4, 0, 0, 0, 2]), seat_with(gems=[0, 0, 0, 0, 0, 3]))
    table.play("reserve:2.1")
    assert table.sees("gems")[0] == [4, 4, 0, 0, 0, 2]


def test_8_nobody_reserves_a_fourth_card() -> None:
    table = table_of(seat_with(reserved=CARDS[2][4:7]))
    assert not [name for name in table.legal if name.startswith("reserve")]


def test_9_coloured_gems_are_paid_first_and_yellow_only_for_what_is_missing() -> None:
    seat = seat_with("1 black", gems=[0, 0, 1, 2, 1, 3])
    asked = ["black", 1, [0, 0, 2, 2, 3]]
    table = table_of(seat, table=[CARDS[0][1:5], CARDS[1][:4], CARDS[2][:4]])
    assert CARDS[1][0] == asked
    table.play("buy:2.0")
    assert table.sees("gems")[0] == [0, 0, 0, 0, 0, 0]
    assert table.sees("bank") == [4, 4, 4, 4, 4, 5] and table.sees("points")[0] == 1


def test_9_own_cards_make_a_card_cheaper_down_to_nothing() -> None:
    table = table_of(seat_with("3 green, 4 white, 2 blue"))
    assert "buy:2.0" in table.legal  # two green, two blue, three white
    table.play("buy:2.0")
    assert table.sees("gems")[0] == [0] * 6 and table.sees("cards")[0] == [1, 0, 3, 2, 4]


def test_9_a_reserved_card_is_bought_and_the_newer_ones_close_up() -> None:
    table = table_of(
        seat_with(reserved=[CARDS[2][5], CARDS[0][19], CARDS[2][7]], gems=[0, 3] + [0] * 4)
    )
    table.play("buy-reserved:1")
    assert table.sees("reserved_cost")[0] == [CARDS[2][5][2], CARDS[2][7][2], [-1] * 5]


@pytest.mark.parametrize(("owned", "is_legal"), [(6, True), (7, False)])
def test_10_an_eighth_card_of_a_colour_cannot_be_bought(owned: int, is_legal: bool) -> None:
    seat = seat_with(f"{owned} blue", gems=[4, 4, 0, 0, 0, 2])
    blue = next(card for card in CARDS[0] if card[0] == "blue" and card not in seat["cards"])
    table = table_of(seat | {"reserved": [blue]})
    assert ("buy-reserved:0" in table.legal) == is_legal


def test_11_a_noble_comes_after_any_action_to_whom_it_asks_for() -> None:
    table = table_of(seat_with("3 black, 3 red, 3 green"), nobles=[[3, 3, 3, 0, 0], *NOBLES[4:6]])
    before = table.sees("points")[0]
    table.play("reserve:1.0")
    assert table.sees("points")[0] == before + 3 and table.sees("noble_need")[0] == [-1] * 5


def test_11_of_several_nobles_one_is_chosen_before_the_refill_and_the_others_wait() -> None:
    nobles = [[0, 0, 0, 4, 4], [4, 4, 0, 0, 0], [3, 3, 3, 0, 0]]
    table = table_of(seat_with("4 black, 4 red, 3 green"), nobles=nobles)
    table.play("reserve:1.0")
    assert table.legal == ["noble:1", "noble:2"] and table.sees("is_choosing") == 1
    assert table.sees("table_colour")[0] == -1 and table.sees("deck_left")[0] == 25
    table.play("noble:2")
    assert table.sees("table_colour")[0] != -1 and table.sees("seat_to_act") == 1
    table.play("collect:black+red+green", "collect:black+red+green")
    assert table.sees("num_nobles") == [2, 0]


def test_11_a_noble_comes_after_a_pass_too() -> None:
    table = Table(stuck_board())
    assert table.legal == ["pass"]
    assert table.play("pass").legal == ["noble:0", "noble:1"]


def test_11_reserved_cards_meet_no_need() -> None:
    seat = seat_with("3 black, 3 red, 3 green")
    seat["reserved"] = [seat["cards"].pop()]
    table = table_of(seat, nobles=[[3, 3, 3, 0, 0], *NOBLES[4:6]]).play("collect:black+red+green")
    assert table.sees("num_nobles") == [0, 0]


def test_12_a_slot_is_refilled_from_the_top_of_its_deck() -> None:
    table = table_of(empty_seat()).play("reserve:2.3")
    assert table.sees("table_cost")[7] == CARDS[1][4][2]


def test_12_an_empty_deck_leaves_its_slot_empty() -> None:
    reds = [card for card in CARDS[2] if card[0] == "red"]
    bought = [card for card in CARDS[2] if card not in reds]
    halves = [empty_seat() | {"cards": bought[::2]}, empty_seat() | {"cards": bought[1::2]}]
    table = Table(board(halves), target=50)
    assert table.sees("deck_left")[2] == 0
    table.play("reserve:3.2")
    assert table.sees("table_colour")[8:] == [1, 1, -1, 1]
    assert "reserve:3.2" not in table.legal


def test_13_who_can_do_nothing_passes_and_nobody_else_may() -> None:
    assert Table(stuck_board()).legal == ["pass"]
    assert "pass" not in table_of(empty_seat()).legal


def of_points(points: int, number: int, start: int = 0) -> list[Any]:
    """Cards with so many points."""
    cards = [card for tier in CARDS for card in tier if card[1] == points]
    return cards[start : start + number]


def owning(cards: list[Any], **args: Any) -> Data:
    """A seat with these cards."""
    return empty_seat() | {"cards": cards} | args


@pytest.mark.parametrize(("ones", "points"), [(0, 14), (1, 15)])
def test_14_the_round_in_which_the_target_is_reached_is_played_to_its_end(
    ones: int, points: int
) -> None:
    dear = ["white", 4, [7, 0, 0, 0, 0]]
    cards = [*of_points(5, 2, 1), *of_points(1, ones)]
    table = table_of(owning(cards, gems=[4, 0, 0, 0, 0, 3], reserved=[dear]))
    table.play("buy-reserved:0")
    assert not table.is_over and table.sees("points") == [points, 0]
    table.play("collect:red+green+blue")
    assert table.is_over == (points == 15)
    assert table.outcome == ([1, -1] if points == 15 else [0, 0])


def last_of_round(*cards: list[Any]) -> Table:
    """The last seat of a round has collected, after which the game is over."""
    seats = [owning(owned) for owned in cards]
    return table_of(*seats, seat_to_act=len(seats) - 1).play("collect:black+red+green")


def test_14_most_points_win_whatever_the_cards() -> None:
    table = last_of_round([*of_points(5, 2), *of_points(1, 6)], of_points(5, 3, 2)[:2])
    assert table.sees("points") == [16, 10] and table.outcome == [1, -1]


def test_14_level_on_points_the_fewest_cards_of_the_leaders_win() -> None:
    """An outsider has fewer cards still."""
    table = last_of_round(of_points(5, 3), [*of_points(5, 2, 3), *of_points(1, 5)], [])
    assert table.sees("points") == [15, 15, 0] and table.sees("num_cards") == [3, 7, 0]
    assert table.outcome == [1, -0.5, -0.5]


def test_14_level_in_cards_too_the_victory_is_shared() -> None:
    first = [*of_points(5, 2), *of_points(4, 1), *of_points(1, 1)]
    second = [*of_points(5, 2, 2), *of_points(4, 1, 1), *of_points(1, 1, 1)]
    table = last_of_round(first, second, of_points(4, 1, 2))
    assert table.sees("points") == [15, 15, 4] and table.sees("num_cards") == [4, 4, 1]
    assert table.outcome == [0.25, 0.25, -0.5]


def test_15_the_game_ends_when_all_have_passed_in_a_row_even_within_a_round() -> None:
    """Each seat holds all the gems of two colours, and every card asks for both kinds."""
    seats = [seat_with(gems=[4, 4, 2, 0, 0, 0]), seat_with(gems=[0, 0, 2, 4, 4, 0])]
    asking = [[card for card in tier if any(card[2][:2]) and any(card[2][3:])] for tier in CARDS]
    for index, seat in enumerate(seats):
        seat["reserved"] = asking[1][3 * index : 3 * index + 3]
    stuck = Table(board_with(asking, seats, first_seat=1)).play("pass")
    assert not stuck.is_over and stuck.sees("passes") == 1 and stuck.legal == ["pass"]
    stuck.play("pass")
    assert stuck.is_over and stuck.outcome == [0, 0]


def test_15_the_game_ends_at_the_turn_limit() -> None:
    table = Table(random_deal(random.Random(3), 2), turn_limit=2)
    table.play(*["collect:black+red+green"] * 3)
    assert not table.is_over
    table.play("collect:red+blue+white")
    assert table.is_over and table.outcome == [0, 0]


@pytest.mark.parametrize("gems", [[0] * 6, [4, 4, 2, 0, 0, 0]])
def test_the_label_of_a_collection_says_what_its_name_says(gems: list[int]) -> None:
    table = table_of(seat_with(gems=gems))
    for name in collects(table):
        taken, _, back = name.removeprefix("collect:").partition(" return:")
        taken = f"2 {taken[:-2]}" if taken.endswith("*2") else taken.replace("+", ", ")
        label = f"take {taken}" + (f", return {back.replace('+', ', ')}" if back else "")
        assert table.game.label_action(table.state, table.game.parse_action(name)) == label
