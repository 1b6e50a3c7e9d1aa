"""The cost of the sandbox: a small run of the study, and its record."""

import json

from docs.studies.recorded import code_digest
from docs.studies.sandbox_cost import MODULES, RECORD


def test_the_recorded_study_is_of_the_present_code() -> None:
    """After a change: `python -m docs.studies.arena sandbox_cost`."""
    assert json.loads(RECORD.read_text())["code"] == code_digest(MODULES)
