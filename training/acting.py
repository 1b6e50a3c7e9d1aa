"""Compiled self-play: collect a batch of decisions at many tables in one call.

At each table every learning seat plays the network that learns; at some tables only one
seat learns and the others play an earlier network or a compiled player. Plies without a choice are
played, but do not count as decisions.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..baselines.networks.compiled import (
    draw_action,
    network_functions,
    num_layers,
    to_chances,
    value_of,
    write_logits,
)
from ..baselines.networks.inputs import InputRows, find_rows, octets
from ..baselines.players.objective import weigh_first_place
from ..baselines.players.policy import Policy
from ..envs.core.bits import nth_allowed, num_allowed
from ..envs.core.compile import array_rule, bind, rule
from ..envs.core.environments.common import no_choice_error
from ..envs.core.game import NO_ACTION, NO_SEAT, Function, Game
from ..envs.core.play.loops import (
    EXTERNAL,
    MAX_DEALS,
    NO_WEIGHTS,
    CompiledPlayer,
    chooser,
    meanings_of,
)
from ..envs.core.rng import below, player_streams, streams, uniform

EARLIER = -2  # the code of the first earlier network; the next is one less
NO_DECISION = -1
SMALLEST_CHANCE = np.float32(1e-30)  # of an action drawn: rounding may have made it 0
SEATING_STREAM = 10**6  # purpose of the streams that draw the seating: above every seat


class Batch(NamedTuple):
    """Decisions [tables, decisions of each], in the order in which they were taken.

    `rows` [.., K] and `wide` [.., V] are the network's inputs, `critic_rows` and `critic_wide` a
    critic's; `masks` are words. `next_decisions` has the index of the same seat's next decision in
    the same game. It is NO_DECISION where the game or the batch ends first. Then `ends` is the
    return of the game, or the value of the seat's next decision, up to which the game is played on.
    Advantages and targets are those of generalized advantage estimation.
    """

    rows: np.ndarray
    wide: np.ndarray
    critic_rows: np.ndarray
    critic_wide: np.ndarray
    masks: np.ndarray
    actions: np.ndarray
    log_chances: np.ndarray
    values: np.ndarray
    next_decisions: np.ndarray
    ends: np.ndarray
    advantages: np.ndarray
    targets: np.ndarray


def new_batch(
    num_tables: int, num_decisions: int, num_words: int, rows: InputRows, critic: InputRows
) -> Batch:
    """Return an empty batch."""
    shape = num_tables, num_decisions

    def zeros(dtype: type, *size: int) -> np.ndarray:
        return np.zeros((*shape, *size), dtype)

    return Batch(
        rows=zeros(np.int32, len(rows.first_rows)),
        wide=zeros(np.float32, len(rows.wide_columns)),
        critic_rows=zeros(np.int32, len(critic.first_rows)),
        critic_wide=zeros(np.float32, len(critic.wide_columns)),
        masks=zeros(np.int64, num_words),
        actions=zeros(np.int64),
        log_chances=zeros(np.float32),
        values=zeros(np.float32),
        next_decisions=zeros(np.int32),
        ends=zeros(np.float32),
        advantages=zeros(np.float32),
        targets=zeros(np.float32),
    )


class OpponentMix(NamedTuple):
    """The weights of tables with self-play, with earlier networks, and with each opponent."""

    self_play: float
    earlier: float
    opponents: Sequence[Policy]
    opponent_weights: Sequence[float]

    def cumulative(self) -> np.ndarray:
        """Return the cumulative weights, normalized. Raises ValueError for impossible weights."""
        if len(self.opponent_weights) != len(self.opponents):
            raise ValueError(
                "opponent_weights has a weight for each of the opponents; got "
                f"{len(self.opponent_weights)} for {len(self.opponents)}"
            )
        weights = np.array([self.self_play, self.earlier, *self.opponent_weights], dtype=float)
        if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
            raise ValueError(
                "weights of self-play, earlier networks and opponents are 0 or more, not all 0; "
                f"got {weights.tolist()}"
            )
        for policy in self.opponents:
            if policy.row_function is None:
                raise ValueError(f"{policy.name} is not compiled, so it cannot be an opponent here")
        return np.cumsum(weights / weights.sum())


class _Places(NamedTuple):
    """The state of the tables."""

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
    views: np.ndarray  # [T, seats] scratch: what all seats see
    whole: np.ndarray  # uint8 [T, seats * size]: their bytes
    decided: np.ndarray  # [T] plies of learning seats so far with a choice
    forced: np.ndarray  # [T] plies of learning seats so far without one


class _Deciders(NamedTuple):
    """Who decides at the tables, and how their networks see them."""

    weights: np.ndarray  # [1] the network that learns
    earlier: np.ndarray  # [E] earlier networks
    critic: np.ndarray  # [1]
    player_weights: tuple[np.ndarray, ...]  # of the compiled opponents
    cumulative_weights: np.ndarray  # of self-play, earlier networks and each opponent
    scale: np.ndarray  # [V] of the wide inputs
    critic_scale: np.ndarray  # the same for the critic


class SelfPlay:
    """Tables whose games continue from batch to batch."""

    def __init__(
        self,
        game: Game,
        num_tables: int,
        seed: int,
        opponent_mix: OpponentMix,
        rows: InputRows,
        critic_rows: InputRows | None,
        first_place_weight: float = 0.0,
    ) -> None:
        n = game.num_seats
        self.game = game
        self.first_place_weight = first_place_weight
        self.has_critic = critic_rows is not None
        self._cumulative_weights = opponent_mix.cumulative()
        self._players = tuple(
            CompiledPlayer(p.row_function, p.weights is not None)
            for p in opponent_mix.opponents
            if p.row_function
        )
        self._player_weights = tuple(
            NO_WEIGHTS if p.weights is None else p.weights for p in opponent_mix.opponents
        )
        self._scales = wide_scales(game, rows), wide_scales(game, critic_rows or rows)
        self._spare = new_batch(num_tables, 1, game.num_mask_words, rows, critic_rows or rows)
        seeds = np.random.default_rng(seed).integers(2**62, size=num_tables)
        observations = game.new_observations(num_tables)
        views = game.new_observations(num_tables * n).reshape(num_tables, n)
        self._places = _Places(
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
            views=views,
            whole=octets(views).reshape(num_tables, -1),
            decided=np.zeros(num_tables, np.int64),
            forced=np.zeros(num_tables, np.int64),
        )

    @property
    def forced_fraction(self) -> float:
        """Return the fraction of the learning seats' plies so far without a choice."""
        forced = int(self._places.forced.sum())
        return forced / max(1, forced + int(self._places.decided.sum()))

    def act(
        self,
        weights: np.ndarray,
        earlier: np.ndarray,
        critic: np.ndarray | None,
        gae_lambda: float,
        batch: Batch,
        tables: slice,
    ) -> None:
        """Fill the rows `tables` of a batch; other threads may fill others at the same time.

        `weights` and `critic` are records [1], `earlier` records [E] of at least one network, and
        `gae_lambda` is the lambda of generalized advantage estimation. Raises ValueError where a
        game never gives a learning seat a choice.
        """
        places = _Places(*(array[tables] for array in self._places))
        layers = num_layers(weights), num_layers(weights if critic is None else critic)
        loop = _bind_act(self.game, self._players, *layers, self.has_critic)
        loop(
            Batch(*(array[tables] for array in batch)),
            Batch(*(array[tables] for array in self._spare)),
            places,
            _Deciders(
                weights,
                earlier,
                weights if critic is None else critic,
                self._player_weights,
                self._cumulative_weights,
                *self._scales,
            ),
            gae_lambda,
            self.first_place_weight,
        )
        if (places.seats == NO_SEAT).any():
            raise no_choice_error(self.game)


