"""A server for each test that asks for a client of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from .serving import server


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    """A client of a server that keeps its tables in the test's folder."""
    with server(tmp_path) as client:
        yield client
