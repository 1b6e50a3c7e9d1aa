"""Checks of a Game: whether its functions agree with each other in whole random games.

A few games are played and stored; every check then uses the positions of these games.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..bits import allowed_list
from ..compile import entry_point, reason_of
from ..drawing.render import drawn
from ..fields import Field
from ..game import CHANCE, Game
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
    sentence_of,
)

_OBSERVER_STREAM = (
    1 << 20
)  # purpose of the re-dealing streams; far from those of tables and players
_GARBAGE = 0x55
_MANY = 1_000_000  # plies; endless games are found by then
_IN_PYTHON = 2  # games
_FEW = 10  # positions of each game, for what takes long: texts, pictures, play to the end


class PlayedGame(NamedTuple):
    """A random game: the settled position and the stream before each ply and at the end."""

    seed: int
    states: np.ndarray  # [plies + 1]
    rngs: np.ndarray  # [plies + 1]
    seats: tuple[int, ...]
    actions: tuple[int, ...]


def check(game: Game, trial: Trial) -> CheckReport:
    """Play, then run all checks; see `check_game`."""
    compile_rules(game, trial)
    no_bounds = check_bounds(game, trial)
    played = [play(game, seed, trial) for seed in trial.seeds]
    left_out = [
        *(_OF_NO_CHANCE if game.has_chance else _OF_CHANCE),
        *(_OF_NOTHING_HIDDEN if game.has_hidden else ()),
    ]
    checks = [c for c in CHECKS if c not in left_out]
    for one in checks:
        one(game, played)
    not_checked = [f"{sentence_of(c)} {NO_CHANCE}" for c in _OF_CHANCE if c in left_out]
    checked = [sentence_of(play), *map(sentence_of, checks)]
    if no_bounds is None:
        checked.append(sentence_of(check_bounds))
    else:
        not_checked.append(f"{sentence_of(check_bounds)} {no_bounds}")
    if trial.referee is None:
        not_checked.append(f"{sentence_of(check_referee)} {NO_REFEREE}")
    else:
        check_referee(game, trial)
        checked.append(sentence_of(check_referee))
    if game.draw is None:
        not_checked.append("Drawing leaves the position alone. The game draws no picture.")
    plies = sum(len(one.actions) for one in played)
    hidden = hidden_fields(game, played) if game.has_hidden else ()
    return CheckReport(repr(game), len(played), plies, tuple(checked), tuple(not_checked), hidden)


# Playing


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
        for *_, states, seat, _ in _redeals(python, _positions(played, _FEW)):
            _observed(python, states, seat)
            python.returns(states[0], np.zeros(game.num_seats))


def play(game: Game, seed: int, trial: Trial) -> PlayedGame:
    """Until the game ends, and it must end, a seat is to act and has a legal action."""
    states = game.new_states()
    rngs = streams([seed])
    game.deal(states[0], rngs[0])
    settle(game, states, rngs, trial.max_plies)
    return play_on(game, states, rngs, seed, trial.max_plies)


def play_on(
    game: Game, states: np.ndarray, rngs: np.ndarray, seed: int, max_plies: int
) -> PlayedGame:
    """Play randomly from a settled position [1] to the end."""
    chooser = np.random.default_rng(seed)
    kept, streams_kept = [states.copy()], [rngs.copy()]
    seats: list[int] = []
    actions: list[int] = []
    while not game.is_terminal(states[0]):
        if len(actions) == max_plies:
            raise CheckError("ends", f"seed {seed}: the game is not over after {max_plies} plies")
        seat = int(game.seat_to_act(states[0]))
        if not 0 <= seat < game.num_seats:
            raise CheckError(
                "seat_to_act",
                f"{_at(seed, len(actions))}: seat {seat} is to act; seats are 0 .. "
                f"{game.num_seats - 1}, and CHANCE where the game draws",
            )
        legal = _legal(game, states, f"{_at(seed, len(actions))}, seat {seat}")
        seats.append(seat)
        actions.append(int(chooser.choice(legal)))
        game.apply_action(states[0], actions[-1])
        settle(game, states, rngs, max_plies)
        _in_range(game.state_fields, states, f"{_at(seed, len(actions))}: the position")
        kept.append(states.copy())
        streams_kept.append(rngs.copy())
    return PlayedGame(
        seed, np.concatenate(kept), np.concatenate(streams_kept), tuple(seats), tuple(actions)
    )


def settle(game: Game, states: np.ndarray, rngs: np.ndarray, max_draws: int) -> int:
    """Let the game draw until a seat has to act; return the number of draws."""
    draws = 0
    while not game.is_terminal(states[0]) and game.seat_to_act(states[0]) == CHANCE:
        if game.play_chance is None:
            raise CheckError("seat_to_act", "chance is to act, but the game has no play_chance")
        if draws == max_draws:
            raise CheckError("ends", f"the game drew {draws} times in a row and no seat could act")
        game.play_chance(states[0], rngs[0])
        draws += 1
    return draws


def _legal(game: Game, states: np.ndarray, where: str) -> list[int]:
    """The legal actions; checks that there is one and that none is out of range."""
    legal = _mask_bits(game, states)
    if not legal:
        raise CheckError("mask_empty", f"{where}: nothing is legal, and the game is not over")
    if legal[-1] >= game.num_actions:
        raise CheckError(
            "mask_range",
            f"{where}: {legal[-1]} is legal, but actions end at {game.num_actions - 1}",
        )
    return legal


def _mask_bits(game: Game, states: np.ndarray) -> list[int]:
    mask = np.zeros(game.num_mask_words, np.int64)
    game.legal_actions(states[0], mask)
    return allowed_list(mask)


def _at(seed: int, ply: int) -> str:
    return f"seed {seed}, ply {ply + 1}"


def _positions(played: Sequence[PlayedGame], most: int = _MANY) -> Iterator[tuple[str, np.ndarray]]:
    """Yield copies of positions [1] and their places: `most` of each game, evenly spread."""
    for one in played:
        last = len(one.states) - 1
        for ply in np.unique(np.linspace(0, last, min(most, last + 1)).astype(int)).tolist():
            yield _at(one.seed, ply), one.states[ply : ply + 1].copy()


def _observed(game: Game, states: np.ndarray, seat: int, fill: int = 0) -> np.ndarray:
    """A seat's observation, a record [1], written over a buffer of `fill` bytes."""
    out = game.new_observations()
    out.view(np.uint8)[:] = fill
    game.observe(states[0], seat, out[0])
    return out


