"""Verify the results in a store: check its hash chain, and play its deals again.

The exit status is 1 where anything differs or could not be played again. Without `--sample`, all
deals are played.
"""

import argparse

from ...baselines.arena.results.verification import is_verified, verify_store
from ..options import BadArgument
from ..output import add_json, print_table, print_text, progress_counter, write_json
from ..plans import stored_results
from ..table.stored_games import deal_seed
from ..validators import positive

DIFFERENT = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The store, and how much of it."""
    parser.add_argument("store", metavar="STORE", help="file written by `--store`")
    parser.add_argument(
        "--sample",
        type=positive,
        metavar="N",
        help="play a random sample of N deals again (default: all)",
    )
    parser.add_argument(
        "--trust", action="store_true", help="run the players' files that a store names"
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print a row for each match, and the state of the chain."""
    with stored_results(arguments.store) as store:
        with progress_counter("deals", arguments.sample) as on_progress:
            rows = verify_store(store, arguments.sample, deal_seed, arguments.trust, on_progress)
        breaks, head = store.breaks(), store.head()
    if not rows:
        raise BadArgument(f"{arguments.store} has no results to verify")
    if arguments.json != "-":
        headings = ("game", "players", "deals", "played again", "different", "note")
        print_table(headings, rows)
        for line in breaks:
            print_text(f"hash chain: {line}")
        if not breaks:
            print_text(f"hash chain: whole, {head}")
    data = {"matches": [row._asdict() for row in rows], "breaks": breaks, "head": head}
    write_json(data, arguments.json)
    if not is_verified(rows, breaks):
        raise SystemExit(DIFFERENT)
