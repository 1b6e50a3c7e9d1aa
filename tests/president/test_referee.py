"""Hand-checked positions and random full games for the President referee.

Each test is one sentence of the rule sheet, played on a stacked deal.
"""

from __future__ import annotations

import random

import pytest

from tests.president.referee import DECK, RANKS, Referee


def ladder(num_players: int) -> list[list[str]]:
    """Seat 0 holds the lowest cards, 2222 4444 and so on, the last seat the highest."""
    size = 40 // num_players
    return [DECK[seat * size : (seat + 1) * size] for seat in range(num_players)]


def one_suit_each() -> list[list[str]]:
    """Four seats with one card of every rank: seat 0 all oros, then bastos, copas, espadas."""
    return [[rank + suit for rank in RANKS] for suit in "OBCE"]


def play(referee: Referee, script: str) -> Referee:
    """Apply the actions of the script; "-" stands for pass."""
    for word in script.split():
        referee.apply("pass" if word == "-" else word)
    return referee


# Everybody passes on everything: seat 0 goes out, then seat 1, then seat 2.
FOUR_SEAT_LADDER = "4x2 - - - 4x4 - - - 2x5 - - - 2x5 - - 4x6 - - 4x7 - - 4x10 - 4x11 - 2x12"
TWO_SEAT_LADDER = "4x2 - 4x4 - 4x5 - 4x6 - 4x7"


def test_the_holder_of_the_two_of_oros_opens_with_twos_and_may_not_pass() -> None:
    referee = Referee({"hands": ladder(4)[::-1]})
    assert referee.seat_to_act() == 3
    assert sorted(referee.legal_actions()) == ["1x2", "2x2", "3x2", "4x2"]


def test_the_opening_play_contains_the_two_of_oros() -> None:
    referee = play(Referee({"hands": ladder(4)}), "1x2")
    assert not referee.facts(0)["has_two_of_oros"]
    assert referee.facts(0)["hand"] == [3, 4, 2, 0, 0, 0, 0, 0, 0, 0]


def test_a_follower_plays_strictly_higher_with_twelve_below_three_below_one() -> None:
    referee = play(Referee({"hands": one_suit_each()}), "1x2 1x12")
    assert sorted(referee.legal_actions()) == ["1x1", "1x3", "pass"]
    play(referee, "1x1")
    assert referee.legal_actions() == ["pass"]


def test_a_follower_plays_the_same_number_of_cards() -> None:
    referee = play(Referee({"hands": ladder(4)}), "2x2")
    assert sorted(referee.legal_actions()) == sorted(["pass", "2x5", "2x6", "2x7"])


def test_a_follower_who_cannot_beat_the_table_passes_explicitly() -> None:
    referee = play(Referee({"hands": ladder(8)}, num_players=8), "4x2")
    assert referee.seat_to_act() == 1
    assert referee.legal_actions() == ["pass"]


def test_the_leader_of_a_round_plays_any_set_and_may_not_pass() -> None:
    referee = play(Referee({"hands": ladder(4)}), "3x2 - - -")
    assert referee.seat_to_act() == 0
    expected = ["1x2", "1x4", "2x4", "3x4", "4x4", "1x5", "2x5"]
    assert sorted(referee.legal_actions()) == sorted(expected)


def test_a_seat_that_has_passed_may_play_again_in_the_round() -> None:
    referee = play(Referee({"hands": one_suit_each()}), "1x2 - 1x4 - -")
    assert referee.seat_to_act() == 1
    assert "1x5" in referee.legal_actions()


def test_with_passing_out_a_seat_that_has_passed_is_skipped_until_the_round_ends() -> None:
    referee = play(Referee({"hands": one_suit_each()}, passing="out"), "1x2 - 1x4 1x5")
    assert referee.facts(0)["passed"] == [False, False, False, False]
    assert referee.facts(0)["locked_out"] == [False, True, False, False]
    play(referee, "1x6")
    assert referee.seat_to_act() == 2
    play(referee, "- -")
    assert referee.seat_to_act() == 0
    assert referee.facts(0)["table"] is None
    assert referee.facts(0)["locked_out"] == [False, False, False, False]
    play(referee, "1x4")
    assert referee.seat_to_act() == 1


