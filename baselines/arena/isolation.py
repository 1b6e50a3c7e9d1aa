"""A player in a process of its own: timed, limited, logged, and suspended while others play."""

import contextlib
import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ...envs.core.game import Game
from ...envs.core.play.seating import Memory, illegal_action_message
from . import guard
from .cgroups import Group, place_of_groups
from .fork_client import ForkServer
from .limits import Limits, charge
from .player_process import (
    BEGIN,
    CHOOSE,
    DONE,
    NUMBER,
    OBSERVES,
    OUT_OF_MEMORY,
    REFUSED,
    REMEMBERS,
    SEARCHES,
    WATCH,
)

_CHUNK = 1 << 16
_LAST_WORDS_SECONDS = 5.0  # for a process to end after it has closed its pipes, and for its output
_TICK_SECONDS = 0.01  # between two checks of a thinking player
_TICKS_A_LOOK = 5  # ticks between two measurements of processor time
_LONGEST_REASON = 500
_CORES = os.cpu_count() or 1
_SCHEDULED = Path("/proc/thread-self/schedstat")  # its second number: ns without a processor


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

    def add(self, text: bytes) -> None:
        """Add the part of the text that fits."""
        self._add(self.path, text)

    def note(self, text: str) -> None:
        """Add a line to the arena's own notes on the player."""
        self._add(self._notes, f"{text}\n".encode())

    def _add(self, path: Path, text: bytes) -> None:
        part = text[: self._left]
        self._left -= len(part)
        if part:
            with path.open("ab") as file:
                file.write(part)


