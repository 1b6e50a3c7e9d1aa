"""Hand-checked positions and random full games for the trick-taking referee.

Each test is one sentence of the rule sheet, played on a stacked deal.
"""

from __future__ import annotations

import random

import pytest

from tests.trick_taking.referee import Referee, in_deck_order

# Two seats, N = 3: seat 0 holds 1.0, 0.2, 0.0 and seat 1 holds 1.2, 0.1, 1.1, as dealt.
TWO_SEATS = {"hands": [[3, 2, 0], [5, 1, 4]]}
# Three seats, N = 2: seat 0 holds 0.0, 1.0; seat 1 holds 2.1, 1.1; seat 2 holds 0.1, 2.0.
THREE_SEATS = {"hands": [[0, 2], [5, 3], [1, 4]]}


def play(referee: Referee, script: str) -> Referee:
    """Apply the cards of the script."""
    for card in script.split():
        referee.apply(f"card:{card}")
    return referee


def test_the_leader_may_play_any_card() -> None:
    referee = Referee(TWO_SEATS, num_values=3)
    assert referee.seat_to_act() == 0
    assert sorted(referee.legal_actions()) == ["card:0.0", "card:0.2", "card:1.0"]


def test_a_follower_must_follow_the_colour_led_if_it_can() -> None:
    referee = play(Referee(TWO_SEATS, num_values=3), "0.2")
    assert referee.seat_to_act() == 1
    assert referee.legal_actions() == ["card:0.1"]
    other = play(Referee(TWO_SEATS, num_values=3), "1.0")
    assert sorted(other.legal_actions()) == ["card:1.1", "card:1.2"]


def test_a_follower_without_the_colour_may_play_any_card_and_loses_the_trick() -> None:
    referee = play(Referee(TWO_SEATS, num_values=3), "0.2 0.1 0.0")
    assert sorted(referee.legal_actions()) == ["card:1.1", "card:1.2"]
    play(referee, "1.2")
    assert referee.facts(0)["tricks_won"] == [2, 0]
    assert referee.seat_to_act() == 0


def test_the_winner_of_a_trick_leads_the_next() -> None:
    referee = play(Referee(TWO_SEATS, num_values=3), "0.0 0.1")
    assert referee.seat_to_act() == 1
    assert referee.facts(0)["leader"] == 1
    assert referee.facts(0)["tricks_won"] == [0, 1]


def test_after_n_tricks_two_seats_get_the_difference_of_tricks_by_n() -> None:
    referee = play(Referee(TWO_SEATS, num_values=3), "0.2 0.1 0.0 1.2 1.0")
    assert not referee.is_terminal() and referee.returns() == [0.0, 0.0]
    play(referee, "1.1")
    assert referee.is_terminal() and referee.legal_actions() == []
    assert referee.returns() == pytest.approx([1 / 3, -1 / 3])


def test_the_leader_of_the_first_trick_comes_from_the_deal_or_else_the_house_rule() -> None:
    assert Referee(TWO_SEATS, num_values=3, leader=1).seat_to_act() == 1
    assert Referee({**TWO_SEATS, "leader": 1}, num_values=3).seat_to_act() == 1
    assert Referee({**TWO_SEATS, "leader": 0}, num_values=3, leader=1).seat_to_act() == 0


def test_with_three_seats_the_highest_card_of_the_colour_led_wins_over_higher_values() -> None:
    referee = play(Referee(THREE_SEATS, num_values=2, num_players=3), "0.0")
    assert sorted(referee.legal_actions()) == ["card:1.1", "card:2.1"]
    play(referee, "2.1")
    assert referee.legal_actions() == ["card:0.1"]
    play(referee, "0.1")
    assert referee.facts(1)["tricks_won"] == [0, 0, 1]
    assert referee.seat_to_act() == 2


def test_seats_follow_the_leader_in_ascending_order_wrapping() -> None:
    referee = Referee({**THREE_SEATS, "leader": 1}, num_values=2, num_players=3)
    seats = []
    for card in ["1.1", "2.0", "1.0"]:
        seats.append(referee.seat_to_act())
        play(referee, card)
    assert seats == [1, 2, 0]
    assert referee.facts(0)["tricks_won"] == [0, 1, 0]


def test_returns_of_three_seats_sum_to_zero() -> None:
    referee = Referee(THREE_SEATS, num_values=2, num_players=3)
    play(referee, "0.0 2.1 0.1 2.0 1.0 1.1")
    assert referee.facts(0)["tricks_won"] == [0, 0, 2]
    assert referee.returns() == [-0.5, -0.5, 1.0]


def test_facts_keep_the_dealt_order_and_tell_table_and_earlier_tricks_apart() -> None:
    referee = Referee(TWO_SEATS, num_values=3)
    assert referee.facts(1)["hand"] == ["1.2", "0.1", "1.1"]
    play(referee, "0.0 0.1 1.1")
    assert referee.facts(0) == {
        "hand": ["1.0", "0.2"],
        "others": ["1.2"],
        "table": ["1.1"],
        "earlier": ["0.0", "0.1"],
        "leader": 1,
        "tricks_won": [0, 1],
    }


def test_the_other_hands_are_told_as_one_union() -> None:
    referee = Referee(THREE_SEATS, num_values=2, num_players=3)
    assert referee.facts(1)["others"] == ["0.0", "0.1", "1.0", "2.0"]


def test_an_illegal_card_is_refused_by_name_with_what_is_legal() -> None:
    referee = play(Referee(TWO_SEATS, num_values=3), "0.2")
    with pytest.raises(ValueError, match=r"'card:1\.2' is not legal; legal are: card:0\.1"):
        referee.apply("card:1.2")
    assert referee.facts(1)["hand"] == ["1.2", "0.1", "1.1"]


@pytest.mark.parametrize(
    "config", [{"num_values": 0}, {"num_values": 33}, {"num_players": 5}, {"leader": 2}]
)
def test_an_unknown_config_is_refused(config: dict) -> None:
    with pytest.raises(ValueError, match="must be"):
        Referee(TWO_SEATS, **{"num_values": 3, **config})


def test_a_deal_that_is_not_the_deck_is_refused() -> None:
    with pytest.raises(ValueError, match="once"):
        Referee({"hands": [[0, 0, 1], [3, 4, 5]]}, num_values=3)


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("num_values", [1, 2, 10, 32])
def test_random_games_conserve_cards_and_end(num_players: int, num_values: int) -> None:
    rng = random.Random(100 * num_players + num_values)
    num_cards = num_players * num_values
    deck = [f"{colour}.{value}" for colour in range(num_players) for value in range(num_values)]
    for _ in range(10):
        cards = rng.sample(range(num_cards), num_cards)
        deal: dict = {"hands": [cards[s::num_players] for s in range(num_players)]}
        deal["leader"] = rng.randrange(num_players)
        referee = Referee(deal, num_values=num_values, num_players=num_players)
        for _ in range(num_cards):
            facts = referee.facts(referee.seat_to_act())
            seen = facts["hand"] + facts["others"] + facts["table"] + facts["earlier"]
            assert in_deck_order(seen) == deck
            legal = referee.legal_actions()
            assert legal and len(legal) == len(set(legal))
            referee.apply(rng.choice(legal))
        assert referee.is_terminal()
        assert sum(referee.facts(0)["tricks_won"]) == num_values
        assert sum(referee.returns()) == pytest.approx(0)
        assert max(map(abs, referee.returns())) <= 1
