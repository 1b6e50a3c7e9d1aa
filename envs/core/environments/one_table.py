"""The compiled step of a single table, and the arrays that it writes."""

from functools import partial
from typing import Any

import numpy as np

from ..compile import entry_point
from ..game import NO_ACTION
from ..play.loops import NEW_GAME, Loops, Seated, Ways
from ..play.tables import Tables, new_told
from .common import ObservationEncoder


class OneTable:
    """A table whose step is one compiled call; `mask`, `numbers` and `told` show the result.

    `mask` is int8 [A] and `numbers` [num_inputs], both of the seat to act, or of the last actor at
    the end.
    """

    def __init__(self, tables: Tables, encoder: ObservationEncoder, skip_forced: bool) -> None:
        self.tables = tables
        self.games = tables.games()
        self.told = new_told(tables.game, 1, encoder.is_scaled)
        self._encoder = encoder
        self._ways = Ways(skip_forced, deals_again=False)
        self._actions = np.zeros(1, np.int64)

    def link(self, loops: Loops, seated: Seated) -> None:
        """Make the compiled step, with these players; also after copying, which breaks views."""
        told = self.told = self._encoder.with_views(self.told)
        self.mask = told.masks[0, : self.tables.game.num_actions]
        self.numbers = told.numbers[0]
        played = 0, 1, self.games, seated, self._actions, told, self._ways
        seen = self.games, 0, told
        self._step = partial(entry_point(loops.step, played), *played)
        self._look = lambda seat: entry_point(loops.look, seen)(self.games, seat, told)

    def play(self, action: int) -> int:
        """Play a legal action; return the seat to act, NO_SEAT at the end, or FAULT."""
        self._actions[0] = action
        self._step()
        return self.games.seats.item()

    def start(self, is_dealt: bool) -> int:
        """Start a game, by a deal or from the position that lies there; return as `play`."""
        self.games.masks[:] = 0
        return self.play(NO_ACTION if is_dealt else NEW_GAME)

    def look(self, seat: int) -> None:
        """Show what a seat knows, with any seat to act."""
        self._look(seat)

    def __getstate__(self) -> dict[str, Any]:
        derived = ("_step", "_look", "mask", "numbers")
        return {name: value for name, value in vars(self).items() if name not in derived}
