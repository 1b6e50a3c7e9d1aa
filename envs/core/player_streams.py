"""The random streams of the players: one for each seat of each game, independent of the deal."""

from collections.abc import Sequence
from itertools import count

import numpy as np

from .jit import plain, rule
from .rng import GOLDEN_GAMMA, STREAM, checked_seeds
from .siphash import siphash

_KEY_HIGH = np.uint64(int.from_bytes(b"parlour.", "little"))  # the other half is the seed
_MESSAGE_LENGTH = np.uint64(15 << 56)  # a sitting in 8 bytes and a seat in 7
_PLAIN_CALLS = 64  # of a process, which together take less time than compiling
_calls = count(1)


def player_streams(
    seeds: np.ndarray | Sequence[int], num_seats: int, sitting: int | np.ndarray = 0
) -> np.ndarray:
    """Return a random stream for each seat of each table, [tables, seats].

    It is seeded by a hash of the sitting and the seat, keyed by the seed of the deal. Where a deal
    is played more than once, a different `sitting` (for all tables, or for each) gives other
    streams, so that copies of a random player do not repeat each other's moves.
    """
    out = np.zeros((len(seeds), num_seats), STREAM)
    sittings = np.full(len(seeds), sitting, np.uint64)
    out["state"] = _hash_seats(checked_seeds(seeds), sittings, num_seats)
    out["gamma"] = GOLDEN_GAMMA
    return out


def _hash_seats(seeds: np.ndarray, sittings: np.ndarray, num_seats: int) -> np.ndarray:
    """Return a hash for each seat of each table: [tables, seats]."""
    if next(_calls) > _PLAIN_CALLS:
        out = np.empty((len(seeds), num_seats), np.uint64)
        _hash_each(seeds, sittings, out)
        return out
    seats = np.arange(num_seats, dtype=np.uint64)
    keys, sittings, seats = np.broadcast_arrays(seeds[:, None], sittings[:, None], seats)
    return np.asarray(plain(_hash_seat)(keys, sittings, seats))


@rule
def _hash_seat(seed, sitting, seat):
    return siphash(seed, _KEY_HIGH, sitting, seat | _MESSAGE_LENGTH)


@rule
def _hash_each(seeds, sittings, out):
    for index in range(seeds.shape[0]):
        for seat in range(out.shape[1]):
            out[index, seat] = _hash_seat(seeds[index], sittings[index], np.uint64(seat))


@rule
def start_players(rngs, seed, sitting):
    """Start the streams [seats] of one game; `seed` and `sitting` are uint64."""
    for seat in range(rngs.shape[0]):
        rngs[seat].state = _hash_seat(seed, sitting, np.uint64(seat))
        rngs[seat].gamma = GOLDEN_GAMMA
