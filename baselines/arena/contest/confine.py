"""Confine a process on Linux: let it enter a sandbox that bubblewrap has made, and limit it.

This file imports only the standard library, so that `sandbox` can also try it as a program.
"""

import ctypes
import os
import signal
import sys
from typing import Any

# All namespaces that bubblewrap makes; see namespaces(7) and setns(2).
_USER, _MOUNTS, _PROCESSES, _NETWORK = 0x10000000, 0x00020000, 0x20000000, 0x40000000
_MESSAGES, _HOST_NAME = 0x08000000, 0x04000000
_NAMESPACES = _USER | _MOUNTS | _PROCESSES | _NETWORK | _MESSAGES | _HOST_NAME
_CAPABILITY_VERSION_3 = 0x20080522
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38
_MAX_OPEN_FILES = 1024

_libc: Any = ctypes.CDLL(None, use_errno=True) if os.name == "posix" else None


def enter_sandbox(sandbox: int) -> None:
    """Move this process, which has one thread, into the namespaces of the process `sandbox`.

    Its next children live there; itself it stays invisible to them. Raises OSError.
    """
    handle = os.pidfd_open(sandbox)
    _check(_libc.setns(handle, _NAMESPACES), "setns")
    os.close(handle)


def drop_privileges() -> None:
    """Drop for good every capability that entering has given to this process. Raises OSError."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    _check(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl")
    _check(_libc.capset(header, (ctypes.c_uint32 * 6)()), "capset")
    _check(_libc.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0), "prctl")  # or its /proc would be root's


def limit_resources(memory: int, file_size: int, processes: int | None) -> None:
    """Limit this process and those that it starts: bytes of memory each, bytes of each file.

    `processes` limits all that the user of a sandbox has in it, except where that user is root.
    """
    import resource  # not on Windows, where this module is imported all the same

    values = {
        resource.RLIMIT_DATA: memory,
        resource.RLIMIT_FSIZE: file_size,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: _MAX_OPEN_FILES,
        **({} if processes is None else {resource.RLIMIT_NPROC: processes}),
    }
    for number, value in values.items():
        hard = resource.getrlimit(number)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(number, (value, value))


def end_with_parent() -> None:
    """Have the system kill this process when the one that started it ends."""
    if sys.platform == "linux":
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _check(status: int, what: str) -> None:
    if status < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


if __name__ == "__main__":
    enter_sandbox(int(sys.argv[1]))
    drop_privileges()
