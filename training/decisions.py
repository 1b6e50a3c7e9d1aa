"""Decisions of learning seats at many tables, noted in one compiled call as a batch.

`play_batch` is the loop of both ways to act: by a network's policy (`acting`) and by a search that
a network guides (`guided_play`). Plies without a choice are played, but do not count as decisions.
"""

from typing import Any, NamedTuple

import numpy as np

from ..baselines.networks.inputs import InputRows, find_rows, octets
from ..baselines.policies.objective import weigh_first_place
from ..envs.core.compile import bind, bind_inline, rule, unbound
from ..envs.core.game import NO_SEAT, Function, Game
from ..envs.core.play.loops import EXTERNAL
from ..envs.core.rng import player_streams, streams

NO_DECISION = -1
SEATING_STREAM = 10**6  # purpose of the streams that draw the seating: above every seat
NUM_SPARE = 2  # rows for decisions after a batch: one for the first, one reused for the rest

# Names to which `bind` gives a meaning.
start = decide = go_on = note_outcome = finish = complete = play_on = pay = returns = unbound


class Batch(NamedTuple):
    """Decisions [tables, decisions of each], in the order in which they were taken.

    `rows` [.., K] and `continuous` [.., V] are the network's inputs; `masks` are words.
    `next_decisions` has the index of the same seat's next decision in the same game. It is
    NO_DECISION where the game or the batch ends first. Then `ends` is the return of the game, or,
    at the end of the batch, the bootstrap value: that of the seat's next decision, to which the
    game is played on.
    Advantages and targets are those of generalized advantage estimation.
    """

    rows: np.ndarray
    continuous: np.ndarray
    masks: np.ndarray
    actions: np.ndarray
    log_probs: np.ndarray
    values: np.ndarray
    next_decisions: np.ndarray
    ends: np.ndarray
    advantages: np.ndarray
    targets: np.ndarray


def new_batch(num_tables: int, num_decisions: int, num_words: int, rows: InputRows) -> Batch:
    """Return an empty batch."""
    shape = num_tables, num_decisions

    def zeros(dtype: type, *size: int) -> np.ndarray:
        return np.zeros((*shape, *size), dtype)

    return Batch(
        rows=zeros(np.int32, len(rows.first_rows)),
        continuous=zeros(np.float32, len(rows.continuous_columns)),
        masks=zeros(np.int64, num_words),
        actions=zeros(np.int64),
        log_probs=zeros(np.float32),
        values=zeros(np.float32),
        next_decisions=zeros(np.int32),
        ends=zeros(np.float32),
        advantages=zeros(np.float32),
        targets=zeros(np.float32),
    )


class PlayState(NamedTuple):
    """The games under way at T tables, with scratch; they continue from batch to batch."""

    states: np.ndarray  # [T]
    rngs: np.ndarray  # [T] of the deals
    player_rngs: np.ndarray  # [T, seats]
    seating_rngs: np.ndarray  # [T]
    codes: np.ndarray  # [T, seats]: EXTERNAL where the learner sits
    seats: np.ndarray  # [T] seats to act
    masks: np.ndarray  # [T, words]
    latest: np.ndarray  # [T, seats] latest decision in the batch
    returns: np.ndarray  # [T, seats] scratch
    observations: np.ndarray  # [T] scratch
    data: np.ndarray  # uint8 [T, size]: their bytes
    decided: np.ndarray  # [T] plies of learning seats so far with a choice
    forced: np.ndarray  # [T] plies of learning seats so far without one


def new_play_state(game: Game, num_tables: int, seed: int) -> PlayState:
    """Return tables without a game yet, with random streams from `seed`."""
    n = game.num_seats
    seeds = np.random.default_rng(seed).integers(2**62, size=num_tables)
    observations = game.new_observations(num_tables)
    return PlayState(
        states=game.new_states(num_tables),
        rngs=streams(seeds),
        player_rngs=player_streams(seeds, n),
        seating_rngs=streams(seeds, SEATING_STREAM),
        codes=np.full((num_tables, n), EXTERNAL),
        seats=np.full(num_tables, NO_SEAT),
        masks=np.zeros((num_tables, game.num_mask_words), np.int64),
        latest=np.zeros((num_tables, n), np.int64),
        returns=np.zeros((num_tables, n)),
        observations=observations,
        data=octets(observations),
        decided=np.zeros(num_tables, np.int64),
        forced=np.zeros(num_tables, np.int64),
    )


def rows_of(value: Any, tables: slice) -> Any:
    """Return the rows `tables` of an array, or of a named tuple of arrays, as a view."""
    if isinstance(value, np.ndarray):
        return value[tables]
    return type(value)(*(rows_of(part, tables) for part in value))


def acting_loop(**bindings: Any) -> Function:
    """Return the loop for the functions of one way to act, and the rules of a game.

    `start(play_state, table, deciders)` seats and deals. `decide(into, index, play_state, table,
    deciders)` chooses an action of the seat to act and notes its decision. `play_on(play_state,
    table, action, deciders)` plays it and all plies until the next decision. `note_outcome(into,
    index, play_state, table, is_over)` and `complete(into, spare, table, decay)` add what `Batch`
    does not have.
    """
    bindings["pay"] = bind(_pay, **bindings)
    bindings["go_on"] = bind_inline(_go_on, **bindings)
    bindings["finish"] = bind(_finish, **bindings)
    return bind(_play_batch, **bindings)


