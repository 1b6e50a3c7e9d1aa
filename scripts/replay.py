"""Replay a game in the browser: a transcript, or a game of a stored match or tournament.

The replay has a slider, the expected result of every move, and jumps to the largest mistakes. It is
one file that needs no server.
"""

import argparse
import tempfile
import webbrowser
from pathlib import Path

import numpy as np

from ..baselines import make_policy
from ..baselines.arena import Store
from ..baselines.move_values import study_of
from ..envs import find_game
from ..envs.core.rng import SEED_LIMIT
from ..envs.core.views.page.replay import PlyValues, replay_data, replay_page
from ..envs.core.views.transcript import Transcript, TranscriptError, load, record, replay
from .options import BadArgument, seconds, seed, user_input

_SQLITE = b"SQLite format 3\x00"
VALUE_SECONDS = 0.2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The game to show, and how."""
    parser.add_argument(
        "file", metavar="FILE", help="a transcript, or the store of a match or tournament"
    )
    parser.add_argument("--html", metavar="FILE", help="write the replay to this file and stop")
    parser.add_argument(
        "--seat", type=int, metavar="N", help="show only what seat N may see (default: everything)"
    )
    parser.add_argument(
        "--think",
        type=seconds,
        default=VALUE_SECONDS,
        metavar="SECONDS",
        help=f"search for the value of each move this long (default {VALUE_SECONDS}; 0: no values)",
    )
    parser.add_argument(
        "--contest",
        type=int,
        default=1,
        metavar="N",
        help="which players of a store, in the order in which they met (default 1)",
    )
    parser.add_argument(
        "--deal", type=seed, metavar="SEED", help="deal of a store (default: its first)"
    )
    parser.add_argument(
        "--sitting",
        type=int,
        default=0,
        metavar="N",
        help="which game of this deal, each with the players in other seats (default 0)",
    )


def run(arguments: argparse.Namespace) -> None:
    """Build the replay, and write it or show it."""
    transcript, names = _read(arguments)
    game = transcript.game
    if arguments.seat is not None and not 0 <= arguments.seat < game.num_seats:
        raise BadArgument(f"seat must be in 0 .. {game.num_seats - 1}, not {arguments.seat}")
    try:
        values = move_values(transcript, arguments.think) if arguments.think > 0 else None
        page = replay_page(replay_data(transcript, arguments.seat, names, values))
    except TranscriptError as error:
        raise BadArgument(str(error)) from error
    path = Path(arguments.html or Path(tempfile.mkdtemp(prefix="parlour-")) / f"{game.name}.html")
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise BadArgument(f"cannot write {path}: {error.strerror}") from error
    print(f"{len(transcript.plies)} plies of {game.name}: {path}")
    if arguments.html is None:
        webbrowser.open(path.as_uri())


def move_values(transcript: Transcript, think: float) -> PlyValues:
    """Value the moves of every ply by a search of `think` seconds, or exactly where solved.

    Each seat's moves are valued from what that seat knew.
    """
    game = transcript.game
    found: list[dict[str, float] | None] = []
    for state, _ in zip(replay(transcript), transcript.plies, strict=False):
        legal = game.legal_action_list(state)
        if len(legal) < 2:
            found.append(None)
            continue
        values = study_of(game, state).think(think).values
        found.append({game.action_name(a): round(v, 4) for a, v in values.items()})
    return found


def _read(arguments: argparse.Namespace) -> tuple[Transcript, list[str] | None]:
    """Return a transcript, and the names of the players where they are known."""
    path = Path(arguments.file)
    try:
        with path.open("rb") as file:
            is_store = file.read(len(_SQLITE)) == _SQLITE
    except OSError as error:
        raise BadArgument(f"cannot read {path}: {error.strerror}") from error
    with user_input():
        return _stored_game(path, arguments) if is_store else (load(path), None)


def _stored_game(path: Path, arguments: argparse.Namespace) -> tuple[Transcript, list[str]]:
    """Play a stored game again, and check that it ends as it did. Raises ValueError."""
    with Store(path) as store:
        contests = [(s, c) for s in store.settings() for c in store.contests(s)]
        if not 1 <= arguments.contest <= len(contests):
            raise ValueError(f"{path} has contests 1 .. {len(contests)}, not {arguments.contest}")
        setting, contest = contests[arguments.contest - 1]
        if setting.control is not None:
            raise ValueError("games under contest time depend on the clock: they have no replay")
        deal = arguments.deal
        seeds = range(SEED_LIMIT) if deal is None else range(deal, deal + 1)
        first_seed, outcomes = next(store.read(setting, contest, seeds), (0, None))
    if outcomes is None:
        raise ValueError(f"{path} has no game of deal {deal}")
    dealt = first_seed if deal is None else deal
    sittings = outcomes.returns[dealt - first_seed]
    if not 0 <= arguments.sitting < len(sittings):
        raise ValueError(f"sitting must be in 0 .. {len(sittings) - 1}, not {arguments.sitting}")
    game = find_game(setting.game, **setting.config)
    seated = contest.seated(game.num_seats, np.array([dealt]))[0, arguments.sitting]
    entrants = [contest.entrants[number] for number in seated]
    made = {entrant.spec: make_policy(entrant.spec, game) for entrant in entrants}
    policies = [made[entrant.spec] for entrant in entrants]
    transcript = record(game, dealt, policies=policies, sitting=arguments.sitting)
    if not np.allclose(transcript.returns, sittings[arguments.sitting]):
        raise ValueError(
            f"deal {dealt} ended otherwise when it was stored: the rules or a player have changed"
        )
    return transcript, [entrant.name for entrant in entrants]
