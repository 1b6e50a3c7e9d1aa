"""A position that cannot be is refused.

What is seen of those that can be, the comparison with the referee says: many games begin with one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from parlour import start
from parlour.envs import position_data
from parlour.envs.registry import load_game
from parlour.envs.splendor.cards import pack
from tests.splendor.boards import CARDS, Data, board, empty_seat, record_of

pytestmark = pytest.mark.plain

Change = Callable[[Data], object]


def fixed(**values: Any) -> Change:
    """A change that sets fields of the position."""
    return lambda position: position.update(values)


def put(name: str, place: int, value: Any) -> Change:
    """A change of one number of a field; -1 counts from the end."""
    return lambda position: position[name].__setitem__(place, value)


def hold(*gems: int) -> Change:
    """A change that gives seat 1 gems out of the bank."""

    def change(position: Data) -> None:
        position["gems"][1] = pack(gems)
        position["bank"] -= pack(gems)

    return change


ONE_RED, ONE_CARD_OF_EACH = pack([0, 1]), pack([1] * 5)
WRONG: dict[str, tuple[Change, str]] = {
    "a gem too many": (fixed(bank=pack([4, 5, 4, 4, 4, 5])), "have 4 red gems; here are 5"),
    "gems from nowhere": (fixed(gems=[ONE_RED, 0]), "have 4 red gems; here are 5"),
    "a carried gem": (fixed(bank=pack([5, 3, 4, 4, 4, 5]), gems=[0, 255]), "black gems; here are"),
    "eleven gems": (hold(4, 4, 3, 0, 0, 0), "seat 1 holds 11 gems; 10 is the limit"),
    "a card twice": (put("table", 1, 0), r"\['black', 0, .*\] is there 2 times"),
    "table and seat": (fixed(reserved=[[0, 90, 90], [90] * 3], num_reserved=[1, 0]), "2 times"),
    "a row of another tier": (put("table", 8, 20), "is of tier 1, not 3"),
    "a deck of another tier": (put("deck", 40, 20), "is of tier 1, not 2"),
    "a deck too long": (put("deck_left", 2, 40), "is of tier 1, not 3"),
    "an unseen card too few": (put("unseen", 0, 1), "'unseen' does not fit the cards"),
    "a lost card": (put("table", 0, 90), "a slot of tier 1 is empty"),
    "a card in a gap": (fixed(gap=0), "'face_up' does not fit"),
    "a gap over a deck": (
        lambda p: p.update(table=[90, *p["table"][1:]], face_up=p["face_up"] - 1),
        "a slot of tier 1 is empty, but its deck has 36 cards",
    ),
    "reserved nothing": (fixed(num_reserved=[1, 0]), "'num_reserved' does not fit"),
    "cards of nowhere": (fixed(cards=[ONE_CARD_OF_EACH, 0]), "'cards' does not fit the cards"),
    "points of nowhere": (fixed(points=[1, 0]), "'points' does not fit the cards"),
    "a noble twice": (fixed(nobles=[0, 0, 1]), "is there 2 times"),
    "two nobles": (fixed(nobles=[0, 1, 10]), "3 nobles are in the game; here are 2"),
    "a fourth noble": (fixed(won=[1 << 9, 0], points=[3, 0]), "3 nobles are .* here are 4"),
    "a choice of nothing": (
        fixed(nobles=[10, 1, 2], won=[1, 0], points=[3, 0], choice=1),
        "'choice' does not fit",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_position_that_cannot_be_is_refused(name: str) -> None:
    change, message = WRONG[name]
    game = load_game("splendor")
    position = position_data(game, record_of(game, board([empty_seat(), empty_seat()])["position"]))
    change(position)
    with pytest.raises(ValueError, match=message):
        start(game, position=position)


def test_nobody_owns_eight_cards_of_a_colour() -> None:
    game = load_game("splendor")
    reds = [card for tier in CARDS for card in tier if card[0] == "red"]
    deal = board([empty_seat() | {"cards": reds[:8]}, empty_seat()])
    with pytest.raises(ValueError, match="a seat has 8 cards of a colour; 7 at most"):
        start(game, position=record_of(game, deal["position"]))
