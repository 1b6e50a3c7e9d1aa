"""A study: all players of Notty against each other, `python -m parlour.baselines.notty_pairs`.

Most games end at the turn limit, so what is told is how many are won and lost with their intervals,
how many are left unfinished, and the hazard: games won per own turn.
"""

import argparse
import time
from itertools import combinations_with_replacement

import numpy as np

from ..envs.core.game import NO_SEAT
from ..envs.core.rng import streams
from ..envs.core.seating import Seating, player_streams
from ..envs.core.tables import Tables
from ..envs.registry import load_game
from .arena.statistics import wilson
from .notty import PLAYERS
from .players import make_policy

COLUMNS = ("player", "against", "games", "won, %", "lost, %", "unfinished, %", "hazard")


def main() -> None:
    """Play every pair and print a row of a Markdown table for each."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--games", type=int, default=100, help="games of each pair")
    parser.add_argument("--players", default=",".join(PLAYERS), help="names, weakest first")
    parser.add_argument("--only", help="a player that must be in each pair")
    arguments = parser.parse_args()
    names = arguments.players.split(",")
    print(_row(COLUMNS))
    print(_row(["---"] * len(COLUMNS)))
    start = time.process_time()
    for weaker, stronger in combinations_with_replacement(names, 2):
        if arguments.only in (None, weaker, stronger):
            print(_row(measure(names, stronger, weaker, arguments.games)), flush=True)
    print(f"\n{time.process_time() - start:.0f} seconds of processor time")


def measure(names: list[str], one: str, other: str, num_games: int) -> list[str]:
    """Play `one` against `other`, each beginning in every second game."""
    game = load_game("notty")
    seeds = range(num_games)
    tables = Tables(game, streams(seeds))
    seats = np.arange(num_games) % 2  # where `one` sits
    seated = np.full((num_games, 2), names.index(other))
    seated[np.arange(num_games), seats] = names.index(one)
    policies = [make_policy(name, game) for name in names]
    tables.deal(tables.all_rows)
    Seating(tables, policies, seated, player_streams(list(seeds), 2)).advance(tables.all_rows)
    winners, own_turns = tables.states["winner"], tables.states["turns_played"].sum() / 2
    won = int((winners == seats).sum())
    unfinished = int((winners == NO_SEAT).sum())
    lost = num_games - won - unfinished
    shares = [_share(count, num_games) for count in (won, lost, unfinished)]
    return [f"`{one}`", f"`{other}`", f"{num_games}", *shares, f"{won / own_turns:.4f}"]


def _share(count: int, total: int) -> str:
    share, low, high = wilson(count / total, total)
    return f"{100 * share:.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def _row(cells: list[str] | tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
