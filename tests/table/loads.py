"""Many tables at one server: how long a move takes, and how much memory games leave behind."""

import asyncio
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import websockets

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
_PAINTED = "new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
FIRST_SECONDS = 10.0  # in which the tables are opened; no part of the figures


class Server:
    """A `parlour play` of its own process."""

    def __init__(self, folder: Path, port: int = 0, game: str | None = None) -> None:
        command = [sys.executable, "-m", "parlour.scripts.main", "play", "--no-browser"]
        command += [] if game is None else [game]
        command += ["--store", str(folder / "tables.db"), "--port", str(port)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        found = re.search(r"http://([\d.:]+)/#owner=([^&\s]+)", self.process.stdout.readline())
        assert found is not None
        self.address, self.key = found[1], found[2]

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self.address.rpartition(":")[2])

    def post(self, path: str, data: dict[str, Any]) -> dict[str, Any]:
        """Ask as the owner."""
        headers = {"Authorization": f"Bearer {self.key}"}
        request = urllib.request.Request(
            f"http://{self.address}{path}", json.dumps(data).encode(), headers
        )
        with urllib.request.urlopen(request, timeout=600) as answer:
            return json.loads(answer.read())

    def open(self, game: str, settings: dict[str, Any], seats: list[dict[str, str]]) -> list[str]:
        """Open a table and return its tokens."""
        data = {"game": game, "settings": settings, "seats": seats}
        return self.post("/api/tables", data)["tokens"]

    def memory(self) -> int:
        """Return the resident memory in KiB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert found is not None
        return int(found[1])


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """A server that ends with this block."""
    server = Server(folder)
    try:
        yield server
    finally:
        server.process.terminate()
        server.process.wait(20)


def seats_of(game: str) -> list[dict[str, str]]:
    rival = {"kind": "player", "name": OPPONENT, "player": OPPONENT}
    return [{"kind": "remote", "name": "script"}, *[rival] * (SEATS.get(game, 2) - 1)]


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
    token = (await asyncio.to_thread(server.open, game, GAMES[game], seats_of(game)))[0]
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


def measure_latency(folder: Path, num_tables: int, seconds: float, has_data: bool) -> dict:
    """Play at all tables at once, a move a second at each; return percentiles in ms."""
    with serving(folder) as server:
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
    found = counted[~np.isnan(counted)]
    names = {"median": 50, "p90": 90, "p99": 99, "p999": 99.9, "max": 100}
    return {
        "tables": num_tables,
        "moves": len(found),
        "plies_a_second": round(len(counted) / (seconds - FIRST_SECONDS), 1),
        "seconds": round(seconds, 1),
        "pictures": not has_data,
        "server_cpu": round(cpu / (time.monotonic() - started), 3),
        **{name: round(float(np.percentile(found, part)), 2) for name, part in names.items()},
    }


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure_memory(folder: Path, num_games: int, first: int, at_once: int = 8) -> dict:
    """Play games one after the other; return the resident memory after `first` and at the end."""
    with serving(folder) as server:
        warm_up(server)
        seen: list[tuple[int, int]] = []
        left = iter(range(num_games))
        done = [0]

        async def play(worker: int) -> None:
            rng = random.Random(worker)
            for number in left:
                game = list(GAMES)[number % len(GAMES)]
                await play_game(server, game, rng, number % 10 != 0)
                done[0] += 1
                if done[0] % (num_games // 20) == 0 or done[0] == first:
                    seen.append((done[0], server.memory()))
                    print(f"{done[0]:,} games, {seen[-1][1] / 1024:.1f} MiB", flush=True)

        async def play_all() -> None:
            await asyncio.gather(*(play(worker) for worker in range(at_once)))

        asyncio.run(play_all())
    return {
        "games": num_games,
        "first": first,
        "memory_kib": [list(each) for each in seen],
        "growth": round(growth(seen, first), 4),
    }


def growth(readings: Sequence[tuple[int, int]], first: int) -> float:
    """By how much memory grows after `first` games, of readings (games so far, memory).

    One reading is up to a tenth more or less than the next, with what is being collected. So the
    mean of the later half of those from `first` on is compared with that of the earlier half.
    """
    memory = [kib for games, kib in readings if games >= first]
    half = len(memory) // 2
    return statistics.mean(memory[half:]) / statistics.mean(memory[:half]) - 1


def measure_start(folder: Path, times: int) -> dict:
    """Start `parlour play president` and watch its page come: medians of seconds from the start.

    The browser runs already, as a person's does. "page" is the first page with the list of games,
    "choices" the choice of seats and settings, for which the rules of the game are loaded.
    """
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    found: dict[str, list[float]] = {"answered": [], "page": [], "choices": []}
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        for _ in range(times + 1):  # the first one warms up
            begun = time.perf_counter()
            server = Server(folder, game="president")
            found["answered"].append(time.perf_counter() - begun)
            page.goto(
                f"http://{server.address}/#owner={server.key}&game=president", wait_until="commit"
            )
            for name, part in (("page", "#games button"), ("choices", "#start")):
                page.wait_for_selector(part)
                page.evaluate(_PAINTED)
                found[name].append(time.perf_counter() - begun)
            page.goto("about:blank")
            server.process.terminate()
            server.process.wait(20)
        browser.close()
    timed = {name: [round(each, 3) for each in seen[1:]] for name, seen in found.items()}
    return {"times": timed, "medians": {name: float(np.median(t)) for name, t in timed.items()}}