# The checks


def check_questions(game: Game, played: Sequence[PlayedGame]) -> None:
    """Questions, texts and pictures leave every byte of the position as it was."""
    mask = np.zeros(game.num_mask_words, np.int64)
    out = np.zeros(game.num_seats)
    seats = [*range(game.num_seats), None]
    questions: dict[str, Callable[[Any], Any]] = {
        "seat_to_act": game.seat_to_act,
        "is_terminal": game.is_terminal,
        "legal_actions": lambda state: game.legal_actions(state, mask),
        "returns": lambda state: game.returns(state, out),
        "observe": lambda state: [
            game.observe(state, seat, game.new_observations()[0]) for seat in seats[:-1]
        ],
    }
    slow_questions: dict[str, Callable[[Any], Any]] = {
        "describe": lambda state: [game.describe(state, seat) for seat in seats]
    }
    if game.draw is not None:
        slow_questions["draw"] = lambda state: [drawn(game, state, seat) for seat in seats]
    for where, states in _positions(played):
        _ask(game, questions, states, where)
    for where, states in _positions(played, _FEW):
        _ask(game, slow_questions, states, where)


def _ask(
    game: Game, questions: dict[str, Callable[[Any], Any]], states: np.ndarray, where: str
) -> None:
    is_over = bool(game.is_terminal(states[0]))
    for name, ask in questions.items():
        if is_over and name in ("seat_to_act", "legal_actions"):
            continue
        before = states.tobytes()
        ask(states[0])
        if states.tobytes() != before:
            raise CheckError("questions", f"{where}: {name} changes the position")


def check_repeatable(game: Game, played: Sequence[PlayedGame]) -> None:
    """The same seed and actions give the same bytes, whatever the global generators are."""
    for attempt, one in enumerate(played):
        with no_global_generators(seed=attempt):
            states, rngs = game.new_states(), streams([one.seed])
            game.deal(states[0], rngs[0])
            settle(game, states, rngs, _MANY)
            for ply, action in enumerate(one.actions):
                _same(states, one.states[ply], "repeatable", one.seed, ply, "the same seed")
                game.apply_action(states[0], action)
                settle(game, states, rngs, _MANY)
            last = len(one.actions)
            _same(states, one.states[last], "repeatable", one.seed, last, "the same seed")


def check_complete(game: Game, played: Sequence[PlayedGame]) -> None:
    """A copied position goes on as the original did: nothing of a game is kept elsewhere."""
    order = np.random.default_rng(0)
    for one in played:
        for ply in order.permutation(len(one.actions)):
            states = one.states[ply : ply + 1].copy()
            rngs = one.rngs[ply : ply + 1].copy()
            game.apply_action(states[0], one.actions[ply])
            settle(game, states, rngs, _MANY)
            _same(states, one.states[ply + 1], "complete", one.seed, ply + 1, "a copied position")


