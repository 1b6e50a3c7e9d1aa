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
from .bounds import check_bounds, compile_rules
from .report import IRRELEVANT, NO_REFEREE, CheckError, CheckReport, Trial
from .seeds import MORE_TRIES, check_repeatable, check_second_episode, check_seeds
from .situation import FEW, Sample, Situation, differing, play_on

_GARBAGE = 0x55


def check(game: Game, trial: Trial) -> CheckReport:
    """Play, then run all checks; see `check_game`."""
    compile_rules(game, trial)
    no_bounds = check_bounds(game, trial)
    sample = Sample(game, trial)
    made: list[tuple[Callable[..., Any], str | None]] = [(play_on, None), (check_bounds, no_bounds)]
    made += [(one, one(sample)) for one in CHECKS]
    hidden = hidden_fields(sample) if game.has_hidden else ()
    return CheckReport.of(repr(game), [len(one.actions) for one in sample.played], made, hidden)


# The checks: each returns None, or why it could not be made


def check_questions(sample: Sample) -> None:
    """Questions and texts leave every byte of the position as it was."""
    for position in sample.positions(FEW):  # other checks ask what a seat sees and may do
        for seat in (*range(sample.game.num_seats), None):
            position.shown(seat)


def check_drawing(sample: Sample) -> str | None:
    """Drawing leaves the position alone."""
    # `check_questions` has drawn every picture; this only reports whether there was one.
    return None if sample.game.draw is not None else "The game draws no picture."


def check_complete(sample: Sample) -> None:
    """A copied position goes on as the original did: nothing of a game is kept elsewhere."""
    order = np.random.default_rng(0)
    for positions, actions in sample.played:
        for ply in order.permutation(len(actions)).tolist():
            position = positions[ply].copy()
            position.apply(actions[ply])
            if names := differing(position.states, positions[ply + 1].states):
                what = f"a copied position gives another game; {names} differ; {sample.remedy}"
                raise position.error("complete", f"{what}; keep nothing outside the position")


def check_alike(sample: Sample) -> str | None:
    """Every seed gives the same game, as the game has no chance."""
    if sample.game.has_chance:
        return IRRELEVANT
    first, *others = sample.trial.seeds
    for seed in others:
        if sample.play(seed) != sample.play(first):
            what = f"seeds {first} and {seed} give different games"
            remedy = "declare has_chance=True, or draw nothing from the stream"
            raise CheckError("has_chance", f"{what}; {remedy}")
    return None


def check_unseen(sample: Sample) -> None:
    """What a seat sees, reads and may do does not depend on what it cannot know."""
    game = sample.game
    for position, seat, twin in sample.redeals():
        _check_cannot_tell(position, twin, seat)
        if not game.has_hidden and (names := differing(position.states, twin.states)):
            raise position.error(
                "has_hidden",
                f"reshuffle_unseen deals {names} anew for seat {seat}, so something is hidden; "
                "declare has_hidden=True",
            )
    for position, seat, twin in sample.redeals(FEW):
        shown = twin.shown(seat)
        for name, view in position.shown(seat).items():
            if view != shown[name]:
                raise position.error("unseen", f"{name} shows seat {seat} what it cannot know")
        play_on(twin)
    if game.has_hidden and not any(
        differing(position.states, twin.states)
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
    if names := differing(position.seen(seat), twin.seen(seat)):
        raise position.error(
            "unseen",
            f"seat {seat} sees in {names} what it cannot know; either `observe` shows too much, or "
            "reshuffle_unseen deals anew what the seat knows",
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
    by_look: dict[tuple[int, bytes], Situation] = {}
    for position, seat in sample.views():
        if position.is_over:
            continue
        other = by_look.setdefault((seat, position.seen(seat).tobytes()), position)
        if names := differing(position.states, other.states):
            raise position.error(
                "has_hidden",
                f"seat {seat} cannot tell this position from another that differs in {names}; "
                "show it in `observe`, or declare has_hidden=True",
            )
    return None


def check_ranges(sample: Sample) -> None:
    """Every number of a position and of an observation is inside the range its field declares."""
    for position, seat in sample.views():  # positions are checked while the games are played
        seen, what = position.seen(seat), f"the observation of seat {seat}"
        position.check_fields(sample.game.observation_fields, seen, what)


def check_buffers(sample: Sample) -> None:
    """An observation and the returns overwrite all of what the buffer held before."""
    for position, seat in sample.views():
        if names := differing(position.seen(seat), position.seen(seat, _GARBAGE)):
            raise position.error("buffers", f"observe leaves {names} as the buffer was")
        if not np.array_equal(position.returns(), position.returns(_GARBAGE), equal_nan=True):
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


def check_turn(
    referee: Any, who: str, where: str, turn: tuple[int | None, Sequence[str]] | None
) -> None:
    """Raise a CheckError where a referee disagrees on who acts, what is legal or the end.

    `turn` is the seat to act, None if it is not known, and the names of its legal actions, as `who`
    says at a place of a game; None where the game is over.
    """
    if (turn is None) != bool(referee.is_terminal()):
        who = who if turn is None else "the referee"
        raise CheckError("referee_end", f"{where}: only {who} thinks that it is over")
    if turn is None:
        return
    seat, legal = turn
    expected, by_referee = referee.seat_to_act(), referee.legal_actions()
    if seat not in (None, expected):
        what = f"{where}: seat {seat} is to act, the referee says {expected}"
        raise CheckError("referee_seat", what)
    where += f", seat {expected}"
    if too_many := [name for name in legal if name not in by_referee]:
        raise CheckError("mask_too_wide", f"{where}: {', '.join(too_many)} should not be legal")
    if missing := [name for name in by_referee if name not in legal]:
        raise CheckError("mask_too_narrow", f"{where}: {', '.join(missing)} should be legal")


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
    check_second_episode,
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