def test_only_passes_since_the_last_play_end_a_round() -> None:
    referee = play(Referee({"hands": one_suit_each()}), "1x2 - - 1x4 - -")
    assert referee.facts(2)["table"] == {"count": 1, "rank": "4", "owner": 3}
    assert referee.facts(2)["passed"] == [True, True, False, False]
    play(referee, "-")
    assert referee.seat_to_act() == 3
    assert "pass" not in referee.legal_actions()


def test_the_last_play_of_a_seat_gone_out_may_still_be_beaten_and_the_seat_is_skipped() -> None:
    referee = play(Referee({"hands": ladder(8)}, num_players=8), "4x2 - - - - - - - 1x4")
    assert referee.facts(5)["placings"] == [1, 0, 0, 0, 0, 0, 0, 0]
    assert sorted(referee.legal_actions()) == ["1x5", "pass"]
    play(referee, "- - - - - - 1x3")
    assert referee.seat_to_act() == 1


def test_after_a_seat_gone_out_the_next_seat_with_cards_leads() -> None:
    referee = play(
        Referee({"hands": ladder(8)}, num_players=8), "4x2 - - - - - - - 1x4 - - - - - - -"
    )
    assert referee.seat_to_act() == 1
    assert referee.facts(1)["table"] is None
    assert "pass" not in referee.legal_actions()


def test_the_lead_passes_over_several_seats_gone_out() -> None:
    hands = ladder(8)
    hands[0], hands[1] = hands[3], hands[0]  # seat 0: 6E and four sevens; seat 1: four twos and 4O
    hands[3] = ladder(8)[1]
    script = "4x2 - - - - - - - 1x4 - - - - - - 1x6 - - - - - - 4x7 - - - - - -"
    referee = play(Referee({"hands": hands}, num_players=8), script)
    assert referee.facts(0)["placings"] == [2, 1, 0, 0, 0, 0, 0, 0]
    assert referee.seat_to_act() == 2
    assert "pass" not in referee.legal_actions()


def test_with_passing_out_a_play_ends_the_round_when_all_others_are_locked_out_or_gone() -> None:
    script = "4x2 - - - - - - - 1x4 - - - - - - 1x3"
    locked = play(Referee({"hands": ladder(8)}, num_players=8, passing="out"), script)
    assert locked.seat_to_act() == 7
    assert locked.facts(0)["table"] is None
    assert locked.facts(0)["locked_out"] == [False] * 8
    free = play(Referee({"hands": ladder(8)}, num_players=8, passing="free"), script)
    assert free.seat_to_act() == 1


def test_the_game_ends_at_once_when_one_seat_is_left() -> None:
    referee = play(Referee({"hands": ladder(2)}, num_players=2), "4x2 - 4x4 - 4x5 - 4x6 -")
    assert not referee.is_terminal()
    assert referee.returns() == [0.0, 0.0]
    play(referee, "4x7")
    assert referee.is_terminal()
    assert referee.legal_actions() == []
    assert referee.returns() == [1.0, -1.0]
    assert referee.facts(1)["placings"] == [1, 2]


def test_returns_are_evenly_spaced_by_the_order_of_going_out() -> None:
    referee = play(Referee({"hands": ladder(4)}), FOUR_SEAT_LADDER)
    assert referee.facts(0)["placings"] == [1, 2, 3, 4]
    assert referee.returns() == pytest.approx([1, 1 / 3, -1 / 3, -1])


def two_seat_match(second_deal: list[list[str]], economy: str) -> Referee:
    """A two-seat match in which seat 0 has just become president."""
    deal = {"games": [{"hands": ladder(2)}, {"hands": second_deal}]}
    referee = Referee(deal, num_players=2, num_games=2, economy=economy)
    return play(referee, TWO_SEAT_LADDER)


