"""A player in a process of its own: timed, limited, logged, and suspended while others play."""

import contextlib
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import numpy as np

from ....envs.core.game import Game
from ....envs.core.play.seating import Memory, illegal_action_message
from . import fork_server
from .fork_server import MESSAGE, ForkServer
from .limits import Limits
from .player_process import (
    ANSWER,
    BEGIN,
    CHOOSE,
    DONE,
    OBSERVES,
    OUT_OF_MEMORY,
    REFUSED,
    REMEMBERS,
    SEARCHES,
    SEAT,
    WATCH,
    question,
)
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
        new_sandbox: Callable[[], Sandbox],
        tracebacks: bool = False,
    ) -> None:
        self.name = check_is_text(spec)
        self.warnings: list[str] = []
        self.forfeit: Forfeit | None = None  # the fault of its last game
        self._game = game
        self._limits = limits
        self._log = log
        self._server = server
        self._new_sandbox = new_sandbox
        self._tracebacks = tracebacks
        self._process: _Process | None = None
        self._manner = OBSERVES  # what it needs for a choice
        self._question = question(game, False)
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
        self._process = _Process(
            self._server, self.name, self._limits, self._log, self._new_sandbox()
        )
        manner, spent = self._ask(b"", 1, self._allowance, "start")
        self._allowance = max(0.0, self._allowance - spent)
        self._manner = manner
        self._question = question(self._game, self.needs_positions)

    def tell(self, request: bytes) -> None:
        """Send an observation to a player with memory, on its own time. Raises Forfeit."""
        _, spent = self._ask_in_time(request, len(DONE))
        self._allowance = max(0.0, self._allowance - spent)

    def __call__(
        self, observations: Any, action_masks: Any, rngs: Any, positions: Any = None
    ) -> np.ndarray:
        """Ask for actions [B] one by one, and again after an illegal one. Raises Forfeit."""
        actions = np.empty(len(observations), np.int64)
        for index in range(len(observations)):
            asked = np.zeros(1, self._question)
            asked["observation"], asked["mask"] = observations[index], action_masks[index]
            if self.needs_positions:
                asked["position"] = positions[index]
            actions[index] = self._choose(asked, rngs[index : index + 1])
        return actions

    def _choose(self, asked: np.ndarray, rng: np.ndarray) -> int:
        """Ask for an action until it is legal; `rng` [1] advances as the player draws from it."""
        (mask,) = asked["mask"]
        while True:  # ends with the warnings
            asked["rng"] = rng
            reply, _ = self._ask_in_time(CHOOSE + asked.tobytes(), ANSWER.itemsize)
            self._allowance = 0.0
            answer = np.frombuffer(reply, ANSWER)
            rng[:] = answer["rng"]
            action = int(answer["action"][0])
            if 0 <= action < self._game.num_actions and mask[action] == 1:
                return action
            self._warn(illegal_action_message(self._game, self.name, action, mask))

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
        """Return (reply, seconds charged)."""
        assert self._process is not None, "begin comes first"
        try:
            return self._process.ask(request, reply_size, seconds, kind)
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
        self._player.tell(BEGIN + np.array(seat, SEAT).tobytes())

    def watch(self, observation: Any) -> None:
        self._player.tell(WATCH + observation.tobytes())

    def choose(self, observation: Any, action_mask: Any, rng: Any) -> int:
        return int(self._player(observation[None], action_mask[None], rng)[0])


class _Gone(Exception):
    """The player's process or its connection has ended."""


