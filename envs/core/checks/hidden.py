"""Checks of what is hidden from a seat: nothing of it is shown, and all else is."""

import itertools
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..in_python import in_python
from ..rng import streams
from .report import IRRELEVANT, CheckError
from .seeds import MORE_TRIES
from .situation import FEW, Sample, Situation, differing, play_on

_MORE_DEALS = 200  # that may look alike to a seat
_DEAL_SECONDS = 2.0  # of the processor, for these
_SIBLINGS = 8  # actions that are tried in one position
_DRAWS = 3  # that are tried after each of them


def check_unseen(sample: Sample) -> None:
    """What a seat sees, reads and may do does not depend on what it cannot know."""
    game = sample.game
    for position, seat, twin in sample.redeals():
        _check_cannot_tell(position, twin, seat)
        if not game.has_hidden and (names := differing(position.states, twin.states)):
            raise position.error(
                "has_hidden",
                f"reshuffle_unseen resamples {names} for seat {seat}, so something is hidden; "
                "declare has_hidden=True",
            )
    for position, seat, twin in sample.redeals(FEW):
        _check_texts(position, twin, seat)
        play_on(twin)
    if game.has_hidden:
        _check_redealt(sample)


def _check_texts(position: Situation, twin: Situation, seat: int) -> None:
    """Check that texts and pictures of a position are those of its re-dealt twin."""
    before, after = position.shown(seat), twin.shown(seat)
    if before != after:  # once more: what depends on a clock is no leak
        position.check_same(before, position.shown(seat))
    for name, view in before.items():
        if view != after[name]:
            raise position.error("unseen", f"{name} shows seat {seat} what it cannot know")
    if position.is_over:
        return
    labels, others = (one.labels(FEW)["label_action"] for one in (position, twin))
    for action in labels.keys() & others.keys():
        if labels[action] == others[action]:
            continue
        if position.seat_to_act == seat or not differing(
            position.after(action).seen(seat), twin.after(action).seen(seat)
        ):
            name = position.game.action_name(action)
            raise position.error(
                "unseen",
                f"label_action of {name} tells seat {seat} what it cannot know: "
                f"{labels[action]!r}, or {others[action]!r}",
            )


def _check_redealt(sample: Sample) -> None:
    """Check that re-deals change something for each seat that does not see everything."""
    idle = [seat for seat, changed in enumerate(sample.redealt) if not changed.any()]
    for first in range(1, MORE_TRIES):
        for position, seat, twin in sample.redeals(FEW, first) if idle else ():
            if seat in idle and differing(position.states, twin.states):
                idle.remove(seat)
    if len(idle) == sample.game.num_seats:
        raise CheckError(
            "unseen",
            "reshuffle_unseen never changes anything, so nothing would be hidden; deal again what "
            "a seat cannot know, or declare has_hidden=False where every seat sees everything",
        )
    for seat in idle:
        if names := _never_seen(sample, seat):
            raise CheckError(
                "unseen",
                f"reshuffle_unseen never changes anything for seat {seat}, which does not see "
                f"{names}; deal again what this seat cannot know",
            )


def _never_seen(sample: Sample, seat: int) -> str:
    """Return what differs from deal to deal and does not change what a seat observes.

    Parts of one deal are put into another, which need not be possible: rules as plain Python, which
    check each index, say what the seat would observe.
    """
    game = in_python(sample.game)
    starts = [positions[0] for positions, _ in sample.played[:FEW]]
    differ: set[str] = set()
    visible: set[str] = set()
    for start, other in itertools.permutations(starts, 2):
        for name, part in parts_of(start.states.dtype):
            mixed = start.copy()
            mixed.game = game
            mixed.states.view(np.uint8)[part] = other.states.view(np.uint8)[part]
            if not differing(mixed.states, start.states):
                continue
            differ.add(name)
            try:
                if differing(mixed.seen(seat), start.seen(seat)):
                    visible.add(name)
            except Exception:  # an impossible position says nothing
                visible.add(name)
    return ", ".join(sorted(differ - visible))


def _check_cannot_tell(position: Situation, twin: Situation, seat: int) -> None:
    """Check that this seat cannot distinguish a position from its re-dealt twin."""
    if names := differing(position.seen(seat), twin.seen(seat)):
        raise position.error(
            "unseen",
            f"seat {seat} sees in {names} what it cannot know; either `observe` shows too much, or "
            "reshuffle_unseen resamples what the seat knows",
        )
    if position.is_over != twin.is_over:
        raise position.error("unseen", "whether the game is over depends on the unseen")
    if position.is_over:
        return
    if position.seat_to_act != twin.seat_to_act:
        raise position.error("unseen", f"who acts depends on what seat {seat} cannot know")
    if position.seat_to_act == seat and position.legal() != twin.legal():
        raise position.error("unseen", f"what seat {seat} may do tells what it cannot know")


