"""Many tables at once: the compiled loops that every view, match and learner is driven by.

Each loop is an ordinary function over the global names of a game's rules (`deal`, `apply_action`,
...); `loops_of` binds it to one game, compiled once and kept on disk. `Tables` owns the arrays.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from .bits import is_allowed, mask_bytes_words, spread_mask
from .game import CHANCE, NO_ACTION, NO_SEAT, Function, Game
from .jit import bind, rule
from .rng import STREAM

NO_ROW = -1
EXTERNAL = -1  # the code of a seat whose actions come from outside the compiled loops

_RULES = (
    "deal",
    "seat_to_act",
    "legal_actions",
    "apply_action",
    "is_terminal",
    "returns",
    "observe",
    "reshuffle_unseen",
)


class Loops(NamedTuple):
    """The compiled loops of one game."""

    deal_rows: Function
    apply_rows: Function
    show_rows: Function
    observe_seats: Function
    returns_rows: Function
    reshuffle_rows: Function
    step_tables: Function


def loops_of(game: Game) -> Loops:
    """The loops of a game; all configurations of it share them."""
    functions = tuple(getattr(game, name) for name in _RULES)
    return _bind_loops(functions, game.play_chance)


@lru_cache
def _bind_loops(functions: tuple[Function, ...], play_chance: Function | None) -> Loops:
    meanings = rule_meanings(functions, play_chance)
    return Loops(*(bind(_TEMPLATES[name], **meanings) for name in Loops._fields))


@lru_cache
def rule_meanings(
    functions: tuple[Function, ...], play_chance: Function | None
) -> dict[str, Function]:
    """The names that a loop template may use, with a game's functions as their meaning."""
    meanings = dict(zip(_RULES, functions, strict=True))
    chance = play_chance or _no_chance
    seat_to_act = meanings["seat_to_act"]
    meanings["settle"] = bind(_settle, seat_to_act=seat_to_act, play_chance=chance)
    return meanings


def meanings_of(game: Game) -> dict[str, Function]:
    """The rule functions of a game by name, and `settle`, for binding further loops."""
    return rule_meanings(tuple(getattr(game, name) for name in _RULES), game.play_chance)


@rule
def _no_chance(state, rng):
    """For games that never draw in mid-game; never called."""


def _settle(state, rng):
    """Let the game draw until a seat has to act."""
    while seat_to_act(state) == CHANCE:
        play_chance(state, rng)


def _deal_rows(states, rngs, rows):
    for row in rows:
        deal(states[row], rngs[row])
        settle(states[row], rngs[row])


def _apply_rows(states, rngs, rows, actions):
    """Apply actions[k] at table rows[k]."""
    for k in range(rows.shape[0]):
        state = states[rows[k]]
        apply_action(state, actions[k])
        if not is_terminal(state):
            settle(state, rngs[rows[k]])


def _show_rows(states, rows, seats, observations, words):
    """Who acts at table rows[k], what that seat knows and may do; NO_SEAT where it is over."""
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
    """What seats[k] knows at table rows[k], whoever has to act."""
    for k in range(rows.shape[0]):
        observe(states[rows[k]], seats[k], observations[k])


def _returns_rows(states, rows, out):
    for k in range(rows.shape[0]):
        returns(states[rows[k]], out[k])


def _reshuffle_rows(states, rows, seats, rngs, out):
    """Positions out[k] that seats[k] could be in at table rows[k]."""
    for k in range(rows.shape[0]):
        out[k] = states[rows[k]]
        reshuffle_unseen(out[k], seats[k], rngs[k])


def _step_tables(states, rngs, actions, seats, ended, rewards, observations, words):
    """One ply at every table; a finished game writes its returns and the next one is dealt."""
    for row in range(states.shape[0]):
        state = states[row]
        apply_action(state, actions[row])
        ended[row] = is_terminal(state)
        if ended[row]:
            returns(state, rewards[row])
            deal(state, rngs[row])
        settle(state, rngs[row])
        seats[row] = seat_to_act(state)
        words[row, :] = 0
        legal_actions(state, words[row])
        observe(state, seats[row], observations[row])


def _advance_rows(states, rngs, rows, codes, player_rngs, observation, words, num_actions):
    """Let compiled players act at each table until a seat of code EXTERNAL has to, or the end.

    `codes` and `player_rngs` are [tables, seats]; `observation` [1] and `words` are scratch.
    Returns (row, action) of an illegal action, at which it stops, else (NO_ROW, NO_ACTION).
    """
    for row in rows:
        state = states[row]
        while not is_terminal(state):
            seat = seat_to_act(state)
            if codes[row, seat] == EXTERNAL:
                break
            words[:] = 0
            legal_actions(state, words)
            observe(state, seat, observation[0])
            action = choose(codes[row, seat], observation[0], words, player_rngs[row, seat])
            if not 0 <= action < num_actions or not is_allowed(words, action):
                return row, action
            apply_action(state, action)
            if not is_terminal(state):
                settle(state, rngs[row])
    return NO_ROW, NO_ACTION


