"""Many tables at once: the compiled loops that drive every view, match and learner.

Each loop is an ordinary function over the global names of a game's rules (`deal`, `apply_action`,
...); `loops_of` binds it to one game, compiled once and kept on disk. `Tables` owns the arrays.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from .bits import (
    clear,
    has_allowed,
    is_allowed,
    is_legal,
    new_mask_rows,
    nth_allowed,
    num_allowed,
    random_allowed,
    spread_masks,
)
from .game import CHANCE, NO_ACTION, NO_SEAT, Function, Game
from .jit import apart, bind, bind_flat, bind_flat_upwards, bind_inline, rule
from .memory import FAR, claim, claim_row, prefetch
from .player_streams import start_players
from .records import (
    keep_constants,
    write_all,
    write_changes,
    write_constants,
    write_record,
    write_row,
)
from .rng import STREAM, below, start_stream

NO_ROW = -1
ILLEGAL = -2  # `step_table` returns it in place of a seat
FAULT = -2  # `step_learner` returns it where another player's choice is illegal
NEW_GAME = -2  # an action of `step_table`, `step_learner` and `play_learner`: deal first
LOOK = -3  # an action of `step_table`: LOOK - seat plays nothing and shows what that seat knows
LOSS = -1.0  # the return of a seat whose illegal action ends the game
MAX_DEALS = 10_000  # attempts to deal a game with a choice, where `skip_forced` skips all others
AHEAD = 6  # tables between the one that a loop plays at and the one whose memory it asks for
REMOTE_AHEAD = 32  # the same for memory that another core holds
EXTERNAL = -1  # the code of a seat whose actions come from outside the compiled loops

_RULES = (
    "deal",
    "seat_to_act",
    "legal_actions",
    "apply_action",
    "is_terminal",
    "returns",
    "observe",
    "observe_inputs",
    "observe_constants",
    "reshuffle_unseen",
    "play_chance",
)


class _Rules(NamedTuple):
    """What the loops of a game depend on."""

    functions: tuple[Function | None, ...]  # those named in _RULES
    has_constants: bool  # whether observations have fields that are constant


def _rules_of(game: Game) -> _Rules:
    return _Rules(tuple(getattr(game, name) for name in _RULES), game.layout.num_constants > 0)


class Loops(NamedTuple):
    """The compiled loops of one game."""

    deal_rows: Function
    apply_rows: Function
    show_rows: Function
    observe_seats: Function
    returns_rows: Function
    reshuffle_rows: Function
    start_tables: Function
    step_table: Function
    step_tables: Function
    random_plies: Function
    random_playouts: Function


def loops_of(game: Game) -> Loops:
    """Return the loops of a game; all its configurations have the same ones."""
    return _bind_loops(_rules_of(game))


@lru_cache
def _bind_loops(rules: _Rules) -> Loops:
    meanings = rule_meanings(rules)
    return Loops(
        *(_BINDING.get(name, bind)(_TEMPLATES[name], **meanings) for name in Loops._fields)
    )


@lru_cache
def rule_meanings(rules: _Rules) -> dict[str, Function]:
    """Return the names that a loop template may use, with a game's functions as their meaning."""
    meanings: dict[str, Any] = dict(zip(_RULES, rules.functions, strict=True))
    for name in ("deal", "returns"):  # once in a game
        meanings[name] = apart(meanings[name])
    meanings["play_chance"] = meanings["play_chance"] or _no_chance
    settling = ("seat_to_act", "is_terminal", "play_chance")
    meanings["settle"] = bind(_settle, **{name: meanings[name] for name in settling})
    has_inputs = meanings["observe_inputs"] is not None
    left_out = meanings["observe_constants"] or meanings["observe"]
    meanings["observe_new"] = apart(left_out) if has_inputs else _no_observation
    meanings["observe_inputs"] = meanings["observe_inputs" if has_inputs else "observe"]
    meanings |= _writing(rules.has_constants)
    meanings["ply"] = bind_inline(_ply, **meanings)
    meanings["play"] = bind_inline(_play, **meanings)
    meanings["new_game"] = apart(bind(_new_game, **meanings))
    for template in (_random_ply, _note_inputs, _note_final, _step_block, _random_block):
        meanings[template.__name__.removeprefix("_")] = bind_inline(template, **meanings)
    return meanings