def test_the_servants_best_card_moves_before_play_and_the_president_returns_one() -> None:
    referee = two_seat_match(ladder(2)[::-1], "swap_one")
    assert referee.seat_to_act() == 0
    facts = referee.facts(0)
    assert facts["give_pending"] and facts["hand_sizes"] == [21, 19]
    assert facts["roles"] == [1, 2] and facts["placings"] == [0, 0]
    assert facts["game_number"] == 1 and facts["last_actions"] == [None, None]
    assert facts["hand"] == [0, 0, 0, 0, 1, 4, 4, 4, 4, 4]
    expected = ["give:7", "give:10", "give:11", "give:12", "give:3", "give:1"]
    assert sorted(referee.legal_actions()) == sorted(expected)
    play(referee, "give:1")
    assert referee.facts(1)["hand"] == [4, 4, 4, 4, 3, 0, 0, 0, 0, 1]
    assert not referee.facts(1)["give_pending"]
    assert referee.seat_to_act() == 1
    assert sorted(referee.legal_actions()) == ["1x2", "2x2", "3x2", "4x2"]


def test_of_several_suits_the_lowest_is_given_back_but_the_two_of_oros_last() -> None:
    referee = two_seat_match(ladder(2), "swap_one")
    play(referee, "give:2")
    assert "2B" in referee.hands[1]
    assert referee.seat_to_act() == 0
    assert sorted(referee.legal_actions()) == ["1x2", "2x2", "3x2"]
    other = two_seat_match(ladder(2), "swap_one")
    play(other, "give:5")
    assert "5O" in other.hands[1]


def test_of_several_best_cards_the_lowest_suit_goes_up() -> None:
    referee = two_seat_match(ladder(2), "swap_one")
    assert "1O" in referee.hands[0]
    assert "1B" in referee.hands[1]


def test_the_two_of_oros_given_back_makes_its_receiver_lead() -> None:
    president = ["2O", *DECK[4:23]]
    servant = [card for card in DECK if card not in president]
    referee = two_seat_match([president, servant], "swap_one")
    play(referee, "give:2")
    assert referee.facts(0)["hand"][0] == 0
    assert referee.facts(1)["has_two_of_oros"]
    assert referee.seat_to_act() == 1


def test_swap_two_with_two_seats_moves_two_best_cards_and_two_returns() -> None:
    referee = two_seat_match(ladder(2)[::-1], "swap_two")
    assert referee.facts(0)["hand_sizes"] == [22, 18]
    assert {"7O", "7B"} <= set(referee.hands[0])
    play(referee, "give:7")
    assert referee.seat_to_act() == 0 and referee.facts(1)["give_pending"]
    play(referee, "give:7")
    assert referee.facts(0)["hand_sizes"] == [20, 20]
    assert referee.seat_to_act() == 1 and not referee.facts(1)["give_pending"]


def test_swap_two_with_four_seats_moves_all_gifts_up_and_then_returns_the_presidents_first() -> (
    None
):
    deal = {"games": [{"hands": ladder(4)}, {"hands": one_suit_each()}]}
    referee = Referee(deal, num_games=2, economy="swap_two")
    play(referee, FOUR_SEAT_LADDER)
    assert referee.facts(0)["hand_sizes"] == [12, 11, 9, 8]
    assert {"1E", "3E"} <= set(referee.hands[0]) and "1C" in referee.hands[1]
    assert referee.seat_to_act() == 0
    play(referee, "give:4")
    assert referee.seat_to_act() == 0
    play(referee, "give:2")
    assert referee.seat_to_act() == 1
    play(referee, "give:1")
    assert "4O" in referee.hands[3] and "2O" in referee.hands[3] and "1B" in referee.hands[2]
    assert referee.facts(0)["last_actions"] == ["give:2", "give:1", None, None]
    assert referee.seat_to_act() == 3
    assert sorted(referee.legal_actions()) == ["1x2", "2x2"]


def test_without_an_economy_the_holder_of_the_two_of_oros_leads_every_game_at_once() -> None:
    referee = two_seat_match(ladder(2)[::-1], "none")
    assert referee.facts(0)["hand_sizes"] == [20, 20]
    assert referee.seat_to_act() == 1
    assert not referee.facts(0)["give_pending"]


def test_the_return_of_a_match_is_the_mean_over_its_games_and_zero_before_its_end() -> None:
    referee = two_seat_match(ladder(2), "none")
    assert referee.returns() == [0.0, 0.0] and not referee.is_terminal()
    play(referee, TWO_SEAT_LADDER)
    assert referee.returns() == [1.0, -1.0]
    split = two_seat_match(ladder(2)[::-1], "none")
    play(split, TWO_SEAT_LADDER)
    assert split.returns() == [0.0, 0.0] and split.is_terminal()


