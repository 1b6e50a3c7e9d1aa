"""Rules, searches and learners run as plain Python too: each file of `plain/`, in a process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PLAIN = Path(__file__).parent / "plain"


@pytest.mark.parametrize("name", [path.name for path in sorted(PLAIN.glob("test_*.py"))])
def test_without_the_compiler(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"tests/plain/{name}"],
        cwd=PLAIN.parents[1],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
