"""A tournament in a process of its own, to be killed with signal 9 wherever it happens to be."""

import dataclasses
import json
import random
import sqlite3
import subprocess
import sys
from pathlib import Path

from parlour.baselines.arena import Plan, Store, Workers, play_tournament
from parlour.baselines.statistics.result_data import as_data
from parlour.envs import load_game

CHECKOUT = Path(__file__).resolve().parents[2]
PLAYERS = ("random", "first_play", "smart")
NUM_DEALS = 400
CLUSTER_DEALS = 60  # there a batch takes far longer
BATCH_DEALS = 4  # 100 batches for each of three pairs, or 15 on a cluster
NUM_BATCHES, CLUSTER_BATCHES = 300, 45
DONE = "done "


def main(store: str, *options: str) -> None:
    """Play the tournament with this store; tell of every batch, then give the table.

    With the option `cluster` it is played by two workers of a Ray cluster.
    """
    game = load_game("trick_taking")
    workers = Workers(2, cluster=True) if "cluster" in options else Workers()
    num_deals = CLUSTER_DEALS if "cluster" in options else NUM_DEALS
    with Store(store) as opened:
        table = play_tournament(
            game,
            PLAYERS,
            num_deals,
            on_progress=lambda games: print(games, flush=True),
            plan=Plan(workers, BATCH_DEALS, opened),
        )
    print(DONE + json.dumps(as_data(dataclasses.replace(table, origin={}))), flush=True)


def start(store: Path, *options: str) -> subprocess.Popen:
    """The tournament, going on with what the store has."""
    command = [sys.executable, "-m", __name__, str(store), *options]
    return subprocess.Popen(command, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True)


def undisturbed(store: Path) -> str:
    """The table of a run that nobody kills."""
    return _table(start(store))


def with_kills(store: Path, num_kills: int, seed: int, *options: str) -> tuple[str, list[int]]:
    """The table in the end, and how many batches there were after each kill.

    A run is killed once it has reported a number of batches, drawn at random; it plays on while the
    signal comes, so that this finds it anywhere.
    """
    rng = random.Random(seed)
    num_batches = CLUSTER_BATCHES if "cluster" in options else NUM_BATCHES
    survived = []
    for _ in range(num_kills):
        process = start(store, *options)
        assert process.stdout is not None
        for _ in range(rng.randint(1, 2 * num_batches // (3 * num_kills))):
            assert not process.stdout.readline().startswith(DONE)
        process.kill()
        process.communicate()
        survived.append(batches_in(store))
    return _table(start(store, *options)), survived


def batches_in(store: Path) -> int:
    """How many batches the file has; it is whole, whatever happened."""
    with sqlite3.connect(store) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        counted = "SELECT count(*) FROM batch"
        return database.execute(counted).fetchone()[0]


def _table(process: subprocess.Popen) -> str:
    output, _ = process.communicate()
    last = output.splitlines()[-1]
    assert last.startswith(DONE)
    return last.removeprefix(DONE)


if __name__ == "__main__":
    main(*sys.argv[1:])