def _writing(has_constants: bool) -> dict[str, Function]:
    """Return the functions by name that write records as numbers."""
    keep, write = (keep_constants, write_constants) if has_constants else (_no_constants,) * 2
    record = bind(write_record, write_constants=write)
    return {
        "keep_constants": keep,
        "write_constants": write,
        "write_all": bind(write_all, write_record=record),
        "write_rarely": apart(record),
    }


def meanings_of(game: Game) -> dict[str, Function]:
    """Return the rule functions of a game by name, and `settle`, for binding further loops."""
    return rule_meanings(_rules_of(game))


@rule
def _no_chance(state, rng):
    """Stand for `play_chance` of a game without chance; it is never called."""


@rule
def _no_observation(state, seat, out):
    """Stand for `observe` where nobody needs it."""


@rule
def _no_constants(buffers, source, out):
    """Stand for `keep_constants` and `write_constants` where no field is constant."""


def _settle(state, rng):
    """Play chance moves until a seat is to act or the game is over."""
    while seat_to_act(state) == CHANCE and not is_terminal(state):
        play_chance(state, rng)


def _ply(state, rng, action, words):
    """Play one ply (NO_ACTION: none). Return the seat to act, with its mask in `words`.

    At the end, return NO_SEAT, with an empty mask.
    """
    if action != NO_ACTION:
        apply_action(state, action)
    clear(words)
    settle(state, rng)
    if is_terminal(state):
        return NO_SEAT
    legal_actions(state, words)
    return np.int64(seat_to_act(state))


def _play(state, rng, action, words, skip_forced):
    """Play one ply, as `_ply`, and with `skip_forced` the forced plies after it."""
    while True:
        seat = ply(state, rng, action, words)
        if seat == NO_SEAT or not skip_forced or num_allowed(words) > 1:
            return seat
        action = nth_allowed(words, 0)


def _new_game(state, rng, words, skip_forced):
    """Deal, again where `skip_forced` leaves no choice to any seat; return the seat to act."""
    for _ in range(MAX_DEALS):
        deal(state, rng)
        seat = play(state, rng, NO_ACTION, words, skip_forced)
        if seat != NO_SEAT:
            return seat
    return NO_SEAT


def _random_ply(state, rng, player_rngs, seat, words, skip_forced):
    """Play a random action of `seat`; after the end, deal. Return (seat to act, has ended)."""
    action = random_allowed(words, player_rngs[seat])
    seat = play(state, rng, action, words, skip_forced)
    if seat != NO_SEAT:
        return seat, 0
    return new_game(state, rng, words, skip_forced), 1


def _note_inputs(state, seat, is_new, index, records, buffers, constants):
    """Write the fields that show of what a seat knows to `records[index]`.

    Where the game is new, copy its constant fields to `constants` [num_constants].
    """
    if is_new:
        observe_new(state, seat, records[index])
    observe_inputs(state, seat, records[index])
    if is_new:
        keep_constants(buffers, index, constants)


def _note_final(state, seat, index, records, buffers, constants, final):
    """Write what a seat knows at the end of a game to `final` [num_inputs], as numbers."""
    observe_inputs(state, seat, records[index])
    write_rarely(buffers, index, constants, final)


def _deal_rows(states, rngs, rows):
    for row in rows:
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


def _observe_seats(states, rows, seats, observations):
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


def _start_tables(states, rngs, rows, is_dealt, skip_forced, seats, words):
    """Start new games, or with `is_dealt` those dealt already; write the first seats to act."""
    for row in rows:
        if is_dealt:
            seats[row] = play(states[row], rngs[row], NO_ACTION, words[row], skip_forced)
        else:
            seats[row] = new_game(states[row], rngs[row], words[row], skip_forced)


