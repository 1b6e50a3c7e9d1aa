"""The compiled loops that drive every view, match and learner.

Each loop is an ordinary function over the global names of a game's rules (`deal`, `apply_action`,
...); `loops_of` binds it to one game. Games, players and what a step tells are named tuples of
arrays with one row for each table.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..bits import (
    clear,
    has_allowed,
    is_legal,
    nth_allowed,
    num_allowed,
    random_allowed,
    spread_masks,
)
from ..compile import bind, bind_inline, rule
from ..fields import encode_row, encode_rows
from ..game import CHANCE, NO_ACTION, NO_SEAT, Function, Game
from ..rng import STREAM, below, uniform

NO_ROW = -1
FAULT = -2  # in place of a seat: a compiled player has chosen an illegal action
NEW_GAME = -2  # an action at a table without a game: deal first
LOSS = -1.0  # the return of a seat whose illegal action ends the game
MAX_DEALS = 10_000  # attempts to deal a game with a choice, where `skip_forced` skips all others
BLOCK = 32  # tables whose records stay in the processor's first cache until they are encoded
EXTERNAL = -1  # the code of a seat whose actions come from outside the compiled loops
ANY_SEAT = -1  # in place of a seat: each game draws one

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


class Games(NamedTuple):
    """N running games: all that they need to go on."""

    states: np.ndarray  # [N] records
    rngs: np.ndarray  # [N] streams that deal and draw
    seats: np.ndarray  # [N] to act; NO_SEAT at the end
    masks: np.ndarray  # [N, W] words of the seats to act; empty where there is no game yet
    steps: np.ndarray  # [N] of this game so far


class Draws(NamedTuple):
    """What a game draws before its deal: the EXTERNAL seat, and players for the other seats."""

    rngs: np.ndarray  # [N] streams to draw from; empty where the seating is fixed
    seat: int  # the EXTERNAL one, or ANY_SEAT
    places: np.ndarray  # [seats, K] policies to draw from, clockwise from the EXTERNAL seat
    chances: np.ndarray  # [seats, K] cumulative probabilities of these policies
    codes: np.ndarray  # [policies + 1] code of each policy; the last is EXTERNAL


class Seated(NamedTuple):
    """Who acts inside the loops, by seat; in self-play nobody does."""

    codes: np.ndarray  # [N, seats] numbers of compiled players, or EXTERNAL
    weights: tuple[np.ndarray, ...]  # of the players, as for `chooser`
    rngs: np.ndarray  # [N, seats] the players' streams
    policies: np.ndarray  # [N, seats] indices of policies, or EXTERNAL
    draws: Draws


class Told(NamedTuple):
    """What a step tells about each table."""

    seats: np.ndarray  # [N] of those that act next
    masks: np.ndarray  # [N, 8 * W] of those seats, as `spread_masks` writes them
    records: np.ndarray  # [N] scratch: what those seats know, a block at a time
    encoding: Any  # of `records` (see `fields.Encoding`)
    numbers: np.ndarray  # [N, num_inputs] these observations as vectors
    finals: np.ndarray  # [N, num_inputs] what the last actor knew, where a game has ended
    ended: np.ndarray  # [N] whether a game has ended
    lost: np.ndarray  # [N] whether by an illegal action
    rewards: np.ndarray  # [N] of the seats that have acted
    returns: np.ndarray  # [N, seats], zero where no game has ended
    lengths: np.ndarray  # [N] steps of the games that have ended, else zero


class Ways(NamedTuple):
    """How a step plays."""

    skip_forced: bool  # play the plies of EXTERNAL seats that leave no choice
    deals_again: bool  # deal a new game in the step that ends one


class Loops(NamedTuple):
    """The compiled loops of one game."""

    deal_rows: Function
    apply_rows: Function
    show_rows: Function
    observe_rows: Function
    returns_rows: Function
    reshuffle_rows: Function
    advance_rows: Function
    step: Function
    look: Function
    random_plies: Function
    random_playouts: Function


class CompiledPlayer(NamedTuple):
    """A row function, and whether it takes weights: (weights, observation, mask words, rng)."""

    row_function: Function
    has_weights: bool = False
    is_blind: bool = False  # whether it looks at the mask alone


NO_WEIGHTS = np.zeros(0, np.int8)  # in place of the weights of a script
NO_DRAWS = Draws(
    np.zeros(0, STREAM), 0, np.zeros((0, 0), np.int64), np.zeros((0, 0)), np.zeros(0, np.int64)
)


def loops_of(game: Game, players: tuple[CompiledPlayer, ...] = ()) -> Loops:
    """Return the loops of a game in which these players act; a player's code is its index.

    All configurations of a game have the same ones.
    """
    return _bind_loops(tuple(getattr(game, name) for name in _RULES), players)


def meanings_of(game: Game) -> dict[str, Function]:
    """Return a game's rules by name, and `settle`, `ply`, `play`, `new_game` bound to them."""
    return _meanings(tuple(getattr(game, name) for name in _RULES))


