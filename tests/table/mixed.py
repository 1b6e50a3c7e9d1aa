"""One table of President for two browsers, an agent with tools and a program, game after game.

Everybody checks that no ply is missing. Now and then the server is killed in the middle of a game
and started again, and all go on.
"""

import asyncio
import json
import os
import random
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import websockets

from .loads import Server

KILL_AT_PLY = 12
PATIENCE_MS = 900_000
_PLIES = "Array.from(document.querySelectorAll('#moves li'), (li) => Number(li.dataset.ply))"


class Game:
    """What the four have seen of the present game."""

    def __init__(self) -> None:
        self.ends: dict[str, tuple[int, tuple[float, ...]]] = {}  # plies and returns, by who

    def end(self, who: str, plies: int, returns: list[float]) -> None:
        """Note the end as somebody saw it."""
        self.ends[who] = (plies, tuple(returns))


class Counting:
    """Somebody with a count of what they did or got since it was last taken."""

    count = 0

    def take_count(self) -> int:
        """Return the count, and start again."""
        count, self.count = self.count, 0
        return count


class Program(Counting):
    """A program with a WebSocket, which takes its seat again where the connection is lost."""

    def __init__(self, address: str, token: str) -> None:
        self.address, self.token = address, token
        self.num_plies = 0
        self.num_lost = 0  # connections

    async def play(self, game: Game, rng: random.Random) -> None:
        """Play one game, then wait for the next table."""
        last: int | None = None
        is_over = False
        while True:
            try:
                async with websockets.connect(f"ws://{self.address}/seat") as socket:
                    await socket.send(json.dumps({"type": "sit", "token": self.token}))
                    is_first = True
                    async for text in socket:
                        message = json.loads(text)
                        self.count += 1  # messages
                        if message["type"] == "moved":
                            self.token = message["token"]
                            return
                        if message["type"] in ("closed", "error", "notice"):
                            raise RuntimeError(message["text"])
                        if message["type"] != "position":
                            continue
                        ply = message["ply"]
                        if last is not None and ply != last + 1 and not (is_first and ply >= last):
                            raise RuntimeError(f"the program got ply {ply} after ply {last}")
                        last, is_first = ply, False
                        self.num_plies = ply
                        if message["returns"] is not None and not is_over:
                            is_over = True
                            game.end("program", ply, message["returns"])
                        if message["legal"]:
                            act = {
                                "type": "act",
                                "ply": ply,
                                "action": rng.choice(message["legal"]),
                            }
                            await socket.send(json.dumps(act))
            except (OSError, websockets.ConnectionClosed, websockets.InvalidHandshake):
                self.num_lost += 1
                await asyncio.sleep(0.2)


