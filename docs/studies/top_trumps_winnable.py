"""How many games can be won from `goliath` once every card has been seen?

`python -m docs.studies.top_trumps_winnable` lets two `goliath` play the first tricks,
in which nobody knows the opponent's top card. From then on a seat that knew all cards would meet a
`goliath` whose moves are certain, if that knew all cards too: the search of `david` then finds
nearly always whether the seat can win.
"""

import argparse
import time

import numpy as np

from parlour.baselines.top_trumps.david import goliath_field
from parlour.baselines.top_trumps.endgame import (
    DOUBTS,
    MAX_DEVIATIONS,
    NUM_DEVIATIONS,
    can_win,
    new_endgame,
    note_outcomes,
    read_position,
)
from parlour.envs.core.compile import rule
from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game
from parlour.envs.top_trumps.rules import apply_action, deal, is_terminal

SEED = 10_000_000


def main() -> None:
    """Print the share of positions that goliath wins, and of those that can be won."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--deals", type=int, default=20_000, help="number of deals (default 20000)")
    parser.add_argument("--seed", type=int, default=SEED, help="seed of the first deal")
    arguments = parser.parse_args()
    if arguments.deals < 1:
        parser.error(f"--deals must be at least 1; got {arguments.deals}")
    if arguments.seed < 0:
        parser.error(f"--seed must be at least 0; got {arguments.seed}")
    start = time.process_time()
    by_goliath, by_search, leads = winnable(arguments.deals, arguments.seed)
    print("             with the lead, %   without, %   all, %")
    for name, won in (("goliath", by_goliath), ("search", by_search)):
        with_lead, without, both = (
            100 * won[rows].mean() for rows in (leads, ~leads, leads | True)
        )
        print(f"{name:10}   {with_lead:16.1f}   {without:10.1f}   {both:6.1f}")
    print(f"{len(leads):,} positions, {time.process_time() - start:.0f} s of processor time")


def winnable(num_deals: int, seed: int = SEED) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return bool [positions]: whether goliath wins, a search finds a win, and the seat leads.

    Deals that end before every card was seen are left out.
    """
    game = load_game("top_trumps")
    flags = np.zeros((num_deals, 4), np.int8)
    _search(game.new_states()[0], streams(range(seed, seed + num_deals)), new_endgame(game), flags)
    by_goliath, by_search, leads, is_reached = flags.astype(bool).T
    return by_goliath[is_reached], by_search[is_reached], leads[is_reached]


@rule
def _search(state, rngs, endgame, flags):
    """Write for each deal who wins, who leads, and whether all cards were seen."""
    for row in range(flags.shape[0]):
        seat = row & 1
        deal(state, rngs[row])
        while not is_terminal(state) and max(state.num_unplayed[0], state.num_unplayed[1]) > 0:
            apply_action(state, goliath_field(state, np.int64(state.starter), rngs[row]))
        flags[row, 3] = not is_terminal(state)
        if flags[row, 3]:
            note_outcomes(state.values, endgame.outcomes)
            flags[row, 0] = can_win_knowing_all(state, seat, endgame, np.int64(0))
            flags[row, 1] = can_win_knowing_all(state, seat, endgame, np.int64(MAX_DEVIATIONS))
            flags[row, 2] = state.starter == seat


@rule
def can_win_knowing_all(state, seat, endgame, num_deviations):
    """Whether the seat can win with this many deviations at most if both know all places."""
    read_position(state, seat, endgame)
    endgame.rows[0, DOUBTS] = 0
    endgame.rows[0, NUM_DEVIATIONS] = MAX_DEVIATIONS - num_deviations
    return can_win(endgame, state.values, np.uint64(0))


if __name__ == "__main__":
    main()
