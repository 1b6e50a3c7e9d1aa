"""The sandbox of a player for one game: bubblewrap where it works, else only a process group.

In bubblewrap the player sees all files read-only, but no network, no process of others, and neither
what is hidden from it nor the places where other processes leave files and sockets.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from ....envs.core.code_cache import cache_folder
from . import confine

AUTO, BWRAP, NONE = "auto", "bwrap", "none"
METHODS = (AUTO, BWRAP, NONE)
_PRIVATE = "/tmp"  # the private folder, as a player in bubblewrap sees it
# Hidden because other processes have sockets there, and a read-only view permits connections.
_MEETING_PLACES = (_PRIVATE, "/var/tmp", "/run")
_BWRAP = (
    "bwrap --unshare-user --unshare-ipc --unshare-pid --unshare-net --unshare-uts --disable-userns"
    " --cap-drop ALL --cap-add CAP_KILL --as-pid-1 --ro-bind / / --dev /dev --proc /proc"
    " --remount-ro /proc"
)
# The first process of the sandbox sends the signals that it reads to all others there, and says so.
# They cannot signal it, nor inspect it, as it has a capability more. When it ends, so do they.
_FIRST_PROCESS = 'exec 2> /dev/null; echo; while read -r name; do kill -s "$name" -- -1; echo; done'
_SMALL = "4096"  # bytes
_TRIAL_SECONDS = 60.0


class Bubblewrap:
    """A new sandbox of bubblewrap for the player `spec`. Raises OSError where bubblewrap fails.

    `first` is the process whose namespaces the player enters. `private` is the path, inside the
    sandbox, of the folder that it can write to, besides /dev/shm.
    """

    private = _PRIVATE

    def __init__(self, spec: str, hidden: Sequence[str], private_mib: int) -> None:
        information, theirs = os.pipe()
        view = _view(spec, hidden, str(private_mib << 20))
        self._popen = subprocess.Popen(
            [*_BWRAP.split(), *view, "--info-fd", str(theirs), "sh", "-c", _FIRST_PROCESS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            pass_fds=[theirs],
            start_new_session=True,  # Ctrl-C reaches only the arena
        )
        os.close(theirs)
        with open(information) as file:
            text = file.read()
        assert self._popen.stdout is not None
        if not self._popen.stdout.readline():  # it comes when the sandbox is complete
            raise OSError(_last_line(self._popen.communicate()[1]) or "bubblewrap ended silently")
        self.first = int(json.loads(text)["child-pid"])

    def signal(self, number: signal.Signals, player: int) -> None:
        """Send a signal to everything that runs in the sandbox, and wait until that is done."""
        assert self._popen.stdin is not None and self._popen.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._popen.stdin.write(f"{number.name.removeprefix('SIG')}\n".encode())
            self._popen.stdout.readline()

    def close(self) -> None:
        """End everything in the sandbox."""
        self._popen.communicate()  # the first process ends with its input


class ProcessGroup:
    """No sandbox: the player's process group, and a private folder that is removed at the end."""

    first = 0  # there are no namespaces to enter

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="parlour-", ignore_cleanup_errors=True)
        self.private = self._folder.name

    def signal(self, number: signal.Signals, player: int) -> None:
        """Send a signal to the player and the processes in its group."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(player, number)

    def close(self) -> None:
        """Remove the private folder; the supervisor has ended the player."""
        self._folder.cleanup()


Sandbox = Bubblewrap | ProcessGroup


def new_sandbox(method: str, spec: str, hidden: Sequence[str], private_mib: int) -> Sandbox:
    """Make the sandbox of the player `spec` for one game. Raises OSError where that fails."""
    return ProcessGroup() if method == NONE else Bubblewrap(spec, hidden, private_mib)


def choose_sandbox(method: str) -> str:
    """Return the sandbox to use: `method`, or for "auto" bubblewrap if it works here (else NONE).

    Raises ValueError for a method that is unknown or does not work here, and for any method on a
    system other than Linux, where players cannot be measured and ended for certain.
    """
    if sys.platform != "linux":
        raise ValueError(f"contest time needs Linux; this system is {sys.platform}")
    if method not in METHODS:
        raise ValueError(f"sandbox must be one of {', '.join(METHODS)}; got {method!r}")
    why = None if method == NONE else why_no_bubblewrap()
    if why is not None and method == BWRAP:
        raise ValueError(f"the sandbox {BWRAP} does not work here: {why}")
    return NONE if method == NONE or why is not None else BWRAP


@lru_cache
def why_no_bubblewrap() -> str | None:
    """Try bubblewrap once; return why it does not work on this machine, or None."""
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed; on Debian and Ubuntu: apt install bubblewrap"
    try:
        with contextlib.closing(Bubblewrap("", (), 1)) as sandbox:
            trial = [sys.executable, "-I", str(Path(confine.__file__).resolve())]
            run = subprocess.run(
                [*trial, str(sandbox.first)], stderr=subprocess.PIPE, timeout=_TRIAL_SECONDS
            )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return None if run.returncode == 0 else _last_line(run.stderr) or f"status {run.returncode}"


def _last_line(text: bytes) -> str:
    return text.decode(errors="replace").strip().rpartition("\n")[2]


def _view(spec: str, hidden: Sequence[str], private_bytes: str) -> Iterator[str]:
    """Yield bubblewrap's options for the files that a player sees."""
    places = [place for place in _MEETING_PLACES if _is_folder(place)]
    for place in (*places, "/dev/shm"):
        is_writable = place in (_PRIVATE, "/dev/shm")
        yield from ("--size", private_bytes if is_writable else _SMALL, "--tmpfs", place)
    kept = sorted(_kept(spec))
    shown = [path for path in kept if _is_within(path, places)]
    for path in shown:
        yield from ("--ro-bind", path, path)
    covered: list[str] = []
    for path in sorted(hidden):
        is_visible = _is_within(path, shown) or not _is_within(path, places)
        is_needed = any(Path(needed).is_relative_to(path) for needed in kept)
        if is_needed or not is_visible or _is_within(path, covered):
            continue
        if _is_folder(path):
            covered.append(path)
            yield from ("--size", _SMALL, "--tmpfs", path)
        elif os.path.lexists(path):
            yield from ("--ro-bind", os.devnull, path)
    for place in ("/dev", *places, *covered):
        if place != _PRIVATE:
            yield from ("--remount-ro", place)


def _is_within(path: str, folders: Iterable[str]) -> bool:
    return any(path.startswith(f"{folder}/") for folder in folders)


def _kept(spec: str) -> set[str]:
    """Return the paths that a player needs: of Python, Parlour, this folder, its own files."""
    for separator in ":=,":  # as in `FILE.py:Class:weights=FILE`
        spec = spec.replace(separator, "\n")
    own = [part for part in map(str.strip, spec.split("\n")) if part and os.path.exists(part)]
    beside = [str(Path(part).resolve().parent) for part in own]
    python = [sys.prefix, sys.base_prefix, *filter(None, sys.path), os.getcwd()]
    paths = (*python, *own, *beside, str(cache_folder()))
    return {os.path.realpath(path) for path in paths if os.path.exists(path)}


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)
