"""The cache of compiled rules: an edited rule is never ignored, and every folder may be missing."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numba
import numpy as np
import pytest

from parlour.envs.core import jit
from parlour.envs.core.jit import bind, bind_lean, rule

ROOT = Path(jit.__file__).resolve().parents[2]
FOLDERS = ("parlour", "envs", "baselines")

# One small compiled function and where it is kept.
PROBE = """
import numba
import numpy as np
from parlour.envs.core import bits, jit
assert bits.popcount(np.int64(7)) == 3
hits = sum(bits.popcount.stats.cache_hits.values())
print(jit.cache_folder().name, hits, jit.cache_folder())
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the sources, to be edited."""
    target = tmp_path / "checkout"
    for folder in FOLDERS:
        skipped = shutil.ignore_patterns("__pycache__", "checkpoints")
        shutil.copytree(ROOT / folder, target / folder, ignore=skipped)
    return target


def probe(checkout: Path, cache: Path | None, script: str = PROBE, **variables: str) -> list[str]:
    """Run a script in a process of its own; its words."""
    environment = {**os.environ, "PYTHONPATH": str(checkout), **variables}
    environment.pop("NUMBA_CACHE_DIR", None)
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = str(cache)
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=checkout,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_second_process_finds_what_the_first_compiled(checkout: Path, tmp_path: Path) -> None:
    first, second = (probe(checkout, tmp_path / "cache") for _ in range(2))
    assert first[0] == second[0]
    assert (first[1], second[1]) == ("0", "1")


@pytest.mark.parametrize(
    ("edited", "line"), [("rules.py", "ANOTHER_CONSTANT = 3"), ("costs.csv", "1,2,3")]
)
def test_an_edit_in_another_file_changes_the_folder(
    checkout: Path, tmp_path: Path, edited: str, line: str
) -> None:
    """Rules as well as tables of data, from which compiled code takes its constants."""
    before = probe(checkout, tmp_path / "cache")
    with (checkout / "envs" / "president" / edited).open("a") as file:
        file.write(f"\n{line}\n")
    after = probe(checkout, tmp_path / "cache")
    assert before[0] != after[0]
    assert after[1] == "0"


def test_the_bounds_check_has_a_folder_of_its_own(checkout: Path, tmp_path: Path) -> None:
    without = probe(checkout, tmp_path / "cache")
    with_check = probe(checkout, tmp_path / "cache", NUMBA_BOUNDSCHECK="1")
    assert without[0] != with_check[0]


def test_numba_cache_dir_is_respected_as_the_parent(checkout: Path, tmp_path: Path) -> None:
    folder = Path(probe(checkout, tmp_path / "mine")[2])
    assert folder.parent == tmp_path / "mine"
    assert list(folder.rglob("*.nbi"))


def test_rules_compile_where_no_cache_folder_can_be_made(checkout: Path, tmp_path: Path) -> None:
    """A file stands where the folder should be, which stops even the superuser."""
    (tmp_path / "file").write_text("in the way")
    assert probe(checkout, tmp_path / "file" / "cache", HOME=str(tmp_path / "file"))[1] == "0"


def test_rules_run_as_plain_python(checkout: Path) -> None:
    script = """
import numba
import numpy as np
from parlour.envs.core import bits
assert bits.popcount(np.int64(-1)) == 64 and not hasattr(bits.popcount, "stats")
print("fine")
"""
    assert probe(checkout, None, script, NUMBA_DISABLE_JIT="1") == ["fine"]


def test_old_digests_are_pruned_and_young_ones_kept(tmp_path: Path) -> None:
    names = ("rules-old", "rules-young", "rules-mine", "unrelated")
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("")
    long_ago = time.time() - 30 * 24 * 3600
    for name in ("rules-old", "rules-mine", "unrelated"):
        os.utime(tmp_path / name, (long_ago, long_ago))
    jit._prune(tmp_path, keep=tmp_path / "rules-mine")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names[1:])


def test_a_function_from_outside_is_compiled_but_not_kept() -> None:
    assert double(np.int64(4)) == 8
    assert not getattr(double, "_cache_path", None)


@rule
def double(value):
    """Lives in a test, whose edits the digest cannot see."""
    return 2 * value


@rule
def triple(value):
    return 3 * value


def _twice_changed(value):
    return change(change(value))  # noqa: F821 (a name that `bind` gives a meaning)


def test_bind_compiles_a_copy_for_each_meaning() -> None:
    by_two, by_three = bind(_twice_changed, change=double), bind(_twice_changed, change=triple)
    assert by_two(1) == 4
    assert by_three(1) == 9
    names = {jit.python_source(one).__qualname__ for one in (by_two, by_three)}
    assert len(names) == 2


@numba.njit
def _length_of_an_array(value):
    return np.zeros(value).size


def test_a_lean_loop_may_call_from_outside_what_makes_arrays() -> None:
    lean = bind_lean(_twice_changed, change=_length_of_an_array)
    assert lean(5) == 5
