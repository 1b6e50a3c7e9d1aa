"""The card and noble tables hold what is printed, as far as its structure tells."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.splendor.boards import CARDS, NOBLES
from tests.splendor.referee import COLOURS

pytestmark = pytest.mark.plain

ALL_CARDS = [card for tier in CARDS for card in tier]


def test_there_are_40_30_and_20_cards_in_the_tiers() -> None:
    assert [len(tier) for tier in CARDS] == [40, 30, 20]


def test_there_are_18_cards_of_each_colour_the_same_number_in_each_tier() -> None:
    assert Counter(card[0] for card in ALL_CARDS) == dict.fromkeys(COLOURS, 18)
    for tier, number in zip(CARDS, (8, 6, 4), strict=True):
        assert Counter(card[0] for card in tier) == dict.fromkeys(COLOURS, number)


def test_the_points_of_the_tiers_are_as_printed() -> None:
    points = [Counter(card[1] for card in tier) for tier in CARDS]
    assert points == [{0: 35, 1: 5}, {1: 10, 2: 15, 3: 5}, {3: 5, 4: 10, 5: 5}]


def test_all_90_costs_differ_from_each_other() -> None:
    assert len({tuple(card[2]) for card in ALL_CARDS}) == 90


def test_costs_are_of_0_to_7_gems_and_nothing_is_free() -> None:
    assert all(0 <= gems <= 7 for card in ALL_CARDS for gems in card[2])
    assert min(sum(card[2]) for card in ALL_CARDS) == 3
    assert max(sum(card[2]) for card in ALL_CARDS) == 14


def test_the_colours_are_alike_in_each_tier_but_for_which_colours_a_card_asks_for() -> None:
    """A slip of a digit breaks the likeness, a slip of a column the sums."""
    for tier, asked in zip(CARDS, (33, 41, 43), strict=True):
        shapes = [
            sorted((points, sorted(cost)) for name, points, cost in tier if name == colour)
            for colour in COLOURS
        ]
        assert all(shape == shapes[0] for shape in shapes)
        assert [sum(card[2][gem] for card in tier) for gem in range(5)] == [asked] * 5


def test_ten_nobles_ask_four_and_four_or_three_of_three() -> None:
    needs = Counter(tuple(sorted(need)) for need in NOBLES)
    assert needs == {(0, 0, 0, 4, 4): 5, (0, 0, 3, 3, 3): 5}
    assert len({tuple(need) for need in NOBLES}) == 10


def test_nobles_ask_as_often_for_each_colour() -> None:
    for asked, times in ((4, 2), (3, 3)):
        assert [sum(need[i] == asked for need in NOBLES) for i in range(5)] == [times] * 5
