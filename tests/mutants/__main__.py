"""`make mutants`: plant small faults in a copy of the last commit, and look what the tests notice.

Cosmic Ray plants them as `cosmic-ray.toml` says and keeps its session in runs/mutants, so a run
that is stopped goes on where it was; remove that folder for another commit or another sample.
"""

from __future__ import annotations

import argparse
import ast
import functools
import json
import os
import random
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from .page import write_page
from .quick import PASSED

HERE = Path(__file__).resolve().parents[2]
RUNS = HERE / "runs" / "mutants"
COPY, SESSION = RUNS / "copy", RUNS / "session.sqlite"
CONFIG = "tests/mutants/cosmic-ray.toml"
LAYERS = (("envs",), ("baselines", "training"))  # as many mutants of each
# Decorators only compile here, and the other two put random numbers into the code.
LEFT_OUT = ("core/RemoveDecorator", "core/VariableReplacer", "core/VariableInserter")
LARGE = 100  # a constant of this size chosen one larger or smaller would do as well
MAX_SECONDS = 40.0  # CPU time of tests for a mutant, as measured: half of it on each of two cores
PYTEST = [sys.executable, "-m", "pytest", "-q", "-o", "addopts=", "-m", "not long and not release"]
PYTEST += ["-p", "no:cacheprovider", "--hypothesis-seed=0", "-n", "2", "--dist", "worksteal"]
PYTEST += ["-p", "tests.mutants.limit"]
# A limit that also held while pytest reports a test would end pytest.
MEASURE = [*PYTEST, "-p", "tests.mutants.quick", "--tb=native", "-o", "timeout_func_only=true"]
MEASURE += ["--max-cpu=8", "--timeout=60"]
# Far above what a test takes: a mutant is killed by what it does, never by a busy machine.
TRY = [*PYTEST, "-x", "--max-cpu=24", "--timeout=300"]


def main() -> None:
    """Do what has not been done yet: copy, measure, sample, try; then write the page."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("--size", type=int, default=80, help="mutants of each of the two layers")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    options = parser.parse_args()
    if not COPY.exists():
        RUNS.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "clone", "--quiet", "--shared", HERE, COPY], check=True)
    os.chdir(COPY)  # Cosmic Ray takes the folder as it is
    os.environ |= {"PYTHONPATH": str(COPY), "NUMBA_DISABLE_JIT": "1", "OMP_NUM_THREADS": "1"}
    os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    settings = tomllib.loads(Path(CONFIG).read_text())["parlour"]
    files = sorted({path for pattern in settings["tests"] for path in Path().glob(pattern)})
    ignored = {f"test_{name}" for name in settings["ignored"]}
    tests = [str(path) for path in files if path.stem not in ignored]
    if not PASSED.exists():
        measure(tests)
    if not SESSION.exists():
        draw_sample(options.size, options.seed)
    cosmic_ray("exec", CONFIG, SESSION)
    write_page(SESSION, git("rev-parse", "--short", "HEAD").strip())


def git(*arguments: str) -> str:
    """What a command of git says about the copy."""
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True).stdout


def cosmic_ray(*arguments: str | Path) -> None:
    """Run a command of Cosmic Ray."""
    subprocess.run(["cosmic-ray", *map(str, arguments)], check=True)


def measure(tests: list[str]) -> None:
    """Run the tests in plain Python; note the quick ones and the lines that each executes."""
    command = [*MEASURE, "--cov-context=test", "--cov-report="]
    command += [f"--cov={layer}" for layers in LAYERS for layer in layers]
    subprocess.run([*command, *tests])


def draw_sample(size: int, seed: int) -> None:
    """Start a session with a sample of the mutants, one of those that fit at each place."""
    from cosmic_ray.work_db import WorkDB, use_db

    beside = SESSION.with_suffix(".new")
    cosmic_ray("init", "--force", CONFIG, beside)
    rng = random.Random(seed)
    with use_db(beside, WorkDB.Mode.open) as session:
        places: dict[str, dict[Any, list[Any]]] = defaultdict(lambda: defaultdict(list))
        for item in sorted(session.pending_work_items, key=_place):
            if not is_no_fault(item.mutations[0]):  # its own filters need minutes for this
                path = item.mutations[0].module_path
                places[path.parts[0]][path, item.mutations[0].start_pos].append(item)
        session.clear()
        for folders in LAYERS:
            faults = [rng.choice(items) for name in folders for items in places[name].values()]
            session.add_work_items(rng.sample(faults, size))
    beside.rename(SESSION)


def _place(item: Any) -> tuple[Any, ...]:
    """Order mutants by what they are; their names in the session are random."""
    mutation = item.mutations[0]
    return (str(mutation.module_path), mutation.operator_name, mutation.occurrence)


def is_no_fault(mutation: Any) -> bool:
    """Whether it changes a decorator, an annotation, a default setting or a large number."""
    return mutation.operator_name in LEFT_OUT or any(
        start <= mutation.start_pos < end for start, end in no_faults(mutation.module_path)
    )


@functools.cache
def no_faults(path: Path) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Where a change is no fault: from which line and column to which."""
    mutants = []
    for node in ast.walk(ast.parse(path.read_text())):
        parts = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            parts.append(node)
        if isinstance(node, ast.ClassDef) and node.name == "Config":
            parts += [item for item in node.body if isinstance(item, ast.AnnAssign)]
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            parts += [node] if node.value >= LARGE else []
        for part in parts:
            if isinstance(part, ast.expr | ast.stmt):
                end = (part.end_lineno or part.lineno, part.end_col_offset or 0)
                mutants.append(((part.lineno, part.col_offset), end))
    return mutants


