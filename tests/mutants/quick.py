"""A pytest plugin: note which tests are quick; after a failed case skip the test's others.

The seconds of a test are CPU seconds of its process and of the processes that it has ended.
"""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Generator
from pathlib import Path

import pytest

from .limit import TooLong

MAX_FAILURES = 1  # cases of one test that fail or take too long; the others are skipped
PASSED = Path("runs/mutants/plain.json")  # from the copy of the checkout

failures: Counter[str] = Counter()
outcomes: dict[str, bool] = {}
seconds: defaultdict[str, float] = defaultdict(float)
spent = 0.0  # by this process when the last part of a test ended


def cpu_seconds() -> float:
    """What this process and those that it has ended have spent."""
    return sum(os.times()[:4])


def pytest_runtest_logstart() -> None:
    """A test begins."""
    global spent
    spent = cpu_seconds()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip the like of what has failed."""
    if failures[item.nodeid.partition("[")[0]] >= MAX_FAILURES:
        pytest.skip("others like it fail or take too long")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    call: pytest.CallInfo,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Report CPU seconds; forget where a test was stopped: coverage may leave it no line number."""
    global spent
    if call.excinfo is not None and call.excinfo.errisinstance((TooLong, pytest.fail.Exception)):
        try:
            raise TooLong
        except TooLong:
            call.excinfo = pytest.ExceptionInfo.from_current()
    report = yield
    before, spent = spent, cpu_seconds()
    report.duration = spent - before
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up one part of a test: its setup, its call or its end."""
    failures[report.nodeid.partition("[")[0]] += report.failed
    outcomes[report.nodeid] = outcomes.get(report.nodeid, True) and report.passed
    seconds[report.nodeid] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the seconds of each quick test that passed, once for both processes."""
    if hasattr(session.config, "workerinput"):
        return
    PASSED.parent.mkdir(parents=True, exist_ok=True)
    most = session.config.getoption("--max-cpu")
    passed = [name for name, good in outcomes.items() if good and seconds[name] <= most]
    PASSED.write_text(json.dumps({name: round(seconds[name], 2) for name in passed}, indent=0))
