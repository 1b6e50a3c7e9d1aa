"""The app of the server: its pages, what it answers, and what it runs in."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from ...envs.core.played.page import FOLDER
from .guard import MAX_CONNECTIONS, Guard
from .host import Host
from .protocol import MAX_BYTES
from .server import ROUTES
from .store import TableStore
from .tournaments import Ladders, RunningResults

STATIC = Path(__file__).with_name("static")

_SCRIPTS = ("ask.js", "table.js", "setup.js", "editor.js", "results.js")
_FILES = {
    "/": STATIC / "index.html",
    "/results": STATIC / "results.html",
    **{f"/{name}": STATIC / name for name in (*_SCRIPTS, "icon.svg")},
    **{f"/{name}": FOLDER / name for name in ("board.js", "page.css")},  # also of replays
}


def make_app(
    store: TableStore,
    owner_key: str,
    hosts: Iterable[str],
    results: RunningResults | Ladders | None = None,
    address: str = "",
    **settings: Any,
) -> Guard:
    """Return the ASGI app. `owner_key` lets its bearer open tables; `settings` are the host's.

    `results` are those of the page of tournaments; `address` begins the links that are sent to
    others, else that of the request. The store is closed at the end.
    """

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        await asyncio.to_thread(app.state.host.close)

    pages = [Route(path, _page) for path in _FILES]
    app = Starlette(routes=[*pages, *ROUTES], lifespan=lifespan)
    app.state.store, app.state.owner_key, app.state.results = store, owner_key, results
    app.state.host, app.state.replays = Host(store, **settings), {}
    app.state.address = address
    return Guard(app, hosts)


async def _page(request: Request) -> Response:
    return FileResponse(_FILES[request.url.path])


def uvicorn_server(app: Guard) -> uvicorn.Server:
    """Return a server for small messages without compression: all of this is on one machine."""

    class CountedProtocol(H11Protocol):
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            app.unknown.add(transport)

    config = uvicorn.Config(
        app,
        http=CountedProtocol,
        proxy_headers=False,
        log_level="warning",
        access_log=False,
        ws="websockets-sansio",
        ws_max_size=MAX_BYTES,
        ws_per_message_deflate=False,
        limit_concurrency=2 * MAX_CONNECTIONS,
        timeout_graceful_shutdown=2,
        server_header=False,
    )
    return uvicorn.Server(config)
