"""Whole games between compiled players, every deal once for each sitting.

Each thread needs the memory of two positions, however many games there are.
"""

from collections.abc import Sequence

import numpy as np

from .game import Game
from .rng import STREAM, checked_seeds
from .seating import Compiled, SeatedPolicy
from .tables import EXTERNAL, deals_loop, first_fault, new_fault
from .threads import GAME_PLIES, Part, play_rows, useful_threads


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
    num_deals, num_sittings, _ = seated.shape
    num_used = useful_threads(num_deals, num_threads, num_sittings * GAME_PLIES)
    scratches = [_scratch(game) for _ in range(num_used)]
    out = np.empty(seated.shape)
    arguments = checked_seeds(seeds), codes, compiled.weights, out
    play_rows(deals_loop(game, compiled.players), num_deals, arguments, scratches, least=1)
    return out if first_fault([scratch[-1] for scratch in scratches]) is None else None


def looked_up(values: np.ndarray, seated: np.ndarray) -> np.ndarray:
    """Return values[seated], looked up once where `seated` repeats one deal for all."""
    if seated.strides[0] == 0:
        return np.broadcast_to(values[seated[0]], seated.shape)
    return values[seated]


def _scratch(game: Game) -> Part:
    """Return the arguments of `_play_deals` that belong to a thread; the last notes a fault."""
    return (
        game.new_states(2),
        np.zeros(2, STREAM),
        np.zeros(game.num_seats, STREAM),
        game.new_observations(),
        np.zeros(game.num_mask_words, np.int64),
        new_fault(),
    )
