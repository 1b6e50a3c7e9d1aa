"""The sandbox of a player for one game: bubblewrap where it works, else only a process group.

In bubblewrap the player sees, read-only, the system's programs and libraries, Python, Parlour and
its own files; besides them nothing but its private folder, no network and no process of others.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ....envs.core.code_cache import cache_folder
from . import confine

AUTO, BWRAP, NONE = "auto", "bwrap", "none"
METHODS = (AUTO, BWRAP, NONE)
_PRIVATE = "/tmp"  # the private folder, as a player in bubblewrap sees it
_LIBRARIES = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix", "/gnu")
_SYSTEM = (*_LIBRARIES, "/etc", "/opt", "/sys/devices/system")  # seen by every player
_BWRAP = (
    "bwrap --unshare-user --unshare-ipc --unshare-pid --unshare-net --unshare-uts --disable-userns"
    " --cap-drop ALL --cap-add CAP_KILL --as-pid-1 --dev /dev --proc /proc --remount-ro /proc"
)
# The first process of the sandbox sends the signals that it reads to all others there, and says so.
# They cannot signal it, nor inspect it, as it has a capability more. When it ends, so do they.
_FIRST_PROCESS = 'exec 2> /dev/null; echo; while read -r name; do kill -s "$name" -- -1; echo; done'
_SMALL = "4096"  # bytes
_TRIAL_SECONDS = 60.0


class Files(NamedTuple):
    """What decides which files a player sees."""

    spec: str  # of the player
    others: Sequence[str] = ()  # the specs of the other entrants
    hidden: Sequence[str] = ()  # paths that players do not see, unless they need them


class Bubblewrap:
    """A new sandbox of bubblewrap for one player. Raises OSError where bubblewrap fails.

    `first` is the process whose namespaces the player enters. `private` is the path, inside the
    sandbox, of the folder that it can write to, besides /dev/shm.
    """

    private = _PRIVATE

    def __init__(self, files: Files, private_mib: int) -> None:
        information, theirs = os.pipe()
        view = _view(files, str(private_mib << 20))
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


def new_sandbox(method: str, files: Files, private_mib: int) -> Sandbox:
    """Make the sandbox of a player for one game. Raises OSError where that fails."""
    return ProcessGroup() if method == NONE else Bubblewrap(files, private_mib)


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
        with contextlib.closing(Bubblewrap(Files(""), 1)) as sandbox:
            trial = [sys.executable, "-I", str(Path(confine.__file__).resolve())]
            run = subprocess.run(
                [*trial, str(sandbox.first)], stderr=subprocess.PIPE, timeout=_TRIAL_SECONDS
            )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return None if run.returncode == 0 else _last_line(run.stderr) or f"status {run.returncode}"


def _last_line(text: bytes) -> str:
    return text.decode(errors="replace").strip().rpartition("\n")[2]


def _view(files: Files, private_bytes: str) -> Iterator[str]:
    """Yield bubblewrap's options for the files that a player sees."""
    for place in (_PRIVATE, "/dev/shm"):
        yield from ("--size", private_bytes, "--tmpfs", place)
    shown: dict[str, str] = {}  # the real path of what is seen at a path
    for path in sorted({*_SYSTEM, *_needed(files)}):
        if not os.path.exists(path) or _is_within(path, shown):
            continue
        shown[path] = os.path.realpath(path)
        if path in _SYSTEM and os.path.islink(path):
            yield from ("--symlink", os.readlink(path), path)
        else:
            yield from ("--ro-bind", shown[path], path)
    yield from ("--dir", os.getcwd())
    covered: list[str] = []
    for path in sorted(_within_shown(_hidden(files), shown)):
        if _is_within(path, covered):
            continue
        if _is_folder(path):
            covered.append(path)
            yield from ("--size", _SMALL, "--tmpfs", path)
        elif os.path.lexists(path):
            yield from ("--ro-bind", os.devnull, path)
    for place in ("/", "/dev", *covered):
        yield from ("--remount-ro", place)


def _needed(files: Files) -> set[str]:
    """Return the paths that a player needs, as they are named and where they really are."""
    paths = {*_own(files), *_of_python(files), str(cache_folder())}
    return {each for path in paths for each in (os.path.abspath(path), os.path.realpath(path))}


def _own(files: Files) -> Iterator[str]:
    """Yield the folders of the player's files; of one where others have files, only its own."""
    others = _others(files)
    for path in _named(files.spec):
        folders = [path] if os.path.isdir(path) else map(os.path.dirname, _both(path))
        for folder in folders:
            yield path if _holds(folder, others) else folder


def _of_python(files: Files) -> Iterator[str]:
    """Yield the paths that Python imports from, but for folders that have files of entrants.

    The working folder is one only where PYTHONPATH says so.
    """
    entrants = {
        os.path.realpath(path) for spec in (files.spec, *files.others) for path in _named(spec)
    }
    variables = [os.environ.get(name, "") for name in ("PYTHONPATH", "LD_LIBRARY_PATH")]
    folders = [part for text in variables for part in text.split(os.pathsep)]
    folders += [path for path in sys.path if not _holds(path, [os.getcwd()])]
    yield from (sys.prefix, sys.base_prefix)
    yield from (path for path in folders if path and not _holds(path, entrants))
    package = sys.modules[__package__.partition(".")[0]].__path__[0]
    yield package
    yield from (entry.path for entry in os.scandir(package) if entry.is_symlink())


def _hidden(files: Files) -> set[str]:
    """Return the real paths to hide: also the files of others, wherever they are seen."""
    needed = [os.path.realpath(path) for path in (*_own(files), *_of_python(files))]
    hidden = {*map(os.path.realpath, files.hidden), *_others(files)}
    return {path for path in hidden if not _holds(path, needed)}


def _within_shown(paths: Iterable[str], shown: Mapping[str, str]) -> Iterator[str]:
    """Yield where each of these real paths is seen."""
    for path in paths:
        for place, real in shown.items():
            if _holds(real, [path]):
                yield os.path.normpath(os.path.join(place, os.path.relpath(path, real)))


def _others(files: Files) -> set[str]:
    """Return the real paths of the files of other entrants that are not the player's too."""
    others = {os.path.realpath(path) for spec in files.others for path in _named(spec)}
    return others - {os.path.realpath(path) for path in _named(files.spec)}


def _named(spec: str) -> list[str]:
    """Return the paths that a spec names, as in `FILE.py:Class:weights=FILE`."""
    for separator in ":=,":
        spec = spec.replace(separator, "\n")
    parts = map(str.strip, spec.split("\n"))
    return [os.path.abspath(part) for part in parts if part and os.path.exists(part)]


def _both(path: str) -> set[str]:
    """Return an absolute path as it is named and where it really is."""
    return {path, os.path.realpath(path)}


def _holds(folder: str, paths: Iterable[str]) -> bool:
    """Return whether a path is, or has in it, any of these real paths."""
    real = os.path.realpath(folder)
    return any(Path(path).is_relative_to(real) for path in paths)


def _is_within(path: str, folders: Iterable[str]) -> bool:
    return any(path.startswith(f"{folder}/") for folder in folders)


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)