def check_everything_seen(sample: Sample) -> str | None:
    """Where nothing is hidden, two positions that differ do not look alike to any seat."""
    if sample.game.has_hidden:
        return IRRELEVANT
    for position, seat, _, names in _alike(sample):
        raise position.error(
            "has_hidden",
            f"seat {seat} cannot tell this position from another that differs in {names}; "
            "show it in `observe`, or declare has_hidden=True",
        )
    return None


def check_everything_told(sample: Sample) -> str | None:
    """Positions that look alike to a seat differ only in what reshuffle_unseen resamples."""
    if not sample.game.has_hidden:
        return IRRELEVANT
    for position, seat, other, names in _alike(sample):
        changed = np.zeros_like(sample.redealt[seat])
        for number, one in itertools.product(range(MORE_TRIES), (position, other)):
            twin = one.redealt(seat, number)
            changed |= twin.states.view(np.uint8) != one.states.view(np.uint8)
        parts = dict(parts_of(position.states.dtype))
        never = [name for name in names.split(", ") if not changed[parts[name]].any()]
        if never:
            raise position.error(
                "incomplete",
                f"seat {seat} cannot tell this position from that of {other.where}, which differs "
                f"in {', '.join(never)}; show it in `observe`, or let reshuffle_unseen "
                "resample it where the seat cannot know it",
            )
    return None


def _alike(sample: Sample) -> Iterator[tuple[Situation, int, Situation, str]]:
    """Yield positions, each with a seat, another that looks alike to it, and what differs.

    What was ever resampled for the seat does not count.
    """
    by_look: dict[tuple[int, bytes], Situation] = {}
    for position, seat in itertools.product(_candidates(sample), range(sample.game.num_seats)):
        other = by_look.setdefault((seat, position.seen(seat).tobytes()), position)
        if position.states.tobytes() == other.states.tobytes():
            continue
        one, two = (each.states.view(np.uint8) for each in (position, other))
        names = [
            name
            for name, part in parts_of(position.states.dtype)
            if (one[part] != two[part]).any() and not sample.redealt[seat, part].any()
        ]
        if names:
            yield position, seat, other, ", ".join(names)


def _candidates(sample: Sample) -> Iterator[Situation]:
    """Yield positions of games, those after another action, and deals; none at the end."""
    start = time.process_time()
    for position in sample.positions():
        if not position.is_over:
            yield position
    for position in sample.positions(FEW):
        for action in [] if position.is_over else position.legal()[:_SIBLINGS]:
            yield from _siblings(position, action)
    first = sample.trial.seeds.stop
    for seed in range(first, first + _MORE_DEALS):
        if time.process_time() - start > _DEAL_SECONDS:
            return
        yield Situation.new(sample.game, seed).deal()


def _siblings(position: Situation, action: int) -> Iterator[Situation]:
    """Yield what follows an action, with several of the draws after it."""
    sibling = position.copy()
    draws = sibling.apply(action)
    siblings = [sibling]
    for number in range(_DRAWS if draws else 0):
        sibling = replace(position.copy(), rngs=streams([number]))
        sibling.apply(action)
        siblings.append(sibling)
    yield from (one for one in siblings if not one.is_over)


def hidden_fields(sample: Sample) -> tuple[str, ...]:
    """Return for each seat what reshuffle_unseen ever resamples, and what it never does."""
    rows = (row.view(sample.game.state_dtype)[0] for row in sample.redealt)
    return tuple(
        f"seat {seat}: {_rows(row, True) or 'nothing'}; never {_rows(row, False) or 'nothing'}"
        for seat, row in enumerate(rows)
    )


def parts_of(dtype: np.dtype) -> Iterator[tuple[str, slice]]:
    """Yield the rows of the fields of a record, by name, with their bytes."""
    for name in dtype.names or ():
        kind, start = dtype[name], dtype.fields[name][1]  # type: ignore[index]
        num_rows = kind.shape[0] if kind.shape else 1
        size = kind.itemsize // num_rows
        for row in range(num_rows):
            place = slice(start + row * size, start + (row + 1) * size)
            yield f"{name}[{row}]" if kind.shape else name, place


def _rows(record: np.record, is_marked: bool) -> str:
    """The fields of a record, or rows of fields, that are marked by a number other than 0."""
    parts = []
    for name in record.dtype.names or ():
        marks = np.atleast_1d(record[name] != 0)
        rows = np.flatnonzero(marks.reshape(len(marks), -1).any(axis=1) == is_marked)
        if len(rows) == len(marks):
            parts.append(name)
        elif len(rows):
            runs = np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1)
            ranges = [f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs]
            parts.append(f"{name}[{', '.join(ranges)}]")
    return ", ".join(parts)
