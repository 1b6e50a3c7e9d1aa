"""Let an agent take a seat: serve tools over the Model Context Protocol on stdin and stdout.

Register `parlour mcp` as a stdio server with the program that runs the agent.
"""

import argparse
from typing import Any, Protocol

from .options import BadArgument, seconds
from .table.agent import AgentMatch, AgentSeat, casual_setup, game_list, rules
from .table.catalogue import people_settings
from .table.host import THINKING_LIMIT
from .table.matches import new_plan
from .table.remote import RemoteSeat

INSTRUCTIONS = (
    "Play a parlour game against scripted and learned players. Call start (one game), start_match "
    "(many games, with a result) or join (a table of a running server), then play with one of "
    "legal_actions until is_over is true, then result; in a match, next_game until the last."
)
_PROBLEMS = (ValueError, TypeError, ImportError, OSError)


class Seat(Protocol):
    """A seat that the tools act for."""

    def position(self) -> dict[str, Any]:
        """Return what the seat sees."""

    def legal(self) -> list[str]:
        """Return the names of the legal actions."""

    def play(self, action: str) -> dict[str, Any]:
        """Play an action and return the next position."""

    def next_game(self) -> dict[str, Any]:
        """Go to the next game and return its first position."""

    def result(self) -> dict[str, Any]:
        """Return the result."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The limit of the players; the agent chooses game and players."""
    parser.add_argument(
        "--limit",
        type=seconds,
        default=THINKING_LIMIT,
        metavar="SECONDS",
        help="longest time that a player thinks about a move before a random one is played for it "
        f"(default {THINKING_LIMIT:g})",
    )


def run(arguments: argparse.Namespace) -> None:
    """Serve until stdin ends. Raises BadArgument where the package is missing."""
    try:
        server = make_server(arguments.limit)
    except ImportError as error:
        raise BadArgument("install the extra first: pip install 'parlour[agents]'") from error
    server.run("stdio")


def make_server(limit: float = THINKING_LIMIT) -> Any:
    """Return the MCP server. Raises ImportError where the package `mcp` is missing."""
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError

    server = MCPServer("parlour", instructions=INSTRUCTIONS, log_level="WARNING")
    seats: list[Seat] = []  # the one that is being played, if any

    def attempt(call: Any, *arguments: Any) -> Any:
        try:
            return call(*arguments)
        except _PROBLEMS as error:
            raise ToolError(str(error)) from error

    def take(seat: Seat) -> dict[str, Any]:
        if seats and isinstance(seats[0], RemoteSeat):
            seats[0].close()
        seats[:] = [seat]
        return attempt(seat.position)

    def seated() -> Seat:
        if not seats:
            raise ToolError("no game has begun: call start, start_match or join")
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
        judge: bool = True,
    ) -> dict[str, Any]:
        """Deal a new game from your seat; name one player for all other seats, or one for each.

        Without judge, play does not say what your actions lost, and answers sooner.
        """
        setup = attempt(casual_setup, game, players or (), settings, seat)
        return take(attempt(AgentSeat, setup, seat, judge, limit))

    @server.tool()
    def start_match(
        game: str,
        opponent: str,
        num_deals: int = 20,
        settings: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Begin a duplicate match: every deal once from every seat, in a secret order.

        Its result has 95 % intervals; no move is judged before the end.
        """
        chosen = attempt(people_settings, game) if settings is None else settings
        plan = attempt(new_plan, game, chosen, "agent", opponent, num_deals)
        return take(attempt(AgentMatch, plan, limit))

    @server.tool()
    def join(link: str, judge: bool = True) -> dict[str, Any]:
        """Take a seat at a table of a running server with its link: http://HOST:PORT/#seat=TOKEN.

        Where others think for long, a position without legal_actions comes back: call observation.
        """
        return take(attempt(RemoteSeat, link, judge))

    @server.tool()
    def observation() -> dict[str, Any]:
        """Return what your seat sees, in words and as data, with your legal actions."""
        return attempt(seated().position)

    @server.tool()
    def legal_actions() -> list[str]:
        """Return the names of your legal actions."""
        return attempt(seated().legal)

    @server.tool()
    def play(action: str) -> dict[str, Any]:
        """Play a legal action by name; the others answer, and you get the next position.

        Outside matches, judgement says what your action lost against the best one (its regret).
        """
        return attempt(seated().play, action)

    @server.tool()
    def next_game() -> dict[str, Any]:
        """Go to the next game of a match."""
        return attempt(seated().next_game)

    @server.tool()
    def result() -> dict[str, Any]:
        """After the end: the returns of all seats, -1 to 1, and the regret of each choice.

        Of a match: wins, mean return and Elo with intervals, over the deals that are complete.
        """
        return attempt(seated().result)

    return server
