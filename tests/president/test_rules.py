"""Each sentence of President's rules, numbered as in envs/president/README.md, on given deals."""

from __future__ import annotations

from typing import Any

import pytest

from parlour.envs.registry import load_game
from tests.one_table import dealt
from tests.president.playing import (
    ECONOMIES,
    FOUR_SEAT_LADDER,
    PASSINGS,
    PLAYER_COUNTS,
    TWO_SEAT_LADDER,
    Table,
    deal_of,
    ladder,
    one_suit_each,
)
from tests.president.referee import DECK, RANKS

pytestmark = pytest.mark.plain

TWOS = ["1x2", "2x2", "3x2", "4x2"]


def table(hands: list[list[str]], **config: Any) -> Table:
    """A table of one game with these hands."""
    return Table({"hands": hands}, num_players=len(hands), **config)


def swapped(hands: list[list[str]], *pairs: tuple[str, str]) -> list[list[str]]:
    """The same hands with pairs of cards exchanged."""
    other = {a: b for pair in pairs for a, b in (pair, pair[::-1])}
    return [[other.get(card, card) for card in hand] for hand in hands]


# 1, 2: cards and seats


def test_1_the_deck_has_40_cards_four_of_each_rank() -> None:
    game = table(ladder(4))
    assert [sum(game.sees(seat)["hand"][rank] for seat in range(4)) for rank in range(10)] == [
        4
    ] * 10


def test_1_ranks_ascend_from_2_4_5_6_7_10_11_12_3_to_1() -> None:
    assert RANKS == ["2", "4", "5", "6", "7", "10", "11", "12", "3", "1"]
    for index, rank in enumerate(RANKS[1:], start=1):
        game = table(one_suit_each()).play(f"1x2 1x{rank}")
        assert game.legal == ["pass", *(f"1x{higher}" for higher in RANKS[index + 1 :])]


def test_1_suits_do_not_matter_but_for_the_2_of_oros() -> None:
    first = table(one_suit_each()).play("1x2 1x4 - 1x5")
    second = table([one_suit_each()[seat] for seat in (0, 3, 1, 2)]).play("1x2 1x4 - 1x5")
    assert first.states["hands"].tolist() == second.states["hands"].tolist()
    assert first.legal == second.legal


@pytest.mark.parametrize(("num_players", "size"), [(2, 20), (4, 10), (5, 8), (8, 5)])
def test_2_all_cards_are_dealt_evenly(num_players: int, size: int) -> None:
    game = load_game("president", num_players=num_players)
    for deal in map(deal_of, dealt(game, range(20)).states):
        (hands,) = (each["hands"] for each in deal["games"])
        assert [len(hand) for hand in hands] == [size] * num_players
        assert sorted(card for hand in hands for card in hand) == sorted(DECK)


# 3: the first play


@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
def test_3_the_holder_of_the_2_of_oros_leads_the_first_round(num_players: int) -> None:
    for seat in range(num_players):
        hands = ladder(num_players)
        hands[0], hands[seat] = hands[seat], hands[0]
        assert table(hands).seat == seat


@pytest.mark.parametrize("num_twos", [1, 2, 3, 4])
def test_3_the_first_play_is_one_to_four_twos_and_no_pass(num_twos: int) -> None:
    pairs = [(f"2{suit}", f"1{suit}") for suit in "ECB"[: 4 - num_twos]]
    assert table(swapped(ladder(4), *pairs)).legal == TWOS[:num_twos]


def test_3_the_first_play_contains_the_2_of_oros() -> None:
    game = table(ladder(4))
    assert game.sees(0)["has_golds"] == 1
    game.play("1x2")
    assert game.sees(0)["has_golds"] == 0
    assert game.holds(0) == "2 2 2 4 4 4 4 5 5"


def test_3_a_two_other_than_that_of_oros_does_not_make_the_leader() -> None:
    game = table(swapped(ladder(4), ("2O", "7O")))
    assert game.seat == 1
    assert game.legal == ["1x2"]


