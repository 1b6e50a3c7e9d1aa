"""Small tools of the trick-taking tests: a table on a stacked deal, played by card names."""

import numpy as np

from parlour.envs.registry import load_game
from tests.one_table import OneTable

# Two seats, N = 3: seat 0 holds 1.0, 0.2, 0.0 and seat 1 holds 1.2, 0.1, 1.1, as dealt.
TWO_SEATS = {"hands": [[3, 2, 0], [5, 1, 4]]}
# Three seats, N = 2: seat 0 holds 0.0, 1.0; seat 1 holds 2.1, 1.1; seat 2 holds 0.1, 2.0.
THREE_SEATS = {"hands": [[0, 2], [5, 3], [1, 4]]}


def table(deal: dict, script: str = "", **config: int) -> OneTable:
    """One table on this deal, after the cards of the script."""
    return play(OneTable(load_game("trick_taking", **config), deal), script)


def play(table: OneTable, script: str) -> OneTable:
    """Play the cards of the script."""
    return table.play(*(f"card:{card}" for card in script.split()))


def legal(table: OneTable) -> list[str]:
    """The legal cards at the table, without the word before them."""
    return [name.removeprefix("card:") for name in table.legal]


def cards_of(words: np.ndarray, num_values: int) -> list[str]:
    """The cards of a set, a word a colour, by name."""
    return [
        f"{colour}.{value}"
        for colour, word in enumerate(words)
        for value in range(num_values)
        if int(word) >> value & 1
    ]
