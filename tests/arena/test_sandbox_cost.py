"""The cost of the sandbox: a small run of the study, and its record."""

import json
from pathlib import Path

import pytest

from parlour.baselines.arena.contest.sandbox import NONE

from .recorded import code_digest
from .sandbox_cost import MODULES, RECORD, measure, page, verdict


@pytest.mark.long
def test_the_study_times_every_sandbox_of_this_machine(tmp_path: Path) -> None:
    found = measure(3, tmp_path)
    assert found["rows"][0]["sandbox"] == NONE
    for row in found["rows"]:
        assert 0 < row["best"] <= row["median"]
        middle, low, high = row["added"]
        assert low <= middle <= high
        assert f"| {row['sandbox']} | {row['best']:.0f} |" in page(found)


def test_the_recorded_study_is_of_the_present_code_and_keeps_the_promise() -> None:
    """After a change: `python -m tests.arena.study sandbox_cost`."""
    recorded = json.loads(RECORD.read_text())
    assert recorded["code"] == code_digest(MODULES)
    without, *others = recorded["rows"]
    assert {row["sandbox"] for row in others} == {"unshare", "bwrap"}
    assert {verdict(row, without) for row in others} == {"kept"}
