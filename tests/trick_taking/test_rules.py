"""Every sentence of the rules, on stacked deals; and bad input."""

import numpy as np
import pytest

from parlour.envs.registry import load_game
from tests.one_table import OneTable, dealt
from tests.trick_taking.tables import (
    THREE_SEATS,
    TWO_SEATS,
    cards_of,
    legal,
    play,
    table,
)

pytestmark = pytest.mark.plain


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_all_cards_are_dealt_n_to_each_seat(num_players: int) -> None:
    game = load_game("trick_taking", num_players=num_players)
    tables = dealt(game, range(20))
    for state in tables.states:
        hands = [cards_of(hand, 10) for hand in state["hands"]]
        assert [len(hand) for hand in hands] == [10] * num_players
        assert len({card for hand in hands for card in hand}) == 10 * num_players


def test_every_card_is_as_likely_at_every_place_of_the_deal() -> None:
    tables = dealt(load_game("trick_taking", num_values=3), range(1200))
    places = tables.states["dealt"].reshape(-1, 6)
    for place in range(6):
        counts = np.bincount(places[:, place], minlength=6)
        assert np.abs(counts - 200).max() < 66  # five standard deviations


def test_seat_0_leads_the_first_trick_unless_the_house_rule_says_otherwise() -> None:
    assert table(TWO_SEATS, num_values=3).states[0].seat_to_act == 0
    assert table(TWO_SEATS, num_values=3, leader=1).states[0].seat_to_act == 1
    assert table({**TWO_SEATS, "leader": 1}, num_values=3).states[0].seat_to_act == 1
    assert table({**TWO_SEATS, "leader": 0}, num_values=3, leader=1).states[0].seat_to_act == 0


def test_a_given_leader_holds_for_that_deal_only() -> None:
    tables = table({**TWO_SEATS, "leader": 1}, num_values=3)
    tables.deal(tables.all_rows)
    assert tables.states[0].seat_to_act == 0


def test_the_leader_may_play_any_card() -> None:
    assert legal(table(TWO_SEATS, num_values=3)) == ["0.0", "0.2", "1.0"]


def test_a_follower_must_follow_the_colour_led_if_it_can() -> None:
    assert legal(table(TWO_SEATS, "0.2", num_values=3)) == ["0.1"]
    assert legal(table(TWO_SEATS, "1.0", num_values=3)) == ["1.1", "1.2"]


def test_a_follower_without_the_colour_may_play_any_card_and_loses_the_trick() -> None:
    tables = table(TWO_SEATS, "0.2 0.1 0.0", num_values=3)
    assert legal(tables) == ["1.1", "1.2"]
    play(tables, "1.2")
    assert tables.observed(0).tricks_won.tolist() == [2, 0]
    assert tables.states[0].seat_to_act == 0


def test_the_winner_of_a_trick_leads_the_next() -> None:
    tables = table(TWO_SEATS, "0.0 0.1", num_values=3)
    assert tables.states[0].seat_to_act == 1
    assert legal(tables) == ["1.1", "1.2"]


def test_the_highest_card_of_the_colour_led_wins_over_higher_values_of_others() -> None:
    tables = table(THREE_SEATS, "0.0", num_values=2, num_players=3)
    assert legal(tables) == ["1.1", "2.1"]
    play(tables, "2.1")
    assert legal(tables) == ["0.1"]
    play(tables, "0.1")
    assert tables.states[0].tricks_won.tolist() == [0, 0, 1]
    assert tables.states[0].seat_to_act == 2


def test_seats_follow_the_leader_clockwise() -> None:
    tables = table({**THREE_SEATS, "leader": 1}, num_values=2, num_players=3)
    seats = []
    for card in ["1.1", "2.0", "1.0"]:
        seats.append(int(tables.states[0].seat_to_act))
        play(tables, card)
    assert seats == [1, 2, 0]


def test_the_game_is_n_tricks_long() -> None:
    tables = table(TWO_SEATS, "0.2 0.1 0.0 1.2 1.0", num_values=3)
    assert not tables.is_over
    play(tables, "1.1")
    assert tables.is_over


def test_two_seats_get_the_difference_of_tricks_by_n() -> None:
    tables = table(TWO_SEATS, "0.2 0.1 0.0 1.2 1.0", num_values=3)
    assert tables.outcome == [0.0, 0.0]
    play(tables, "1.1")
    assert tables.outcome == pytest.approx([1 / 3, -1 / 3])


def test_more_seats_get_tricks_scaled_to_a_sum_of_zero() -> None:
    tables = table(THREE_SEATS, "0.0 2.1 0.1 2.0 1.0 1.1", num_values=2, num_players=3)
    assert tables.outcome == pytest.approx([-0.5, -0.5, 1.0])


def test_a_seat_knows_its_hand_in_the_order_dealt_and_the_table() -> None:
    tables = table(TWO_SEATS, "0.0 0.1 1.1", num_values=3)
    own = tables.observed(0)
    assert own.dealt.tolist() == [3, 2, 0]
    assert cards_of(own.hand, 3) == ["0.2", "1.0"]
    assert cards_of(own.unseen, 3) == ["1.2"]
    assert cards_of(own.table, 3) == ["1.1"]
    assert [cards_of(played, 3) for played in own.played] == [["0.0"], ["0.1", "1.1"]]
    assert own.last_cards.tolist() == [0, 4]
    assert (own.leader, own.led_colour, own.seat_to_act) == (1, 1, 0)
    assert own.tricks_won.tolist() == [0, 1]


def test_with_more_seats_the_other_hands_are_one_set() -> None:
    view = table(THREE_SEATS, num_values=2, num_players=3).observed(1)
    assert cards_of(view.unseen, 2) == ["0.0", "0.1", "1.0", "2.0"]


def test_a_seat_that_does_not_follow_shows_that_it_is_void() -> None:
    tables = table(THREE_SEATS, "0.0 2.1", num_values=2, num_players=3)
    assert tables.observed(0).voids.tolist() == [0, 0b001, 0]
    assert tables.observed(1).voids.tolist() == [0b001, 0, 0]


def test_a_colour_may_straddle_two_words_of_the_mask() -> None:
    game = load_game("trick_taking", num_values=25, num_players=4)  # colour 2: actions 50 .. 74
    hands = [list(range(start, start + 25)) for start in (50, 0, 25, 75)]
    assert OneTable(game, {"hands": hands}).legal == list(map(game.action_name, range(50, 75)))


def test_the_text_of_a_position_hides_other_hands_from_a_third_seat_on() -> None:
    tables = table(THREE_SEATS, "0.0", num_values=2, num_players=3)
    assert tables.game.describe(tables.states[0], 2).splitlines() == [
        "trick 1 of 2: player 1 to follow 0.0 of player 0",
        "  player 0 [ 0 won] ?  played 0.0",
        "> player 1 [ 0 won] ? ?",
        "  player 2 (you) [ 0 won] 0.1 2.0",
    ]
    two = table(TWO_SEATS, "0.2 0.1", num_values=3)
    assert "player 1 [ 0 won] 1.1 1.2  played 0.1" in two.game.describe(two.states[0], 0)
