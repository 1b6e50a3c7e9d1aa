"""Games with one learning seat at each table and policies in the others, for solo and vector.

The learning seat is fixed or drawn for each game, or in self-play every seat learns; every player
has its own random stream.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..compile import rule
from ..game import NO_SEAT, Game, check_range
from ..play.loops import MAX_DEALS, Seated
from ..play.seating import Seating
from ..play.tables import Tables, new_streams
from ..played.played import Played
from ..rng import below, player_streams, streams
from .common import no_choice_error, state_without

RANDOM_SEAT = "random"


class Episodes:
    """Tables at which one seat learns and `opponents` play the others.

    `seat` is a number, or "random" for a new one each game. `opponents` is one policy for all
    other seats, or a list with one for each, clockwise from the learning seat; in `self_play`
    there are none. Where there is one table, `played` keeps how its game went.
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
        num_others = 0 if self_play else game.num_seats - 1
        if isinstance(opponents, list | tuple) and len(opponents) != num_others:
            raise ValueError(
                f"opponents must be one player, or a list of {num_others}, one for each other "
                f"seat clockwise from the learning seat; got {len(opponents)}"
            )
        self.game = game
        self.seat = seat
        self.opponents = opponents if isinstance(opponents, list | tuple) else [opponents]
        self.skip_forced = skip_forced
        self.played = played
        self.self_play = self_play

    def seed(self, seeds: Sequence[int] | np.ndarray, rows: np.ndarray) -> None:
        """Start the streams for the deals, the players and the seats, of these tables [K].

        The tables are made at the first call, which seeds them all.
        """
        if not self.is_seeded:
            self._make_tables(len(seeds))
        self.tables.rngs[rows] = streams(seeds)
        self.player_rngs[rows] = player_streams(seeds, self.game.num_seats)
        if self.seat == RANDOM_SEAT:
            self.seat_rngs[rows] = streams(seeds, 1 + self.game.num_seats)

    @property
    def is_seeded(self) -> bool:
        """Return whether `seed` has made the tables."""
        return "tables" in vars(self)

    def _make_tables(self, num_tables: int) -> None:
        self.tables = Tables(self.game, new_streams((num_tables,)))
        self.player_rngs = new_streams((num_tables, self.game.num_seats))
        self.seat_rngs = new_streams((num_tables,))
        first = 0 if self.seat == RANDOM_SEAT else self.seat
        self.seats = np.full(num_tables, first, np.int64)  # the learner's seat
        self._link_seating()

    def _link_seating(self) -> None:
        self.seating = self.make_seating(self.tables, self.player_rngs)
        if self.played is not None:
            self.seating.choices = self.played.choices

    def make_seating(self, tables: Tables, player_rngs: np.ndarray) -> Seating:
        """Seat the opponents at these tables, or at copies of them, with streams [N, seats]."""
        seated = self._seated(self.seats)
        return Seating(tables, self.opponents, seated, player_rngs, self.skip_forced)

    def _seated(self, learners: np.ndarray) -> np.ndarray:
        """The seating [K, seats] for the given learning seats."""
        clockwise = (np.arange(self.game.num_seats) - learners[:, None]) % self.game.num_seats
        # -1 is EXTERNAL: the learner and, in self-play, where there are no opponents, every seat.
        return np.minimum(clockwise - 1, len(self.opponents) - 1)  # one plays all other seats

    def start(self, rows: np.ndarray, deal: Any = None) -> None:
        """Start games at these tables, or lay out `deal`, and play on to the first choice.

        Raises ValueError for an impossible deal, and where the learner has no choice.
        """
        waiting = rows
        for _ in range(MAX_DEALS if deal is None else 1):
            self.begin(waiting, deal)
            if deal is None:
                self.tables.deal(waiting)
            else:
                for row in waiting:
                    self.tables.deal_from(row, deal)
            self.seating.begin(waiting)
            self.seating.advance(waiting)
            waiting = waiting[self.tables.show(waiting)[0] == NO_SEAT]
            if not len(waiting):
                return
        raise no_choice_error(self.game)

    def begin(self, rows: np.ndarray, deal: Any) -> None:
        """Before a deal, seat the learner anew if its seat is random; note how a game begins."""
        if self.seat == RANDOM_SEAT:
            _draw_seats(self.seat_rngs, rows, self.game.num_seats, self.seats)
            self.seating.seat(self._seated(self.seats[rows]), rows)
        if self.played is not None:
            self.played.begin(self.tables.rngs, self.player_rngs, deal)

    def play(self, rows: np.ndarray, actions: np.ndarray) -> None:
        """Play the learner's actions [K], then the others until its next choice or the end."""
        self.tables.apply(rows, actions)
        self.seating.advance(rows)

    def seated_places(self) -> Seated:
        """Return who acts inside the compiled loops, which draw a random learner's seat."""
        drawn = self.seat_rngs if self.seat == RANDOM_SEAT else None
        return self.seating.seated_places(drawn, int(self.seats[0]))

    def __getstate__(self) -> dict[str, Any]:
        state = state_without(self, ("seating",))
        return {**state, "memories": self.seating.memories} if self.is_seeded else state

    def __setstate__(self, state: dict[str, Any]) -> None:
        memories = state.pop("memories", {})
        self.__dict__.update(state)
        if self.is_seeded:
            self._link_seating()
            self.seating.memories = memories


@rule
def _draw_seats(rngs, rows, num_seats, out):
    for row in rows:
        out[row] = below(rngs[row], num_seats)
