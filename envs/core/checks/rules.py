"""Checks of a Game: whether its functions agree with each other in whole random games.

A few games are played and stored; every check then uses the positions of these games.
"""

import pickle
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..game import Game
from ..played.transcript import is_name, name_starts, split_names
from ..rng import streams
from .in_python import check_bounds, compile_rules
from .referee import check_turn
from .report import (
    IRRELEVANT,
    MORE_TRIES,
    NO_REFEREE,
    CheckError,
    CheckReport,
    Trial,
    check_second_game,
    check_seeds_differ,
    no_global_generators,
)
from .situation import FEW, PlayedGame, Sample, Situation, differing, play, play_on

_GARBAGE = 0x55


def check(game: Game, trial: Trial) -> CheckReport:
    """Play, then run all checks; see `check_game`."""
    compile_rules(game, trial)
    no_bounds = check_bounds(game, trial)
    sample = play(game, trial)
    made: list[tuple[Callable[..., Any], str | None]] = [(play, None), (check_bounds, no_bounds)]
    made += [(one, one(sample)) for one in CHECKS]
    hidden = hidden_fields(sample) if game.has_hidden else ()
    return CheckReport.of(repr(game), [len(one.actions) for one in sample.played], made, hidden)


# The checks: each returns None, or why it could not be made


def check_questions(sample: Sample) -> None:
    """Questions and texts leave every byte of the position as it was."""
    seats = range(sample.game.num_seats)
    for position in sample.positions():  # asks who acts and what is legal while it plays
        position.returns()
        for seat in seats:
            position.seen(seat)
    for position in sample.positions(FEW):
        for seat in (*seats, None):
            position.shown(seat)


def check_drawing(sample: Sample) -> str | None:
    """Drawing leaves the position alone."""
    return None if sample.game.draw is not None else "The game draws no picture."


def check_repeatable(sample: Sample) -> None:
    """The same seed and actions give the same bytes, whatever the global generators are."""
    for attempt, one in enumerate(sample.played):
        with no_global_generators(seed=attempt):
            position = Situation.new(sample.game, one.seed).deal()
            _check_same(position, one, "repeatable", "the same seed")
            for action in one.actions:
                position.apply(action)
                _check_same(position, one, "repeatable", "the same seed")


def check_complete(sample: Sample) -> None:
    """A copied position goes on as the original did: nothing of a game is kept elsewhere."""
    order = np.random.default_rng(0)
    for one in sample.played:
        for ply in order.permutation(len(one.actions)).tolist():
            position = one.at(sample.game, ply)
            position.apply(one.actions[ply])
            _check_same(position, one, "complete", "a copied position")


def _check_same(position: Situation, original: PlayedGame, check_name: str, what: str) -> None:
    """Check that a position is the one at this ply of the original game."""
    expected = original.states[position.num_plies :][:1]
    if position.states.tobytes() != expected.tobytes():
        raise position.error(
            check_name,
            f"{what} gives another game; {differing(position.states, expected)} differ; draw from "
            "`rng` alone, as below(rng, n) does, and keep nothing outside the position",
        )


def check_alike(sample: Sample) -> str | None:
    """Every seed gives the same game, as the game has no chance."""
    game, (first, *others) = sample.game, sample.trial.seeds
    if game.has_chance:
        return IRRELEVANT
    for seed in others:
        if _stories(game, seed) != _stories(game, first):
            raise CheckError(
                "has_chance",
                f"seeds {first} and {seed} give different games; "
                "declare has_chance=True, or draw nothing from the stream",
            )
    return None


def check_seeds(sample: Sample) -> str | None:
    """Different seeds give different games."""
    return check_seeds_differ(
        sample.trial,
        lambda seed: _stories(sample.game, seed)[0],
        "seeds",
        f"{len(sample.trial.more_seeds)} seeds all give the same game; draw from `rng`, or declare "
        "has_chance=False where the rules leave nothing to chance",
    )


def check_second_deal(sample: Sample) -> str | None:
    """The second deal of a stream is neither the first again nor the same for all seeds."""
    return check_second_game(
        sample.trial,
        lambda seed: _stories(sample.game, seed),
        "second_deal",
        "the second deal of every seed repeats its first; `deal` has to draw from `rng` and "
        "leave it where it is",
        "the second deal is the same for all seeds; `deal` must not set `rng` itself",
    )


