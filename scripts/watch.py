"""Show one game, as text or with --browser as pictures; or the results of a running tournament.

With --browser, GAME may also be the store of a tournament: the page shows its ratings as they move.
"""

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..baselines import Policy
from ..baselines.advice.hints import HintLines, hints_of
from ..baselines.players.policy import values_of
from ..baselines.players.settings import parse_settings
from ..envs import GAMES, find_game
from ..envs.core.catalogue import kept_settings
from ..envs.core.game import Game
from ..envs.core.play.playthrough import Playthrough, Turn
from ..envs.core.play.visibility import is_seen
from ..envs.core.played import transcript
from ..envs.core.rng import fresh_seed
from .ending import result_lines
from .games import HUMAN
from .options import (
    BadArgument,
    add_game,
    add_seed,
    chosen_game,
    chosen_players,
    first_seed,
    player_names,
    positive,
    seconds,
    user_input,
    whole,
)
from .output import file_to_write
from .serving import add_server, serve

if TYPE_CHECKING:
    from .table.store import TableStore

COMMENTED_ACTIONS = 3
BROWSER_PACE = 0.2  # seconds between plies at least; the page can be slower


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The game, who plays, and how fast."""
    add_game(parser)
    parser.add_argument(
        "--players",
        metavar="A,B,...",
        default="random",
        help="one player for each seat, or one for all seats (default random)",
    )
    parser.add_argument(
        "--seat",
        type=whole,
        metavar="N",
        help="show only what seat N may see (default: show everything)",
    )
    parser.add_argument(
        "--hints",
        action="store_true",
        help="show the value of each move before the plies of seat N, or of every seat; only for "
        "games with hints at the console, which the error for another game names; "
        "`parlour play GAME` has hints for all games",
    )
    parser.add_argument(
        "--delay",
        type=seconds,
        default=0.0,
        metavar="SECONDS",
        help="pause between plies (default 0)",
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
    players = _seated(chosen_players(arguments.players, game), game)
    if arguments.seat is not None and not 0 <= arguments.seat < game.num_seats:
        raise BadArgument(f"seats are 0 .. {game.num_seats - 1}, not {arguments.seat}")
    hint_lines = _chosen_hints(game) if arguments.hints else None
    seed = first_seed(arguments)
    played = Playthrough(game, players, seed)
    _show(played, _shown_seat(players, arguments.seat), hint_lines, arguments)
    if game.is_terminal(played.state):
        who = [f"player {seat} ({player.name})" for seat, player in enumerate(players)]
        print("\n".join(result_lines(who, played.returns.tolist(), len(played.actions), seed)))
    if arguments.transcript is not None:
        _keep(transcript.record(game, seed, actions=played.actions), arguments.transcript)


def _show(
    played: Playthrough,
    shown: int | None,
    hint_lines: HintLines | None,
    arguments: argparse.Namespace,
) -> None:
    """Play, and print each position and ply as seat `shown` sees it."""
    for turn in played:
        if turn.number - 1 == arguments.plies:
            break
        for line in _before_a_ply(turn, shown, hint_lines):
            print(line)
        turn.choose()
        text = ply_text(turn.policy, turn.state, turn.action, shown, turn.rngs)
        print(f"{turn.number:4}  {text}\n", flush=True)
        time.sleep(arguments.delay)
    print(played.game.describe(played.state, shown))


def _shown_seat(players: list[Policy], given: int | None) -> int | None:
    """Return the seat whose view is shown: without --seat that of the only person, or None."""
    people = [seat for seat, player in enumerate(players) if player.name == HUMAN]
    return people[0] if given is None and len(people) == 1 else given


def _before_a_ply(turn: Turn, shown: int | None, hint_lines: HintLines | None) -> list[str]:
    """Return what is printed before a ply; a person's prompt shows the position by itself."""
    position, *hints = position_lines(turn.game, turn.state, shown, hint_lines)
    return hints if turn.policy.name == HUMAN else [position, *hints]


def _keep(played: transcript.Transcript, file: str) -> None:
    try:
        transcript.save(played, file)
    except OSError as error:
        raise BadArgument(f"cannot write {file}: {error.strerror}") from error
    print(f"Transcript: {file}")


