"""The compiled loops that run every view, match and recording.

Each loop is a template over the names of a game's rules (`deal`, `apply_action`, ...), which
`loops_of` binds to one game. Players are called by their addresses, so that one compiled `step`
serves every player. Arrays have one row for each table.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..bits import clear, is_legal, nth_allowed, num_allowed, random_allowed, spread_masks
from ..compile import bind, bind_inline, rule, unbound
from ..fields import encode_row
from ..game import CHANCE, NO_ACTION, NO_SEAT, Function, Game
from ..records import CHANCE_OF_POLICY
from ..rng import STREAM, below, uniform
from .calls import call_player

NO_ROW = -1
FAULT = -2  # in place of a seat: a compiled player has chosen an illegal action
LOSS = -1.0  # the return of a seat whose illegal action ends the game
MAX_DEALS = 10_000  # attempts to deal a game with a choice, where `skip_forced` skips all others
BLOCK = 32  # tables whose records stay in the processor's first cache until they are encoded
ANY_SEAT = -1  # in place of a seat: each game draws one

# Who plays a seat: the index of a policy, or
EXTERNAL = -1  # its actions come from outside the loops

# What a step does at a table: it plays an action of the seat to act, or
GO_ON = NO_ACTION  # lets players act from the position that lies there
START = -2  # starts a game from the position that lies there
NEW_GAME = -3  # deals and starts it
LEAVE = -4  # does nothing
LOOK = -5  # LOOK - seat shows what a seat knows

_RULES = (
    "deal",
    "seat_to_act",
    "legal_actions",
    "apply_action",
    "is_terminal",
    "returns",
    "observe",
    "reshuffle_unseen",
    "play_chance",
)
_MOST_PLIES = np.int64(2**62)

# Names to which `bindings_of` and `loops_of` give a meaning.
deal = seat_to_act = legal_actions = apply_action = is_terminal = returns = observe = unbound
reshuffle_unseen = play_chance = settle = ply = play = advance = tell_end = carry_out = unbound
step = unbound


class Games(NamedTuple):
    """N running games: all that they need to go on."""

    states: np.ndarray  # [N] records
    rngs: np.ndarray  # [N] streams that deal and draw
    masks: np.ndarray  # [N, W] words of the seats to act; empty at the end
    progress: np.ndarray  # [N] PROGRESS records
    starts: np.ndarray  # [N] positions in which the games began; empty where nobody asks
    actions: np.ndarray  # int16 [N, H] of the first H plies of the games; H may be 0


class Draws(NamedTuple):
    """What a game draws before its deal: the EXTERNAL seat, and players for the other seats."""

    rngs: np.ndarray  # [N] streams to draw from; empty where the seating is fixed
    seat: int  # the EXTERNAL one, or ANY_SEAT
    pools: np.ndarray  # [seats, K] CHANCE_OF_POLICY records, clockwise from the EXTERNAL seat


class Seats(NamedTuple):
    """Who plays, by seat."""

    policies: np.ndarray  # int16 [N, seats] indices of `players`, or EXTERNAL
    players: np.ndarray  # [P] PLAYER records
    rngs: np.ndarray  # [N, seats] the players' streams
    draws: Draws


class Report(NamedTuple):
    """What a step tells about each table; numbers and masks are those of `results.seat`."""

    records: np.ndarray  # [N] scratch: what those seats know, a block at a time
    encoding: Any  # of `records` (see `fields.Encoding`)
    numbers: np.ndarray  # [N, num_inputs] these observations as vectors
    finals: np.ndarray  # [N, num_inputs] what the last actor knew, where a game has ended
    masks: np.ndarray  # [N, 8 * W] as `spread_masks` writes them
    results: np.ndarray  # [N] records of `result_dtype`


class StepOptions(NamedTuple):
    """How a step plays."""

    skip_forced: bool = False  # play the plies of EXTERNAL seats that leave no choice
    needs_choice: bool = False  # deal again where a game ends before an EXTERNAL seat has acted
    deals_again: bool = False  # deal a new game in the step that ends one
    one_ply: bool = False  # stop after a deal and after each ply, for players that watch all plies
    block: int = BLOCK  # tables whose records are encoded together


class Loops(NamedTuple):
    """The compiled loops of one game."""

    apply_rows: Function
    observe_rows: Function
    returns_rows: Function
    reshuffle_rows: Function
    step: Function
    random_plies: Function
    random_playouts: Function


NO_DRAWS = Draws(np.zeros(0, STREAM), 0, np.zeros((0, 0), CHANCE_OF_POLICY))


def loops_of(game: Game) -> Loops:
    """Return the loops of a game; all its configurations have the same ones."""
    return _loops(tuple(getattr(game, name) for name in _RULES))


def bindings_of(game: Game) -> dict[str, Any]:
    """Return a game's rules by name, and `settle`, `ply`, `play`, `advance` bound to them."""
    return dict(_bindings(tuple(getattr(game, name) for name in _RULES)))


