"""Whole games between compiled players, every deal once for each sitting.

The games of `CHUNK` deals lie side by side and are played one after another, in each thread.
"""

from collections.abc import Sequence

import numpy as np

from ....envs.core.game import Game
from ....envs.core.play.loops import NO_DRAWS, NO_ROW, START, Seats, StepOptions
from ....envs.core.play.policies import SeatedPolicy, player_table
from ....envs.core.play.slices import play_slices
from ....envs.core.play.tables import Tables, step_of
from ....envs.core.rng import player_streams, streams

GAME_PLIES = 32  # estimate for a short game, by which `play_slices` counts its threads
CHUNK = 256  # deals


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
    players = player_table(game, policies)
    if not players["function"][np.unique(seated)].all():
        return None
    num_deals, num_sittings, _ = seated.shape
    out = np.empty(seated.shape)

    def play_some(first: int, end: int) -> bool:
        for start in range(first, end, CHUNK):
            some = slice(start, min(start + CHUNK, end))
            returns = _returns(game, players, seeds[some], seated[some])
            if returns is None:
                return False
            out[some] = returns
        return True

    are_played = play_slices(play_some, num_deals, num_threads, num_sittings * GAME_PLIES)
    return out if all(are_played) else None


def _returns(
    game: Game, players: np.ndarray, seeds: np.ndarray, seated: np.ndarray
) -> np.ndarray | None:
    """Return the returns of the games of some deals, or None at an illegal choice."""
    num_deals, num_sittings, num_seats = seated.shape
    num_games = num_deals * num_sittings
    dealt = Tables(game, streams(seeds))
    dealt.deal(dealt.all_rows)
    tables = Tables(game, np.repeat(dealt.rngs, num_sittings))
    tables.states[:] = np.repeat(dealt.states, num_sittings)
    sittings = tables.all_rows % num_sittings
    rngs = player_streams(np.repeat(seeds, num_sittings), num_seats, sittings)
    places = np.array(seated.reshape(num_games, num_seats), np.int16, order="C")
    seats = Seats(places, players, rngs, NO_DRAWS)
    commands = np.full(num_games, START)
    step = step_of(game)
    row = step(0, num_games, tables.games, seats, commands, tables.report, StepOptions())
    return tables.report.results["returns"].reshape(seated.shape) if row == NO_ROW else None
