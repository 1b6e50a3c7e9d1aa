"""The best discard by table: the document's examples, doubled groups, ties, and what must hold."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from parlour.envs.notty.cards import GROUPS, NUM_KINDS, has_group, words_of
from parlour.envs.notty.discard import (
    best_discard,
    best_left,
    counts_of,
    most_discarded,
    pack,
    unpack,
)
from parlour.envs.notty.text import group_name
from tests.notty.playing import counts, random_hand

pytestmark = pytest.mark.plain

NUM_HANDS = 400


def named(hand: str) -> list[str]:
    """The groups of the best discard by name."""
    return sorted(group_name(group) for group in best_discard(counts(hand)))


def words(hand: np.ndarray | list[int]) -> np.ndarray:
    """A hand as two words."""
    out = np.zeros(2, np.int64)
    words_of(np.array(hand), out)
    return out


@cache
def most_by_search(hand: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    """The most cards that groups cover, negated, and the least counts left: by trying groups."""
    best = (0, hand)
    for group in GROUPS:
        if all(hand[kind] > 0 for kind in group):
            rest = list(hand)
            for kind in group:
                rest[kind] -= 1
            covered, left = most_by_search(tuple(rest))
            best = min(best, (covered - len(group), left))
    return best


@pytest.mark.parametrize(
    ("hand", "groups"),
    [
        (
            "red 1 2 3 4 5, green 1, yellow 1, blue 8, yellow 7",
            ["1 red green yellow", "red 2-5"],
        ),
        (
            "red 1 2 3, blue 1, yellow 1, blue 3, yellow 3, blue 8, yellow 7",
            ["1 red blue yellow", "3 red blue yellow"],
        ),
        ("red 1 1 2 2 3 3", ["red 1-3", "red 1-3"]),
        ("red 7 7, blue 7 7, green 7 7", ["7 red blue green", "7 red blue green"]),
        ("red 7 7, blue 7 7, green 7, yellow 7", ["7 red blue green", "7 red blue yellow"]),
        ("red 9 10, red 1", []),
        ("", []),
    ],
)
def test_the_best_discard_of_known_hands(hand: str, groups: list[str]) -> None:
    assert named(hand) == groups


def test_of_equals_the_smallest_counts_are_left() -> None:
    left = counts_of(best_left(*words(counts("red 3, blue 3, green 3 4 5"))))
    assert left.tolist() == counts("green 4 5")
    left = counts_of(best_left(*words(counts("red 1 2 3, blue 3, green 3"))))
    assert left.tolist() == counts("blue 3, green 3")


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("size", [4, 9, 12])
def test_it_equals_a_search_over_all_groups(size: int, paired: bool) -> None:
    chooser = np.random.default_rng(size)
    num_doubled = 0
    for _ in range(NUM_HANDS // 10):
        hand = random_hand(chooser, size, paired=paired)
        covered, left = most_by_search(tuple(hand.tolist()))
        once, twice = words(hand)
        assert most_discarded(once, twice, pack(once, twice)) == -covered
        assert tuple(counts_of(best_left(once, twice)).tolist()) == left
        num_doubled += covered < 0 and (hand == 2).any()
    assert num_doubled > 0 or not paired or size < 9


@pytest.mark.parametrize("size", [3, 8, 14, 20])
def test_the_groups_are_in_the_hand_and_leave_no_group(size: int) -> None:
    chooser = np.random.default_rng(size)
    for paired in (False, True):
        for _ in range(NUM_HANDS // 20):
            hand = random_hand(chooser, size, paired=paired)
            rest = hand.copy()
            for group in best_discard(hand):
                assert group in GROUPS
                rest[list(group)] -= 1
            assert rest.min() >= 0
            assert not has_group(words(rest)[0])
            assert rest.tolist() == counts_of(best_left(*words(hand))).tolist()
            once, twice = words(hand)
            assert hand.sum() - rest.sum() == most_discarded(once, twice, pack(once, twice))


def test_packing_loses_nothing() -> None:
    chooser = np.random.default_rng(0)
    for _ in range(NUM_HANDS):
        once, twice = words(chooser.integers(0, 3, NUM_KINDS))
        assert unpack(pack(once, twice)) == (once, twice)
