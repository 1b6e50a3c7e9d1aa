"""Long studies of the table, as commands; they write docs/studies/table.json and table.md.

python -m tests.table.study mixed --games 200    two browsers, an agent and a program; kill -9
python -m tests.table.study leak --pairs 10000    of each game: same knowledge, same bytes
python -m tests.table.study latency --tables 200 --seconds 60    on a quiet machine
python -m tests.table.study memory --games 20000
python -m tests.table.study start    how soon the first page is visible; on a quiet machine
python -m tests.table.study screens --positions 4000    lines and widths at the console

`mixed` and `leak` go on where they were stopped: runs/table has what they have found so far.
--note says under which conditions a study ran, for the page.
"""

import argparse
import asyncio
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import loads, mixed, screens

FOLDER = Path(__file__).parents[2] / "docs/studies"
RECORD = FOLDER / "table.json"
PROGRESS = Path(__file__).parents[2] / "runs/table"
EVERY = 20  # games between two kills
BLOCK = 250  # pairs between two notes of what has been compared
HELPED = 100  # pairs for each one that is also compared with hints and explanations


def _mixed(folder: Path, arguments: argparse.Namespace) -> Any:
    kills = set(range(EVERY // 2, arguments.games, EVERY))
    found, keep = _progress("mixed")
    asyncio.run(mixed.play_games(folder, arguments.games, kills, found, keep))
    return found


def _leak(folder: Path, arguments: argparse.Namespace) -> Any:
    from . import leaks  # what it compiles would slow the other studies down

    found, keep = _progress("leak")
    for name, settings in leaks.CASES:
        case = found.setdefault(f"{name} {settings}", {"game": name, "settings": settings})
        _compare(case, "seats", leaks.compare_seats, arguments.pairs, BLOCK, keep)
        _compare(case, "spectators", leaks.compare_spectators, arguments.pairs, BLOCK, keep)
        if (name, settings) in leaks.HIDING:
            _compare(case, "helped", leaks.compare_help, arguments.pairs // HELPED, 10, keep)
    return list(found.values())


def _compare(
    case: dict[str, Any],
    what: str,
    compare: Callable[..., int],
    num_pairs: int,
    size: int,
    keep: Callable[[], None],
) -> None:
    """Compare pairs block by block until there are enough."""
    case.setdefault(what, 0)
    while case[what] < num_pairs:
        block = case.get(f"{what} blocks", 0)
        case[what] += compare(case["game"], case["settings"], size, block)
        case[f"{what} blocks"] = block + 1
        keep()
        print(f"{case['game']}: {case[what]:,} pairs, {what}", flush=True)


def _progress(study: str) -> tuple[dict[str, Any], Callable[[], None]]:
    """Return what an interrupted study had found, and a function that keeps what is found now."""
    path = PROGRESS / f"{study}.json"
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}

    def keep() -> None:
        PROGRESS.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".new").write_text(json.dumps(found))
        path.with_suffix(".new").rename(path)

    return found, keep


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


def _screens(folder: Path, arguments: argparse.Namespace) -> Any:
    os.environ.update(COLUMNS="80", LINES="24")
    found = []
    for name, settings in screens.TABLES:
        case = screens.measure_screens(name, settings, arguments.positions, seed=1)
        found.append({"game": name, "settings": settings, **case})
        print(found[-1], flush=True)
    return found


STUDIES = {
    "mixed": _mixed,
    "leak": _leak,
    "latency": _latency,
    "memory": _memory,
    "start": _start,
    "screens": _screens,
}


def main() -> None:
    """Run one study and record it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("study", choices=STUDIES)
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--positions", type=int, default=4000)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--note", default="")
    arguments = parser.parse_args()
    load = round(os.getloadavg()[0], 1)
    with tempfile.TemporaryDirectory() as folder:
        found = STUDIES[arguments.study](Path(folder), arguments)
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    held = {"cores": len(os.sched_getaffinity(0)), "load_at_start": load, "found": found}
    record[arguments.study] = {**held, "note": arguments.note}
    RECORD.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
    (FOLDER / "table.md").write_text(page(record))
    (PROGRESS / f"{arguments.study}.json").unlink(missing_ok=True)
    print(json.dumps(found))


def page(record: dict[str, Any]) -> str:
    """Return the record as a page."""
    lines = ["# The table under load", ""]
    lines += ["Written by `python -m tests.table.study`; do not edit.", ""]
    writers: dict[str, Callable[[Any], list[str]]] = {
        "mixed": _mixed_lines,
        "leak": _leak_lines,
        "latency": _latency_lines,
        "memory": _memory_lines,
        "start": _start_lines,
        "screens": _screens_lines,
    }
    for name, write in writers.items():
        if name in record:
            held = record[name]
            lines += [*write(held["found"]), ""]
            cores = "1 core" if held["cores"] == 1 else f"{held['cores']} cores"
            load = f"load {held['load_at_start']} in the minute before"
            lines += [" ".join(filter(None, (f"{cores}, {load}.", held.get("note")))), ""]
    return "\n".join(lines).rstrip() + "\n"


def _mixed_lines(found: dict[str, Any]) -> list[str]:
    kills = ", ".join(map(str, found["killed_at_ply"]))
    return [
        "## Four kinds of seats at one table",
        "",
        f"Two browsers (pointer clicks in headless Chromium), an agent of `parlour mcp` and a "
        f"WebSocket program played {found['games']} games of President with four seats, "
        f"{found['plies']:,} plies, {found['clicks']:,} clicks. Each of the four checks that it "
        f"hears of every ply, and after every game that all agree on the number of plies and on "
        f"the returns: {found['errors']} errors or lost messages. The server was killed with "
        f"SIGKILL in the middle of {len(found['killed_at_ply'])} games (at ply {kills}) and "
        f"started again; all went on. Times that the study was started: {found['runs']}.",
    ]


def _leak_lines(found: list[dict[str, Any]]) -> list[str]:
    rows = [
        f"| {each['game']} | {_settings(each['settings'])} | {each['seats']:,} | "
        f"{each['spectators']:,} | {each.get('helped', '')} |"
        for each in found
    ]
    return [
        "## Nothing hidden is sent",
        "",
        "Pairs of positions that differ only in what a seat cannot know, from random games, each "
        "as it is or after the same action in both. All bytes that the seat is sent are the same: "
        "to a browser (wide and narrow pictures), to a program with a WebSocket, and to an "
        "agent with tools; likewise all bytes for spectators. At the pairs of the last column, "
        "hints, reviews and explanations are the same too (games with hidden cards only).",
        "",
        "| game | settings | pairs, seats | pairs, spectators | pairs, help |",
        "| --- | --- | --- | --- | --- |",
        *rows,
    ]


def _settings(settings: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in settings.items()) or "default"


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
    points = ", ".join(f"{games:,}: {kib / 1024:.0f}" for games, kib in found["memory_kib"])
    return [
        "## Memory over many games",
        "",
        f"{found['games']:,} games of all five kinds, eight at a time: after the first "
        f"{found['first']:,} the resident memory changed by {100 * found['growth']:+.1f} % (the "
        f"mean of the later half of the readings, against the earlier; promised: less than 5 % "
        f"more). MiB by the number of games: {points}.",
    ]


def _start_lines(found: dict[str, Any]) -> list[str]:
    median = found["medians"]
    times = ", ".join(f"{each:.2f}" for each in found["times"]["page"])
    return [
        "## The first page",
        "",
        f"From the command to the first page, the list of games, in a browser that is already "
        f"open: {median['page']:.2f} s (median of {times}; promised: 2 s, warm). The server had "
        f"printed its address after {median['answered']:.2f} s. The choice of seats and settings, "
        f"for which the rules are loaded, was there after {median['choices']:.2f} s.",
    ]


def _screens_lines(found: list[dict[str, Any]]) -> list[str]:
    rows = [
        f"| {each['game']} | {_settings(each['settings'])} | {each['positions']:,} | "
        f"{each['lines']} | {each['width']} | {each['moves']} | "
        f"{100 * each['folded'] / each['positions']:.1f} % | {each['split']} |"
        for each in found
    ]
    return [
        "## Screens of the console",
        "",
        "Positions of games between random players, which hold more gems and cards than people "
        "do, as `parlour play GAME --text` shows them on 80 x 24: most lines with the prompt, the "
        "widest line, most legal moves, how often moves that begin alike are one entry (typing "
        "their beginning lists them), and how many positions need more than one screen.",
        "",
        "| game | settings | positions | lines | width | moves | folded | more than a screen |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        *rows,
    ]


if __name__ == "__main__":
    main()