def wide_scales(game: Game, rows: InputRows) -> np.ndarray:
    """Return the factors of the wide inputs, [V]."""
    first = game.observation_dtype[0].base
    step = game.observation_dtype.itemsize // first.itemsize
    return game.layout.scale[rows.wide_columns % step].astype(np.float32)


@lru_cache
def _bind_act(
    game: Game,
    players: tuple[CompiledPlayer, ...],
    num_layers: int,
    critic_layers: int,
    has_critic: bool,
) -> Function:
    rules = meanings_of(game)
    functions = network_functions(num_layers)
    play_on = bind(
        _play_on, choose=chooser(players), sample_action=functions.sample_action, **rules
    )
    start = bind(_start, play_on=play_on, **rules)
    judge = bind(_judge, critic_body=network_functions(critic_layers).body, **rules)
    decide = bind(_decide, HAS_CRITIC=has_critic, body=functions.body, judge=judge, **rules)
    parts = {"play_on": play_on, "start": start, "decide": decide, "pay": bind(_pay, **rules)}
    return bind(_act, HAS_CRITIC=has_critic, **parts, **rules)


def _act(batch, spare, places, deciders, gae_lambda, first_place_weight):
    weights, critic, scale = deciders.weights[0], deciders.critic[0], deciders.scale
    num_decisions = batch.actions.shape[1]
    for table in range(batch.actions.shape[0]):
        places.latest[table, :] = NO_DECISION
        seat = places.seats[table]
        if seat == NO_SEAT:
            seat = start(places, table, deciders)
        for index in range(num_decisions):
            if seat == NO_SEAT:
                return
            decide(weights, critic, places, table, seat, scale, batch, index)
            if HAS_CRITIC:
                seen, shown = batch.critic_rows[table, index], batch.critic_wide[table, index]
                note_shown(critic, places.whole[table], deciders.critic_scale, seen, shown)
            link(batch, places.latest, table, seat, index)
            seat = play_on(places, table, batch.actions[table, index], deciders)
            if seat == NO_SEAT:
                pay(batch, places, table, first_place_weight)
                seat = start(places, table, deciders)
        places.decided[table] += num_decisions
        while seat != NO_SEAT and is_pending(places.latest, table):
            decide(weights, critic, places, table, seat, scale, spare, 0)
            last = places.latest[table, seat]
            if last != NO_DECISION:
                batch.ends[table, last] = spare.values[table, 0]
                places.latest[table, seat] = NO_DECISION
                if not is_pending(places.latest, table):
                    break
            seat = play_on(places, table, spare.actions[table, 0], deciders)
            if seat == NO_SEAT:
                pay(batch, places, table, first_place_weight)
                seat = start(places, table, deciders)
        places.seats[table] = seat
        estimate_advantages(batch, table, gae_lambda)


