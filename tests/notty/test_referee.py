"""Hand-checked positions for Notty's referee, its brute force and its slow players.

Each test is one sentence of the rule sheet, played on a stacked deal.
"""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest

from tests.notty import slow_players
from tests.notty.brute_force import (
    COLOURS,
    DECK,
    GROUPS,
    best_discard_size,
    best_rest,
    counts_of,
    groups_in,
    in_order,
)
from tests.notty.referee import Referee

LOOSE = ["red 1", "red 4", "blue 2", "blue 5", "green 7", "yellow 10"]  # not a pair in a group


def cards(text: str) -> list[str]:
    """Cards from "red 1 1 2, blue 8"."""
    named = []
    for part in filter(None, text.split(",")):
        colour, *numbers = part.split()
        named += [f"{colour} {number}" for number in numbers]
    return named


def loose_hand(size: int) -> list[str]:
    """A hand without a group: at most two neighbours of a colour, a number in two colours."""
    pool = cards("red 1 2 4 5 7 8 10, blue 1 2 4 5 7 8 10, red 1 2 4 5 7 8 10")
    assert not groups_in(pool)
    return pool[:size]


def table(*hands: list[str], **config: Any) -> Referee:
    """A referee over these hands; seat 0 acts."""
    return Referee({"hands": [list(hand) for hand in hands]}, num_players=len(hands), **config)


def test_the_deck_is_two_copies_of_ten_numbers_in_four_colours() -> None:
    assert len(DECK) == 80
    assert set(Counter(DECK).values()) == {2}


def test_there_are_144_runs_and_50_sets() -> None:
    runs = [name for name in GROUPS if name.split()[0] in COLOURS]
    assert len(runs) == 144
    assert len(GROUPS) - len(runs) == 50


@pytest.mark.parametrize(
    ("hand", "groups"),
    [
        ("red 1 2 3", ["red 1-3"]),
        ("red 9 10 1", []),  # no wrap
        ("red 1 1 2", []),
        ("red 7, blue 7, green 7", ["7 red blue green"]),
        ("red 7 7, blue 7", []),  # never the same card twice
        ("red 1 2, blue 3", []),
        ("red 3 4 5 6", ["red 3-5", "red 3-6", "red 4-6"]),
    ],
)
def test_a_group_is_a_run_of_one_colour_or_a_number_in_several(
    hand: str, groups: list[str]
) -> None:
    assert groups_in(cards(hand)) == groups


@pytest.mark.parametrize(
    ("hand", "num_cards", "rest"),
    [
        ("red 1 2 3 4 5, green 1, yellow 1, blue 8, yellow 7", 7, "blue 8, yellow 7"),
        (
            "red 1 2 3, blue 1, yellow 1, blue 3, yellow 3, blue 8, yellow 7",
            6,
            "red 2, blue 8, yellow 7",
        ),
        ("red 1 1 2 2 3 3", 6, ""),
        ("red 1 1 2 2 3", 3, "red 1 2"),
        ("red 1 2 3 4 5 6, blue 6, green 6", 8, ""),
        ("red 1 2 3, blue 3, green 3", 3, "blue 3, green 3"),  # rather than red 1 2
    ],
)
def test_the_best_discard_is_the_largest_and_leaves_the_smallest_counts(
    hand: str, num_cards: int, rest: str
) -> None:
    assert best_discard_size(cards(hand)) == num_cards
    assert best_rest(cards(hand)) == cards(rest)


def test_the_search_finds_what_trying_every_list_of_groups_finds() -> None:
    rng = random.Random(4)
    for _ in range(60):
        kinds = rng.sample(sorted(set(DECK)), 9)
        hand = in_order(rng.sample(kinds * 2, rng.randint(3, 12)))
        rests = all_rests(hand)
        fewest = min(len(rest) for rest in rests)
        expected = min(counts_of(rest) for rest in rests if len(rest) == fewest)
        assert counts_of(best_rest(hand)) == expected


def all_rests(hand: list[str]) -> list[list[str]]:
    """What every sequence of discards, of any length, can leave."""
    rests = [hand]
    for name in groups_in(hand):
        left = list(hand)
        for card in GROUPS[name]:
            left.remove(card)
        rests += all_rests(left)
    return rests


