"""Contest time for any game: each player in its own process, where a fault costs its game only.

The limits are those of the Splendor contest that the suite grew from.
"""

import contextlib
import dataclasses
import hashlib
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...envs.core.game import Game
from ...envs.core.rng import SEED_LIMIT, streams
from ...envs.core.seating import Seating, player_streams
from ...envs.core.tables import Tables
from .batches import Batch, Fault, Outcomes, forfeit
from .fork_client import ForkServer
from .isolation import Forfeit, IsolatedPlayer, Log, check_is_text
from .limits import Limits
from .sandbox import AUTO, choose_sandbox

CONTEST_BATCH = 8  # deals between two looks at the results
_NOT_KEPT = ("logs", "logs_mib", "sandbox", "tracebacks", "hidden")  # results do not depend on them
_SECRET_BYTES = 16
_MIB = 1 << 20


@dataclasses.dataclass(frozen=True)
class TimeControl(Limits):
    """How a contest is played: the limits, and all that keeps players apart.

    With a `secret` the deals are drawn from it (see `deal_seed`), else the number of a deal is its
    seed. Raises ValueError for settings that cannot be.
    """

    logs: str = "runs/logs"  # the folder for what players print
    logs_mib: int = 64  # the size of that folder, at which logs end
    sandbox: str = AUTO  # auto, bwrap, unshare or none
    secret: str = ""  # a word; see `new_secret`
    tracebacks: bool = False  # show on stderr what a player printed before it crashed
    hidden: tuple[str, ...] = ()  # files that no player in a sandbox is to see

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.logs_mib, bool) or not self.logs_mib > 0:
            raise ValueError(f"logs_mib must be a number above 0; got {self.logs_mib!r}")
        if not isinstance(self.secret, str):
            raise ValueError(f"secret must be a word that is no number; got {self.secret!r}")

    def as_data(self) -> dict[str, Any]:
        """The limits and the secret by name: results are kept under them."""
        return {k: v for k, v in dataclasses.asdict(self).items() if k not in _NOT_KEPT}

    def play(self, batch: Batch, seated: np.ndarray) -> Outcomes:
        """Play `batch`, game after game, entrant `seated[deal, sitting, seat]` in each seat."""
        entrants = batch.contest.entrants
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
            files = {path: digest for one in players for path, digest in one.files.items()}
        return Outcomes(returns, tuple(faults), files)

    def deal_seed(self, number: int) -> int:
        """The seed of deal `number`: of a secret its keyed BLAKE2b hash, else the number itself."""
        if not self.secret:
            return number
        key = hashlib.blake2b(self.secret.encode()).digest()
        digest = hashlib.blake2b(number.to_bytes(8, "little"), digest_size=8, key=key).digest()
        return int.from_bytes(digest, "little") % SEED_LIMIT

    def refusals(self, game: Game, specs: Sequence[Any]) -> None:
        """Have each of these players made once, in its own process.

        Raises ValueError for a player that `make_policy` refuses. One that crashes or hangs is no
        refusal: it loses its games.
        """
        with isolated(game, specs, self, Path(self.logs) / game.name / "entry") as players:
            for player in players:
                try:
                    player.begin()
                except Forfeit as fault:
                    if fault.is_refused:
                        raise ValueError(_without_class(fault.reason)) from None
                player.close()

    def _folder(self, batch: Batch) -> Path:
        pairing = "-v-".join(_as_file_name(entrant.name) for entrant in batch.contest.entrants)
        last = batch.first_seed + batch.num_deals - 1
        return Path(self.logs) / batch.game.name / pairing / f"deals-{batch.first_seed}-{last}"


def new_secret() -> str:
    """A secret for the deals of a contest, from the operating system."""
    return f"k{secrets.token_hex(_SECRET_BYTES)}"  # with a letter, or it could be read as a number


def _without_class(reason: str) -> str:
    """`its process ended with status 4: ValueError: no such file` without all but the last part."""
    return reason.partition(": ")[2].partition(": ")[2]


def _places(owners: np.ndarray, entrants: np.ndarray) -> list[int]:
    """For each seat a player of its entrant's, none twice."""
    free = {int(k): np.flatnonzero(owners == k).tolist() for k in owners}
    return [free[int(k)].pop(0) for k in entrants]


@contextlib.contextmanager
def isolated(
    game: Game, specs: Sequence[Any], control: TimeControl, logs: Path
) -> Iterator[list[IsolatedPlayer]]:
    """A process for each player, in the order given; the log of the k-th is `logs`/k-NAME.log.

    `specs` are texts that `make_policy` takes. The processes end with the context.
    """
    texts = [check_is_text(spec) for spec in specs]
    sandbox = choose_sandbox(control.sandbox)
    limits = Limits(**{f.name: getattr(control, f.name) for f in dataclasses.fields(Limits)})
    share = max(0, int(control.logs_mib * _MIB) - _size(Path(control.logs))) // len(texts)
    hidden = [str(Path(path).resolve()) for path in (control.logs, str(logs), *control.hidden)]
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(ForkServer(game, texts, sandbox, hidden))
        players = []
        for k, spec in enumerate(texts):
            log = Log(logs / f"{k}-{_as_file_name(spec)}.log", share)
            player = IsolatedPlayer(spec, game, limits, log, server, control.tracebacks)
            players.append(stack.enter_context(player))
        yield players


def _size(folder: Path) -> int:
    """Bytes of all files in there."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


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
        for player in players:
            player.note_files()
    except Forfeit as charge:
        seat = [player.forfeit for player in players].index(charge)
        name = players[seat].name
        fault = Fault(seed, sitting, seat, name, charge.kind, charge.reason)
        return forfeit(game.num_seats, seat), fault
    finally:
        for player in players:
            player.close()
    return tables.returns(tables.all_rows)[0], None
