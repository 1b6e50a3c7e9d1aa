"""A pytest plugin: a test that takes too much CPU time fails, however busy the machine is.

The limit of pytest-timeout beside it is of wall time, for tests that wait for ever.
"""

from __future__ import annotations

import signal
from collections.abc import Generator

import pytest


class TooLong(BaseException):
    """Not an Exception, nor a failure of pytest: Hypothesis would go on for minutes."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Ask for the limit."""
    parser.addoption("--max-cpu", type=int, required=True, help="CPU seconds of a test's call")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Stop the call of a test once this process has spent the time."""
    signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, item.config.getoption("--max-cpu"))
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _stop(*_: object) -> None:
    raise TooLong