def meanings_with(game: Game, players: tuple[CompiledPlayer, ...]) -> dict[str, Any]:
    """Return `meanings_of` a game, and `choose` and `advance`, for loops with these players."""
    return _meanings_with(tuple(getattr(game, name) for name in _RULES), players)


@lru_cache
def _meanings(functions: tuple[Function | None, ...]) -> dict[str, Function]:
    meanings: dict[str, Any] = dict(zip(_RULES, functions, strict=True))
    meanings["play_chance"] = meanings["play_chance"] or _no_chance
    meanings["settle"] = bind_inline(_settle, **meanings)
    meanings["ply"] = bind_inline(_ply, **meanings)
    meanings["play"] = bind(_play, **meanings)
    meanings["new_game"] = bind(_new_game, **meanings)
    return meanings


@lru_cache
def _meanings_with(
    functions: tuple[Function | None, ...], players: tuple[CompiledPlayer, ...]
) -> dict[str, Any]:
    meanings: dict[str, Any] = dict(_meanings(functions))
    meanings |= {"HAS_PLAYERS": bool(players), "choose": chooser(players)}
    is_seen = any(not player.is_blind for player in players)
    meanings["observe_mover"] = meanings["observe"] if is_seen else no_observation
    meanings["advance"] = bind_inline(_advance, **meanings)
    return meanings


@lru_cache
def _bind_loops(
    functions: tuple[Function | None, ...], players: tuple[CompiledPlayer, ...]
) -> Loops:
    meanings = dict(_meanings_with(functions, players))
    meanings["start_game"] = bind(_start_game, **meanings)
    meanings["end_game"] = bind(_end_game, **meanings)
    meanings["step"] = bind_inline(_step, **meanings)
    return Loops(*(bind_inline(globals()[f"_{name}"], **meanings) for name in Loops._fields))


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
        action = np.int64(nth_allowed(mask, 0))


def _new_game(state, rng, mask):
    """Deal until some seat has a choice; return it, or NO_SEAT after MAX_DEALS deals."""
    for _ in range(MAX_DEALS):
        deal(state, rng)
        seat = play(state, rng, np.int64(NO_ACTION), mask)
        if seat != NO_SEAT:
            return seat
    return NO_SEAT


def _advance(row, games, seated, action, observation, skip_forced):
    """Play an action (NO_ACTION: none), then those of compiled players.

    Return the EXTERNAL seat that has to act, with its mask; NO_SEAT at the end; FAULT where a
    player's choice is illegal, which then stands in the mask. `observation` is scratch.
    """
    state, mask = games.states[row], games.masks[row]
    while True:
        seat = ply(state, games.rngs[row], action, mask)
        if seat == NO_SEAT:
            return seat
        if HAS_PLAYERS and seated.codes[row, seat] != EXTERNAL:
            observe_mover(state, seat, observation)
            code, rng = seated.codes[row, seat], seated.rngs[row, seat]
            action = np.int64(choose(code, seated.weights, observation, mask, rng))
            if not is_legal(mask, action):
                mask[0] = action
                return FAULT
        elif skip_forced and num_allowed(mask) == 1:
            action = np.int64(nth_allowed(mask, 0))
        else:
            return seat


