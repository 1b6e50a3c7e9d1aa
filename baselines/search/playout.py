"""Search by playing out: flat Monte Carlo over re-deals of the unseen, for any game.

Every legal action is tried in the same re-dealt positions and played to the end by a compiled
player; sequential halving (Karnin, Koren and Somekh 2013) drops the worse half phase by phase.
"""

import time
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from ...envs.core.bits import mask_words, random_allowed
from ...envs.core.game import Function, Game, check_range
from ...envs.core.jit import bind, rule
from ...envs.core.rng import split, uniform
from ...envs.core.tables import meanings_of, new_streams
from ..policy import Policy
from ..roster import BLIND, own_players

NAME = "playout"
NUM_PLAYOUTS = 400
NOISE = 0.2
MOST_PLAYOUTS = 1_000_000
PLAYOUTS_BETWEEN_CLOCKS = 64

# (positions [B], rngs [B], alive [B, A], rounds [B], sums [B, A]): adds what live actions returned
PlayRounds = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray], None]

_BLIND_ROWS = tuple(player.row for player in BLIND.values())


def playout(
    game: Game,
    num_playouts: int | None = None,
    milliseconds: float | None = None,
    playout_policy: str | None = None,
    noise: float = NOISE,
) -> Policy:
    """Plays every action out many times over re-deals of what it cannot see.

    The budget of a move is either `num_playouts` games played out (400 where nothing is said; at
    least one for each legal action) or `milliseconds`, with which play depends on the machine.
    `playout_policy` is any compiled player of the game, where nothing is said the strongest script
    that is fast enough; in playouts it acts at random with a chance of `noise`, without which the
    playouts of a player that never draws would be alike. Raises ValueError for another, for both
    budgets at once, and for a budget out of range.
    """
    num_playouts = checked_budget(NAME, num_playouts, milliseconds)
    check_noise(noise)
    search = _Search(game, compiled_row(game, playout_policy), noise)

    def choose(
        observations: np.ndarray, action_masks: np.ndarray, rngs: np.ndarray, positions: np.ndarray
    ) -> np.ndarray:
        if milliseconds is None:
            return search.choose(action_masks, rngs, positions, num_playouts)
        return search.choose_in_time(action_masks, rngs, positions, milliseconds / 1000)

    return Policy(NAME, game, choose, needs_positions=True)


def checked_budget(name: str, num_playouts: int | None, milliseconds: float | None) -> int:
    """How many playouts a move gets where there is no time to go by. Raises ValueError."""
    if num_playouts is not None and milliseconds is not None:
        raise ValueError(f"{name} takes num_playouts or milliseconds, not both")
    if milliseconds is not None:
        _check_milliseconds(milliseconds)
    num_playouts = NUM_PLAYOUTS if num_playouts is None else num_playouts
    check_range("num_playouts", num_playouts, 1, MOST_PLAYOUTS)
    return num_playouts


def _check_milliseconds(milliseconds: float) -> None:
    is_number = isinstance(milliseconds, int | float) and not isinstance(milliseconds, bool)
    if not is_number or not 0 < milliseconds < float("inf"):
        raise ValueError(f"milliseconds must be a number above 0; got {milliseconds!r}")


def check_noise(noise: float) -> None:
    """Raise ValueError unless this is a chance."""
    if isinstance(noise, bool) or not isinstance(noise, int | float) or not 0 <= noise <= 1:
        raise ValueError(f"noise must be a chance in 0 .. 1; got {noise!r}")


def compiled_row(game: Game, name: str | None) -> Function:
    """The player that plays games out; None is the strongest fast script. Raises ValueError."""
    players = {**BLIND, **own_players(game)}
    rows = {key: player.row for key, player in players.items() if player.row is not None}
    if name is None:
        scripts = [key for key in rows if players[key].plays_out and rows[key] not in _BLIND_ROWS]
        name = scripts[-1] if scripts else "random"
    if name not in rows:
        raise ValueError(f"playout_policy must be one of {', '.join(rows)}; got {name!r}")
    return rows[name]


class _Search:
    """The compiled playouts of one game, and how they are shared among its actions."""

    def __init__(self, game: Game, row: Function, noise: float) -> None:
        self.game = game
        self.noise = float(noise)
        self._play_rounds = _bind_play_rounds(game, row)

    def choose(
        self, masks: np.ndarray, rngs: np.ndarray, positions: np.ndarray, num_playouts: int
    ) -> np.ndarray:
        """Sequential halving at all rows side by side."""
        return choose_by_halving(self.play_rounds, masks, rngs, positions, num_playouts)

    def choose_in_time(
        self, masks: np.ndarray, rngs: np.ndarray, positions: np.ndarray, seconds: float
    ) -> np.ndarray:
        """The same by the clock, row after row."""
        actions = [
            choose_in_time(self.play_rounds, masks[one], rngs[one], positions[one], seconds)
            for one in single_rows(len(masks))
        ]
        return np.array(actions, np.int64)

    def play_rounds(
        self,
        positions: np.ndarray,
        rngs: np.ndarray,
        alive: np.ndarray,
        rounds: np.ndarray,
        sums: np.ndarray,
    ) -> None:
        """Play live actions [B, A] out, once in each of rounds[B] re-deals; adds to sums [B, A]."""
        game = self.game
        self._play_rounds(
            positions,
            rngs,
            alive,
            rounds,
            sums,
            self.noise,
            game.new_states(2),
            new_streams((2,)),
            game.new_observations(),
            np.zeros(mask_words(game.num_actions), np.int64),
            np.zeros(game.num_seats),
        )


