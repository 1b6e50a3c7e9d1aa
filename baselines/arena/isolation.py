"""A player in a process of its own: timed, limited, logged, and suspended while others play.

It is a wall against faults, not against malice: a player that sets out to can still read files and
start processes that leave its group.
"""

import contextlib
import os
import pickle
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from ...envs.core.game import Game
from ...envs.core.seating import Memory, illegal_action_message
from .player_process import (
    BEGIN,
    CHOOSE,
    DONE,
    NUMBER,
    OBSERVES,
    OUT_OF_MEMORY,
    REMEMBERS,
    SEARCHES,
    WATCH,
)

if TYPE_CHECKING:
    from .time_control import TimeControl

_MODULE = f"{__package__}.player_process"
_CHUNK = 1 << 16
_LAST_WORDS_SECONDS = 5.0  # for a process that has hung up to end, and for its output


class Forfeit(Exception):
    """Raised where a player loses its game by a fault, out of the game being played."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind  # "start", "crash", "memory", "time", "warnings" or "output"
        self.reason = reason


class IsolatedPlayer:
    """A seated policy whose thinking is done elsewhere, under a time control.

    `spec` is text that `make_policy` takes: a name, a checkpoint, `FILE.py:FUNCTION`. What the
    player prints is added to the file `log`. Call `begin` before each game and `close` at the end,
    or use it as a context. Raises Forfeit, out of `begin` or in play, where the player loses by its
    own fault; the next `begin` starts it afresh. Raises ValueError for a spec that is not text.
    """

    row = None  # never compiled into the arena's own loops

    def __init__(self, spec: Any, game: Game, control: "TimeControl", log: Path) -> None:
        if not isinstance(spec, str):
            raise ValueError(
                f"under time control a player is given as text (a name, a checkpoint, "
                f"FILE.py:FUNCTION), so that its process can make it; got {spec!r}"
            )
        self.name = spec
        self.warnings: list[str] = []
        self.forfeit: Forfeit | None = None  # by which it lost the last game
        self._game = game
        self._control = control
        self._log = log
        self._process: _Process | None = None
        self._wants = OBSERVES
        self._allowance = 0.0  # seconds left to the first action; 0 after it

    @property
    def needs_positions(self) -> bool:
        """Whether it searches; known once it has begun."""
        return self._wants == SEARCHES

    @property
    def remember(self) -> Callable[[], Memory] | None:
        """What passes on what it is to remember; known once it has begun."""
        return partial(_Memory, self) if self._wants == REMEMBERS else None

    def begin(self) -> None:
        """A new game: no warnings, nothing printed yet, the allowance whole. Raises Forfeit."""
        self.warnings = []
        self.forfeit = None
        self._allowance = self._control.start_seconds
        if self._process is None:
            start = time.monotonic()
            self._process = _Process(self._control, self._log)
            first = pickle.dumps((self._game, self.name))
            self._wants = self._ask(first, 1, self._allowance, "start")
            self._allowance -= time.monotonic() - start
        self._process.printed = 0

    def tell(self, request: bytes) -> None:
        """Pass something on to a player that remembers, on its own time. Raises Forfeit."""
        start = time.monotonic()
        self._ask_in_time(request, len(DONE))
        self._allowance = max(0.0, self._allowance - (time.monotonic() - start))

    def __call__(
        self, observations: Any, action_masks: Any, rngs: Any, positions: Any = None
    ) -> np.ndarray:
        """Actions [B], asked for one by one; an illegal one is asked for again. Raises Forfeit."""
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
        """One action; `rng` [1] moves on as the player drew from it."""
        reply = self._ask_in_time(what + rng.tobytes() + position, NUMBER.itemsize + rng.nbytes)
        self._allowance = 0.0
        rng[:] = np.frombuffer(reply[NUMBER.itemsize :], rng.dtype)
        return int(np.frombuffer(reply[: NUMBER.itemsize], NUMBER)[0])

    def _ask_in_time(self, request: bytes, reply_size: int) -> bytes:
        """The reply; a slow one is a warning. Before the first action the allowance counts, too."""
        control = self._control
        is_last_chance = len(self.warnings) == control.warnings - 1
        usual = control.seconds if is_last_chance else control.forfeit_seconds
        start = time.monotonic()
        reply = self._ask(request, reply_size, max(usual, self._allowance), "time")
        spent = time.monotonic() - start
        if spent > max(control.seconds, self._allowance):
            self._warn(f"took {spent:.2f} s for an action; {control.seconds:g} s are allowed")
        return reply

    def _ask(self, request: bytes, reply_size: int, seconds: float, kind: str) -> bytes:
        assert self._process is not None, "begin comes first"
        try:
            return self._process.ask(request, reply_size, seconds, kind)
        except Forfeit as forfeit:
            self.close()
            self._note_forfeit(forfeit)
            raise

    def _warn(self, what: str) -> None:
        self.warnings.append(what)
        self._note(f"warning: {what}")
        if len(self.warnings) >= self._control.warnings:
            reason = f"{len(self.warnings)} warnings: {'; '.join(self.warnings)}"
            forfeit = Forfeit("warnings", reason)
            self._note_forfeit(forfeit)
            raise forfeit

    def _note_forfeit(self, forfeit: Forfeit) -> None:
        self.forfeit = forfeit
        self._note(f"forfeits: {forfeit.reason}")

    def _note(self, what: str) -> None:
        """What the arena adds to the log."""
        with self._log.open("a", encoding="utf-8") as log:
            log.write(f"[arena] {what}\n")

    def close(self) -> None:
        """End the player's process."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def __enter__(self) -> "IsolatedPlayer":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()


