"""Whole games as arrays with a row for each ply, to be kept as data.

Compiled players act inside one loop. Games of other players are played first, and then replayed
from their actions like games read from a file.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..envs.core.bits import is_legal
from ..envs.core.compile import bind_inline, unbound
from ..envs.core.game import NO_ACTION, NO_SEAT, Game
from ..envs.core.play.calls import call_player
from ..envs.core.play.driver import Seating
from ..envs.core.play.loops import EXTERNAL, FAULT, NO_DRAWS, NO_ROW, Seats, bindings_of
from ..envs.core.play.playthrough import turns
from ..envs.core.play.policies import SeatedPolicy, player_table
from ..envs.core.play.tables import Tables, new_streams
from ..envs.core.records import PLAYER
from ..envs.core.rng import (
    checked_seeds,
    player_streams,
    start_players,
    start_stream,
    streams,
)

BATCH_BYTES = 2**24  # of positions and observations in memory at a time
BATCH_DEALS = 64  # played side by side by players that are not compiled
_NOTHING = np.zeros(0, np.int64)

deal = returns = ply = observe = note_game = unbound


class Plies(NamedTuple):
    """P plies of G whole games, game after game."""

    seeds: np.ndarray  # [G] of the deals
    ends: np.ndarray  # [G] the row after the last ply of each game
    returns: np.ndarray  # [G, seats]
    finals: np.ndarray  # [G] positions at the end
    seats: np.ndarray  # int8 [P] that act
    states: np.ndarray  # [P] positions before the action
    observations: np.ndarray  # [P] records of the seats that act
    words: np.ndarray  # [P, W] action masks as words
    actions: np.ndarray  # [P]

    @property
    def games(self) -> np.ndarray:
        """The game of each ply, an index [P] into `seeds`."""
        return np.repeat(np.arange(len(self.ends)), np.diff(self.ends, prepend=0))

    @property
    def numbers(self) -> np.ndarray:
        """The number [P] of each ply in its game, from 1 on."""
        starts = np.concatenate([[0], self.ends[:-1]])
        return np.arange(1, len(self.seats) + 1) - starts[self.games]

    def episodes(self) -> Iterator[tuple[int, int, np.ndarray]]:
        """Yield the game, a seat that acts in it, and the rows of its plies."""
        start = 0
        for game, end in enumerate(self.ends.tolist()):
            for seat in np.unique(self.seats[start:end]).tolist():
                yield game, seat, start + np.flatnonzero(self.seats[start:end] == seat)
            start = end


def plies_of(
    game: Game, policies: Sequence[SeatedPolicy], seeds: np.ndarray | Sequence[int]
) -> Iterator[Plies]:
    """Play the deals of `seeds` with a policy in each seat; yield their plies in batches.

    A deal is played as in the first sitting of a match. Raises PlayerError for an illegal action.
    """
    seeds, players = checked_seeds(seeds), player_table(game, policies)
    num_rows = max(1, BATCH_BYTES // (game.state_dtype.itemsize + game.observation_dtype.itemsize))
    is_compiled = players["function"].all()
    while len(seeds):
        plies = _noted(game, players, seeds, _NOTHING, num_rows) if is_compiled else None
        if plies is None:  # not all compiled, or an illegal action, which `_repeated` reports
            plies = _repeated(game, policies, seeds[:BATCH_DEALS])
        if not len(plies.seeds):  # a game does not fit
            num_rows *= 2
            continue
        seeds = seeds[len(plies.seeds) :]
        yield plies


def plies_of_actions(
    game: Game, seeds: np.ndarray | Sequence[int], actions: np.ndarray | Sequence[int]
) -> Plies:
    """Repeat the games of the deals `seeds` from the actions [P] of all their plies.

    Raises ValueError where these are not whole games.
    """
    seeds, played = checked_seeds(seeds), np.asarray(actions, np.int64)
    plies = _noted(game, None, seeds, played, len(played))
    if plies is None or len(plies.seeds) < len(seeds) or len(plies.seats) < len(played):
        raise ValueError(
            f"{len(played)} actions that are not whole games of these {len(seeds)} deals"
        )
    return plies


def _noted(
    game: Game, players: np.ndarray | None, seeds: np.ndarray, played: np.ndarray, num_rows: int
) -> Plies | None:
    """Note as many whole games as fit into `num_rows`; return None at an illegal action.

    `players` are PLAYER records, one for each seat; without them the actions are `played`.
    """
    n, most = game.num_seats, min(len(seeds), num_rows)
    out = Plies(
        seeds=seeds[:most],
        ends=np.zeros(most, np.int64),
        returns=np.zeros((most, n)),
        finals=game.new_states(most),
        seats=np.zeros(num_rows, np.int8),
        states=np.zeros(num_rows, game.state_dtype),
        observations=game.new_observations(num_rows),
        words=np.zeros((num_rows, game.num_mask_words), np.int64),
        actions=np.zeros(num_rows, np.int64),
    )
    outside = np.full((1, n), EXTERNAL, np.int16)
    places = outside if players is None else np.arange(n, dtype=np.int16)[None]
    table = np.zeros(1, PLAYER) if players is None else players
    seats = Seats(places, table, new_streams((1, n)), NO_DRAWS)
    bindings = bindings_of(game)
    note_game = bind_inline(_note_game, **bindings)
    note = bind_inline(_note_deals, note_game=note_game, **bindings)
    num_games = note(out.seeds, played, Tables(game, new_streams((1,))).games, seats, out)
    if num_games == FAULT:
        return None
    num_plies = out.ends[num_games - 1] if num_games else 0
    return Plies(*(each[:num_games] for each in out[:4]), *(each[:num_plies] for each in out[4:]))


def _repeated(game: Game, policies: Sequence[SeatedPolicy], seeds: np.ndarray) -> Plies:
    """Let players that are not all compiled play these deals, and note the games."""
    tables = Tables(game, streams(seeds))
    tables.deal(tables.all_rows)
    seated = np.tile(np.arange(game.num_seats), (len(seeds), 1))
    seating = Seating(tables, policies, seated, player_streams(seeds, game.num_seats))
    rows, actions = [], []
    for turn in turns(tables):
        seating.watch(turn.rows)
        for seat in np.unique(turn.seats):
            is_acting = turn.seats == seat
            turn.actions[is_acting] = seating.choose(policies[seat], turn[is_acting])
        rows.append(turn.rows)
        actions.append(turn.actions)
    order = np.argsort(np.concatenate(rows), kind="stable")
    return plies_of_actions(game, seeds, np.concatenate(actions)[order])


def _note_deals(seeds, played, games, seats, out):
    """Play a whole game of each deal and note its plies one after another in the rows of `out`.

    EXTERNAL seats play the actions `played` [rows]. `games` and `seats` have one row. Stop before
    the first game that does not fit; return the number of games, or FAULT at an illegal action.
    """
    row = np.int64(0)
    for k in range(seeds.shape[0]):
        start_stream(games.rngs[0], seeds[k])
        start_players(seats.rngs[0], seeds[k], np.uint64(0))
        deal(games.states[0], games.rngs[0])
        row = note_game(row, played, games, seats, out)
        if row == FAULT:
            return FAULT
        if row == NO_ROW:
            return k
        out.ends[k] = row
        out.finals[k] = games.states[0]
        returns(games.states[0], out.returns[k])
    return seeds.shape[0]


def _note_game(row, played, games, seats, out):
    """Play a dealt game and note its plies from `row` on; return the row after the last.

    Return FAULT at an illegal action, and NO_ROW where rows or played actions run out.
    """
    state, mask, action = games.states[0], games.masks[0], np.int64(NO_ACTION)
    while True:
        seat = ply(state, games.rngs[0], action, mask)
        if seat == NO_SEAT:
            return row
        if row == out.seats.shape[0]:
            return np.int64(NO_ROW)
        observation, policy = out.observations[row], np.int64(seats.policies[0, seat])
        observe(state, seat, observation)
        if policy == EXTERNAL:
            action = np.int64(played[row])
        else:
            player, rng = seats.players[policy], seats.rngs[0, seat]
            action = call_player(player.function, player.weights, observation, mask, rng)
        if not is_legal(mask, action):
            return np.int64(FAULT)
        out.states[row] = state
        out.seats[row] = seat
        out.actions[row] = action
        for index in range(mask.shape[0]):
            out.words[row, index] = mask[index]
        row += 1
