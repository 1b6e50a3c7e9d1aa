"""Games with one learning seat at each table and policies in the others, for solo and vector.

The learning seat is fixed or drawn for each game, or in self-play every seat learns; every player
has its own random stream.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..game import NO_SEAT, Game, check_range
from ..play.loops import ANY_SEAT, EXTERNAL, MAX_DEALS, NO_DRAWS, Draws, Seated
from ..play.seating import Seating
from ..play.tables import Tables, new_streams
from ..played.played import Played
from ..rng import player_streams, streams
from .common import no_choice_error, state_without
from .opponents import Opponents

RANDOM_SEAT = "random"


class Episodes:
    """Tables at which one seat learns and `opponents` play the others.

    `seat` is a number, or "random" for a new one each game. `opponents` is one policy for all
    other seats, or a list with one for each, clockwise from the learning seat; a dict of policies
    and weights in place of a policy is a pool, from which each game draws one for each seat. In
    `self_play` there are none. Where there is one table, `played` keeps how its game went.
    """

    def __init__(
        self,
        game: Game,
        seat: int | str,
        opponents: Any,
        skip_forced: bool,
        played: Played | None = None,
        self_play: bool = False,
    ) -> None:
        if seat != RANDOM_SEAT:
            check_range('seat (or "random")', seat, 0, game.num_seats - 1)
        self.game = game
        self.seat = seat
        self.skip_forced = skip_forced
        self.played = played
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
        self.seated = self.opponents.seated(self.seats)
        self._link_seating()

    def seed(self, seeds: Sequence[int] | np.ndarray, rows: np.ndarray) -> None:
        """Start the streams for the deals, the players and the seats, of these tables [K].

        The tables are made at the first call, which seeds them all.
        """
        if not self.is_seeded:
            self._make_tables(len(seeds))
        self.tables.rngs[rows] = streams(seeds)
        self.player_rngs[rows] = player_streams(seeds, self.game.num_seats)
        self.draw_rngs[rows] = streams(seeds, 1 + self.game.num_seats)

    @property
    def is_seeded(self) -> bool:
        """Return whether `seed` has made the tables."""
        return "tables" in vars(self)

    def _make_tables(self, num_tables: int) -> None:
        self.tables = Tables(self.game, new_streams((num_tables,)))
        self.player_rngs = new_streams((num_tables, self.game.num_seats))
        self.draw_rngs = new_streams((num_tables,))
        first = 0 if self.seat == RANDOM_SEAT else self.seat
        self.seats = np.full(num_tables, first, np.int64)  # the learner's seat
        self._seat_opponents()

    def _link_seating(self) -> None:
        self.seating = self.make_seating(self.tables, self.player_rngs)
        self.seated = self.seating.seated  # as the games draw them
        if self.played is not None:
            self.seating.choices = self.played.choices

    def make_seating(self, tables: Tables, player_rngs: np.ndarray) -> Seating:
        """Seat the opponents at these tables, or at copies of them, with streams [N, seats]."""
        policies = self.opponents.policies
        return Seating(tables, policies, self.seated, player_rngs, self.skip_forced)

    def start(self, rows: np.ndarray, deal: Any = None) -> None:
        """Start games at these tables, or lay out `deal`, and play on to the first choice.

        Raises ValueError for an impossible deal, and where the learner has no choice.
        """
        waiting = rows
        for _ in range(MAX_DEALS if deal is None else 1):
            self.begin(waiting, deal)
            self.tables.start(waiting, deal)
            self.seating.begin(waiting)
            self.seating.advance(waiting)
            waiting = waiting[self.tables.show(waiting)[0] == NO_SEAT]
            if not len(waiting):
                return
        raise no_choice_error(self.game)

    def begin(self, rows: np.ndarray, deal: Any) -> None:
        """Before a deal, draw who sits where if that is left to chance; note how a game begins."""
        draws = self._draws()
        if draws is not NO_DRAWS:
            self.seating.draw(rows, draws)
            self.seats[rows] = (self.seated[rows] == EXTERNAL).argmax(axis=1)
        if self.played is not None:
            self.played.begin(self.tables.rngs, self.player_rngs, deal)

    def play(self, rows: np.ndarray, actions: np.ndarray) -> None:
        """Play the learner's actions [K], then the others until its next choice or the end."""
        self.tables.apply(rows, actions)
        self.seating.advance(rows)

    def seated_places(self) -> Seated:
        """Return who acts inside the compiled loops, which draw them where that is random."""
        return self.seating.seated_places(self._draws())

    def _draws(self) -> Draws:
        is_random = self.seat == RANDOM_SEAT
        if not is_random and not self.opponents.are_drawn:
            return NO_DRAWS
        seat = ANY_SEAT if is_random else int(self.seat)
        _, places, chances = self.opponents
        return Draws(self.draw_rngs, seat, places, chances, self.seating.codes)

    def __getstate__(self) -> dict[str, Any]:
        state = state_without(self, ("seating",))
        return {**state, "memories": self.seating.memories} if self.is_seeded else state

    def __setstate__(self, state: dict[str, Any]) -> None:
        memories = state.pop("memories", {})
        self.__dict__.update(state)
        if self.is_seeded:
            self._link_seating()
            self.seating.memories = memories
