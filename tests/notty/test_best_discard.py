"""The best discard three ways: the table, the integer programme, the brute force of the tests."""

from __future__ import annotations

import random

import pytest

from parlour.envs.notty.cards import GROUPS
from parlour.envs.notty.discard import best_discard
from tests.notty.brute_force import DECK, best_rest, cards_of, counts_of, in_order
from tests.notty.brute_force import GROUPS as NAMED_GROUPS

pytestmark = pytest.mark.plain

MAX_CARDS = 20


def random_hand(rng: random.Random, size: int, favours_pairs: bool) -> list[str]:
    """So many cards; with `favours_pairs` most kinds are there twice, and near to each other."""
    if not favours_pairs:
        return rng.sample(DECK, size)
    group = rng.choice(list(NAMED_GROUPS.values()))
    hand = list(group * 2)[:size]
    while len(hand) < size:
        kind = rng.choice(DECK)
        free = 2 - hand.count(kind)
        hand += [kind] * min(free, size - len(hand), rng.choice([1, 2, 2]))
    return hand


def random_hands(num_hands: int, seed: int) -> list[list[str]]:
    """Hands of 3 to 20 cards; two in three hold a group twice, or nearly."""
    rng = random.Random(seed)
    sizes = [3 + index % (MAX_CARDS - 2) for index in range(num_hands)]
    return [in_order(random_hand(rng, size, rng.random() < 2 / 3)) for size in sizes]


def rest_of(hand: list[str], groups: list[tuple[int, ...]]) -> list[str]:
    """What these groups, each a valid one, leave of a hand."""
    counts = list(counts_of(hand))
    for group in groups:
        assert tuple(group) in GROUPS
        for kind in group:
            counts[kind] -= 1
    assert min(counts) >= 0
    return cards_of(tuple(counts))


@pytest.mark.parametrize(("solver", "num_hands"), [("table", 2000), ("scip", 300)])
def test_either_way_leaves_what_the_brute_force_leaves(solver: str, num_hands: int) -> None:
    num_with_a_group_twice = 0
    for hand in random_hands(num_hands, seed=1):
        groups = best_discard(counts_of(hand), solver=solver)
        assert rest_of(hand, groups) == best_rest(hand), hand
        num_with_a_group_twice += len(set(groups)) < len(groups)
    assert num_with_a_group_twice > num_hands // 10
