"""Two browsers, an agent with tools and a program share a table, also over a kill -9.

The study of 200 games is `python -m tests.table.study mixed`.
"""

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest

from . import mixed


@pytest.mark.long
def test_all_kinds_of_seats_share_a_table_and_survive_a_killed_server(tmp_path: Path) -> None:
    for package in ("mcp", "playwright.async_api"):
        pytest.importorskip(package, reason=f"{package} is missing")
    if not (shutil.which("chromium") or shutil.which("chromium-browser")):
        pytest.skip("the browser is missing: apt-get install chromium")
    found: dict[str, Any] = {}
    asyncio.run(mixed.play_games(tmp_path, 3, {1}, found))
    assert found["games"] == 3 and found["plies"] > 60 and found["errors"] == 0
    assert len(found["killed_at_ply"]) == 1 and found["killed_at_ply"][0] >= mixed.KILL_AT_PLY