class IsolatedPlayer:
    """A seated policy that runs in a process of its own, fresh for every game.

    `spec` is text that `make_policy` takes: a name, a checkpoint, `FILE.py:FUNCTION`. Call `begin`
    before each game and `close` at the end, or use it as a context. Raises Forfeit, out of `begin`
    or in play, where the player loses by its own fault. Raises ValueError for a spec that is not
    text. With `tracebacks`, what the player printed before a crash is shown on stderr.
    """

    row_function = None  # never compiled into the arena's own loops
    weights = None
    is_blind = False

    def __init__(
        self,
        spec: Any,
        game: Game,
        limits: Limits,
        log: Log,
        server: ForkServer,
        tracebacks: bool = False,
    ) -> None:
        self.name = check_is_text(spec)
        self.warnings: list[str] = []
        self.forfeit: Forfeit | None = None  # the fault of its last game
        self._game = game
        self._limits = limits
        self._log = log
        self._server = server
        self._tracebacks = tracebacks
        self._process: _Process | None = None
        self._manner = OBSERVES  # what it needs for a choice
        self._allowance = 0.0  # seconds left to the first action; 0 after it

    @property
    def needs_positions(self) -> bool:
        """Return whether it searches; known after `begin`."""
        return self._manner == SEARCHES

    @property
    def remember(self) -> Callable[[], Memory] | None:
        """Return the maker of its memory, which passes everything on; None without a memory."""
        return partial(_Memory, self) if self._manner == REMEMBERS else None

    def begin(self) -> None:
        """Start a new game: a fresh process, no warnings, the whole allowance. Raises Forfeit."""
        self.close()
        self.warnings = []
        self.forfeit = None
        self._allowance = self._limits.start_seconds
        self._process = _Process(self._server, self.name, self._limits, self._log)
        manner, spent = self._ask(b"", 1, self._allowance, "start")
        self._allowance = max(0.0, self._allowance - spent)
        self._manner = manner

    def tell(self, request: bytes) -> None:
        """Send an observation to a player with memory, on its own time. Raises Forfeit."""
        _, spent = self._ask_in_time(request, len(DONE))
        self._allowance = max(0.0, self._allowance - spent)

    def __call__(
        self, observations: Any, action_masks: Any, rngs: Any, positions: Any = None
    ) -> np.ndarray:
        """Ask for actions [B] one by one, and again after an illegal one. Raises Forfeit."""
        actions = np.empty(len(observations), NUMBER)
        for index in range(len(observations)):
            what = CHOOSE + observations[index].tobytes() + action_masks[index].tobytes()
            position = positions[index].tobytes() if self.needs_positions else b""
            mask, rng = action_masks[index], rngs[index : index + 1]
            while True:  # ends with the warnings
                action = self._choose(what, rng, position)
                if 0 <= action < self._game.num_actions and mask[action] == 1:
                    break
                self._warn(illegal_action_message(self._game, self.name, action, mask))
            actions[index] = action
        return actions

    def _choose(self, what: bytes, rng: np.ndarray, position: bytes) -> int:
        """Ask for one action; `rng` [1] advances as the player draws from it."""
        reply, _ = self._ask_in_time(what + rng.tobytes() + position, NUMBER.itemsize + rng.nbytes)
        self._allowance = 0.0
        rng[:] = np.frombuffer(reply[NUMBER.itemsize :], rng.dtype)
        return int(np.frombuffer(reply[: NUMBER.itemsize], NUMBER)[0])

    def _ask_in_time(self, request: bytes, reply_size: int) -> tuple[bytes, float]:
        """Return (reply, seconds); warn where slow. The allowance is for the first action."""
        limits = self._limits
        is_last_chance = len(self.warnings) == limits.warnings - 1
        usual = limits.seconds if is_last_chance else limits.forfeit_seconds
        reply, spent = self._ask(request, reply_size, max(usual, self._allowance), "time")
        if spent > max(limits.seconds, self._allowance):
            self._warn(f"took {spent:.2f} s for an action; {limits.seconds:g} s are allowed")
        return reply, spent

    def _ask(
        self, request: bytes, reply_size: int, seconds: float, kind: str
    ) -> tuple[bytes, float]:
        """Return (reply, seconds charged): 0 for a quick reply without any allowance left."""
        assert self._process is not None, "begin comes first"
        ignored = 0.0 if self._allowance else self._limits.seconds
        try:
            return self._process.ask(request, reply_size, seconds, kind, ignored)
        except Forfeit as forfeit:
            tail = self._process.tail
            self.close()
            self._note_forfeit(forfeit)
            if self._tracebacks and tail:
                lines = "\n".join(map(_printable, tail.split("\n")))
                print(f"[{self.name}]\n{lines}", file=sys.stderr)
            raise

    def _warn(self, what: str) -> None:
        self.warnings.append(what)
        self._log.note(f"warning: {what}")
        if len(self.warnings) >= self._limits.warnings:
            reason = f"{len(self.warnings)} warnings: {'; '.join(self.warnings)}"
            forfeit = Forfeit("warnings", reason)
            self._note_forfeit(forfeit)
            raise forfeit

    def _note_forfeit(self, forfeit: Forfeit) -> None:
        self.forfeit = forfeit
        self._log.note(f"forfeits: {forfeit.reason}")

    def close(self) -> None:
        """End the player's process and all that it started."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def __enter__(self) -> "IsolatedPlayer":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()


def check_is_text(spec: Any) -> str:
    """Return the spec. Raises ValueError where it is not text, which could not be sent."""
    if not isinstance(spec, str):
        raise ValueError(
            f"under time control a player is given as text (a name, a checkpoint, "
            f"FILE.py:FUNCTION), so that its process can make it; got {spec!r}"
        )
    return spec


class _Memory:
    """The memory of a player in another process: pass everything on."""

    def __init__(self, player: IsolatedPlayer) -> None:
        self._player = player

    def begin(self, seat: int, game: Game) -> None:
        self._player.tell(BEGIN + np.array(seat, NUMBER).tobytes())

    def watch(self, observation: Any) -> None:
        self._player.tell(WATCH + observation.tobytes())

    def choose(self, observation: Any, action_mask: Any, rng: Any) -> int:
        return int(self._player(observation[None], action_mask[None], rng)[0])


class _Gone(Exception):
    """The player's process or its connection has ended."""