def test_3_only_the_first_round_is_led_with_twos() -> None:
    assert table(ladder(4)).play("1x2 - - -").legal == [
        *("1x2", "2x2", "3x2", "1x4", "2x4", "3x4", "4x4", "1x5", "2x5")
    ]


# 4, 5: leading and following


def test_4_the_leader_plays_any_one_to_four_cards_of_one_rank_and_may_not_pass() -> None:
    game = table(ladder(2)).play("4x2 4x10 -")
    assert game.seat == 1
    assert game.legal == [f"{n}x{rank}" for rank in ("11", "12", "3", "1") for n in (1, 2, 3, 4)]


def test_4_the_cards_played_leave_the_hand() -> None:
    game = table(ladder(2)).play("4x2 4x10 - 3x12")
    assert game.holds(1) == "11 11 11 11 12 3 3 3 3 1 1 1 1"
    assert game.sees(0)["played"] == [4, 0, 0, 0, 0, 4, 0, 3, 0, 0]
    assert game.sees(1)["hand_sizes"] == [13, 16]


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_5_a_follower_plays_the_same_number_of_cards(count: int) -> None:
    game = table(ladder(2)).play(f"{count}x2")
    assert game.legal == ["pass", *(f"{count}x{rank}" for rank in RANKS[5:])]


def test_5_a_follower_plays_a_strictly_higher_rank() -> None:
    assert table(one_suit_each()).play("1x2 1x12").legal == ["pass", "1x3", "1x1"]
    assert table(one_suit_each()).play("1x2 1x1").legal == ["pass"]


def test_5_passing_is_allowed_to_who_could_play() -> None:
    game = table(one_suit_each()).play("1x2 -")
    assert game.seat == 2
    assert game.sees(2)["table_rank"] == 0


def test_5_play_goes_round_clockwise() -> None:
    game = table(one_suit_each())
    for seat, word in enumerate(["1x2", "1x4", "-", "1x6", "1x10"]):
        assert game.seat == seat % 4
        game.play(word)


# 6, 7: passing, and the end of a round


def test_6_a_pass_does_not_lock_a_seat_out_of_the_round() -> None:
    game = table(one_suit_each()).play("1x2 - - 1x4 -")
    assert game.seat == 1
    assert "1x5" in game.legal
    assert game.play("1x5").sees(1)["table_seat"] == 0


def test_6_where_passing_is_out_a_seat_that_has_passed_is_skipped_until_the_round_ends() -> None:
    game = table(one_suit_each(), passing="out").play("1x2 - 1x4 1x5 1x6")
    assert game.seat == 2
    assert game.sees(0)["passed"] == [0, 1, 0, 0]
    game.play("- 1x7 -")
    assert game.seat == 3
    assert game.sees(0)["passed"] == [0, 0, 0, 0]
    assert game.play("1x2").seat == 0
    assert game.play("-").seat == 1


def test_6_where_passing_is_out_a_play_that_leaves_nobody_to_answer_ends_the_round() -> None:
    game = table(one_suit_each(), passing="out").play("1x2 - - 1x4 -")
    assert game.seat == 3
    assert "pass" not in game.legal


@pytest.mark.parametrize("passing", PASSINGS)
@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
def test_7_when_all_others_have_passed_the_last_to_play_leads(
    num_players: int, passing: str
) -> None:
    game = table(ladder(num_players), passing=passing).play("4x2")
    for seat in range(1, num_players):
        assert game.seat == seat
        assert game.sees(seat)["table_count"] == 4
        game.play("-")
    assert game.seat == 0
    assert game.sees(0)["table_count"] == 0
    assert "pass" not in game.legal


def test_7_only_passes_since_the_last_play_count() -> None:
    game = table(one_suit_each()).play("1x2 - - 1x4 - -")
    assert game.sees(0)["passed"] == [1, 1, 0, 0]
    assert game.sees(0)["table_seat"] == 3
    assert game.play("-").seat == 3
    assert game.sees(0)["table_seat"] == -1


# 8, 9, 10: going out


OUT_AT_ONCE = "4x2 - - - - - - - 1x4"  # with eight seats on the ladder: seat 0 is out


