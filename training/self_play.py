"""Collect self-play: batches of decisions at many tables, each filled in one compiled call.

The loop is the same for every way to choose an action: by a network's policy (`ppo`), or by a
search that a network guides (`expert_iteration`). At each table every learning seat chooses so; at
some tables only one seat learns and the others play a compiled player. Plies without a choice are
played, but do not count as decisions.

While threads play the next batch, torch learns from the last. So learning is always exactly one
batch behind, on any number of cores, and a run with the same seed learns the same.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..baselines.networks.inputs import InputRows, find_rows, octets
from ..baselines.networks.policy_value import num_other_values
from ..baselines.policies.objective import weigh_first_place
from ..baselines.policies.policy import Policy
from ..envs.core.bits import nth_allowed, num_allowed
from ..envs.core.compile import bind, bind_inline, rule, unbound
from ..envs.core.game import NO_ACTION, NO_SEAT, Function, Game
from ..envs.core.play.calls import call_player
from ..envs.core.play.driver import no_choice_error
from ..envs.core.play.loops import EXTERNAL, MAX_DEALS, bindings_of
from ..envs.core.play.policies import player_table
from ..envs.core.rng import below, player_streams, streams, uniform
from .session import Spent, clocks, since

NO_DECISION = -1
SEATING_STREAM = 10**6  # purpose of the streams that draw the seating: above every seat
NUM_SPARE = 2  # decisions after a batch: one for the first, one reused for the rest
Learned = TypeVar("Learned")

# Names to which `bind` gives a meaning.
ply = observe = deal = returns = play_on = start = choose = decide = go_on = finish = unbound


class Batch(NamedTuple):
    """Decisions [tables, decisions of each], in the order in which they were taken.

    `rows` [.., K] and `continuous` [.., V] are the network's inputs; `masks` are words.
    `next_decisions` has the index of the same seat's next decision in the same game. It is
    NO_DECISION where the game or the batch ends first. Then `ends` is the return of the game, or,
    at the end of the batch, the bootstrap value: that of the seat's next decision, to which the
    game is played on.
    Advantages and targets are those of generalized advantage estimation.

    What a search adds is filled where a search chooses: its improved `policies` [.., A], and the
    values of all seats of the table [.., seats], from which `other_targets` [.., others] follow:
    those of the other seats' values, clockwise from the seat that decided.
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
    policies: np.ndarray
    seats: np.ndarray  # who decided
    is_last: np.ndarray  # whether the game ended before the next decision of any seat
    returns: np.ndarray  # [.., seats] of the game where it did
    values_of_all: np.ndarray
    other_targets: np.ndarray


def new_batch(
    game: Game, rows: InputRows, num_tables: int, num_decisions: int, has_search: bool = False
) -> Batch:
    """Return an empty batch; without a search no decision has a policy or values of all seats."""

    def zeros(dtype: type, *size: int) -> np.ndarray:
        return np.zeros((num_tables, num_decisions, *size), dtype)

    return Batch(
        rows=zeros(np.int32, len(rows.first_rows)),
        continuous=zeros(np.float32, len(rows.continuous_columns)),
        masks=zeros(np.int64, game.num_mask_words),
        actions=zeros(np.int64),
        log_probs=zeros(np.float32),
        values=zeros(np.float32),
        next_decisions=zeros(np.int32),
        ends=zeros(np.float32),
        advantages=zeros(np.float32),
        targets=zeros(np.float32),
        policies=zeros(np.float32, has_search * game.num_actions),
        seats=zeros(np.int8),
        is_last=zeros(np.bool_),
        returns=zeros(np.float64, has_search * game.num_seats),
        values_of_all=zeros(np.float64, has_search * game.num_seats),
        other_targets=zeros(np.float32, has_search * num_other_values(game)),
    )