def _start_game(row, games, seated, is_dealt, observation, ways):
    """Start a game, with `is_dealt` from the position that lies there; return as `advance`.

    Deal again where that leaves no choice to an EXTERNAL seat, if `ways` has `deals_again`.
    """
    for _ in range(MAX_DEALS if ways.deals_again else 1):
        if not is_dealt:
            if seated.draws.rngs.shape[0] > 0:
                draw_players(row, seated.draws, seated.policies, seated.codes)
            deal(games.states[row], games.rngs[row])
        seat = advance(row, games, seated, np.int64(NO_ACTION), observation, ways.skip_forced)
        if seat != NO_SEAT or is_dealt:
            return seat
    return np.int64(NO_SEAT)


def _end_game(row, slot, games, seated, action, told, ways):
    """Tell how the game at a table has ended, and start the next one; return as `advance`.

    Where the mask is not empty, an illegal action has ended it. Where it was empty before, there
    was no game yet: NO_ACTION then starts one from the position that lies there. `slot` is the row
    of its record.
    """
    state, actor, record = games.states[row], games.seats[row], told.records[slot]
    is_lost = has_allowed(games.masks[row])
    if is_lost or told.ended[row]:
        told.ended[row] = True
        told.lost[row] = is_lost
        clear(games.masks[row])
        if is_lost:
            told.returns[row, actor] = LOSS
        else:
            returns(state, told.returns[row])
        told.rewards[row] = told.returns[row, actor]
        told.lengths[row] = games.steps[row]
        games.steps[row] = 0
        observe(state, actor, record)
        encode_row(told.encoding, slot, told.finals[row])
        if not ways.deals_again:
            return np.int64(NO_SEAT)
        action = np.int64(NEW_GAME)
    return start_game(row, games, seated, action == NO_ACTION, record, ways)


@rule
def draw_players(row, draws, policies, codes):
    """Draw the EXTERNAL seat of a table, unless it is fixed, and who sits clockwise from it."""
    rng, num_seats = draws.rngs[row], draws.places.shape[0]
    first = below(rng, num_seats) if draws.seat == ANY_SEAT else np.int64(draws.seat)
    for place in range(num_seats):
        seat, drawn = (first + place) % num_seats, 0
        if draws.chances[place, 0] < 1.0:
            point = uniform(rng)
            while draws.chances[place, drawn] <= point:
                drawn += 1
        policies[row, seat] = draws.places[place, drawn]
        codes[row, seat] = draws.codes[policies[row, seat]]


@rule
def draw_players_of_rows(rows, draws, policies, codes):
    """Draw at these tables as `draw_players` does."""
    for row in rows:
        draw_players(row, draws, policies, codes)


def _step(first, end, games, seated, actions, told, ways):
    """Play one ply of the EXTERNAL seats at the tables from `first` to `end`, then the others'.

    A table with an empty mask has no game yet: it gets one, by a deal or, where the action is
    NO_ACTION, from the position that lies there. An illegal action loses. Stop at another player's
    illegal choice, or where no deal gives a choice; return that row, or NO_ROW.
    """
    for start in range(first, end, BLOCK):
        stop = min(start + BLOCK, end)
        for row in range(start, stop):
            slot = first + row - start  # of its record: each block writes over the last one
            action, seat = np.int64(actions[row]), np.int64(NO_SEAT)
            clear_told(row, told)
            games.steps[row] += 1
            if is_legal(games.masks[row], action):
                record = told.records[slot]
                seat = advance(row, games, seated, action, record, ways.skip_forced)
                told.ended[row] = seat == NO_SEAT
            if seat == NO_SEAT:
                seat = end_game(row, slot, games, seated, action, told, ways)
            games.seats[row] = seat
            told.seats[row] = seat
            if seat == FAULT or (seat == NO_SEAT and ways.deals_again):
                return row
            if seat != NO_SEAT:
                observe(games.states[row], seat, told.records[slot])
        encode_rows(told.encoding, first, told.numbers[start:stop])
    spread_masks(games.masks[first:end], told.masks[first:end])
    return NO_ROW


@rule
def clear_told(row, told):
    """Forget what the last step told of the end of a game."""
    told.ended[row] = False
    told.lost[row] = False
    told.rewards[row] = 0.0
    told.lengths[row] = 0
    for seat in range(told.returns.shape[1]):
        told.returns[row, seat] = 0.0


