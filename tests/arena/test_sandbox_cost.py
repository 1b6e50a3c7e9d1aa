"""The cost of the sandbox: a small run of the study, and its record."""

import json
from pathlib import Path

import pytest

from docs.studies.recorded import code_digest
from docs.studies.sandbox_cost import MODULES, RECORD, measure, page
from parlour.baselines.arena.contest.sandbox import NONE, why_no_bubblewrap


@pytest.mark.long
def test_the_study_times_the_start_and_the_moves(tmp_path: Path) -> None:
    if (why := why_no_bubblewrap()) is not None:
        pytest.skip(why)
    record = measure(3, tmp_path)
    for row in record["rows"]:
        middle, low, high = row["added"]
        assert low <= middle <= high
        assert f"| {row['what']} | {row['median'][NONE]:,.0f} |" in page(record)


def test_the_recorded_study_is_of_the_present_code() -> None:
    """After a change: `python -m docs.studies.arena sandbox_cost`."""
    assert json.loads(RECORD.read_text())["code"] == code_digest(MODULES)
