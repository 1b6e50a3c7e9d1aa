"""Random streams: SplitMix64 as published, uniform, and never the same stream twice."""

import numpy as np
import pytest
from scipy import stats

from parlour.envs.core.compile import rule
from parlour.envs.core.rng import (
    SEED_LIMIT,
    STREAM,
    below,
    fresh_seed,
    next_word,
    shuffle,
    split,
    streams,
    uniform,
)

WORD = 2**64
GOLDEN_GAMMA = 0x9E3779B97F4A7C15
SEEDS = [0, 1, 2, 12345, 2**32, 2**63 - 1]


# SplitMix64 once more, in Python's unbounded integers


def mix(word: int) -> int:
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB % WORD
    return word ^ (word >> 31)


def mix_gamma(word: int) -> int:
    word = (word ^ (word >> 33)) * 0xFF51AFD7ED558CCD % WORD
    word = (word ^ (word >> 33)) * 0xC4CEB9FE1A85EC53 % WORD
    word = (word ^ (word >> 33)) | 1
    return word ^ 0xAAAAAAAAAAAAAAAA if (word ^ (word >> 1)).bit_count() < 24 else word


class Splitmix:
    def __init__(self, state: int, gamma: int = GOLDEN_GAMMA) -> None:
        self.state, self.gamma = state, gamma

    def next(self) -> int:
        self.state = (self.state + self.gamma) % WORD
        return mix(self.state)

    def split(self) -> "Splitmix":
        return Splitmix(self.next(), mix_gamma(self.next()))


def of_seed(seed: int, purpose: int = 0) -> Splitmix:
    return Splitmix(mix((mix((seed + GOLDEN_GAMMA) % WORD) + purpose) % WORD))


@rule
def draw_words(rngs, out):
    for index in range(out.shape[0]):
        out[index] = next_word(rngs[0])


@rule
def draw_below(rngs, limit, out):
    for index in range(out.shape[0]):
        out[index] = below(rngs[0], limit)


@rule
def draw_uniform(rngs, out):
    for index in range(out.shape[0]):
        out[index] = uniform(rngs[0])


@rule
def draw_orders(rngs, orders):
    for row in range(orders.shape[0]):
        for place in range(orders.shape[1]):
            orders[row, place] = place
        shuffle(rngs[0], orders[row])


@rule
def split_off(rngs):
    split(rngs[0], rngs[1])


def words(rngs: np.ndarray, count: int) -> list[int]:
    out = np.zeros(count, np.uint64)
    draw_words(rngs, out)
    return out.tolist()


def test_the_words_are_those_of_the_published_generator() -> None:
    """The first outputs of SplitMix64 from state 1234567, as its author's C code gives them."""
    rngs = np.zeros(1, STREAM)
    rngs["state"], rngs["gamma"] = 1234567, GOLDEN_GAMMA
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert words(rngs, 3) == published
    other = Splitmix(1234567)
    assert [other.next() for _ in range(3)] == published


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("purpose", [0, 1, 7])
def test_a_stream_follows_the_naive_implementation(seed: int, purpose: int) -> None:
    naive = of_seed(seed, purpose)
    assert words(streams([seed], purpose), 50) == [naive.next() for _ in range(50)]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_split_follows_the_naive_implementation(seed: int) -> None:
    rngs = streams([seed, seed])
    split_off(rngs)
    naive = of_seed(seed)
    child = naive.split()
    assert words(rngs[1:], 20) == [child.next() for _ in range(20)]
    assert words(rngs[:1], 20) == [naive.next() for _ in range(20)]


@pytest.mark.parametrize("limit", [2, 7, 10, 40, 64])
def test_below_is_uniform(limit: int) -> None:
    out = np.zeros(100_000, np.int64)
    draw_below(streams([11]), limit, out)
    assert out.min() == 0 and out.max() == limit - 1
    assert stats.chisquare(np.bincount(out, minlength=limit)).pvalue > 0.001


def test_uniform_is_uniform_and_below_one() -> None:
    out = np.zeros(100_000)
    draw_uniform(streams([12]), out)
    assert out.min() >= 0 and out.max() < 1
    assert stats.kstest(out, "uniform").pvalue > 0.001


def test_every_order_of_a_shuffle_is_as_likely() -> None:
    orders = np.zeros((60_000, 4), np.int64)
    draw_orders(streams([13]), orders)
    assert (np.sort(orders, axis=1) == np.arange(4)).all()
    codes = orders @ (4 ** np.arange(4))
    _, counts = np.unique(codes, return_counts=True)
    assert len(counts) == 24
    assert stats.chisquare(counts).pvalue > 0.001


def test_neighbouring_seeds_and_purposes_share_no_stream() -> None:
    firsts = {
        tuple(words(streams([seed], purpose), 2)) for seed in range(100) for purpose in range(20)
    }
    assert len(firsts) == 2000


@pytest.mark.parametrize("seed", [-1, SEED_LIMIT, 2**64])
def test_a_seed_out_of_range_is_refused(seed: int) -> None:
    with pytest.raises(ValueError, match="a seed must be an integer in 0"):
        streams([0, seed])


def test_fresh_seeds_differ_and_are_seeds() -> None:
    seeds = [fresh_seed() for _ in range(10)]
    assert len(set(seeds)) == 10
    streams(seeds)
