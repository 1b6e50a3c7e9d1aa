"""Let players and searches think in threads, beside the event loop and within a time limit.

The threads are daemons, unlike those of asyncio and anyio: one that never ends does not keep the
server from stopping.
"""

import asyncio
import contextlib
import os
import queue
import threading
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, TypeVar
from weakref import WeakValueDictionary

Result = TypeVar("Result")
Outcome = tuple[Any, Exception | None]

NUM_TURNS = max(2, os.cpu_count() or 2)
TURN_SECONDS = 1.0  # after which a call that goes on no longer keeps others waiting


class TooSlow(Exception):
    """A call took longer than its limit."""


class Thinkers:
    """Threads for long calls: one at a time for each caller, and callers take turns.

    A thread cannot be stopped: one that is past its limit runs on, its result is dropped, and
    nobody but its caller waits for it.
    """

    def __init__(self, num_turns: int = NUM_TURNS) -> None:
        """Start nothing yet."""
        self._turns = asyncio.Semaphore(num_turns)
        self._callers: WeakValueDictionary[Hashable, asyncio.Lock] = WeakValueDictionary()

    async def run(
        self, caller: Hashable, seconds: float, function: Callable[..., Result], *arguments: Any
    ) -> Result:
        """Return what the call returns; raise what it raises, or TooSlow.

        Waiting for other callers does not count; the caller's last call has `seconds` to end.
        """
        is_free = self._callers.setdefault(caller, asyncio.Lock())
        with contextlib.ExitStack() as kept:
            await _in_time(is_free.acquire(), seconds)
            kept.callback(is_free.release)
            await self._turns.acquire()
            kept.callback(self._turns.release)
            call = _started(function, arguments)
            kept.pop_all()
            call.add_done_callback(lambda _: is_free.release())
        return await self._answer(call, seconds)

    async def _answer(self, call: "asyncio.Future[Result]", seconds: float) -> Result:
        """Wait for the call, which has a turn. A cancelled caller leaves it running."""
        in_turn = min(seconds, TURN_SECONDS)
        try:
            await asyncio.wait([call], timeout=in_turn)
        finally:
            self._turns.release()
        return await _in_time(asyncio.shield(call), seconds - in_turn, seconds)


async def _in_time(job: Awaitable[Result], left: float, seconds: float | None = None) -> Result:
    """Return what the job returns within `left` seconds. Raises TooSlow, which names `seconds`."""
    try:
        async with asyncio.timeout(left):
            return await job
    except TimeoutError:
        raise TooSlow(f"no answer within {left if seconds is None else seconds:g} s") from None


def _started(
    function: Callable[..., Result], arguments: tuple[Any, ...]
) -> "asyncio.Future[Result]":
    loop = asyncio.get_running_loop()
    call: asyncio.Future[Result] = loop.create_future()

    def end(found: Any, error: Exception | None) -> None:
        if error is None:
            call.set_result(found)
        else:
            call.set_exception(error)
            call.exception()  # its caller may have gone

    def report(outcome: Outcome) -> None:
        with contextlib.suppress(RuntimeError):  # the server has stopped meanwhile
            loop.call_soon_threadsafe(end, *outcome)

    _start_thread(report, function, arguments)
    return call


def within(seconds: float, function: Callable[..., Result], *arguments: Any) -> Result:
    """Return what the call returns; raise what it raises, or TooSlow, after which it runs on."""
    answers: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
    _start_thread(answers.put, function, arguments)
    try:
        found, error = answers.get(timeout=seconds)
    except queue.Empty:
        raise TooSlow(f"no answer within {seconds:g} s") from None
    if error is not None:
        raise error
    return found


def _start_thread(
    report: Callable[[Outcome], None], function: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    threading.Thread(target=lambda: report(_outcome(function, arguments)), daemon=True).start()


def _outcome(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Outcome:
    try:
        return function(*arguments), None
    except Exception as error:
        return None, error
    except BaseException as error:  # a player's file may call sys.exit()
        return None, RuntimeError(f"it ended with {error!r}")
