"""Settings and actions of Splendor that cannot be, and what is said of them."""

from __future__ import annotations

from typing import Any

SETTINGS = [
    ({name: value}, f"{name} must be an integer in")
    for name, value in (
        ("num_players", 1),
        ("num_players", 5),
        ("target", 0),
        ("target", 51),
        ("turn_limit", 0),
    )
]
TABLE: dict = {}
DEALS: list[tuple[Any, str]] = []  # test_positions.py has them
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
