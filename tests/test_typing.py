"""What a type checker makes of a user's script: real types, and an error for each wrong line."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]
SCRIPTS = Path(__file__).with_name("typing")
REJECTED = {
    number
    for number, line in enumerate((SCRIPTS / "rejected.py").read_text().splitlines(), 1)
    if line.endswith("# refused")
}
EXPECTED = [("user_script.py", set()), ("rejected.py", REJECTED)]
MYPY = (sys.executable, "-m", "mypy", "--strict", "--config-file=", "--follow-imports=silent")
pytestmark = pytest.mark.long


def checked(command: list[str], script: str, folder: Path) -> set[int]:
    """The lines of a script, copied out of the checkout, in which errors are found."""
    shutil.copy(SCRIPTS / script, folder)
    shown = subprocess.run(
        [*command, script],
        cwd=folder,
        env={**os.environ, "MYPYPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert shown.returncode in (0, 1), shown.stdout + shown.stderr
    errors = re.findall(rf"{script}:(\d+):.*error", shown.stdout)
    assert bool(errors) == bool(shown.returncode), shown.stdout + shown.stderr
    return {int(line) for line in errors}


@pytest.mark.parametrize(("script", "lines"), EXPECTED)
def test_mypy_finds_what_is_wrong_and_nothing_else(
    script: str, lines: set[int], tmp_path: Path
) -> None:
    cache = f"--cache-dir={CHECKOUT / '.mypy_cache' / 'users'}"
    assert checked([*MYPY, cache], script, tmp_path) == lines