def _step_table(
    states, rngs, words, masks, observations,
    rewards, rows, bytes_of_rows, factors, sources, sizes, numbers, action,
):  # fmt: skip
    """Play one ply at the only table [1]. Return the seat to act, NO_SEAT at the end, or ILLEGAL.

    `words` [1, W] holds the mask before and after, `masks` [1] the same as bytes. What the seat
    knows goes to `observations` [1] and, as numbers, to `numbers`, by way of `row_buffers`; at the
    end, the returns go to `rewards` [1, seats]. NEW_GAME deals and gives the first seat to act, as
    does NO_ACTION after a deal. LOOK - seat only shows what that seat knows, with any seat to act.
    """
    seat = LOOK - action
    if seat < 0:
        if action == NEW_GAME:
            deal(states[0], rngs[0])
            action = NO_ACTION
        elif action != NO_ACTION and not is_allowed(words[0], action):
            return ILLEGAL
        seat = ply(states[0], rngs[0], action, words[0])
        spread_masks(words, masks)
    if seat == NO_SEAT:
        returns(states[0], rewards[0])
    else:
        observe(states[0], seat, observations[0])
        write_row(rows, bytes_of_rows, factors, sources, sizes, numbers)
    return seat


def _step_tables(
    first, end, states, rngs, skip_forced, seats, actions, words, masks, shown, ended, lost,
    rewards, outcomes, finals, constants, numbers, records, buffers, is_remote,
):  # fmt: skip
    """Play one ply at the tables from `first` to `end`. Where a game has ended, deal a new one.

    `seats`, `words` and `masks` describe the seats to act, before and after; `shown` is a copy of
    `seats`. `ended` says where a game has ended, and `lost` where an illegal action lost it:
    `outcomes` [tables, seats] then has its returns, `rewards` that of the actor, and `finals` what
    the actor knows; elsewhere the first two are 0. `constants` [tables, num_constants] has the
    constant fields of each table. What the seats to act know goes to `numbers` [tables,
    num_inputs], as does what is in `finals`, by way of `records` [block] and `buffers` (see
    `block_buffers`), which are scratch. `is_remote` says that this is not the caller's thread.
    """
    is_far = numbers.size * numbers.itemsize >= FAR
    for start in range(first, end, records.shape[0]):
        stop = min(start + records.shape[0], end)
        num_remote = end - start if is_remote else 0
        step_block(
            states[start:stop], rngs[start:stop], actions[start:stop], skip_forced,
            seats[start:stop], words[start:stop], shown[start:stop], ended[start:stop],
            lost[start:stop], rewards[start:stop], outcomes[start:stop], finals[start:stop],
            records, buffers, constants[start:stop], numbers[start:stop], num_remote, is_far,
        )  # fmt: skip
        write_all(buffers, constants[start:stop], numbers[start:stop])
    spread_masks(words[first:end], masks[first:end])


def _step_block(
    states, rngs, actions, skip_forced, seats, words, shown, ended, lost, rewards, outcomes, finals,
    records, buffers, constants, numbers, num_remote, is_far,
):  # fmt: skip
    """Play one ply at each table of a block, and leave what the seats know in `records`.

    Asks for what another core holds of the first `num_remote` tables, some of them in the blocks
    that follow, and where `is_far` for the memory of `numbers`, which is written next.
    """
    rewards[:] = 0.0
    outcomes[:] = 0.0
    for row in range(states.shape[0]):
        prefetch(states, row + AHEAD)
        if row + REMOTE_AHEAD < num_remote:
            claim_table(words, seats, shown, rewards, outcomes, row + REMOTE_AHEAD)
        if is_far:
            claim_row(numbers, row)
        state, actor = states[row], seats[row]
        seat = NO_SEAT
        is_lost = not is_legal(words[row], actions[row])
        if not is_lost:
            seat = play(state, rngs[row], actions[row], words[row], skip_forced)
        is_over = seat == NO_SEAT
        ended[row] = is_over
        lost[row] = is_lost
        if is_over:
            note_final(state, actor, row, records, buffers, constants[row], finals[row])
            if is_lost:
                outcomes[row, actor] = LOSS
            else:
                returns(state, outcomes[row])
            rewards[row] = outcomes[row, actor]
            seat = new_game(state, rngs[row], words[row], skip_forced)
        seats[row] = seat
        shown[row] = seat
        note_inputs(state, seat, is_over, row, records, buffers, constants[row])


@rule
def claim_table(words, seats, shown, rewards, outcomes, row):
    """Ask for what other threads, the caller's most of all, have read or written before."""
    claim_row(words, row)
    if row % 8 == 0:  # a line has eight numbers
        claim(seats, row, 0)
        claim(shown, row, 0)
        claim(rewards, row, 0)
    if row % 2 == 0:  # and the returns of two tables with four seats
        claim(outcomes, row, 0)