class _Process:
    """The player's process with its guard; it runs only while a request is open."""

    def __init__(self, server: ForkServer, spec: str, limits: Limits, log: Log) -> None:
        self._limits = limits
        self._log = log
        self._tail = b""
        self._printed = 0
        self._last_word: tuple[bytes, float] | None = None  # the last message of the guard
        self._handle: int | None = None
        self._pid = 0
        place = place_of_groups()
        self._group = None if place is None else Group(place, limits)
        started = server.start(spec, limits, self._group)
        self._control, self._requests, self._replies, output = started
        self._reader = threading.Thread(target=self._keep, args=(output,), daemon=True)
        self._reader.start()
        self._pid = self._meet()

    @property
    def tail(self) -> str:
        """Return the last output of the player."""
        return self._tail.decode(errors="replace").strip()

    def _meet(self) -> int:
        """Return the player's process id in this namespace; 0 where it is unknown."""
        data, descriptors, _, _ = socket.recv_fds(self._control, guard.MESSAGE.size, 1)
        kind, number = guard.MESSAGE.unpack(data) if data else (guard.FAILED, 0)
        if kind != guard.STARTED:
            self.close()
            raise OSError(f"a player's sandbox could not be set up: {os.strerror(int(number))}")
        if not descriptors:
            return int(number)
        self._handle = descriptors[0]
        lines = Path(f"/proc/self/fdinfo/{self._handle}").read_text().splitlines()
        return next((int(line.split()[1]) for line in lines if line.startswith("Pid:")), 0)

    def ask(
        self, request: bytes, reply_size: int, seconds: float, kind: str, ignored: float
    ) -> tuple[bytes, float]:
        """Return the reply and the seconds charged, at most `seconds`. Raises Forfeit.

        The charge is 0 where it must be below `ignored` seconds; measuring would take longer.
        """
        clock = _Meter(self._own_seconds, self._seconds_used)
        try:
            if request and select.select([self._replies], [], [], 0)[0]:
                raise self._untimely()
            self._signal(signal.SIGCONT)
            self._order(guard.RESUME)
            reply = self._exchange(request, reply_size, clock, seconds, kind)
            spent = 0.0 if clock.passed() * _CORES < ignored else clock.charge()
        except (_Gone, BrokenPipeError, ConnectionResetError):
            raise self._ended() from None
        finally:
            self._signal(signal.SIGSTOP)
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                self._order(guard.SUSPEND)
        if spent > seconds:
            raise self._too_slow(seconds, kind)
        return reply, spent

    def _untimely(self) -> Exception:
        """Return the error for input before any request: an end, or an unrequested reply."""
        if not os.read(self._replies, 1):
            return _Gone()
        return Forfeit("protocol", "it answered more than it was asked")

    def _exchange(
        self, request: bytes, size: int, clock: "_Meter", seconds: float, kind: str
    ) -> bytes:
        reply = b""
        while request or len(reply) < size:
            writing = [self._requests] if request else []
            reading: list[Any] = [self._replies, self._control]
            readable, writable, _ = select.select(reading, writing, [], _TICK_SECONDS)
            if self._replies in readable:
                part = os.read(self._replies, size - len(reply))
                if not part or request:
                    raise _Gone() if not part else Forfeit("protocol", "it answered unasked")
                reply += part
            elif self._control in readable:
                self._listen()  # raises _Gone: the guard has no open request
            elif writable:
                with contextlib.suppress(BlockingIOError):
                    request = request[os.write(self._requests, request[:_CHUNK]) :]
            elif clock.tick() > seconds:
                raise self._too_slow(seconds, kind)
        return reply

    def _too_slow(self, seconds: float, kind: str) -> Forfeit:
        if self._has_printed_too_much():
            return self._ended()
        what = "was not ready" if kind == "start" else "gave no action"
        return Forfeit(kind, f"{what} within {seconds:.3g} s")

    def _own_seconds(self) -> float:
        """Return the processor time of the player's first process alone, which is quick."""
        try:
            return time.clock_gettime((~self._pid << 3) | 2) if sys.platform == "linux" else 0.0
        except OSError:
            raise _Gone() from None

    def _seconds_used(self) -> float:
        """Return the processor time of the player with all processes that it started."""
        self._order(guard.USED)
        return self._listen()

    def _order(self, order: bytes) -> None:
        self._control.sendall(order)

    def _listen(self) -> float:
        """Return the guard's answer. Raises _Gone where the player has ended."""
        data = self._control.recv(guard.MESSAGE.size, socket.MSG_WAITALL)
        if len(data) < guard.MESSAGE.size:
            raise _Gone()
        kind, number = guard.MESSAGE.unpack(data)
        if kind != guard.SECONDS:
            self._last_word = (kind, number)
            raise _Gone()
        return number

    def _keep(self, output: int) -> None:
        """Add the output to the log; kill a player that prints too much."""
        while part := os.read(output, _CHUNK):
            if self._has_printed_too_much():
                continue  # empty the pipe, without logging
            self._printed += len(part)
            self._tail = (self._tail + part)[-_CHUNK:]
            self._log.add(part)
            if self._has_printed_too_much():
                self._signal(signal.SIGKILL)
        os.close(output)

    def _has_printed_too_much(self) -> bool:
        return self._printed > self._limits.output_kib * 1024

    def _ended(self) -> Forfeit:
        """Return the reason why the process or its connection has ended."""
        limits = self._limits
        self._control.settimeout(_LAST_WORDS_SECONDS)
        with contextlib.suppress(OSError):  # the guard has ended, and its last word is still there
            self._order(guard.RESUME)
        with contextlib.suppress(_Gone, OSError):
            while self._last_word is None:
                self._listen()
        if self._last_word is None:
            return Forfeit("crash", "it closed its connection to the arena")
        self._reader.join(_LAST_WORDS_SECONDS)
        kind, number = self._last_word
        if self._has_printed_too_much():
            return Forfeit("output", f"printed more than {limits.output_kib} KiB in a game")
        if kind == guard.PROCESSES:
            return Forfeit("processes", f"had more than {limits.processes} processes and threads")
        is_over = self._group is not None and self._group.was_out_of_memory()
        if is_over or kind == guard.MEMORY or number == OUT_OF_MEMORY:
            return Forfeit("memory", f"needed more than {limits.memory_mib} MiB of memory")
        last = _printable(self.tail.split("\n")[-1]) or "nothing was said"
        reason = f"its process ended with status {int(number)}: {last}"
        return Forfeit("crash", reason, is_refused=number == REFUSED)

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            if self._handle is not None:
                signal.pidfd_send_signal(self._handle, number)
            elif self._pid:
                os.killpg(self._pid, number)

    def close(self) -> None:
        """End the process and all that it started, at any time."""
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_WR)
            self._control.settimeout(_LAST_WORDS_SECONDS)
            while self._control.recv(_CHUNK):  # until the guard has cleaned up
                pass
        self._reader.join(_LAST_WORDS_SECONDS)
        self._control.close()
        for descriptor in (self._requests, self._replies, self._handle):
            if descriptor is not None:
                os.close(descriptor)
        if self._group is not None:
            self._group.close()
        self._handle, self._pid, self._group = None, 0, None