@lru_cache
def _bindings(functions: tuple[Function | None, ...]) -> dict[str, Any]:
    bindings: dict[str, Any] = dict(zip(_RULES, functions, strict=True))
    bindings["play_chance"] = bindings["play_chance"] or _no_chance
    bindings["settle"] = bind_inline(_settle, **bindings)
    bindings["ply"] = bind_inline(_ply, **bindings)
    bindings["play"] = bind(_play, **bindings)
    bindings["advance"] = bind_inline(_advance, **bindings)
    return bindings


@lru_cache
def _loops(functions: tuple[Function | None, ...]) -> Loops:
    bindings = dict(_bindings(functions))
    bindings["tell_end"] = bind_inline(_tell_end, **bindings)
    bindings["carry_out"] = bind_inline(_carry_out, **bindings)
    bindings["step"] = bind_inline(_step, **bindings)
    return Loops(*(bind_inline(globals()[f"_{name}"], **bindings) for name in Loops._fields))


@rule
def _no_chance(state, rng):
    """Stand for `play_chance` of a game without chance; it is never called."""


@rule
def no_observation(state, seat, out):
    """Stand for `observe` where no player looks at an observation."""


def _settle(state, rng):
    """Play chance moves until a seat is to act or the game is over."""
    while seat_to_act(state) == CHANCE and not is_terminal(state):
        play_chance(state, rng)


def _ply(state, rng, action, mask):
    """Play one ply (NO_ACTION: none). Return the seat to act, with its mask.

    At the end, return NO_SEAT, with an empty mask.
    """
    if action != NO_ACTION:
        apply_action(state, action)
    clear(mask)
    settle(state, rng)
    if is_terminal(state):
        return NO_SEAT
    legal_actions(state, mask)
    return np.int64(seat_to_act(state))


def _play(state, rng, action, mask):
    """Play one ply, as `ply`, and the plies after it that leave no choice."""
    while True:
        seat = ply(state, rng, action, mask)
        if seat == NO_SEAT or num_allowed(mask) > 1:
            return seat
        action = nth_allowed(mask, np.int64(0))


def _advance(row, games, seats, action, most, observation, skip_forced):
    """Play an action (NO_ACTION: none), then those of compiled players, `most` plies in all.

    Return the seat to act, with its mask, where it is EXTERNAL or its player has to be ASKED;
    NO_SEAT at the end; FAULT where a player's choice is illegal. `observation` is scratch.
    """
    state, mask = games.states[row], games.masks[row]
    num_plies = np.int64(action != NO_ACTION)
    while True:
        if action != NO_ACTION:
            note_ply(row, games, action)
        seat = ply(state, games.rngs[row], action, mask)
        if seat == NO_SEAT or num_plies >= most:
            return seat
        policy = np.int64(seats.policies[row, seat])
        if policy == EXTERNAL:
            if not skip_forced or num_allowed(mask) > 1:
                return seat
            action = nth_allowed(mask, np.int64(0))
        else:
            player = seats.players[policy]
            if player.function == 0:
                return seat
            if player.is_blind == 0:
                observe(state, seat, observation)
            action = call_player(
                player.function, player.weights, observation, mask, seats.rngs[row, seat]
            )
            if not is_legal(mask, action):
                games.progress[row].fault = action
                return np.int64(FAULT)
        num_plies += 1


def _carry_out(row, slot, games, seats, command, report, options):
    """Do at one table what a step has to do there; `slot` is the row of its record.

    Return whether that worked: not where a player's choice is illegal, or no deal gives a choice.
    """
    state, progress = games.states[row], games.progress[row]
    record, result = report.records[slot], report.results[row]
    most = np.int64(1) if options.one_ply else _MOST_PLIES
    is_illegal = False
    if command >= 0 and seats.policies[row, progress.seat] == EXTERNAL:
        progress.actor = progress.seat
        progress.steps += 1
        is_illegal = not is_legal(games.masks[row], command)
    for _ in range(MAX_DEALS):
        if NEW_GAME <= command <= START:
            progress.actor, progress.steps = NO_SEAT, 0
            draw_players(row, seats.draws, seats.policies)
            if command == NEW_GAME:
                deal(state, games.rngs[row])
            note_start(row, games)
            command = np.int64(GO_ON)
            if options.one_ply:
                most = np.int64(0)
        if command <= LOOK:
            shown, is_over = np.int64(LOOK - command), False
        else:
            seat = np.int64(NO_SEAT)
            if not is_illegal:
                seat = advance(row, games, seats, command, most, record, options.skip_forced)
            progress.seat = seat
            if seat == FAULT:
                return False
            is_over = seat == NO_SEAT
            shown = np.int64(progress.actor) if is_over else seat
        if shown != NO_SEAT:
            observe(state, shown, record)
        result.seat = shown
        if not is_over:
            return True
        has_acted = shown != NO_SEAT
        if has_acted or not options.needs_choice:
            tell_end(row, slot, games, is_illegal, report)
        is_last = not (options.deals_again if has_acted else options.needs_choice)
        if is_last or options.one_ply:
            return True
        command, is_illegal = np.int64(NEW_GAME), False
    return False


