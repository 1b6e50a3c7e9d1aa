"""The unit of work: a batch of deals of a match, played from every seat in any process.

The results depend only on the game, the players, the seating and the seeds. They depend neither on
the size of the batch nor on the time and place of play.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np

from ....envs.core.game import Game
from ....envs.core.play.driver import Seating
from ....envs.core.play.policies import SeatedPolicy, player_table
from ....envs.core.play.slices import play_slices
from ....envs.core.play.tables import Tables
from ....envs.core.rng import player_streams, streams
from ...players.making import make_policy
from ...policies.policy import Policy
from .entrants import Entrant
from .seatings import SEATINGS

BATCH_DEALS = 512  # deals played side by side
CHUNK = 256  # by compiled players, whose games then stay in the processor's cache
GAME_PLIES = 32  # estimate for a short game, by which `play_slices` counts its threads


class Match(NamedTuple):
    """The players who meet, in the order in which the seating numbers them."""

    entrants: tuple[Entrant, ...]
    seating: str  # of SEATINGS

    def seated(self, num_seats: int, seeds: np.ndarray) -> np.ndarray:
        """Return the number of the entrant at each seat: int [deals, sittings, seats]."""
        return SEATINGS[self.seating](num_seats, seeds)

    def games_a_deal(self, num_seats: int) -> int:
        """Return the number of sittings of each deal."""
        return self.seated(num_seats, np.zeros(1, np.int64)).shape[1]


class Fault(NamedTuple):
    """A game that a player lost by breaking a rule or a limit."""

    seed: int  # of the deal
    sitting: int
    seat: int
    player: str
    kind: str  # one word, such as "time", "crash", "memory"
    detail: str  # one line that says what happened


class Outcomes(NamedTuple):
    """The results of a batch."""

    returns: np.ndarray  # [deals, sittings, seats], -1 .. 1
    faults: tuple[Fault, ...] = ()


class Control(Protocol):
    """Plays a batch under limits on time and memory.

    It is a frozen dataclass of plain values: it is sent to other processes, and a store keeps
    results under it.
    """

    def play(self, batch: "DealBatch", seated: np.ndarray) -> Outcomes:
        """Play `batch` with entrant `seated[deal, sitting, seat]` in each seat.

        A player with a fault loses that game (see `forfeit`); other games are not affected.
        """

    def deal_seed(self, number: int) -> int:
        """Return the seed of deal `number`, which a contest keeps secret."""

    def as_data(self) -> dict[str, Any]:
        """Return the settings as plain data."""


class DealBatch(NamedTuple):
    """The deals `first_seed`, `first_seed` + 1, ... of a match."""

    game: Game
    match: Match
    first_seed: int
    num_deals: int
    participants: tuple[Entrant, ...]  # of all matches, so that all are compiled together
    control: Control | None = None

    @property
    def seeds(self) -> np.ndarray:
        """The seeds of the deals."""
        return self.first_seed + np.arange(self.num_deals)


def play_batch(batch: DealBatch, num_threads: int = 1) -> Outcomes:
    """Play all games of a batch; compiled players act in up to `num_threads` threads.

    Without a control no game is forfeited: a player that fails or breaks a rule raises PlayerError.
    """
    seated = batch.match.seated(batch.game.num_seats, batch.seeds)
    if batch.control is not None:
        return batch.control.play(batch, seated)
    policies = _policies(
        batch.game.make, tuple(batch.game.config_dict().items()), batch.participants
    )
    places = np.array([batch.participants.index(entrant) for entrant in batch.match.entrants])
    return Outcomes(play_deals(batch.game, policies, batch.seeds, places[seated], num_threads))


@lru_cache(maxsize=8)
def _policies(
    make: Any, config: tuple[Any, ...], participants: tuple[Entrant, ...]
) -> tuple[Policy, ...]:
    """Make the policies, once in each process."""
    game = make(**dict(config))
    return tuple(make_policy(entrant.spec, game) for entrant in participants)


def play_deals(
    game: Game,
    policies: Sequence[SeatedPolicy],
    seeds: np.ndarray,
    seated: np.ndarray,
    num_threads: int = 1,
) -> np.ndarray:
    """Play deals with policy `seated[deal, sitting, seat]` in each seat.

    Returns the returns [deals, sittings, seats]. All sittings of a deal have the same cards; the
    players draw from other random streams in each. Compiled players act in up to `num_threads`
    threads. Raises PlayerError for an illegal action.
    """
    used, indices = np.unique(seated, return_inverse=True)
    players, places = [policies[index] for index in used], indices.reshape(seated.shape)
    is_compiled = player_table(game, players)["function"].all()
    num_deals = CHUNK if is_compiled else len(seeds)
    out = np.empty(seated.shape)

    def play_some(first: int, end: int) -> None:
        for start in range(first, end, num_deals):
            some = slice(start, min(start + num_deals, end))
            out[some] = _play_side_by_side(game, players, seeds[some], places[some])

    threads = num_threads if is_compiled else 1
    play_slices(play_some, len(seeds), threads, seated.shape[1] * GAME_PLIES)
    return out


def _play_side_by_side(
    game: Game, players: Sequence[SeatedPolicy], seeds: np.ndarray, seated: np.ndarray
) -> np.ndarray:
    _, num_sittings, num_seats = seated.shape
    dealt = Tables(game, streams(seeds))
    dealt.deal(dealt.all_rows)
    tables = Tables(game, np.repeat(dealt.rngs, num_sittings))
    tables.states[:] = np.repeat(dealt.states, num_sittings)
    sittings = tables.all_rows % num_sittings
    rngs = player_streams(np.repeat(seeds, num_sittings), num_seats, sittings)
    seating = Seating(tables, players, seated.reshape(-1, num_seats), rngs)
    seating.advance(tables.all_rows)
    return tables.report.results["returns"].reshape(seated.shape)


def forfeit(num_seats: int, seat: int) -> np.ndarray:
    """Return the returns [seats] of a forfeited game: -1 for `seat`, divided among the others."""
    returns = np.full(num_seats, 1 / (num_seats - 1))
    returns[seat] = -1
    return returns
