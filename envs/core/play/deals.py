"""Whole games between compiled players, every deal once for each sitting.

Each thread needs the memory of two positions, however many games there are.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..game import Game
from ..rng import checked_seeds
from .loops import EXTERNAL, NO_DRAWS, NO_ROW, Seated, loops_of
from .seating import Compiled, SeatedPolicy
from .slices import play_slices
from .tables import Tables, new_streams

GAME_PLIES = 32  # of a short game: what a thread's slice is worth


class _Out(NamedTuple):
    """What a loop of whole games writes to."""

    returns: np.ndarray  # [deals, sittings, seats]
    records: np.ndarray  # [1] scratch


def play_compiled(
    game: Game,
    policies: Sequence[SeatedPolicy],
    seeds: np.ndarray,
    seated: np.ndarray,
    num_threads: int = 1,
) -> np.ndarray | None:
    """Play deals with policy `seated[deal, sitting, seat]` in each seat, in up to `num_threads`.

    Returns the returns [deals, sittings, seats]; None where one of these players is not compiled,
    and where one has chosen an illegal action.
    """
    compiled = Compiled.of(policies)
    small = compiled.codes.astype(np.int16)  # new memory takes longer than what is written to it
    codes = np.ascontiguousarray(looked_up(small, seated))
    if (codes == EXTERNAL).any():
        return None
    num_deals, num_sittings, num_seats = seated.shape
    play, seeds = loops_of(game, compiled.players).play_deals, checked_seeds(seeds)
    out = np.empty(seated.shape)

    def play_some(first: int, end: int) -> int:
        games = Tables(game, new_streams((2,))).games()
        none = np.zeros((2, num_seats), np.int64)
        places = Seated(none, compiled.weights, new_streams((2, num_seats)), none, NO_DRAWS)
        written = _Out(out, game.new_observations())
        return int(play(first, end, seeds, codes, games, places, written))

    faults = play_slices(play_some, num_deals, num_threads, num_sittings * GAME_PLIES)
    return out if all(row == NO_ROW for row in faults) else None


def looked_up(values: np.ndarray, seated: np.ndarray) -> np.ndarray:
    """Return values[seated], looked up once where `seated` repeats one deal for all."""
    if seated.strides[0] == 0:
        return np.broadcast_to(values[seated[0]], seated.shape)
    return values[seated]
