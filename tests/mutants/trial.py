"""One process, many mutants: the quick tests of an area, each mutant in a forked copy of us.

Rules run as plain Python here: a mutant then needs no compilation, and a table of three players is
played out in a tenth of a second. Tests that take longer than `LONGEST` are not tried.
"""

from __future__ import annotations

import compileall
import contextlib
import cProfile
import json
import os
import py_compile
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from .areas import CHECKOUT
from .sample import Mutant, digest_of, is_open, spans

LONGEST = 3.0  # CPU-seconds of a test while it is watched, which slows it down
MAX_TOO_LONG = 2  # cases of one test that take longer; the others are not tried
TIMES_SLOWER = 2  # than its tests took; a mutant that is slower runs for ever
SPARE = 8.0  # CPU-seconds for imports and for a busy machine
PATIENCE = 900.0  # seconds of waiting for a mutant that does nothing
# What is imported once, before the processes part. Parlour itself must not be.
HEAVY = ("hypothesis", "gymnasium", "numba", "pandas", "pettingzoo", "scipy.stats", "torch")
QUIET = (
    *("-q", "-x", "--assert=plain", "--hypothesis-seed=0", "-o", "addopts="),
    *("-p", "no:cacheprovider", "-p", "no:xdist", "-W", "ignore"),
)

Called = tuple[str, str]  # a file and a function in it
Measured = dict[str, tuple[float, list[Called]]]  # test -> its seconds, and what it calls


