"""The guard of a player: a process that starts it, stops it, measures its usage, and ends it.

In a sandbox the guard is the first process of the player's namespaces. No process in them can
signal or inspect it, and when it ends, the system ends all of them. It takes orders from the arena
as single bytes on a socket and ends with that socket, so that nothing outlives the arena.
"""

import contextlib
import mmap
import os
import re
import select
import shutil
import signal
import socket
import struct
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from . import namespaces
from .limits import Limits

# Orders of the arena. The answer to USED is the processor time so far, in seconds.
RESUME, SUSPEND, USED = b"g", b"s", b"c"
# Messages of the guard, each with a number: the process id of the player (with a descriptor of it,
# where the system has them); seconds used; exit status; MiB used; number of processes and threads.
STARTED, SECONDS, ENDED, MEMORY, PROCESSES = b"p", b"c", b"e", b"m", b"n"
FAILED = b"x"  # the sandbox could not be set up; the number is the system's error
MESSAGE = struct.Struct("<cd")

_TICK_SECONDS = 0.025  # between two measurements of a running player
_EVERYBODY = -1  # for kill(2): all processes of the namespace but the first
_KILLING_SECONDS = 10.0
_PAGE = mmap.PAGESIZE
_MIB = 1 << 20
_TICKS = os.sysconf("SC_CLK_TCK")


class Guard:
    """Guards one player, process `player`, until it ends or the arena closes the socket."""

    def __init__(
        self, control: socket.socket, player: int, limits: Limits, private: Path | None
    ) -> None:
        self._control = control
        self._player = player
        self._limits = limits
        self._private = private  # the private folder to remove; None in a sandbox
        self._is_confined = private is None
        self._seen: dict[int, float] = {}  # seconds of each process at the last measurement
        self._looked = time.monotonic()

    def run(self) -> None:
        """Take orders until the player or the arena has ended; then end all processes."""
        try:
            poll = select.poll()
            poll.register(self._control, select.POLLIN)
            if (handle := self._introduce()) is not None:
                poll.register(handle, select.POLLIN)  # when the player ends
            is_running = True
            while not self._has_ended():
                ready = poll.poll(1000 * _TICK_SECONDS if is_running or handle is None else None)
                if any(descriptor == self._control.fileno() for descriptor, _ in ready):
                    orders = self._control.recv(64)
                    if not orders:
                        return
                    is_running = self._obey(orders, is_running)
                if self._is_time_to_look() and self._is_over_a_limit():
                    return
        except (BrokenPipeError, ConnectionResetError):
            pass  # the arena has gone
        finally:
            self._end_everything()

    def _introduce(self) -> int | None:
        """Send the player's process id to the arena; return a descriptor of it, or None."""
        try:
            handle = os.pidfd_open(self._player)
        except (AttributeError, OSError):
            handle = None
        message = MESSAGE.pack(STARTED, self._player)
        socket.send_fds(self._control, [message], [] if handle is None else [handle])
        return handle

    def _obey(self, orders: bytes, is_running: bool) -> bool:
        """Carry out orders of the arena; return whether the player runs now."""
        for order in orders:
            if bytes([order]) == USED:
                self._say(SECONDS, self._seconds_used())
            else:
                is_running = bytes([order]) == RESUME
        if orders.strip(USED):
            self._signal(signal.SIGCONT if is_running else signal.SIGSTOP)
        return is_running

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            if self._is_confined:
                os.kill(_EVERYBODY, number)
            else:
                os.killpg(self._player, number)

    def _say(self, what: bytes, number: float) -> None:
        self._control.sendall(MESSAGE.pack(what, number))

    def _has_ended(self) -> bool:
        """Reap ended processes; return whether the player has ended, and report it."""
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == self._player:
                    self._say(ENDED, os.waitstatus_to_exitcode(status))
                    return True
                if pid == 0:
                    return False
        return False

    def _is_time_to_look(self) -> bool:
        now = time.monotonic()
        is_time = now - self._looked >= _TICK_SECONDS
        if is_time:
            self._looked = now
        return is_time

    def _is_over_a_limit(self) -> bool:
        """Return whether all processes together exceed a limit, and report it."""
        members = list(self._members())
        self._look_at_clocks(members)
        tasks = sum(_num_threads(pid) for pid in members)
        if tasks > self._limits.processes:
            self._say(PROCESSES, tasks)
            return True
        if (mib := _memory(members, self._limits.memory_mib)) > self._limits.memory_mib:
            self._say(MEMORY, mib)
            return True
        return False

    def _seconds_used(self) -> float:
        """Return the processor time of the player with all processes that it started.

        The sum of the system omits children whose parents ignore their end; the sum of the
        measurements omits short-lived processes. The greater of the two counts.
        """
        members = list(self._members())
        self._look_at_clocks(members)
        import resource  # not on Windows, where this module is imported all the same

        reaped = resource.getrusage(resource.RUSAGE_CHILDREN)
        total = reaped.ru_utime + reaped.ru_stime
        for pid in members:
            fields = _stat_fields(pid)
            total += self._seen.get(pid, 0.0)
            total += (int(fields[13]) + int(fields[14])) / _TICKS if fields else 0.0
        return max(total, sum(self._seen.values()))

    def _look_at_clocks(self, members: list[int]) -> None:
        for pid in members:
            with contextlib.suppress(OSError):  # it has ended meanwhile
                self._seen[pid] = max(self._seen.get(pid, 0.0), _process_clock(pid))

    def _members(self) -> Iterator[int]:
        """Yield the player's process and all that it started."""
        if self._is_confined:
            yield from (int(e) for e in os.listdir("/proc") if e.isdigit() and e != "1")
        else:
            yield from _descendants(os.getpid())

    def _end_everything(self) -> None:
        """Kill all processes, until the guard, which adopts orphans, has no child left."""
        if self._is_confined:
            self._signal(signal.SIGKILL)
        deadline = time.monotonic() + _KILLING_SECONDS
        while time.monotonic() < deadline:
            for pid in [self._player, *_descendants(os.getpid())]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            if not _reap_all():
                break
            time.sleep(_TICK_SECONDS / 10)
        if self._private is not None:
            shutil.rmtree(self._private, ignore_errors=True)