def _printable(text: str) -> str:
    """Return a player's text for the terminal: no control characters, limited length."""
    kept = "".join(letter if letter.isprintable() else "?" for letter in text.strip())
    return kept if len(kept) <= _LONGEST_REASON else f"{kept[:_LONGEST_REASON]}..."


class _Meter:
    """Measures the charge for one reply.

    The processor time of the player's first process is always known. That of its other processes
    is requested only at a tick, so that it does not delay quick replies.
    """

    def __init__(self, own: Callable[[], float], everybody: Callable[[], float]) -> None:
        self._own = own
        self._everybody = everybody
        self._start = time.monotonic()
        self._own_start = own()
        self._others_start: float | None = None
        self._starved_start = 0.0
        self._ticks = 0
        self._processor = 0.0

    def passed(self) -> float:
        """Return the seconds since the request."""
        return time.monotonic() - self._start

    def tick(self) -> float:
        """Return the charge so far, while the player thinks."""
        if self._others_start is None:
            self._others_start = self._everybody() - self._own()
            self._starved_start = starved_seconds()
        self._ticks += 1
        if self._ticks % _TICKS_A_LOOK == 0:
            self._look()
        return self._charge()

    def charge(self) -> float:
        """Return the charge."""
        self._look()
        return self._charge()

    def _look(self) -> None:
        if self._others_start is None:
            self._processor = self._own() - self._own_start
        else:
            self._processor = self._everybody() - self._others_start - self._own_start

    def _charge(self) -> float:
        starved = 0.0
        if self._others_start is not None:
            starved = starved_seconds() - self._starved_start
        return charge(self._processor, self.passed(), starved)


def starved_seconds() -> float:
    """Return how long this thread has waited for a processor; 0 where that is unknown."""
    try:
        return int(_SCHEDULED.read_text().split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0
