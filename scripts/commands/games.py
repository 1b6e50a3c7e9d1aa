"""List the games with their sizes, settings and players."""

import argparse

from ...baselines import list_policies
from ...baselines.players.best import NAME as BEST
from ...baselines.players.making import players_of, resolved
from ...envs import GAMES, find_game
from ...envs.core.catalogue import games_by_seats
from ...envs.core.game import Game
from ..options import HUMAN
from ..output import add_json, print_table, print_text, write_json

_INDENT = len("  settings  ")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`--json`."""
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print one block for each game, with its default settings."""
    facts = [_facts(name) for name in GAMES]
    if arguments.json != "-":
        headings = ("game", "id", "seats", "actions", "inputs")
        print_table(headings, [[fact[heading] for heading in headings] for fact in facts])
        for fact in facts:
            settings = " ".join(f"{key}={value}" for key, value in fact["settings"].items())
            print(f"\n{fact['game']}")
            print_text(f"  settings  {settings}", _INDENT)
            for setting, values in fact["named"].items():
                print_text(f"  {setting:<8}  {' '.join(values)}", _INDENT)
            print_text(f"  players   {' '.join(fact['players'])}", _INDENT)
            for seats, champion in fact["best"].items():
                print_text(f"  best      {seats} seats: {_in_words(champion)}", _INDENT)
    write_json(facts, arguments.json)


def _in_words(champion: dict) -> str:
    if champion["is_timed"]:
        return f"{champion['player']}; `best:milliseconds=20` limits its time for a move"
    return f"{champion['player']}; does not search, so `best:milliseconds=` changes nothing"


def _champion(game: Game) -> dict:
    player = str(resolved(BEST, game))
    return {"player": player, "is_timed": players_of(game)[BEST].is_timed}


def _facts(name: str) -> dict:
    game = find_game(name)
    return {
        "game": name,
        "id": GAMES[name],
        "version": game.version,
        "seats": game.num_seats,
        "actions": game.num_actions,
        "inputs": game.layout.num_inputs,  # numbers in an observation
        "settings": game.config_dict(),
        # Values of settings that ship with the game, such as decks with real names.
        "named": {key: list(names) for key, names in getattr(game.config, "FILES", {}).items()},
        "players": [HUMAN, *list_policies(game)],
        "best": {str(each.num_seats): _champion(each) for each in games_by_seats(name)},
    }
