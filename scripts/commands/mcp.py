"""Let an agent take a seat: serve tools over the Model Context Protocol on stdin and stdout.

Register `parlour mcp` as a stdio server with the program that runs the agent.
"""

import argparse
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...baselines.players.making import players_of
from ...baselines.players.named_files import check_named_files
from ...envs import GAMES, find_game
from ...envs.core.pages import game_page
from ...envs.core.words import how_to_install
from ..agents.local import LocalTables, table_of
from ..agents.seat import TableSeat
from ..options import BadArgument
from ..table.catalogue import people_settings
from ..table.live import THINKING_LIMIT
from ..validators import seconds

INSTRUCTIONS = (
    "Play a parlour game against scripted and learned players. Call start (one game) or "
    "join (a table of a running server), then play with one of legal_actions until is_over is "
    "true, then result."
)
_PROBLEMS = (ValueError, TypeError, ImportError, OSError)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The limits of the players and of the agent, which chooses game and players."""
    parser.add_argument(
        "--limit",
        type=seconds,
        default=THINKING_LIMIT,
        metavar="SECONDS",
        help="maximum time of a player for a move, after which a random one is played for it "
        f"(default {THINKING_LIMIT:g})",
    )
    parser.add_argument(
        "--files",
        type=Path,
        metavar="FOLDER",
        help="let the agent also name players' files, checkpoints and decks in this folder; Python "
        "files and models of other libraries run on this machine (default: listed names only)",
    )


def run(arguments: argparse.Namespace) -> None:
    """Serve until stdin ends. Raises BadArgument where the package is missing."""
    if arguments.files is not None and not arguments.files.is_dir():
        raise BadArgument(f"--files takes a folder; {arguments.files} is none")
    try:
        server = make_server(arguments.limit, arguments.files)
    except ImportError as error:
        raise BadArgument(f"install the extra first: {how_to_install('agents')}") from error
    server.run("stdio")


def make_server(limit: float = THINKING_LIMIT, files: Path | None = None) -> Any:
    """Return the MCP server; the agent may name files in the folder `files`.

    Raises ImportError where the package `mcp` is missing.
    """
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError

    def answering(tool: Callable[..., Any]) -> Callable[..., Any]:
        """Return the tool, which tells the agent of its mistakes."""

        @functools.wraps(tool)
        def answer(**arguments: Any) -> Any:
            try:
                return tool(**arguments)
            except _PROBLEMS as error:
                raise ToolError(str(error)) from error

        return answer

    server = MCPServer("parlour", instructions=INSTRUCTIONS, log_level="WARNING")
    tools = Tools(limit, files)
    for name in vars(Tools):
        if not name.startswith("_"):
            server.add_tool(answering(getattr(tools, name)))
    return server


class Tools:
    """The tools of one agent, in the order in which it reads their names and docstrings."""

    def __init__(self, limit: float, files: Path | None = None) -> None:
        """Play nothing yet; `limit` is that of the players, `files` the agent's folder."""
        self._tables, self._files = LocalTables(limit), files
        self._seat: TableSeat | None = None

    def games(self) -> list[dict[str, Any]]:
        """List the games with their seats, settings and players (weakest first)."""
        return [_facts(name) for name in GAMES]

    def rules(self, game: str) -> str:
        """Return the rules of a game, the names of its actions and what can be observed."""
        return game_page(game)

    def start(
        self,
        game: str,
        players: list[str] | None = None,
        settings: dict[str, Any] | None = None,
        seat: int = 0,
        judge: bool = True,
    ) -> dict[str, Any]:
        """Deal a new game from your seat; name one player for all other seats, or one for each.

        Without judge, play does not say what your actions lost, and answers sooner.
        """
        chosen = people_settings(game) if settings is None else settings
        check_named_files(game, chosen, players or (), self._files)
        table = table_of(game, players or (), chosen, seat)
        return self._take(self._tables.open(table, seat, judge))

    def join(self, link: str, judge: bool = True) -> dict[str, Any]:
        """Take a seat at a table of a running server with its link: http://HOST:PORT/#seat=TOKEN.

        Where others think for long, a position without legal_actions comes back: call observation.
        """
        return self._take(TableSeat(link, judge))

    def observation(self) -> dict[str, Any]:
        """Return what your seat sees, in words and as data, with your legal actions."""
        return self._seated().position()

    def legal_actions(self) -> list[str]:
        """Return the names of your legal actions."""
        return self._seated().legal()

    def play(self, action: str) -> dict[str, Any]:
        """Play a legal action by name; the others answer, and you get the next position.

        Where it is judged, judgement says what your action lost against the best other one: its
        regret is 0 unless the 95 % interval of the difference excludes 0.
        """
        return self._seated().play(action)

    def next_game(self) -> dict[str, Any]:
        """Go to the next game of a table that was joined, when the others have opened it."""
        return self._seated().next_game()

    def result(self) -> dict[str, Any]:
        """After the end: the returns of all seats, -1 to 1, and the regret of each choice."""
        return self._seated().result()

    def _take(self, seat: TableSeat) -> dict[str, Any]:
        """Leave the former seat, and return the first position of this one."""
        if self._seat is not None:
            self._seat.close()
        self._seat = seat
        return seat.position()

    def _seated(self) -> TableSeat:
        """Raise ValueError where no game has begun."""
        if self._seat is None:
            raise ValueError("no game has begun: call start or join")
        return self._seat


def _facts(name: str) -> dict[str, Any]:
    game = find_game(name, **people_settings(name))
    return {
        "game": name,
        "seats": game.num_seats,
        "settings": game.config_dict(),
        "players": {player: each.summary for player, each in players_of(game).items()},
    }
