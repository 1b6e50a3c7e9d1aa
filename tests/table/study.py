"""Long studies of the table, as commands; they write docs/studies/table.json and table.md.

python -m tests.table.study mixed --games 200    two browsers, an agent and a program; kill -9
python -m tests.table.study latency --tables 200 --seconds 60    on a quiet machine
python -m tests.table.study memory --games 20000
python -m tests.table.study start    how soon the first page is visible; on a quiet machine
"""

import argparse
import asyncio
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import loads, mixed

FOLDER = Path(__file__).parents[2] / "docs/studies"
RECORD = FOLDER / "table.json"
EVERY = 20  # games between two kills


def _mixed(folder: Path, arguments: argparse.Namespace) -> Any:
    kills = set(range(EVERY // 2, arguments.games, EVERY))
    return asyncio.run(mixed.play_games(folder, arguments.games, kills))


def _latency(folder: Path, arguments: argparse.Namespace) -> Any:
    forms = []
    for has_data in (True, False):
        (folder / str(has_data)).mkdir()
        forms.append(
            loads.measure_latency(
                folder / str(has_data), arguments.tables, arguments.seconds, has_data
            )
        )
        print(forms[-1], flush=True)
    return forms


def _memory(folder: Path, arguments: argparse.Namespace) -> Any:
    return loads.measure_memory(folder, arguments.games, arguments.games // 10)


def _start(folder: Path, arguments: argparse.Namespace) -> Any:
    return loads.measure_start(folder, arguments.times)


STUDIES = {"mixed": _mixed, "latency": _latency, "memory": _memory, "start": _start}


def main() -> None:
    """Run one study and record it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("study", choices=STUDIES)
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--times", type=int, default=5)
    arguments = parser.parse_args()
    load = round(os.getloadavg()[0], 1)
    with tempfile.TemporaryDirectory() as folder:
        found = STUDIES[arguments.study](Path(folder), arguments)
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    record[arguments.study] = {"cores": os.cpu_count(), "load_at_start": load, "found": found}
    RECORD.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
    (FOLDER / "table.md").write_text(page(record))
    print(json.dumps(found))


def page(record: dict[str, Any]) -> str:
    """Return the record as a page."""
    lines = ["# The table under load", ""]
    lines += ["Written by `python -m tests.table.study`; do not edit.", ""]
    writers: dict[str, Callable[[Any], list[str]]] = {
        "mixed": _mixed_lines,
        "latency": _latency_lines,
        "memory": _memory_lines,
        "start": _start_lines,
    }
    for name, write in writers.items():
        if name in record:
            held = record[name]
            lines += [*write(held["found"]), ""]
            lines += [f"{held['cores']} cores, load {held['load_at_start']} at the start.", ""]
    return "\n".join(lines).rstrip() + "\n"


def _mixed_lines(found: dict[str, Any]) -> list[str]:
    kills = ", ".join(map(str, found["killed_at_ply"]))
    return [
        "## Four kinds of seats at one table",
        "",
        f"Two browsers (pointer clicks in headless Chromium), an agent of `parlour mcp` and a "
        f"WebSocket program played {found['games']} games of President with four seats, "
        f"{found['plies']:,} plies. After every game the four agreed on the number of plies and on "
        f"the returns, and none had missed a ply: {found['errors']} errors, "
        f"{found['missing_plies']} lost messages. The server was killed with SIGKILL in the middle "
        f"of {len(found['killed_at_ply'])} games (at ply {kills}) and started again; all went on.",
    ]


def _latency_lines(found: list[dict[str, Any]]) -> list[str]:
    rows = [
        f"| {'pictures' if each['pictures'] else 'data'} | {each['tables']} | {each['moves']:,} | "
        f"{each['plies_a_second']} | "
        f"{each['median']} | {each['p90']} | {each['p99']} | {each['p999']} | {each['max']} | "
        f"{100 * each['server_cpu']:.0f} % |"
        for each in found
    ]
    return [
        "## Many tables at once",
        "",
        "A script at each table makes a move a second; opponents that answer at once take the "
        "other seats, and all five games are played. The time of a move is from the request to the "
        "position that shows it, in milliseconds, with the scripts on this machine too. They are "
        "sent data, or pictures as browsers are. Promised: 99 % below 50 ms.",
        "",
        "| form | tables | moves | plies a second | median | 90 % | 99 % | 99.9 % | most | "
        "server's use of a core |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        *rows,
    ]


def _memory_lines(found: dict[str, Any]) -> list[str]:
    points = ", ".join(
        f"{games:,}: {kib / 1024:.0f}" for games, kib in found["memory_kib"][:: max(1, 4)]
    )
    return [
        "## Memory over many games",
        "",
        f"{found['games']:,} games of all five kinds, eight at a time: the resident memory grew by "
        f"{100 * found['growth']:.1f} % after the first {found['first']:,} (promised: below 5 %). "
        f"MiB after so many games: {points}.",
    ]


def _start_lines(found: dict[str, Any]) -> list[str]:
    times = ", ".join(f"{each:.2f}" for each in found["seconds"])
    return [
        "## The first page",
        "",
        f"From the command to the first page with content in a browser that is already open: "
        f"{found['median']:.2f} s (median of {times}; promised: 2 s, warm). The server answered "
        f"after {found['answered']:.2f} s.",
    ]


if __name__ == "__main__":
    main()
