"""The referee itself, held against the sheet: its exact counts, its table of actions, its rules."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from functools import cache
from typing import Any

import pytest

from tests.splendor.boards import (
    CARDS,
    PLAYER_COUNTS,
    bank_beside,
    board,
    empty_seat,
    random_board,
    random_deal,
)
from tests.splendor.choosing import STYLES
from tests.splendor.referee import (
    COLOURS,
    GEMS,
    Action,
    Buy,
    BuyReserved,
    Collect,
    Pass,
    Referee,
    Reserve,
    Seat,
    TakeNoble,
    gems_of,
)

# Gems held, bank -> how many ways to collect different (by size), collect same, reserve.
FULL = [4, 4, 4, 4, 4, 5]
SHEET_COUNTS: list[tuple[list[int], list[int], dict[int, int], int, int]] = [
    ([2, 2, 1, 1, 1, 0], FULL, {3: 10}, 5, 12),
    ([2, 2, 2, 1, 1, 0], FULL, {2: 10, 3: 20}, 5, 12),
    ([2, 2, 2, 2, 1, 0], FULL, {1: 5, 2: 30, 3: 26}, 20, 12),
    ([2, 2, 2, 2, 2, 0], FULL, {1: 20, 2: 60, 3: 20}, 50, 60),
    ([5, 5, 0, 0, 0, 0], FULL, {1: 8, 2: 15, 3: 10}, 11, 24),
    ([0, 0, 0, 0, 0, 0], [4, 4, 0, 0, 0, 5], {2: 1}, 2, 12),
    ([0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], {}, 0, 12),
]


def seat_with(cards: str = "", **given: Any) -> dict[str, Any]:
    """A seat with bought cards such as "3 red, 1 blue", the cheapest of the colour first."""
    seat = empty_seat() | given
    for part in filter(None, cards.split(", ")):
        number, colour = part.split()
        of_colour = [card for tier in CARDS for card in tier if card[0] == colour]
        seat["cards"] = seat["cards"] + of_colour[: int(number)]
    return seat


def referee_on(
    *seats: dict[str, Any], rules: dict[str, int] | None = None, **changes: Any
) -> Referee:
    """A referee on a position; a missing second seat is empty."""
    all_seats = [*seats, empty_seat()] if len(seats) == 1 else list(seats)
    position = board(all_seats, **changes)
    return Referee(position, num_players=len(all_seats), **(rules or {}))


def hand_built(gems: list[int], bank: list[int]) -> Referee:
    """Two players' first position, with these gems whether they add up or not."""
    referee = Referee(random_deal(random.Random(0), 2))
    referee.seats[0].gems = gems_of(gems)
    referee.bank = gems_of(bank)
    return referee


def collected(referee: Referee) -> tuple[dict[int, int], int]:
    """How many legal ways to collect different colours, by size, and to collect two of one."""
    actions = [a for a in referee.legal_actions().values() if isinstance(a, Collect)]
    different = Counter(len(a.taken) for a in actions if len(set(a.taken)) == len(a.taken))
    return dict(different), len(actions) - different.total()


def number_of(referee: Referee, kind: type) -> int:
    """How many legal actions are of a kind."""
    return sum(isinstance(action, kind) for action in referee.legal_actions().values())


def play(referee: Referee, *names: str) -> Referee:
    """Do these actions, each of which must be legal."""
    for name in names:
        referee.apply(name)
    return referee


@pytest.mark.parametrize(("gems", "bank", "different", "same", "reserve"), SHEET_COUNTS)
def test_the_exact_counts_of_the_sheet(
    gems: list[int], bank: list[int], different: dict[int, int], same: int, reserve: int
) -> None:
    referee = hand_built(gems, bank)
    assert collected(referee) == (different, same)
    assert number_of(referee, Reserve) == reserve


def test_with_three_reserved_and_no_gems_in_the_bank_a_seat_without_gems_can_only_pass() -> None:
    referee = hand_built([0] * 6, [0] * 6)
    dearest = [max(tier, key=lambda card: sum(card[2])) for tier in CARDS]
    referee.seats[0].reserved = Seat(empty_seat() | {"reserved": dearest}).reserved
    assert list(referee.legal_actions()) == ["pass"]


@cache
def all_actions() -> dict[str, Action]:
    """Every structure that any position allows, found by asking the referee in many of them."""
    actions: dict[str, Action] = {}
    for held, colours in itertools.product(range(7, 11), range(1, 6)):
        for lying in itertools.combinations(COLOURS, colours):
            referee = hand_built([9] * 6, [9 * (colour in lying) for colour in COLOURS] + [1])
            referee.seats[0].num_gems = lambda held=held: held  # type: ignore[method-assign, misc]
            actions |= referee.legal_actions()
    referee = hand_built([9] * 6, [0] * 6)
    referee.seats[0].reserved = [card for card in referee.table[0] if card][:3]
    return actions | referee.legal_actions() | {"pass": Pass()}


