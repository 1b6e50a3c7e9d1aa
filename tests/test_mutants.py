"""The bookkeeping of `make mutants`: which function a fault is in, and to which code it belongs."""

from __future__ import annotations

import dataclasses

import pytest

from tests.mutants.check import complaints, stale
from tests.mutants.record import Outcome, likely, page
from tests.mutants.sample import (
    MODULE,
    Mutant,
    code_digest,
    code_of,
    function_at,
    no_faults,
    spans,
)
from tests.mutants.trial import quickest

SOURCE = """LIMIT = 3


class Box:
    size: int = 1

    def grow(self, by: int = 1) -> int:
        self.size += by
        return self.size


def outer():
    def inner():
        return 1

    return inner
"""
DIGEST = code_digest(code_of(SOURCE, "Box.grow"))
FAULT = Mutant("key", "box.py", "Box.grow", DIGEST, 1, "self.size += by", "self.size -= by")


def test_a_line_belongs_to_its_innermost_function() -> None:
    where = spans(SOURCE)
    names = [function_at(where, line) for line in range(len(SOURCE.splitlines()))]
    assert names[0] == MODULE
    assert names[4] == "Box"
    assert names[7] == "Box.grow"
    assert names[13] == "outer.<locals>.inner"
    assert names[15] == "outer"


def test_a_fault_is_planted_wherever_its_function_has_moved() -> None:
    moved = f"import os\n\n{SOURCE}"
    assert FAULT.plant(SOURCE) == SOURCE.replace("+= by", "-= by")
    assert FAULT.plant(moved) == moved.replace("+= by", "-= by")


def test_docstrings_and_comments_do_not_matter() -> None:
    explained = SOURCE.replace(
        "        self.size += by\n",
        '        """Grow.\n\n        For good.\n        """\n        # By what?\n'
        "        self.size += by  # by this\n",
    )
    assert FAULT.plant(explained) == explained.replace("+= by", "-= by")


def test_an_edit_of_a_function_leaves_the_module_around_it() -> None:
    edited = SOURCE.replace("return 1", "return 2")
    for name in (MODULE, "Box", "Box.grow"):
        assert code_digest(code_of(edited, name)) == code_digest(code_of(SOURCE, name))
    for name in ("outer", "outer.<locals>.inner"):
        assert code_digest(code_of(edited, name)) != code_digest(code_of(SOURCE, name))
    assert list(code_of(SOURCE, MODULE).values()) == ["LIMIT = 3"]
    assert list(code_of(SOURCE, "Box").values()) == ["class Box:", "    size: int = 1"]


def test_a_fault_is_not_planted_in_a_function_that_has_changed() -> None:
    with pytest.raises(ValueError, match=r"Box\.grow has changed"):
        FAULT.plant(SOURCE.replace("return self.size", "return 0"))


def test_annotations_settings_and_large_numbers_are_left_alone() -> None:
    source = f"{SOURCE}\nMOST = 500\n\nclass Config:\n    epsilon: float = 0.1\n"
    skipped = sorted({source.splitlines()[start[0] - 1].strip() for start, _ in no_faults(source)})
    assert skipped == [
        "MOST = 500",
        "def grow(self, by: int = 1) -> int:",
        "epsilon: float = 0.1",
        "size: int = 1",
    ]


def test_the_quickest_tests_of_a_function_come_first_and_all_tests_for_a_module() -> None:
    measured = {
        "slow": (2.0, [("box.py", "Box.grow")]),
        "quick": (1.0, [("box.py", "Box.grow")]),
        "other": (0.5, [("box.py", "outer")]),
    }
    assert quickest(measured, FAULT, 10.0) == (["quick", "slow"], 3.0)
    assert quickest(measured, FAULT, 2.5) == (["quick"], 1.0)
    assert quickest(measured, FAULT._replace(function=MODULE), 10.0)[0] == [
        "other",
        "quick",
        "slow",
    ]


def test_changed_code_is_reported_and_too_few_killed_are_a_complaint() -> None:
    alive = Outcome("rules", FAULT, killed_by="", tests=3)
    assert stale([alive]).startswith("stale: 1 of 1 mutants are of 1 functions")
    assert any("0 of 1 mutants killed" in complaint for complaint in complaints([alive]))
    assert "not yet explained" in page([alive])
    explained = dataclasses.replace(alive, reason="nobody can tell")
    assert "nobody can tell" in page([explained])


def test_tests_that_killed_the_mutant_before_are_tried_first_and_only_if_they_pass() -> None:
    def killed(key: str, function: str, test: str) -> Outcome:
        return Outcome("rules", FAULT._replace(key=key, function=function), test)

    outcomes = {
        "a": killed("a", "outer", "test::of_the_file"),
        "b": killed("b", "Box.grow", "test::of_the_function"),
        "c": killed("c", "Box.grow", "test::broken"),
        "d": killed("d", "Box.grow", "SIGXCPU"),
        "key": killed("key", "Box.grow", "test::itself"),
    }
    passing = {"test::of_the_file", "test::of_the_function", "test::itself"}
    assert likely(outcomes, passing, FAULT) == [
        "test::itself",
        "test::of_the_function",
        "test::of_the_file",
    ]
    assert likely(outcomes, passing, FAULT._replace(path="lid.py")) == []


def test_the_page_tells_what_was_killed_before_tests_were_added() -> None:
    outcomes = [
        Outcome("rules", FAULT, "test::one"),
        Outcome("rules", FAULT, "test::two", survived_first=True),
        Outcome("rules", FAULT, "", reason="nobody can tell", survived_first=True),
    ]
    assert "| rules | 3 | 2 | 67 % | 1 |" in page(outcomes)
