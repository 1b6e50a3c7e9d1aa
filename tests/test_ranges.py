"""The declared ranges of state fields are the numbers of the rulebook, no wider and no narrower."""

import pytest

from parlour.envs import find_game

RANGES: dict[str, dict[str, tuple[int, int]]] = {
    "president": {  # four seats, forty cards in ten ranks, ten plays of each rank, pass and swaps
        "seat_to_act": (0, 3),
        "table_seat": (0, 3),
        "golds_seat": (-1, 3),
        "gives_left": (0, 3),
        "received": (-1, 9),
        "placings": (0, 4),
        "partners": (-1, 3),
        "passing": (0, 1),
        "economy": (0, 2),
        "next_hands": (0, 2**40 - 1),  # a set of cards
    },
    "splendor": {  # two seats, ninety cards of which forty are of the first level, ten nobles
        "seat_to_act": (0, 1),
        "last_actions": (-1, 577),
        "table": (0, 90),
        "reserved": (0, 90),
        "num_reserved": (0, 3),
        "nobles": (0, 10),
        "deck": (0, 89),
        "deck_left": (0, 40),
        "over": (0, 1),
    },
    "trick_taking": {  # two seats with ten values of two colours
        "seat_to_act": (0, 1),
        "dealt": (0, 19),
        "last_cards": (-1, 19),
        "tricks_won": (0, 10),
        "tricks_left": (0, 10),
        "led_colour": (-1, 1),
        "top_value": (-1, 9),
    },
    "notty": {  # two seats, forty kinds of cards, two of each
        "seat_to_act": (0, 1),
        "last_cards": (-1, 39),
        "deck_order": (0, 39),
        "num_ordered": (0, 80),
        "winner": (-1, 1),
        "is_drawn": (0, 1),
    },
    "top_trumps": {  # two seats, fifty cards of five fields
        "decks": (0, 49),
        "deck_sizes": (0, 50),
        "pile": (-1, 49),
        "pile_size": (0, 50),
        "starter": (0, 1),
        "last_field": (-1, 4),
    },
}


@pytest.mark.parametrize("name", RANGES)
def test_declared_ranges_are_the_numbers_of_the_rulebook(name: str) -> None:
    declared = {field.name: (field.low, field.high) for field in find_game(name).state_fields}
    assert {field: declared[field] for field in RANGES[name]} == RANGES[name]