def test_all_possible_structures_are_573_actions() -> None:
    actions = list(all_actions().values())
    kinds = Counter(type(action) for action in actions)
    assert kinds[Reserve] == 72
    assert kinds[Buy] + kinds[BuyReserved] == 15
    assert kinds[Pass] == 1
    collects = [action for action in actions if isinstance(action, Collect)]
    same = [action for action in collects if len(set(action.taken)) < len(action.taken)]
    assert len(same) == 105
    sizes = Counter(len(action.taken) for action in collects if action not in same)
    assert sizes == {1: 30, 2: 150, 3: 200}
    assert len(actions) == 573


@pytest.mark.parametrize(
    ("action", "name"),
    [
        (Collect(("black", "red", "green"), ()), "collect:black+red+green"),
        (Collect(("red", "green"), ("yellow",)), "collect:red+green return:yellow"),
        (Collect(("red", "red"), ("blue", "blue")), "collect:red*2 return:blue+blue"),
        (Reserve(0, 3, ()), "reserve:1.3"),
        (Reserve(2, 0, ("red",)), "reserve:3.0 return:red"),
        (Buy(1, 2), "buy:2.2"),
        (BuyReserved(0), "buy-reserved:0"),
        (Pass(), "pass"),
        (TakeNoble(4), "noble:4"),
    ],
)
def test_names_are_those_of_the_sheet(action: Action, name: str) -> None:
    assert action.name == name


def test_colours_come_in_the_order_of_the_sheet() -> None:
    for action in all_actions().values():
        if isinstance(action, Collect):
            for gems in (action.taken, action.returned):
                assert sorted(gems, key=GEMS.index) == list(gems)


def test_a_new_game_has_all_gems_in_the_bank_four_cards_a_tier_and_one_noble_more_than_seats() -> (
    None
):
    for num_players, gems in ((2, 4), (3, 5), (4, 7)):
        referee = Referee(random_deal(random.Random(1), num_players), num_players=num_players)
        assert list(referee.bank.values()) == [gems] * 5 + [5]
        assert [len(row) for row in referee.table] == [4, 4, 4]
        assert [len(deck) for deck in referee.decks] == [36, 26, 16]
        assert len(referee.nobles) == num_players + 1
        assert referee.seat_to_act() == 0


def test_a_card_is_paid_with_its_cost_less_own_cards_and_yellow_only_for_the_rest() -> None:
    seat = seat_with("2 red", gems=[1, 1, 0, 0, 0, 3])
    dear = ["white", 1, [2, 2, 3, 0, 0]]  # of tier 2, and red costs nothing any more
    tiers = [[card for card in tier if card not in seat["cards"]] for tier in CARDS]
    tiers[1].remove(dear)
    tiers[1].insert(0, dear)
    table = [tier[:4] for tier in tiers]
    seat["cards"] = [*seat["cards"], next(c for c in CARDS[0] if c[0] == "green")]
    referee = referee_on(seat, table=table)
    play(referee, "buy:2.0")
    assert list(referee.seats[0].gems.values()) == [0, 1, 0, 0, 0, 0]
    assert referee.bank["yellow"] == 5 and referee.bank["black"] == 4
    assert referee.seats[0].cards[-1].cost == (2, 2, 3, 0, 0)


def test_buying_an_eighth_card_of_a_colour_is_not_legal() -> None:
    rich = [4, 4, 0, 0, 0, 2]
    for owned, is_legal in ((6, True), (7, False)):
        seat = seat_with(f"{owned} blue", gems=rich)
        blue = next(c for c in CARDS[0] if c[0] == "blue" and c not in seat["cards"])
        table = [[blue, *CARDS[0][:3]], CARDS[1][:4], CARDS[2][:4]]
        assert ("buy:1.0" in referee_on(seat, table=table).legal_actions()) == is_legal


def test_reserving_takes_a_yellow_and_with_ten_gems_gives_another_colour_back() -> None:
    referee = referee_on(empty_seat())
    card = referee.table[1][2]
    play(referee, "reserve:2.2")
    assert referee.seats[0].reserved == [card] and referee.seats[0].gems["yellow"] == 1
    full = referee_on(seat_with(gems=[4, 4, 0, 0, 0, 2]))
    names = [name for name in full.legal_actions() if name.startswith("reserve:1.0")]
    assert names == ["reserve:1.0 return:black", "reserve:1.0 return:red"]
    play(full, "reserve:1.0 return:red")
    assert list(full.seats[0].gems.values()) == [4, 3, 0, 0, 0, 3]