def _stories(game: Game, seed: int) -> tuple[bytes, bytes]:
    """The positions of two games dealt one after another and played with the same choices."""
    position = Situation.new(game, seed)
    first, second = (play_on(position.deal()).states.tobytes() for _ in range(2))
    return first, second


def check_unseen(sample: Sample) -> None:
    """What a seat sees, reads and may do does not depend on what it cannot know."""
    game = sample.game
    for position, seat, twin in sample.redeals():
        _check_cannot_tell(position, twin, seat)
        if not game.has_hidden and twin.states.tobytes() != position.states.tobytes():
            raise position.error(
                "has_hidden",
                f"reshuffle_unseen deals {differing(position.states, twin.states)} anew for seat "
                f"{seat}, so something is hidden; declare has_hidden=True",
            )
    for position, seat, twin in sample.redeals(FEW):
        shown = twin.shown(seat)
        for name, view in position.shown(seat).items():
            if view != shown[name]:
                raise position.error("unseen", f"{name} shows seat {seat} what it cannot know")
        play_on(twin)
    if game.has_hidden and not any(
        twin.states.tobytes() != position.states.tobytes()
        for first in range(MORE_TRIES)
        for position, _, twin in sample.redeals(first=first)
    ):
        raise CheckError(
            "unseen",
            "reshuffle_unseen never changes anything, so nothing would be hidden; deal again what "
            "a seat cannot know, or declare has_hidden=False where every seat sees everything",
        )


