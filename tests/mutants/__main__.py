"""`make mutants`: try the sampled mutants that have no outcome yet, and write the study.

Every outcome is saved at once, so a run that is stopped goes on where it was. An edit of a function
discards the outcomes of that function and of no other. `--retry` tries the survivors again, after
tests were added; reasons are written into the record by hand, and stay.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import sys
import tempfile
from pathlib import Path

os.environ["NUMBA_DISABLE_JIT"] = "1"  # before anything imports Numba

from .areas import AREAS, CHECKOUT
from .check import check, stale
from .record import Outcome, likely, load, save, shares
from .sample import Mutant, sample
from .trial import (
    LONGEST,
    Measured,
    Workshop,
    file_digest,
    killed_by,
    measure,
    passing,
    quickest,
    warm_up,
)

SAMPLE_SIZE = 80  # of each area
MAX_SECONDS = 8.0  # of tests for a mutant, as they were measured
PATIENT = 60.0  # seconds for tests that were not measured
MEASURED = CHECKOUT / "runs" / "mutants"


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("--areas", nargs="+", default=list(AREAS), choices=list(AREAS))
    parser.add_argument("--size", type=int, default=SAMPLE_SIZE, help="mutants of each area")
    parser.add_argument("--retry", action="store_true", help="try recorded survivors again")
    parser.add_argument(
        "--tests", nargs="+", default=[], help="try survivors again, before these tests alone"
    )
    parser.add_argument("--check", action="store_true", help="only check what is recorded")
    options = parser.parse_args()
    warm_up()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        workshop = Workshop(Path(folder))
        if options.check:
            print(stale(list(load().values())) or "all mutants are of the present code")
            sys.exit("\n".join(check(workshop)) or 0)
        for name in options.areas:
            try_area(workshop, name, options.size, retry=options.retry, tests=options.tests)


def try_area(workshop: Workshop, name: str, size: int, *, retry: bool, tests: list[str]) -> None:
    """Try the mutants of one area that have no outcome yet, or survivors with some `tests`."""
    mutants = sample(AREAS[name], size)
    keys = {mutant.key for mutant in mutants}
    outcomes = load()
    old = {key: outcome for key, outcome in outcomes.items() if outcome.area == name}
    known = {key: outcome for key, outcome in old.items() if key in keys and outcome.is_current}
    rest = {key: outcome for key, outcome in outcomes.items() if outcome.area != name}
    save({**rest, **known})
    survivors = {key for key, outcome in known.items() if not outcome.killed_by}
    waiting = [
        mutant
        for mutant in mutants
        if (mutant.key in survivors and (retry or tests)) or (not tests and mutant.key not in known)
    ]
    killers = passing(
        workshop, set(tests) or {o.killed_by for o in old.values() if waiting and o.is_by_test}
    )
    if not killers.issuperset(tests):
        sys.exit(f"these do not pass: {', '.join(sorted(set(tests) - killers))}")
    for count, mutant in enumerate(waiting):
        try:
            num_tests, failed = (
                tried(workshop, name, mutant, likely(old, killers, mutant))
                if not tests
                else (known[mutant.key].tests, killed_by(workshop, mutant, tests, PATIENT))
            )
        except (ValueError, TimeoutError) as error:  # edited meanwhile, or stopped from outside
            print(f"{mutant.path} {mutant.function}: {error}; left for the next run", flush=True)
            continue
        before = old.get(mutant.key)
        survived_first = not failed if before is None else before.survived_first
        reason = "" if failed or before is None else before.reason
        known[mutant.key] = Outcome(name, mutant, failed, num_tests, reason, survived_first)
        save({**rest, **known})
        report(name, count + 1, len(waiting), known[mutant.key])
    killed, total = shares(list(known.values())).get(name, (0, 0))
    print(f"{name}: {killed} of {total} killed", flush=True)


def tried(workshop: Workshop, area: str, mutant: Mutant, first: list[str]) -> tuple[int, str]:
    """Try one mutant: the number of tests, and the one that fails.

    Only if the tests `first` all pass are others tried that call the function: these have to be
    measured, which takes minutes for an area.
    """
    failed = killed_by(workshop, mutant, first, LONGEST * len(first)) if first else ""
    if failed:
        return len(first), failed
    tests, seconds = quickest(measurements(workshop, area), mutant, MAX_SECONDS)
    return len(tests), killed_by(workshop, mutant, tests, seconds) if tests else ""


@functools.cache
def measurements(workshop: Workshop, area: str) -> Measured:
    """The quick tests of an area; measured once for each version of a test file.

    They are measured again when functions were added or renamed, since others may call these.
    """
    found: Measured = {}
    for test_file in AREAS[area].test_files():
        digest = file_digest(workshop, test_file, AREAS[area].files())
        kept = MEASURED / f"{Path(test_file).stem}-{digest}.json"
        if not kept.exists():
            measured = measure(workshop, test_file)
            MEASURED.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(measured))
            seconds = sum(seconds for seconds, _ in measured.values())
            print(f"{test_file}: {len(measured)} tests, {seconds:.0f} s", flush=True)
        found.update(json.loads(kept.read_text()))
    return found


def report(area: str, count: int, total: int, outcome: Outcome) -> None:
    """One line for each mutant."""
    mutant = outcome.mutant
    what = f"killed by {outcome.killed_by}" if outcome.killed_by else "SURVIVES"
    print(f"{area} {count}/{total} {mutant.path} {mutant.function}: {what}", flush=True)
    if not outcome.killed_by:
        print(f"  - {mutant.before}\n  + {mutant.after}", flush=True)


if __name__ == "__main__":
    main()