class _Memory:
    """The memory of a player in another process: everything is passed on."""

    def __init__(self, player: IsolatedPlayer) -> None:
        self._player = player

    def begin(self, seat: int, game: Game) -> None:
        self._player.tell(BEGIN + np.array(seat, NUMBER).tobytes())

    def watch(self, observation: Any) -> None:
        self._player.tell(WATCH + observation.tobytes())

    def choose(self, observation: Any, action_mask: Any, rng: Any) -> int:
        return int(self._player(observation[None], action_mask[None], rng)[0])


class _Process:
    """The player's process and its pipes; runs only while it is asked something."""

    def __init__(self, control: "TimeControl", log: Path) -> None:
        self.printed = 0  # bytes since the game began
        self._control = control
        self._tail = b""
        requests, self._requests = os.pipe()
        self._replies, replies = os.pipe()
        self._popen = subprocess.Popen(
            [sys.executable, "-m", _MODULE, str(requests), str(replies), str(control.memory_mib)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=(requests, replies),
            start_new_session=True,  # a group of its own, so that its threads and children stop too
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        os.close(requests)
        os.close(replies)
        assert self._popen.stdout is not None
        log.parent.mkdir(parents=True, exist_ok=True)
        self._reader = threading.Thread(
            target=self._keep, args=(self._popen.stdout, log), daemon=True
        )
        self._reader.start()

    def ask(self, request: bytes, reply_size: int, seconds: float, kind: str) -> bytes:
        """The reply, whole, within `seconds`; raises Forfeit."""
        deadline = time.monotonic() + seconds
        self._signal(signal.SIGCONT)
        try:
            os.write(self._requests, request)
            return self._receive(reply_size, deadline, seconds, kind)
        except BrokenPipeError:
            raise self._ended() from None
        finally:
            self._signal(signal.SIGSTOP)

    def _receive(self, size: int, deadline: float, seconds: float, kind: str) -> bytes:
        reply = b""
        while len(reply) < size:
            left = deadline - time.monotonic()
            if not select.select([self._replies], [], [], max(0.0, left))[0]:
                if self._has_printed_too_much():
                    raise self._ended()
                what = "was not ready" if kind == "start" else "gave no action"
                raise Forfeit(kind, f"{what} within {seconds:.3g} s")
            part = os.read(self._replies, size - len(reply))
            if not part:
                raise self._ended()
            reply += part
        return reply

    def _keep(self, output: IO[bytes], log: Path) -> None:
        """Add what is printed to the log; whoever prints too much is killed."""
        with log.open("ab") as file:
            while part := os.read(output.fileno(), _CHUNK):
                if self._has_printed_too_much():
                    continue  # read on, so that the pipe empties; the log has seen enough
                self.printed += len(part)
                self._tail = (self._tail + part)[-_CHUNK:]
                file.write(part)
                file.flush()
                if self._has_printed_too_much():
                    self._signal(signal.SIGKILL)

    def _has_printed_too_much(self) -> bool:
        return self.printed > self._control.output_kib * 1024

    def _ended(self) -> Forfeit:
        """Why the process is gone, or has hung up."""
        self._signal(signal.SIGCONT)
        try:
            status = self._popen.wait(_LAST_WORDS_SECONDS)
        except subprocess.TimeoutExpired:
            return Forfeit("crash", "it closed its connection to the arena")
        self._reader.join(_LAST_WORDS_SECONDS)
        if self._has_printed_too_much():
            return Forfeit("output", f"printed more than {self._control.output_kib} KiB in a game")
        if status == OUT_OF_MEMORY:
            return Forfeit("memory", f"needed more than {self._control.memory_mib} MiB of memory")
        lines = self._tail.decode(errors="replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "nothing was said")
        return Forfeit("crash", f"its process ended with status {status}: {last}")

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):  # the whole group has ended
            os.killpg(self._popen.pid, number)

    def close(self) -> None:
        """End it, whatever it is doing."""
        self._signal(signal.SIGKILL)
        self._popen.wait()
        self._reader.join(_LAST_WORDS_SECONDS)
        os.close(self._requests)
        os.close(self._replies)