def test_a_turn_is_one_action_and_one_of_the_other_kind() -> None:
    referee = table(LOOSE, LOOSE)
    assert referee.legal_actions() == ["pass", "draw:1", "draw:2", "draw:3", "take:+1"]
    referee.apply("draw:2")
    assert referee.legal_actions() == []
    referee.receive(["yellow 1", "yellow 4"])
    assert (referee.seat_to_act(), referee.phase()) == (0, "drawn")
    assert referee.legal_actions() == ["pass", "take:+1"]
    referee.apply("take:+1")
    referee.receive(["red 1"])
    assert (referee.seat_to_act(), referee.phase()) == (1, "start")
    referee.apply("take:+1")
    referee.receive(["yellow 1"])
    assert referee.legal_actions() == ["pass", "draw:1", "draw:2", "draw:3"]
    referee.apply("pass")
    assert referee.seat_to_act() == 0


def test_every_card_of_the_chosen_hand_is_taken_with_the_same_chance() -> None:
    referee = table(LOOSE, cards("red 2 2 5, blue 9"))
    referee.apply("take:+1")
    outcomes = referee.chance_outcomes()
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    assert outcomes == {("red 2",): half, ("red 5",): quarter, ("blue 9",): quarter}


def test_every_combination_of_the_deck_is_drawn_with_the_same_chance() -> None:
    referee = table(LOOSE, LOOSE)
    referee.apply("draw:3")
    outcomes = referee.chance_outcomes()
    assert sum(outcomes.values()) == 1
    assert outcomes["red 2", "red 2", "red 3"] == Fraction(1 * 2, 68 * 67 * 66 // 6)
    assert ("red 1", "red 2", "red 3") not in outcomes


@pytest.mark.parametrize(("protects", "smallest"), [(True, 3), (False, 1)])
def test_nobody_takes_from_a_hand_of_two(protects: bool, smallest: int) -> None:
    for size in range(1, 5):
        referee = table(LOOSE, LOOSE[:size], protect_small_hands=protects)
        assert ("take:+1" in referee.legal_actions()) == (size >= smallest)


@pytest.mark.parametrize(
    ("size", "legal"),
    [
        (20, ["pass"]),
        (19, ["pass", "draw:1", "take:+1"]),
        (18, ["pass", "draw:1", "draw:2", "take:+1"]),
        (17, ["pass", "draw:1", "draw:2", "draw:3", "take:+1"]),
    ],
)
def test_a_hand_near_the_limit_draws_less(size: int, legal: list[str]) -> None:
    referee = table(loose_hand(size), cards("yellow 1 3 5"))
    assert referee.legal_actions() == legal


def test_a_draw_larger_than_the_deck_is_not_legal() -> None:
    hands = [DECK[63:], DECK[:20], DECK[20:40], DECK[40:61]]
    referee = table(*hands, hand_limit=21, discard="manual")
    assert referee.legal_actions()[:3] == ["pass", "draw:1", "draw:2"]
    assert "draw:3" not in referee.legal_actions()


def test_groups_go_when_a_turn_begins_and_whenever_the_hand_has_grown() -> None:
    referee = table(cards("red 1 2 3 9"), cards("blue 1 2 3, green 9, red 4 5"))
    assert referee.hands == [["red 9"], cards("blue 1 2 3, green 9, red 4 5")]
    referee.apply("take:+1")
    referee.receive(["green 9"])
    referee.apply("draw:1")
    referee.receive(["yellow 9"])
    assert referee.winner == 0
    assert referee.hands == [[], cards("blue 1 2 3, red 4 5")]


def test_discarded_cards_go_back_into_the_deck() -> None:
    referee = table(cards("red 1 2 3 9"), LOOSE)
    assert Counter(referee.deck())["red 2"] == 2
    assert len(referee.deck()) == 80 - 1 - len(LOOSE)


def test_by_hand_groups_may_be_held_and_go_one_at_a_time() -> None:
    referee = table(cards("red 1 2 3 4 9"), LOOSE, discard="manual")
    runs = ["discard:red 1-3", "discard:red 1-4", "discard:red 2-4"]
    assert referee.legal_actions()[-3:] == runs
    referee.apply("draw:1")
    referee.receive(["yellow 9"])
    assert referee.legal_actions()[-3:] == runs
    referee.apply("take:+1")
    referee.receive(["green 7"])
    assert referee.legal_actions() == ["pass", *runs]
    referee.apply("discard:red 2-4")
    assert referee.hands[0] == ["red 1", "red 9", "yellow 9", "green 7"]
    assert referee.legal_actions() == ["pass"]  # it says itself when its turn is over
    referee.apply("pass")
    assert referee.seat_to_act() == 1


def test_an_empty_hand_wins_at_once() -> None:
    assert table(cards("red 1 2 3"), LOOSE).winner == 0
    referee = table(cards("red 1 2"), cards("blue 1 2 3 4"))
    referee.apply("pass")
    assert referee.returns() == [-1, 1]


def test_who_loses_the_last_card_wins_even_if_the_taker_empties_its_hand() -> None:
    three = table(cards("red 1 2"), ["red 3"], LOOSE, protect_small_hands=False)
    three.apply("take:+1")
    three.receive(["red 3"])
    assert three.returns() == [-0.5, 1, -0.5]


def test_all_seats_at_the_limit_without_a_group_are_a_draw() -> None:
    referee = table(loose_hand(4), cards("yellow 1 2 4 5 7"), hand_limit=5)
    assert not referee.is_terminal()
    referee.apply("draw:1")
    referee.receive(["yellow 10"])
    assert referee.is_drawn
    assert referee.returns() == [0, 0]


def test_the_turn_limit_makes_a_draw() -> None:
    referee = table(LOOSE, LOOSE, turn_limit=2)
    for turn in range(4):
        assert (referee.is_terminal(), referee.turns_played) == (False, turn)
        referee.apply("pass")
    assert referee.is_drawn


def test_passes_in_a_row_count_only_those_of_ones_own_will() -> None:
    referee = table(loose_hand(19), cards("green 3 7, yellow 10"))
    for expected in (1, 2):
        referee.apply("pass")
        referee.apply("pass")
        assert referee.passes[0] == expected
    referee.apply("draw:1")
    referee.receive(["yellow 9"])
    assert referee.passes[0] == 0
    referee.apply("pass")
    assert referee.passes == [0, 2]
    referee.apply("pass")
    assert referee.legal_actions() == ["pass"]  # twenty cards
    referee.apply("pass")
    assert referee.passes == [0, 3]


def test_an_illegal_action_is_named_with_what_was_legal() -> None:
    referee = table(LOOSE, LOOSE[:2])
    with pytest.raises(ValueError, match=r"'take:\+1' is not legal; legal are: pass, draw:1"):
        referee.apply("take:+1")
    with pytest.raises(ValueError, match="no cards are awaited"):
        referee.receive(["red 1"])
    referee.apply("draw:1")
    with pytest.raises(ValueError, match="cannot come by a draw of 1"):
        referee.receive(["red 1", "red 1"])


def play_randomly(referee: Referee, rng: random.Random) -> int:
    """To the end, with cards conserved throughout. Returns the number of plies."""
    plies = 0
    while not referee.is_terminal():
        assert Counter(sum(referee.hands, referee.deck())) == Counter(DECK)
        kind = rng.choice(sorted({name.split(":")[0] for name in referee.legal_actions()}))
        names = [name for name in referee.legal_actions() if name.split(":")[0] == kind]
        referee.apply(rng.choice(names))
        if referee.awaits_chance():
            kind, number = referee.pending or ("", 0)
            source = referee.deck() if kind == "draw" else referee.hands[number]
            referee.receive(rng.sample(source, number if kind == "draw" else 1))
        plies += 1
    return plies


@pytest.mark.parametrize("discard", ["optimal", "manual"])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_random_games_end(num_players: int, discard: str) -> None:
    rng = random.Random(num_players)
    for _ in range(3):
        cards = rng.sample(DECK, 5 * num_players)
        hands = [cards[seat::num_players] for seat in range(num_players)]
        referee = table(*hands, discard=discard, turn_limit=25)
        play_randomly(referee, rng)
        assert abs(sum(referee.returns())) < 1e-12
        has_winner = referee.winner is not None
        assert has_winner == (max(referee.returns()) == 1)


# ---- the slow players ------------------------------------------------------------------------


def test_the_expected_reduction_of_a_take_is_the_mean_less_the_card() -> None:
    referee = table(cards("red 1 2"), cards("red 3, blue 9, green 9, yellow 8"))
    assert slow_players.expected_reduction(referee, "take:+1") == Fraction(3, 4) - 1
    assert slow_players.group_probability(referee, "take:+1") == Fraction(1, 4)


def test_the_expected_reduction_of_a_draw_counts_every_combination() -> None:
    referee = table(cards("red 1 2"), cards("blue 9, green 9, yellow 8"))
    assert slow_players.expected_reduction(referee, "draw:1") == Fraction(2 * 3, 75) - 1
    draws = [["red 1", "red 2", *pair] for pair in combinations(referee.deck(), 2)]
    assert len(draws) == 75 * 74 // 2
    mean_size = Fraction(sum(map(best_discard_size, draws)), len(draws))
    assert slow_players.expected_reduction(referee, "draw:2") == mean_size - 2
    num_hits = sum(bool(groups_in(hand)) for hand in draws)
    assert slow_players.group_probability(referee, "draw:2") == Fraction(num_hits, len(draws))


def test_x_defensive_passes_twice_in_a_row_but_not_three_times() -> None:
    referee = table(cards("red 1, blue 5"), cards("green 1, yellow 5"))
    for _ in range(2):
        assert slow_players.x_defensive(referee) == "pass"
        referee.apply("pass")
        referee.apply("pass")
    assert slow_players.x_defensive(referee) == "draw:1"


def test_x_aggressive_passes_as_its_second_action_only_without_a_chance() -> None:
    referee = table(["red 1", "red 9"], cards("blue 5, blue 1, green 9"))
    referee.apply("draw:1")
    referee.receive(["yellow 4"])
    assert slow_players.x_aggressive(referee) == "pass"
    referee = table(["red 1", "red 2"], cards("blue 5, blue 1, red 3"))
    referee.apply("draw:1")
    referee.receive(["yellow 4"])
    assert slow_players.x_aggressive(referee) == "take:+1"


def test_defensive_takes_any_legal_action_with_the_same_chance() -> None:
    assert slow_players.defensive(table(LOOSE, LOOSE)) == {
        name: Fraction(1, 5) for name in ["draw:1", "draw:2", "draw:3", "take:+1", "pass"]
    }


def test_aggressive_takes_from_the_largest_worthy_hand_that_is_larger() -> None:
    hand = cards("red 1 2 9")
    useless = cards("blue 1 3 5 7 9")
    worthy = cards("red 3, blue 1 3 5")
    assert slow_players.aggressive(table(hand, useless, worthy)) == {"take:+2": 1}
    assert slow_players.aggressive(table(hand, worthy, worthy)) == {
        "take:+1": Fraction(1, 2),
        "take:+2": Fraction(1, 2),
    }
    assert slow_players.aggressive(table(hand, [*worthy, "blue 7"], worthy)) == {"take:+1": 1}
    assert slow_players.aggressive(table(hand, useless, ["red 3", "blue 1", "blue 5"])) == {
        "draw:3": 1
    }


@pytest.mark.parametrize(
    ("size", "draws"),
    [
        (7, ["draw:3"]),
        (8, ["draw:1", "draw:2", "draw:3"]),
        (15, ["draw:1", "draw:2", "draw:3"]),
        (16, ["pass", "draw:1"]),
        (19, ["pass", "draw:1"]),
        (20, ["pass"]),
    ],
)
def test_aggressive_draws_by_the_size_of_its_hand(size: int, draws: list[str]) -> None:
    assert sorted(slow_players.aggressive(table(loose_hand(size), ["green 7"]))) == sorted(draws)
