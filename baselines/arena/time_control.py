"""Contest time for any game: each player in its own process, where a fault costs its game only.

The limits are those of the Splendor contest that the suite grew from.
"""

import contextlib
import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...envs.core.game import Game
from ...envs.core.rng import streams
from ...envs.core.seating import Seating, player_streams
from ...envs.core.tables import Tables
from .batches import Batch, Fault, Outcomes, forfeit
from .isolation import Forfeit, IsolatedPlayer

CONTEST_BATCH = 8  # deals between two looks at the results; each batch starts its players anew
_NOT_LIMITS = ("logs",)


@dataclasses.dataclass(frozen=True)
class TimeControl:
    """What a player may use. Raises ValueError for a limit that is not above zero."""

    seconds: float = 1.0  # for an action; a slower one is a warning
    forfeit_seconds: float = 3.0  # an action slower than this forfeits the game
    start_seconds: float = 15.0  # from the start of a game to the player's first action
    warnings: int = 3  # the last of these forfeits; an illegal action is one, too
    memory_mib: int = 2048  # of data, for the player's process
    output_kib: int = 1024  # that a player may print in a game
    logs: str = "runs/logs"  # the folder for what players print

    def __post_init__(self) -> None:
        for name, value in self.as_data().items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
                raise ValueError(f"{name} must be a number above 0; got {value!r}")
        if self.forfeit_seconds < self.seconds:
            raise ValueError(
                f"forfeit_seconds must be at least seconds, {self.seconds}; "
                f"got {self.forfeit_seconds}"
            )

    def as_data(self) -> dict[str, Any]:
        """The limits by name: results are kept under them."""
        return {k: v for k, v in dataclasses.asdict(self).items() if k not in _NOT_LIMITS}

    def play(self, batch: Batch, seated: np.ndarray) -> Outcomes:
        """Play `batch`, game after game, entrant `seated[deal, sitting, seat]` in each seat."""
        entrants = batch.contest.entrants
        copies = [int((seated == k).sum(axis=2).max()) for k in range(len(entrants))]
        owners = np.repeat(np.arange(len(entrants)), copies)
        returns = np.zeros(seated.shape)
        faults: list[Fault] = []
        with isolated(
            batch.game, [entrants[k].spec for k in owners], self, self._folder(batch)
        ) as processes:
            for deal, sitting in np.ndindex(*seated.shape[:2]):
                places = _places(owners, seated[deal, sitting])
                players = [processes[place] for place in places]
                seed = int(batch.seeds[deal])
                returns[deal, sitting], fault = play_game(batch.game, players, seed, sitting)
                faults += [] if fault is None else [fault]
        return Outcomes(returns, tuple(faults))

    def _folder(self, batch: Batch) -> Path:
        pairing = "-v-".join(_as_file_name(entrant.name) for entrant in batch.contest.entrants)
        last = batch.first_seed + batch.num_deals - 1
        return Path(self.logs) / batch.game.name / pairing / f"deals-{batch.first_seed}-{last}"


def _places(owners: np.ndarray, entrants: np.ndarray) -> list[int]:
    """For each seat a process of its entrant's, no process twice."""
    free = {int(k): np.flatnonzero(owners == k).tolist() for k in owners}
    return [free[int(k)].pop(0) for k in entrants]


@contextlib.contextmanager
def isolated(
    game: Game, specs: Sequence[Any], control: TimeControl, logs: Path
) -> Iterator[list[IsolatedPlayer]]:
    """A process for each player, in the order given; the log of the k-th is `logs`/k-NAME.log.

    `specs` are texts that `make_policy` takes. The processes end with the context.
    """
    with contextlib.ExitStack() as stack:
        yield [
            stack.enter_context(
                IsolatedPlayer(spec, game, control, logs / f"{k}-{_as_file_name(str(spec))}.log")
            )
            for k, spec in enumerate(specs)
        ]


def _as_file_name(text: str) -> str:
    kept = "".join(letter if letter.isalnum() or letter in "=,._" else "-" for letter in text)
    return kept.strip("-.")[-80:]


def play_game(
    game: Game, players: Sequence[IsolatedPlayer], seed: int, sitting: int = 0
) -> tuple[np.ndarray, Fault | None]:
    """One game, players[seat] in each seat: returns [seats], and the fault that ended it.

    Without a fault it is, ply for ply, the game that the same players play in one process: the deal
    and everybody's luck are those of `batches.play_deals`.
    """
    tables = Tables(game, streams([seed]))
    tables.deal(tables.all_rows)
    seats = np.arange(game.num_seats)[None]
    luck = player_streams([seed], game.num_seats, sitting)
    try:
        for player in players:
            player.begin()
        Seating(tables, players, seats, luck).advance(tables.all_rows)
    except Forfeit as charge:
        seat = [player.forfeit for player in players].index(charge)
        name = players[seat].name
        fault = Fault(seed, sitting, seat, name, charge.kind, charge.reason)
        return forfeit(game.num_seats, seat), fault
    return tables.returns(tables.all_rows)[0], None
