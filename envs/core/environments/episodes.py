"""Games with one learning seat at each table and policies in the others, for solo and vector.

The learning seat is fixed or drawn for each game; every player has its own random stream.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..compile import rule
from ..game import NO_SEAT, Game, check_range
from ..play.loops import EXTERNAL, MAX_DEALS, Seated
from ..play.seating import Seating
from ..play.tables import Tables, new_streams
from ..played.played import Played
from ..rng import below, player_streams, streams
from .common import no_choice_error

RANDOM_SEAT = "random"


class Episodes:
    """Tables at which one seat learns and `opponents` play the others.

    `seat` is a number, or "random" for a new one each game. `opponents` is one policy for all
    other seats, or a list with one for each, clockwise from the learning seat. Where there is one
    table, `played` keeps how its game went.
    """

    def __init__(
        self,
        game: Game,
        seat: int | str,
        opponents: Any,
        skip_forced: bool,
        played: Played | None = None,
    ) -> None:
        if seat != RANDOM_SEAT:
            check_range('seat (or "random")', seat, 0, game.num_seats - 1)
        num_others = game.num_seats - 1
        if isinstance(opponents, list | tuple) and len(opponents) != num_others:
            raise ValueError(
                f"opponents must be one player, or a list of {num_others}, one for each other "
                f"seat clockwise from the learning seat; got {len(opponents)}"
            )
        self.game = game
        self.seat = seat
        self.opponents = opponents
        self.skip_forced = skip_forced
        self.played = played

    def seed(self, seeds: Sequence[int] | np.ndarray) -> None:
        """Start the streams for the deals, the players and the seats, of one table per seed.

        The tables are made at the first call; later calls have as many seeds.
        """
        if not self.is_seeded:
            self._make_tables(len(seeds))
        self.tables.rngs[:] = streams(seeds)
        self.player_rngs[:] = player_streams(seeds, self.game.num_seats)
        if self.seat == RANDOM_SEAT:
            self.seat_rngs[:] = seat_streams(seeds, self.game)

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
        is_one = not isinstance(self.opponents, list | tuple)
        return Seating(
            tables,
            [self.opponents] if is_one else self.opponents,
            self._seated(self.seats),
            player_rngs,
            self.skip_forced,
        )

    def note_start(self, deal: Any = None) -> None:
        """Note how the game at the only table begins, just before it is dealt."""
        if self.played is not None:
            self.played.begin(self.tables.rngs, self.player_rngs, deal)

    def _seated(self, learners: np.ndarray) -> np.ndarray:
        """The seating [K, seats] for the given learning seats."""
        clockwise = (np.arange(self.game.num_seats) - learners[:, None]) % self.game.num_seats
        if isinstance(self.opponents, list | tuple):
            return clockwise - 1  # 0, the learner, becomes EXTERNAL
        return np.where(clockwise == 0, EXTERNAL, 0)

    def start(self, rows: np.ndarray) -> None:
        """Start games at these tables and play on to the learner's first choice."""
        waiting = rows
        for _ in range(MAX_DEALS):  # again if the game is over before the learner has a choice
            self.draw_seats(waiting)
            self.note_start()
            self.tables.deal(waiting)
            self.seating.begin(waiting)
            self.seating.advance(waiting)
            waiting = waiting[self.tables.show(waiting)[0] == NO_SEAT]
            if not len(waiting):
                return
        raise no_choice_error(self.game)

    def start_from(self, row: int, deal: Any) -> None:
        """Lay out a deal at one table. ValueError if it is impossible or leaves no choice."""
        rows = np.array([row])
        self.draw_seats(rows)
        self.note_start(deal)
        self.tables.deal_from(row, deal)
        self.seating.begin(rows)
        self.seating.advance(rows)
        if self.tables.show(rows)[0][0] == NO_SEAT:
            raise no_choice_error(self.game)

    def play(self, rows: np.ndarray, actions: np.ndarray) -> None:
        """Play the learner's actions [K], then the others until its next choice or the end."""
        self.tables.apply(rows, actions)
        self.seating.advance(rows)

    def seated_places(self) -> Seated:
        """Return who acts inside the compiled loops, which draw a random learner's seat."""
        drawn = self.seat_rngs if self.seat == RANDOM_SEAT else None
        return self.seating.seated_places(drawn, int(self.seats[0]))

    def draw_seats(self, rows: np.ndarray) -> None:
        """Seat the learner anew at these tables if its seat is random."""
        if self.seat == RANDOM_SEAT:
            _draw_seats(self.seat_rngs, rows, self.game.num_seats, self.seats)
            self.seating.seat(self._seated(self.seats[rows]), rows)

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in vars(self).items() if name != "seating"}
        return {**state, "memories": self.seating.memories} if self.is_seeded else state

    def __setstate__(self, state: dict[str, Any]) -> None:
        memories = state.pop("memories", {})
        self.__dict__.update(state)
        if self.is_seeded:
            self._link_seating()
            self.seating.memories = memories


def seat_streams(seeds: Sequence[int] | np.ndarray, game: Game) -> np.ndarray:
    """Return the streams [N] from which the learning seat is drawn, one for each seed."""
    return streams(seeds, 1 + game.num_seats)


@rule
def _draw_seats(rngs, rows, num_seats, out):
    for row in rows:
        out[row] = below(rngs[row], num_seats)
