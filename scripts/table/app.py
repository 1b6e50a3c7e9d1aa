"""The app of the server: its pages are there at once, the rest when the games are loaded.

Nothing here imports a game or a compiler.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from ...envs import GAMES
from ...envs.core.played.page import asset
from .guard import MAX_CONNECTIONS, Guard, is_owner, refusal
from .protocol import MAX_BYTES, title
from .store import TableStore

if TYPE_CHECKING:
    from .tournaments import Ladders, RunningResults

STATIC = Path(__file__).with_name("static")

_PAGES = {
    "/": ("index.html", "text/html"),
    "/ask.js": ("ask.js", "text/javascript"),
    "/table.js": ("table.js", "text/javascript"),
    "/setup.js": ("setup.js", "text/javascript"),
    "/results": ("results.html", "text/html"),
    "/results.js": ("results.js", "text/javascript"),
    "/icon.svg": ("icon.svg", "image/svg+xml"),
}
_SHARED = {"/board.js": "text/javascript", "/page.css": "text/css"}


def make_app(
    store: TableStore,
    owner_key: str,
    hosts: Iterable[str],
    results: "RunningResults | Ladders | None" = None,
    **settings: Any,
) -> Guard:
    """Return the ASGI app. `owner_key` lets its bearer open tables; `settings` are the host's.

    `results` are those of the page of tournaments. The store is closed at the end.
    """

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        app.state.loading = _start_loading(app.state)
        yield
        store.close()

    routes = [
        *(Route(path, _page) for path in (*_PAGES, *_SHARED)),
        Route("/api/games", _games),
        Mount("/", _rest),
    ]
    app = Starlette(routes=routes, lifespan=lifespan)
    app.state.store, app.state.owner_key, app.state.results = store, owner_key, results
    app.state.settings = settings
    return Guard(app, hosts)


def load(state: Any) -> ASGIApp:
    """Import the games and return what answers all other requests; this takes seconds."""
    from .server import make_routes

    return make_routes(state, state.settings)


def _start_loading(state: Any) -> asyncio.Task[ASGIApp]:
    return asyncio.create_task(asyncio.to_thread(load, state))


async def _rest(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request once everything is loaded.

    Loading may fail for a moment, on a machine that has no thread to give: it is tried again.
    """
    state = scope["app"].state
    if state.loading.done() and state.loading.exception() is not None:
        state.loading = _start_loading(state)
    loaded = await asyncio.shield(state.loading)
    await loaded(scope, receive, send)


async def _page(request: Request) -> Response:
    path = request.url.path
    if path in _SHARED:
        return Response(asset(path[1:]), media_type=_SHARED[path])
    name, media_type = _PAGES[path]
    return Response((STATIC / name).read_bytes(), media_type=media_type)


async def _games(request: Request) -> Response:
    """Answer the games by name and title."""
    if not is_owner(request):
        return refusal(403, "open the address that `parlour play` printed")
    has_results = request.app.state.results is not None
    games = [{"name": name, "title": title(name), "has_results": has_results} for name in GAMES]
    return JSONResponse(games)


def server_settings(app: Guard, port: int, host: str) -> dict[str, Any]:
    """Return uvicorn's settings: small messages, no compression (all of this is on one machine)."""
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class CountedProtocol(H11Protocol):
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            app.doors.enter(transport)

    return {
        "app": app,
        "http": CountedProtocol,
        "proxy_headers": False,
        "host": host,
        "port": port,
        "log_level": "warning",
        "access_log": False,
        "ws": "websockets-sansio",
        "ws_max_size": MAX_BYTES,
        "ws_per_message_deflate": False,
        "limit_concurrency": 2 * MAX_CONNECTIONS,
        "timeout_graceful_shutdown": 2,
        "server_header": False,
    }