@pytest.mark.parametrize("passing", PASSINGS)
def test_8_after_a_seat_that_has_gone_out_the_next_with_cards_leads(passing: str) -> None:
    game = table(ladder(8), passing=passing).play(OUT_AT_ONCE)
    game.play("- - - - - - -")
    assert game.seat == 1
    assert game.sees(1)["table_count"] == 0
    assert "pass" not in game.legal


def test_8_the_lead_passes_over_all_seats_that_have_gone_out() -> None:
    hands = ladder(8)
    hands[0], hands[1], hands[3] = hands[3], hands[0], hands[1]
    game = table(hands).play("4x2 - - - - - - - 1x4 - - - - - - 1x6 - - - - - - 4x7 - - - - - -")
    assert game.placings() == [2, 1, 0, 0, 0, 0, 0, 0]
    assert game.seat == 2
    assert "pass" not in game.legal


def test_8_nothing_is_played_for_the_next_seat() -> None:
    game = table(ladder(8)).play(OUT_AT_ONCE + " - - - - - - -")
    assert game.sees(1)["played"] == [4, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    assert game.sees(1)["hand_sizes"] == [5, 5, 5, 5, 5, 5, 5, 0]


def test_9_a_seat_that_has_gone_out_is_skipped() -> None:
    game = table(ladder(8)).play(OUT_AT_ONCE + " - - - - - - 1x3")
    assert game.seat == 1


def test_9_the_last_play_of_a_seat_that_has_gone_out_may_be_beaten() -> None:
    game = table(ladder(8)).play(OUT_AT_ONCE)
    assert game.legal == ["pass", "1x5"]
    assert game.play("1x5 - - - - - -").seat == 1


def test_10_the_game_ends_when_one_seat_holds_cards() -> None:
    game = table(ladder(4)).play(FOUR_SEAT_LADDER.rsplit(" ", 1)[0])
    assert not game.is_over
    assert game.outcome == [0, 0, 0, 0]
    assert game.play("2x12").is_over
    assert game.legal == []


def test_10_placings_are_the_order_of_going_out_and_the_last_is_the_servant() -> None:
    assert table(ladder(4)).play(FOUR_SEAT_LADDER).placings() == [1, 2, 3, 4]
    assert table(ladder(2)).play(TWO_SEAT_LADDER).placings() == [1, 2]


def test_10_a_seat_that_has_gone_out_has_its_placing_at_once() -> None:
    assert table(ladder(8)).play(OUT_AT_ONCE).sees(3)["placings"] == [0, 0, 0, 0, 0, 1, 0, 0]


# 11: matches


def match(second: list[list[str]], **config: Any) -> Table:
    """The second game of a match in which seat 0 was first, then seat 1, and so on."""
    num_players = len(second)
    deal = {"games": [{"hands": ladder(num_players)}, {"hands": second}]}
    script = {2: TWO_SEAT_LADDER, 4: FOUR_SEAT_LADDER}[num_players]
    return Table(deal, num_players=num_players, num_games=2, **config).play(script)


def test_11_the_first_game_has_no_exchange_and_no_roles() -> None:
    game = Table({"hands": ladder(4)}, num_games=2)
    assert game.sees(0)["roles"] == [0, 0, 0, 0]
    assert game.sees(0)["gives_left"] == 0


def test_11_the_servants_best_card_goes_to_the_president_before_play() -> None:
    game = match(ladder(2)[::-1])
    assert game.sees(0)["roles"] == [1, 2]
    assert game.sees(0)["hand_sizes"] == [21, 19]
    assert game.sees(0)["received"] == [4, -1]
    assert game.sees(1)["given"] == [4, -1]
    assert game.holds(0).startswith("7 10")


def test_11_the_president_gives_back_any_card_it_likes_by_rank() -> None:
    game = match(ladder(2)[::-1])
    assert game.seat == 0
    assert game.legal == [f"give:{rank}" for rank in RANKS[4:]]
    game.play("give:1")
    assert game.holds(1) == "2 2 2 2 4 4 4 4 5 5 5 5 6 6 6 6 7 7 7 1"
    assert game.sees(1)["received"] == [9, -1]


def test_11_the_same_rank_may_be_given_back() -> None:
    game = match(ladder(2)[::-1]).play("give:7")
    assert game.holds(1) == " ".join(rank for rank in RANKS[:5] for _ in range(4))


def test_11_of_several_suits_the_2_of_oros_is_given_back_last() -> None:
    game = match(ladder(2), economy="swap_two").play("give:2")
    assert game.sees(0)["has_golds"] == 1
    assert game.holds(0).startswith("2 2 2 4")
    game.play("give:2")
    assert game.seat == 0
    assert game.legal == ["1x2", "2x2"]


def test_11_the_only_two_given_back_is_the_2_of_oros_where_it_is_that_one() -> None:
    president = ["2O", *DECK[4:23]]
    servant = [card for card in DECK if card not in president]
    game = match([president, servant]).play("give:2")
    assert game.seat == 1
    assert game.sees(1)["has_golds"] == 1
    assert game.legal == TWOS


def test_11_another_two_given_back_leaves_the_2_of_oros_where_it_is() -> None:
    president = ["2B", *DECK[4:23]]
    servant = [card for card in DECK if card not in president]
    game = match([president, servant]).play("give:2")
    assert game.sees(0)["has_golds"] == 0
    assert game.seat == 1
    assert game.legal == TWOS


def test_11_of_several_best_cards_that_are_twos_the_2_of_oros_goes_first() -> None:
    hands = ladder(8)
    servant = play_passively([hands, hands]).sees(0)["roles"].index(8)
    seconds = [*hands]
    seconds[0], seconds[servant] = hands[servant], hands[0]  # four twos and a four for the servant
    game = play_passively([hands, seconds])
    president = game.seat
    assert game.sees(president)["received"] == [1, 0]
    assert game.sees(president)["has_golds"] == 1
    assert game.holds(servant) == "2 2 2"


def play_passively(games: list[list[list[str]]]) -> Table:
    """A match of eight up to the exchange before its second game; all pass where they may."""
    deal = {"games": [{"hands": hands} for hands in games]}
    game = Table(deal, num_players=8, num_games=2, economy="swap_two")
    while not game.sees(0)["gives_left"]:
        game.play("-" if "pass" in game.legal else game.legal[-1])
    return game


@pytest.mark.parametrize("economy", ECONOMIES)
def test_11_then_the_holder_of_the_2_of_oros_leads(economy: str) -> None:
    game = match(ladder(4)[::-1], economy=economy)
    while game.sees(0)["gives_left"]:
        game.play(game.legal[-1])
    assert game.seat == 3
    assert game.legal == TWOS


def test_11_with_swap_one_only_president_and_servant_exchange() -> None:
    game = match(one_suit_each(), economy="swap_one")
    assert game.sees(0)["hand_sizes"] == [11, 10, 10, 9]
    assert game.sees(0)["gives_left"] == 1
    game.play("give:4")
    assert game.sees(0)["hand_sizes"] == [10, 10, 10, 10]


def test_11_with_swap_two_two_seats_exchange_two_cards() -> None:
    game = match(ladder(2)[::-1], economy="swap_two")
    assert game.sees(0)["hand_sizes"] == [22, 18]
    assert game.sees(0)["received"] == [4, 4]
    assert game.play("give:7").seat == 0
    assert game.sees(0)["gives_left"] == 1
    assert game.play("give:7").seat == 1
    assert game.sees(0)["hand_sizes"] == [20, 20]


def test_11_with_swap_two_the_best_two_cards_go() -> None:
    game = match(one_suit_each(), economy="swap_two")
    assert game.sees(0)["received"] == [9, 8]
    assert game.holds(3) == "2 4 5 6 7 10 11 12"


def test_11_with_swap_two_and_four_seats_the_second_and_the_second_last_exchange_one() -> None:
    game = match(one_suit_each(), economy="swap_two")
    assert game.sees(0)["hand_sizes"] == [12, 11, 9, 8]
    assert game.sees(1)["received"] == [9, -1]
    assert game.holds(2) == "2 4 5 6 7 10 11 12 3"


def test_11_with_swap_two_the_president_gives_back_twice_and_then_the_second_once() -> None:
    game = match(one_suit_each(), economy="swap_two")
    for seat, gives_left, word in [(0, 3, "give:4"), (0, 2, "give:5"), (1, 1, "give:6")]:
        assert game.seat == seat
        assert game.sees(seat)["gives_left"] == gives_left
        game.play(word)
    assert game.sees(3)["received"] == [1, 2]
    assert game.sees(2)["received"] == [3, -1]
    assert game.sees(0)["hand_sizes"] == [10, 10, 10, 10]
    assert game.seat == 0


def test_11_without_an_economy_nothing_is_exchanged() -> None:
    game = match(ladder(2)[::-1], economy="none")
    assert game.seat == 1
    assert game.sees(0)["hand_sizes"] == [20, 20]
    assert game.sees(0)["roles"] == [1, 2]


def test_11_only_the_two_who_exchange_learn_which_cards() -> None:
    game = match(one_suit_each(), economy="swap_one").play("give:4")
    for seat in (1, 2):
        sees = game.sees(seat)
        assert sees["given"] == sees["received"] == [-1, -1]
        assert sees["last_count"][4 - seat] == 1
        assert sees["last_rank"] == [-1] * 4
    assert game.sees(3)["received"] == [1, -1]
    assert game.sees(0)["given"] == [1, -1]


def test_11_a_given_card_is_known_until_it_may_have_been_played() -> None:
    game = match(ladder(2), economy="swap_one").play("give:1")
    assert game.sees(0)["given"] == [9, -1]
    assert game.play("1x2 1x1").sees(0)["given"] == [-1, -1]


def test_11_the_2_of_oros_given_back_is_one_known_card_until_it_leads() -> None:
    president = ["2O", *DECK[4:23]]
    servant = [card for card in DECK if card not in president]
    game = match([president, servant]).play("give:2")
    assert game.sees(0)["given"] == [0, -1]
    assert game.play("1x2").sees(0)["given"] == [-1, -1]


@pytest.mark.parametrize(("lead", "counts"), [("1x2", [0, -1]), ("2x2", [-1, -1])])
def test_11_a_given_two_is_known_while_the_2_of_oros_alone_is_played(
    lead: str, counts: list[int]
) -> None:
    president = ["2B", *DECK[4:23]]
    servant = [card for card in DECK if card not in president]
    game = match([president, servant]).play("give:2")
    assert game.sees(0)["given"] == [0, -1]
    assert game.play(lead).sees(0)["given"] == counts


# 12, and returns


def test_12_a_pass_is_a_ply_of_its_own_even_where_it_is_all_that_is_legal() -> None:
    game = table(ladder(8)).play("4x2")
    assert game.seat == 1
    assert game.legal == ["pass"]


def test_returns_follow_the_placings() -> None:
    assert table(ladder(4)).play(FOUR_SEAT_LADDER).outcome == pytest.approx([1, 1 / 3, -1 / 3, -1])


def test_returns_of_a_match_are_the_mean_over_its_games_and_zero_before_its_end() -> None:
    won_both = match(ladder(2), economy="none")
    assert won_both.outcome == [0, 0]
    assert won_both.play(TWO_SEAT_LADDER).outcome == [1, -1]
    one_each = match(ladder(2)[::-1], economy="none").play(TWO_SEAT_LADDER)
    assert one_each.is_over
    assert one_each.outcome == [0, 0]


def test_games_of_a_match_that_are_not_given_are_dealt_from_the_stream() -> None:
    first = {"games": [{"hands": ladder(2)}]}
    one, same, other = (Table(first, seed=seed, num_players=2, num_games=2) for seed in (5, 5, 6))
    hands = [each.states["next_hands"][0].tolist() for each in (one, same, other)]
    assert hands[0] == hands[1]
    assert hands[0][0] == hands[2][0]
    assert hands[0][1] != hands[2][1]
