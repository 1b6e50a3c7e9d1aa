"""Games with one learning seat at each table and policies in the others, for solo and vector.

The learning seat is fixed or drawn for each game, or in self-play every seat learns; every player
has its own random stream.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..game import Game, check_range
from ..play.driver import Seating
from ..play.loops import ANY_SEAT, EXTERNAL, NO_DRAWS, Draws
from ..play.tables import Tables, new_streams
from ..rng import checked_seeds, seed_games
from .common import state_without
from .opponents import Opponents

RANDOM_SEAT = "random"


class Episodes:
    """Tables at which one seat learns and `opponents` play the others.

    `seat` is a number, or "random" for a new one each game. `opponents` is one policy for all
    other seats, or a list with one for each, clockwise from the learning seat; a dict of policies
    and weights in place of a policy is a pool, from which each game draws one for each seat. In
    `self_play` there are none.
    """

    def __init__(
        self,
        game: Game,
        seat: int | str,
        opponents: Any,
        skip_forced: bool,
        self_play: bool = False,
        keeps_plies: bool = False,
    ) -> None:
        if seat != RANDOM_SEAT:
            check_range('seat (or "random")', seat, 0, game.num_seats - 1)
        self.game = game
        self.seat = seat
        self.skip_forced = skip_forced
        self._keeps_plies = keeps_plies
        self.self_play = self_play
        self.set_opponents(opponents)

    def set_opponents(self, opponents: Any) -> None:
        """Choose the opponents from the next `renew` on. Raises ValueError for impossible ones."""
        num_others = 0 if self.self_play else self.game.num_seats - 1
        self.next_opponents = Opponents.of(opponents, self.game.num_seats, num_others)

    def renew(self) -> bool:
        """Before a deal at all tables, seat opponents that were set; return whether any were."""
        if self.opponents is self.next_opponents:
            return False
        self._seat_opponents()
        return True

    def _seat_opponents(self) -> None:
        self.opponents = self.next_opponents
        first = 0 if self.seat == RANDOM_SEAT else int(self.seat)
        self.seated = self.opponents.seated(np.full(len(self.tables.all_rows), first))
        self._link_seating()

    def seed(self, seeds: Sequence[int] | np.ndarray, rows: np.ndarray) -> None:
        """Start the streams for the deals, the players and the seats, of these tables [K].

        The tables are made at the first call, which seeds them all.
        """
        if not self.is_seeded:
            self._make_tables(len(seeds))
        streams = self.tables.rngs, self.player_rngs, self.draw_rngs
        sittings = np.zeros(len(rows), np.uint64)
        seed_games(checked_seeds(seeds), sittings, rows, *streams)

    @property
    def is_seeded(self) -> bool:
        """Return whether `seed` has made the tables."""
        return "tables" in vars(self)

    def _make_tables(self, num_tables: int) -> None:
        self.tables = Tables(self.game, new_streams((num_tables,)), self._keeps_plies)
        self.player_rngs = new_streams((num_tables, self.game.num_seats))
        self.draw_rngs = new_streams((num_tables,))
        self._seat_opponents()

    def _link_seating(self) -> None:
        policies, rngs = self.opponents.policies, self.player_rngs
        self.seating = Seating(self.tables, policies, self.seated, rngs, self.skip_forced)
        self.seated = self.seating.seated  # as the games draw them

    def learners(self) -> np.ndarray:
        """Return the learner's seat at each table [N]."""
        return (self.seated == EXTERNAL).argmax(axis=1)

    def draws(self) -> Draws:
        """Return how each game draws who sits where."""
        is_random = self.seat == RANDOM_SEAT
        if not is_random and not self.opponents.are_drawn:
            return NO_DRAWS
        seat = ANY_SEAT if is_random else int(self.seat)
        return Draws(self.draw_rngs, seat, self.opponents.pools())

    def __getstate__(self) -> dict[str, Any]:
        state = state_without(self, ("seating",))
        return {**state, "memories": self.seating.memories} if self.is_seeded else state

    def __setstate__(self, state: dict[str, Any]) -> None:
        memories = state.pop("memories", {})
        self.__dict__.update(state)
        if self.is_seeded:
            self._link_seating()
            self.seating.memories = memories