class Agent:
    """The client of a `parlour mcp` process that has joined the table."""

    def __init__(self, client: Any) -> None:
        self.client = client

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool. Raises RuntimeError where it fails."""
        answer = await self.client.call_tool(tool, arguments)
        if answer.is_error:
            raise RuntimeError(f"{tool}: {answer.content[0].text}")
        return answer.structured_content

    async def play(self, game: Game, rng: random.Random, is_first: bool, link: str) -> None:
        """Play one game; check that the agent hears of every ply."""
        position = await (
            self.call("join", link=link, judge=False) if is_first else self.call("next_game")
        )
        plies = len(position["moves_since"])
        while not position["is_over"]:
            legal = position["legal_actions"]
            if legal:
                position = await self.call("play", action=rng.choice(legal))
            else:
                position = await self.call("observation")
            plies += len(position["moves_since"])
        game.end("agent", plies, (await self.call("result"))["returns"])


class Browser(Counting):
    """A page in which somebody clicks on cards."""

    def __init__(self, page: Any, name: str) -> None:
        self.page, self.name = page, name
        self.problems: list[str] = []
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.set_default_timeout(PATIENCE_MS)

    async def play(self, game: Game, rng: random.Random) -> None:
        """Click until the game is over; every ply must be in the list of moves."""
        page = self.page
        while True:
            await page.wait_for_selector("#status.yours, #result:not([hidden])")
            if await page.is_visible("#result"):
                break
            await self.click(rng)
        plies = await page.evaluate(_PLIES)
        returns = await page.evaluate("game.position.returns")
        if plies != list(range(1, len(plies) + 1)):
            raise RuntimeError(f"{self.name} is missing moves: {plies}")
        if self.problems:
            raise RuntimeError(f"{self.name}: {self.problems}")
        game.end(self.name, len(plies), returns)

    async def click(self, rng: random.Random) -> None:
        """Click on a card that glows, or on what plays the cards that are chosen."""
        page = self.page
        for selector in ("#actions button.primary", "[data-part].live:not(.chosen)"):
            found = await page.query_selector_all(selector)
            if found:
                box = await rng.choice(found).bounding_box()
                if box is not None:
                    await page.mouse.click(box["x"] + 4, box["y"] + 6)
                    self.count += 1  # clicks
                break
        await page.wait_for_timeout(5)


async def _killer(server: list[Server], folder: Path, program: Program, deaths: list[int]) -> None:
    """Kill the server once the game is well under way, and start it again."""
    while program.num_plies < KILL_AT_PLY:
        await asyncio.sleep(0.01)
    port = server[0].port
    os.kill(server[0].process.pid, signal.SIGKILL)
    server[0].process.wait()
    deaths.append(program.num_plies)
    server[0] = await asyncio.to_thread(Server, folder, port)


def agree(game: Game, number: int) -> int:
    """Return the plies of a game that all four saw end alike. Raises RuntimeError."""
    seen = set(game.ends.values())
    if len(game.ends) != 4 or len(seen) != 1:
        raise RuntimeError(f"game {number} ended differently for some: {game.ends}")
    return seen.pop()[0]


async def play_games(
    folder: Path,
    num_games: int,
    kills: set[int],
    found: dict[str, Any],
    keep: Callable[[], None] = lambda: None,
) -> None:
    """Play, with the server killed in the games `kills`; note in `found` what happened.

    `keep()` is called after each game. Games that `found` already has are not played again.
    """
    for name in ("games", "plies", "clicks", "messages_of_the_program", "errors", "runs"):
        found.setdefault(name, 0)
    found.setdefault("killed_at_ply", [])
    found["runs"] += 1
    server = [Server(folder)]
    try:
        await _play_games(server, folder, num_games, kills, found, keep)
    except Exception:  # something was refused, lost or wrong
        found["errors"] += 1
        keep()
        raise
    finally:
        server[0].process.kill()
        server[0].process.wait()


async def _play_games(
    server: list[Server],
    folder: Path,
    num_games: int,
    kills: set[int],
    found: dict[str, Any],
    keep: Callable[[], None],
) -> None:
    import mcp
    from playwright.async_api import async_playwright

    seats = [{"kind": "here", "name": "Ada"}]
    seats += [{"kind": "remote", "name": name} for name in ("Bea", "agent", "program")]
    tokens = server[0].open("president", {}, seats)
    links = [f"http://{server[0].address}/#seat={token}" for token in tokens]
    program = Program(server[0].address, tokens[3])
    command = mcp.StdioServerParameters(
        command=sys.executable, args=["-m", "parlour.scripts.main", "mcp"], env=dict(os.environ)
    )
    rng = random.Random(found["games"] + 1)
    is_first = True
    async with async_playwright() as started, mcp.Client(command) as client:
        browsers = [
            await _browser(started, *each) for each in zip(links[:2], ("Ada", "Bea"), strict=True)
        ]
        agent = Agent(client)
        while found["games"] < num_games:
            game = Game()
            program.num_plies = 0
            playing = [each.play(game, rng) for each in browsers]
            playing.append(agent.play(game, rng, is_first, links[2]))
            if found["games"] in kills:
                playing.append(_killer(server, folder, program, found["killed_at_ply"]))
            is_first = False
            waiting = asyncio.ensure_future(program.play(game, rng))
            await asyncio.gather(*playing)
            while "program" not in game.ends:
                await asyncio.sleep(0.01)
            found["plies"] += agree(game, found["games"])
            found["games"] += 1
            found["clicks"] += sum(each.take_count() for each in browsers)
            found["messages_of_the_program"] += program.take_count()
            keep()
            plies = game.ends["program"][0]
            print(f"game {found['games']}: {plies} plies, alike for all", flush=True)
            if found["games"] < num_games:
                await browsers[0].page.click("#play-again")
                await asyncio.wait_for(waiting, PATIENCE_MS / 1000)
                for browser in browsers:
                    await browser.page.wait_for_selector("#result", state="hidden")
            else:
                waiting.cancel()
        for browser in browsers:
            await browser.page.context.browser.close()


async def _browser(started: Any, link: str, name: str) -> Browser:
    """Open a browser of its own at a seat."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    opened = await started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
    page = await opened.new_page(viewport={"width": 1400, "height": 800}, reduced_motion="reduce")
    browser = Browser(page, name)
    await page.goto(link)
    await page.evaluate("game.pace = 0; game.judgeOn = false; 0")
    return browser
