"""Small tools of the trick-taking tests: a table on a stacked deal, played by card names."""

import numpy as np

from parlour.envs.core.game import Game
from parlour.envs.core.play.tables import Tables
from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game

# Two seats, N = 3: seat 0 holds 1.0, 0.2, 0.0 and seat 1 holds 1.2, 0.1, 1.1, as dealt.
TWO_SEATS = {"hands": [[3, 2, 0], [5, 1, 4]]}
# Three seats, N = 2: seat 0 holds 0.0, 1.0; seat 1 holds 2.1, 1.1; seat 2 holds 0.1, 2.0.
THREE_SEATS = {"hands": [[0, 2], [5, 3], [1, 4]]}


def table(deal: dict, script: str = "", **config: int) -> Tables:
    """One table on this deal, after the cards of the script."""
    game = load_game("trick_taking", **config)
    tables = Tables(game, streams([0]))
    tables.deal_from(0, deal)
    return play(tables, script)


def play(tables: Tables, script: str) -> Tables:
    """Play the cards of the script; each must be legal."""
    for card in script.split():
        assert f"card:{card}" in legal_names(tables.game, tables.states[0])
        action = tables.game.parse_action(f"card:{card}")
        tables.apply(np.array([0]), np.array([action]))
    return tables


def legal_names(game: Game, state: np.record) -> list[str]:
    """The legal cards of a position by name."""
    return [game.action_name(action) for action in game.legal_action_list(state)]


def legal(tables: Tables) -> list[str]:
    """The legal cards at the one table, without the word before them."""
    return [name.removeprefix("card:") for name in legal_names(tables.game, tables.states[0])]


def observed(tables: Tables, seat: int) -> np.record:
    """What a seat knows at the one table."""
    return tables.observe(np.array([0]), np.array([seat]))[0]


def cards_of(words: np.ndarray, num_values: int) -> list[str]:
    """The cards of a set, a word a colour, by name."""
    return [
        f"{colour}.{value}"
        for colour, word in enumerate(words)
        for value in range(num_values)
        if int(word) >> value & 1
    ]
