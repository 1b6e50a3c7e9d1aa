"""Choose the sandbox of players: bubblewrap, plain namespaces, or none.

The sandbox has two walls. This module chooses the outer one: a program that starts the fork server
without access to the network or to other processes and terminals. `namespaces` is the inner one,
which the fork server builds again for every player in every game.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from . import namespaces

AUTO, BWRAP, UNSHARE, NONE = "auto", "bwrap", "unshare", "none"
METHODS = (AUTO, BWRAP, UNSHARE, NONE)
_BWRAP = (
    "bwrap --unshare-user --unshare-pid --unshare-net --unshare-ipc --unshare-uts --die-with-parent"
    " --ro-bind / / --dev /dev --bind /proc /proc"
)
_UNSHARE = "unshare --user --map-current-user --pid --fork --kill-child --mount-proc --net --ipc"
_PROGRAMS = {BWRAP: _BWRAP.split(), UNSHARE: _UNSHARE.split(), NONE: []}
_TRIAL_SECONDS = 60.0


def choose_sandbox(method: str) -> str:
    """Return the sandbox to use: `method`, or for "auto" the best that works here (else NONE).

    Raises ValueError for a method that is unknown or does not work here, and for any method on a
    system other than Linux, where players cannot be measured and ended for certain.
    """
    if sys.platform != "linux":
        raise ValueError(f"contest time needs Linux; this system is {sys.platform}")
    if method not in METHODS:
        raise ValueError(f"sandbox must be one of {', '.join(METHODS)}; got {method!r}")
    if method == AUTO:
        return next((known for known in (BWRAP, UNSHARE) if refusal(known) is None), NONE)
    why = refusal(method)
    if why is not None:
        raise ValueError(f"the sandbox {method} does not work here: {why}")
    return method


@lru_cache
def refusal(method: str) -> str | None:
    """Try a sandbox once; return why it does not work on this machine, or None."""
    if method == NONE:
        return None
    program = _PROGRAMS[method][0]
    if shutil.which(program) is None:
        return f"the program {program} is not installed"
    trial = [*prefix(method), sys.executable, "-I", str(Path(namespaces.__file__).resolve())]
    try:
        run = subprocess.run(
            trial, capture_output=True, text=True, timeout=_TRIAL_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    lines = run.stderr.strip().splitlines()
    return None if run.returncode == 0 else (lines or [f"status {run.returncode}"])[-1]


def prefix(method: str, writable: Sequence[str] = ()) -> list[str]:
    """Return the start of a command line that runs a program behind the outer wall.

    Under bubblewrap, only the folders `writable` can be written to.
    """
    binds = [
        word for folder in writable if os.path.isdir(folder) for word in ("--bind", folder, folder)
    ]
    return [*_PROGRAMS[method], *(binds if method == BWRAP else ())]
