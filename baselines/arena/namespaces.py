"""Confine a process on Linux: namespaces, a read-only view of the files, no privileges.

It imports only the standard library, so that a process can be confined before anything else runs,
and so that `sandbox` can try this file as a program. Man pages: namespaces(7), mount_setattr(2),
capabilities(7).
"""

import contextlib
import ctypes
import os
import signal
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

PRIVATE = Path("/tmp")  # the private folder, as a confined process sees it
# Hidden because other processes have sockets there, and a read-only view permits connections.
_MEETING_PLACES = ("/tmp", "/var/tmp", "/run", "/dev/shm")
_DEVICES = ("null", "zero", "full", "random", "urandom")
_LINKS = {"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"}
_PRIVATE_FILES = 10_000

_CLONE_FLAGS = 0x10000000 | 0x20000000 | 0x00020000 | 0x40000000 | 0x08000000 | 0x04000000
_MS_BIND, _MS_REC, _MS_PRIVATE = 4096, 16384, 1 << 18
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 1, 2, 4, 8
_SYS_MOUNT_SETATTR = 442  # the same number on every architecture
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_ATTR_RDONLY, _ATTR_NOSUID, _ATTR_NODEV = 1, 2, 4
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP = 1, 4, 24
_PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 36, 38
_CAPABILITY_VERSION_3 = 0x20080522
_LAST_CAPABILITY = 63

_libc: Any = ctypes.CDLL(None, use_errno=True) if os.name == "posix" else None


class View(NamedTuple):
    """The files that a confined process sees: all of them, read-only, with these exceptions."""

    kept: tuple[str, ...] = ()  # visible, even in a hidden folder
    hidden: tuple[str, ...] = ()  # files and folders that appear empty
    layered: tuple[str, ...] = ()  # folders whose changes stay in the private folder
    private_mib: int = 64  # the size of the private folder


class _Attributes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns")]


def unshare() -> None:
    """Enter new user, process, mount, network, IPC and host-name namespaces. Raises OSError.

    The calling process must have one thread; its next child is their first process.
    """
    uid, gid = os.geteuid(), os.getegid()
    _check(_libc.unshare(_CLONE_FLAGS), "unshare")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")


def make_view(view: View) -> None:
    """Set the view of the files of this process, the first of its namespaces. Raises OSError."""
    with contextlib.suppress(OSError):  # an outer namespace may forbid it
        Path("/proc/sys/user/max_user_namespaces").write_text("0")
    _mount(None, "/", None, _MS_REC | _MS_PRIVATE)
    places = [place for place in _MEETING_PLACES if _is_folder(place)]
    with contextlib.ExitStack() as stack:
        kept = [(path, stack.enter_context(_opened(path))) for path in _kept(view, places)]
        devices = [(n, stack.enter_context(_opened(f"/dev/{n}"))) for n in _DEVICES]
        layered = [(p, stack.enter_context(_opened(p))) for p in view.layered if _is_folder(p)]
        null = dict(devices)["null"]
        _set_attributes("/", _ATTR_RDONLY | _ATTR_NOSUID | _ATTR_NODEV)
        _make_devices(devices)
        for place in places:
            if place != "/dev/shm":
                size = f"size={view.private_mib}m,nr_inodes={_PRIVATE_FILES}"
                options = size if Path(place) == PRIVATE else "size=64k"
                _mount("tmpfs", place, "tmpfs", _MS_NOSUID | _MS_NODEV, f"mode=700,{options}")
        for path, descriptor in kept:
            _bind(descriptor, path)
        for path, folder in layered:
            _layer(path, folder)
        for path in view.hidden:
            if _is_folder(path):
                _mount("tmpfs", path, "tmpfs", _MS_RDONLY, "size=4k")
            elif os.path.lexists(path):
                _mount(f"/proc/self/fd/{null}", path, None, _MS_BIND)
    for place in places:
        if Path(place) != PRIVATE and place != "/dev/shm":
            _set_attributes(place, _ATTR_RDONLY, recursive=False)
    flags = _MS_RDONLY | _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
    _mount("proc", "/proc", "proc", flags)