def test_without_yellow_in_the_bank_a_reserve_takes_and_returns_nothing() -> None:
    referee = referee_on(seat_with(gems=[4, 4, 0, 0, 0, 2]), seat_with(gems=[0, 0, 1, 0, 0, 3]))
    assert number_of(referee, Reserve) == 12
    play(referee, "reserve:1.0")
    assert list(referee.seats[0].gems.values()) == [4, 4, 0, 0, 0, 2]


def test_nobody_reserves_a_fourth_card() -> None:
    reserved = [CARDS[2][0], CARDS[2][1], CARDS[2][2]]
    assert number_of(referee_on(seat_with(reserved=reserved)), Reserve) == 0
    assert number_of(referee_on(seat_with(reserved=reserved[:2])), Reserve) == 12


def test_reserved_slots_count_from_the_oldest_and_close_up() -> None:
    oldest, second, last = (CARDS[0][index] for index in (2, 0, 19))  # the last: three red
    seat = seat_with(gems=[0, 3, 2, 0, 2, 0], reserved=[oldest, second, last])
    referee = referee_on(seat)
    assert "buy-reserved:2" in referee.legal_actions()
    play(referee, "buy-reserved:1")
    assert [card.cost for card in referee.seats[0].reserved] == [tuple(oldest[2]), tuple(last[2])]
    assert [card.cost for card in referee.seats[0].cards] == [tuple(second[2])]


def test_one_noble_comes_after_any_action_while_its_need_is_met() -> None:
    referee = referee_on(seat_with("3 black, 3 red, 3 green"), nobles=[[3, 3, 3, 0, 0]])
    play(referee, "collect:black+red+green")
    assert referee.seats[0].nobles == [(3, 3, 3, 0, 0)] and referee.nobles == [None] * 3
    assert referee.seats[0].points() == 3 + sum(card.points for card in referee.seats[0].cards)
    assert referee.seat_to_act() == 1


def test_reserved_cards_count_for_no_noble() -> None:
    seat = seat_with("3 black, 3 red, 3 green")
    seat["reserved"] = [seat["cards"].pop()]
    referee = referee_on(seat, nobles=[[3, 3, 3, 0, 0]])
    play(referee, "collect:black+red+green")
    assert referee.nobles[0] == (3, 3, 3, 0, 0)


def test_of_several_nobles_one_is_chosen_in_a_ply_before_the_refill_and_the_others_wait() -> None:
    seat = seat_with("4 black, 4 red, 3 green")
    nobles = [[0, 0, 0, 4, 4], [4, 4, 0, 0, 0], [3, 3, 3, 0, 0]]
    referee = referee_on(seat, nobles=nobles)
    play(referee, "reserve:1.0")
    assert referee.seat_to_act() == 0 and list(referee.legal_actions()) == ["noble:1", "noble:2"]
    assert referee.table[0][0] is None
    play(referee, "noble:2")
    assert referee.seat_to_act() == 1 and referee.table[0][0] is not None
    assert referee.nobles == [(0, 0, 0, 4, 4), (4, 4, 0, 0, 0), None]
    play(referee, "collect:black+red+green", "collect:black+red+green")
    assert referee.nobles == [(0, 0, 0, 4, 4), None, None]


def test_an_empty_deck_leaves_the_slot_empty() -> None:
    referee = referee_on(empty_seat(), decks=[[], CARDS[1][4:], CARDS[2][4:]])
    play(referee, "reserve:1.2", "reserve:2.2")
    assert referee.table[0][2] is None and None not in referee.table[1]
    assert "reserve:1.2" not in referee.legal_actions()


def test_the_card_on_top_of_the_deck_fills_the_same_slot() -> None:
    referee = referee_on(empty_seat())
    top = referee.decks[2][0]
    play(referee, "reserve:3.1")
    assert referee.table[2][1] == top and len(referee.decks[2]) == 15


def stuck(num_players: int) -> list[dict[str, Any]]:
    """Seats that hold three reserved cards and all the gems, and can do nothing with them."""
    dear = sorted(CARDS[2], key=lambda card: -sum(card[2]))
    seats = []
    for index in range(num_players):
        gems = [10 if gem == index else 0 for gem in range(6)]
        seats.append(seat_with(gems=gems, reserved=dear[3 * index : 3 * index + 3]))
    return seats


def test_the_game_ends_when_all_seats_in_a_row_have_passed_even_within_a_round() -> None:
    table: list[list[Any]] = [[None] * 4, [None] * 4, [None] * 4]
    referee = referee_on(*stuck(3), bank=[0] * 6, table=table, decks=[[], [], []], first_seat=1)
    play(referee, "pass", "pass")
    assert not referee.is_terminal() and referee.seat_to_act() == 2
    play(referee, "pass")
    assert referee.is_terminal() and referee.returns() == [0, 0, 0]


