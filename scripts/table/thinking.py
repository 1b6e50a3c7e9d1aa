"""Let players and searches think in threads, beside the event loop and within a time limit."""

import asyncio
import os
import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")
Calls = queue.SimpleQueue  # of (loop, future, function, arguments), or None at the end

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
        self._idle: list[Calls] = []  # those of the threads that wait for a call
        self._num_abandoned = 0

    def __del__(self) -> None:
        """End the threads that wait."""
        for calls in self._idle:
            calls.put(None)

    async def run(self, seconds: float, function: Callable[..., Result], *arguments: Any) -> Result:
        """Return what the call returns; raise what it raises, or TooSlow.

        A thread whose caller has been cancelled counts as running until it ends or is past its
        limit, so that nobody can start more threads by asking and going away.
        """
        await self._free.acquire()
        job = asyncio.ensure_future(self._in_thread(seconds, function, arguments))
        job.add_done_callback(self._finish)
        return await asyncio.shield(job)

    async def _in_thread(
        self, seconds: float, function: Callable[..., Result], arguments: tuple[Any, ...]
    ) -> Result:
        if self._num_abandoned >= MAX_ABANDONED:
            raise TooSlow("too many players are still thinking about earlier moves")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()
        calls = self._idle.pop() if self._idle else _new_thread()
        calls.put((loop, future, function, arguments))
        done, _ = await asyncio.wait([future], timeout=seconds)
        if not done:
            self._num_abandoned += 1
            future.add_done_callback(lambda late: self._forget(late, calls))
            raise TooSlow(f"no answer within {seconds:g} s")
        self._idle.append(calls)
        return future.result()

    def _finish(self, job: "asyncio.Future[Any]") -> None:
        self._free.release()
        if not job.cancelled():
            job.exception()  # the caller may have been cancelled

    def _forget(self, future: "asyncio.Future[Any]", calls: Calls) -> None:
        self._num_abandoned -= 1
        self._idle.append(calls)
        future.exception()  # nobody else looks at it


def _new_thread() -> Calls:
    """Start a thread that answers the calls put into a queue, one after the other, until None."""
    calls: Calls = queue.SimpleQueue()

    def answer() -> None:
        while (call := calls.get()) is not None:
            _call(*call)
            del call  # it holds on to a table

    threading.Thread(target=answer, daemon=True).start()
    return calls


def within(seconds: float, function: Callable[..., Result], *arguments: Any) -> Result:
    """Return what the call returns; raise what it raises, or TooSlow, after which it runs on."""
    answers: queue.SimpleQueue[tuple[Any, Exception | None]] = queue.SimpleQueue()
    threading.Thread(target=lambda: answers.put(_outcome(function, arguments)), daemon=True).start()
    try:
        found, error = answers.get(timeout=seconds)
    except queue.Empty:
        raise TooSlow(f"no answer within {seconds:g} s") from None
    if error is not None:
        raise error
    return found


def _outcome(
    function: Callable[..., Any], arguments: tuple[Any, ...]
) -> tuple[Any, Exception | None]:
    try:
        return function(*arguments), None
    except Exception as error:
        return None, error
    except BaseException as error:  # a player's file may call sys.exit()
        return None, RuntimeError(f"it ended with {error!r}")


def _call(
    loop: asyncio.AbstractEventLoop,
    future: "asyncio.Future[Any]",
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
) -> None:
    found, error = _outcome(function, arguments)

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
