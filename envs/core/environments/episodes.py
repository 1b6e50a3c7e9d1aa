"""The tables of an environment: who plays there, the random streams, and the compiled step.

One seat at each table learns, fixed or drawn for each game, or in self-play every seat does;
policies play the others. Every player has its own random stream.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ..bits import mask_rows_as_bytes
from ..game import NO_SEAT, Game, check_choice, check_range
from ..play.driver import Seating, no_choice_error
from ..play.loops import (
    ANY_SEAT,
    EXTERNAL,
    LOOK,
    NEW_GAME,
    NO_DRAWS,
    NO_ROW,
    START,
    Draws,
    Report,
    StepOptions,
)
from ..play.tables import Tables, new_report, new_streams
from ..rng import checked_seeds, fresh_seed, seed_games, streams
from .common import ObservationEncoder
from .opponents import Opponents

RANDOM_SEAT = "random"
_DERIVED = ("seating", "mask", "numbers", "_step", "_seat")  # made from the other attributes


class Episodes:
    """Tables at which one seat learns and `opponents` play the others.

    `seat` is a number, "random" for a new one each game, or None where every seat learns.
    `opponents` is one policy for all other seats, or a list with one for each, clockwise from the
    learning seat; a dict of policies and weights in place of a policy is a pool, from which each
    game draws one for each seat. With `keeps_plies`, the games so far can be repeated.

    `report` says how the tables stand. Of the first one `mask`, int8 [A], and `numbers`
    [num_inputs] are those of the seat to act, or of the last actor at the end.
    """

    def __init__(
        self,
        game: Game,
        num_tables: int,
        encoder: ObservationEncoder,
        options: StepOptions,
        seat: int | str | None = None,
        opponents: Any = (),
        keeps_plies: bool = False,
    ) -> None:
        check_choice("skip_forced", options.skip_forced, (False, True))
        if seat not in (None, RANDOM_SEAT):
            check_range('seat (or "random")', seat, 0, game.num_seats - 1)
        self.game = game
        self.encoder = encoder
        self.options = options._replace(needs_choice=True)
        self.seat = seat
        self.is_started = False  # and has its tables, which the first `seed` makes
        self._keeps_plies = keeps_plies
        self.report = new_report(game, num_tables, encoder.is_scaled)
        self._command = np.zeros(1, np.int64)
        self.set_opponents(opponents)

    def set_opponents(self, opponents: Any) -> None:
        """Choose who plays from the next `start` at all tables on. ValueError for wrong ones."""
        num_others = 0 if self.seat is None else self.game.num_seats - 1
        self._next_opponents = Opponents.of(opponents, self.game.num_seats, num_others)

    def seed(self, seeds: Sequence[int] | np.ndarray, rows: np.ndarray) -> None:
        """Start the streams for the deals, the players and the seats, of these tables [K].

        The first call is for all tables.
        """
        numbers = checked_seeds(seeds)
        if not self.is_started:
            self.tables = Tables(self.game, new_streams((len(numbers),)), self._keeps_plies)
            self.player_rngs = new_streams((len(numbers), self.game.num_seats))
            self.draw_rngs = new_streams((len(numbers),))
            self._seat_opponents()
            self.is_started = True
        sittings = np.zeros(len(rows), np.uint64)
        seed_games(numbers, sittings, rows, self.tables.rngs, self.player_rngs, self.draw_rngs)

    def _seat_opponents(self) -> None:
        self.opponents = self._next_opponents
        first = 0 if self.seat in (None, RANDOM_SEAT) else int(self.seat)
        self.seated = self.opponents.seated(np.full(len(self.tables.all_rows), first))
        self._link()

    def _link(self) -> None:
        """Make the compiled step; also after copying, which breaks views."""
        policies, rngs = self.opponents.policies, self.player_rngs
        is_scaled = self.encoder.is_scaled
        self.seating = Seating(self.tables, policies, self.seated, rngs, self._draws(), is_scaled)
        self.seated = self.seating.seated  # as the games draw them
        encoding = self.game.layout.encoding(self.report.records, is_scaled)
        report = self.report = self.report._replace(encoding=encoding)
        self.mask = mask_rows_as_bytes(report.masks, self.game.num_actions)[0]
        self.numbers = report.numbers[0]
        ahead = 0, 1, self.tables.games, self.seating.seats
        self._step = partial(self.seating.step, *ahead, self._command, report, self.options)
        self._is_compiled = self.seating.is_compiled
        self._seat = self.tables.progress["seat"]

    def _draws(self) -> Draws:
        """Return how each game draws who sits where."""
        if self.seat == RANDOM_SEAT:
            return Draws(self.draw_rngs, ANY_SEAT, self.opponents.pools)
        if self.opponents.are_drawn:
            return Draws(self.draw_rngs, int(self.seat or 0), self.opponents.pools)
        return NO_DRAWS

    def start(
        self,
        deal: Any,
        rows: np.ndarray | None = None,
        report: Report | None = None,
        num_threads: int = 1,
    ) -> None:
        """Start games at these tables, or at all; the others are shown again.

        They start from `deal`, or else with a choice. Raises ValueError where nobody has one.
        """
        if deal is None and report is None and self.opponents is self._next_opponents:
            self.report.results.view(np.uint8)[:] = 0  # a short way for short games at one table
            if self.play(NEW_GAME) == NO_SEAT:
                raise no_choice_error(self.game)
            return
        report = report or self.report
        rows = self.tables.all_rows if rows is None else rows
        command = NEW_GAME if deal is None else START
        if len(rows) < len(self.tables.all_rows):
            commands = LOOK - self.shown_seats()
            commands[rows] = command
        else:
            commands = np.full(len(rows), command)
            if self.opponents is not self._next_opponents:
                self._seat_opponents()
        options = self.options
        if deal is not None:
            self.tables.start(rows, deal)
            self.seating.begin(rows)
            options = options._replace(needs_choice=False)
        report.results[rows] = np.zeros(1, report.results.dtype)
        self.seating.drive(commands, report, options, num_threads)
        if (self._seat[rows] == NO_SEAT).any():
            raise no_choice_error(self.game)

    def play(self, command: int) -> int:
        """Play an action and the players' after it; return the seat to act, or NO_SEAT.

        It is for one table. An illegal action loses. Raises PlayerError for a player's.
        """
        self._command[0] = command
        if not self._is_compiled:
            self.seating.drive(self._command.copy(), self.report, self.options)
        elif self._step() != NO_ROW:
            self.seating.blame(0)
        seat: int = self._seat.item()
        return seat

    def look(self, seat: int) -> None:
        """Write what a seat knows to `numbers` and `report.records`, even out of its turn."""
        self.play(LOOK - seat)

    def shown_seats(self) -> np.ndarray:
        """Return the seats [N] to act, or at the end those that have acted last."""
        return np.where(self._seat == NO_SEAT, self.tables.progress["actor"], self._seat)

    def learners(self) -> np.ndarray:
        """Return the learner's seat at each table [N]."""
        return (self.seated == EXTERNAL).argmax(axis=1)

    def knowledge(self) -> np.ndarray:
        """Return the observations of all seats one after another, [N, seats * num_inputs]."""
        rows, num_seats = self.tables.all_rows, self.game.num_seats
        seats = np.tile(range(num_seats), len(rows))
        records = self.tables.observe(np.repeat(rows, num_seats), seats)
        return self.encoder.encode(records).reshape(len(rows), -1)

    def determinize(self, seats: np.ndarray, rngs: np.ndarray | None) -> np.ndarray:
        """Draw positions [N] that these seats cannot distinguish from theirs.

        `rngs` are streams [N] to draw from; without them fresh ones are made.
        """
        rows = self.tables.all_rows
        drawn = streams([fresh_seed() for _ in rows]) if rngs is None else rngs
        return self.tables.determinize(rows, seats, drawn)

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in vars(self).items() if name not in _DERIVED}
        return {**state, "memories": self.seating.memories} if self.is_started else state

    def __setstate__(self, state: dict[str, Any]) -> None:
        memories = state.pop("memories", {})
        self.__dict__.update(state)
        if self.is_started:
            self._link()
            self.seating.memories = memories


class TableViews:
    """What all environments offer beside the interface of their library."""

    game: Game
    _episodes: Episodes

    @property
    def _tables(self) -> Tables:
        return self._episodes.tables

    def _check_started(self, method: str) -> None:
        """Raise ValueError for a method that is called before the first reset."""
        if not self._episodes.is_started:
            raise ValueError(f"call reset() before {method}()")

    def states(self) -> np.ndarray:
        """Return a copy of the positions [N], as `position_of` gives them."""
        self._check_started("position_of")
        return self._tables.states.copy()