def single_rows(num_rows: int) -> list[slice]:
    """Each row by itself, as a batch of one."""
    return [slice(row, row + 1) for row in range(num_rows)]


def choose_by_halving(
    play_rounds: PlayRounds,
    masks: np.ndarray,
    rngs: np.ndarray,
    positions: np.ndarray,
    num_playouts: int,
) -> np.ndarray:
    """The best actions [B] by sequential halving with so many playouts, rows side by side."""
    alive = masks.astype(np.int8)
    sums = np.zeros(masks.shape)
    remaining = np.full(len(masks), num_playouts)
    first = 1  # in the first phase every action is tried, whatever the budget
    while True:
        num_alive = alive.sum(axis=1, dtype=np.int64)
        if num_alive.max(initial=0) <= 1:
            return alive.argmax(axis=1)
        num_phases = np.ceil(np.log2(np.maximum(num_alive, 2))).astype(np.int64)
        rounds = np.maximum(np.maximum(remaining, 0) // (num_phases * num_alive), first)
        rounds[num_alive <= 1] = 0
        play_rounds(positions, rngs, alive, rounds, sums)
        remaining -= rounds * num_alive
        halve(alive, sums)
        first = 0


def choose_in_time(
    play_rounds: PlayRounds,
    mask: np.ndarray,
    rng: np.ndarray,
    position: np.ndarray,
    seconds: float,
) -> int:
    """The best action of a batch of one, each phase of halving an equal share of the time."""
    alive = mask.astype(np.int8)
    sums = np.zeros(mask.shape)
    start = time.perf_counter()
    num_phases = int(np.ceil(np.log2(max(1, int(alive.sum())))))
    for phase in range(num_phases):
        rounds = np.array([max(1, PLAYOUTS_BETWEEN_CLOCKS // int(alive.sum()))])
        play_rounds(position, rng, alive, rounds, sums)
        while time.perf_counter() < start + seconds * (phase + 1) / num_phases:
            play_rounds(position, rng, alive, rounds, sums)
        halve(alive, sums)
    return int(alive[0].argmax())


def halve(alive: np.ndarray, sums: np.ndarray) -> None:
    """Keep the better half of the live actions of each row, of equals the lower index."""
    ranked = np.argsort(np.where(alive == 1, -sums, np.inf), axis=1, kind="stable")
    places = np.argsort(ranked, axis=1)
    alive &= places < (alive.sum(axis=1, keepdims=True, dtype=np.int64) + 1) // 2


@rule
def _observe_nothing(state, seat, out):
    """For players that look at the mask alone."""


def _bind_play_rounds(game: Game, row: Function) -> Function:
    return _bind_playouts(row, tuple(meanings_for(game, row).items()))


def meanings_for(game: Game, row: Function) -> dict[str, Function]:
    """The rules by name for a loop in which `row` plays; some players look at the mask alone."""
    meanings = meanings_of(game)
    return {**meanings, "observe": _observe_nothing} if row in _BLIND_ROWS else meanings


@lru_cache
def _bind_playouts(row: Function, meanings: tuple[tuple[str, Function], ...]) -> Function:
    rules = dict(meanings)
    play_out = bind(play_out_template, choose=row, **rules)
    return bind(_play_rounds, play_out=play_out, **rules)


def _play_rounds(
    positions, rngs, alive, rounds, sums, noise, states, streams, observation, words, outcome
):
    """`states` hold a re-deal and a game played from it; `streams` the luck common to actions."""
    for row in range(positions.shape[0]):
        seat = seat_to_act(positions[row])
        for _ in range(rounds[row]):
            states[0] = positions[row]
            reshuffle_unseen(states[0], seat, rngs[row])
            split(rngs[row], streams[0])
            for action in range(alive.shape[1]):
                if alive[row, action] != 0:
                    states[1] = states[0]
                    streams[1] = streams[0]
                    apply_action(states[1], action)
                    play_out(states[1], streams[1], noise, observation, words)
                    returns(states[1], outcome)
                    sums[row, action] += outcome[seat]


def play_out_template(state, rng, noise, observation, words):
    """One player in all seats, to the end."""
    settle(state, rng)
    while not is_terminal(state):
        words[:] = 0
        legal_actions(state, words)
        if noise > 0.0 and uniform(rng) < noise:
            action = random_allowed(words, rng)
        else:
            observe(state, seat_to_act(state), observation[0])
            action = choose(observation[0], words, rng)
        apply_action(state, action)
        settle(state, rng)