def _same(
    states: np.ndarray, expected: np.record, check_name: str, seed: int, ply: int, what: str
) -> None:
    if states[0].tobytes() != expected.tobytes():
        names = [n for n in states.dtype.names or () if np.any(states[0][n] != expected[n])]
        raise CheckError(
            check_name,
            f"{_at(seed, ply)}: {what} gives another game; {', '.join(names)} differ; draw from "
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
    states, rngs = game.new_states(), streams([seed])
    stories = []
    for _ in range(num_games):
        game.deal(states[0], rngs[0])
        settle(game, states, rngs, _MANY)
        stories.append(play_on(game, states, rngs, 0, _MANY).states.tobytes())
    return tuple(stories)


def check_unseen(game: Game, played: Sequence[PlayedGame]) -> None:
    """What a seat sees, reads and may do does not depend on what it cannot know."""
    for _, where, states, seat, twins in _redeals(game, _positions(played)):
        _cannot_tell(game, states, twins, seat, where)
        if not game.has_hidden and twins.tobytes() != states.tobytes():
            names = ", ".join(_differing(states, twins))
            raise CheckError(
                "has_hidden",
                f"{where}: reshuffle_unseen deals {names} anew for seat {seat}, so something "
                "is hidden; declare has_hidden=True",
            )
    for number, where, states, seat, twins in _redeals(game, _positions(played, _FEW)):
        _views_alike(game, states, twins, seat, where)
        play_on(game, twins, streams([number], _OBSERVER_STREAM), number, _MANY)
    if game.has_hidden and not _is_ever_redealt(game, played):
        raise CheckError(
            "unseen",
            "reshuffle_unseen never changes anything, so nothing would be hidden; deal again what "
            "a seat cannot know, or declare has_hidden=False where every seat sees everything",
        )


def _redeals(
    game: Game, positions: Iterable[tuple[str, np.ndarray]]
) -> Iterator[tuple[int, str, np.ndarray, int, np.ndarray]]:
    """Yield the number, place and record [1] of positions, and for each seat the re-dealt twin."""
    for number, (where, states) in enumerate(positions):
        for seat in range(game.num_seats):
            yield number, where, states, seat, _redealt(game, states, seat, number)


def _redealt(game: Game, states: np.ndarray, seat: int, stream: int) -> np.ndarray:
    """A copy [1] of a position with everything that the seat cannot know dealt anew."""
    twins = states.copy()
    game.reshuffle_unseen(twins[0], seat, streams([stream], _OBSERVER_STREAM + seat)[0])
    return twins


def _is_ever_redealt(game: Game, played: Sequence[PlayedGame]) -> bool:
    """Whether re-dealing changes any position for any seat; stops at the first change."""
    return any(
        _redealt(game, states, seat, stream).tobytes() != states.tobytes()
        for stream in range(MORE_TRIES)
        for _, states in _positions(played)
        for seat in range(game.num_seats)
    )


def hidden_fields(game: Game, played: Sequence[PlayedGame]) -> tuple[str, ...]:
    """Return for each seat what reshuffle_unseen ever deals anew, and what it never does."""
    changed = np.zeros((game.num_seats, game.state_dtype.itemsize), np.uint8)
    for *_, states, seat, twins in _redeals(game, _positions(played)):
        changed[seat] |= states.view(np.uint8) != twins.view(np.uint8)
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
    for where, states in _positions(played):
        if game.is_terminal(states[0]):
            continue
        for seat in range(game.num_seats):
            other = by_look.setdefault((seat, _observed(game, states, seat).tobytes()), states)
            if other.tobytes() != states.tobytes():
                names = ", ".join(_differing(states, other))
                raise CheckError(
                    "has_hidden",
                    f"{where}: seat {seat} cannot tell this position from another that differs in "
                    f"{names}; show it in `observe`, or declare has_hidden=True",
                )


def _differing(states: np.ndarray, others: np.ndarray) -> list[str]:
    """The fields in which two records [1] differ."""
    return [n for n in states.dtype.names or () if np.any(states[n] != others[n])]


def _cannot_tell(game: Game, states: np.ndarray, twins: np.ndarray, seat: int, where: str) -> None:
    """Check that this seat cannot distinguish a position from its re-dealt twin."""
    seen, redealt_look = _observed(game, states, seat), _observed(game, twins, seat)
    if seen.tobytes() != redealt_look.tobytes():
        names = ", ".join(_differing(seen, redealt_look))
        raise CheckError(
            "unseen",
            f"{where}: seat {seat} sees in {names} what it cannot know; either `observe` shows too "
            "much, or reshuffle_unseen deals anew what the seat knows",
        )
    if game.is_terminal(states[0]) != game.is_terminal(twins[0]):
        raise CheckError("unseen", f"{where}: whether the game is over depends on the unseen")
    if game.is_terminal(states[0]):
        return
    if game.seat_to_act(states[0]) != game.seat_to_act(twins[0]):
        raise CheckError("unseen", f"{where}: who acts depends on what seat {seat} cannot know")
    is_own_turn = game.seat_to_act(states[0]) == seat
    if is_own_turn and _mask_bits(game, states) != _mask_bits(game, twins):
        raise CheckError("unseen", f"{where}: what seat {seat} may do tells what it cannot know")


def _views_alike(game: Game, states: np.ndarray, twins: np.ndarray, seat: int, where: str) -> None:
    """Check that the text and the picture for this seat do not tell a position from its twin."""
    for name in ("describe",) if game.draw is None else ("describe", "draw"):
        show = getattr(game, name)
        if show(states[0], seat) != show(twins[0], seat):
            raise CheckError("unseen", f"{where}: {name} shows seat {seat} what it cannot know")


def check_ranges(game: Game, played: Sequence[PlayedGame]) -> None:
    """Every number of a position and of an observation is inside the range its field declares."""
    for where, states in _positions(played):
        _in_range(game.state_fields, states, f"{where}: the position")
        for seat in range(game.num_seats):
            seen = _observed(game, states, seat)
            _in_range(game.observation_fields, seen, f"{where}: the observation of seat {seat}")


def _in_range(fields: Sequence[Field], records: np.ndarray, what: str) -> None:
    for field in fields:
        values = np.ravel(records[field.name])
        if field.num_bits:
            is_inside = field.num_bits == 64 or not (values.view(np.uint64) >> field.num_bits).any()
            allowed = f"sets of {field.num_bits}"
        else:
            is_inside = bool(((values >= field.low) & (values <= field.high)).all())
            allowed = f"{field.low} .. {field.high}"
        if not is_inside:
            raise CheckError(
                "ranges", f"{what} has {field.name} = {values.tolist()}, outside {allowed}"
            )


def check_buffers(game: Game, played: Sequence[PlayedGame]) -> None:
    """An observation and the returns overwrite all of what the buffer held before."""
    for where, states in _positions(played):
        for seat in range(game.num_seats):
            clean, dirty = (_observed(game, states, seat, fill) for fill in (0, _GARBAGE))
            if clean.tobytes() != dirty.tobytes():
                names = ", ".join(_differing(clean, dirty))
                raise CheckError("buffers", f"{where}: observe leaves {names} as the buffer was")
        returns = np.full((2, game.num_seats), [[0.0], [7.0]])
        game.returns(states[0], returns[0])
        game.returns(states[0], returns[1])
        if not np.array_equal(returns[0], returns[1], equal_nan=True):
            raise CheckError("buffers", f"{where}: returns leaves seats as the buffer was")


def check_returns(game: Game, played: Sequence[PlayedGame]) -> None:
    """Returns are 0 before the end and within -1 .. 1 at it."""
    for where, states in _positions(played):
        found = np.zeros(game.num_seats)
        game.returns(states[0], found)
        if not game.is_terminal(states[0]) and found.any():
            raise CheckError("returns", f"{where}: {found.tolist()} before the end of the game")
        if not (np.abs(found) <= 1).all():
            raise CheckError("returns", f"{where}: {found.tolist()} is not within -1 .. 1")


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


def check_referee(game: Game, trial: Trial) -> None:
    """A naive referee agrees on who acts, what is legal, the end and the returns."""
    assert trial.referee is not None
    for seed in trial.seeds:
        deal, referee = trial.referee(seed)
        states, rngs = game.new_states(), streams([seed])
        game.deal_from(states[0], deal, rngs[0])
        chooser = np.random.default_rng(seed)
        for ply in range(trial.max_plies):
            if settle(game, states, rngs, trial.max_plies):
                referee.chance(states[0])
            names = _agreed(game, states, referee, _at(seed, ply))
            if not names:
                break
            name = names[int(chooser.integers(len(names)))]
            game.apply_action(states[0], game.parse_action(name))
            referee.apply(name)
        found = np.zeros(game.num_seats)
        game.returns(states[0], found)
        if not np.allclose(found, referee.returns()):
            raise CheckError(
                "referee_returns",
                f"seed {seed}: returns are {found.tolist()}, the referee says {referee.returns()}",
            )


def _agreed(game: Game, states: np.ndarray, referee: Any, where: str) -> list[str]:
    """The legal actions, on which game and referee must agree; none at the end."""
    if bool(game.is_terminal(states[0])) != bool(referee.is_terminal()):
        who = "the game" if game.is_terminal(states[0]) else "the referee"
        raise CheckError("referee_end", f"{where}: only {who} thinks that it is over")
    if game.is_terminal(states[0]):
        return []
    seat = int(game.seat_to_act(states[0]))
    if seat != referee.seat_to_act():
        raise CheckError(
            "referee_seat",
            f"{where}: seat {seat} is to act, the referee says {referee.seat_to_act()}",
        )
    legal = [game.action_name(action) for action in _mask_bits(game, states)]
    compare_legal(legal, referee.legal_actions(), f"{where}, seat {seat}")
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