def _look(games, seat, told):
    """Write what a seat knows at the first table, with any seat to act."""
    observe(games.states[0], seat, told.records[0])
    encode_row(told.encoding, 0, told.numbers[0])


def _random_plies(first, end, games, seated, actions, told, ways, num_plies):
    """Play random plies in self-play as `step` does; return the number of games that ended.

    `actions` [N] is scratch. A block of tables plays all plies before the next one does, so that it
    stays in the processor's cache.
    """
    num_ended = 0
    for start in range(first, end, BLOCK):
        stop = min(start + BLOCK, end)
        for _ in range(num_plies):
            for row in range(start, stop):
                rng = seated.rngs[row, games.seats[row]]
                actions[row] = random_allowed(games.masks[row], rng)
            step(start, stop, games, seated, actions, told, ways)
            for row in range(start, stop):
                num_ended += told.ended[row]
    return num_ended


def _random_playouts(first, end, games, seated, observation, ways, num_plies):
    """Play as `random_plies`, but write nothing that seats know."""
    num_ended = 0
    for row in range(first, end):
        seat = games.seats[row]
        for _ in range(num_plies):
            action = random_allowed(games.masks[row], seated.rngs[row, seat])
            seat = advance(row, games, seated, action, observation, ways.skip_forced)
            games.steps[row] += 1
            if seat == NO_SEAT:
                seat = start_game(row, games, seated, False, observation, ways)
                games.steps[row] = 0
                num_ended += 1
        games.seats[row] = seat
    return num_ended


def _advance_rows(games, seated, rows, observation, skip_forced):
    """Let compiled players act at tables `rows` until an EXTERNAL seat must, or the end.

    Stop at an illegal choice and return its row, or NO_ROW.
    """
    for row in rows:
        games.seats[row] = advance(
            row, games, seated, np.int64(NO_ACTION), observation, skip_forced
        )
        if games.seats[row] == FAULT:
            return row
    return NO_ROW


def _deal_rows(states, rngs, rows, is_dealt):
    """Deal at these tables, unless they are dealt; let the games draw until a seat is to act."""
    for row in rows:
        if not is_dealt:
            deal(states[row], rngs[row])
        settle(states[row], rngs[row])


def _apply_rows(states, rngs, rows, actions):
    """Apply actions[k] at table rows[k]."""
    for k in range(rows.shape[0]):
        state = states[rows[k]]
        apply_action(state, actions[k])
        settle(state, rngs[rows[k]])


def _show_rows(states, rows, seats, observations, words):
    """Write the seat to act at table rows[k] (NO_SEAT at the end), its observation and mask."""
    for k in range(rows.shape[0]):
        state = states[rows[k]]
        words[k, :] = 0
        if is_terminal(state):
            seats[k] = NO_SEAT
        else:
            seats[k] = seat_to_act(state)
            legal_actions(state, words[k])
            observe(state, seats[k], observations[k])


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


# Compiled players inside the loops


def _choose_first(code, weights, observation, mask, rng):
    if code == 0:
        return first(weights[0], observation, mask, rng)
    return rest(code - 1, weights[1:], observation, mask, rng)


def _choose_only(code, weights, observation, mask, rng):
    return first(weights[0], observation, mask, rng)


def _choose_nobody(code, weights, observation, mask, rng):
    return NO_ACTION


def _of_script(weights, observation, mask, rng):
    return row_function(observation, mask, rng)


def _of_network(weights, observation, mask, rng):
    return row_function(weights[0], observation, mask, rng)


@lru_cache
def chooser(players: tuple[CompiledPlayer, ...]) -> Function:
    """Return a function for any of these players: choose(code, weights, observation, mask, rng).

    `weights` is a tuple with an array for each player: a record [1], or NO_WEIGHTS.
    """
    if not players:
        return bind_inline(_choose_nobody)
    template = _of_network if players[0].has_weights else _of_script
    first = bind_inline(template, row_function=players[0].row_function)
    if len(players) == 1:
        return bind_inline(_choose_only, first=first)
    return bind_inline(_choose_first, first=first, rest=chooser(players[1:]))