def _pay(batch, places, table, first_place_weight):
    """Write what a finished game is worth to the last decision of each seat."""
    returns(places.states[table], places.returns[table])
    weigh_first_place(places.returns[table], first_place_weight)
    for seat in range(places.latest.shape[1]):
        last = places.latest[table, seat]
        if last != NO_DECISION:
            batch.ends[table, last] = places.returns[table, seat]
            places.latest[table, seat] = NO_DECISION


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


def _play_on(places, table, action, deciders):
    """Play an action (NO_ACTION: none) and all plies until a learning seat has a choice.

    Return that seat, with its mask in place, or NO_SEAT at the end.
    """
    state = places.states[table]
    mask = places.masks[table]
    while True:
        seat = ply(state, places.rngs[table], action, mask)
        if seat == NO_SEAT:
            return seat
        code = places.codes[table, seat]
        rng = places.player_rngs[table, seat]
        if num_allowed(mask) == 1:
            places.forced[table] += code == EXTERNAL
            action = np.int64(nth_allowed(mask, 0))
        elif code == EXTERNAL:
            return seat
        else:
            observation, data = places.observations[table], places.data[table]
            observe(state, seat, observation)
            if code <= EARLIER:
                action = sample_action(deciders.earlier[EARLIER - code], data, mask, rng)
            else:
                action = np.int64(choose(code, deciders.player_weights, observation, mask, rng))


def _start(places, table, deciders):
    """Seat the players and deal until a learning seat has a choice; return that seat."""
    rng, cumulative_weights = places.seating_rngs[table], deciders.cumulative_weights
    num_seats = places.codes.shape[1]
    for _ in range(MAX_DEALS):
        point = uniform(rng)
        field = 0
        while point >= cumulative_weights[field] and field < cumulative_weights.shape[0] - 1:
            field += 1
        code = EXTERNAL  # all seats learn
        if field == 1:
            code = EARLIER - below(rng, deciders.earlier.shape[0])
        elif field > 1:
            code = field - 2
        places.codes[table, :] = code
        places.codes[table, below(rng, num_seats)] = EXTERNAL
        deal(places.states[table], places.rngs[table])
        seat = play_on(places, table, np.int64(NO_ACTION), deciders)
        if seat != NO_SEAT:
            return seat
    return NO_SEAT


@array_rule
def _decide(weights, critic, places, table, seat, scale, batch, index):
    """Draw an action of this seat from the network's chances, and note everything about it."""
    state = places.states[table]
    data = places.data[table]
    mask = places.masks[table]
    units = np.empty(weights.value.shape[0], np.float32)
    chances = np.empty(weights.actions_bias.shape[0], np.float32)
    observe(state, seat, places.observations[table])
    body(weights, data, units)
    write_logits(weights, units, mask, chances)
    to_chances(mask, chances)
    action = draw_action(mask, chances, uniform(places.player_rngs[table, seat]))
    note_shown(weights, data, scale, batch.rows[table, index], batch.wide[table, index])
    for word in range(mask.shape[0]):
        batch.masks[table, index, word] = mask[word]
    batch.actions[table, index] = action
    batch.log_chances[table, index] = np.log(max(chances[action], SMALLEST_CHANCE))
    if HAS_CRITIC:
        batch.values[table, index] = judge(critic, state, seat, places, table)
    else:
        batch.values[table, index] = value_of(weights, units)


@array_rule
def _judge(critic, state, seat, places, table):
    """The value that a critic gives to what all seats see, clockwise from this one."""
    units = np.empty(critic.value.shape[0], np.float32)
    num_seats = places.views.shape[1]
    for step in range(num_seats):
        observe(state, (seat + step) % num_seats, places.views[table, step])
    critic_body(critic, places.whole[table], units)
    return value_of(critic, units)


def input_notes(
    game: Game, rows: InputRows, observations: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return what a network is shown of observations [B]: rows [B, K] and wide numbers [B, V]."""
    found = np.zeros((len(observations), len(rows.first_rows)), np.int32)
    wide = np.zeros((len(observations), len(rows.wide_columns)), np.float32)
    _note_all(rows, octets(observations), wide_scales(game, rows), found, wide)
    return found, wide


@rule
def _note_all(rows, data, scale, found, wide):
    for row in range(data.shape[0]):
        note_shown(rows, data[row], scale, found[row], wide[row])


@rule
def note_shown(weights, data, scale, rows, wide):
    """Note what a network is shown: its rows [K] and wide numbers [V], scaled."""
    find_rows(weights, data, rows)
    values = data.view(weights.lows.dtype)
    for k in range(wide.shape[0]):
        wide[k] = values[weights.wide_columns[k]] * scale[k]


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