def test_facts_tell_the_cards_played_and_each_seats_last_action() -> None:
    referee = play(Referee({"hands": ladder(4)}), "2x2 2x5 -")
    facts = referee.facts(3)
    assert facts["played"] == [2, 0, 2, 0, 0, 0, 0, 0, 0, 0]
    assert facts["last_actions"] == ["2x2", "2x5", "pass", None]
    assert facts["table"] == {"count": 2, "rank": "5", "owner": 1}
    assert facts["passed"] == [False, False, True, False]
    assert facts["hand"] == [0, 0, 0, 0, 0, 0, 0, 2, 4, 4]
    assert facts["hand_sizes"] == [8, 8, 10, 10]


def test_the_last_actions_outlive_a_round() -> None:
    referee = play(Referee({"hands": ladder(4)}), "4x2 - - -")
    assert referee.facts(0)["last_actions"] == ["4x2", "pass", "pass", "pass"]
    assert referee.facts(0)["passed"] == [False] * 4


def test_an_illegal_action_is_refused_by_name_with_what_is_legal() -> None:
    referee = Referee({"hands": ladder(4)})
    with pytest.raises(ValueError, match=r"'pass' is not legal; legal are: 1x2, 2x2, 3x2, 4x2"):
        referee.apply("pass")
    assert referee.facts(0)["last_actions"] == [None] * 4


@pytest.mark.parametrize(
    "config",
    [{"num_players": 3}, {"economy": "swap_three"}, {"passing": "never"}, {"num_games": 2}],
)
def test_an_unknown_config_or_too_few_deals_are_refused(config: dict) -> None:
    with pytest.raises(ValueError, match=r"must be|the match has"):
        Referee({"hands": ladder(4)}, **config)


def test_a_deal_that_is_not_the_deck_is_refused() -> None:
    hands = ladder(4)
    hands[0][0] = "2B"
    with pytest.raises(ValueError, match="exactly once"):
        Referee({"hands": hands})


def random_match(rng: random.Random, num_players: int, num_games: int) -> dict:
    """A match of freshly shuffled deals."""
    games = []
    for _ in range(num_games):
        cards = rng.sample(DECK, 40)
        games.append({"hands": [cards[seat::num_players] for seat in range(num_players)]})
    return {"games": games}


def check_position(referee: Referee) -> None:
    """Cards are conserved, somebody can act, and what a seat sees adds up."""
    cards = [card for hand in referee.hands for card in hand] + referee.played
    assert sorted(cards) == sorted(DECK)
    legal = referee.legal_actions()
    assert legal and len(legal) == len(set(legal))
    facts = referee.facts(referee.seat_to_act())
    assert sum(facts["hand_sizes"]) + sum(facts["played"]) == 40
    assert sum(facts["hand"]) == facts["hand_sizes"][referee.seat_to_act()] > 0


@pytest.mark.parametrize("num_players", [2, 4, 5, 8])
@pytest.mark.parametrize("passing", ["free", "out"])
@pytest.mark.parametrize("economy", ["none", "swap_one", "swap_two"])
def test_random_matches_conserve_cards_and_end(
    num_players: int, passing: str, economy: str
) -> None:
    rng = random.Random(f"{num_players} {passing} {economy}")
    for num_games in (1, 3, 3, 3):
        deal = random_match(rng, num_players, num_games)
        config: dict = {"num_players": num_players, "economy": economy, "passing": passing}
        referee = Referee(deal, num_games=num_games, **config)
        longest = num_games * (40 * num_players + 3)  # every play and at most P - 1 passes each
        plies = 0
        while not referee.is_terminal():
            check_position(referee)
            referee.apply(rng.choice(referee.legal_actions()))
            plies += 1
            assert plies <= longest
        for placings in referee.finished:
            assert sorted(placings) == list(range(1, num_players + 1))
        assert sum(referee.returns()) == pytest.approx(0)
        assert max(map(abs, referee.returns())) <= 1