def _reap_all() -> bool:
    """Reap ended processes; return whether any child is left."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def _process_clock(pid: int) -> float:
    """Return the processor time of all threads of a process; see clock_getcpuclockid(3)."""
    if sys.platform == "linux":
        return time.clock_gettime((~pid << 3) | 2)
    return time.monotonic()  # charge all the time that passes


def children(parent: int) -> list[int]:
    """Return the children of a process, as listed in /proc."""
    paths = Path(f"/proc/{parent}/task").glob("*/children")
    return [int(child) for path in paths for child in _read(path).split()]


def _descendants(parent: int) -> Iterator[int]:
    for child in children(parent):
        yield child
        yield from _descendants(child)


def _read(path: Path | str) -> str:
    """Read a file of a process; return "" where the process has ended."""
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return ""


def _stat_fields(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat from the state on; none where it has ended."""
    return _read(f"/proc/{pid}/stat").rpartition(")")[2].split()


def _num_threads(pid: int) -> int:
    fields = _stat_fields(pid)
    return int(fields[17]) if fields else 0


def _memory(members: list[int], enough: float) -> float:
    """Return the MiB of these processes: their own pages, shared segments, files in memory.

    Pages shared with the process they were forked from are left out only where the quick sum is
    above `enough`, because that measurement is slow.
    """
    other = _shared_segments() + _files_in_memory(members)
    quick = sum(_own_pages(pid) for pid in members) + other
    if quick <= enough * _MIB:
        return quick / _MIB
    return (sum(_proportional(pid) for pid in members) + other) / _MIB


def _own_pages(pid: int) -> int:
    fields = _read(f"/proc/{pid}/statm").split()
    return (int(fields[1]) - int(fields[2])) * _PAGE if fields else 0


def _proportional(pid: int) -> int:
    found = re.search(r"^Pss_Anon:\s+(\d+)", _read(f"/proc/{pid}/smaps_rollup"), re.MULTILINE)
    return int(found[1]) * 1024 if found else _own_pages(pid)


def _shared_segments() -> int:
    """Return the bytes of System V segments in this namespace."""
    if os.getpid() != 1:
        return 0  # those of the whole machine
    lines = _read("/proc/sysvipc/shm").splitlines()[1:]
    return sum(int(line.split()[-2]) for line in lines)


def _files_in_memory(members: list[int]) -> int:
    """Return the bytes of open files in memory (memfd), each counted once."""
    sizes: dict[tuple[int, int], int] = {}
    for pid in members:
        with contextlib.suppress(OSError):
            for entry in os.scandir(f"/proc/{pid}/fd"):
                with contextlib.suppress(OSError):
                    if os.readlink(entry.path).startswith("/memfd:"):
                        found = os.stat(entry.path)
                        sizes[found.st_dev, found.st_ino] = found.st_blocks * 512
    return sum(sizes.values())


def confine_player(limits: Limits, is_confined: bool) -> None:
    """Set the limits of this process, the player's, and drop the privileges to lift them."""
    namespaces.limit("DATA", limits.memory_mib * _MIB)
    namespaces.limit("FSIZE", limits.private_mib * _MIB)
    namespaces.limit("CORE", 0)
    namespaces.limit("NOFILE", 1024)
    if is_confined:
        namespaces.limit("NPROC", limits.processes + 2)
        namespaces.drop_privileges()
    else:
        namespaces.end_with_parent()
    namespaces.allow_inspection(True)
