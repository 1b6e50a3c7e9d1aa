"""Confine a process on Linux: let it enter a sandbox that bubblewrap has made, and limit it.

A filter of system calls (seccomp) refuses what would reach other players past the sandbox: locks
and leases, which work on files that are read-only, events of files, which tell who opens them, the
kernel's keys, sockets other than those of the internet, and io_uring, which goes round the filter.

This file imports only the standard library, so that `sandbox` can also try it as a program.
"""

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

# All namespaces that bubblewrap makes; see namespaces(7) and setns(2).
_USER, _MOUNTS, _PROCESSES, _NETWORK = 0x10000000, 0x00020000, 0x20000000, 0x40000000
_MESSAGES, _HOST_NAME = 0x08000000, 0x04000000
_NAMESPACES = _USER | _MOUNTS | _PROCESSES | _NETWORK | _MESSAGES | _HOST_NAME
_CAPABILITY_VERSION_3 = 0x20080522
_PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 4, 22, 38
_SECCOMP_MODE_FILTER = 2
_MAX_OPEN_FILES = 1024


class _Calls(NamedTuple):
    """The numbers of system calls on one architecture."""

    architecture: int  # AUDIT_ARCH_...
    socket: int
    fcntl: int
    # flock, add_key, request_key, keyctl, inotify_init, inotify_init1, fanotify_init, io_uring_*
    refused: tuple[int, ...]


_IO_URING = (425, 426, 427)
_CALLS = {  # by the name of the machine
    "x86_64": _Calls(0xC000003E, 41, 72, (73, 248, 249, 250, 253, 294, 300, *_IO_URING)),
    "aarch64": _Calls(0xC00000B7, 198, 25, (32, 217, 218, 219, 26, 262, *_IO_URING)),
}
_FIRST_OF_X32 = 0x40000000  # the same calls of x86_64 by other numbers
_FAMILIES = (2, 10, 16)  # AF_INET, AF_INET6, AF_NETLINK: the sandbox has its own network
# F_GETLK, F_SETLK, F_SETLKW, the same for open files, F_SETLEASE, F_GETLEASE, F_NOTIFY.
_FCNTL_COMMANDS = (5, 6, 7, 36, 37, 38, 1024, 1025, 1026)
# Classic BPF, and where its input has the number of a call, the architecture, two arguments.
_LOAD, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _FIRST, _SECOND = 0, 4, 16, 24
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM

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


def refuse_channels() -> None:
    """Let system calls that could reach other players fail with EPERM, in children too.

    Privileges must have been dropped. It does nothing on machines whose calls have no numbers here.
    Raises OSError.
    """
    calls = _CALLS.get(os.uname().machine)
    if calls is None:
        return
    program = b"".join(struct.pack("=HBBI", *step) for step in _filter(calls))
    code = ctypes.create_string_buffer(program, len(program))
    num_steps = len(program) // struct.calcsize("=HBBI")
    header = ctypes.create_string_buffer(struct.pack("@HP", num_steps, ctypes.addressof(code)))
    _check(_libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, header, 0, 0), "seccomp")


_Step = tuple[int, int, int, int]  # what to do, steps to skip if so and if not, a number


def _filter(calls: _Calls) -> Iterator[_Step]:
    """Yield the steps of the filter."""
    yield (_LOAD, 0, 0, _ARCHITECTURE)
    yield (_IF_EQUAL, 1, 0, calls.architecture)
    yield (_RETURN, 0, 0, _REFUSE)
    yield (_LOAD, 0, 0, _NUMBER)
    yield (_IF_AT_LEAST, 0, 1, _FIRST_OF_X32)
    yield (_RETURN, 0, 0, _REFUSE)
    yield from _if_among(calls.refused, _REFUSE)
    yield from _for_call(calls.socket, _FIRST, [*_if_among(_FAMILIES, _ALLOW)], _REFUSE)
    yield from _for_call(calls.fcntl, _SECOND, [*_if_among(_FCNTL_COMMANDS, _REFUSE)], _ALLOW)
    yield (_RETURN, 0, 0, _ALLOW)


def _for_call(number: int, argument: int, steps: list[_Step], otherwise: int) -> Iterator[_Step]:
    """Yield steps that look at an argument of one call, and skip to what follows for others."""
    yield (_IF_EQUAL, 0, len(steps) + 2, number)
    yield (_LOAD, 0, 0, argument)
    yield from steps
    yield (_RETURN, 0, 0, otherwise)


def _if_among(numbers: Iterable[int], result: int) -> Iterator[_Step]:
    for number in numbers:
        yield (_IF_EQUAL, 0, 1, number)
        yield (_RETURN, 0, 0, result)


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


def _check(status: int, call: str) -> None:
    if status < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}")


if __name__ == "__main__":
    enter_sandbox(int(sys.argv[1]))
    drop_privileges()
    refuse_channels()
