"""The table of small hands that nobody takes from."""

import random

import numpy as np
import pytest

from parlour.baselines.notty.fit import small_hands as learning
from parlour.baselines.notty.small_hands import (
    CHANCES_FILE,
    LARGEST_SMALL,
    alike,
    chance_of_small,
    is_small,
)
from parlour.envs.notty.cards import NUM_KINDS, has_group
from tests.notty.playing import counts

pytestmark = pytest.mark.plain

TABLE = np.load(CHANCES_FILE)


def random_hand(rng: random.Random) -> list[int]:
    """Kinds of one to five cards, a kind twice at most."""
    cards = [kind for kind in range(NUM_KINDS) for _ in range(2)]
    return rng.sample(cards, rng.randint(1, LARGEST_SMALL))


def words(kinds: list[int]) -> tuple[np.int64, np.int64]:
    """The hand as kinds held at least once, and twice."""
    once = sum(1 << kind for kind in set(kinds))
    twice = sum(1 << kind for kind in set(kinds) if kinds.count(kind) == 2)
    return np.int64(once), np.int64(twice)


def hand(text: str) -> tuple[np.int64, np.int64]:
    """The same from `red 1 2 2, blue 7`."""
    return words([kind for kind, count in enumerate(counts(text)) for _ in range(count)])


def test_the_table_has_each_small_hand_without_a_group_once() -> None:
    rng = random.Random(2)
    small_hands = set(TABLE["hand"].tolist())
    assert len(small_hands) == len(TABLE) and (np.diff(TABLE["hand"]) > 0).all()
    for _ in range(2000):
        once, twice = words(random_hand(rng))
        assert has_group(once) or int(alike(once, twice)) in small_hands


def test_a_pair_near_a_group_is_likelier_to_go() -> None:
    chances = [chance_of_small(*hand(text)) for text in ("red 3 4", "red 3 5", "red 3 9")]
    assert chances == sorted(chances, reverse=True) and 0 < chances[2] < chances[0] < 1


def test_small_hands_have_five_cards_at_most() -> None:
    assert is_small(*hand("red 1 1 3 5, blue 8"))
    assert not is_small(*hand("red 1 1 3 5, blue 8 9"))


@pytest.mark.long
def test_chances_grow_to_those_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """From nothing, each sweep finds more ways to empty a hand; few sweeps do not find them all."""
    monkeypatch.setattr(learning, "NUM_OTHERS", 500)
    computed = learning.compute_chances(num_sweeps=2)
    assert (computed["hand"] == TABLE["hand"]).all()
    assert 0 < computed["chance"].mean() < TABLE["chance"].mean()
    assert np.corrcoef(computed["chance"], TABLE["chance"])[0, 1] > 0.5