def _tell_end(row, slot, games, is_illegal, report):
    """Tell how the game at a table has ended, and what its last actor knows."""
    progress, result = games.progress[row], report.results[row]
    result.ended = True
    result.illegal = is_illegal
    if is_illegal:
        clear(games.masks[row])
        result.returns[progress.actor] = LOSS
    else:
        returns(games.states[row], result.returns)
    if progress.actor != NO_SEAT:
        result.actor = progress.actor
        result.reward = result.returns[progress.actor]
        result.length = progress.steps
        progress.steps = 0
        encode_row(report.encoding, slot, report.finals[row])


@rule
def note_start(row, games):
    """Note how a game begins, so that it can be repeated from its actions."""
    progress, rng = games.progress[row], games.rngs[row]
    progress.plies = 0
    progress.start_state, progress.start_gamma = rng.state, rng.gamma
    if row < games.starts.shape[0]:
        games.starts[row] = games.states[row]


@rule
def note_ply(row, games, action):
    """Note an action that is about to be played."""
    progress = games.progress[row]
    if progress.plies < games.actions.shape[1]:
        games.actions[row, progress.plies] = action
    progress.plies += 1


@rule
def draw_players(row, draws, policies):
    """Draw the EXTERNAL seat of a table, unless it is fixed, and who sits clockwise from it."""
    if draws.rngs.shape[0] == 0:
        return
    rng, num_seats = draws.rngs[row], draws.pools.shape[0]
    first = below(rng, num_seats) if draws.seat == ANY_SEAT else np.int64(draws.seat)
    for place in range(num_seats):
        drawn = 0
        if draws.pools[place, 0].cumulative < 1.0:
            point = uniform(rng)
            while draws.pools[place, drawn].cumulative <= point:
                drawn += 1
        policies[row, (first + place) % num_seats] = draws.pools[place, drawn].policy


def _step(first, end, games, seats, commands, report, options):
    """Carry out commands [N] at the tables from `first` to `end`: play, let players act, and tell.

    `results` are zeros before. An illegal action of an EXTERNAL seat loses. Stop at another
    player's illegal choice, or where no deal gives a choice; return that row, or NO_ROW.
    """
    for start in range(first, end, options.block):
        stop = min(start + options.block, end)
        for row in range(start, stop):
            slot = first + row - start  # of its record: each block writes over the last one
            command = np.int64(commands[row])
            # Unsigned indices: compiled code does not ask each time whether they are negative.
            if command != LEAVE and not carry_out(
                np.uint64(row), np.uint64(slot), games, seats, command, report, options
            ):
                return row
        for row in range(start, stop):
            if commands[row] != LEAVE:
                encode_row(report.encoding, first + row - start, report.numbers[row])
    spread_masks(games.masks[first:end], report.masks[first:end])
    return NO_ROW


def _random_plies(first, end, games, seats, actions, report, options, num_plies):
    """Play random plies in self-play as `step` does; return the number of games that ended.

    `actions` [N] is scratch. A block of tables plays all plies before the next one does, so that it
    stays in the processor's cache.
    """
    num_ended = 0
    for start in range(first, end, BLOCK):
        stop = min(start + BLOCK, end)
        for _ in range(num_plies):
            for row in range(start, stop):
                rng = seats.rngs[row, games.progress[row].seat]
                actions[row] = random_allowed(games.masks[row], rng)
                report.results[row].ended = False
            step(start, stop, games, seats, actions, report, options)
            for row in range(start, stop):
                num_ended += report.results[row].ended
    return num_ended


def _random_playouts(first, end, games, seats, observation, options, num_plies):
    """Play as `random_plies`, but write nothing that seats know."""
    num_ended = 0
    for row in range(first, end):
        progress, command = games.progress[row], np.int64(0)
        for _ in range(num_plies):
            command = random_allowed(games.masks[row], seats.rngs[row, progress.seat])
            progress.actor = progress.seat
            progress.steps += 1
            while True:
                if command == NEW_GAME:
                    progress.steps = 0
                    deal(games.states[row], games.rngs[row])
                    command = np.int64(GO_ON)
                progress.seat = advance(
                    row, games, seats, command, _MOST_PLIES, observation, options.skip_forced
                )
                if progress.seat != NO_SEAT:
                    break
                num_ended += command != GO_ON
                command = np.int64(NEW_GAME)
    return num_ended


def _apply_rows(states, rngs, rows, actions):
    """Apply actions[k] at table rows[k]."""
    for k in range(rows.shape[0]):
        state = states[rows[k]]
        apply_action(state, actions[k])
        settle(state, rngs[rows[k]])


def _observe_rows(states, rows, seats, observations):
    """Write the observation of seats[k] at table rows[k], with any seat to act."""
    for k in range(rows.shape[0]):
        observe(states[rows[k]], seats[k], observations[k])


def _returns_rows(states, rows, out):
    for k in range(rows.shape[0]):
        returns(states[rows[k]], out[k])


def _reshuffle_rows(states, rows, seats, rngs, out):
    """Write positions out[k] that look the same to seats[k] as table rows[k]."""
    for k in range(rows.shape[0]):
        out[k] = states[rows[k]]
        reshuffle_unseen(out[k], seats[k], rngs[k])