def _kept(view: View, places: Sequence[str]) -> Iterator[str]:
    """Yield the kept paths that lie in hidden places, outer paths first."""
    for path in sorted({os.path.realpath(path) for path in view.kept}):
        if any(path.startswith(f"{place}/") for place in places) and os.path.exists(path):
            yield path


def _make_devices(devices: Sequence[tuple[str, int]]) -> None:
    _mount("tmpfs", "/dev", "tmpfs", _MS_NOSUID, "mode=755,size=64k")
    for name, descriptor in devices:
        _bind(descriptor, f"/dev/{name}")
        _set_attributes(f"/dev/{name}", 0, _ATTR_NODEV | _ATTR_RDONLY, recursive=False)
    for name, target in _LINKS.items():
        os.symlink(target, f"/dev/{name}")
    os.symlink(PRIVATE, "/dev/shm")
    _set_attributes("/dev", _ATTR_RDONLY, recursive=False)


def _layer(path: str, descriptor: int) -> None:
    """Make a folder writable for this process only, or leave it read-only where Linux cannot."""
    top = PRIVATE / ".layers" / path.strip("/").replace("/", "-")
    for part in ("upper", "work"):
        (top / part).mkdir(parents=True, exist_ok=True)
    _bind(descriptor, path)
    options = f"lowerdir={path},upperdir={top / 'upper'},workdir={top / 'work'},userxattr"
    with contextlib.suppress(OSError):
        _mount("overlay", path, "overlay", _MS_NOSUID | _MS_NODEV, options)


def _bind(descriptor: int, path: str) -> None:
    """Show the open `descriptor` at `path`, which is made where it is missing."""
    source = f"/proc/self/fd/{descriptor}"
    if not os.path.lexists(path):
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).mkdir() if is_folder else Path(path).touch()
    _mount(source, path, None, _MS_BIND | _MS_REC)


def drop_privileges() -> None:
    """Drop every capability for good, also those that a program could add. Raises OSError."""
    for capability in range(_LAST_CAPABILITY):
        _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)  # fails for those that do not exist
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    _check(_libc.capset(header, (ctypes.c_uint32 * 6)()), "capset")
    _check(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl")


def limit(name: str, value: int) -> None:
    """Set a resource limit of this process and its children, where the system has it."""
    import resource  # not on Windows, where this module is imported all the same

    number = getattr(resource, f"RLIMIT_{name}", None)
    if number is not None:
        hard = resource.getrlimit(number)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(number, (value, value))


def end_with_parent() -> None:
    """Have the system kill this process when the one that started it ends."""
    if sys.platform == "linux":
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends."""
    if sys.platform == "linux":
        _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def allow_inspection(allowed: bool) -> None:
    """Allow or forbid processes of the same user to inspect this one's memory."""
    if sys.platform == "linux":
        _libc.prctl(_PR_SET_DUMPABLE, int(allowed), 0, 0, 0)


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)


@contextlib.contextmanager
def _opened(path: str) -> Iterator[int]:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _mount(
    source: str | None, target: str, kind: str | None, flags: int, options: str = ""
) -> None:
    what = [None if text is None else text.encode() for text in (source, target, kind)]
    _check(_libc.mount(*what, ctypes.c_ulong(flags), options.encode() or None), f"mount {target}")


def _set_attributes(path: str, on: int, off: int = 0, recursive: bool = True) -> None:
    attributes = _Attributes(on, off, 0, 0)
    flags = _AT_RECURSIVE if recursive else 0
    arguments: list[Any] = [_SYS_MOUNT_SETATTR, _AT_FDCWD, path.encode(), flags]
    status = _libc.syscall(*arguments, ctypes.byref(attributes), ctypes.sizeof(attributes))
    _check(status, f"mount_setattr {path}")


def _check(status: int, what: str) -> None:
    if status < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def main() -> int:
    """Try everything once; return 0 where it worked."""
    unshare()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            make_view(View())
            drop_privileges()
            status = 0 if os.getpid() == 1 and not os.access("/", os.W_OK) else 1
        except OSError as error:
            print(error, file=sys.stderr)
        os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    sys.exit(main())
