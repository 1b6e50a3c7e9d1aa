"""What draws bring, against a count of all of them by exhaustive search.

Hands and decks come from few numbers and colours, so that the cards of a draw touch in every way.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

import numpy as np
import pytest

from parlour.baselines.notty.draws import cards_of_draws, hits_of_draws
from parlour.envs.notty.cards import hand_words
from tests.notty.brute_force import KINDS, best_discard_size, counts_of, groups_in

pytestmark = pytest.mark.plain

DRAWS = (1, 2, 3)
CORNERS = {  # kinds from which hand and deck come: colours, numbers
    "runs": (["red", "blue"], range(1, 8)),
    "sets": (["red", "blue", "green", "yellow"], range(4, 7)),
    "both": (["red", "green", "yellow"], range(6, 11)),
    "all": (["red", "blue", "green", "yellow"], range(1, 11)),
}


def dealt(corner: str, seed: int, hand_size: int, deck_size: int) -> tuple[list[str], list[str]]:
    """A hand and a deck from one corner of the cards."""
    colours, numbers = CORNERS[corner]
    cards = [card for card in KINDS * 2 if card.split()[0] in colours]
    cards = [card for card in cards if int(card.split()[1]) in numbers]
    Random(f"{corner} {seed}").shuffle(cards)
    return cards[:hand_size], cards[hand_size : hand_size + deck_size]


def words(cards: list[str]) -> np.ndarray:
    """Cards as two words."""
    out = np.zeros(2, np.int64)
    hand_words(np.array(counts_of(cards)), out)
    return out


def counted(hand: list[str], deck: list[str], number: int) -> tuple[int, int]:
    """Draws with a group and cards discarded, over all draws of cards from the deck."""
    draws = Counter(tuple(sorted(drawn)) for drawn in combinations(deck, number))
    hits = cards = 0
    for drawn, ways in draws.items():
        if groups_in([*hand, *drawn]):
            hits += ways
            cards += ways * best_discard_size([*hand, *drawn])
    return hits, cards


def check(hand: list[str], deck: list[str]) -> None:
    """Both ways of counting find the same."""
    hits, cards = hits_of_draws(words(hand), words(deck)), cards_of_draws(words(hand), words(deck))
    assert list(zip(hits, cards, strict=True)) == [counted(hand, deck, number) for number in DRAWS]


@pytest.mark.parametrize("corner", CORNERS)
@pytest.mark.parametrize("seed", range(1, 12, 2))
def test_all_draws_are_counted(corner: str, seed: int) -> None:
    """From the largest hand without a group that the first cards dealt make."""
    dealt_hand, deck = dealt(corner, seed, 10, 12)
    hand: list[str] = []
    for card in dealt_hand[: 3 + seed]:
        if not groups_in([*hand, card]):
            hand.append(card)
    check(hand, deck)


@pytest.mark.parametrize("corner", ["runs", "sets", "both"])
def test_draws_to_a_hand_that_holds_groups_are_counted(corner: str) -> None:
    """As where seats discard by hand: what the groups held discard counts in every draw."""
    hand, deck = dealt(corner, 0, 10, 8)
    assert groups_in(hand)
    check(hand, deck)
    check(["blue 1", "blue 2", "blue 3"], ["yellow 7", "yellow 8", "yellow 9", *deck])


@pytest.mark.parametrize("deck", [[], ["red 2"], ["red 2", "red 2"], ["red 2", "blue 9"]])
def test_small_decks_have_few_draws(deck: list[str]) -> None:
    check(["red 3", "red 4"], deck)


def test_a_deck_without_a_hand_has_only_its_own_trios() -> None:
    check([], ["red 2", "red 3", "red 3", "red 4", "blue 3", "green 3", "green 3", "yellow 3"])
