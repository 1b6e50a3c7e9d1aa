"""What CI holds of the study: it belongs to the present code, and a few mutants are tried again."""

from __future__ import annotations

from collections.abc import Iterator

from .areas import AREAS
from .record import FEWEST, SMALLEST_SHARE, Outcome, load, shares
from .trial import LONGEST, Workshop, killed_by, passing

TRIED_AGAIN = 2  # of each area, the first of the record that a test killed


def complaints(outcomes: list[Outcome]) -> Iterator[str]:
    """What is wrong with the record."""
    if len(outcomes) < FEWEST:
        yield f"{len(outcomes)} mutants are recorded, {FEWEST} are required"
    for outcome in outcomes:
        where = f"{outcome.mutant.path}, {outcome.mutant.function}"
        if outcome.is_current and not outcome.killed_by and not outcome.reason:
            yield f"{where}: {outcome.mutant.after!r} survives and no reason is given"
    counts = shares(outcomes)
    for area in AREAS:
        killed, tried = counts.get(area, (0, 0))
        if killed < SMALLEST_SHARE * tried or not tried:
            yield f"{area}: {killed} of {tried} mutants killed; required: {SMALLEST_SHARE:.0%}"


def stale(outcomes: list[Outcome]) -> str:
    """How much of the record is of functions that have changed since; "" for none."""
    changed = {f"{o.mutant.path}, {o.mutant.function}" for o in outcomes if not o.is_current}
    num_old = sum(not outcome.is_current for outcome in outcomes)
    return (
        f"stale: {num_old} of {len(outcomes)} mutants are of {len(changed)} functions that have "
        "changed since; make mutants tries them anew"
        if changed
        else ""
    )


def tried_again(workshop: Workshop, outcomes: list[Outcome]) -> Iterator[str]:
    """Try a few killed mutants again, each before the test that killed it."""
    chosen = []
    for area in AREAS:
        killed = [o for o in outcomes if o.area == area and o.is_by_test and o.is_current]
        chosen += killed[:TRIED_AGAIN]
    sound = passing(workshop, {outcome.killed_by for outcome in chosen})
    for outcome in chosen:
        if outcome.killed_by not in sound:
            yield f"{outcome.killed_by} does not pass, or is not there"
        elif not killed_by(workshop, outcome.mutant, [outcome.killed_by], LONGEST):
            yield f"{outcome.killed_by} no longer notices {outcome.mutant.after!r}"


def check(workshop: Workshop) -> list[str]:
    """All complaints; none if the study holds."""
    outcomes = list(load().values())
    return [*complaints(outcomes), *tried_again(workshop, outcomes)]
