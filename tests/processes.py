"""Python programs in processes of their own."""

import os
import subprocess
import sys
from pathlib import Path

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
