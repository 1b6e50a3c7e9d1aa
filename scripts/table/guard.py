"""Who may talk to the server: Host and Origin checked, rates, sizes and connections limited.

A page of another site that makes the browser send requests here has the wrong Origin; one that
points its own name at 127.0.0.1 has the wrong Host.
"""

import asyncio
import ipaddress
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
Receive = Callable[[], Awaitable[Message]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

MAX_BODY = 16 * 1024  # bytes of a request
MAX_CONNECTIONS = 600  # seats taken at once
MAX_STRANGERS = 64  # connections of one address that have shown no token and no key
POLICY = "content-security-policy"
REPLAY_POLICY = (  # a replay is one page with everything inside
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = [
    (
        POLICY.encode(),
        b"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
        b"img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
        b"frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
]


class Allowance:
    """A number of events that fills up again: `burst` at once, `a_second` on average."""

    def __init__(self, a_second: float, burst: float) -> None:
        self.a_second, self.burst = a_second, burst
        self._left, self._time = burst, time.monotonic()

    def take(self) -> bool:
        """Use one; return whether there was one."""
        now = time.monotonic()
        self._left = min(self.burst, self._left + (now - self._time) * self.a_second)
        self._time = now
        if self._left < 1:
            return False
        self._left -= 1
        return True

    def give_back(self) -> None:
        """Let the last event cost nothing."""
        self._left += 1


class Doors:
    """All connections that have shown no token and no key, the oldest first.

    With more than `MAX_STRANGERS` of one address, its oldest is closed: connections that do nothing
    keep nobody out.
    """

    def __init__(self) -> None:
        self._strangers: dict[tuple[str, int], asyncio.Transport] = {}

    def enter(self, transport: asyncio.Transport) -> None:
        """Count a new connection."""
        address, port = (transport.get_extra_info("peername") or ("", 0))[:2]
        self._strangers = {c: t for c, t in self._strangers.items() if not t.is_closing()}
        self._strangers[address, port] = transport
        same = [client for client in self._strangers if client[0] == address]
        if len(same) > MAX_STRANGERS:
            self._strangers.pop(same[0]).abort()

    def admit(self, scope: Message) -> None:
        """Count the connection of a request no longer."""
        address, port = scope.get("client") or ("", 0)
        self._strangers.pop((address, port), None)


class Guard:
    """ASGI middleware: answer 403 to a wrong Host or Origin, 413 to a large body; add headers."""

    def __init__(self, app: App, hosts: Iterable[str]) -> None:
        """`hosts` are the names, with the port, under which people reach this server.

        The address that a connection came to is always one.
        """
        self.app = app
        self.hosts = frozenset(host.lower() for host in hosts)
        self.doors = Doors()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass allowed requests on."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        scope.setdefault("doors", self.doors)
        headers = [(name, value.decode("latin-1")) for name, value in scope["headers"]]
        if not _is_allowed(headers, self.hosts | {_own_address(scope)}):
            await _refuse(scope, receive, send, 403, "wrong Host or Origin")
        elif _length(headers) > MAX_BODY or _is_chunked(headers):
            await _refuse(scope, receive, send, 413, "this request is too large")
        else:
            await self.app(scope, receive, _with_headers(send))


def _is_allowed(headers: list[tuple[bytes, str]], own_hosts: frozenset[str]) -> bool:
    hosts = [value for name, value in headers if name == b"host"]
    origins = [value for name, value in headers if name == b"origin"]
    if len(hosts) != 1 or hosts[0].lower() not in own_hosts or len(origins) > 1:
        return False
    # Programs that are no browsers send no Origin; a token is what lets them in.
    own = {f"{scheme}://{host}" for scheme in ("http", "https") for host in own_hosts}
    return not origins or origins[0].lower() in own


def _own_address(scope: Message) -> str:
    """Return ADDRESS:PORT of this machine, to which a connection came."""
    address, port = scope.get("server") or ("", 0)
    try:
        found = ipaddress.ip_address(address)
    except ValueError:  # a test client
        return address
    if found.version == 6 and found.ipv4_mapped:
        found = found.ipv4_mapped
    return host_and_port(str(found), port)


def host_and_port(host: str, port: int) -> str:
    """Return a host and a port as a URL has them."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _length(headers: list[tuple[bytes, str]]) -> int:
    lengths = [value for name, value in headers if name == b"content-length"]
    return max((int(v) if v.isdecimal() else MAX_BODY + 1 for v in lengths), default=0)


def _is_chunked(headers: list[tuple[bytes, str]]) -> bool:
    return any(name == b"transfer-encoding" for name, _ in headers)


async def _refuse(scope: Message, receive: Receive, send: Send, status: int, text: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": text})
        return
    start = {"type": "http.response.start", "status": status, "headers": HEADERS}
    await send(start)
    await send({"type": "http.response.body", "body": text.encode()})


def _with_headers(send: Send) -> Send:
    async def send_more(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = list(message.get("headers", []))
            names = {name for name, _ in own}
            more = [(name, value) for name, value in HEADERS if name not in names]
            message = {**message, "headers": [*own, *more]}
        await send(message)

    return send_more
