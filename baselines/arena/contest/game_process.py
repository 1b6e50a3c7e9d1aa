"""The arena's side of a player's process for one game: exchange messages, enforce the limits."""

import contextlib
import errno
import os
import select
import signal
import socket
from multiprocessing.connection import wait
from pathlib import Path

from .fork_server import MESSAGE, ForkServer
from .limits import PlayerLimits
from .player_process import OUT_OF_MEMORY, REFUSED
from .sandbox import Sandbox
from .usage import Meter, family, memory_mib, num_tasks

_CHUNK = 1 << 16
_LAST_WORDS_SECONDS = 5.0  # for a process to end after it has closed its connection
_TICK_SECONDS = 0.02  # between two measurements of a thinking player
_LONGEST_REASON = 500


class Forfeit(Exception):
    """A player loses the game by a fault."""

    def __init__(self, kind: str, reason: str, is_refused: bool = False) -> None:
        super().__init__(reason)
        self.kind = kind  # "start", "crash", "memory", "processes", "time", "warnings", ...
        self.reason = reason
        self.is_refused = is_refused  # `make_policy` refused the player


class Log:
    """The file with the output of a player, new with this object and limited to `max_bytes`.

    Raises ValueError where it cannot be written.
    """

    def __init__(self, path: Path, max_bytes: int) -> None:
        self.path = path
        self._left = max_bytes
        self._notes = path.with_suffix(".arena")  # apart, so that no player can forge them
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            for file in (self.path, self._notes):
                file.write_bytes(b"")
        except OSError as error:
            raise ValueError(
                f"cannot write logs to {path.parent}: {error.strerror}; "
                "logs must be a folder that can be written to"
            ) from error

    def add(self, text: bytes, path: Path | None = None) -> None:
        """Add the part of the text that fits."""
        part = text[: self._left]
        self._left -= len(part)
        if part:
            with (path or self.path).open("ab") as file:
                file.write(part)

    def note(self, text: str) -> None:
        """Add a line to the arena's own notes on the player."""
        self.add(f"{text}\n".encode(), self._notes)


class _Gone(Exception):
    """The player's process or its connection has ended."""


class GameProcess:
    """The process of a player for one game; it runs only while a request is open."""

    def __init__(
        self, server: ForkServer, spec: str, limits: PlayerLimits, log: Log, sandbox: Sandbox
    ) -> None:
        self._limits = limits
        self._log = log
        self._sandbox = sandbox
        self._player, self._supervisor, self._output = server.start(spec, limits, sandbox)
        self._pid = self._message()
        if self._pid <= 0:
            self.close()
            raise OSError(f"a player's sandbox could not be set up: {os.strerror(-self._pid)}")

    def _message(self) -> int:
        """Return the next message of the supervisor; minus an error number where it was killed."""
        message = self._supervisor.recv(MESSAGE.size)
        return MESSAGE.unpack(message)[0] if message else -errno.ECHILD

    @property
    def tail(self) -> str:
        """Return the last output of the player."""
        start = max(0, os.fstat(self._output).st_size - _CHUNK)
        return os.pread(self._output, _CHUNK, start).decode(errors="replace").strip()

    def ask(
        self, request: bytes, reply_size: int, seconds: float, kind: str
    ) -> tuple[bytes, float]:
        """Return the reply and the seconds charged, at most `seconds`. Raises Forfeit."""
        if request and select.select([self._player], [], [], 0)[0]:
            raise self._untimely()
        self._sandbox.signal(signal.SIGCONT, self._pid)
        meter = Meter(self._pid)
        try:
            reply = self._exchange(request, reply_size, meter, seconds, kind)
        except (_Gone, BrokenPipeError, ConnectionResetError):
            raise self._ended() from None
        finally:
            spent = meter.charge()
            self._sandbox.signal(signal.SIGSTOP, self._pid)
        if spent > seconds:
            raise _too_slow(seconds, kind)
        return reply, spent

    def _members(self) -> list[int]:
        """Return the processes of the player; orphans belong to the first of the sandbox."""
        return list(family(filter(None, (self._sandbox.first, self._pid))))

    def _untimely(self) -> Forfeit:
        """Return the fault of a player that has ended or answered before any request."""
        with contextlib.suppress(ConnectionResetError):
            if self._player.recv(1):
                return Forfeit("protocol", "it answered more than it was asked")
        return self._ended()

    def _exchange(
        self, request: bytes, size: int, meter: Meter, seconds: float, kind: str
    ) -> bytes:
        if request:
            self._player.send(request)
        while self._player not in (ready := wait([self._player, self._supervisor], _TICK_SECONDS)):
            if ready:
                raise _Gone
            members = self._members()
            self._check_limits(members)
            meter.look(members)
            if meter.charge() > seconds:
                raise _too_slow(seconds, kind)
        self._check_output()
        reply = self._player.recv(size + 1)
        if not reply:
            raise _Gone
        if len(reply) != size:
            raise Forfeit("protocol", f"it answered with other than {size} bytes")
        return reply

    def _check_limits(self, members: list[int]) -> None:
        self._check_output()
        limits = self._limits
        if num_tasks(members) > limits.processes:
            reason = f"had more than {limits.processes} processes and threads"
            raise Forfeit("processes", reason)
        if memory_mib(members) > limits.memory_mib:
            raise self._out_of_memory()

    def _check_output(self) -> None:
        limit = self._limits.output_kib
        if os.fstat(self._output).st_size > limit * 1024:
            raise Forfeit("output", f"printed more than {limit} KiB in a game")

    def _out_of_memory(self) -> Forfeit:
        return Forfeit("memory", f"needed more than {self._limits.memory_mib} MiB of memory")

    def _ended(self) -> Forfeit:
        """Return the reason why the process or its connection has ended."""
        self._sandbox.signal(signal.SIGCONT, self._pid)
        if not wait([self._supervisor], _LAST_WORDS_SECONDS):
            return Forfeit("crash", "it closed its connection to the arena")
        status = self._message()
        if status == OUT_OF_MEMORY:
            return self._out_of_memory()
        last = printable(self.tail.split("\n")[-1]) or "nothing was said"
        reason = f"its process ended with status {status}: {last}"
        return Forfeit("crash", reason, is_refused=status == REFUSED)

    def close(self) -> None:
        """End the process and all that it started, at any time; keep what it printed."""
        with contextlib.suppress(OSError):
            self._supervisor.shutdown(socket.SHUT_WR)  # it then ends the player's process group
            self._supervisor.settimeout(_LAST_WORDS_SECONDS)
            while self._supervisor.recv(MESSAGE.size):
                pass
        self._sandbox.close()
        self._player.close()
        self._supervisor.close()
        self._log.add(os.pread(self._output, self._limits.output_kib * 1024, 0))
        os.close(self._output)


def _too_slow(seconds: float, kind: str) -> Forfeit:
    failure = "was not ready" if kind == "start" else "gave no action"
    return Forfeit(kind, f"{failure} within {seconds:.3g} s")


def printable(text: str) -> str:
    """Return a player's text for the terminal: no control characters, limited length."""
    kept = "".join(letter if letter.isprintable() else "?" for letter in text.strip())
    return kept if len(kept) <= _LONGEST_REASON else f"{kept[:_LONGEST_REASON]}..."
