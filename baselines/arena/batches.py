"""The unit of work: some deals of a contest, played from every seat, in whatever process.

What comes out depends on the game, the players, the seating and the seeds, and on nothing else: not
on how many deals lie side by side, nor on where and when they are played.
"""

from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...envs.core.game import Game
from ...envs.core.rng import streams
from ...envs.core.seating import Seating, player_streams
from ...envs.core.tables import Tables
from ..opened import Files, opened_by
from ..players import make_policy
from ..policy import Policy
from .entrants import Entrant
from .identity import users_files
from .seatings import SEATINGS

BATCH_DEALS = 512  # deals played side by side


class Contest(NamedTuple):
    """Who meets: the players that a seating seats, by their number there."""

    entrants: tuple[Entrant, ...]
    seating: str  # of SEATINGS

    def seated(self, num_seats: int, seeds: np.ndarray) -> np.ndarray:
        """The entrant, by number, at each seat: int [deals, sittings, seats]."""
        return SEATINGS[self.seating](num_seats, seeds)


class Fault(NamedTuple):
    """A game that a player lost by what no player may do, and not by play."""

    seed: int  # of the deal
    sitting: int
    seat: int
    player: str
    kind: str  # one word: "time", "crash", "memory", "illegal"
    detail: str  # a line for people


class Outcomes(NamedTuple):
    """What a batch came to."""

    returns: np.ndarray  # [deals, sittings, seats], -1 .. 1
    faults: tuple[Fault, ...] = ()
    files: Files | None = None  # of users, that the players have imported or opened: digest by path


class Control(Protocol):
    """How players are held to time and memory: another way to play a batch.

    A frozen dataclass of numbers: it travels to other processes, and results are kept under it.
    """

    def play(self, batch: "Batch", seated: np.ndarray) -> Outcomes:
        """Play `batch`, entrant `seated[deal, sitting, seat]` in each seat.

        A fault costs its player that game (see `forfeit`) and no other game anything.
        """

    def as_data(self) -> dict[str, Any]:
        """Its settings as plain data."""


class Batch(NamedTuple):
    """The deals `first_seed`, `first_seed` + 1, ... of a contest."""

    game: Game
    contest: Contest
    first_seed: int
    num_deals: int
    participants: tuple[Entrant, ...]  # of all contests, so that all are compiled together
    control: Control | None = None

    @property
    def seeds(self) -> np.ndarray:
        """The seeds of the deals."""
        return self.first_seed + np.arange(self.num_deals)


def play_batch(batch: Batch) -> Outcomes:
    """Play all games of a batch.

    Without a control nothing is forfeited: a player that fails or breaks a rule raises PlayerError.
    """
    seated = batch.contest.seated(batch.game.num_seats, batch.seeds)
    if batch.control is not None:
        return batch.control.play(batch, seated)
    policies = _policies(
        batch.game.make, tuple(batch.game.config_dict().items()), batch.participants
    )
    places = np.array([batch.participants.index(entrant) for entrant in batch.contest.entrants])
    returns = play_deals(batch.game, policies, batch.seeds, places[seated])
    files = [path for entrant in batch.contest.entrants for path in users_files(entrant.spec)]
    return Outcomes(returns, files=opened_by(files))


@lru_cache(maxsize=8)
def _policies(
    make: Any, config: tuple[Any, ...], participants: tuple[Entrant, ...]
) -> tuple[Policy, ...]:
    """The policies, made once in each process."""
    game = make(**dict(config))
    return tuple(make_policy(entrant.spec, game) for entrant in participants)


def play_deals(
    game: Game, policies: tuple[Policy, ...], seeds: np.ndarray, seated: np.ndarray
) -> np.ndarray:
    """Returns [deals, sittings, seats], policy `seated[deal, sitting, seat]` in each seat.

    All sittings of a deal have the same cards; each has luck of its own for its players.
    """
    _, num_sittings, n = seated.shape
    repeated = np.repeat(seeds, num_sittings)
    tables = Tables(game, streams(repeated))
    tables.deal(tables.all_rows)
    rngs = player_streams(repeated, n, tables.all_rows % num_sittings)
    Seating(tables, policies, seated.reshape(-1, n), rngs).advance(tables.all_rows)
    return tables.returns(tables.all_rows).reshape(seated.shape)


def forfeit(num_seats: int, seat: int) -> np.ndarray:
    """Returns [seats] of a game that `seat` lost by a fault: the others share what it loses."""
    returns = np.full(num_seats, 1 / (num_seats - 1))
    returns[seat] = -1
    return returns