def _show_in_browser(arguments: argparse.Namespace) -> None:
    """Serve a table of players, or the results in a store. Raises BadArgument."""
    path = Path(arguments.game)
    if arguments.game not in GAMES and path.is_file():
        with user_input():
            serve(arguments, lambda store: "", "/results", path)
        return
    from .table.catalogue import chosen_settings

    with user_input():
        settings = chosen_settings(arguments.game, parse_settings(arguments.set))
        game = find_game(arguments.game, **settings)
    names = [player.name for player in _seated(chosen_players(arguments.players, game), game)]
    specs = player_names(arguments.players)
    specs = specs * game.num_seats if len(specs) == 1 else specs

    def open_table(store: "TableStore") -> str:
        from .table.table import MAX_NAME, PLAYER, Occupant, Setup, new_token

        seats = [Occupant(PLAYER, n[:MAX_NAME], s) for n, s in zip(names, specs, strict=True)]
        seed = fresh_seed() if arguments.seed is None else arguments.seed
        pace = max(arguments.delay, BROWSER_PACE)
        kept = kept_settings(game, settings)
        setup = Setup(game.name, kept, tuple(seats), seed, pace=pace, is_open=True)
        tokens = tuple(new_token() for _ in range(game.num_seats + 1))
        store.add(new_token(), setup, game.version, tokens)
        return f"&seat={tokens[-1]}"

    serve(arguments, open_table)


def _seated(players: list[Policy], game: Game) -> list[Policy]:
    if len(players) == 1:
        return players * game.num_seats
    if len(players) != game.num_seats:
        raise BadArgument(
            f"{game.name} has {game.num_seats} seats here; got {len(players)} players"
        )
    return players


def _chosen_hints(game: Game) -> HintLines:
    hint_lines = hints_of(game)
    if hint_lines is None:
        others = ", ".join(name for name in GAMES if hints_of(find_game(name)) is not None)
        raise BadArgument(
            f"there are no hints for {game.name} at the console, only for {others}; "
            "`parlour play` has hints for all games"
        )
    return hint_lines


def position_lines(
    game: Game, state: np.record, shown: int | None, hint_lines: HintLines | None
) -> list[str]:
    """Return the position as seat `shown` sees it, with hints when that seat is to act.

    Without a seat, return everything, with hints for the seat to act.
    """
    seat = int(game.seat_to_act(state))
    hints = [] if hint_lines is None or shown not in (None, seat) else hint_lines(game, state, seat)
    return [game.describe(state, shown), *hints]


def ply_text(
    player: Policy, state: np.record, action: int, shown: int | None, rngs: np.ndarray
) -> str:
    """Describe the action of `player`, as far as seat `shown` sees it.

    The player's own evaluation is shown only to its seat: it would reveal the hand to others. A
    player that searches repeats its search for it; `rngs` [1] is its stream before the choice.
    """
    game = player.game
    seat = int(game.seat_to_act(state))
    who = f"player {seat} ({player.name})"
    if shown is not None and not is_seen(game, state, action, shown):
        return f"{who}: what it does is hidden from player {shown}"
    comment = _comment(player, state, seat, rngs) if shown in (None, seat) else ""
    played = f"{who}: {game.action_name(action)}"
    return f"{played}   ({comment})" if comment else played


def _comment(player: Policy, state: np.record, seat: int, rngs: np.ndarray) -> str:
    """Return the expected returns of the best actions, for a player that has such values."""
    game = player.game
    legal = game.legal_action_list(state)
    if len(legal) == 1:
        return "the only choice"
    if player.values is None:
        return ""
    seen, positions = game.new_observations(), game.new_states()
    game.observe(state, seat, seen[0])
    mask = np.zeros((1, game.num_actions), np.int8)
    mask[0, legal] = 1
    positions[0] = state
    game.reshuffle_unseen(positions[0], seat, rngs[0])
    values = values_of(player, seen, mask, rngs, positions)[0]
    valued = [action for action in legal if not np.isnan(values[action])]  # a search leaves some
    best = sorted(valued, key=lambda action: -values[action])[:COMMENTED_ACTIONS]
    return "expects " + ", ".join(f"{game.action_name(a)} {values[a]:+.2f}" for a in best)
