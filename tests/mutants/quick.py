"""A pytest plugin: note which tests pass in time; after a failed case skip the test's others."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path

import pytest

MAX_FAILURES = 1  # cases of one test that fail or take too long; the others are skipped
PASSED = Path("runs/mutants/plain.json")  # from the copy of the checkout

failures: Counter[str] = Counter()
outcomes: dict[str, bool] = {}
seconds: defaultdict[str, float] = defaultdict(float)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip the like of what has failed."""
    if failures[item.nodeid.partition("[")[0]] >= MAX_FAILURES:
        pytest.skip("others like it fail or take too long")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(call: pytest.CallInfo) -> None:
    """Forget where a test was stopped: under coverage such a place may have no line number."""
    if call.excinfo is not None and call.excinfo.errisinstance(pytest.fail.Exception):
        try:
            pytest.fail("took too long")
        except pytest.fail.Exception:
            call.excinfo = pytest.ExceptionInfo.from_current()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up one part of a test: its setup, its call or its end."""
    failures[report.nodeid.partition("[")[0]] += report.failed
    outcomes[report.nodeid] = outcomes.get(report.nodeid, True) and report.passed
    seconds[report.nodeid] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the seconds of each test that passed, once for both processes."""
    if hasattr(session.config, "workerinput"):
        return
    PASSED.parent.mkdir(parents=True, exist_ok=True)
    passed = {name: round(seconds[name], 2) for name, good in outcomes.items() if good}
    PASSED.write_text(json.dumps(passed, indent=0))
