"""The app of a server that has just begun: pages at once, the rest when the games are loaded."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

from starlette.applications import Starlette
from starlette.routing import Mount

from .guard import MAX_CONNECTIONS, App, Guard, Message, Receive, Send
from .pages import PAGE_ROUTES
from .protocol import MAX_BYTES
from .store import TableStore


def make_opening(
    store: TableStore, owner_key: str, hosts: Iterable[str], load: Callable[[], App]
) -> Guard:
    """Return the ASGI app. `load` makes the app of everything else; it runs in a thread.

    Requests for anything else wait until it is there. The store is closed at the end.
    """

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        app.state.loading = asyncio.create_task(asyncio.to_thread(load))
        yield
        store.close()

    async def rest(scope: Message, receive: Receive, send: Send) -> None:
        loaded = await asyncio.shield(app.state.loading)
        await loaded(scope, receive, send)

    app = Starlette(routes=[*PAGE_ROUTES, Mount("/", rest)], lifespan=lifespan)
    app.state.owner_key = owner_key
    return Guard(app, hosts)


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
