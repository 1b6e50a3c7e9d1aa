"""The unit of work: a batch of deals of a match, played from every seat in any process.

The results depend only on the game, the players, the seating and the seeds. They depend neither on
the size of the batch nor on the time and place of play.
"""

from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np

from ....envs.core.game import Game
from ....envs.core.play.driver import Seating
from ....envs.core.play.tables import Tables
from ....envs.core.rng import player_streams, streams
from ...players.making import make_policy
from ...policies.policy import Policy
from .deals import play_compiled
from .entrants import Entrant
from .seatings import SEATINGS

BATCH_DEALS = 512  # deals played side by side


class Match(NamedTuple):
    """The players who meet, in the order in which the seating numbers them."""

    entrants: tuple[Entrant, ...]
    seating: str  # of SEATINGS

    def seated(self, num_seats: int, seeds: np.ndarray) -> np.ndarray:
        """Return the number of the entrant at each seat: int [deals, sittings, seats]."""
        return SEATINGS[self.seating](num_seats, seeds)


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
    policies: tuple[Policy, ...],
    seeds: np.ndarray,
    seated: np.ndarray,
    num_threads: int = 1,
) -> np.ndarray:
    """Play deals with policy `seated[deal, sitting, seat]` in each seat.

    Returns the returns [deals, sittings, seats]. All sittings of a deal have the same cards; the
    players draw from other random streams in each. Raises PlayerError for an illegal action.
    """
    returns = play_compiled(game, policies, seeds, seated, num_threads)
    if returns is not None:
        return returns
    _, num_sittings, n = seated.shape
    repeated = np.repeat(seeds, num_sittings)
    tables = Tables(game, streams(repeated))
    tables.deal(tables.all_rows)
    rngs = player_streams(repeated, n, tables.all_rows % num_sittings)
    seating = Seating(tables, policies, seated.reshape(-1, n), rngs)
    seating.advance(tables.all_rows)
    return tables.returns(tables.all_rows).reshape(seated.shape)


def forfeit(num_seats: int, seat: int) -> np.ndarray:
    """Return the returns [seats] of a forfeited game: -1 for `seat`, divided among the others."""
    returns = np.full(num_seats, 1 / (num_seats - 1))
    returns[seat] = -1
    return returns
