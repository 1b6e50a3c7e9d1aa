"""Settings, deals and actions of Top Trumps that cannot be, and what is said of them."""

from __future__ import annotations

from typing import Any

from tests.top_trumps.tables import CARDS

DEAL: dict[str, Any] = {"cards": CARDS, "hands": [[5, 0, 2], [1, 4, 3]]}
SETTINGS: list[tuple[dict[str, Any], str]] = [
    ({"num_cards": 1}, "num_cards must be an integer in 2 .. 128"),
    ({"num_fields": 0}, "num_fields must be an integer in 1 .. 16"),
    ({"trick_limit": 0}, "trick_limit"),
    ({"starter": 2}, "starter must be one of 0, 1, 'random'"),
    ({"deck": "no_such_file.csv"}, "there is no file 'no_such_file.csv'"),
    ({"deck": 7}, "deck must be 'random', 'planets'"),
    ({"deck": "planets", "num_cards": 10}, "num_cards must be one of 9"),
    ({"deck": "id\na\nb\n"}, "deck must have 1 .. 16 columns beside id; it has 0"),
    ({"deck": "id,x\na,1\n"}, "deck must have 2 .. 128 cards; it has 1"),
    ({"deck": "name,x\na,1\nb,2\n"}, "deck needs one column 'id'; it has name, x"),
    ({"deck": "id,x\na,1\na,2\n"}, "a name of its own for each card; got 'a'"),
    ({"deck": "id,x,x\na,1,2\nb,2,3\n"}, "a name of its own for each column; got 'x'"),
    ({"deck": "id,x\na,1\nb,2.5\n"}, "x of b is '2.5'"),
    ({"deck": "id,x\na,1\nb,\n"}, "x of b is ''"),
    ({"deck": "id,x\na,1\nb,9999999999999\n"}, "whole numbers of at most"),
    ({"deck": "id,x\na,1\nb\n"}, "deck has 2 columns, but a row"),
]
TABLE = {"num_cards": 6, "num_fields": 2}
DEALS: list[tuple[Any, str]] = [
    ({**DEAL, "hands": [[0, 1], [2, 3, 4, 5]]}, "needs lists of 3, 3 cards; got lists of 2, 4"),
    ({**DEAL, "hands": [[0, 1, 2], [3, 4, 4]]}, "4 is there 2 times"),
    ({**DEAL, "hands": [[0, 1, 2], [3, 4, 6]]}, "there is no card 6; cards are 0, 1, ..., 5"),
    ({**DEAL, "hands": [[0, 1, 2], [3, 4, "5"]]}, "there is no card '5'"),
    ({**DEAL, "cards": CARDS[:5]}, "cards must be 6 rows of 2 values"),
    ({**DEAL, "cards": [*CARDS[:5], [1, 2, 3]]}, "cards must be 6 rows"),
    ({**DEAL, "cards": [*CARDS[:5], [1, 256]]}, r"0 \.\. 255; got 256"),
    ({**DEAL, "ids": ["AAAAAA"] * 6}, "ids must be 6 different ones"),
    ({**DEAL, "ids": ["AAAAA1", "B", "C", "D", "E", "F"]}, "six characters|6 characters"),
    ({**DEAL, "ids": ["AAAAA1", [], "C", "D", "E", "F"]}, r"A-Z0-9; got \[\]"),
    ({**DEAL, "starter": 2}, "starter must be one of 0, 1"),
    ({**DEAL, "pile": []}, "a deal is"),
]
NAMES = [("Field5", "no action is called 'Field5'; did you mean 'Field4'")]
NUMBERS = [(5, r"actions are 0 \.\. 4, not 5")]
PLAYERS = [
    ("expert:m=1.5", r"m must be a number in 0 \.\. 1; got 1.5"),
    ("goliath:m=x", "m must be"),
    ("rand_maxer:fraction=-1", "fraction must be"),
    ("maxer:m=1", "m"),
    ("david:num_playouts=0", "num_playouts must be an integer in 1"),
    ("samson", "no player 'samson'"),
]
