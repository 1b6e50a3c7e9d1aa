"""Serve the pages of the table until stopped: where to listen, the owner's key, and the browser."""

import argparse
import atexit
import contextlib
import gc
import html
import secrets
import socket
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from platformdirs import user_state_path

from ..options import BadArgument, user_input
from ..validators import port
from .app import make_app, uvicorn_server
from .guard import host_and_port
from .store import TableStore
from .tournaments import Ladders, RunningResults

LOOPBACK = "127.0.0.1"
PORT = 8477
_LAST_LOOK_SECONDS = 5.0  # for a page to ask for the final results
_CLOSING_SECONDS = 5.0
_WARNING = (
    "Warning: other machines can connect, and plain HTTP is not encrypted: anybody who reads the "
    "owner's key or the link of a seat controls the server or that seat."
)


def add_server(parser: argparse.ArgumentParser) -> None:
    """`--port`, `--host`, `--name`, `--store`, `--trust` and `--no-browser`; see `serve`."""
    parser.add_argument(
        "--port",
        type=port,
        metavar="N",
        help=f"port of the page (default {PORT}, or a free one where that is taken)",
    )
    parser.add_argument(
        "--host",
        default=LOOPBACK,
        metavar="ADDRESS",
        help=f"address to listen on (default {LOOPBACK}: only this machine can connect; 0.0.0.0: "
        "others can, over plain HTTP)",
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
        "--store",
        dest="tables",
        metavar="FILE",
        help="SQLite file that keeps the tables (default: tables.db in your state folder)",
    )
    parser.add_argument(
        "--trust", action="store_true", help="run the players' files that a given store names"
    )
    parser.add_argument(
        "--no-browser", action="store_true", help="print the address and open no browser"
    )


def serve(
    arguments: argparse.Namespace,
    start: Callable[[TableStore], str],
    page: str = "/",
    results: Path | None = None,
) -> None:
    """Serve until stopped with Ctrl-C; `start(store)` returns what the address of `page` ends in.

    `results` is a store of results to show, or the folder of a league. Raises BadArgument.
    """
    listener = _listen(arguments.host, arguments.port)
    port = listener.getsockname()[1]
    is_own = arguments.tables is None
    file = user_state_path("parlour") / "tables.db" if is_own else Path(arguments.tables)
    is_open = arguments.host in ("0.0.0.0", "::")  # to other machines, at all addresses of this one
    shown = host_and_port(lan_address() if is_open else arguments.host, port)
    with user_input():
        store = TableStore(file, arguments.trust or is_own, f"http://{shown}")
        running: RunningResults | Ladders | None = None
        if results is not None and results.is_dir():
            running = Ladders(results)
        elif results is not None:
            running = RunningResults(results, arguments.trust)
    key = secrets.token_urlsafe(24)
    address = f"http://{shown}{page}#owner={key}{start(store)}"
    hosts = {f"{name}:{port}" for name in ("localhost", LOOPBACK, "[::1]", arguments.host)}
    print(f"Parlour is at {address}", flush=True)
    if is_open and shown.startswith(LOOPBACK):
        print("This machine has no network: others cannot connect.")
    if arguments.host not in ("localhost", LOOPBACK, "::1"):
        print(_WARNING)
    print("Stop it with Ctrl-C.", flush=True)
    if not arguments.no_browser:
        threading.Thread(target=open_browser, args=(address,), daemon=True).start()
    app = make_app(store, key, {*hosts, *arguments.names}, running, f"http://{shown}")
    # A full collection stops all tables for a quarter of a second, so this process has fewer: with
    # 200 tables 1 % of the moves took 260 ms in place of 43.
    youngest, young, full = gc.get_threshold()
    gc.set_threshold(youngest, young, 20 * full)
    try:
        uvicorn_server(app).run(sockets=[listener])
    finally:
        gc.set_threshold(youngest, young, full)


def lan_address() -> str:
    """Return the address of this machine in its network, or the loopback one where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nobody's; nothing is sent, a way to it is chosen
        except OSError:
            return LOOPBACK
        return str(probe.getsockname()[0])


class BackgroundServer:
    """A server for this machine in a thread of this process, with its tables in memory."""

    def __init__(self, results: RunningResults | None = None, **settings: Any) -> None:
        """Listen on a free port; `settings` are those of the tables."""
        listener = _listen(LOOPBACK, None)
        port = listener.getsockname()[1]
        self.key, self.address = secrets.token_urlsafe(24), f"http://{LOOPBACK}:{port}"
        hosts = {f"{name}:{port}" for name in ("localhost", LOOPBACK)}
        self.app = make_app(TableStore(":memory:"), self.key, hosts, results, **settings)
        self._server = uvicorn_server(self.app)
        self._thread = threading.Thread(target=self._server.run, args=([listener],), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop, and wait for the end a while."""
        self._server.should_exit = True
        self._thread.join(_CLOSING_SECONDS)


@contextlib.contextmanager
def results_shown(path: Path) -> Iterator[None]:
    """Show a store of results in the browser for as long as this process adds to it."""
    results = RunningResults(path)
    server = BackgroundServer(results)
    address = f"{server.address}/results#owner={server.key}"
    print(f"Results are at {address}", file=sys.stderr, flush=True)
    open_browser(address)
    try:
        yield
        results.wait_until_asked(_LAST_LOOK_SECONDS)
    finally:
        server.close()


def open_browser(address: str) -> None:
    """Open an address by a file that this user alone can read: all can read a command line."""
    url = html.escape(address)
    page = f'<meta http-equiv="refresh" content="0; url={url}"><a href="{url}">Parlour</a>'
    try:
        folder = user_state_path("parlour", ensure_exists=True)
        number, name = tempfile.mkstemp(suffix=".html", prefix="open-", dir=folder)
        atexit.register(Path(name).unlink, missing_ok=True)
        with open(number, "w") as file:
            file.write(page)
    except OSError as error:
        print(f"Open the address yourself: no browser is started ({error})", file=sys.stderr)
    else:
        webbrowser.open(Path(name).as_uri())


def _listen(host: str, port: int | None) -> socket.socket:
    """Return a listening socket. Raises BadArgument where the port is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    is_dual = ":" in host and socket.has_dualstack_ipv6()  # `::` is IPv4 too
    for tried in [PORT, 0] if port is None else [port]:
        try:
            return socket.create_server((host, tried), family=family, dualstack_ipv6=is_dual)
        except OSError as error:
            problem = error
    raise BadArgument(f"cannot listen: {problem.strerror}")
