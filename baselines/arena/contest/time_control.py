"""Contest time for any game: each player has its own process, and a fault costs only its own game.

The default limits are those of the Splendor contest that Parlour began with.
"""

import contextlib
import dataclasses
import hashlib
import secrets
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ....envs.core.game import Game
from ....envs.core.play.driver import Seating
from ....envs.core.play.tables import Tables
from ....envs.core.rng import SEED_LIMIT, player_streams, streams
from ...policies.settings import checked_above_zero
from ..play.batches import DealBatch, Fault, Outcomes, forfeit
from .fork_server import ForkServer
from .game_process import Forfeit, Log
from .limits import PlayerLimits
from .referee import IsolatedPlayer, check_is_text
from .sandbox import AUTO, Files, choose_sandbox, new_sandbox

CONTEST_BATCH = 8  # deals between two writes of results
_NOT_KEPT = ("logs", "logs_mib", "sandbox", "tracebacks", "hidden")  # they do not affect results
_SECRET_BYTES = 16
_MIB = 1 << 20


@dataclasses.dataclass(frozen=True)
class TimeControl(PlayerLimits):
    """The conditions of a contest: the limits, and the sandbox of the players.

    With a `secret` the deals are drawn from it (see `deal_seed`); otherwise the number of a deal is
    its seed. Raises ValueError for impossible settings.
    """

    logs: str = "runs/logs"  # the folder for what players print
    logs_mib: int = 64  # the maximum size of that folder
    sandbox: str = AUTO  # auto, bwrap or none
    secret: str = ""  # a word; see `new_secret`
    tracebacks: bool = False  # show on stderr what a player printed before it crashed
    hidden: tuple[str, ...] = ()  # paths hidden from players in a sandbox that do not need them

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_above_zero("logs_mib", self.logs_mib)
        if not isinstance(self.secret, str):
            raise ValueError(f"secret must be a word that is no number; got {self.secret!r}")

    def as_data(self) -> dict[str, Any]:
        """Return the limits and the secret by name; a store keeps results under them."""
        return {k: v for k, v in dataclasses.asdict(self).items() if k not in _NOT_KEPT}

    def play(self, batch: DealBatch, seated: np.ndarray) -> Outcomes:
        """Play `batch` game after game, with entrant `seated[deal, sitting, seat]` in each seat."""
        entrants = batch.match.entrants
        copies = [int((seated == k).sum(axis=2).max()) for k in range(len(entrants))]
        owners = np.repeat(np.arange(len(entrants)), copies)
        returns = np.zeros(seated.shape)
        faults: list[Fault] = []
        specs = [entrants[k].spec for k in owners]
        with isolated(batch.game, specs, self, self._folder(batch)) as players:
            for deal, sitting in np.ndindex(*seated.shape[:2]):
                places = _places(owners, seated[deal, sitting])
                number = int(batch.seeds[deal])
                returns[deal, sitting], fault = play_game(
                    batch.game,
                    [players[place] for place in places],
                    self.deal_seed(number),
                    sitting,
                )
                faults += [] if fault is None else [fault._replace(seed=number)]
        return Outcomes(returns, tuple(faults))

    def deal_seed(self, number: int) -> int:
        """Return the seed of deal `number`: the number, or its BLAKE2b hash keyed by a secret."""
        if not self.secret:
            return number
        key = hashlib.blake2b(self.secret.encode()).digest()
        digest = hashlib.blake2b(number.to_bytes(8, "little"), digest_size=8, key=key).digest()
        return int.from_bytes(digest, "little") % SEED_LIMIT

    def check_players(self, game: Game, specs: Sequence[Any]) -> None:
        """Make each of these players once, in its own process.

        Raises ValueError for a player that `make_policy` refuses. A player that crashes or hangs is
        not refused: it loses its games.
        """
        with isolated(game, specs, self, Path(self.logs) / game.name / "entry") as players:
            for player in players:
                try:
                    player.begin()
                except Forfeit as fault:
                    if fault.is_refused:
                        raise ValueError(_without_class(fault.reason)) from None
                player.close()

    def _folder(self, batch: DealBatch) -> Path:
        pairing = "-v-".join(_as_file_name(entrant.name) for entrant in batch.match.entrants)
        last = batch.first_seed + batch.num_deals - 1
        return Path(self.logs) / batch.game.name / pairing / f"deals-{batch.first_seed}-{last}"


def new_secret() -> str:
    """Draw a secret for the deals of a contest from the operating system."""
    return f"k{secrets.token_hex(_SECRET_BYTES)}"  # the letter keeps it from being read as a number


def _without_class(reason: str) -> str:
    """Return `no such file` of `its process ended with status 4: ValueError: no such file`."""
    return reason.partition(": ")[2].partition(": ")[2]


def _places(owners: np.ndarray, entrants: np.ndarray) -> list[int]:
    """Choose for each seat another copy of its entrant."""
    free = {int(k): np.flatnonzero(owners == k).tolist() for k in owners}
    return [free[int(k)].pop(0) for k in entrants]


@contextlib.contextmanager
def isolated(
    game: Game, specs: Sequence[Any], control: TimeControl, logs: Path
) -> Iterator[list[IsolatedPlayer]]:
    """Start a process for each player, in the order given; player k logs to `logs`/k-NAME.log.

    `specs` are texts that `make_policy` takes. The processes end with the context.
    """
    texts = [check_is_text(spec) for spec in specs]
    sandbox = choose_sandbox(control.sandbox)
    log_bytes = max(0, int(control.logs_mib * _MIB) - _size(Path(control.logs))) // len(texts)
    hidden = [str(Path(path).resolve()) for path in (control.logs, str(logs), *control.hidden)]
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(ForkServer(game, texts))
        players = []
        for k, spec in enumerate(texts):
            log = Log(logs / f"{k}-{_as_file_name(spec)}.log", log_bytes)
            files = Files(spec, [text for text in texts if text != spec], hidden)
            make = partial(new_sandbox, sandbox, files, control.private_mib)
            player = IsolatedPlayer(spec, game, control, log, server, make, control.tracebacks)
            players.append(stack.enter_context(player))
        yield players


def _size(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _as_file_name(text: str) -> str:
    kept = "".join(letter if letter.isalnum() or letter in "=,._" else "-" for letter in text)
    return kept.strip("-.")[-80:]


def play_game(
    game: Game, players: Sequence[IsolatedPlayer], seed: int, sitting: int = 0
) -> tuple[np.ndarray, Fault | None]:
    """Play one game with players[seat]; return its returns [seats] and the fault that ended it.

    Without a fault, the same players play the same plies in one process: the deal and the players'
    random streams are those of `batches.play_deals`.
    """
    tables = Tables(game, streams([seed]))
    tables.deal(tables.all_rows)
    seats = np.arange(game.num_seats)[None]
    luck = player_streams([seed], game.num_seats, sitting)
    try:
        for player in players:
            player.begin()
        Seating(tables, players, seats, luck).advance(tables.all_rows)
    except Forfeit as forfeited:
        seat = [player.forfeit for player in players].index(forfeited)
        name = players[seat].name
        fault = Fault(seed, sitting, seat, name, forfeited.kind, forfeited.reason)
        return forfeit(game.num_seats, seat), fault
    finally:
        for player in players:
            player.close()
    return tables.returns(tables.all_rows)[0], None
