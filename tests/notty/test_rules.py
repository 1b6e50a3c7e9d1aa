"""Every sentence of the rules, on stacked deals."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from parlour.envs.core.game import CHANCE
from parlour.envs.core.play.tables import Tables
from parlour.envs.core.rng import streams
from parlour.envs.notty.cards import GROUPS, deck_words, has_group, kinds_of
from parlour.envs.notty.rules import HAS_BOTH, HAS_DRAWN, HAS_TAKEN, NOTHING_YET
from parlour.envs.registry import load_game
from tests.notty.playing import (
    SIXTEEN,
    TWENTY,
    deal_of,
    hand,
    play,
    table,
)
from tests.one_table import dealt

pytestmark = pytest.mark.plain

APART = ("red 1 5, blue 3", "green 2 8, yellow 10")  # two hands without a group, nor near one


# 1, 2: the cards


def test_there_are_two_copies_of_forty_kinds_and_every_seat_gets_five() -> None:
    for num_players in (2, 4):
        tables = dealt(load_game("notty", num_players=num_players), range(50))
        for state in tables.states:
            hands = [kinds_of(*words) for words in state["hands"]]
            deck = kinds_of(*deck_words(state["hands"]))
            cards = Counter(kind for kinds in (*hands, deck) for kind in kinds)
            assert cards == Counter(dict.fromkeys(range(40), 2))
            assert all(len(kinds) == 5 for kinds in hands[1:])  # seat 0 may have discarded


def test_every_card_is_dealt_as_often() -> None:
    tables = dealt(load_game("notty"), range(800))
    counts = Counter(kind for words in tables.states["hands"][:, 1] for kind in kinds_of(*words))
    assert all(abs(counts[kind] - 100) < 5 * 100**0.5 for kind in range(40))


def test_the_initial_hand_is_a_setting() -> None:
    tables = dealt(load_game("notty", initial_hand=9), [1])
    assert len(kinds_of(*tables.states[0]["hands"][1])) == 9


def test_all_hands_and_the_deck_are_open_and_its_order_is_not() -> None:
    tables = table(*APART, first="red 9, blue 9")
    view = tables.observed(1)
    assert view.hands[0].sum() == view.hands[1].sum() == 3
    assert view.deck.sum() == 74
    other = table(*APART, first="blue 9, red 9")
    assert other.observed(1).tobytes() == view.tobytes()
    assert other.states.tobytes() != tables.states.tobytes()


# 3: groups


@pytest.mark.parametrize(
    ("cards", "is_group"),
    [
        ("red 3 4 5", True),
        ("red 8 9 10", True),
        ("red 9 10 1", False),
        ("red 3 4 6", False),
        ("red 3 4, blue 5", False),
        ("red 10, blue 1 2", False),
        ("red 3 3 4", False),
        ("red 3, blue 3, yellow 3", True),
        ("red 3, blue 3", False),
        ("red 3 3, blue 3", False),
        ("red 1 2 3 4 5 6 7 8 9 10", True),
    ],
)
def test_a_group_is_a_run_of_one_colour_or_one_number_in_three_colours(
    cards: str, is_group: bool
) -> None:
    tables = table(cards + ", green 9", "red 1", discard="manual")
    discards = [name for name in tables.legal if name.startswith("discard")]
    assert bool(discards) == is_group
    assert bool(has_group(tables.states[0]["hands"][0, 0])) == is_group


def test_there_are_144_runs_and_50_sets_and_each_has_three_cards_or_more() -> None:
    assert len(GROUPS) == len(set(GROUPS)) == 194
    assert sum(kinds[-1] - kinds[0] < 10 for kinds in GROUPS) == 144
    assert all(len(set(kinds)) == len(kinds) >= 3 for kinds in GROUPS)


# 4, 5, 6: the turn


def test_a_turn_begins_with_draw_take_or_pass() -> None:
    tables = table(*APART)
    assert tables.legal == ["pass", "draw:1", "draw:2", "draw:3", "take:+1"]
    assert tables.states[0]["phase"] == NOTHING_YET


def test_a_pass_ends_the_turn() -> None:
    tables = table(*APART, script="pass")
    assert tables.states[0]["seat_to_act"] == 1
    assert tables.states[0]["turns_played"] == 1


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_draw_gets_so_many_cards_from_the_top_of_the_deck(count: int) -> None:
    tables = table(*APART, first="red 9, blue 9 6", script=f"draw:{count}")
    drawn = ["red 9", "blue 9", "blue 6"][:count]
    assert tables.observed(0).hands[0].sum() == 3 + count
    assert tables.observed(0).last_cards[0].tolist() == [
        {"red 9": 8, "blue 9": 18, "blue 6": 15}[name] for name in drawn
    ] + [-1] * (3 - count)
    assert tables.states[0]["phase"] == HAS_DRAWN


def test_after_a_draw_one_can_only_take_or_end_the_turn() -> None:
    tables = table(*APART, first="red 9", script="draw:1")
    assert tables.legal == ["pass", "take:+1"]
    assert play(tables, "pass").states[0]["seat_to_act"] == 1


def test_after_a_take_one_can_only_draw_or_end_the_turn() -> None:
    tables = table(*APART, script="take:+1")
    assert tables.states[0]["phase"] == HAS_TAKEN
    assert tables.legal == ["pass", "draw:1", "draw:2", "draw:3"]


@pytest.mark.parametrize("script", ["draw:1 take:+1", "take:+1 draw:1"])
def test_after_both_the_turn_is_over(script: str) -> None:
    tables = table(*APART, first="red 9", script=script)
    assert tables.states[0]["seat_to_act"] == 1
    assert tables.states[0]["phase"] == NOTHING_YET


def test_turns_go_clockwise() -> None:
    tables = table(*APART, "blue 10", beginner=1)
    order = []
    for _ in range(4):
        order.append(int(tables.states[0]["seat_to_act"]))
        play(tables, "pass")
    assert order == [1, 2, 0, 1]


def test_the_starter_is_a_seat_or_drawn_by_lot() -> None:
    def starters(starter: int | str) -> Counter:
        tables = dealt(load_game("notty", num_players=3, starter=starter), range(120))
        return Counter(tables.states["seat_to_act"].tolist())

    assert starters(0) == {0: 120}
    assert starters(2) == {2: 120}
    lots = starters("random")
    assert all(abs(lots[seat] - 40) < 28 for seat in range(3))


# 7, 8: taking


def test_a_take_gets_each_card_of_the_hand_as_often() -> None:
    taken: Counter[int] = Counter()
    for seed in range(150):
        tables = table(*APART, script="take:+1", seed=seed)
        taken[int(tables.observed(0).last_cards[0, 0])] += 1
        assert tables.observed(0).hands[1].sum() == 2
    assert len(taken) == 3
    assert all(abs(count - 50) < 30 for count in taken.values())


def test_takes_are_counted_clockwise_from_the_actor() -> None:
    hands = ("red 1 5, blue 3", "green 2 8, yellow 10", "red 10, blue 10 7", "green 5, blue 9 9")
    tables = table(*hands, beginner=2, script="take:+3")
    assert [int(n) for n in tables.observed(0).hands.sum(axis=1)] == [3, 2, 4, 3]


def test_nobody_takes_from_a_hand_of_two_or_fewer_cards() -> None:
    for small in ("green 2 8", "green 2"):
        assert "take:+1" not in table(APART[0], small).legal
        assert "take:+1" in table(APART[0], small, protect_small_hands=False).legal
    assert "take:+1" in table("green 2", APART[0]).legal


# 9: the hand limit


@pytest.mark.parametrize(
    ("away", "expected"),
    [
        (0, ["pass"]),
        (1, ["pass", "draw:1", "take:+1"]),
        (2, ["pass", "draw:1", "draw:2", "take:+1"]),
        (3, ["pass", "draw:1", "draw:2", "draw:3", "take:+1"]),
    ],
)
def test_near_the_hand_limit_draws_are_smaller_and_at_it_one_can_only_pass(
    away: int, expected: list[str]
) -> None:
    names = TWENTY.replace(", yellow 9 9", "") if away else TWENTY
    if away == 1:
        names += ", yellow 9"
    if away == 3:
        names = names.removesuffix(" 6")
    tables = table(names, APART[1])
    assert tables.observed(0).hands[0].sum() == 20 - away
    assert tables.legal == expected


def test_the_hand_limit_is_a_setting() -> None:
    assert table(SIXTEEN, APART[1], hand_limit=16).legal == ["pass"]


def test_a_take_to_the_limit_leaves_only_the_end_of_the_turn() -> None:
    tables = table("red 1 1 4 4", "green 2 8, yellow 10", hand_limit=5, script="take:+1")
    assert tables.legal == ["pass"]


def test_a_draw_larger_than_the_deck_is_not_legal() -> None:
    fifths = [
        "red 1 1 2 2 4 4 5 5, blue 7 7 8 8 10 10, green 3 3 6 6, yellow 9 9",
        "red 7 7 8 8 10 10, blue 1 1 2 2 4 4 5 5, green 9 9, yellow 3 3 6 6",
        "red 3 3 6 6, blue 9 9, green 7 7 8 8 10 10, yellow 1 1 2 2 4 4 5 5",
    ]
    last = "red 9 9, blue 3 3 6 6, green 1 1 2 2 4 4 5 5, yellow 7 7"
    tables = table(*fifths, last, beginner=3)
    assert tables.observed(3).deck.sum() == 4
    assert tables.legal[1:4] == ["draw:1", "draw:2", "draw:3"]
    fuller = table(*fifths, last + " 8 8", beginner=3)
    assert fuller.legal[1:4] == ["draw:1", "draw:2", "take:+1"]


# 10, 11: discards


def test_groups_are_discarded_when_a_turn_begins() -> None:
    tables = table("red 3 4 5, blue 9", "green 1 2 3, blue 8")
    assert hand(tables, 0) == "blue 9"
    assert tables.observed(0).hands[1].sum() == 4  # not its turn yet
    play(tables, "pass")
    assert hand(tables, 1) == "blue 8"


def test_groups_are_discarded_after_a_draw_and_after_a_take() -> None:
    drawn = table("red 3 4, blue 9", APART[1], first="red 5", script="draw:1")
    assert hand(drawn, 0) == "blue 9"
    taken = table("red 3 4, blue 9", "red 5 5, green 5", script="take:+1")
    assert hand(taken, 0) in ("blue 9", "red 3 4, blue 9, green 5")


def test_as_many_cards_as_possible_are_discarded() -> None:
    tables = table("red 1 2 3 4 5, blue 8, green 1, yellow 1 7", APART[1])
    assert hand(tables, 0) == "blue 8, yellow 7"


def test_a_group_can_be_discarded_twice() -> None:
    tables = table("red 1 1 2 2 3 3, blue 9", APART[1])
    assert hand(tables, 0) == "blue 9"


def test_of_several_best_discards_the_smallest_counts_are_left() -> None:
    tables = table("red 3, blue 3, green 3 4 5, yellow 9", APART[1])
    # Both groups have three cards. Without red 3 and blue 3 the first counts are 0, 0.
    assert hand(tables, 0) == "green 4 5, yellow 9"


def test_discarded_cards_go_back_into_the_deck_which_is_shuffled() -> None:
    tables = table("red 3 4, blue 9", APART[1], first="red 5", script="draw:1")
    assert tables.observed(0).deck[[2, 3, 4]].tolist() == [2, 2, 2]
    assert tables.states[0]["num_ordered"] == 0


def test_a_deck_that_is_laid_down_is_drawn_in_order_until_something_is_discarded() -> None:
    hands = ("red 1, blue 7", "green 2, yellow 10")
    tables = table(*hands, first="red 9, blue 4, green 6", script="draw:1 pass draw:2 pass")
    assert hand(tables, 0) == "red 1 9, blue 7"
    assert hand(tables, 1) == "blue 4, green 2 6, yellow 10"


# 12: discarding by hand


def test_by_hand_the_seat_discards_a_group_at_a_time_or_holds_it() -> None:
    tables = table("red 3 4 5 6, blue 9", APART[1], discard="manual")
    discards = [name for name in tables.legal if name.startswith("discard")]
    assert discards == ["discard:red 3-5", "discard:red 3-6", "discard:red 4-6"]
    play(tables, "pass")
    assert hand(tables, 0) == "red 3 4 5 6, blue 9"
    play(tables, "pass discard:red 4-6")
    assert hand(tables, 0) == "red 3, blue 9"
    assert tables.states[0]["seat_to_act"] == 0


def test_by_hand_groups_go_before_between_and_after_the_actions() -> None:
    cards = "red 1 2 3, blue 4 5 6, green 7 8 9, yellow 2"
    tables = table(cards, APART[1], discard="manual", first="red 9")
    play(tables, "discard:red 1-3 draw:1 discard:blue 4-6 take:+1")
    assert tables.states[0]["phase"] == HAS_BOTH
    assert tables.legal == ["pass", "discard:green 7-9"]
    play(tables, "discard:green 7-9")
    assert tables.legal == ["pass"]
    assert play(tables, "pass").states[0]["seat_to_act"] == 1


def test_by_hand_sets_are_actions_too() -> None:
    tables = table("red 7, blue 7, green 7, yellow 7 1", APART[1], discard="manual")
    names = [name for name in tables.legal if name.startswith("discard")]
    assert names == [
        "discard:7 red blue green",
        "discard:7 red blue yellow",
        "discard:7 red green yellow",
        "discard:7 blue green yellow",
        "discard:7 red blue green yellow",
    ]
    assert hand(play(tables, names[-1]), 0) == "yellow 1"


def test_by_hand_one_copy_of_a_kind_goes_with_its_group() -> None:
    tables = table("red 3 3 4 5", APART[1], discard="manual", script="discard:red 3-5")
    assert hand(tables, 0) == "red 3"


# 13: winning


def test_a_seat_whose_hand_is_empty_wins_at_once() -> None:
    tables = table("red 3 4", APART[1], first="red 5", script="draw:1")
    assert tables.is_over
    assert tables.outcome == [1.0, -1.0]
    assert tables.legal == []


def test_the_losers_share_the_loss() -> None:
    tables = table("red 3 4", *APART, first="red 5", script="draw:1")
    assert tables.outcome == [1.0, -0.5, -0.5]


def test_a_hand_that_is_one_group_wins_when_its_turn_begins() -> None:
    assert table("red 3 4 5", APART[1]).outcome == [1.0, -1.0]
    assert table(APART[1], "red 3 4 5", script="pass").outcome == [-1.0, 1.0]


def test_by_hand_the_last_group_wins() -> None:
    tables = table("red 3 4 5", APART[1], discard="manual")
    assert not tables.is_over
    assert play(tables, "discard:red 3-5").outcome == [1.0, -1.0]


def test_a_seat_whose_last_card_is_taken_wins() -> None:
    tables = table(APART[0], "green 7", protect_small_hands=False, script="take:+1")
    assert tables.outcome == [-1.0, 1.0]


def test_the_last_card_taken_wins_before_the_taker_discards() -> None:
    tables = table("red 3 4", "red 5", protect_small_hands=False, script="take:+1")
    assert hand(tables, 0) == "red 3 4 5"
    assert tables.outcome == [-1.0, 1.0]


# 14: draws


def test_the_game_is_a_draw_after_so_many_turns_of_each_seat() -> None:
    tables = table(*APART, turn_limit=2, script="pass pass pass")
    assert not tables.is_over
    assert play(tables, "pass").outcome == [0.0, 0.0]
    assert tables.is_over


def test_the_game_is_a_draw_when_all_hands_are_at_the_limit_without_a_group() -> None:
    full = "red 1 1 4 4 7"
    assert not table(full, "blue 1 1 4 4", hand_limit=5).is_over
    tables = table(full, "blue 1 1 4 4 7", hand_limit=5)
    assert tables.is_over
    assert tables.outcome == [0.0, 0.0]


def test_a_group_held_by_hand_is_no_deadlock() -> None:
    hands = ("red 1 1 4 4 7", "blue 1 2 3 7 9")
    assert not table(*hands, hand_limit=5, discard="manual").is_over


# The record of the turns


def test_drawing_is_chance_and_the_whole_draw_is_one_ply() -> None:
    tables = table(*APART)
    game, states = tables.game, tables.states.copy()
    game.apply_action(states[0], game.parse_action("draw:3"))
    assert game.seat_to_act(states[0]) == CHANCE
    assert game.legal_action_list(states[0]) == []
    sizes = set()
    for seed in range(40):
        branch = states.copy()
        assert game.play_chance is not None
        game.play_chance(branch[0], streams([seed])[0])
        assert game.seat_to_act(branch[0]) != CHANCE
        sizes.add(len(kinds_of(*branch[0]["hands"][0])))
    assert sizes <= {6, 3, 2} and len(sizes) > 1


def test_a_deal_says_who_begins_for_that_game_only() -> None:
    game = load_game("notty", starter=1)
    tables = Tables(game, streams([0]))
    tables.deal_from(0, deal_of(*APART, seat_to_act=0))
    assert tables.states[0]["seat_to_act"] == 0
    tables.deal(np.array([0]))
    assert tables.states[0]["seat_to_act"] == 1
