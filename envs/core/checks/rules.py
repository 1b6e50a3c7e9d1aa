"""Checks of a Game: whether its functions agree with each other in whole random games.

A few games are played and stored; every check then uses the positions of these games.
"""

import pickle
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..game import Game
from ..played.transcript import is_name, name_starts, split_names
from .bounds import check_bounds, compile_rules
from .deals import check_bad_deals, check_refused, check_wrong_cards
from .hidden import check_everything_seen, check_everything_told, check_unseen, hidden_fields
from .laying import check_laid_out
from .report import IRRELEVANT, NO_REFEREE, CheckError, CheckReport, Trial
from .seeds import check_repeatable, check_second_episode, check_seeds, no_global_generators
from .settings import idle_settings
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
    plies = [len(one.actions) for one in sample.played]
    return CheckReport.of(repr(game), plies, made, hidden, idle_settings(sample))


# The checks: each returns None, or why it could not be made


def check_questions(sample: Sample) -> None:
    """Questions and texts leave every byte of the position as it was, and depend on it alone."""
    for position in sample.positions(FEW):  # other checks ask what a seat sees and may do
        for seat in (*range(sample.game.num_seats), None):
            with no_global_generators(0, f"{position.where}: a text or picture"):
                shown = position.shown(seat) | position.labels()
                again = position.shown(seat) | position.labels()
            position.check_same(shown, again)


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
                problem = f"a copied position gives another game; {names} differ; {sample.remedy}"
                raise position.error("complete", f"{problem}; keep nothing outside the position")


def check_alike(sample: Sample) -> str | None:
    """Every seed gives the same game, as the game has no chance."""
    if sample.game.has_chance:
        return IRRELEVANT
    first, *others = sample.trial.seeds
    for seed in others:
        if sample.play(seed) != sample.play(first):
            problem = f"seeds {first} and {seed} give different games"
            remedy = "declare has_chance=True, or draw nothing from the stream"
            raise CheckError("has_chance", f"{problem}; {remedy}")
    return None


def check_ranges(sample: Sample) -> None:
    """Every number of a position and of an observation is inside the range its field declares."""
    for position, seat in sample.views():  # positions are checked while the games are played
        record, label = position.seen(seat), f"the observation of seat {seat}"
        position.check_fields(sample.game.observation_fields, record, label)


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
        returns = position.returns()
        if not position.is_over and returns.any():
            raise position.error("returns", f"{returns.tolist()} before the end of the game")
        if not (np.abs(returns) <= 1).all():
            raise position.error("returns", f"{returns.tolist()} is not within -1 .. 1")


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
    problem = "parse_action takes a name that no action has"
    check_refused("names", problem, game.parse_action, "???")
    for action in (-1, game.num_actions):
        problem = f"action_name has a name for {action}, which is no action"
        check_refused("names", problem, game.action_name, action)


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
        returns = position.returns()
        if not np.allclose(returns, referee.returns()):
            problem = f"returns are {returns.tolist()}, the referee says {referee.returns()}"
            raise CheckError("referee_returns", f"seed {seed}: {problem}")
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
        problem = f"{where}: seat {seat} is to act, the referee says {expected}"
        raise CheckError("referee_seat", problem)
    where += f", seat {expected}"
    if too_many := [name for name in legal if name not in by_referee]:
        raise CheckError("mask_too_wide", f"{where}: {', '.join(too_many)} should not be legal")
    if missing := [name for name in by_referee if name not in legal]:
        raise CheckError("mask_too_narrow", f"{where}: {', '.join(missing)} should be legal")


CHECKS: list[Callable[[Sample], str | None]] = [
    check_questions,
    check_repeatable,
    check_complete,
    check_alike,
    check_seeds,
    check_second_episode,
    check_unseen,
    check_ranges,
    check_buffers,
    check_everything_seen,
    check_everything_told,
    check_returns,
    check_names,
    check_bad_deals,
    check_wrong_cards,
    check_pickle,
    check_drawing,
    check_laid_out,
    check_referee,
]
