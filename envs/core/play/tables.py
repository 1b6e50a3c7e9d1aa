"""`Tables`: running games as arrays, with methods for chosen rows; masks as arrays of bytes."""

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import numpy as np

from ..bits import mask_rows_as_bytes, new_mask_rows, spread_masks
from ..compile import entry_point
from ..game import NO_ACTION, NO_SEAT, Game
from ..positions import position_from
from ..records import PLAYER, PROGRESS, result_dtype
from ..rng import STREAM
from .loops import (
    EXTERNAL,
    GO_ON,
    LEAVE,
    NEW_GAME,
    NO_DRAWS,
    START,
    Games,
    Report,
    Seats,
    StepOptions,
    loops_of,
)

MAX_PLIES = 4096  # of a game that can be repeated


class Tables:
    """N running games: their positions and random streams, with methods for chosen rows.

    `rows` below are table indices [K]; results are fresh arrays. With `keeps_plies`, the games so
    far can be repeated.
    """

    def __init__(self, game: Game, rngs: np.ndarray, keeps_plies: bool = False) -> None:
        self.game = game
        self.states = game.new_states(len(rngs))
        self.rngs = np.ascontiguousarray(rngs)  # the compiled step does not look
        self.masks = np.zeros((len(rngs), game.num_mask_words), np.int64)
        self.progress = np.zeros(len(rngs), PROGRESS)
        self.clear(slice(None))
        self.starts = game.new_states(len(rngs) if keeps_plies else 0)
        self.actions = np.zeros((len(rngs), MAX_PLIES if keeps_plies else 0), np.int16)
        self.all_rows = np.arange(len(rngs))
        self._commands = np.full(len(rngs), LEAVE)
        self.games = Games(
            self.states, self.rngs, self.masks, self.progress, self.starts, self.actions
        )
        self.loops = loops_of(game)

    def __getstate__(self) -> dict[str, Any]:
        derived = ("loops", "report", "_step")
        return {name: value for name, value in vars(self).items() if name not in derived}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.loops = loops_of(self.game)

    @cached_property
    def report(self) -> Report:
        """What a step writes to, with the records of all tables."""
        return new_report(self.game, len(self.states), has_numbers=False)

    @cached_property
    def _step(self) -> Callable[[], int]:
        """Carry out the commands in `_commands` at tables where every seat is EXTERNAL."""
        end = len(self.states)
        outside, options = self_play_seats(self.game, end), StepOptions(one_ply=True, block=end)
        step, games = step_of(self.game), self.games
        return partial(step, 0, end, games, outside, self._commands, self.report, options)

    def carry_out(self, rows: np.ndarray, commands: Any) -> None:
        """Play legal actions [K], or do what other commands of `loops` say, at these tables.

        `progress`, `masks` and `report.records` then show the seats to act.
        """
        self._commands[rows] = commands
        self._step()
        self._commands[rows] = LEAVE

    def clear(self, rows: Any) -> None:
        """Forget the games at these tables, before new ones or positions are laid out there."""
        self.masks[rows] = 0
        self.progress[rows] = np.array((NO_SEAT, NO_SEAT, 0, NO_ACTION, 0, 0, 0), PROGRESS)

    def deal(self, rows: np.ndarray) -> None:
        """Deal new games from the tables' own streams."""
        self.carry_out(rows, NEW_GAME)

    def start(self, rows: np.ndarray, data: Any = None) -> None:
        """Deal new games, or lay out `data` at each of these tables, as `deal_from` does."""
        if data is None:
            self.deal(rows)
        else:
            for row in rows:
                self.deal_from(row, data)

    def deal_from(self, row: int, data: Any) -> None:
        """Deal from plain data, or lay out a position, which is a record.

        Raises ValueError where either is impossible.
        """
        if isinstance(data, np.void):
            self.states[row] = position_from(self.game, data)
        else:
            self.game.deal_from(self.states[row], data, self.rngs[row])
        self.carry_out(np.array([row]), START)

    def apply(self, rows: np.ndarray, actions: np.ndarray) -> None:
        """Apply legal actions [K], one at each of these tables."""
        self.loops.apply_rows(self.states, self.rngs, rows, actions)

    def show(
        self, rows: np.ndarray, commands: Any = GO_ON
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Carry out commands; return what the seats to act know and may do.

        These are the seats [K] (NO_SEAT at the end), observations [K] and mask words [K, W].
        """
        self.carry_out(rows, commands)
        return self.progress["seat"][rows], self.report.records[rows], self.masks[rows]

    def observe(self, rows: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Return the observations of seats[k] at table rows[k]: records [K]."""
        observations = self.game.new_observations(len(rows))
        self.loops.observe_rows(self.states, rows, seats, observations)
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


def self_play_seats(game: Game, num_tables: int) -> Seats:
    """Return the seats of self-play: every one is EXTERNAL."""
    shape = num_tables, game.num_seats
    seats = np.full(shape, EXTERNAL, np.int16)
    return Seats(seats, np.zeros(1, PLAYER), new_streams(shape), NO_DRAWS)


def new_report(
    game: Game, num_tables: int, is_scaled: bool = True, has_numbers: bool = True
) -> Report:
    """Return what a step writes to, zeros, with observations scaled or as whole numbers.

    Without numbers it has the records alone, no masks either: for those who read no vectors.
    """
    n, layout = num_tables, game.layout
    records = game.new_observations(n)
    encoding = layout.encoding(records, is_scaled)
    masks = new_mask_rows(n, game.num_actions)
    if not has_numbers:
        encoding = encoding._replace(factors=encoding.factors[:0], num_bits=encoding.num_bits[:0])
        masks = masks[:, :0]
    num_inputs = layout.num_inputs if has_numbers else 0
    numbers = np.zeros((n, num_inputs), np.float32 if is_scaled else layout.plain_dtype)
    results = np.zeros(n, result_dtype(game.num_seats))
    return Report(records, encoding, numbers, numbers.copy(), np.zeros_like(masks), results)


_steps: dict[tuple[Any, ...], Callable[..., int]] = {}


def step_of(game: Game, is_scaled: bool = True) -> Callable[..., int]:
    """Return the compiled step of a game, for calls with arrays of just its types.

    To look up the types of all arguments takes thousands of times as long as a short step.
    """
    loops = loops_of(game)
    key = loops.step, game.state_dtype, game.observation_dtype, game.num_seats, is_scaled
    if key not in _steps:
        games, seats = Tables(game, new_streams((2,))).games, self_play_seats(game, 2)
        commands, report = np.zeros(2, np.int64), new_report(game, 2, is_scaled)
        example = 0, 2, games, seats, commands, report, StepOptions()
        _steps[key] = entry_point(loops.step, example)
    return _steps[key]


def action_masks(words: np.ndarray, num_actions: int) -> np.ndarray:
    """Convert masks in words [B, W] to a fresh int8 array [B, A], 1 = legal."""
    rows = new_mask_rows(len(words), num_actions)
    spread_masks(words, rows)
    return mask_rows_as_bytes(rows, num_actions)


def new_streams(shape: tuple[int, ...]) -> np.ndarray:
    """Return an array of random streams that are not seeded yet."""
    return np.zeros(shape, STREAM)
