"""A connection of a seat: its token first, then messages both ways until one side ends."""

import asyncio
import contextlib
import json

from starlette.websockets import WebSocket, WebSocketDisconnect

from .guard import MAX_CONNECTIONS
from .host import Host
from .live import Connection
from .protocol import Allowance, BadMessage, Refused, parse
from .store import Damaged
from .thinking import TooSlow

SECONDS_TO_SIT = 10.0  # for a new connection to send its token
MAX_MISTAKES = 20  # wrong messages before a connection is closed
MESSAGES_A_SECOND, MAX_MESSAGES_AT_ONCE = 20, 60


async def serve_seat(socket: WebSocket) -> None:
    """Serve one connection from its token to its end."""
    host: Host = socket.app.state.host
    connection = Connection()
    is_seated = False
    try:
        await socket.accept()
        async with asyncio.timeout(SECONDS_TO_SIT):
            message = parse(await _text(socket))
            if message["type"] != "sit":
                raise Refused("take a seat first: type sit")
        connection.is_narrow = message.get("is_narrow", False)
        connection.has_data = message.get("has_data", False)
        if host.num_connections >= MAX_CONNECTIONS:
            raise Refused("too many connections")
        await host.sit(connection, message["token"])
        socket.scope["unknown"].remove(socket.scope)
        is_seated = True
        host.num_connections += 1
        await _serve(socket, connection)
    except (BadMessage, Refused, Damaged, TooSlow) as error:
        await _close(socket, str(error))
    except (WebSocketDisconnect, TimeoutError, RuntimeError):
        await _close(socket, "no token in time")
    finally:
        host.num_connections -= is_seated
        host.leave(connection)


async def _serve(socket: WebSocket, connection: Connection) -> None:
    """Send and receive side by side; whichever ends first ends both."""
    jobs = [
        asyncio.create_task(_send_all(socket, connection)),
        asyncio.create_task(_receive_all(socket, connection)),
        asyncio.create_task(connection.is_too_slow.wait()),
    ]
    try:
        done, _ = await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
        while done:  # keep no reference: the task and its exception would form a cycle
            done.pop().result()
    finally:
        while jobs:
            job = jobs.pop(0)
            job.add_done_callback(lambda job: job.cancelled() or job.exception())
            job.cancel()
    await _close(socket, "the connection is too slow")


async def _send_all(socket: WebSocket, connection: Connection) -> None:
    while True:
        await socket.send_text(await connection.queue.get())


async def _receive_all(socket: WebSocket, connection: Connection) -> None:
    allowance = Allowance(a_second=MESSAGES_A_SECOND, burst=MAX_MESSAGES_AT_ONCE)
    mistakes, live = 0, connection.live
    assert live is not None
    while True:
        text = await _text(socket)
        if not allowance.take():
            raise Refused("too many messages")
        try:
            message = parse(text)
            await live.handle(connection, message)
            if message["type"] == "act":  # not limited: each position accepts one legal move
                allowance.give_back()
        except (BadMessage, Refused) as error:
            mistakes += isinstance(error, BadMessage)
            if mistakes >= MAX_MISTAKES:
                raise Refused("too many wrong messages") from None
            connection.put({"type": "error", "text": str(error)})


async def _text(socket: WebSocket) -> str | bytes:
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1000))
    return message.get("text") or message.get("bytes") or ""


async def _close(socket: WebSocket, reason: str) -> None:
    """Say why, if the client is still there, and close."""
    with contextlib.suppress(Exception):
        async with asyncio.timeout(2):
            await socket.send_text(json.dumps({"type": "closed", "text": reason}))
            await socket.close(1008)
