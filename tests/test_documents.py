"""Documents say what the code is; and the checks find what is planted to mislead them."""

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from docs.site.sources import CHECKOUT

from .documents import CHECKS, Tree, faults

COPIED = (".ci", "baselines", "docs", "envs", "integrations", "parlour", "scripts", "tests",
          "training")  # fmt: skip
PICTURE_PART = slice(5000, 5100)


class Drift(NamedTuple):
    """In the file `path` every `old` becomes `new`; in a picture a part is erased."""

    fault: str
    path: str
    old: str
    new: str


_TEXT = Path(__file__).with_name("drifts.toml").read_text(encoding="utf-8")
DRIFTS = [Drift(*each) for each in tomllib.loads(_TEXT)["drifts"]]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_documents_say_what_the_code_is(check: Callable[[Tree], Iterator[str]]) -> None:
    assert not list(check(Tree()))


def planted(drift: Drift) -> bytes:
    """The file of a drift with the drift in it."""
    content = bytearray((CHECKOUT / drift.path).read_bytes())
    if drift.path.endswith((".png", ".gif")):
        content[PICTURE_PART] = bytes(100)
        return bytes(content)
    assert drift.old.encode() in content, f"{drift.path} no longer says {drift.old}"
    return bytes(content).replace(drift.old.encode(), drift.new.encode())


def copied(folder: Path) -> Path:
    """A copy of the checkout."""
    for name in COPIED:
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(CHECKOUT / name, folder / name, symlinks=True, ignore=ignored)
    for path in CHECKOUT.iterdir():
        if path.is_file() and path.name != ".git":  # a file in a linked checkout
            shutil.copy(path, folder)
    return folder


def is_found(drift: Drift, folder: Path) -> bool:
    """Whether a check complains or fails; changed code needs a new process."""
    if not drift.path.endswith(".py"):
        return next(faults(Tree({drift.path: planted(drift)})), None) is not None
    copy = copied(folder)
    (copy / drift.path).write_bytes(planted(drift))
    program = [sys.executable, "-m", "tests.documents"]
    ended = subprocess.run(program, cwd=copy, env={**os.environ, "PYTHONPATH": str(copy)},
                           capture_output=True, text=True, check=False)  # fmt: skip
    return ended.returncode != 0 or bool(ended.stdout.strip())


@pytest.mark.long
@pytest.mark.parametrize("drift", DRIFTS, ids=lambda drift: drift.fault.replace(" ", "-"))
def test_a_planted_drift_is_found(drift: Drift, tmp_path: Path) -> None:
    assert is_found(drift, tmp_path)


@pytest.mark.long
def test_nothing_is_found_in_a_copy_without_a_drift(tmp_path: Path) -> None:
    assert not is_found(Drift("nothing", "envs/splendor/rules.py", "deal", "deal"), tmp_path)
