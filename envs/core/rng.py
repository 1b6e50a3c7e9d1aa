"""The random stream of a table: a small record, the same in every view and in every process.

SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014):
one addition and one mix a draw, and any stream can be split into independent ones. A player could
compute from a stream what it was split or seeded from, so players' streams come from a keyed hash.
"""

import operator
import secrets
from collections.abc import Sequence
from typing import Any

import numpy as np

from .compile import plain, rule

STREAM = np.dtype((np.record, [("state", np.uint64), ("gamma", np.uint64)]))

GOLDEN_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(1)
_MIN_BIT_CHANGES = 24  # a gamma with fewer gives too regular a sequence

_KEY_HIGH = np.uint64(int.from_bytes(b"parlour.", "little"))  # the other half is the seed
_MESSAGE_LENGTH = np.uint64(15 << 56)  # a sitting in 8 bytes and a seat in 7
_WORD_BITS = np.uint64(64)
_13, _16, _17, _21, _32 = np.array([13, 16, 17, 21, 32], np.uint64)  # of one type: compiled once

SEED_LIMIT = 2**63


@rule
def _mix(word):
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@rule
def _mix_gamma(word):
    word = (word ^ (word >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    word = (word ^ (word >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    word = (word ^ (word >> np.uint64(33))) | _ONE
    changes = 0
    flips = word ^ (word >> _ONE)
    while flips != np.uint64(0):
        flips &= flips - _ONE
        changes += 1
    if changes < _MIN_BIT_CHANGES:
        word ^= np.uint64(0xAAAAAAAAAAAAAAAA)
    return word


@rule
def next_word(rng):
    """The next 64 random bits of a stream."""
    rng.state += rng.gamma
    return _mix(rng.state)


@rule
def below(rng, limit):
    """A uniform integer in 0 .. limit - 1, for limits under 2**32 (bias under limit / 2**32).

    `rng` is one stream: `rngs[k]` of an array of them, `rng[0]` of an array [1].
    """
    return np.int64(((next_word(rng) >> np.uint64(32)) * np.uint64(limit)) >> np.uint64(32))


@rule
def uniform(rng):
    """A uniform float in [0, 1), of 53 bits. `rng` is one stream, as for `below`."""
    return np.float64(next_word(rng) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@rule
def shuffle(rng, items):
    """Put the items of a one-dimensional array into uniformly random order, in place."""
    for last in range(items.shape[0] - 1, 0, -1):
        other = below(rng, last + 1)
        swapped = items[last]
        items[last] = items[other]
        items[other] = swapped


@rule
def split(rng, out):
    """Start in `out` a stream that is independent of the rest of `rng`."""
    state = next_word(rng)
    gamma = _mix_gamma(next_word(rng))
    out.state = state
    out.gamma = gamma


def streams(seeds: np.ndarray | Sequence[int], purpose: int = 0) -> np.ndarray:
    """One stream for each seed: STREAM [B]. The same seed and purpose give the same stream.

    `purpose` separates the streams of one seed: 0 deals the cards. A player must not get one of
    these, because it could compute the seed from it: see `seating`.
    """
    out = np.zeros(len(seeds), STREAM)
    out["state"] = plain(_first_state)(checked_seeds(seeds), np.uint64(purpose))
    out["gamma"] = GOLDEN_GAMMA
    return out


def rng(seed: int = 0) -> np.ndarray:
    """Return the random stream of a seed, STREAM [1]; a draw advances it.

    Players take the array, a stream for each row. Rules take the stream in it, `rng(seed)[0]`. Both
    draw from one stream with `parlour.envs.authoring.below(stream, n)`, a number in 0 .. n - 1. It
    is the stream that deals the game of that seed. Raises ValueError for an invalid seed::

        >>> import parlour
        >>> game, stream = parlour.load_game("president"), parlour.rng(7)
        >>> states = game.new_states()
        >>> game.deal(states[0], stream[0])
        >>> game.legal_action_list(states[0])
        [1, 2]
    """
    return streams([seed])


@rule
def _first_state(seed, purpose):
    return _mix(_mix(seed + GOLDEN_GAMMA) + purpose)


@rule
def start_stream(rng, seed):
    """Start the stream that deals the cards of a seed, a uint64."""
    rng.state = _first_state(seed, np.uint64(0))
    rng.gamma = GOLDEN_GAMMA


def checked_seeds(seeds: np.ndarray | Sequence[int]) -> np.ndarray:
    """The seeds as uint64 [B]. Raises a ValueError that names the first invalid one."""
    if isinstance(seeds, np.ndarray) and seeds.dtype.kind in "iu":
        is_wrong = seeds < 0 if seeds.dtype.kind == "i" else seeds >= np.uint64(SEED_LIMIT)
        if is_wrong.any():
            check_seed(seeds[is_wrong][0])
        return seeds.astype(np.uint64)
    return np.array([check_seed(seed) for seed in seeds], dtype=np.uint64)


def check_seed(seed: Any) -> int:
    """The seed as an int. Raises ValueError if it is invalid."""
    try:
        number = operator.index(seed)
    except TypeError:
        number = -1
    if not 0 <= number < SEED_LIMIT:
        raise ValueError(f"a seed must be an integer in 0 .. 2**63 - 1, got {seed!r}")
    return number


def fresh_seed() -> int:
    """A seed from the operating system, for callers without a seed; JavaScript keeps it exactly."""
    return secrets.randbelow(1 << 53)


# The players' streams


def player_streams(
    seeds: np.ndarray | Sequence[int], num_seats: int, sitting: int | np.ndarray = 0
) -> np.ndarray:
    """Return a random stream for each seat of each table, [tables, seats].

    It is seeded by a hash of the sitting and the seat, keyed by the seed of the deal. Where a deal
    is played more than once, a different `sitting` (for all tables, or for each) gives other
    streams, so that copies of a random player do not repeat each other's moves.
    """
    out, others = np.zeros((len(seeds), num_seats), STREAM), np.zeros(len(seeds), STREAM)
    sittings = np.full(len(seeds), sitting, np.uint64)
    seed_games(checked_seeds(seeds), sittings, np.arange(len(seeds)), others, out, others)
    return out


@rule
def seed_games(seeds, sittings, rows, rngs, player_rngs, draw_rngs):
    """Start the streams of the games at table rows[k] from seeds[k] and sittings[k], uint64 [K].

    `rngs` [N] deal, `player_rngs` [N, seats] are the players', `draw_rngs` [N] draw who sits where.
    """
    purpose = np.uint64(1 + player_rngs.shape[1])
    for k in range(rows.shape[0]):
        row = rows[k]
        start_stream(rngs[row], seeds[k])
        start_players(player_rngs[row], seeds[k], sittings[k])
        draw_rngs[row].state = _first_state(seeds[k], purpose)
        draw_rngs[row].gamma = GOLDEN_GAMMA


@rule
def start_players(rngs, seed, sitting):
    """Start the streams [seats] of one game; `seed` and `sitting` are uint64."""
    for seat in range(rngs.shape[0]):
        rngs[seat].state = siphash(seed, _KEY_HIGH, sitting, np.uint64(seat) | _MESSAGE_LENGTH)
        rngs[seat].gamma = GOLDEN_GAMMA


@rule
def siphash(key_low, key_high, first, last):
    """Return the 64-bit SipHash-2-4 of 8 to 15 bytes; all arguments are uint64, little-endian.

    `first` has the first eight bytes, `last` the others and, in its highest byte, the length. It
    cannot be inverted without the key (Aumasson and Bernstein, "SipHash: a fast short-input PRF",
    INDOCRYPT 2012).
    """
    v0 = key_low ^ np.uint64(0x736F6D6570736575)
    v1 = key_high ^ np.uint64(0x646F72616E646F6D)
    v2 = key_low ^ np.uint64(0x6C7967656E657261)
    v3 = key_high ^ np.uint64(0x7465646279746573)
    for word in (first, last):
        v3 ^= word
        for _ in range(2):
            v0, v1, v2, v3 = _mix_round(v0, v1, v2, v3)
        v0 ^= word
    v2 ^= np.uint64(0xFF)
    for _ in range(4):
        v0, v1, v2, v3 = _mix_round(v0, v1, v2, v3)
    return v0 ^ v1 ^ v2 ^ v3


@rule
def _rotate(word, count):
    return (word << count) | (word >> (_WORD_BITS - count))


@rule
def _mix_round(v0, v1, v2, v3):
    """One SipRound."""
    v0 += v1
    v1 = _rotate(v1, _13) ^ v0
    v0 = _rotate(v0, _32)
    v2 += v3
    v3 = _rotate(v3, _16) ^ v2
    v0 += v3
    v3 = _rotate(v3, _21) ^ v0
    v2 += v1
    v1 = _rotate(v1, _17) ^ v2
    v2 = _rotate(v2, _32)
    return v0, v1, v2, v3
