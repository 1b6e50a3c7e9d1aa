"""Masks in words against Python's sets, through bit 63 and over several words."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from parlour.envs.core.bits import (
    allow,
    gather_mask,
    is_allowed,
    lowest_bit,
    mask_rows_as_bytes,
    mask_words,
    new_mask_rows,
    nth_allowed,
    nth_bit,
    num_allowed,
    popcount,
    random_allowed,
    spread_masks,
)
from parlour.envs.core.compile import rule
from parlour.envs.core.rng import streams

NUM_WORDS = 3
LARGEST = 64 * NUM_WORDS - 1
EDGES = [{0}, {63}, {64}, {LARGEST}, {0, 63}, {62, 63, 64}, set(range(64)), set(range(192)), set()]

actions = some.sets(some.integers(0, LARGEST))


def mask_of(members: set[int]) -> np.ndarray:
    mask = np.zeros(NUM_WORDS, np.int64)
    for action in members:
        allow(mask, action)
    return mask


@rule
def draw_allowed(mask, rngs, out):
    for index in range(out.shape[0]):
        out[index] = random_allowed(mask, rngs[0])


def check_mask(members: set[int]) -> None:
    mask = mask_of(members)
    assert {action for action in range(LARGEST + 1) if is_allowed(mask, action)} == members
    assert num_allowed(mask) == len(members)
    assert [nth_allowed(mask, n) for n in range(len(members))] == sorted(members)
    assert nth_allowed(mask, len(members)) == -1


@pytest.mark.parametrize("members", EDGES, ids=str)
def test_a_mask_is_a_set_at_the_edges_of_its_words(members: set[int]) -> None:
    check_mask(members)


@settings(max_examples=50, deadline=None)
@given(actions)
def test_a_mask_is_a_set(members: set[int]) -> None:
    check_mask(members)


@settings(max_examples=100, deadline=None)
@given(some.integers(-(2**63), 2**63 - 1))
def test_a_word_counts_and_orders_its_bits(word: int) -> None:
    bits = [bit for bit in range(64) if word >> bit & 1]
    assert popcount(np.int64(word)) == len(bits)
    assert lowest_bit(np.int64(word)) == (bits[0] if bits else 64)
    assert [nth_bit(np.int64(word), n) for n in range(len(bits))] == bits


@settings(max_examples=50, deadline=None)
@given(actions)
def test_bytes_and_words_turn_into_each_other(members: set[int]) -> None:
    mask = mask_of(members)
    rows = new_mask_rows(3, LARGEST + 1)
    spread_masks(np.array([0 * mask, mask, ~mask]), rows)
    nothing, flags, others = mask_rows_as_bytes(rows, NUM_WORDS * 64)
    assert set(np.flatnonzero(flags).tolist()) == members
    assert set(flags.tolist()) <= {0, 1}
    assert not nothing.any()
    assert (flags + others == 1).all()
    again = np.full(NUM_WORDS, 99, np.int64)
    gather_mask(flags, again)
    assert (again == mask).all()


def test_a_random_action_is_uniform_over_words() -> None:
    members = {0, 5, 63, 64, 100, 127, 128, LARGEST}
    out = np.zeros(40_000, np.int64)
    draw_allowed(mask_of(members), streams([5]), out)
    drawn, counts = np.unique(out, return_counts=True)
    assert set(drawn.tolist()) == members
    assert stats.chisquare(counts).pvalue > 0.001


@pytest.mark.parametrize(("num_actions", "words"), [(1, 1), (64, 1), (65, 2), (51, 1)])
def test_sizes_in_words(num_actions: int, words: int) -> None:
    assert mask_words(num_actions) == words
    assert new_mask_rows(3, num_actions).view(np.int8).shape == (3, 64 * words)
    assert mask_rows_as_bytes(new_mask_rows(3, num_actions), num_actions).shape == (3, num_actions)
