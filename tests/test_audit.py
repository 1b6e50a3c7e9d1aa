"""The page about other libraries' games, and the command that audits one."""

import json
import sys

import pytest

from docs.studies import audit as study
from tests.commands import refusal, told

pytestmark = pytest.mark.plain


def test_the_command_checks_a_game_of_parlour(capsys: pytest.CaptureFixture[str]) -> None:
    shown = told("check trick_taking --set num_values=2 --games 1", capsys)
    assert "ok   What a seat sees, reads and may do does not depend on" in shown


def test_what_audits_other_libraries_is_named_with_its_place(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "parlour_audit", None)
    for name in ("pyspiel:gin_rummy", "rlcard:uno", "pettingzoo.classic.rps_v2"):
        assert "pip install ./integrations/other_libraries" in refusal(f"check {name}", capsys)


def test_the_page_is_that_of_the_record_and_publishes_only_what_was_verified() -> None:
    record = json.loads((study.PAGE.parents[1] / "studies" / "audit.json").read_text())
    assert study.PAGE.read_text(encoding="utf-8") == study.page(record)
    results = {
        (entry["subject"], finding["check"])
        for entry in record
        for finding in entry.get("findings", ())
    }
    assert set(study.VERIFIED) <= results
