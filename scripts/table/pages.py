"""The pages, and what they show before any game is loaded: they are there at once.

Nothing here imports a game or a compiler.
"""

import hmac
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ...envs import GAMES
from ...envs.core.played.page import asset

STATIC = Path(__file__).with_name("static")

_PAGES = {
    "/": ("index.html", "text/html"),
    "/table.js": ("table.js", "text/javascript"),
    "/setup.js": ("setup.js", "text/javascript"),
    "/results": ("results.html", "text/html"),
    "/results.js": ("results.js", "text/javascript"),
    "/icon.svg": ("icon.svg", "image/svg+xml"),
}
_SHARED = {"/board.js": "text/javascript", "/page.css": "text/css"}


def title(name: str) -> str:
    """A game's name as a heading."""
    return name.replace("_", " ").title()


def is_owner(request: Request) -> bool:
    """Whether the person who started the server asks: `owner_key` of the app's state is given."""
    given = request.headers.get("authorization", "").removeprefix("Bearer ")
    is_owner = hmac.compare_digest(given.encode(), request.app.state.owner_key.encode())
    if is_owner:
        request.scope["doors"].admit(request.scope)
    return is_owner


def refusal(status: int, text: str) -> Response:
    """Return an answer that says what was wrong."""
    return JSONResponse({"error": text}, status)


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
    return JSONResponse([{"name": name, "title": title(name)} for name in GAMES])


PAGE_ROUTES = [
    *(Route(path, _page) for path in (*_PAGES, *_SHARED)),
    Route("/api/games", _games),
]
