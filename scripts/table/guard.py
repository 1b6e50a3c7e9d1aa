"""Who may talk to the server: Host and Origin checked, sizes and connections limited.

A page of another site that makes the browser send requests here has the wrong Origin; one that
points its own name at 127.0.0.1 has the wrong Host.
"""

import asyncio
import hmac
import ipaddress
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

MAX_BODY = 16 * 1024  # bytes of a request
MAX_CONNECTIONS = 600  # seats taken at once
MAX_STRANGERS = 64  # connections of one address that have shown no token and no key
POLICY = "content-security-policy"
REPLAY_POLICY = (  # a replay is one page with everything inside
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    POLICY: "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}


class UnknownConnections:
    """All connections that have shown no token and no key, the oldest first.

    With more than `MAX_STRANGERS` of one address, its oldest is closed: connections that do nothing
    keep nobody out.
    """

    def __init__(self) -> None:
        self._strangers: dict[tuple[str, int], asyncio.Transport] = {}

    def add(self, transport: asyncio.Transport) -> None:
        """Count a new connection."""
        address, port = (transport.get_extra_info("peername") or ("", 0))[:2]
        self._strangers = {c: t for c, t in self._strangers.items() if not t.is_closing()}
        self._strangers[address, port] = transport
        same = [client for client in self._strangers if client[0] == address]
        if len(same) > MAX_STRANGERS:
            self._strangers.pop(same[0]).abort()

    def remove(self, scope: Scope) -> None:
        """Remove the connection of a request that has shown a token or a key."""
        address, port = scope.get("client") or ("", 0)
        self._strangers.pop((address, port), None)


class Guard:
    """ASGI middleware: answer 403 to a wrong Host or Origin, 413 to a large body; add headers.

    Starlette's TrustedHostMiddleware ignores the port, the Origin and the server's own address.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str]) -> None:
        """`hosts` are the names, with the port, under which people reach this server.

        The address that a connection came to is always one.
        """
        self.app = app
        self.hosts = frozenset(host.lower() for host in hosts)
        self.unknown = UnknownConnections()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass allowed requests on."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        scope["unknown"] = self.unknown
        headers = Headers(scope=scope)
        answer: ASGIApp = self.app
        if not _is_allowed(headers, self.hosts | {_own_address(scope)}):
            answer = PlainTextResponse("wrong Host or Origin", 403)
            if scope["type"] == "websocket":
                answer = WebSocketClose(1008, "wrong Host or Origin")
        elif _is_large(headers):
            answer = PlainTextResponse("this request is too large", 413)

        async def send_more(message: Message) -> None:
            if message["type"] == "http.response.start":
                sent = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    sent.setdefault(name, value)
            await send(message)

        await answer(scope, receive, send_more)


def _is_allowed(headers: Headers, own_hosts: frozenset[str]) -> bool:
    hosts, origins = headers.getlist("host"), headers.getlist("origin")
    if len(hosts) != 1 or hosts[0].lower() not in own_hosts or len(origins) > 1:
        return False
    # Programs that are no browsers send no Origin; a token is what lets them in.
    own = {f"{scheme}://{host}" for scheme in ("http", "https") for host in own_hosts}
    return not origins or origins[0].lower() in own


def _is_large(headers: Headers) -> bool:
    lengths = headers.getlist("content-length")
    is_long = any(not length.isdecimal() or int(length) > MAX_BODY for length in lengths)
    return is_long or "transfer-encoding" in headers


def _own_address(scope: Scope) -> str:
    """Return ADDRESS:PORT of this machine, to which a connection came."""
    address, port = scope.get("server") or ("", 0)
    try:
        host = ipaddress.ip_address(address)
    except ValueError:  # a test client
        return address
    if host.version == 6 and host.ipv4_mapped:
        host = host.ipv4_mapped
    return host_and_port(str(host), port)


def host_and_port(host: str, port: int) -> str:
    """Return a host and a port as a URL has them."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def is_owner(request: Request) -> bool:
    """Whether the person who started the server asks: `owner_key` of the app's state is given."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    is_owner = scheme.lower() == "bearer" and hmac.compare_digest(
        token.encode(), request.app.state.owner_key.encode()
    )
    if is_owner:
        request.scope["unknown"].remove(request.scope)
    return is_owner


def refusal(status: int, text: str) -> Response:
    """Return an answer that says what was wrong."""
    return JSONResponse({"error": text}, status)