def _random_plies(
    first, end, states, rngs, player_rngs, num_plies, skip_forced, seats, words, actions, masks,
    constants, numbers, records, buffers, num_ended,
):  # fmt: skip
    """Play `num_plies` random plies at the tables from `first` to `end`; write what they show.

    After each, it is what `step_tables` writes. A block of tables plays all plies before the next
    block, so that it stays in the processor's cache. All its tables choose before any acts, so that
    the processor may choose at several at once. Adds to `num_ended` [1] the games that ended.
    """
    found = 0
    for start in range(first, end, records.shape[0]):
        stop = min(start + records.shape[0], end)
        for row in range(start, stop):
            write_constants(buffers, constants[row], numbers[row])
        for _ in range(num_plies):
            found += random_block(
                states[start:stop], rngs[start:stop], player_rngs[start:stop], skip_forced,
                seats[start:stop], words[start:stop], actions[start:stop], records, buffers,
                constants[start:stop], numbers[start:stop],
            )  # fmt: skip
            write_changes(buffers, numbers[start:stop])
            spread_masks(words[start:stop], masks[start:stop])
    num_ended[0] += found


def _random_block(
    states, rngs, player_rngs, skip_forced, seats, words, actions, records, buffers, constants,
    numbers,
):  # fmt: skip
    """Play one random ply at each table of a block, and leave what the seats know in `records`.

    The constant fields of new games go to `constants` and `numbers`.
    """
    for row in range(states.shape[0]):
        actions[row] = random_allowed(words[row], player_rngs[row, seats[row]])
    num_ended = 0
    for row in range(states.shape[0]):
        state = states[row]
        seat = play(state, rngs[row], actions[row], words[row], skip_forced)
        is_new = seat == NO_SEAT
        if is_new:
            seat = new_game(state, rngs[row], words[row], skip_forced)
            num_ended += 1
        seats[row] = seat
        note_inputs(state, seat, is_new, row, records, buffers, constants[row])
        if is_new:
            write_constants(buffers, constants[row], numbers[row])
    return num_ended


def _random_playouts(
    first, end, states, rngs, player_rngs, num_plies, skip_forced, seats, words, num_ended
):  # fmt: skip
    """Play as `_random_plies`, and write nothing."""
    found = 0
    for row in range(first, end):
        seat = seats[row]
        for _ in range(num_plies):
            seat, ended = random_ply(
                states[row], rngs[row], player_rngs[row], seat, words[row], skip_forced
            )
            found += ended
        seats[row] = seat
    num_ended[0] += found


def _advance_rows(
    first, end, states, rngs, rows, codes, weights, player_rngs, skip_forced, observation, words,
    fault,
):  # fmt: skip
    """Let compiled players act at tables `rows` until a seat with code EXTERNAL must, or the end.

    `codes` and `player_rngs` are [tables, seats]; `weights` is as for `chooser`; `observation` [1]
    and `words` are scratch. With `skip_forced` the plies of EXTERNAL seats that leave no choice are
    played too. Stops at an illegal choice, and notes it in `fault` (see `new_fault`).
    """
    for row in rows[first:end]:
        seat, illegal = to_learner(
            states[row], rngs[row], NO_ACTION, codes[row], weights, player_rngs[row], skip_forced,
            words, observation[0],
        )  # fmt: skip
        if seat == FAULT:
            note_fault(fault, row, illegal)
            return


def new_fault() -> np.ndarray:
    """Return (row, action) of the illegal choice of a compiled player: of none, so far."""
    return np.array([NO_ROW, NO_ACTION])


@rule
def note_fault(fault, row, action):
    """Keep that of the first row, because the order in which threads find them is chance."""
    if fault[0] == NO_ROW or row < fault[0]:
        fault[0] = row
        fault[1] = action


def first_fault(faults: Sequence[np.ndarray]) -> tuple[int, int] | None:
    """Return (row, action) of the first among the faults of all threads; None for none."""
    return min(((int(row), int(action)) for row, action in faults if row != NO_ROW), default=None)


