"""The compiled step of a single table, and the arrays that it writes."""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from ..bits import mask_rows_as_bytes
from ..compile import entry_point
from ..game import NO_ACTION, NO_SEAT
from ..play.loops import MAX_DEALS, NEW_GAME, Loops, Seated, Ways
from ..play.tables import Tables, new_told
from ..played.played import Played
from ..rng import fresh_seed, streams
from .common import ObservationEncoder, no_choice_error, state_without


class OneTable:
    """A table whose step is one compiled call; `mask`, `numbers` and `told` show the result.

    `mask` is int8 [A] and `numbers` [num_inputs], both of the seat to act, or of the last actor at
    the end. `played` notes the actions.
    """

    def __init__(
        self, tables: Tables, encoder: ObservationEncoder, skip_forced: bool, played: Played
    ) -> None:
        self.tables = tables
        self.played = played
        self.games = tables.games()
        self.told = new_told(tables.game, 1, encoder.is_scaled)
        self._encoder = encoder
        self.ways = Ways(skip_forced, deals_again=False)
        self._actions = np.zeros(1, np.int64)

    def link(self, loops: Loops, seated: Seated) -> None:
        """Make the compiled step, with these players; also after copying, which breaks views."""
        told = self.told = self._encoder.with_views(self.told)
        self.mask = mask_rows_as_bytes(told.masks, self.tables.game.num_actions)[0]
        self.numbers = told.numbers[0]
        played = 0, 1, self.games, seated, self._actions, told, self.ways
        seen = self.games, 0, told
        self._step = partial(entry_point(loops.step, played), *played)
        look = cache(lambda: entry_point(loops.look, seen))  # few need it: compiled when called
        # Writes what a seat knows to `numbers` and `told.records`, even out of its turn.
        self.look: Callable[[int], None] = lambda seat: look()(self.games, seat, told)
        self._note = self.played.actions.append  # bound: looking it up at each step takes longer

    def play(self, action: int) -> int:
        """Play a legal action; return the seat to act, NO_SEAT at the end, or FAULT."""
        self._note(action)
        self._actions[0] = action
        self._step()
        return self.games.seats.item()

    def lose(self, action: int) -> None:
        """End the game by an illegal action of the action space."""
        self._actions[0] = action
        self._step()

    def start(self, is_dealt: bool) -> int:
        """Start a game, by a deal or from the position that lies there; return as `play`."""
        self.games.masks[:] = 0
        self._actions[0] = NO_ACTION if is_dealt else NEW_GAME
        self._step()
        return self.games.seats.item()

    def start_game(self, begin: Callable[[Any], None], deal: Any) -> int:
        """Start a game, from `deal` or else one with a choice; return as `play`, but not NO_SEAT.

        `begin(deal)` is called before each attempt. Raises ValueError where nobody has a choice.
        """
        for _ in range(MAX_DEALS if deal is None else 1):
            begin(deal)
            if deal is not None:
                self.tables.deal_from(0, deal)
            seat = self.start(is_dealt=deal is not None)
            if seat != NO_SEAT:
                return seat
        raise no_choice_error(self.tables.game)

    def determinize(self, seat: int, rng: np.ndarray | None) -> np.record:
        """Draw a position that this seat cannot distinguish, from `rng` [1] or a fresh stream."""
        rngs = streams([fresh_seed()]) if rng is None else rng
        return self.tables.determinize(self.tables.all_rows, np.array([seat]), rngs)[0]

    def __getstate__(self) -> dict[str, Any]:
        return state_without(self, ("_step", "look", "_note", "mask", "numbers"))
