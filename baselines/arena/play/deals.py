"""Whole games between compiled players, every deal once for each sitting.

Each thread needs the memory of two positions, however many games there are.
"""

from collections.abc import Sequence

import numpy as np

from ....envs.core.compile import bind_inline
from ....envs.core.game import NO_ACTION, Game
from ....envs.core.play.loops import EXTERNAL, FAULT, NO_DRAWS, NO_ROW, Seated, meanings_with
from ....envs.core.play.seating import Compiled, SeatedPolicy
from ....envs.core.play.slices import play_slices
from ....envs.core.play.tables import Tables, new_streams
from ....envs.core.rng import checked_seeds, start_players, start_stream

GAME_PLIES = 32  # estimate for a short game, by which `play_slices` counts its threads


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
    codes = compiled.codes.astype(np.int16)[seated]
    if (codes == EXTERNAL).any():
        return None
    num_deals, num_sittings, num_seats = seated.shape
    play = bind_inline(_play_deals, **meanings_with(game, compiled.players))
    seeds = checked_seeds(seeds)
    out = np.empty(seated.shape)

    def play_some(first: int, end: int) -> int:
        games = Tables(game, new_streams((2,))).games()
        none = np.zeros((2, num_seats), np.int64)
        places = Seated(none, compiled.weights, new_streams((2, num_seats)), none, NO_DRAWS)
        return int(play(first, end, seeds, codes, games, places, game.new_observations(), out))

    faults = play_slices(play_some, num_deals, num_threads, num_sittings * GAME_PLIES)
    return out if all(row == NO_ROW for row in faults) else None


def _play_deals(first, end, seeds, codes, games, seated, records, out):
    """Play a whole game of deal seeds[k] by the players codes[k, sitting] [seats], each sitting.

    `games` and `seated` have two rows, for the deal and the game; `records` [1] is scratch. The
    returns go to out [deals, sittings, seats]. Stop at an illegal choice and return its deal, or
    NO_ROW.
    """
    for k in range(first, end):
        start_stream(games.rngs[0], seeds[k])
        deal(games.states[0], games.rngs[0])
        for sitting in range(codes.shape[1]):
            games.states[1] = games.states[0]
            games.rngs[1] = games.rngs[0]
            for seat in range(codes.shape[2]):
                seated.codes[1, seat] = codes[k, sitting, seat]
            start_players(seated.rngs[1], seeds[k], np.uint64(sitting))
            if advance(1, games, seated, np.int64(NO_ACTION), records[0], False) == FAULT:
                return k
            returns(games.states[1], out[k, sitting])
    return NO_ROW
