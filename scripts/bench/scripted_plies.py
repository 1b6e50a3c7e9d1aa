"""Plies among seats of one scripted player, to time: in the vector environment and in a match.

Both count the plies of all seats. In the vector environment one seat repeats, through `step()`,
the choices that the script made there before.
"""

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np

from ...baselines import list_policies, make_policy
from ...baselines.arena.play.batches import play_deals
from ...envs import GAMES, find_game
from ...envs.core.game import Game
from ...envs.core.play.playthrough import turns
from ...envs.core.play.tables import Tables
from ...envs.core.rng import player_streams, streams
from .replays import REPLAYED_PLIES, Play

COUNTED_GAMES = 512
# The first that the game has: a script, since nothing is written for players that do not look.
OPPONENTS = ("maxer", "defensive", "greedy", "smart", "lowest", "random")


def opponents_of(name: str) -> str:
    """Return the player in the other seats, where one seat learns, and in all seats of a match."""
    players = list_policies(find_game(name))
    return next(player for player in OPPONENTS if player in players)


def vector_plies(name: str, settings: Mapping[str, Any], player: str, batch: int) -> Play:
    """Play at `batch` tables with `player` in the other seats."""
    game = find_game(name, **settings)
    envs: Any = gymnasium.make_vec(
        f"parlour:{GAMES[name]}", num_envs=batch, opponents=player, **settings
    )
    envs.reset(seed=1)
    recorded = []
    policy, rngs = make_policy(player, game), player_streams(np.arange(batch), 1)[:, 0]
    for _ in range(REPLAYED_PLIES):
        tables = envs._tables
        seen = tables.observe(tables.all_rows, envs._games.seats)
        recorded.append(policy(seen, envs.action_masks(), rngs))
        envs.step(recorded[-1])
    num_plies, num_own = count_plies(game, player)

    def play() -> int:
        envs.reset(seed=1)
        for actions in recorded:
            envs.step(actions)
        return round(REPLAYED_PLIES * batch * num_plies / num_own)

    return play


def match_plies(game: Game, player: str, num_games: int) -> Play:
    """Play whole games with `player` in every seat, in one compiled loop."""
    policy = make_policy(player, game)
    seated = np.zeros((num_games, 1, game.num_seats), np.int64)
    num_plies = count_plies(game, player)[0] * num_games // COUNTED_GAMES

    def play() -> int:
        play_deals(game, (policy,), np.arange(num_games), seated)
        return num_plies

    return play


def count_plies(game: Game, player: str) -> tuple[int, int]:
    """Return the plies of all seats, and those of seat 0, in `COUNTED_GAMES` games."""
    policy, seeds = make_policy(player, game), np.arange(COUNTED_GAMES)
    tables, rngs = Tables(game, streams(seeds)), player_streams(seeds, game.num_seats)
    tables.deal(tables.all_rows)
    num_plies, num_own = 0, 0
    for turn in turns(tables):
        num_plies += len(turn.rows)
        num_own += int((turn.seats == 0).sum())
        turn.ask(policy, rngs)
    return num_plies, num_own
