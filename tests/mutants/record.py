"""What became of every mutant: docs/studies/mutants.json, and the page made from it."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .areas import CHECKOUT
from .sample import Mutant, code_digest, code_of

RECORD = CHECKOUT / "docs" / "studies" / "mutants.json"
PAGE = RECORD.with_suffix(".md")
FEWEST = 300  # mutants in all
MAX_LIKELY = 6  # tests that killed mutants of the same file, tried before the others
SMALLEST_SHARE = 0.85  # of an area's mutants that must be killed
OPENING = """# Mutants

Small faults are planted in the code, one at a time, and the tests must notice them: operators
swapped, numbers off by one, conditions negated, loops that never run. The sample is fixed and
covers the rules, the arena's statistics, the search and the learners. `make mutants` tries what has
changed since, and writes this page. The faults are those of
[Cosmic Ray](https://github.com/sixty-north/cosmic-ray).

Left out are annotations, default values of learners' settings, and numbers of 100 and more, of
which one more or one less would do as well. Only tests that end within seconds in plain Python,
without compilation, are tried; the suite also has thousands of compiled games against the referees,
matches and training runs.

Tests were added for survivors of this very sample, so its shares are higher than those of a new
sample would be. The last column counts the mutants killed when they were first tried.

| area | mutants | killed | share | killed at first |
|---|---|---|---|---|
"""


@dataclass
class Outcome:
    """A mutant, the area it counts for, and what became of it."""

    area: str
    mutant: Mutant
    killed_by: str  # the test that failed, or the signal that ended a test without end; "" survives
    tests: int = 0  # how many were tried
    reason: str = ""  # why it survives, written by hand
    survived_first: bool = False  # when it was first tried; tests may have been added since

    @property
    def is_by_test(self) -> bool:
        """Whether a test failed, rather than ran for ever."""
        return "::" in self.killed_by

    @property
    def is_current(self) -> bool:
        """Whether the function is still the one that was mutated."""
        path = CHECKOUT / self.mutant.path
        if not path.exists():
            return False
        code = code_of(path.read_text(), self.mutant.function)
        return code_digest(code) == self.mutant.digest


def load(path: Path = RECORD) -> dict[str, Outcome]:
    """The recorded outcomes by the mutants' keys."""
    if not path.exists():
        return {}
    outcomes = [
        Outcome(**{**entry, "mutant": Mutant(**entry["mutant"])})
        for entry in json.loads(path.read_text())
    ]
    return {outcome.mutant.key: outcome for outcome in outcomes}


def save(outcomes: dict[str, Outcome]) -> None:
    """Write the record and the page, in an order that does not change from run to run."""
    ordered = sorted(outcomes.values(), key=_order)
    entries = [{**asdict(outcome), "mutant": outcome.mutant._asdict()} for outcome in ordered]
    RECORD.parent.mkdir(exist_ok=True)
    beside = RECORD.with_suffix(".new")
    beside.write_text(json.dumps(entries, indent=1) + "\n")
    beside.replace(RECORD)
    PAGE.write_text(page(ordered))


def shares(outcomes: list[Outcome]) -> dict[str, tuple[int, int]]:
    """Killed and tried mutants of every area."""
    counts: dict[str, Any] = defaultdict(lambda: (0, 0))
    for outcome in outcomes:
        killed, tried = counts[outcome.area]
        counts[outcome.area] = (killed + bool(outcome.killed_by), tried + 1)
    return dict(counts)


def likely(outcomes: dict[str, Outcome], passing: set[str], mutant: Mutant) -> list[str]:
    """The tests that killed this mutant, others of its function, or others of its file before."""
    killed = [
        (outcome.mutant.key != mutant.key, outcome.mutant.function != mutant.function, key)
        for key, outcome in outcomes.items()
        if outcome.mutant.path == mutant.path and outcome.killed_by in passing
    ]
    return list(dict.fromkeys(outcomes[key].killed_by for *_, key in sorted(killed)))[:MAX_LIKELY]


def page(ordered: list[Outcome]) -> str:
    """The study as Markdown."""
    at_first = Counter(outcome.area for outcome in ordered if not outcome.survived_first)
    rows = [
        f"| {area} | {tried} | {killed} | {100 * killed / tried:.0f} % | {at_first[area]} |\n"
        for area, (killed, tried) in shares(ordered).items()
    ]
    survivors = [outcome for outcome in ordered if not outcome.killed_by]
    text = [OPENING, *rows]
    if len(ordered) < FEWEST:
        text.append(f"\nUnfinished: {len(ordered)} of at least {FEWEST} mutants have been tried.\n")
    text.append("\n## Survivors\n")
    for outcome in survivors:
        mutant = outcome.mutant
        text.append(
            f"\n* `{mutant.path}`, `{mutant.function}`: {outcome.reason or 'not yet explained'}\n"
            f"\n  ```diff\n  - {mutant.before}\n  + {mutant.after}\n  ```\n"
        )
    return "".join(text)


def _order(outcome: Outcome) -> tuple:
    mutant = outcome.mutant
    return (outcome.area, mutant.path, mutant.function, mutant.line, mutant.key)
