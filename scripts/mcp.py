"""Let an agent take a seat: serve tools over the Model Context Protocol on stdin and stdout.

Register `parlour mcp` as a stdio server with the program that runs the agent.
"""

import argparse
from typing import Any

from .options import BadArgument
from .table.agent import AgentSeat, game_list, rules

INSTRUCTIONS = (
    "Play a parlour game against scripted and learned players. Call start, then play with one of "
    "legal_actions until is_over is true, then result."
)
_PROBLEMS = (ValueError, TypeError, ImportError, OSError)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """No options: the agent chooses game and players."""


def run(arguments: argparse.Namespace) -> None:
    """Serve until stdin ends. Raises BadArgument where the package is missing."""
    try:
        server = make_server()
    except ImportError as error:
        raise BadArgument("install the extra first: pip install 'parlour[agents]'") from error
    server.run("stdio")


def make_server() -> Any:
    """Return the MCP server. Raises ImportError where the package `mcp` is missing."""
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError

    server = MCPServer("parlour", instructions=INSTRUCTIONS, log_level="WARNING")
    seats: list[AgentSeat] = []  # the one that is being played, if any

    def attempt(call: Any, *arguments: Any) -> Any:
        try:
            return call(*arguments)
        except _PROBLEMS as error:
            raise ToolError(str(error)) from error

    def seated() -> AgentSeat:
        if not seats:
            raise ToolError("no game has begun: call start")
        return seats[0]

    @server.tool()
    def games() -> list[dict[str, Any]]:
        """List the games with their seats, settings and players (weakest first)."""
        return attempt(game_list)

    @server.tool(name="rules")
    def game_rules(game: str) -> str:
        """Return the rules of a game, the names of its actions and what can be observed."""
        return attempt(rules, game)

    @server.tool()
    def start(
        game: str,
        players: list[str] | None = None,
        settings: dict[str, Any] | None = None,
        seat: int = 0,
    ) -> dict[str, Any]:
        """Deal a new game from your seat; name one player for all other seats, or one for each."""
        seats[:] = [attempt(AgentSeat, game, players or (), settings, seat)]
        return seats[0].position()

    @server.tool()
    def observation() -> dict[str, Any]:
        """Return what your seat sees, in words and as data, with your legal actions."""
        return seated().position()

    @server.tool()
    def legal_actions() -> list[str]:
        """Return the names of your legal actions."""
        return seated().legal()

    @server.tool()
    def play(action: str) -> dict[str, Any]:
        """Play a legal action by name; the others answer, and you get the next position."""
        return attempt(seated().play, action)

    @server.tool()
    def result() -> dict[str, Any]:
        """After the end: the returns of all seats, -1 to 1, and the regret of each choice."""
        return attempt(seated().result)

    return server
