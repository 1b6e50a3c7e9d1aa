"""Watch one game as text: every position, and what each player does."""

import argparse
import time

import numpy as np

from ..baselines import Policy
from ..baselines.hints import HintLines, hints_of
from ..envs.core.game import Game
from ..envs.core.rng import streams
from ..envs.core.seating import Seating, player_streams
from ..envs.core.tables import Tables, action_masks
from .options import (
    BadArgument,
    add_game,
    add_seed,
    chosen_game,
    chosen_players,
    first_seed,
    positive,
    seconds,
)

COMMENTED_ACTIONS = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The game, who plays, and how fast."""
    add_game(parser)
    parser.add_argument(
        "--players",
        metavar="A,B,...",
        default="random",
        help="one a seat, or one for all seats (default random)",
    )
    parser.add_argument(
        "--seat", type=int, metavar="N", help="show only what seat N may see (default: everything)"
    )
    parser.add_argument(
        "--hints",
        action="store_true",
        help="before each ply of seat N, or of every seat: what its moves are worth",
    )
    parser.add_argument("--delay", type=seconds, default=0.0, help="seconds between plies")
    parser.add_argument("--plies", type=positive, help="stop after so many")
    add_seed(parser)


def run(arguments: argparse.Namespace) -> None:
    """Play the game of this seed; the players draw as they do in matches."""
    game = chosen_game(arguments)
    players = _seated(chosen_players(arguments.players, game), game)
    if arguments.seat is not None and not 0 <= arguments.seat < game.num_seats:
        raise BadArgument(f"seats are 0 .. {game.num_seats - 1}, not {arguments.seat}")
    hint_lines = _chosen_hints(game) if arguments.hints else None
    tables = Tables(game, streams([first_seed(arguments)]))
    places = np.arange(game.num_seats)[None, :]
    rngs = player_streams([first_seed(arguments)], game.num_seats)
    seating = Seating(tables, players, places, rngs)
    tables.deal(tables.all_rows)
    seating.watch(tables.all_rows)
    ply = 0
    while not game.is_terminal(tables.states[0]) and ply != arguments.plies:
        print(game.describe(tables.states[0], arguments.seat))
        _print_hints(hint_lines, tables, arguments.seat)
        ply += 1
        print(f"{ply:4}  {_play(seating, players)}\n", flush=True)
        time.sleep(arguments.delay)
    print(game.describe(tables.states[0], arguments.seat))
    if game.is_terminal(tables.states[0]):
        returns = tables.returns(tables.all_rows)[0]
        for seat, player in enumerate(players):
            print(f"player {seat} ({player.name}): {returns[seat]:+.3f}")


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
        raise BadArgument(f"there are no hints for {game.name}")
    return hint_lines


def _print_hints(hint_lines: HintLines | None, tables: Tables, shown: int | None) -> None:
    """Hints for the seat to act, where it is the one that is shown or all are."""
    seat = int(tables.game.seat_to_act(tables.states[0]))
    if hint_lines is not None and shown in (None, seat):
        print("\n".join(hint_lines(tables.game, tables.states[0], seat)))


def _play(seating: Seating, players: list[Policy]) -> str:
    """One ply at the only table; says who did what."""
    tables = seating.tables
    rows, game = tables.all_rows, tables.game
    seats, observations, words = tables.show(rows)
    player = players[seats[0]]
    action = seating.choose(player, rows, seats, observations, words)
    tables.apply(rows, action)
    seating.watch(rows)
    mask = action_masks(words, game.num_actions)[0]
    comment = "the only choice" if mask.sum() == 1 else _opinion(player, observations, mask)
    played = f"player {seats[0]} ({player.name}): {game.action_name(int(action[0]))}"
    return f"{played}   ({comment})" if comment else played


def _opinion(player: Policy, observations: np.ndarray, mask: np.ndarray) -> str:
    """The returns that a player with an opinion expects of its best actions."""
    if player.values is None:
        return ""
    values = np.where(mask == 1, player.values(observations, mask[None])[0], -np.inf)
    best = np.argsort(-values)[: min(COMMENTED_ACTIONS, mask.sum())]
    return "expects " + ", ".join(f"{player.game.action_name(a)} {values[a]:+.2f}" for a in best)