def test() -> None:
    """Try the mutant that is planted now: fail if one of the tests of its function does."""
    diff = git("diff", "-U0")
    path = re.findall(r"^--- a/(.*)$", diff, re.M)[0]
    line = int(re.findall(r"^@@ -(\d+)", diff, re.M)[0])
    at_line, around = executing(path, line)
    tests = list(quickest(at_line, around, json.loads(PASSED.read_text())))
    if tests:
        sys.exit(subprocess.run([*TRY, *tests]).returncode)


def quickest(at_line: set[str], around: set[str], seconds: dict[str, float]) -> Iterator[str]:
    """The tests that pass in plain Python, those that execute the line first."""
    total = 0.0
    for name in sorted(
        (at_line | around) & seconds.keys(), key=lambda n: (n not in at_line, seconds[n])
    ):
        total += seconds[name]
        if total <= MAX_SECONDS:
            yield name


def executing(path: str, line: int) -> tuple[set[str], set[str]]:
    """The tests that execute a line, and those that execute the function around it.

    Of a line that runs when its module is imported, the tests that execute anything in its folder.
    """
    from coverage import CoverageData

    recorded = CoverageData(".coverage")
    recorded.read()
    file = os.path.realpath(path)
    contexts = recorded.contexts_by_lineno(file)
    at_line = names(contexts.get(line, []))
    lines = span(path, line)
    if lines is not None and ("" not in contexts.get(line, []) or at_line):
        around = names(name for number in lines for name in contexts.get(number, []))
    else:
        beside = [f for f in recorded.measured_files() if Path(f).parent == Path(file).parent]
        around = names(
            name
            for f in beside
            for tests_of_line in recorded.contexts_by_lineno(f).values()
            for name in tests_of_line
        )
    return at_line, around


def names(contexts: Iterable[str]) -> set[str]:
    """The tests among contexts such as "tests/test_bits.py::test_a|run"."""
    return {name.partition("|")[0] for name in contexts if name}


def span(path: str, line: int) -> range | None:
    """The lines of the innermost function around a line."""
    around = [
        range(node.lineno, (node.end_lineno or node.lineno) + 1)
        for node in ast.walk(ast.parse(git("show", f"HEAD:{path}")))
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    return max(around, key=lambda lines: lines.start, default=None)


if __name__ == "__main__":
    test() if sys.argv[1:] == ["test"] else main()
