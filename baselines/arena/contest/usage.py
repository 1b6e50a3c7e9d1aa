"""What the processes of a player use: processor time, memory, and their number, as Linux has it."""

import contextlib
import os
import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from .limits import charge

_KIB, _MIB = 1 << 10, 1 << 20


class Meter:
    """Measures the time to charge for one reply of the process `player` and its descendants.

    The player's own processor time is read at any time, that of its descendants only by `look`,
    which is slower: what they used before the first look is free.
    """

    def __init__(self, player: int) -> None:
        self._player = player
        self._start = time.monotonic()
        self._before = {player: _processor_seconds(player)}
        self._now = dict(self._before)
        self._has_looked = False

    def look(self, members: Iterable[int]) -> None:
        """Measure all these processes."""
        seconds = {pid: _processor_seconds(pid) for pid in members}
        if not self._has_looked:
            self._before = seconds | self._before
            self._has_looked = True
        for pid, used in seconds.items():
            self._now[pid] = max(self._now.get(pid, 0.0), used)  # ended processes have used 0

    def charge(self) -> float:
        """Return the seconds to charge so far."""
        own = _processor_seconds(self._player)
        self._now[self._player] = max(self._now[self._player], own)
        processor = sum(used - self._before.get(pid, 0.0) for pid, used in self._now.items())
        return charge(processor, time.monotonic() - self._start)


def family(roots: Iterable[int]) -> Iterator[int]:
    """Yield these processes and all that descend from them."""
    for pid in roots:
        yield pid
        lists = (_read(path) for path in Path(f"/proc/{pid}/task").glob("*/children"))
        yield from family(int(child) for text in lists for child in text.split())


def num_tasks(members: Iterable[int]) -> int:
    """Return the number of processes and threads."""
    return sum(_number("Threads", _read(f"/proc/{pid}/status")) for pid in members)


def memory_mib(members: list[int]) -> float:
    """Return the MiB that these processes use: anonymous and shared memory, and memfd files.

    It is their proportional set size (PSS): a page shared with others, such as the fork server,
    counts in part. Pages of files on disk, such as libraries, are left out.
    """
    kib = 0
    for pid in members:
        text = _read(f"/proc/{pid}/smaps_rollup")
        kib += _number("Pss_Anon", text) + _number("Pss_Shmem", text)
    return (kib * _KIB + _files_in_memory(members)) / _MIB


def _files_in_memory(members: list[int]) -> int:
    """Return the bytes of open files in memory (memfd), each counted once."""
    sizes: dict[tuple[int, int], int] = {}
    for pid in members:
        with contextlib.suppress(OSError):  # it has ended meanwhile
            for entry in os.scandir(f"/proc/{pid}/fd"):
                with contextlib.suppress(OSError):
                    if os.readlink(entry.path).startswith("/memfd:"):
                        status = os.stat(entry.path)
                        sizes[status.st_dev, status.st_ino] = status.st_blocks * 512
    return sum(sizes.values())


def _processor_seconds(pid: int) -> float:
    """Return the processor time of all threads of a process, 0 where it has ended.

    See clock_getcpuclockid(3).
    """
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return 0.0


def _number(name: str, text: str) -> int:
    match = re.search(rf"^{name}:\s+(\d+)", text, re.MULTILINE)
    return int(match[1]) if match else 0


def _read(path: Path | str) -> str:
    """Read a file of a process; return "" where the process has ended."""
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return ""