def _to_learner(
    state, rng, action, codes, weights, player_rngs, skip_forced, mask, observation
):  # fmt: skip
    """Play an action at a table (NO_ACTION: none), then those of compiled players.

    `codes`, `player_rngs` [seats] and `mask` are those of the table; `observation` is scratch.
    Returns, when a seat of code EXTERNAL has to act, (that seat, NO_ACTION) with its mask in
    `mask`; NO_SEAT and an empty mask at the end; (FAULT, action) where a player's choice is
    illegal. With `skip_forced` the plies of EXTERNAL seats that leave no choice are played too.
    """
    while True:
        seat = ply(state, rng, action, mask)
        if seat == NO_SEAT:
            return np.int64(NO_SEAT), np.int64(NO_ACTION)
        code = codes[seat]
        if code != EXTERNAL:
            observe_mover(state, seat, observation)
            action = np.int64(choose(code, weights, observation, mask, player_rngs[seat]))
            if not is_legal(mask, action):
                return np.int64(FAULT), action
        elif skip_forced and num_allowed(mask) == 1:
            action = np.int64(nth_allowed(mask, 0))
        else:
            return seat, np.int64(NO_ACTION)


def _play_deals(
    first, end, seeds, codes, weights, out, states, rngs, player_rngs, observation, words, fault
):  # fmt: skip
    """Play a whole game of deal seeds[k] by the players codes[k, sitting] [seats], each sitting.

    The returns go to `out` [deals, sittings, seats]. Stops at an illegal choice, and notes deal and
    action in `fault` (see `new_fault`). `states` and `rngs` [2], `player_rngs` [seats],
    `observation` [1] and `words` are scratch.
    """
    for k in range(first, end):
        start_stream(rngs[0], seeds[k])
        deal(states[0], rngs[0])
        for sitting in range(codes.shape[1]):
            states[1] = states[0]
            rngs[1] = rngs[0]
            start_players(player_rngs, seeds[k], np.uint64(sitting))
            seat, illegal = to_learner(
                states[1], rngs[1], NO_ACTION, codes[k, sitting], weights, player_rngs, False,
                words, observation[0],
            )  # fmt: skip
            if seat == FAULT:
                note_fault(fault, k, illegal)
                return
            returns(states[1], out[k, sitting])


def _step_learner(
    states, rngs, codes, weights, player_rngs, skip_forced, learners, words, masks, observations,
    rewards, rows, bytes_of_rows, factors, sources, sizes, numbers, action,
):  # fmt: skip
    """Play a ply of the learner at the only table [1], and of the others until its next turn.

    Returns its seat, which is `learners` [1]; NO_SEAT at the end, or FAULT where another player's
    choice is illegal, which is then left in `words`. NEW_GAME deals first. All else is as for
    `_step_table`.
    """
    if action == NEW_GAME:
        deal(states[0], rngs[0])
        action = NO_ACTION
    seat, illegal = to_learner(
        states[0], rngs[0], action, codes[0], weights, player_rngs[0], skip_forced, words[0],
        observations[0],
    )  # fmt: skip
    if seat == FAULT:
        words[0, 0] = illegal
        return seat
    spread_masks(words, masks)
    if seat == NO_SEAT:
        returns(states[0], rewards[0])
    observe(states[0], learners[0], observations[0])
    write_row(rows, bytes_of_rows, factors, sources, sizes, numbers)
    return seat


def _play_learner(
    state, rng, action, learner, codes, weights, player_rngs, skip_forced, row, seat_rngs, seated,
    places, mask, outcomes, final, scratch, records, buffers, constants,
):  # fmt: skip
    """Play a ply of the learner at one table and of the others until its next turn; deal if over.

    NO_ACTION loses, and NEW_GAME deals at once. `codes`, `seated`, `player_rngs`, `mask`,
    `outcomes`, `final` and `constants` are those of the table, which is `row` of its block; all
    others are as for `_step_learners`. Returns (seat, action, whether a game has ended): the first
    two as `_to_learner`.
    """
    is_new, is_over, has_ended = action == NEW_GAME, action < 0, False
    if action == NO_ACTION:
        outcomes[learner] = LOSS
    for _ in range(1 + MAX_DEALS):
        if is_over:
            if not is_new and not has_ended:
                note_final(state, learner, row, records, buffers, constants, final)
            has_ended = True
            if seat_rngs.shape[0] > 0:
                seat_learner(below(seat_rngs[row], codes.shape[0]), seated, codes, places)
            deal(state, rng)
            action = np.int64(NO_ACTION)
        seat, illegal = to_learner(
            state, rng, action, codes, weights, player_rngs, skip_forced, mask, scratch
        )
        if seat != NO_SEAT:
            return seat, illegal, has_ended
        if not is_over:
            returns(state, outcomes)
            is_over = True
    return np.int64(NO_SEAT), np.int64(NO_ACTION), has_ended


