"""The OpenEnv server in a thread of this process."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from parlour_openenv import app

START_SECONDS = 60


class _Server(uvicorn.Server):
    def __init__(self) -> None:
        super().__init__(uvicorn.Config(app, port=0, log_level="warning"))
        self.is_up = threading.Event()

    async def startup(self, *arguments: Any, **named: Any) -> None:
        await super().startup(*arguments, **named)
        self.is_up.set()


@contextmanager
def served() -> Iterator[str]:
    """Serve on a free port of this machine; yield the address."""
    server = _Server()
    thread = threading.Thread(target=server.run)
    thread.start()
    assert server.is_up.wait(START_SECONDS), "the server did not start"
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