class _Process:
    """The process of a player for one game; it runs only while a request is open."""

    def __init__(
        self, server: ForkServer, spec: str, limits: Limits, log: Log, sandbox: Sandbox
    ) -> None:
        self._limits = limits
        self._log = log
        self._sandbox = sandbox
        self._tail = b""
        self._printed = 0
        self._player, self._supervisor, output = server.start(spec, limits, sandbox)
        self._outputs = [output]  # empty once it is closed at the other end
        kind, number = self._message()
        if kind != fork_server.STARTED:
            self.close()
            raise OSError(f"a player's sandbox could not be set up: {os.strerror(number)}")
        self._pid = number

    def _message(self) -> tuple[bytes, int]:
        """Return the next message of the supervisor."""
        message = self._supervisor.recv(MESSAGE.size)
        return MESSAGE.unpack(message) if message else (fork_server.FAILED, 0)

    @property
    def tail(self) -> str:
        """Return the last output of the player."""
        return self._tail.decode(errors="replace").strip()

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
        due = time.monotonic() + _TICK_SECONDS
        while self._player not in (ready := self._wait(due)):
            if self._supervisor in ready:
                raise _Gone
            if time.monotonic() >= due:
                members = self._members()
                self._check_limits(members)
                meter.look(members)
                if meter.charge() > seconds:
                    raise _too_slow(seconds, kind)
                due = time.monotonic() + _TICK_SECONDS
        reply = self._player.recv(size + 1)
        if not reply:
            raise _Gone
        if len(reply) != size:
            raise Forfeit("protocol", f"it answered with other than {size} bytes")
        return reply

    def _check_limits(self, members: list[int]) -> None:
        limits = self._limits
        if num_tasks(members) > limits.processes:
            reason = f"had more than {limits.processes} processes and threads"
            raise Forfeit("processes", reason)
        if memory_mib(members) > limits.memory_mib:
            raise self._out_of_memory()

    def _out_of_memory(self) -> Forfeit:
        return Forfeit("memory", f"needed more than {self._limits.memory_mib} MiB of memory")

    def _wait(self, due: float) -> list[Any]:
        """Wait for the player or its supervisor until `due`; keep what is printed meanwhile."""
        sources = [self._player, self._supervisor, *self._outputs]
        ready = wait(sources, max(0.0, due - time.monotonic()))
        for output in self._outputs:
            if output in ready:
                self._keep(output)
        return ready

    def _keep(self, output: int) -> None:
        """Add a part of the output to the log. Raises Forfeit where it is too much."""
        part = os.read(output, _CHUNK)
        if not part:
            self._close_output()
        self._printed += len(part)
        self._tail = (self._tail + part)[-_CHUNK:]
        self._log.add(part)
        if self._printed > self._limits.output_kib * 1024:
            raise Forfeit("output", f"printed more than {self._limits.output_kib} KiB in a game")

    def _keep_the_rest(self) -> None:
        while self._outputs and select.select(self._outputs, [], [], 0)[0]:
            self._keep(*self._outputs)

    def _close_output(self) -> None:
        while self._outputs:
            os.close(self._outputs.pop())

    def _ended(self) -> Forfeit:
        """Return the reason why the process or its connection has ended. Raises Forfeit, too."""
        self._sandbox.signal(signal.SIGCONT, self._pid)
        due = time.monotonic() + _LAST_WORDS_SECONDS
        while not select.select([self._supervisor], [], [], 0)[0]:
            if time.monotonic() > due:
                return Forfeit("crash", "it closed its connection to the arena")
            wait([self._supervisor, *self._outputs], _LAST_WORDS_SECONDS)
            self._keep_the_rest()
        self._keep_the_rest()
        _, status = self._message()
        if status == OUT_OF_MEMORY:
            return self._out_of_memory()
        last = _printable(self.tail.split("\n")[-1]) or "nothing was said"
        reason = f"its process ended with status {status}: {last}"
        return Forfeit("crash", reason, is_refused=status == REFUSED)

    def close(self) -> None:
        """End the process and all that it started, at any time."""
        with contextlib.suppress(OSError):
            self._supervisor.shutdown(socket.SHUT_WR)  # it then ends the player's process group
            self._supervisor.settimeout(_LAST_WORDS_SECONDS)
            while self._supervisor.recv(MESSAGE.size):
                pass
        with contextlib.suppress(Forfeit):
            self._keep_the_rest()
        self._sandbox.close()
        self._player.close()
        self._supervisor.close()
        self._close_output()


def _too_slow(seconds: float, kind: str) -> Forfeit:
    what = "was not ready" if kind == "start" else "gave no action"
    return Forfeit(kind, f"{what} within {seconds:.3g} s")


def _printable(text: str) -> str:
    """Return a player's text for the terminal: no control characters, limited length."""
    kept = "".join(letter if letter.isprintable() else "?" for letter in text.strip())
    return kept if len(kept) <= _LONGEST_REASON else f"{kept[:_LONGEST_REASON]}..."
