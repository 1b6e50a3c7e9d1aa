"""What the studies of the arena have recorded belongs to the present code."""

import json
from types import ModuleType

import pytest

from docs.studies import anytime, budget, coverage, luck, sandbox_cost
from docs.studies.recorded import code_digest


@pytest.mark.parametrize("study", [anytime, budget, coverage, luck, sandbox_cost])
def test_the_recorded_study_is_of_the_present_code(study: ModuleType) -> None:
    """After a change: `python -m docs.studies.arena` and the name of the study."""
    assert json.loads(study.RECORD.read_text())["code"] == code_digest(study.MODULES)
