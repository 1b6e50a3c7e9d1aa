"""Games under time control: each player in its own process, a fault costs its game and no more."""

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
from .isolation import IsolatedPlayer
from .time_control import Fault, Forfeit, TimeControl, forfeit_returns


@dataclasses.dataclass(frozen=True)
class ContestGame:
    """How one game ended."""

    returns: np.ndarray  # [seats]
    fault: Fault | None  # where it was forfeited
    warnings: tuple[tuple[str, ...], ...]  # of each seat


@contextlib.contextmanager
def isolated(
    game: Game, specs: Sequence[Any], control: TimeControl, logs: Path
) -> Iterator[list[IsolatedPlayer]]:
    """A process for each player, in the order given; the log of the k-th is `logs`/k-NAME.log.

    `specs` are texts that `make_policy` takes. The processes end with the context.
    """
    with contextlib.ExitStack() as stack:
        yield [
            stack.enter_context(IsolatedPlayer(spec, game, control, logs / _log_name(k, str(spec))))
            for k, spec in enumerate(specs)
        ]


def _log_name(index: int, spec: str) -> str:
    kept = "".join(letter if letter.isalnum() or letter in "=,._" else "-" for letter in spec)
    return f"{index}-{kept.strip('-')[-80:]}.log"


def play_contest_game(
    game: Game, players: Sequence[IsolatedPlayer], seed: int, sitting: int = 0
) -> ContestGame:
    """One game, players[seat] in each seat; the deal and the luck are those of other matches.

    Without a fault it is, ply for ply, the game that the same players play in one process.
    """
    tables = Tables(game, streams([seed]))
    tables.deal(tables.all_rows)
    seats = np.arange(game.num_seats)[None]
    luck = player_streams([seed], game.num_seats, sitting)
    fault: Fault | None = None
    try:
        for player in players:
            player.begin()
        Seating(tables, players, seats, luck).advance(tables.all_rows)
    except Forfeit as forfeit:
        seat = [player.forfeit for player in players].index(forfeit)
        fault = Fault(seat, players[seat].name, forfeit.kind, forfeit.reason)
        returns = forfeit_returns(game, seat)
    else:
        returns = tables.returns(tables.all_rows)[0]
    return ContestGame(returns, fault, tuple(tuple(player.warnings) for player in players))
