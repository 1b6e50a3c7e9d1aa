"""All players of Notty against each other: `python -m docs.studies.notty_pairs`.

Most games end at the turn limit. The table shows the shares of games won, lost and unfinished with
their intervals, the share of decided games that are won, and the hazard: games won per turn of the
player. Each deal is played twice, once from each side and with different chance after the deal, so
that neither side gains from a deal that decides the game.
"""

import argparse
import time
from collections.abc import Sequence
from itertools import combinations_with_replacement

import numpy as np

from parlour.baselines.notty.players import PLAYERS
from parlour.baselines.players.making import make_policy
from parlour.baselines.statistics.estimates import proportion_of_deals
from parlour.envs.core.game import NO_SEAT, check_range
from parlour.envs.core.play.driver import Seating
from parlour.envs.core.play.tables import Tables
from parlour.envs.core.rng import player_streams, streams
from parlour.envs.registry import load_game

NUM_SEATS = 2
GAMES_A_DEAL = 2
MAX_DEALS = 10**9
AFTER_THE_DEAL = 5  # purpose of the streams that the second games draw cards from
FIRST_SEED = 100_000  # far from the deals on which `finisher` was chosen
COLUMNS = (
    *("player", "against", "games", "won, %", "lost, %", "unfinished, %"),
    *("won of the decided, %", "hazard"),
)


def main() -> None:
    """Play every pair and print a row of a Markdown table for each."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--deals", type=int, default=100, help="deals of each pair, played twice")
    parser.add_argument("--seed", type=int, default=FIRST_SEED, help="seed of the first deal")
    parser.add_argument(
        "--players", default=",".join(PLAYERS), help="names of players, weakest first"
    )
    parser.add_argument("--only", help="a player that must be in each pair")
    arguments = parser.parse_args()
    players = arguments.players.split(",")
    try:
        check_range("--deals", arguments.deals, 1, MAX_DEALS)
        for player in players:
            make_policy(player, load_game("notty"))
    except ValueError as error:
        parser.error(str(error))
    seeds = range(arguments.seed, arguments.seed + arguments.deals)
    print(markdown_row(COLUMNS))
    print(markdown_row(["---"] * len(COLUMNS)))
    start = time.process_time()
    for weaker, stronger in combinations_with_replacement(players, NUM_SEATS):
        if arguments.only in (None, weaker, stronger):
            print(markdown_row(measure(stronger, weaker, seeds)), flush=True)
    print(f"\n{time.process_time() - start:.0f} seconds of processor time")


def measure(one: str, other: str, seeds: Sequence[int]) -> list[str]:
    """A row of the table: `one` against `other`, each deal from both sides."""
    winners, turns = play_deals(one, other, seeds)
    seats = np.arange(GAMES_A_DEAL)  # where `one` sits
    is_won, is_unfinished = winners == seats, winners == NO_SEAT
    is_lost = ~is_won & ~is_unfinished
    is_any = np.ones_like(is_won)
    percentages = [_percentage(is_so, is_any) for is_so in (is_won, is_lost, is_unfinished)]
    percentages.append(_percentage(is_won, ~is_unfinished))
    hazard = is_won.sum() / (turns.sum() / NUM_SEATS)
    return [f"`{one}`", f"`{other}`", f"{winners.size:,}", *percentages, f"{hazard:.4f}"]


def play_deals(one: str, other: str, seeds: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """The winning seats and the turns of both seats, [deals, 2]; `one` sits at 0, then at 1."""
    game = load_game("notty")
    policies = [make_policy(name, game) for name in (one, other)]
    tables = Tables(game, np.repeat(streams(seeds), GAMES_A_DEAL))
    tables.deal(tables.all_rows)
    tables.rngs[1::GAMES_A_DEAL] = streams(seeds, AFTER_THE_DEAL)
    sittings = [player_streams(seeds, NUM_SEATS, sitting) for sitting in range(GAMES_A_DEAL)]
    rngs = np.stack(sittings, axis=1).reshape(-1, NUM_SEATS)
    seated = np.tile([[0, 1], [1, 0]], (len(seeds), 1))
    Seating(tables, policies, seated, rngs).advance(tables.all_rows)
    shape = (len(seeds), GAMES_A_DEAL)
    states = tables.states
    return states["winner"].reshape(shape).copy(), states["turns_played"].reshape(shape).copy()


def _percentage(is_so: np.ndarray, is_counted: np.ndarray) -> str:
    """A share of the games counted in per cent, with the deal as the unit of its interval."""
    games = is_counted.sum(axis=1)
    if not games.any():
        return "-"
    sums = is_so.sum(axis=1).astype(float)
    mean, low, high = proportion_of_deals(sums[games > 0], games[games > 0])
    return f"{100 * mean:.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def markdown_row(cells: Sequence[str]) -> str:
    """A row of a Markdown table."""
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