def flat(batch: Batch) -> Batch:
    """Join the decisions of all tables, in the order of the tables."""
    return Batch(*(array.reshape(batch.actions.size, *array.shape[2:]) for array in batch))


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
    generators = streams(seeds), player_streams(seeds, n), streams(seeds, SEATING_STREAM)
    return PlayState(
        game.new_states(num_tables),
        *generators,
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


class Seated(NamedTuple):
    """Who plays at the tables, how networks see them, and what a game is worth."""

    chooser: Any  # what the learning seats choose with: a network's record [1], or a searcher
    players: np.ndarray  # PLAYER records of the opponents
    cumulative_shares: np.ndarray  # of the tables with self-play and with each opponent
    rows: InputRows
    scale: np.ndarray  # [V] of the continuous inputs
    first_place_weight: float


class SelfPlay:
    """Tables whose games continue from batch to batch.

    `shares` are those of the tables with self-play and with each opponent. Raises ValueError for an
    opponent that is not compiled.
    """

    def __init__(
        self,
        game: Game,
        rows: InputRows,
        num_tables: int,
        seed: int,
        opponents: Sequence[Policy] = (),
        shares: Sequence[float] | np.ndarray = (1.0,),
        first_place_weight: float = 0.0,
    ) -> None:
        for policy in opponents:
            if policy.row_function is None:
                raise ValueError(f"{policy.name} is not compiled, so it cannot be an opponent here")
        self.game = game
        self._opponents = tuple(opponents)  # whose weights must stay where they lie
        self._seated = Seated(
            chooser=None,
            players=player_table(game, self._opponents),
            cumulative_shares=np.cumsum(shares),
            rows=rows,
            scale=continuous_scales(game, rows),
            first_place_weight=first_place_weight,
        )
        self._play_state = new_play_state(game, num_tables, seed)

    @property
    def forced_fraction(self) -> float:
        """Return the fraction of the learning seats' plies so far without a choice."""
        forced = int(self._play_state.forced.sum())
        return forced / max(1, forced + int(self._play_state.decided.sum()))

    def fill(
        self, batch: Batch, tables: slice, choose: Function, chooser: Any, decay: float
    ) -> None:
        """Fill the rows `tables` of a batch; other threads may fill others at the same time.

        `choose(batch, index, play_state, table, chooser)` returns an action of the seat to act, and
        notes its value; `decay` is the lambda of the advantages. Raises ValueError where a game
        never gives a learning seat a choice.
        """
        batch, play_state = rows_of(batch, tables), rows_of(self._play_state, tables)
        spare = Batch(
            *(
                np.zeros_like(array, shape=(len(array), NUM_SPARE, *array.shape[2:]))
                for array in batch
            )
        )
        loop = _loop_of(self.game, choose)
        loop(batch, spare, play_state, self._seated._replace(chooser=chooser), decay)
        if (play_state.seats == NO_SEAT).any():
            raise no_choice_error(self.game)


def rows_of(arrays: Any, rows: slice) -> Any:
    """Return the chosen rows of all arrays of a named tuple, as views."""
    return type(arrays)(*(array[rows] for array in arrays))


def continuous_scales(game: Game, rows: InputRows) -> np.ndarray:
    """Return the factors of the continuous inputs, [V]."""
    return game.layout.scale[rows.continuous_columns].astype(np.float32)


def play_while_learning(
    acting: Callable[[Batch], Callable[[slice], None]],
    learn: Callable[[Batch], Learned],
    batches: tuple[Batch, Batch],
    num_slices: int,
    goes_on: Callable[[], bool],
) -> Iterator[tuple[Learned, Spent]]:
    """Yield what `learn` returned for each batch, and the time that it took.

    `acting` returns what fills a slice of the tables with the weights of now; each slice has a
    thread of its own. Without slices all tables play here, before learning. The two batches take
    turns: one is filled while the other is learned from.
    """
    played, playing = batches
    edges = np.linspace(0, len(played.actions), num_slices + 1).astype(int).tolist()
    slices = [slice(*edge) for edge in itertools.pairwise(edges)]
    with ThreadPoolExecutor(max(1, num_slices)) as pool:

        def begin(batch: Batch) -> list[Future[None]]:
            fill = acting(batch)
            if not slices:
                fill(slice(None))
            return [pool.submit(fill, each) for each in slices]

        start = clocks()
        _wait(begin(played))
        while goes_on():
            futures = begin(playing)
            learned = learn(played)
            _wait(futures)
            played, playing = playing, played
            yield learned, since(start)
            start = clocks()


def _wait(futures: list[Future[None]]) -> None:
    """Wait until all are done; raise the error of any."""
    for future in futures:
        future.result()


@lru_cache
def _loop_of(game: Game, choose: Function) -> Function:
    """Return the loop that fills batches at a game by one way to choose."""
    bindings = {**bindings_of(game), "choose": choose}
    bindings["play_on"] = bind_inline(_play_on, **bindings)
    bindings["start"] = bind(_start, **bindings)
    bindings["decide"] = bind(_decide, **bindings)
    bindings["go_on"] = bind_inline(_go_on, **bindings)
    bindings["finish"] = bind(_finish, **bindings)
    return bind(_fill, **bindings)


def _fill(batch, spare, play_state, seated, decay):
    """Fill a batch; `spare` is one of `NUM_SPARE` decisions for what follows it.

    Stop at a table where nobody ever has a choice.
    """
    num_decisions = batch.actions.shape[1]
    for table in range(batch.actions.shape[0]):
        play_state.latest[table, :] = NO_DECISION
        if play_state.seats[table] == NO_SEAT:
            play_state.seats[table] = start(play_state, table, seated)
        for index in range(num_decisions):
            if play_state.seats[table] == NO_SEAT:
                return
            decide(batch, index, play_state, table, seated)
            link(batch, play_state.latest, table, play_state.seats[table], index)
            batch.is_last[table, index] = go_on(
                play_state, table, batch.actions[table, index], batch, seated
            )
            for seat in range(batch.returns.shape[2]):
                batch.returns[table, index, seat] = play_state.returns[table, seat]
        play_state.decided[table] += num_decisions
        finish(batch, spare, play_state, table, seated)
        estimate_advantages(batch, table, decay)
        expect_others(batch, spare.values_of_all[table, 0], table, decay)


def _decide(batch, index, play_state, table, seated):
    """Choose an action of the seat to act; note the decision."""
    mask, seat = play_state.masks[table], play_state.seats[table]
    observe(play_state.states[table], seat, play_state.observations[table])
    rows, continuous = batch.rows[table, index], batch.continuous[table, index]
    note_shown(seated.rows, play_state.data[table], seated.scale, rows, continuous)
    for word in range(mask.shape[0]):
        batch.masks[table, index, word] = mask[word]
    batch.seats[table, index] = seat
    batch.actions[table, index] = choose(batch, index, play_state, table, seated.chooser)


def _go_on(play_state, table, action, batch, seated):
    """Play until the next decision; pay at the end of a game, and start the next one.

    Return whether the game ended.
    """
    seat = play_on(play_state, table, action, seated)
    is_over = seat == NO_SEAT
    if is_over:
        worth = play_state.returns[table]
        returns(play_state.states[table], worth)
        weigh_first_place(worth, seated.first_place_weight)
        for paid in range(worth.shape[0]):
            conclude(batch, play_state.latest, table, paid, worth[paid])
        seat = start(play_state, table, seated)
    play_state.seats[table] = seat
    return is_over


def _finish(batch, spare, play_state, table, seated):
    """Play on until each seat's latest decision has a return or a bootstrap value."""
    index = 0
    while play_state.seats[table] != NO_SEAT and is_pending(play_state.latest, table):
        decide(spare, index, play_state, table, seated)
        seat, value = play_state.seats[table], spare.values[table, index]
        conclude(batch, play_state.latest, table, seat, value)
        if not is_pending(play_state.latest, table):
            return
        go_on(play_state, table, spare.actions[table, index], batch, seated)
        index = 1


def _play_on(play_state, table, action, seated):
    """Play an action (NO_ACTION: none) and all plies until a learning seat has a choice.

    Return that seat, with its mask in place, or NO_SEAT at the end.
    """
    state = play_state.states[table]
    mask = play_state.masks[table]
    while True:
        seat = ply(state, play_state.rngs[table], action, mask)
        if seat == NO_SEAT:
            return seat
        code = play_state.codes[table, seat]
        rng = play_state.player_rngs[table, seat]
        if num_allowed(mask) == 1:
            play_state.forced[table] += code == EXTERNAL
            action = np.int64(nth_allowed(mask, 0))
        elif code == EXTERNAL:
            return seat
        else:
            observation = play_state.observations[table]
            observe(state, seat, observation)
            player = seated.players[code]
            action = call_player(player.function, player.weights, observation, mask, rng)


def _start(play_state, table, seated):
    """Seat the players and deal until a learning seat has a choice; return that seat.

    Return NO_SEAT after MAX_DEALS deals.
    """
    rng, cumulative_shares = play_state.seating_rngs[table], seated.cumulative_shares
    num_seats = play_state.codes.shape[1]
    last = cumulative_shares.shape[0] - 1
    for _ in range(MAX_DEALS):
        choice = np.searchsorted(cumulative_shares, uniform(rng), side="right")
        play_state.codes[table, :] = min(choice, last) - 1  # EXTERNAL for self-play
        play_state.codes[table, below(rng, num_seats)] = EXTERNAL
        deal(play_state.states[table], play_state.rngs[table])
        seat = play_on(play_state, table, np.int64(NO_ACTION), seated)
        if seat != NO_SEAT:
            return seat
    return NO_SEAT


@rule
def link(batch, latest, table, seat, index):
    """Enter a decision as the next one of its seat."""
    previous = latest[table, seat]
    if previous != NO_DECISION:
        batch.next_decisions[table, previous] = index
    batch.next_decisions[table, index] = NO_DECISION
    latest[table, seat] = index


@rule
def conclude(batch, latest, table, seat, worth):
    """Write what a seat's latest decision led to, if that is pending."""
    last = latest[table, seat]
    if last != NO_DECISION:
        batch.ends[table, last] = worth
        latest[table, seat] = NO_DECISION


@rule
def is_pending(latest, table):
    """Return whether the outcome of any seat's latest decision is unknown."""
    num_pending = 0
    for seat in range(latest.shape[1]):
        num_pending += latest[table, seat] != NO_DECISION
    return num_pending > 0


@rule
def note_shown(input_rows, data, scale, rows, continuous):
    """Note what a network is shown: its rows [K] and continuous inputs [V], scaled."""
    find_rows(input_rows, data, rows)
    values = data.view(input_rows.lows.dtype)
    for k in range(continuous.shape[0]):
        continuous[k] = values[input_rows.continuous_columns[k]] * scale[k]


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


@rule
def expect_others(batch, following, table, decay):
    """Fill the targets of the other seats' values, from one decision to the next of any seat.

    The values of the decisions ahead count less and less, as in TD(lambda); `following` are those
    of the decision after the batch, and `decay` is lambda from one decision of a seat to its next.
    """
    num_decisions, num_others = batch.other_targets.shape[1:]
    num_seats = num_others + 1
    decay = decay ** (1 / num_seats)
    for other in range(num_seats if num_others else 0):
        ahead = value = following[other]
        for index in range(num_decisions - 1, -1, -1):
            if batch.is_last[table, index]:
                ahead = batch.returns[table, index, other]
            else:
                ahead = decay * ahead + (1.0 - decay) * value
            value = batch.values_of_all[table, index, other]
            clockwise = (other - batch.seats[table, index]) % num_seats
            if clockwise > 0:
                batch.other_targets[table, index, clockwise - 1] = ahead
