"""Settings, deals and actions of trick-taking that cannot be, and what is said of them."""

from __future__ import annotations

from typing import Any

from tests.trick_taking.tables import TWO_SEATS

SETTINGS: list[tuple[dict[str, Any], str]] = [
    ({"num_values": 0}, r"num_values must be an integer in 1 \.\. 32; got 0"),
    ({"num_players": 5}, "num_players"),
    ({"leader": 2}, r"leader must be an integer in 0 \.\. 1"),
    ({"colours": 2}, "no setting 'colours'; its settings are num_values"),
]
TABLE = {"num_values": 3}
DEALS: list[tuple[Any, str]] = [
    ([], "a deal is"),
    ({"hands": [[0, 1, 2], [3, 4, 5]], "trump": 1}, "a deal is"),
    (
        {"hands": [[0, 1, 2, 3], [4, 5]]},
        "needs lists of 3, 3 cards; got lists of 4, 2",
    ),
    ({"hands": [[0, 1, 2], [3, 4, 2]]}, "2 is there 2 times"),
    ({"hands": [[0, 1, 2], [3, 4, 6]]}, "there is no card 6; cards are 0, 1, ..., 5"),
    ({"hands": [[0, 1, 2], [3, 4, "5"]]}, "there is no card '5'"),
    ({**TWO_SEATS, "leader": 2}, r"leader must be an integer in 0 \.\. 1; got 2"),
    ({"hands": [1, 2]}, "needs lists of 3, 3 cards"),
]
NAMES = [
    (name, "no action is called")
    for name in ("card:2.0", "card:0.10", "card:0", "1.1", "card:-1.0", "pass")
]
NUMBERS = [(20, r"actions are 0 \.\. 19, not 20")]
