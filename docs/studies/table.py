"""The table under load, as a command that writes docs/studies/table.json and table.md.

python -m docs.studies.table --tables 200 --seconds 60    on a quiet machine
"""

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import websockets

FOLDER = Path(__file__).parent
RECORD = FOLDER / "table.json"

# Games as they are played, with two settings changed so that a game ends within a minute or so.
GAMES: dict[str, dict[str, Any]] = {
    "top_trumps": {"deck": "planets"},
    "notty": {"turn_limit": 30},
    "splendor": {},
    "trick_taking": {},
    "president": {},
}
SEATS = {"president": 4}
OPPONENT = "random"
FIRST_SECONDS = 10.0  # in which the tables are opened; no part of the figures


def posted(address: str, path: str, data: dict[str, Any], key: str) -> dict[str, Any]:
    """The answer of a listening server to its owner."""
    request = urllib.request.Request(
        f"http://{address}{path}", json.dumps(data).encode(), {"Authorization": f"Bearer {key}"}
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


class Server:
    """A `parlour play` of its own process."""

    def __init__(self, folder: Path, port: str = "0") -> None:
        command = [sys.executable, "-m", "parlour.scripts.main", "play", "--no-browser"]
        command += ["--store", str(folder / "tables.db"), "--port", port]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        match = re.search(r"http://([\d.:]+)/#owner=([^&\s]+)", self.process.stdout.readline())
        assert match is not None
        self.address, self.key = match[1], match[2]

    def open(self, game: str) -> str:
        """Open a table of a script against players; return the script's token."""
        rival = {"kind": "player", "name": OPPONENT, "player": OPPONENT}
        seats = [{"kind": "remote", "name": "script"}, *[rival] * (SEATS.get(game, 2) - 1)]
        data = {"game": game, "settings": GAMES[game], "seats": seats}
        return posted(self.address, "/api/tables", data, self.key)["tokens"][0]


@contextmanager
def serving() -> Iterator[Server]:
    """A server that ends with this block."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        try:
            yield server
        finally:
            server.process.terminate()
            server.process.wait(20)


async def positions(socket: Any) -> AsyncIterator[dict[str, Any]]:
    """The positions of a game until its end; every ply must come."""
    ply = None
    async for text in socket:
        message = json.loads(text)
        if message["type"] in ("error", "closed", "notice"):
            raise RuntimeError(message["text"])
        if message["type"] != "position":
            continue
        if ply is not None and message["ply"] != ply + 1:
            raise RuntimeError(f"ply {message['ply']} came after ply {ply}")
        ply = message["ply"]
        yield message
        if message["returns"] is not None:
            return
    raise RuntimeError("the server closed the connection")


async def play_game(
    server: Server,
    game: str,
    rng: random.Random,
    has_data: bool,
    period: float = 0.0,
    times: list[tuple[float, float]] | None = None,
) -> None:
    """Play one game at random, a move every `period` seconds; note when and how long, in ms.

    A move takes from the request to the first position that shows it. The opponents answer at
    once, and so their thinking is no part of it.
    """
    token = await asyncio.to_thread(server.open, game)
    async with websockets.connect(f"ws://{server.address}/seat", compression=None) as socket:
        await socket.send(json.dumps({"type": "sit", "token": token, "has_data": has_data}))
        sent = None
        async for position in positions(socket):
            if sent is not None and times is not None:
                times.append((time.monotonic(), 1000 * (time.perf_counter() - sent)))
            elif times is not None:
                times.append((time.monotonic(), float("nan")))  # a ply of others
            sent = None
            if position["legal"]:
                if period:
                    await asyncio.sleep(period * rng.uniform(0.9, 1.1))
                act = {"type": "act", "ply": position["ply"]}
                sent = time.perf_counter()
                await socket.send(json.dumps({**act, "action": rng.choice(position["legal"])}))


async def _keep_playing(
    server: Server, number: int, until: float, has_data: bool, times: list[tuple[float, float]]
) -> None:
    rng = random.Random(number)
    games = list(GAMES)
    await asyncio.sleep(rng.random() * 5)
    while time.monotonic() < until:
        game = games[number % len(games)]
        number += 1
        await play_game(server, game, rng, has_data, 1.0, times)


def warm_up(server: Server) -> None:
    """Open a table of each game, so that everything is compiled."""
    for game in GAMES:
        asyncio.run(play_game(server, game, random.Random(1), False))


def measure_latency(num_tables: int, seconds: float, has_data: bool) -> dict:
    """Play at all tables at once, a move a second at each; return percentiles in ms."""
    with serving() as server:
        warm_up(server)
        times: list[tuple[float, float]] = []

        async def play() -> None:
            until = time.monotonic() + seconds
            players = [
                asyncio.ensure_future(_keep_playing(server, k, until + 60, has_data, times))
                for k in range(num_tables)
            ]
            await asyncio.sleep(seconds)
            failed = [job for job in players if job.done()]
            for job in players:
                job.cancel()
            for job in failed:
                job.result()

        started = time.monotonic()
        cpu = _cpu_seconds(server.process.pid)
        asyncio.run(play())
        cpu = _cpu_seconds(server.process.pid) - cpu
    counted = np.array([each for when, each in times if when > started + FIRST_SECONDS])
    waits = counted[~np.isnan(counted)]
    names = {"median": 50, "p90": 90, "p99": 99, "p999": 99.9, "max": 100}
    return {
        "tables": num_tables,
        "moves": len(waits),
        "plies_a_second": round(len(counted) / (seconds - FIRST_SECONDS), 1),
        "seconds": round(seconds, 1),
        "pictures": not has_data,
        "server_cpu": round(cpu / (time.monotonic() - started), 3),
        **{name: round(float(np.percentile(waits, part)), 2) for name, part in names.items()},
    }


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Run the study and record it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--note", default="")
    arguments = parser.parse_args()
    load = round(os.getloadavg()[0], 1)
    asked = arguments.tables, arguments.seconds
    latencies = [measure_latency(*asked, has_data) for has_data in (True, False)]
    figures = {"cores": len(os.sched_getaffinity(0)), "load_at_start": load, "found": latencies}
    record = {"latency": {**figures, "note": arguments.note}}
    RECORD.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
    (FOLDER / "table.md").write_text(page(record))


def page(record: dict[str, Any]) -> str:
    """Return the record as a page."""
    latency = record["latency"]
    load = f"{latency['cores']} cores, load {latency['load_at_start']} in the minute before."
    lines = ["# The table under load", ""]
    lines += ["Written by `python -m docs.studies.table`; do not edit."]
    lines += ["", *_latency_lines(latency["found"]), "", f"{load} {latency['note']}".rstrip()]
    return "\n".join(lines) + "\n"


def _latency_lines(latencies: list[dict[str, Any]]) -> list[str]:
    rows = [
        f"| {'pictures' if each['pictures'] else 'data'} | {each['tables']} | {each['moves']:,} | "
        f"{each['plies_a_second']} | "
        f"{each['median']} | {each['p90']} | {each['p99']} | {each['p999']} | {each['max']} | "
        f"{100 * each['server_cpu']:.0f} % |"
        for each in latencies
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


if __name__ == "__main__":
    main()
