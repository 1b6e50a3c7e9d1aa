"""Let players and searches think in threads, beside the event loop and within a time limit.

The threads are daemons, unlike those of asyncio and anyio: one that never ends does not keep the
server from stopping.
"""

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Hashable
from concurrent.futures import Future
from typing import Any, TypeVar
from weakref import WeakValueDictionary

Result = TypeVar("Result")

MAX_CONCURRENT_CALLS = max(2, os.cpu_count() or 2)
TURN_SECONDS = 1.0  # after which a call that goes on no longer keeps others waiting


class TooSlow(Exception):
    """A call took longer than its limit."""


class Thinkers:
    """Threads for long calls: one at a time for each caller, and callers take turns.

    A thread cannot be stopped: one that is past its limit runs on, its result is dropped, and
    nobody but its caller waits for it.
    """

    def __init__(self, num_turns: int = MAX_CONCURRENT_CALLS) -> None:
        """Start nothing yet."""
        self._turns = asyncio.Semaphore(num_turns)
        self._callers: WeakValueDictionary[Hashable, asyncio.Lock] = WeakValueDictionary()

    async def run(
        self, caller: Hashable, seconds: float, function: Callable[..., Result], *arguments: Any
    ) -> Result:
        """Return what the call returns; raise what it raises, or TooSlow.

        Waiting for other callers does not count; waiting for the caller's previous call may take
        `seconds`, too. A caller that is cancelled leaves its call running.
        """
        is_free = self._callers.setdefault(caller, asyncio.Lock())
        await _in_time(is_free.acquire(), seconds)
        in_turn = min(seconds, TURN_SECONDS)
        call: asyncio.Future[Result] | None = None
        try:
            async with self._turns:
                call = _in_thread(function, arguments)
                await asyncio.wait([call], timeout=in_turn)
        finally:
            if call is None:  # cancelled before, or no thread can be started
                is_free.release()
            else:
                call.add_done_callback(lambda _: is_free.release())
        return await _in_time(asyncio.shield(call), seconds - in_turn, seconds)


async def _in_time(job: Awaitable[Result], left: float, seconds: float | None = None) -> Result:
    """Return what the job returns within `left` seconds. Raises TooSlow, which names `seconds`."""
    try:
        async with asyncio.timeout(left):
            return await job
    except TimeoutError:
        raise TooSlow(f"no answer within {left if seconds is None else seconds:g} s") from None


def _in_thread(
    function: Callable[..., Result], arguments: tuple[Any, ...]
) -> "asyncio.Future[Result]":
    future: Future[Result] = Future()

    def work() -> None:
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)
        except BaseException as error:  # a player's file may call sys.exit()
            future.set_exception(RuntimeError(f"it ended with {error!r}"))

    call = asyncio.wrap_future(future)
    call.add_done_callback(lambda done: done.cancelled() or done.exception())  # its caller may go
    threading.Thread(target=work, daemon=True).start()
    return call