def _check_cannot_tell(position: Situation, twin: Situation, seat: int) -> None:
    """Check that this seat cannot distinguish a position from its re-dealt twin."""
    seen, seen_of_twin = position.seen(seat), twin.seen(seat)
    if seen.tobytes() != seen_of_twin.tobytes():
        raise position.error(
            "unseen",
            f"seat {seat} sees in {differing(seen, seen_of_twin)} what it cannot know; either "
            "`observe` shows too much, or reshuffle_unseen deals anew what the seat knows",
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
    by_look: dict[tuple[int, bytes], np.ndarray] = {}
    for position in sample.positions():
        for seat in () if position.is_over else range(sample.game.num_seats):
            other = by_look.setdefault((seat, position.seen(seat).tobytes()), position.states)
            if other.tobytes() != position.states.tobytes():
                names = differing(position.states, other)
                raise position.error(
                    "has_hidden",
                    f"seat {seat} cannot tell this position from another that differs in {names}; "
                    "show it in `observe`, or declare has_hidden=True",
                )
    return None


def check_ranges(sample: Sample) -> None:
    """Every number of a position and of an observation is inside the range its field declares."""
    game = sample.game
    for position in sample.positions():
        position.check_fields(game.state_fields, position.states, "the position")
        for seat in range(game.num_seats):
            seen, what = position.seen(seat), f"the observation of seat {seat}"
            position.check_fields(game.observation_fields, seen, what)


def check_buffers(sample: Sample) -> None:
    """An observation and the returns overwrite all of what the buffer held before."""
    for position in sample.positions():
        for seat in range(sample.game.num_seats):
            clean, dirty = (position.seen(seat, fill) for fill in (0, _GARBAGE))
            if clean.tobytes() != dirty.tobytes():
                names = differing(clean, dirty)
                raise position.error("buffers", f"observe leaves {names} as the buffer was")
        if not np.array_equal(position.returns(0.0), position.returns(7.0), equal_nan=True):
            raise position.error("buffers", "returns leaves seats as the buffer was")


def check_returns(sample: Sample) -> None:
    """Returns are 0 before the end and within -1 .. 1 at it."""
    for position in sample.positions():
        found = position.returns()
        if not position.is_over and found.any():
            raise position.error("returns", f"{found.tolist()} before the end of the game")
        if not (np.abs(found) <= 1).all():
            raise position.error("returns", f"{found.tolist()} is not within -1 .. 1")


def check_names(sample: Sample) -> None:
    """Every action has one name that parses back, alone and in a list; other names are rejected."""
    game = sample.game
    names = [game.action_name(action) for action in range(game.num_actions)]
    for action, name in enumerate(names):
        if not is_name(name):
            raise CheckError("names", f"action {action} is called {name!r}")
        if game.parse_action(name) != action:
            raise CheckError("names", f"{name!r} of action {action} parses to another action")
    if split_names(" ".join(names), name_starts(names)) != names:
        raise CheckError("names", "a list of all names, spaces between, does not part into them")
    what = "parse_action takes a name that no action has"
    _check_refused("names", what, game.parse_action, "???")
    for action in (-1, game.num_actions):
        what = f"action_name has a name for {action}, which is no action"
        _check_refused("names", what, game.action_name, action)


def check_bad_deals(sample: Sample) -> None:
    """An invalid start position raises ValueError."""
    bad_deals: Sequence[Any] = ({}, {"no such part": 1}, [])
    for data in bad_deals:
        what = f"deal_from takes {data!r} as a start position"
        state, rng = sample.game.new_states()[0], streams([0])[0]
        _check_refused("bad_deals", what, sample.game.deal_from, state, data, rng)


def _check_refused(check_name: str, what: str, call: Callable[..., Any], *given: Any) -> None:
    try:
        call(*given)
    except ValueError:
        return
    except Exception as error:
        raise CheckError(
            check_name, f"expected a ValueError, got {type(error).__name__}: {error}"
        ) from error
    raise CheckError(check_name, what)


def check_pickle(sample: Sample) -> None:
    """A pickled game is the same game: sizes, settings, records."""
    game = sample.game
    try:
        copy = pickle.loads(pickle.dumps(game))
    except Exception as error:
        raise CheckError("pickle", f"the game cannot be pickled: {error}") from error
    plain = ("name", "version", "config", "num_seats", "num_actions")
    for name in (*plain, "state_fields", "observation_fields", "house_rules"):
        if getattr(copy, name) != getattr(game, name):
            raise CheckError("pickle", f"a pickled game differs in {name}")


def check_referee(sample: Sample) -> str | None:
    """A naive referee agrees on who acts, what is legal, the end and the returns."""
    trial, game = sample.trial, sample.game
    if trial.referee is None:
        return NO_REFEREE
    for seed in trial.seeds:
        deal, referee = trial.referee(seed)
        position = Situation.new(game, seed, trial.max_plies)
        game.deal_from(position.states[0], deal, position.rngs[0])
        _play_along(position, referee)
        found = position.returns()
        if not np.allclose(found, referee.returns()):
            what = f"returns are {found.tolist()}, the referee says {referee.returns()}"
            raise CheckError("referee_returns", f"seed {seed}: {what}")
    return None


def _play_along(position: Situation, referee: Any) -> None:
    """Play randomly while a referee plays the same actions, until both say that it is over."""
    chooser = np.random.default_rng(position.seed)
    draws = position.settle()
    for _ in range(position.limit):
        if draws:
            referee.chance(position.states[0])
        names = [] if position.is_over else list(map(position.game.action_name, position.legal()))
        turn = None if position.is_over else (position.seat_to_act, names)
        check_turn(referee, "the game", position.where, turn)
        if turn is None:
            return
        name = names[int(chooser.integers(len(names)))]
        referee.apply(name)
        draws = position.apply(position.game.parse_action(name))


def hidden_fields(sample: Sample) -> tuple[str, ...]:
    """Return for each seat what reshuffle_unseen ever deals anew, and what it never does."""
    dtype, num_seats = sample.game.state_dtype, sample.game.num_seats
    changed = np.zeros((num_seats, dtype.itemsize), np.uint8)
    for position, seat, twin in sample.redeals():
        changed[seat] |= position.states.view(np.uint8) != twin.states.view(np.uint8)
    return tuple(
        f"seat {seat}: {_rows(row, True) or 'nothing'}; never {_rows(row, False) or 'nothing'}"
        for seat, row in enumerate(changed.view(dtype)[:, 0])
    )


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


CHECKS: list[Callable[[Sample], str | None]] = [
    check_questions,
    check_repeatable,
    check_complete,
    check_alike,
    check_seeds,
    check_second_deal,
    check_unseen,
    check_everything_seen,
    check_ranges,
    check_buffers,
    check_returns,
    check_names,
    check_bad_deals,
    check_pickle,
    check_drawing,
    check_referee,
]
