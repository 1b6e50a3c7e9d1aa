"""Who plays a claimed batch: a run owns it until it is played or the run's process has ended."""

import os
import socket
import time
from functools import lru_cache
from pathlib import Path

_ELSEWHERE_SECONDS = 3600.0  # validity of a claim whose process cannot be looked up


@lru_cache(maxsize=1)
def owner() -> str:
    """Return this process: its host, its number, and when it was started."""
    return f"{socket.gethostname()} {os.getpid()} {_start_of(os.getpid())}"


def _start_of(pid: int) -> str:
    """Return the start time of a process as the system writes it; "" where it has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return ""


def is_alive(owner: str, since: float) -> bool:
    """Return whether the process that made a claim at the time `since` may still be playing."""
    host, pid, start = owner.split(" ")
    if host != socket.gethostname() or os.name == "nt":  # there, os.kill(pid, 0) sends Ctrl-C
        return time.time() - since < _ELSEWHERE_SECONDS
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # a process of another user
    return _start_of(int(pid)) == start