def _step_learners(
    first, end, states, rngs, codes, weights, player_rngs, skip_forced, learners, seat_rngs, seated,
    places, actions, words, masks, shown, ended, lost, rewards, outcomes, finals, constants,
    numbers, scratch, fault, records, buffers, is_remote,
):  # fmt: skip
    """Play a ply of the learner at the tables from `first` to `end`. Deal where a game has ended.

    Where nothing is legal, there is no game yet, and one is dealt. `learners` [tables] are its
    seats, drawn anew for each game from `seat_rngs` unless these are empty; `places` [2, seats] are
    the policies and codes clockwise from it. `scratch` [1] is an observation. Stops at another
    player's illegal choice, and notes it in `fault` (`new_fault`); where no deal gives the learner
    a choice, notes NO_ACTION. All else is as in `_step_tables`.
    """
    is_far = numbers.size * numbers.itemsize >= FAR
    for start in range(first, end, records.shape[0]):
        stop = min(start + records.shape[0], end)
        num_remote = end - start if is_remote else 0
        failed, action = learners_block(
            states[start:stop], rngs[start:stop], codes[start:stop], weights,
            player_rngs[start:stop], skip_forced, learners[start:stop], seat_rngs[start:stop],
            seated[start:stop], places, actions[start:stop], words[start:stop], shown[start:stop],
            ended[start:stop], lost[start:stop], rewards[start:stop], outcomes[start:stop],
            finals[start:stop], constants[start:stop], numbers[start:stop], num_remote, is_far,
            scratch, records, buffers,
        )  # fmt: skip
        if failed != NO_ROW:
            note_fault(fault, start + failed, action)
            return
        write_all(buffers, constants[start:stop], numbers[start:stop])
    spread_masks(words[first:end], masks[first:end])


def _learners_block(
    states, rngs, codes, weights, player_rngs, skip_forced, learners, seat_rngs, seated, places,
    actions, words, shown, ended, lost, rewards, outcomes, finals, constants, numbers, num_remote,
    is_far, scratch, records, buffers,
):  # fmt: skip
    """Play a ply of the learner at each table of a block, as `_step_learners`.

    Returns (NO_ROW, NO_ACTION), or the row and the action to note. `num_remote` and `is_far` are as
    in `_step_block`.
    """
    outcomes[:] = 0.0
    for row in range(states.shape[0]):
        prefetch(states, row + AHEAD)
        if row + REMOTE_AHEAD < num_remote:
            claim_table(words, learners, shown, rewards, outcomes, row + REMOTE_AHEAD)
        if is_far:
            claim_row(numbers, row)
        learner, mask, action = learners[row], words[row], np.int64(actions[row])
        if not is_legal(mask, action):
            action = np.int64(NO_ACTION if has_allowed(mask) else NEW_GAME)
        lost[row] = action == NO_ACTION
        seat, action, ended[row] = play_learner(
            states[row], rngs[row], action, learner, codes[row], weights, player_rngs[row],
            skip_forced, row, seat_rngs, seated[row], places, mask, outcomes[row], finals[row],
            scratch[0], records, buffers, constants[row],
        )  # fmt: skip
        if seat < 0:  # FAULT, or NO_SEAT where no deal gives a choice
            return row, action
        rewards[row] = outcomes[row, learner]
        learners[row] = seat
        shown[row] = seat
        note_inputs(states[row], seat, ended[row], row, records, buffers, constants[row])
    return NO_ROW, np.int64(NO_ACTION)


@rule
def seat_learner(learner, seated, codes, places):
    """Seat the learner at a table, and the others clockwise from it; see `_step_learners`."""
    for place in range(codes.shape[0]):
        seat = (learner + place) % codes.shape[0]
        seated[seat] = places[0, place]
        codes[seat] = places[1, place]


