"""Settings, deals and actions of Notty that cannot be, and what is said of them."""

from __future__ import annotations

from tests.notty.playing import deal_of, rest_of

HANDS = ("red 1 5, blue 3", "green 2 8, yellow 10")
SETTINGS = [
    ({"num_players": 5}, "num_players must be one of 2, 3, 4; got 5"),
    ({"hand_limit": 21}, r"hand_limit must be an integer in 5 \.\. 20; got 21"),
    ({"initial_hand": 0}, r"initial_hand must be an integer in 1 \.\. 20; got 0"),
    ({"hand_limit": 8, "initial_hand": 9}, r"initial_hand must be an integer in 1 \.\. 8"),
    ({"turn_limit": 0}, r"turn_limit must be an integer in 1 \.\. 5000; got 0"),
    ({"discard": "none"}, "discard must be one of 'optimal', 'manual'; got 'none'"),
    ({"protect_small_hands": 1}, "protect_small_hands must be one of False, True; got 1"),
    ({"starter": 2}, "starter must be one of 0, 1, 'random'; got 2"),
]
TABLE: dict = {}
DEALS = [
    ({"deck": []}, "a deal is"),
    ({**deal_of(*HANDS), "trump": 1}, "a deal is"),
    (deal_of(HANDS[0]), "a deal needs 2 hands"),
    ({"hands": [["red 1"], "red 2"]}, "cards are given as a list"),
    ({"hands": [["red 1"], ["red 11"]]}, "there is no card 'red 11'; cards are red 1, red 2"),
    ({"hands": [["red 1"], []]}, r"a hand has 1 \.\. 20 cards; got one of 0"),
    ({"hands": [["red 1"], ["red 1", "red 1"]]}, "two cards red 1; the deal has 3"),
    ({**deal_of(*HANDS), "seat_to_act": 2}, r"seat_to_act must be an integer in 0 \.\. 1; got 2"),
    ({**deal_of(*HANDS), "deck": ["red 1"]}, "a deck is all cards that nobody holds"),
    ({**deal_of(*HANDS), "deck": [*rest_of(*HANDS), "red 1"]}, "1 of red 1, not 2"),
    ({**deal_of(*HANDS), "deck": "red 1"}, "cards are given as a list"),
]
NAMES = [
    (name, r"no action is called .*actions are pass, draw:1")
    for name in ("draw:0", "draw:4", "take:+2", "take:1", "discard:red 3-6", "")
]
NUMBERS = [(action, r"actions are 0 \.\. 4, not") for action in (-1, 5, 1.0)]
PLAYERS = [("x_defensive:sampling=3", "sampling must be True or False; got 3")]
