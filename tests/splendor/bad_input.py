"""Settings and actions of Splendor that cannot be, and what is said of them."""

from __future__ import annotations

import random
from typing import Any

from tests.splendor.boards import random_deal

SETTINGS = [
    ({name: value}, f"{name} must be an integer in")
    for name, value in (
        ("num_players", 1),
        ("num_players", 5),
        ("target", 51),
        ("turn_limit", 0),
    )
]
TABLE: dict = {}
DEAL = random_deal(random.Random(4), 2)
NOBLES = DEAL["nobles"]
FIRST, SECOND, THIRD = DEAL["decks"]


def decks(*args: Any) -> dict[str, Any]:
    """The deal with these decks."""
    return {**DEAL, "decks": list(args)}


NO_DEALS: list[Any] = [
    *(None, 3, [], {}, {"decks": []}, {"position": {}}, {"nobles": [], "deck": []}),
]
DEALS: list[tuple[Any, str]] = [
    *((data, r'a deal is {"decks".*}; got ') for data in NO_DEALS),
    ({**DEAL, "nobles": 3}, "a deal needs lists of 3 nobles; got"),
    ({**DEAL, "nobles": NOBLES[:2]}, "needs lists of 3 nobles; got lists of 2"),
    ({**DEAL, "nobles": [NOBLES[1], *NOBLES[1:]]}, "is there 2 times"),
    ({**DEAL, "nobles": [None, *NOBLES[1:]]}, "there is no noble None; nobles are"),
    (decks(FIRST, SECOND), "needs lists of 40, 30, 20 cards; got lists of 40, 30$"),
    (decks(FIRST[1:], SECOND, THIRD), "got lists of 39, 30, 20"),
    (decks([FIRST[1], *FIRST[1:]], SECOND, THIRD), "is there 2 times"),
    (decks([SECOND[0], *FIRST[1:]], [FIRST[0], *SECOND[1:]], THIRD), "is of tier 2, not 1"),
    (decks([["red", 0, [9] * 5], *FIRST[1:]], SECOND, THIRD), "there is no card"),
]
NAMES = [
    (name, "no action is called .*actions are such as collect:black")
    for name in (
        "collect:red+black",  # not in order
        "collect:red*2 return:red",  # what was just collected
        "collect:yellow",
        "collect:black+red+green return:black",
        "reserve:0.1",
        "reserve:4.0",
        "reserve:1.4",
        "reserve:1.0 return:yellow",
        "buy:1.0 return:red",
        "buy-reserved:3",
        "noble:5",
        "Pass",
        "",
        None,
        3,
    )
]
NUMBERS = [(action, "actions are 0 .. 577") for action in (-1, 578, 1.5, None)]