def test_another_action_between_passes_begins_their_count_anew() -> None:
    referee = referee_on(empty_seat(), passes=1)
    assert referee.passes == 1
    play(referee, "collect:black+red+green")
    assert referee.passes == 0


def ending(*scores: tuple[int, int], **changes: int) -> Referee:
    """A referee after 20 rounds whose seats have (points, cards), the cards being made up."""
    referee = Referee(random_deal(random.Random(2), len(scores)), num_players=len(scores))
    for seat, (points, num_cards) in zip(referee.seats, scores, strict=True):
        cards = [["red", points, [0] * 5]] + [["red", 0, [0] * 5]] * (num_cards - 1)
        seat.cards = Seat(empty_seat() | {"cards": cards}).cards
    referee.rounds = 20
    for name, value in changes.items():
        setattr(referee, name, value)
    return referee


def test_the_game_ends_only_when_the_round_is_complete() -> None:
    assert ending((15, 5), (3, 3)).is_terminal()
    assert not ending((15, 5), (3, 3), turn=1).is_terminal()
    assert ending((15, 5), (3, 3), turn=1, first_seat=1).is_terminal()
    assert not ending((14, 5), (3, 3)).is_terminal()


@pytest.mark.parametrize(
    ("scores", "returns"),
    [
        (((15, 9), (14, 1)), [1, -1]),
        (((15, 9), (16, 9)), [-1, 1]),
        (((15, 9), (15, 8)), [-1, 1]),
        (((15, 9), (15, 9)), [0, 0]),
        (((15, 9), (15, 8), (14, 2)), [-0.5, 1, -0.5]),
        (((15, 9), (15, 9), (14, 2)), [0.25, 0.25, -0.5]),
        (((15, 9), (15, 9), (15, 9), (14, 2)), [1 / 9, 1 / 9, 1 / 9, -1 / 3]),
        (((15, 9), (15, 9), (16, 9), (16, 9)), [-1 / 3, -1 / 3, 1 / 3, 1 / 3]),
    ],
)
def test_most_points_then_fewest_cards_among_the_leaders_then_a_shared_victory(
    scores: tuple[tuple[int, int], ...], returns: list[float]
) -> None:
    assert ending(*scores).returns() == pytest.approx(returns)


def test_the_game_ends_at_the_turn_limit_of_every_seat() -> None:
    referee = Referee(random_deal(random.Random(3), 2), turn_limit=2)
    play(referee, *["collect:black+red+green"] * 3)
    assert not referee.is_terminal()
    play(referee, "collect:red+blue+white")
    assert referee.is_terminal() and referee.returns() == [0, 0]


def test_an_illegal_action_is_refused_by_name_with_what_is_legal() -> None:
    referee = hand_built([0] * 6, [0, 4, 4, 0, 0, 0])
    with pytest.raises(ValueError, match=r"'pass' is not legal; legal are: collect:red\+green, "):
        referee.apply("pass")
    assert referee.last_actions == [None, None]


def check_position(referee: Referee) -> None:
    """Gems and cards are conserved, no limit is exceeded, somebody can act."""
    num_players = len(referee.seats)
    held = [list(seat.gems.values()) for seat in referee.seats]
    assert list(referee.bank.values()) == bank_beside(num_players, [{"gems": h} for h in held])
    assert min(min(gems) for gems in held) >= 0 and min(referee.bank.values()) >= 0
    assert max(sum(gems) for gems in held) <= 10
    cards = [card for row in referee.table for card in row if card]
    cards += [card for deck in referee.decks for card in deck if card]
    cards += [card for seat in referee.seats for card in seat.cards + seat.reserved]
    assert sorted(card.cost for card in cards) == ALL_COSTS
    assert all(len(seat.reserved) <= 3 for seat in referee.seats)
    assert all(seat.cards_of(colour) <= 7 for seat in referee.seats for colour in COLOURS)
    nobles = [need for need in referee.nobles if need]
    nobles += [need for seat in referee.seats for need in seat.nobles]
    assert len(nobles) == len(set(nobles)) == num_players + 1


ALL_COSTS = sorted(tuple(card[2]) for tier in CARDS for card in tier)


@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
def test_games_conserve_gems_and_cards_and_end_in_zero_sum(num_players: int) -> None:
    rng = random.Random(num_players)
    for index in range(12):
        lay_out = (random_deal, random_board)[index % 2]
        referee = Referee(lay_out(rng, num_players), num_players=num_players)
        style = STYLES[index % len(STYLES)]
        while not referee.is_terminal():
            check_position(referee)
            assert referee.returns() == [0] * num_players
            actions = list(referee.legal_actions().values())
            assert actions
            referee.apply_legal(style(referee, actions, rng))
        check_position(referee)
        assert sum(referee.returns()) == pytest.approx(0)
        assert max(referee.returns()) > -1e-9