_TEMPLATES: dict[str, Function] = {
    "deal_rows": _deal_rows,
    "apply_rows": _apply_rows,
    "show_rows": _show_rows,
    "observe_seats": _observe_seats,
    "returns_rows": _returns_rows,
    "reshuffle_rows": _reshuffle_rows,
    "start_tables": _start_tables,
    "step_table": _step_table,
    "step_tables": _step_tables,
    "random_plies": _random_plies,
    "random_playouts": _random_playouts,
}
# Where a call costs most. In threads, loops that write observations are not flat: flat they are
# faster for one game and slower for two.
_BINDING = {
    "step_tables": bind_flat,
    "random_plies": bind_flat,
    "random_playouts": bind_flat_upwards,
}


# Compiled players inside the loops


def _choose_first(code, weights, observation, words, rng):
    if code == 0:
        return first(weights[0], observation, words, rng)
    return rest(code - 1, weights[1:], observation, words, rng)


def _choose_only(code, weights, observation, words, rng):
    return first(weights[0], observation, words, rng)


def _choose_nobody(code, weights, observation, words, rng):
    return NO_ACTION


def _of_script(weights, observation, words, rng):
    return row_function(observation, words, rng)


def _of_network(weights, observation, words, rng):
    return row_function(weights[0], observation, words, rng)


class CompiledPlayer(NamedTuple):
    """A row function, and whether it takes weights: (weights, observation, mask words, rng)."""

    row_function: Function
    has_weights: bool = False
    is_blind: bool = False  # whether it looks at the mask alone


NO_WEIGHTS = np.zeros(0, np.int8)  # in place of the weights of a script


@lru_cache
def chooser(players: tuple[CompiledPlayer, ...]) -> Function:
    """Return a function for any of these players: choose(code, weights, observation, mask, rng).

    `weights` is a tuple with an array for each player: a record [1], or NO_WEIGHTS.
    """
    if not players:
        return bind(_choose_nobody)
    template = _of_network if players[0].has_weights else _of_script
    first = bind(template, row_function=players[0].row_function)
    if len(players) == 1:
        return bind(_choose_only, first=first)
    return bind(_choose_first, first=first, rest=chooser(players[1:]))


def advance_loop(game: Game, players: tuple[CompiledPlayer, ...]) -> Function:
    """Return the loop in which `players` act by themselves; a player's code is its index."""
    return _bind_advance(_rules_of(game), players)


@lru_cache
def _bind_advance(rules: _Rules, players: tuple[CompiledPlayer, ...]) -> Function:
    return bind(_advance_rows, **_meanings_with(players, rules))


def deals_loop(game: Game, players: tuple[CompiledPlayer, ...]) -> Function:
    """Return the loop in which `players` play whole games; a player's code is its index."""
    return _bind_deals(_rules_of(game), players)


@lru_cache
def _bind_deals(rules: _Rules, players: tuple[CompiledPlayer, ...]) -> Function:
    return bind(_play_deals, **_meanings_with(players, rules))


class LearnerLoops(NamedTuple):
    """The loops in which compiled players act between the plies of one learning seat."""

    step_learner: Function
    step_learners: Function


def learner_loops(game: Game, players: tuple[CompiledPlayer, ...]) -> LearnerLoops:
    """Return these loops with `players` as opponents; a player's code is its index."""
    return _bind_learner_loops(_rules_of(game), players)


@lru_cache
def _bind_learner_loops(rules: _Rules, players: tuple[CompiledPlayer, ...]) -> LearnerLoops:
    meanings = _meanings_with(players, rules)
    meanings["play_learner"] = bind(_play_learner, **meanings)
    meanings["learners_block"] = bind_inline(_learners_block, **meanings)
    return LearnerLoops(bind(_step_learner, **meanings), bind(_step_learners, **meanings))


def _meanings_with(players: tuple[CompiledPlayer, ...], rules: _Rules) -> dict[str, Function]:
    """Return the names that a loop may use in which these players choose.

    Where all are blind, none is made to wait for an observation.
    """
    meanings = rule_meanings(rules)
    is_seen = any(not player.is_blind for player in players)
    observe = meanings["observe"] if is_seen else _no_observation
    meanings = {**meanings, "observe_mover": observe, "choose": chooser(players)}
    return {**meanings, "to_learner": bind(_to_learner, **meanings)}


