"""Who may talk to the server: Host and Origin checked, rates and sizes limited.

A page of another site that makes the browser send requests here has the wrong Origin; one that
points its own name at 127.0.0.1 has the wrong Host.
"""

import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
Receive = Callable[[], Awaitable[Message]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

MAX_BODY = 16 * 1024  # bytes of a request
MAX_CONNECTIONS = 600  # WebSockets at once
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


class Guard:
    """ASGI middleware: answer 403 to a wrong Host or Origin, 413 to a large body; add headers."""

    def __init__(self, app: App, hosts: Iterable[str]) -> None:
        """`hosts` are the names, with the port, under which people reach this server."""
        self.app = app
        self.hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass allowed requests on."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = [(name, value.decode("latin-1")) for name, value in scope["headers"]]
        if not self._is_allowed(headers):
            await _refuse(scope, receive, send, 403, "wrong Host or Origin")
        elif _length(headers) > MAX_BODY or _is_chunked(headers):
            await _refuse(scope, receive, send, 413, "this request is too large")
        else:
            await self.app(scope, receive, _with_headers(send))

    def _is_allowed(self, headers: list[tuple[bytes, str]]) -> bool:
        hosts = [value for name, value in headers if name == b"host"]
        origins = [value for name, value in headers if name == b"origin"]
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts or len(origins) > 1:
            return False
        # Programs that are no browsers send no Origin; a token is what lets them in.
        own = {f"{scheme}://{host}" for scheme in ("http", "https") for host in self.hosts}
        return not origins or origins[0].lower() in own


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
