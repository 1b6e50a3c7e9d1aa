"""Show one game, as text or with --browser as pictures; or the results of a running tournament.

With --browser, GAME may also be the store of a tournament, whose ratings are shown as they move, or
the folder of a league: its ladders.
"""

import argparse
from pathlib import Path

from ...baselines import Policy
from ...baselines.advice.move_values import HintLines, hints_of
from ...baselines.policies.settings import parse_settings
from ...envs import GAMES, find_game
from ...envs.core.game import Game
from ...envs.core.play.playthrough import Playthrough
from ...envs.core.played import transcript
from ..console.watch import show
from ..options import (
    HUMAN,
    BadArgument,
    add_game,
    add_seed,
    check_seat,
    chosen_game,
    chosen_players,
    first_seed,
    for_each_seat,
    player_names,
    user_input,
    writing,
)
from ..table.catalogue import chosen_settings
from ..table.serving import add_server, serve
from ..table.store import TableStore
from ..table.table import GameTable, new_setup, new_token, player_seat
from ..validators import file_to_write, positive, whole
from ..words import result_lines

BROWSER_PACE = 0.2  # seconds between plies; the page can be slower


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The game, who plays, and how fast."""
    add_game(parser)
    parser.add_argument(
        "--players",
        metavar="PLAYER,...",
        default="random",
        help="one player for each seat, or one for all seats (default random)",
    )
    parser.add_argument(
        "--seat",
        type=whole,
        metavar="N",
        help="show the observation of seat N (default: everything)",
    )
    parser.add_argument(
        "--hints",
        action="store_true",
        help="show the value of each move before the plies of seat N, or of every seat, in games "
        "with hints at the console; `parlour play GAME` has hints for all games",
    )
    parser.add_argument("--plies", type=positive, metavar="N", help="stop after N plies")
    parser.add_argument(
        "--transcript",
        type=file_to_write,
        metavar="FILE",
        help="keep the game, all hands included, in a new text file that `parlour replay` shows",
    )
    parser.add_argument(
        "--browser", action="store_true", help="show pictures in the browser instead of text"
    )
    add_seed(parser)
    add_server(parser)


def run(arguments: argparse.Namespace) -> None:
    """Play the game of this seed; the players draw random numbers as in matches."""
    if arguments.browser:
        if arguments.transcript is not None:
            raise BadArgument("--transcript keeps what is shown as text, not with --browser")
        _show_in_browser(arguments)
        return
    if arguments.transcript is not None and Path(arguments.transcript).exists():
        raise BadArgument(f"{arguments.transcript} exists; name another file for the transcript")
    game = chosen_game(arguments)
    players = for_each_seat(chosen_players(arguments.players, game), game.num_seats, "seats")
    check_seat(arguments.seat, game)
    hint_lines = _chosen_hints(game) if arguments.hints else None
    seed = first_seed(arguments)
    played = Playthrough(game, players, seed)
    shown = _shown_seat(players, arguments.seat)
    show(played, shown, hint_lines, arguments.plies)
    if game.is_terminal(played.state):
        who = [f"player {seat} ({player.name})" for seat, player in enumerate(players)]
        scores = [game.score(played.state, seat) for seat in range(game.num_seats)]
        ended = who, played.returns.tolist(), scores, len(played.actions), seed
        print("\n".join(result_lines(*ended)))
    if arguments.transcript is not None:
        with writing(arguments.transcript):
            transcript.save(
                transcript.record(game, seed, actions=played.actions), arguments.transcript
            )
        print(f"Transcript: {arguments.transcript}")


def _shown_seat(players: list[Policy], asked_seat: int | None) -> int | None:
    """Return the seat whose view is shown: without --seat that of the only person, or None."""
    people = [seat for seat, player in enumerate(players) if player.name == HUMAN]
    return people[0] if asked_seat is None and len(people) == 1 else asked_seat


def _show_in_browser(arguments: argparse.Namespace) -> None:
    """Serve a table of players, results in a store, or a league's ladders. Raises BadArgument."""
    path = Path(arguments.game)
    if arguments.game not in GAMES and path.exists():
        with user_input():
            serve(arguments, lambda store: "", "/results", path)
        return
    with user_input():
        settings = chosen_settings(arguments.game, parse_settings(arguments.set))
        game = find_game(arguments.game, **settings)
        names = for_each_seat(player_names(arguments.players), game.num_seats, "seats")
        seats, shown = map(player_seat, names), {"pace": BROWSER_PACE, "is_open": True}
        table = GameTable(new_setup(game, settings, tuple(seats), first_seed(arguments), **shown))

    def open_table(store: TableStore) -> str:
        tokens = tuple(new_token() for _ in range(game.num_seats + 1))
        store.add(new_token(), table.setup, game.version, tokens)
        return f"&seat={tokens[-1]}"

    serve(arguments, open_table)


def _chosen_hints(game: Game) -> HintLines:
    hint_lines = hints_of(game)
    if hint_lines is None:
        others = ", ".join(name for name in GAMES if hints_of(find_game(name)) is not None)
        raise BadArgument(
            f"there are no hints for {game.name} at the console, only for {others}; "
            "`parlour play` has hints for all games"
        )
    return hint_lines