def action_masks(words: np.ndarray, num_actions: int) -> np.ndarray:
    """Convert masks in words [B, W] to a fresh int8 array [B, A], 1 = legal."""
    padded = new_mask_rows(len(words), num_actions)
    spread_masks(words, padded)
    return padded[:, :num_actions]


@rule
def _strike_illegal(words, actions):
    num_illegal = 0
    for row in range(actions.shape[0]):
        if not is_legal(words[row], actions[row]):
            actions[row] = NO_ACTION
            num_illegal += 1
    return num_illegal


@rule
def _random_actions(words, rngs, rows, seats, out):
    for k in range(rows.shape[0]):
        row = rows[k]
        out[k] = random_allowed(words[row], rngs[row, seats[row]])


def strike_illegal(words: np.ndarray, actions: np.ndarray) -> int:
    """Replace illegal `actions` [N] by NO_ACTION; return their number."""
    return _strike_illegal(words, actions)


def random_actions(
    words: np.ndarray, rngs: np.ndarray, rows: np.ndarray, seats: np.ndarray
) -> np.ndarray:
    """Draw a legal action at each of `rows` [K] from the stream of the seat to act.

    `words` are masks [N, W], `rngs` streams [N, seats], and `seats` [N] the seats to act.
    """
    actions = np.empty(len(rows), np.int64)
    _random_actions(words, rngs, rows, seats, actions)
    return actions


class Tables:
    """N running games: their positions and random streams, with methods for chosen rows.

    `rows` below are table indices [K]; results are fresh arrays.
    """

    def __init__(self, game: Game, rngs: np.ndarray) -> None:
        self.game = game
        self.states = game.new_states(len(rngs))
        self.rngs = rngs
        self.all_rows = np.arange(len(rngs))
        self.loops = loops_of(game)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "loops"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.loops = loops_of(self.game)

    def deal(self, rows: np.ndarray) -> None:
        """Deal new games from the tables' own streams."""
        self.loops.deal_rows(self.states, self.rngs, rows)

    def deal_from(self, row: int, data: Any) -> None:
        """Deal from plain data. Raises ValueError where the deal is impossible."""
        self.game.deal_from(self.states[row], data, self.rngs[row])

    def start(
        self,
        rows: np.ndarray,
        is_dealt: bool,
        skip_forced: bool,
        seats: np.ndarray,
        words: np.ndarray,
    ) -> None:
        """Start new games, or with `is_dealt` those dealt already; write seats [N], masks [N, W].

        NO_SEAT where `skip_forced` played on to the end.
        """
        self.loops.start_tables(self.states, self.rngs, rows, is_dealt, skip_forced, seats, words)

    def apply(self, rows: np.ndarray, actions: np.ndarray) -> None:
        """Apply legal actions [K], one at each of these tables."""
        self.loops.apply_rows(self.states, self.rngs, rows, actions)

    def show(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return seats to act [K] (NO_SEAT at the end), observations [K], mask words [K, W]."""
        seats = np.empty(len(rows), np.int64)
        observations = self.game.new_observations(len(rows))
        words = np.empty((len(rows), self.game.num_mask_words), np.int64)
        self.loops.show_rows(self.states, rows, seats, observations, words)
        return seats, observations, words

    def observe(self, rows: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Return the observations of seats[k] at table rows[k]: records [K]."""
        observations = self.game.new_observations(len(rows))
        self.loops.observe_seats(self.states, rows, seats, observations)
        return observations

    def returns(self, rows: np.ndarray) -> np.ndarray:
        """Return the returns [K, seats] of finished games; zeros for others."""
        out = np.zeros((len(rows), self.game.num_seats))
        self.loops.returns_rows(self.states, rows, out)
        return out

    def determinize(self, rows: np.ndarray, seats: np.ndarray, rngs: np.ndarray) -> np.ndarray:
        """Draw positions [K] from all that look the same to seats[k] as table rows[k]."""
        out = self.game.new_states(len(rows))
        self.loops.reshuffle_rows(self.states, rows, seats, rngs, out)
        return out


def new_streams(shape: tuple[int, ...]) -> np.ndarray:
    """Return an array of random streams that are not seeded yet."""
    return np.zeros(shape, STREAM)
