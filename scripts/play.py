"""Play a game in the browser, or as text with --text.

The page lets you choose the game, its settings and who takes each seat: you, another person by a
link, or any player. Games are kept on disk, so that they go on after a restart.
"""

import argparse
import secrets
import socket
import threading
import webbrowser
from pathlib import Path

from ..baselines.players import parse_settings
from ..envs import GAMES, find_game
from ..envs.core.rng import fresh_seed
from .options import BadArgument, player_names, seed, user_input

LOOPBACK = "127.0.0.1"
PORT = 8477


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The game, and where to serve."""
    parser.add_argument(
        "game", metavar="GAME", nargs="?", help=f"name of a game: {', '.join(GAMES)}"
    )
    parser.add_argument(
        "--text", action="store_true", help="play at the console instead of in the browser"
    )
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE,...",
        default="",
        help="with --text: settings of the game; `parlour games` lists them",
    )
    parser.add_argument(
        "--players",
        metavar="A,B,...",
        help="with --text: players of the other seats, or one for all (default: the strongest)",
    )
    parser.add_argument(
        "--seat", type=int, default=0, metavar="N", help="with --text: your seat (default 0)"
    )
    parser.add_argument(
        "--seed", type=seed, help="with --text: deal this deal (default: a new one each time)"
    )
    parser.add_argument(
        "--port",
        type=int,
        metavar="N",
        help=f"port of the page (default {PORT}, or a free one where that is taken)",
    )
    parser.add_argument(
        "--host",
        default=LOOPBACK,
        metavar="ADDRESS",
        help=f"address to listen on (default {LOOPBACK}: only this machine can connect)",
    )
    parser.add_argument(
        "--name",
        dest="names",
        action="append",
        default=[],
        metavar="HOST:PORT",
        help="further name under which browsers reach this server, for games over a network",
    )
    parser.add_argument(
        "--store", metavar="FILE", help="SQLite file that keeps the tables (default: your own)"
    )
    parser.add_argument(
        "--no-browser", action="store_true", help="print the address and open no browser"
    )


def run(arguments: argparse.Namespace) -> None:
    """Serve until stopped with Ctrl-C, or play one game at the console."""
    if arguments.game is not None and arguments.game not in GAMES:
        raise BadArgument(f"no game is called {arguments.game!r}; games: {', '.join(GAMES)}")
    if arguments.text:
        _play_at_the_console(arguments)
        return
    listener = _listen(arguments.host, arguments.port)
    port = listener.getsockname()[1]
    key = secrets.token_urlsafe(24)
    shown = LOOPBACK if arguments.host in ("0.0.0.0", "::") else arguments.host
    address = f"http://{shown}:{port}/#owner={key}"
    if arguments.game is not None:
        address += f"&game={arguments.game}"
    hosts = {f"{name}:{port}" for name in ("localhost", LOOPBACK, "[::1]", arguments.host)}
    print(f"Parlour is at {address}\nStop it with Ctrl-C.", flush=True)
    if not arguments.no_browser:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    _serve(listener, _store_file(arguments.store), key, {*hosts, *arguments.names})


def _play_at_the_console(arguments: argparse.Namespace) -> None:
    """Seat the person and the players, and play. Raises BadArgument."""
    from ..baselines import list_policies
    from .console import play
    from .table.catalogue import people_settings
    from .table.table import HERE, MAX_NAME, PLAYER, GameTable, Occupant, Setup

    if arguments.game is None:
        raise BadArgument("name a game: parlour play GAME --text")
    with user_input():
        settings = parse_settings(arguments.set) or people_settings(arguments.game)
        game = find_game(arguments.game, **settings)
        if not 0 <= arguments.seat < game.num_seats:
            raise BadArgument(f"seat must be in 0 .. {game.num_seats - 1}, not {arguments.seat}")
        names = player_names(arguments.players or list_policies(game)[-1])
        if len(names) == 1:
            names *= game.num_seats - 1
        if len(names) != game.num_seats - 1:
            raise BadArgument(f"name {game.num_seats - 1} players, or one; got {len(names)}")
        seats = [Occupant(PLAYER, name[:MAX_NAME], name) for name in names]
        seats.insert(arguments.seat, Occupant(HERE, "you"))
        dealt = fresh_seed() if arguments.seed is None else arguments.seed
        table = GameTable(Setup(arguments.game, settings, tuple(seats), dealt))
    play(table, arguments.seat)


def _serve(listener: socket.socket, store: Path, key: str, hosts: set[str]) -> None:
    import uvicorn

    from .table.server import make_app, server_settings
    from .table.store import TableStore

    host, port = listener.getsockname()[:2]
    app = make_app(TableStore(store), key, hosts)
    config = uvicorn.Config(app, **server_settings(port, host))
    uvicorn.Server(config).run(sockets=[listener])


def _listen(host: str, port: int | None) -> socket.socket:
    """Return a listening socket. Raises BadArgument where the port is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for tried in [PORT, 0] if port is None else [port]:
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, tried))
            listener.listen(128)
            return listener
        except OSError as error:
            listener.close()
            problem = error
    raise BadArgument(f"cannot listen on {host}, port {port or PORT}: {problem.strerror}")


def _store_file(given: str | None) -> Path:
    if given is not None:
        return Path(given)
    from platformdirs import user_state_path

    return user_state_path("parlour") / "tables.db"
