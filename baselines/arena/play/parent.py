"""Let a process end with the one that started it, on Linux."""

import ctypes
import signal
import sys

_PR_SET_PDEATHSIG = 1  # of prctl(2)


def end_with_parent() -> None:
    """Have the system kill this process when the one that started it ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
