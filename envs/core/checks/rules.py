"""Checks of a Game: whether its functions agree with each other in whole random games.

A few games are played and stored; every check then uses the positions of these games.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from ..compile import entry_point, reason_of
from ..drawing.render import drawn
from ..game import Game
from ..played.transcript import is_name, name_starts, split_names
from ..rng import streams
from .in_python import in_python, place_of
from .report import (
    MORE_TRIES,
    NO_CHANCE,
    NO_REFEREE,
    CheckError,
    CheckReport,
    Trial,
    is_any_other,
    more_seeds,
    no_global_generators,
)
from .situation import (
    MANY,
    PlayedGame,
    Situation,
    check_fields,
    differing,
    play,
    play_on,
)

_GARBAGE = 0x55
_IN_PYTHON = 2  # games
_FEW = 10  # positions of each game, for what takes long: texts, pictures, play to the end


def check(game: Game, trial: Trial) -> CheckReport:
    """Play, then run all checks; see `check_game`."""
    compile_rules(game, trial)
    no_bounds = check_bounds(game, trial)
    played = [play(game, seed, trial) for seed in trial.seeds]
    left_out = [
        *(_OF_NO_CHANCE if game.has_chance else _OF_CHANCE),
        *(_OF_NOTHING_HIDDEN if game.has_hidden else ()),
    ]
    made: list[tuple[Callable[..., Any], str | None]] = [(play, None)]
    made += [(one, one(game, played)) for one in CHECKS if one not in left_out]
    made += [(one, NO_CHANCE) for one in _OF_CHANCE if one in left_out]
    made += [(check_bounds, no_bounds), (check_referee, check_referee(game, trial))]
    hidden = hidden_fields(game, played) if game.has_hidden else ()
    report = CheckReport.of(repr(game), [len(one.actions) for one in played], made, hidden)
    if game.draw is not None:
        return report
    no_picture = "Drawing leaves the position alone. The game draws no picture."
    return report._replace(not_checked=(*report.not_checked, no_picture))


def compile_rules(game: Game, trial: Trial) -> None:
    """Compile all that is compiled, so that an error names the function that it is in."""
    state, rng, seat, action = game.new_states()[0], streams([0])[0], 0, 0
    mask, returns = np.zeros(game.num_mask_words, np.int64), np.zeros(game.num_seats)
    observation = game.new_observations()[0]
    given: dict[str, tuple[Any, ...]] = {
        "deal": (state, rng),
        "seat_to_act": (state,),
        "play_chance": (state, rng),
        "legal_actions": (state, mask),
        "apply_action": (state, action),
        "is_terminal": (state,),
        "returns": (state, returns),
        "observe": (state, seat, observation),
        "reshuffle_unseen": (state, seat, rng),
    }
    for name, arguments in given.items():
        rule = getattr(game, name)
        if rule is not None:
            try:
                entry_point(rule, arguments)
            except Exception as error:
                raise CheckError(
                    "compiles", f"{name} cannot be compiled: {_why_not(game, trial, error)}"
                ) from None  # Numba's hundred lines would hide this one


def _why_not(game: Game, trial: Trial, error: Exception) -> str:
    """Why rules cannot be compiled: the place where they fail as plain Python, if they do."""
    said = _said(error)
    try:
        _play_in_python(game, trial)
    except CheckError:
        pass
    except Exception as failure:
        return f"{place_of(failure)} fails: {_said(failure)} (Numba says {said})"
    return (
        f"{said}; a @rule works with numbers, arrays, the fields of its records and other @rule "
        "functions, and draws with below(rng, n). As plain Python it does not fail: with "
        "NUMBA_DISABLE_JIT=1 in the environment a debugger shows it"
    )


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {reason_of(error)}"


def check_bounds(game: Game, trial: Trial) -> str | None:
    """No index is outside its array: two games are played as plain Python, which checks them.

    Returns why this could not be checked, or None. It comes before compiled games, because compiled
    code would write somewhere else.
    """
    try:
        _play_in_python(game, trial)
    except IndexError as error:
        raise CheckError(
            "bounds",
            f"{place_of(error)}: {error}; compiled code silently reads or writes something else",
        ) from None
    except Exception as error:
        place = "" if isinstance(error, CheckError) else f" at {place_of(error)}"
        return f"As plain Python the game stops{place}: {_said(error)}"
    return None


def _play_in_python(game: Game, trial: Trial) -> None:
    """Play games as plain Python, and ask every question at some positions of them."""
    python = in_python(game)
    for seed in trial.seeds[:_IN_PYTHON]:
        played = [play(python, seed, trial)]
        for position, seat, _ in _redeals(_positions(python, played, _FEW)):
            position.seen(seat)
            position.returns()


def _positions(game: Game, played: Sequence[PlayedGame], most: int = MANY) -> Iterator[Situation]:
    """Yield copies of positions: `most` of each game, evenly spread."""
    for one in played:
        last = len(one.states) - 1
        for ply in np.unique(np.linspace(0, last, min(most, last + 1)).astype(int)).tolist():
            yield one.at(game, ply)


# The checks


def check_questions(game: Game, played: Sequence[PlayedGame]) -> None:
    """Questions, texts and pictures leave every byte of the position as it was."""
    seats = [*range(game.num_seats), None]
    questions: dict[str, Callable[[Situation], Any]] = {
        "seat_to_act": lambda position: position.seat_to_act,
        "is_terminal": lambda position: position.is_over,
        "legal_actions": Situation.legal,
        "returns": Situation.returns,
        "observe": lambda position: [position.seen(seat) for seat in range(game.num_seats)],
    }
    slow_questions: dict[str, Callable[[Situation], Any]] = {
        "describe": lambda position: [game.describe(position.states[0], seat) for seat in seats]
    }
    if game.draw is not None:
        slow_questions["draw"] = lambda position: [
            drawn(game, position.states[0], seat) for seat in seats
        ]
    for position in _positions(game, played):
        _ask(position, questions)
    for position in _positions(game, played, _FEW):
        _ask(position, slow_questions)


def _ask(position: Situation, questions: dict[str, Callable[[Situation], Any]]) -> None:
    is_over = position.is_over
    for name, ask in questions.items():
        if is_over and name in ("seat_to_act", "legal_actions"):
            continue
        before = position.states.tobytes()
        ask(position)
        if position.states.tobytes() != before:
            raise position.error("questions", f"{name} changes the position")


def check_repeatable(game: Game, played: Sequence[PlayedGame]) -> None:
    """The same seed and actions give the same bytes, whatever the global generators are."""
    for attempt, one in enumerate(played):
        with no_global_generators(seed=attempt):
            position = Situation(game, game.new_states(), streams([one.seed]), one.seed).deal()
            for _ in position.play(one.actions):
                _same(position, one, "repeatable", "the same seed")


def check_complete(game: Game, played: Sequence[PlayedGame]) -> None:
    """A copied position goes on as the original did: nothing of a game is kept elsewhere."""
    order = np.random.default_rng(0)
    for one in played:
        for ply in order.permutation(len(one.actions)):
            position = one.at(game, ply)
            for _ in position.play(one.actions[ply : ply + 1]):
                _same(position, one, "complete", "a copied position")


def _same(position: Situation, original: PlayedGame, check_name: str, what: str) -> None:
    """Check that a position is the one at this ply of the original game."""
    expected = original.at(position.game, position.num_plies).states
    if position.states.tobytes() != expected.tobytes():
        raise position.error(
            check_name,
            f"{what} gives another game; {differing(position.states, expected)} differ; draw from "
            "`rng` alone, as below(rng, n) does, and keep nothing outside the position",
        )


def check_alike(game: Game, played: Sequence[PlayedGame]) -> None:
    """Every seed gives the same game, as the game has no chance."""
    first = _stories(game, played[0].seed, 1)
    for one in played:
        if _stories(game, one.seed, 1) != first:
            raise CheckError(
                "has_chance",
                f"seeds {played[0].seed} and {one.seed} give different games; "
                "declare has_chance=True, or draw nothing from the stream",
            )


def check_seeds(game: Game, played: Sequence[PlayedGame]) -> None:
    """Different seeds give different games."""
    seeds = more_seeds(_seeds(played))
    if len(seeds) > 1 and not is_any_other(_stories(game, seed, 1) for seed in seeds):
        raise CheckError(
            "seeds",
            f"{len(seeds)} seeds all give the same game; draw from `rng`, or declare "
            "has_chance=False where the rules leave nothing to chance",
        )


def check_second_deal(game: Game, played: Sequence[PlayedGame]) -> None:
    """The second deal of a stream is neither the first again nor the same for all seeds."""
    seeds = more_seeds(_seeds(played))
    if not any(first != second for first, second in (_stories(game, s, 2) for s in seeds)):
        raise CheckError(
            "second_deal",
            "the second deal of every seed repeats its first; `deal` has to draw from `rng` and "
            "leave it where it is",
        )
    if len(seeds) > 1 and not is_any_other(_stories(game, seed, 2)[1] for seed in seeds):
        raise CheckError(
            "second_deal",
            "the second deal is the same for all seeds; `deal` must not set `rng` itself",
        )


def _seeds(played: Sequence[PlayedGame]) -> range:
    return range(played[0].seed, played[-1].seed + 1)


def _stories(game: Game, seed: int, num_games: int) -> tuple[bytes, ...]:
    """The positions of games dealt one after another and played with the same actions."""
    position, stories = Situation(game, game.new_states(), streams([seed]), 0), []
    for _ in range(num_games):
        stories.append(play_on(position.deal()).states.tobytes())
        position.num_plies = 0
    return tuple(stories)


def check_unseen(game: Game, played: Sequence[PlayedGame]) -> None:
    """What a seat sees, reads and may do does not depend on what it cannot know."""
    for position, seat, twin in _redeals(_positions(game, played)):
        _cannot_tell(position, twin, seat)
        if not game.has_hidden and twin.states.tobytes() != position.states.tobytes():
            names = differing(position.states, twin.states)
            raise position.error(
                "has_hidden",
                f"reshuffle_unseen deals {names} anew for seat {seat}, so something is hidden; "
                "declare has_hidden=True",
            )
    for position, seat, twin in _redeals(_positions(game, played, _FEW)):
        _views_alike(position, twin, seat)
        play_on(twin)
    if game.has_hidden and not _is_ever_redealt(game, played):
        raise CheckError(
            "unseen",
            "reshuffle_unseen never changes anything, so nothing would be hidden; deal again what "
            "a seat cannot know, or declare has_hidden=False where every seat sees everything",
        )


def _redeals(positions: Iterable[Situation]) -> Iterator[tuple[Situation, int, Situation]]:
    """Yield each position with each seat and the twin that is re-dealt for it."""
    for number, position in enumerate(positions):
        for seat in range(position.game.num_seats):
            yield position, seat, position.redealt(seat, number)


def _is_ever_redealt(game: Game, played: Sequence[PlayedGame]) -> bool:
    """Whether re-dealing changes any position for any seat; stops at the first change."""
    return any(
        position.redealt(seat, number).states.tobytes() != position.states.tobytes()
        for number in range(MORE_TRIES)
        for position in _positions(game, played)
        for seat in range(game.num_seats)
    )


def hidden_fields(game: Game, played: Sequence[PlayedGame]) -> tuple[str, ...]:
    """Return for each seat what reshuffle_unseen ever deals anew, and what it never does."""
    changed = np.zeros((game.num_seats, game.state_dtype.itemsize), np.uint8)
    for position, seat, twin in _redeals(_positions(game, played)):
        changed[seat] |= position.states.view(np.uint8) != twin.states.view(np.uint8)
    return tuple(
        f"seat {seat}: {_rows(row, True) or 'nothing'}; never {_rows(row, False) or 'nothing'}"
        for seat, row in enumerate(changed.view(game.state_dtype)[:, 0])
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


def check_everything_seen(game: Game, played: Sequence[PlayedGame]) -> None:
    """Where nothing is hidden, two positions that differ do not look alike to any seat."""
    by_look: dict[tuple[int, bytes], np.ndarray] = {}
    for position in _positions(game, played):
        for seat in () if position.is_over else range(game.num_seats):
            other = by_look.setdefault((seat, position.seen(seat).tobytes()), position.states)
            if other.tobytes() != position.states.tobytes():
                names = differing(position.states, other)
                raise position.error(
                    "has_hidden",
                    f"seat {seat} cannot tell this position from another that differs in {names}; "
                    "show it in `observe`, or declare has_hidden=True",
                )


def _cannot_tell(position: Situation, twin: Situation, seat: int) -> None:
    """Check that this seat cannot distinguish a position from its re-dealt twin."""
    seen, redealt_look = position.seen(seat), twin.seen(seat)
    if seen.tobytes() != redealt_look.tobytes():
        raise position.error(
            "unseen",
            f"seat {seat} sees in {differing(seen, redealt_look)} what it cannot know; either "
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


def _views_alike(position: Situation, twin: Situation, seat: int) -> None:
    """Check that the text and the picture for this seat do not tell a position from its twin."""
    for name in ("describe",) if position.game.draw is None else ("describe", "draw"):
        show = getattr(position.game, name)
        if show(position.states[0], seat) != show(twin.states[0], seat):
            raise position.error("unseen", f"{name} shows seat {seat} what it cannot know")


def check_ranges(game: Game, played: Sequence[PlayedGame]) -> None:
    """Every number of a position and of an observation is inside the range its field declares."""
    for position in _positions(game, played):
        check_fields(position, game.state_fields, position.states, "the position")
        for seat in range(game.num_seats):
            seen, what = position.seen(seat), f"the observation of seat {seat}"
            check_fields(position, game.observation_fields, seen, what)


def check_buffers(game: Game, played: Sequence[PlayedGame]) -> None:
    """An observation and the returns overwrite all of what the buffer held before."""
    for position in _positions(game, played):
        for seat in range(game.num_seats):
            clean, dirty = (position.seen(seat, fill) for fill in (0, _GARBAGE))
            if clean.tobytes() != dirty.tobytes():
                names = differing(clean, dirty)
                raise position.error("buffers", f"observe leaves {names} as the buffer was")
        if not np.array_equal(position.returns(0.0), position.returns(7.0), equal_nan=True):
            raise position.error("buffers", "returns leaves seats as the buffer was")


def check_returns(game: Game, played: Sequence[PlayedGame]) -> None:
    """Returns are 0 before the end and within -1 .. 1 at it."""
    for position in _positions(game, played):
        found = position.returns()
        if not position.is_over and found.any():
            raise position.error("returns", f"{found.tolist()} before the end of the game")
        if not (np.abs(found) <= 1).all():
            raise position.error("returns", f"{found.tolist()} is not within -1 .. 1")


def check_names(game: Game, played: Sequence[PlayedGame]) -> None:
    """Every action has one name that parses back, alone and in a list; other names are rejected."""
    names = [game.action_name(action) for action in range(game.num_actions)]
    for action, name in enumerate(names):
        if not is_name(name):
            raise CheckError("names", f"action {action} is called {name!r}")
        if game.parse_action(name) != action:
            raise CheckError("names", f"{name!r} of action {action} parses to another action")
    if split_names(" ".join(names), name_starts(names)) != names:
        raise CheckError("names", "a list of all names, spaces between, does not part into them")
    _refused("names", "parse_action takes a name that no action has", game.parse_action, "???")
    for action in (-1, game.num_actions):
        what = f"action_name has a name for {action}, which is no action"
        _refused("names", what, game.action_name, action)


def check_bad_deals(game: Game, played: Sequence[PlayedGame]) -> None:
    """An invalid start position raises ValueError."""
    rngs = streams([0])
    bad_deals: tuple[Any, ...] = ({}, {"no such part": 1}, [])
    for data in bad_deals:
        states = game.new_states()
        what = f"deal_from takes {data!r} as a start position"
        _refused("bad_deals", what, game.deal_from, states[0], data, rngs[0])


def _refused(check_name: str, what: str, function: Callable[..., Any], *given: Any) -> None:
    try:
        function(*given)
    except ValueError:
        return
    except Exception as error:
        raise CheckError(
            check_name, f"expected a ValueError, got {type(error).__name__}: {error}"
        ) from error
    raise CheckError(check_name, what)


def check_pickle(game: Game, played: Sequence[PlayedGame]) -> None:
    """A pickled game is the same game: sizes, settings, records."""
    try:
        copy = pickle.loads(pickle.dumps(game))
    except Exception as error:
        raise CheckError("pickle", f"the game cannot be pickled: {error}") from error
    plain = ("name", "version", "config", "num_seats", "num_actions")
    for name in (*plain, "state_fields", "observation_fields", "house_rules"):
        if getattr(copy, name) != getattr(game, name):
            raise CheckError("pickle", f"a pickled game differs in {name}")


def check_referee(game: Game, trial: Trial) -> str | None:
    """A naive referee agrees on who acts, what is legal, the end and the returns."""
    if trial.referee is None:
        return NO_REFEREE
    for seed in trial.seeds:
        deal, referee = trial.referee(seed)
        position = Situation(game, game.new_states(), streams([seed]), seed)
        game.deal_from(position.states[0], deal, position.rngs[0])
        actions = islice(_agreed_actions(position, referee), trial.max_plies)
        for num_drawn in position.play(actions, trial.max_plies):
            if num_drawn:
                referee.chance(position.states[0])
        found = position.returns()
        if not np.allclose(found, referee.returns()):
            what = f"returns are {found.tolist()}, the referee says {referee.returns()}"
            raise CheckError("referee_returns", f"seed {seed}: {what}")
    return None


def _agreed_actions(position: Situation, referee: Any) -> Iterator[int]:
    """Yield legal actions, which the referee plays too, until both say that the game is over."""
    chooser = np.random.default_rng(position.seed)
    while names := _agreed(position, referee):
        name = names[int(chooser.integers(len(names)))]
        action = position.game.parse_action(name)
        referee.apply(name)
        yield action


def _agreed(position: Situation, referee: Any) -> list[str]:
    """The legal actions, on which game and referee must agree; none at the end."""
    if position.is_over != bool(referee.is_terminal()):
        who = "the game" if position.is_over else "the referee"
        raise position.error("referee_end", f"only {who} thinks that it is over")
    if position.is_over:
        return []
    seat, expected = position.seat_to_act, referee.seat_to_act()
    if seat != expected:
        what = f"seat {seat} is to act, the referee says {expected}"
        raise position.error("referee_seat", what)
    legal = [position.game.action_name(action) for action in position.legal()]
    compare_legal(legal, referee.legal_actions(), f"{position.where}, seat {seat}")
    return legal


def compare_legal(legal: Sequence[str], by_referee: Sequence[str], where: str) -> None:
    """Raise a CheckError that names what a mask wrongly allows or forbids."""
    too_many = [name for name in legal if name not in by_referee]
    missing = [name for name in by_referee if name not in legal]
    if too_many:
        raise CheckError("mask_too_wide", f"{where}: {', '.join(too_many)} should not be legal")
    if missing:
        raise CheckError("mask_too_narrow", f"{where}: {', '.join(missing)} should be legal")


CHECKS = [
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
]
_OF_CHANCE = (check_seeds, check_second_deal)
_OF_NO_CHANCE = (check_alike,)
_OF_NOTHING_HIDDEN = (check_everything_seen,)
