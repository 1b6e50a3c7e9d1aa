"""Let players and searches think in threads, beside the event loop and within a time limit."""

import asyncio
import os
import threading
from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")

MAX_ABANDONED = 16  # threads that run on past their limit, before no other may begin


class TooSlow(Exception):
    """A call took longer than its limit, or too many others still do."""


class Thinkers:
    """Threads for long calls: as many at once as there are cores, each with a limit in seconds.

    A thread cannot be stopped: one that is past its limit runs on, its result is dropped, and
    another takes its place.
    """

    def __init__(self, num_threads: int | None = None) -> None:
        """Start nothing yet."""
        self._free = asyncio.Semaphore(num_threads or max(2, os.cpu_count() or 2))
        self._num_abandoned = 0

    async def run(self, seconds: float, function: Callable[..., Result], *arguments: Any) -> Result:
        """Return what the call returns; raise what it raises, or TooSlow."""
        async with self._free:
            if self._num_abandoned >= MAX_ABANDONED:
                raise TooSlow("too many players are still thinking about earlier moves")
            loop = asyncio.get_running_loop()
            future: asyncio.Future[Result] = loop.create_future()
            thread = threading.Thread(
                target=_call, args=(loop, future, function, arguments), daemon=True
            )
            thread.start()
            done, _ = await asyncio.wait([future], timeout=seconds)
            if not done:
                self._num_abandoned += 1
                future.add_done_callback(self._forget)
                raise TooSlow(f"no answer within {seconds:g} s")
            return future.result()

    def _forget(self, future: "asyncio.Future[Any]") -> None:
        self._num_abandoned -= 1
        future.exception()  # nobody else looks at it


def _call(
    loop: asyncio.AbstractEventLoop,
    future: "asyncio.Future[Any]",
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
) -> None:
    try:
        found, error = function(*arguments), None
    except Exception as raised:
        found, error = None, raised

    def finish() -> None:
        if future.cancelled():
            return
        if error is None:
            future.set_result(found)
        else:
            future.set_exception(error)

    try:
        loop.call_soon_threadsafe(finish)
    except RuntimeError:  # the server has stopped meanwhile
        return
