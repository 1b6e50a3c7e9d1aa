"""Replay a game in the browser: a transcript, or a game of a stored match or tournament.

The replay has a slider, the expected result of every move, and jumps to the largest mistakes. It is
one file that needs no server.
"""

import argparse
import tempfile
import webbrowser
from pathlib import Path

from ...envs.core.played.page.replay import PlyJudgements, replay_page
from ...envs.core.played.transcript import Transcript, load, replay_data, verify
from ...envs.core.whole_files import write_whole
from ..options import BadArgument, check_seat, user_input, writing
from ..output import progress_counter
from ..table.stored_games import arena_game, judged_plies
from ..validators import file_to_write, positive, seconds, seed, whole

_SQLITE, _TRANSCRIPT = b"SQLite format 3\x00", b"parlour transcript"
VALUE_SECONDS = 0.2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The game to show, and how."""
    parser.add_argument(
        "file", metavar="FILE", help="a transcript, or the store of a match or tournament"
    )
    parser.add_argument(
        "--html",
        metavar="FILE",
        type=file_to_write,
        help="write the replay to this file and stop",
    )
    parser.add_argument(
        "--seat",
        type=whole,
        metavar="N",
        help="show the observation of seat N (default: everything)",
    )
    parser.add_argument(
        "--think",
        type=seconds,
        default=VALUE_SECONDS,
        metavar="SECONDS",
        help=f"search time for the value of each move (default {VALUE_SECONDS}; 0: no values)",
    )
    parser.add_argument(
        "--match",
        type=positive,
        default=1,
        metavar="N",
        help="number of a match in a store, in the order of play (default 1)",
    )
    parser.add_argument(
        "--deal", type=seed, metavar="SEED", help="deal of a store (default: its first)"
    )
    parser.add_argument(
        "--sitting",
        type=whole,
        default=0,
        metavar="N",
        help="number of a game of this deal; the games differ in who sits where (default 0)",
    )
    parser.add_argument(
        "--trust", action="store_true", help="run the players' files that a store names"
    )


def run(arguments: argparse.Namespace) -> None:
    """Build the replay, and write it or show it."""
    transcript, names = _read(arguments)
    game = transcript.game
    check_seat(arguments.seat, game)
    judged = _judged(transcript, arguments.think) if arguments.think > 0 else None
    page = replay_page(replay_data(transcript, arguments.seat, names, judged))
    path = Path(arguments.html or Path(tempfile.mkdtemp(prefix="parlour-")) / f"{game.name}.html")
    with writing(path):
        write_whole(path, page)
    print(f"{len(transcript.plies)} plies of {game.name}: {path}")
    if arguments.html is None:
        webbrowser.open(path.as_uri())


def _judged(transcript: Transcript, think: float) -> PlyJudgements:
    with progress_counter("plies searched", len(transcript.plies)) as on_ply:
        return judged_plies(transcript, think, on_ply)


def _read(arguments: argparse.Namespace) -> tuple[Transcript, list[str] | None]:
    """Return a transcript, and the names of the players where they are known."""
    path = Path(arguments.file)
    try:
        with path.open("rb") as file:
            start = file.read(len(_TRANSCRIPT))
    except OSError as error:
        raise BadArgument(f"cannot read {path}: {error.strerror}") from error
    if not start.startswith((_SQLITE, _TRANSCRIPT)):
        raise BadArgument(
            f"{path} is no game that was played: name a transcript (parlour watch GAME "
            "--transcript FILE), or the store of a match or tournament (--store FILE)"
        )
    with user_input():
        if start == _TRANSCRIPT:
            transcript = load(path)
            verify(transcript)
            return transcript, None
        which = (arguments.match, arguments.deal, arguments.sitting)
        return arena_game(path, *which, is_trusted=arguments.trust)