_TEMPLATES: dict[str, Function] = {
    "deal_rows": _deal_rows,
    "apply_rows": _apply_rows,
    "show_rows": _show_rows,
    "observe_seats": _observe_seats,
    "returns_rows": _returns_rows,
    "reshuffle_rows": _reshuffle_rows,
    "step_tables": _step_tables,
}


# Compiled players inside the loops


def _choose_first(code, observation, words, rng):
    if code == 0:
        return first(observation, words, rng)
    return rest(code - 1, observation, words, rng)


def _choose_only(code, observation, words, rng):
    return first(observation, words, rng)


@lru_cache
def chooser(rows: tuple[Function, ...]) -> Function:
    """One function that plays any of these players: choose(code, observation, mask, rng)."""
    if len(rows) == 1:
        return bind(_choose_only, first=rows[0])
    return bind(_choose_first, first=rows[0], rest=chooser(rows[1:]))


def advance_loop(game: Game, rows: tuple[Function, ...]) -> Function:
    """The loop in which the players `rows` act by themselves; a player's code is its index."""
    return _bind_advance(tuple(getattr(game, name) for name in _RULES), game.play_chance, rows)


@lru_cache
def _bind_advance(
    functions: tuple[Function, ...], play_chance: Function | None, rows: tuple[Function, ...]
) -> Function:
    return bind(_advance_rows, choose=chooser(rows), **rule_meanings(functions, play_chance))


@rule
def _spread_rows(words, out):
    for row in range(words.shape[0]):
        spread_mask(words[row], out[row])


def action_masks(words: np.ndarray, num_actions: int) -> np.ndarray:
    """Masks in words [B, W] as a fresh int8 array [B, A], 1 = legal."""
    padded = np.empty((len(words), mask_bytes_words(num_actions)), np.int64)
    _spread_rows(words, padded)
    return padded.view(np.int8)[:, :num_actions]


class Tables:
    """N running games: the positions and their random streams, and verbs on chosen rows.

    `rows` below are table indices [K]; results are fresh arrays.
    """

    def __init__(self, game: Game, rngs: np.ndarray) -> None:
        self.game = game
        self.states = game.new_states(len(rngs))
        self.rngs = rngs
        self.all_rows = np.arange(len(rngs))
        self._loops = loops_of(game)

    def deal(self, rows: np.ndarray) -> None:
        """New games from the tables' own streams."""
        self._loops.deal_rows(self.states, self.rngs, rows)

    def deal_from(self, row: int, data: Any) -> None:
        """A given deal, as plain data. Raises ValueError where it is impossible."""
        self.game.deal_from(self.states[row], data, self.rngs[row])

    def apply(self, rows: np.ndarray, actions: np.ndarray) -> None:
        """Legal actions [K], one at each of these tables."""
        self._loops.apply_rows(self.states, self.rngs, rows, actions)

    def show(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Seats to act [K] (NO_SEAT at the end), their observations [K], mask words [K, W]."""
        seats = np.empty(len(rows), np.int64)
        observations = self.game.new_observations(len(rows))
        words = np.empty((len(rows), self.game.num_mask_words), np.int64)
        self._loops.show_rows(self.states, rows, seats, observations, words)
        return seats, observations, words

    def observe(self, rows: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """What seats[k] knows at table rows[k]: records [K]."""
        observations = self.game.new_observations(len(rows))
        self._loops.observe_seats(self.states, rows, seats, observations)
        return observations

    def returns(self, rows: np.ndarray) -> np.ndarray:
        """Returns [K, seats] of finished games; zeros for others."""
        out = np.zeros((len(rows), self.game.num_seats))
        self._loops.returns_rows(self.states, rows, out)
        return out

    def imagine(self, rows: np.ndarray, seats: np.ndarray, rngs: np.ndarray) -> np.ndarray:
        """Positions [K] drawn from all that seats[k] cannot tell apart from table rows[k]."""
        out = self.game.new_states(len(rows))
        self._loops.reshuffle_rows(self.states, rows, seats, rngs, out)
        return out


def new_streams(shape: tuple[int, ...]) -> np.ndarray:
    """Room for random streams, to be seeded."""
    return np.zeros(shape, STREAM)