def _play_batch(into, spare, play_state, deciders, decay):
    """Fill a batch; `spare` is one of `NUM_SPARE` decisions for what follows it.

    `decay` is the lambda of the advantages. Stop at a table where nobody ever has a choice.
    """
    batch = into.batch
    num_decisions = batch.actions.shape[1]
    for table in range(batch.actions.shape[0]):
        play_state.latest[table, :] = NO_DECISION
        if play_state.seats[table] == NO_SEAT:
            play_state.seats[table] = start(play_state, table, deciders)
        for index in range(num_decisions):
            if play_state.seats[table] == NO_SEAT:
                return
            decide(into, index, play_state, table, deciders)
            link(batch, play_state.latest, table, play_state.seats[table], index)
            is_over = go_on(play_state, table, batch.actions[table, index], batch, deciders)
            note_outcome(into, index, play_state, table, is_over)
        play_state.decided[table] += num_decisions
        finish(batch, spare, play_state, table, deciders)
        estimate_advantages(batch, table, decay)
        complete(into, spare, table, decay)


def _finish(batch, spare, play_state, table, deciders):
    """Play on until each seat's latest decision has a return or a bootstrap value."""
    index = 0
    while play_state.seats[table] != NO_SEAT and is_pending(play_state.latest, table):
        decide(spare, index, play_state, table, deciders)
        seat = play_state.seats[table]
        last = play_state.latest[table, seat]
        if last != NO_DECISION:
            batch.ends[table, last] = spare.batch.values[table, index]
            play_state.latest[table, seat] = NO_DECISION
            if not is_pending(play_state.latest, table):
                return
        go_on(play_state, table, spare.batch.actions[table, index], batch, deciders)
        index = 1


def _go_on(play_state, table, action, batch, deciders):
    """Play until the next decision; pay at the end of a game, and start the next one.

    Return whether the game ended.
    """
    seat = play_on(play_state, table, action, deciders)
    is_over = seat == NO_SEAT
    if is_over:
        pay(batch, play_state, table, deciders)
        seat = start(play_state, table, deciders)
    play_state.seats[table] = seat
    return is_over


def _pay(batch, play_state, table, deciders):
    """Write what a finished game is worth to the last decision of each seat."""
    returns(play_state.states[table], play_state.returns[table])
    weigh_first_place(play_state.returns[table], deciders.first_place_weight)
    for seat in range(play_state.latest.shape[1]):
        last = play_state.latest[table, seat]
        if last != NO_DECISION:
            batch.ends[table, last] = play_state.returns[table, seat]
            play_state.latest[table, seat] = NO_DECISION


@rule
def link(batch, latest, table, seat, index):
    """Enter a decision as the next one of its seat."""
    previous = latest[table, seat]
    if previous != NO_DECISION:
        batch.next_decisions[table, previous] = index
    batch.next_decisions[table, index] = NO_DECISION
    latest[table, seat] = index


@rule
def is_pending(latest, table):
    """Return whether the outcome of any seat's latest decision is unknown."""
    num_pending = 0
    for seat in range(latest.shape[1]):
        num_pending += latest[table, seat] != NO_DECISION
    return num_pending > 0


def continuous_scales(game: Game, rows: InputRows) -> np.ndarray:
    """Return the factors of the continuous inputs, [V]."""
    return game.layout.scale[rows.continuous_columns].astype(np.float32)


def input_notes(
    game: Game, rows: InputRows, observations: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return what a network is shown of observations [B]: rows [B, K], continuous inputs [B, V]."""
    row_numbers = np.zeros((len(observations), len(rows.first_rows)), np.int32)
    continuous = np.zeros((len(observations), len(rows.continuous_columns)), np.float32)
    _note_all(rows, octets(observations), continuous_scales(game, rows), row_numbers, continuous)
    return row_numbers, continuous


@rule
def _note_all(rows, data, scale, row_numbers, continuous):
    for row in range(data.shape[0]):
        note_shown(rows, data[row], scale, row_numbers[row], continuous[row])


@rule
def note_shown(weights, data, scale, rows, continuous):
    """Note what a network is shown: its rows [K] and continuous inputs [V], scaled."""
    find_rows(weights, data, rows)
    values = data.view(weights.lows.dtype)
    for k in range(continuous.shape[0]):
        continuous[k] = values[weights.continuous_columns[k]] * scale[k]


@rule
def estimate_advantages(batch, table, gae_lambda):
    """Generalized advantage estimation (Schulman et al. 2016) over each seat's own decisions.

    A game pays only at its end, so nothing is discounted.
    """
    for index in range(batch.actions.shape[1] - 1, -1, -1):
        value = batch.values[table, index]
        after = batch.next_decisions[table, index]
        if after == NO_DECISION:
            advantage = batch.ends[table, index] - value
        else:
            step = batch.values[table, after] - value
            advantage = step + gae_lambda * batch.advantages[table, after]
        batch.advantages[table, index] = advantage
        batch.targets[table, index] = advantage + value
