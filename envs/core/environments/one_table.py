"""A single table whose step is one compiled call, and the arrays that it writes."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..bits import mask_rows_as_bytes
from ..game import NO_SEAT
from ..play.driver import Seating, no_choice_error
from ..play.loops import FAULT, LOOK, NEW_GAME, NO_DRAWS, START, Draws, StepOptions
from ..play.tables import Tables, new_report, step_of
from ..rng import fresh_seed, streams
from .common import ObservationEncoder, state_without


class OneTable:
    """A table to be stepped; `mask`, `numbers` and `result` show how it stands.

    `mask` is int8 [A] and `numbers` [num_inputs], both of the seat to act, or of the last actor at
    the end.
    """

    def __init__(self, tables: Tables, encoder: ObservationEncoder) -> None:
        self.tables = tables
        self.report = new_report(tables.game, 1, encoder.is_scaled)
        self._encoder = encoder
        self._command = np.zeros(1, np.int64)

    def link(self, seating: Seating, draws: Draws = NO_DRAWS) -> None:
        """Make the compiled step with these players; also after copying, which breaks views."""
        report = self.report = self._encoder.with_views(self.report)
        self.mask = mask_rows_as_bytes(report.masks, self.tables.game.num_actions)[0]
        self.numbers = report.numbers[0]
        self.seating, self._is_compiled = seating, seating.is_compiled
        self._seat = self.tables.progress["seat"]
        self.options = StepOptions(seating.skip_forced, needs_choice=True)
        ahead = 0, 1, self.tables.games, seating.seats(draws)
        step = step_of(self.tables.game, self._encoder.is_scaled)
        self._step = partial(step, *ahead, self._command, report, self.options)
        self._step_by: Callable[..., int] = lambda commands, options: step(
            *ahead, commands, report, options
        )

    def look(self, seat: int) -> None:
        """Write what a seat knows to `numbers` and `report.records`, even out of its turn."""
        self.play(LOOK - seat)

    def start(self, deal: Any) -> int:
        """Start a game from `deal`, or else one with a choice; return the seat to act.

        Raises ValueError where nobody has a choice.
        """
        self.report.results[:] = np.zeros(1, self.report.results.dtype)
        if deal is None:
            seat = self.play(NEW_GAME)
        else:
            self.tables.deal_from(0, deal)
            self.seating.begin(self.tables.all_rows)
            command = np.array([START])
            self.seating.drive(self._step_by, command, self.options._replace(needs_choice=False))
            seat = self._seat.item()
        if seat == NO_SEAT:
            raise no_choice_error(self.tables.game)
        return seat

    def play(self, command: int) -> int:
        """Play an action and the players' after it; return the seat to act, or NO_SEAT.

        An illegal one loses. Raises PlayerError for a player's illegal action.
        """
        self._command[0] = command
        if self._is_compiled:
            self._step()
            seat: int = self._seat.item()
            if seat == FAULT:
                self.seating.blame(0)
            return seat
        self.seating.drive(self._step_by, self._command.copy(), self.options)
        return self._seat.item()

    def determinize(self, seat: int, rng: np.ndarray | None) -> np.record:
        """Draw a position that this seat cannot distinguish, from `rng` [1] or a fresh stream."""
        rngs = streams([fresh_seed()]) if rng is None else rng
        return self.tables.determinize(self.tables.all_rows, np.array([seat]), rngs)[0]

    def __getstate__(self) -> dict[str, Any]:
        derived = ("_step", "_step_by", "_seat", "mask", "numbers", "seating")
        return state_without(self, derived)
