"""Settings, deals and actions of President that cannot be, and what is said of them."""

from __future__ import annotations

from typing import Any

from tests.president.playing import ladder

REFUSED: dict[str, tuple[tuple[Any, ...], str]] = {
    "num_players": ((3, 0, -4, 4.0, "4", True, None), "one of 2, 4, 5, 8; got"),
    "num_games": ((0, -1, 101, 1.0, "1", True, None), r"an integer in 1 \.\. 100; got"),
    "economy": (
        ("swap_three", "SWAP_ONE", 1, None, True),
        "one of 'none', 'swap_one', 'swap_two'",
    ),
    "passing": (("never", 0, None), "one of 'free', 'out'; got"),
}
KNOWN = "num_players, num_games, economy, passing"
SETTINGS: list[tuple[dict[str, Any], str]] = [
    ({"players": 4, "jokers": 2}, f"no setting 'jokers', 'players'; its settings are {KNOWN}"),
    *(
        ({name: value}, f"{name} must be {allowed}")
        for name, (values, allowed) in REFUSED.items()
        for value in values
    ),
]
TABLE = {"num_games": 2}


def replaced(card: Any) -> list[list[Any]]:
    """The ladder with its very first card, the 2 of oros, replaced."""
    return [[card, *ladder(4)[0][1:]], *ladder(4)[1:]]


DEALS: list[tuple[Any, str]] = [
    (ladder(4), r'a deal is {"hands": .* or, in a match, {"games"'),
    ({}, "a deal is .*; got {}"),
    ({"hands": ladder(4), "games": []}, "a deal is "),
    ({"games": []}, "a deal is .*; got {'games': \\[\\]}"),
    ({"games": [ladder(4)]}, "each game of a deal is "),
    (
        {"games": [{"hand": 1}]},
        "each game of a deal is .*; got {'hand': 1}",
    ),
    ({"games": [{"hands": ladder(4)}] * 3}, "has 3 games, the match only 2"),
    ({"hands": 5}, "needs lists of 10, 10, 10, 10 cards; got 5"),
    ({"hands": ladder(4)[:3]}, "10, 10, 10, 10 cards; got lists of 10, 10, 10$"),
    ({"hands": ladder(8)}, "10 cards; got lists of 5, 5, 5"),
    ({"hands": [*ladder(4)[1:], ladder(4)[0][1:]]}, "cards; got lists of 10, 10, 10, 9"),
    ({"hands": replaced("1E")}, "1E is there 2 times"),
    ({"hands": replaced("8O")}, "there is no card '8O'; cards are 2O, 2B"),
    ({"hands": replaced(0)}, "there is no card 0; cards are"),
    ({"hands": replaced(["2O"])}, r"there is no card \['2O'\]"),
    ({"games": [{"hands": ladder(4)}, {"hands": replaced("1E")}]}, "1E is there 2 times"),
]
NO_NAMES: list[Any] = ["", "PASS", "5x2", "0x2", "1x8", "give:8", "give", 3, None, []]
NAMES = [(name, "no action is called .*actions are such as pass, ") for name in NO_NAMES]
NUMBERS: list[tuple[Any, str]] = [
    (action, r"actions are 0 \.\. 50, not") for action in (-1, 51, 1000, 1.0, "pass", None)
]