class Workshop:
    """A copy of the checkout in which code may be broken."""

    def __init__(self, folder: Path) -> None:
        """Copy what git knows or would add, links as links."""
        shown = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=CHECKOUT,
            capture_output=True,
            check=True,
        )
        self.folder = folder.resolve()
        for name in filter(None, shown.stdout.decode().split("\0")):
            source, target = CHECKOUT / name, self.folder / name
            if source.is_symlink() or source.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target, follow_symlinks=False)
        # Compiled once for all processes; the hash notices a planted fault, which a time may not.
        by_hash = py_compile.PycInvalidationMode.CHECKED_HASH
        compileall.compile_dir(self.folder, quiet=2, invalidation_mode=by_hash)

    @contextlib.contextmanager
    def broken(self, mutant: Mutant) -> Iterator[None]:
        """The file with the fault in it, for a while."""
        path = self.folder / mutant.path
        source = path.read_text()
        path.write_text(mutant.plant(source))
        try:
            yield
        finally:
            path.write_text(source)

    def forked(self, work: Callable[[], Any], seconds: float) -> Any:
        """Do something in a process of its own, and return what it returned, as JSON has it.

        Returns the name of the signal that ended it, such as SIGXCPU where it used more CPU time.
        Raises TimeoutError if it was stopped from outside or waited for ever, which may be the
        machine's fault.
        """
        answer = self.folder / "answer.json"
        answer.unlink(missing_ok=True)
        child = os.fork()
        if child == 0:
            try:
                os.setpgid(0, 0)
                limit = int(seconds) + 1
                resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
                self._move_in()
                answer.write_text(json.dumps(work()))
            finally:
                os._exit(0)
        status = _wait(child)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # what the tests may have started
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
            raise TimeoutError("no outcome")
        if os.WIFSIGNALED(status):
            return signal.Signals(os.WTERMSIG(status)).name
        return json.loads(answer.read_text()) if answer.exists() else "no answer"

    def _move_in(self) -> None:
        os.chdir(self.folder)
        sys.dont_write_bytecode = True
        sys.path[:] = [str(self.folder), *(p for p in sys.path if Path(p).resolve() != CHECKOUT)]
        for name in [name for name in sys.modules if name.split(".")[0] in ("tests", "parlour")]:
            del sys.modules[name]
        silence = os.open("output.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(silence, 1)
        os.dup2(silence, 2)


def _wait(child: int) -> int:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def warm_up() -> None:
    """Import what every mutant needs. NUMBA_DISABLE_JIT has to be set by then."""
    for name in HEAVY:
        __import__(name)
    sys.modules["torch"].set_num_threads(1)


def measure(workshop: Workshop, test_file: str) -> Measured:
    """The tests of a file that pass in time, how long they take and which functions they call."""

    def work() -> Measured:
        stopwatch = Stopwatch(workshop.folder)
        arguments = [argument for argument in QUIET if argument != "-x"]
        pytest.main([*arguments, test_file], plugins=[stopwatch])
        return stopwatch.measured

    measured = workshop.forked(work, 600.0)
    if isinstance(measured, str):
        raise RuntimeError(f"{test_file} cannot be measured: {measured}")
    return measured


class Stopwatch:
    """Takes the time of tests and notes which functions of ours they call."""

    def __init__(self, folder: Path) -> None:
        self.measured: Measured = {}
        self._folder = f"{folder}/"
        self._too_long: Counter[str] = Counter()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Watch a test with its fixtures."""
        self._passed = True
        watched = cProfile.Profile(builtins=False)
        started = time.process_time()
        watched.enable()
        try:
            return (yield)
        finally:
            watched.disable()
            seconds = time.process_time() - started
            if self._passed and seconds < LONGEST:
                self.measured[item.nodeid] = (round(seconds, 3), self._called(watched))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self) -> Iterator[None]:
        """End fixtures that take too long."""
        with self._limited():
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """End a test that takes too long, and leave out its like."""
        name = item.nodeid.partition("[")[0]
        if self._too_long[name] >= MAX_TOO_LONG:
            pytest.skip("others like it take too long")
        started = time.process_time()
        try:
            with self._limited():
                return (yield)
        finally:
            self._too_long[name] += time.process_time() - started >= LONGEST

    @contextlib.contextmanager
    def _limited(self) -> Iterator[None]:
        signal.signal(signal.SIGPROF, lambda *_: pytest.fail("too long"))
        signal.setitimer(signal.ITIMER_PROF, LONGEST)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember whether all parts of the test passed."""
        self._passed &= report.passed

    def _called(self, watched: cProfile.Profile) -> list[Called]:
        """The functions of ours that were called, by the real paths of their files."""
        called = set()
        for entry in watched.getstats():
            code = entry.code
            if isinstance(code, CodeType) and code.co_filename.startswith(self._folder):
                path = os.path.realpath(code.co_filename).removeprefix(self._folder)
                called.add((path, code.co_qualname))
        return sorted(called)


def killed_by(workshop: Workshop, mutant: Mutant, tests: list[str], seconds: float) -> str:
    """The test that fails with this fault in the code, the quickest first; "" if none does."""

    def work() -> str:
        judge = Judge(tests)
        files = sorted({test.partition("::")[0] for test in tests})
        code = pytest.main([*QUIET, *files], plugins=[judge])
        return judge.failed or ("" if code == 0 else "the tests cannot be collected")

    with workshop.broken(mutant):
        return str(workshop.forked(work, seconds * TIMES_SLOWER + SPARE))


def passing(workshop: Workshop, tests: set[str]) -> set[str]:
    """The tests that there are and that pass without a fault: only these can tell one."""
    tests = {test for test in tests if (workshop.folder / test.partition("::")[0]).exists()}

    def work() -> list[str]:
        judge = Judge(sorted(tests))
        arguments = [argument for argument in QUIET if argument != "-x"]
        arguments.append("--continue-on-collection-errors")
        pytest.main(
            [*arguments, *sorted({test.partition("::")[0] for test in tests})], plugins=[judge]
        )
        return sorted(judge.passed)

    found = workshop.forked(work, LONGEST * TIMES_SLOWER * len(tests) + SPARE) if tests else []
    return set(found) if isinstance(found, list) else set()


class Judge:
    """Runs the given tests in the given order and notes the one that fails."""

    def __init__(self, tests: list[str]) -> None:
        self.failed = ""
        self.passed: set[str] = set()
        self._places = {test: place for place, test in enumerate(tests)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the given tests, in the given order."""
        items[:] = [item for item in items if item.nodeid in self._places]
        items.sort(key=lambda item: self._places[item.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the first failure, and what passed."""
        if report.failed and not self.failed:
            self.failed = report.nodeid
        if report.when == "call" and report.passed:
            self.passed.add(report.nodeid)


def quickest(measured: Measured, mutant: Mutant, most_seconds: float) -> tuple[list[str], float]:
    """The tests that call the function, the quickest first, and the seconds they take.

    A fault outside functions, or in the body of a class, may show anywhere: all tests are tried.
    """
    everywhere = is_open(mutant.function)
    place = [mutant.path, mutant.function]
    chosen, total = [], 0.0
    for seconds, test, called in sorted((s, test, c) for test, (s, c) in measured.items()):
        if everywhere or place in map(list, called):
            if total + seconds > most_seconds:
                break
            chosen.append(test)
            total += seconds
    return chosen, total


def file_digest(workshop: Workshop, test_file: str, code: list[str]) -> str:
    """What a measurement of a test file belongs to: its text, and the functions there are."""
    names = [name for path in code for name in spans((workshop.folder / path).read_text())]
    return digest_of((workshop.folder / test_file).read_text(), str(LONGEST), *names)
