"""Python programs in processes of their own, and the processes that there are."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]


def ended(*arguments: str, cwd: Path = ROOT, **variables: str) -> subprocess.CompletedProcess[str]:
    """Python with these arguments, and these variables beside its own; it must not fail."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-6000:]
    return done


def run_python(source: str, *arguments: str, cwd: Path = ROOT, **variables: str) -> str:
    """What a program prints that runs in the checkout or another folder."""
    return ended("-c", source, *arguments, cwd=cwd, **variables).stdout


class Process(NamedTuple):
    pid: int
    parent: int
    group: int
    has_ended: bool  # and is waited for


def processes() -> Iterator[Process]:
    """All processes of this machine, as Linux shows them."""
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it ended meanwhile
            state, parent, group = entry.read_text().rpartition(")")[2].split()[:3]
            yield Process(int(entry.parent.name), int(parent), int(group), state == "Z")
