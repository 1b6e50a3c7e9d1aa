"""Contest time for users other than root, who lack rights that a test run as root never misses."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

NOBODY = 65534
PLAYER = "def first(observations, action_masks, rngs):\n    return action_masks.argmax(axis=1)\n"


def as_nobody(*arguments: str, folder: str) -> subprocess.CompletedProcess[str] | None:
    """Run Python as an ordinary user, without compiling; None where that user has no Python."""
    paths = os.pathsep.join(filter(None, (os.getcwd(), *sys.path)))
    passed = {"PATH": os.environ["PATH"], "PYTHONPATH": paths, "HOME": folder, "TMPDIR": folder}
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for python in (sys.executable, shutil.which(name, path="/usr/bin:/usr/local/bin")):
        try:
            run = subprocess.run(
                [python or name, *arguments],
                user=NOBODY,
                group=NOBODY,
                extra_groups=[],
                cwd=folder,
                env={**passed, "NUMBA_DISABLE_JIT": "1"},
                capture_output=True,
                text=True,
                check=False,
            )
        except PermissionError:
            continue
        return run
    return None


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
def test_an_ordinary_user_holds_a_contest() -> None:
    if os.geteuid() != 0:
        pytest.skip("this user is no other than ordinary: the red team plays here")
    with tempfile.TemporaryDirectory() as folder:
        os.chown(folder, NOBODY, NOBODY)
        player = Path(folder, "mine.py")
        player.write_text(PLAYER)
        trial = as_nobody("-c", "import numba, parlour", folder=folder)
        if trial is None or trial.returncode != 0:
            pytest.skip("users other than root can read neither this Python nor Parlour")
        match = f"match trick_taking {player}:first,random --set num_values=4 --deals 1"
        run = as_nobody(
            "-m", "parlour.scripts.main", *match.split(), "--contest", "logs=logs", folder=folder
        )
        assert run is not None and run.returncode == 0, run
        assert "first v random at trick_taking: 2 games" in run.stdout
