"""Measure speed: plies per second of processor time in every view, and the time to start.

Each figure is the best of three. Actions recorded in random legal play are replayed, so that the
time is that of the environment alone. The vector environment, the playouts and other libraries but
PettingZoo choose actions themselves; there the time includes the choice.
"""

import argparse
import contextlib
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import gymnasium

import parlour

from ...envs import GAMES, find_game
from ...envs.core.catalogue import importable_name
from ...envs.registry import make_aec, make_raw_aec
from ..bench import first_games, peers, sizes
from ..bench import page as bench_record
from ..bench.replays import (
    PartTimed,
    Play,
    aec_replay,
    fused,
    solo_replay,
    solo_step_replay,
    vector_replay,
)
from ..bench.scripted_plies import match_plies, opponents_of, vector_plies
from ..options import BadArgument, check_known, positive
from ..output import add_json, file_to_write, print_table, progress_bar, write_json, write_record

BATCH = 4096  # tables of the vector environment
MAX_SEATS = 16  # player counts are tried up to this
REPEATS = 3
SECONDS = 0.5  # minimum processor time of each repeat
STEP_NAMES = {
    "vector": "vector, observed",
    "vector integer": "vector, whole numbers",
    "vector step": "vector, step()",
    "vector opponents": "vector, step(): plies of all seats",
    "match": "compiled match",
    "playouts": "playouts, unobserved",
    "aec raw step": "AEC, raw_env(): step()",
    "aec raw": "AEC, raw_env(): last(), step()",
    "aec step": "AEC, env(): step()",
    "aec": "AEC, env(): last(), step()",
    "solo": "solo, gym.make(): own plies",
    "solo step": "solo, step() alone",
    "solo statistics": "solo, RecordEpisodeStatistics",
    "solo monitor": "solo, SB3's Monitor",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The game, and what is measured."""
    parser.add_argument(
        "game", metavar="GAME", nargs="?", help="the game to measure (default: all games)"
    )
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument(
        "--peers",
        action="store_true",
        help="also measure " + ", ".join(peer.name for peer in peers.PEERS) + "; the first time, "
        "each is installed into an environment of its own",
    )
    kinds.add_argument("--cold", action="store_true", help="measure only the time to start")
    kinds.add_argument(
        "--sizes",
        action="store_true",
        help="measure only speed by the clock against the number of tables, "
        f"{sizes.SIZES[0]} to {sizes.SIZES[-1]:,}, with one thread and with several",
    )
    parser.add_argument(
        "--record",
        metavar="FILE",
        type=file_to_write,
        help="write all figures to FILE (JSON), and beside it as tables (.md) and a plot (.png)",
    )
    parser.add_argument(
        "--batch",
        type=positive,
        default=BATCH,
        metavar="N",
        help=f"number of tables in the vector environment (default {BATCH})",
    )
    parser.add_argument(
        "--quick", action="store_true", help="measure each figure once, for a short time"
    )
    parser.add_argument(
        "--threads",
        type=positive,
        default=2,
        metavar="N",
        help="number of threads that --sizes compares with one (default 2)",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Measure and print; figures of the same run can be compared."""
    if arguments.record is not None and arguments.cold:
        raise BadArgument("--record writes rates, which --cold leaves out")
    if arguments.game is not None:
        check_known([arguments.game])
    names = [arguments.game] if arguments.game else list(GAMES)
    clock = Clock(repeats=1, seconds=0.02) if arguments.quick else Clock(REPEATS, SECONDS)
    if arguments.sizes:
        run_sizes(names, clock, arguments)
        return
    report: dict[str, Any] = {"machine": machine(), "batch": arguments.batch, "games": {}}
    with progress_bar() as bar:
        task = bar.add_task("", total=None)

        def tell(what: str) -> None:
            bar.update(task, description=what)

        for name in names:
            rates = {} if arguments.cold else measure_game(name, arguments.batch, clock, tell)
            tell(f"{name}: cold and warm start")
            report["games"][name] = {
                "opponents": opponents_of(name),
                "plies_per_cpu_second": rates,
                "start": start_times(name),
            }
        libraries = arguments.peers
        report["peers"] = peers.measure(clock.seconds, clock.repeats, tell) if libraries else []
    if arguments.json != "-":
        show(report)
    write_json(report, arguments.json)
    if arguments.record is not None:
        write_record(report, arguments.record, bench_record.page, bench_record.plot)


def run_sizes(names: list[str], clock: "Clock", arguments: argparse.Namespace) -> None:
    """Measure speed against the number of tables; print or record it."""
    measured = {}
    with progress_bar() as bar:
        task = bar.add_task("", total=None)
        for name in names:
            measured[name] = sizes.measure(
                name,
                arguments.threads,
                clock.repeats,
                min(clock.seconds, sizes.LONGEST),
                lambda what: bar.update(task, description=what),
            )
    report = {"machine": machine(), "sizes": measured}
    if arguments.json != "-":
        for name, rows in measured.items():
            sizes.show(name, rows)
    write_json(report, arguments.json)
    if arguments.record is not None:
        write_record(report, arguments.record, sizes.page, sizes.plot)


class Clock:
    """Measures rates by processor time."""

    def __init__(self, repeats: int, seconds: float) -> None:
        self.repeats = repeats
        self.seconds = seconds

    def rate(self, play: Play | PartTimed) -> float:
        """Plies per second of processor time: the best repeat, after one call to warm up."""
        play()
        return max(self._repeat(play) for _ in range(self.repeats))

    def _repeat(self, play: Play | PartTimed) -> float:
        plies, spent = 0, 0.0
        while spent < self.seconds:
            start = time.process_time()
            played = play()
            took = time.process_time() - start
            number, took = played if isinstance(played, tuple) else (played, took)
            plies, spent = plies + number, spent + took
        return plies / spent


# What is measured


def measure_game(
    name: str, batch: int, clock: Clock, tell: Callable[[str], None]
) -> dict[str, dict[str, float]]:
    """Rates by what is measured and by player count."""
    rates: dict[str, dict[str, float]] = {what: {} for what in STEP_NAMES}
    for settings in player_counts(name):
        seats = find_game(name, **settings).num_seats
        for what, play in plays(name, settings, batch):
            tell(f"{name}, {seats} seats: {STEP_NAMES[what]}")
            rates[what][str(seats)] = clock.rate(play)
    return rates


def player_counts(name: str) -> list[dict[str, int]]:
    """The settings for each number of players that the game allows."""
    if "num_players" not in find_game(name).config_dict():
        return [{}]
    return [{"num_players": count} for count in range(1, MAX_SEATS + 1) if allows(name, count)]


def allows(name: str, num_players: int) -> bool:
    """Return whether the game can be played by `num_players`."""
    try:
        find_game(name, num_players=num_players)
    except ValueError:
        return False
    return True


def plays(
    name: str, settings: Mapping[str, Any], batch: int
) -> Iterator[tuple[str, Play | PartTimed]]:
    """Yield everything that is timed for one player count."""
    made = f"parlour:{GAMES[name]}"
    sizes: dict[str, Any] = {"num_envs": batch, "self_play": True, **settings}
    scaled = gymnasium.make_vec(made, **sizes)
    whole = gymnasium.make_vec(made, observation="integer", **sizes)
    scaled.reset(seed=0)
    whole.reset(seed=0)
    yield "vector", fused(scaled, batch, observe=True)
    yield "vector integer", fused(whole, batch, observe=True)
    yield "vector step", vector_replay(scaled, batch)
    yield "playouts", fused(scaled, batch, observe=False)
    player = opponents_of(name)
    yield "vector opponents", vector_plies(name, settings, player, batch)
    yield "match", match_plies(find_game(name, **settings), player, batch)
    yield "aec raw step", aec_replay(make_raw_aec(name, **settings), looks=False)
    yield "aec raw", aec_replay(make_raw_aec(name, **settings))
    yield "aec step", aec_replay(make_aec(name, **settings), looks=False)
    yield "aec", aec_replay(make_aec(name, **settings))
    solo = gymnasium.make(made, opponents=player, **settings)
    yield "solo", solo_replay(solo)
    yield "solo step", solo_step_replay(solo)
    yield "solo statistics", solo_replay(gymnasium.wrappers.RecordEpisodeStatistics(solo))
    from stable_baselines3.common.monitor import Monitor  # here, because it imports torch

    yield "solo monitor", solo_replay(Monitor(solo))


# The time to the end of the first game


def start_times(name: str) -> dict[str, dict[str, tuple[float, float]]]:
    """Return the seconds to the end of a first game, with an empty cache and with a full one.

    Both are the best of a few tries, as all that is timed here.
    """
    times = {}
    for view in first_games.VIEWS:
        tries = [_start_times(view, name) for _ in range(REPEATS)]
        times[view] = {what: min(one[what] for one in tries) for what in ("cold", "warm")}
    return times


def _start_times(view: str, name: str) -> dict[str, tuple[float, float]]:
    with tempfile.TemporaryDirectory() as cache:
        cold, warm = (first_game(view, name, cache) for _ in range(2))
    return {"cold": cold, "warm": warm}


def first_game(view: str, name: str, cache: str) -> tuple[float, float]:
    """Start Python and play a game to its end; return the seconds (CPU time, on the clock)."""
    found_at = str(Path(parlour.__file__).resolve().parents[1])
    inherited = filter(None, [os.environ.get("PYTHONPATH")])
    variables = {
        **os.environ,
        "NUMBA_CACHE_DIR": cache,
        "PYTHONPATH": os.pathsep.join([found_at, *inherited]),
    }
    # As Python starts by default: compiled code of another kind, which it keeps beside the sources.
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    start = time.time()
    shown = subprocess.run(
        [sys.executable, "-m", first_games.__name__, view, importable_name(name)],
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    )
    spent, end = map(float, shown.stdout.split())
    return spent, end - start


# What is shown


def machine() -> dict[str, Any]:
    """Describe the machine that is measured."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
    }


def _processor() -> str:
    """Return the name of the processor, where the system tells more than its kind."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def show(report: Mapping[str, Any]) -> None:
    """Print the report as tables."""
    for name, measured in report["games"].items():
        rates = measured["plies_per_cpu_second"]
        if rates:
            seats = list(rates["vector"])
            print(f"\n{name}: plies per CPU-second, batch {report['batch']:,}")
            scripted = ("solo", "vector opponents", "match")
            names = STEP_NAMES | {
                what: f"{STEP_NAMES[what]}, {measured['opponents']}" for what in scripted
            }
            rows = [[names[what], *(round(r[s]) for s in seats)] for what, r in rates.items()]
            print_table(["view", *(f"{count} seats" for count in seats)], rows)
        print(f"\n{name}: seconds from starting Python to the end of the first game")
        starts = [
            [view, *(f"{seconds:.2f}" for state in ("cold", "warm") for seconds in times[state])]
            for view, times in measured["start"].items()
        ]
        print_table(["view", "cold, CPU", "cold, clock", "warm, CPU", "warm, clock"], starts)
    if report["peers"] and rates:
        show_peers(report)


def show_peers(report: Mapping[str, Any]) -> None:
    """Print the rates of all libraries, and what was not measured."""
    for line in bench_record.missing(report):
        print(f"not measured: {line}")
    print("\nrandom legal play with observations, in the same run")
    headings = ("library", "game", "interface", "plies per CPU-second")
    print_table(headings, bench_record.peer_rows(report))
