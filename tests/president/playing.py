"""Playing President in tests: one table by the names of actions."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from parlour.envs.registry import load_game
from tests.one_table import OneTable
from tests.president.referee import DECK, RANKS, SUITS

PLAYER_COUNTS = (2, 4, 5, 8)
ECONOMIES = ("none", "swap_one", "swap_two")
PASSINGS = ("free", "out")
# Everybody passes on everything: seat 0 goes out, then seat 1, then seat 2.
FOUR_SEAT_LADDER = "4x2 - - - 4x4 - - - 2x5 - - - 2x5 - - 4x6 - - 4x7 - - 4x10 - 4x11 - 2x12"
TWO_SEAT_LADDER = "4x2 - 4x4 - 4x5 - 4x6 - 4x7"


def ladder(num_players: int) -> list[list[str]]:
    """Seat 0 holds the lowest cards, 2222 4444 and so on, the last seat the highest."""
    size = 40 // num_players
    return [DECK[seat * size : (seat + 1) * size] for seat in range(num_players)]


def one_suit_each() -> list[list[str]]:
    """Four seats with one card of every rank: seat 0 all oros, then bastos, copas, espadas."""
    return [[rank + suit for rank in RANKS] for suit in "OBCE"]


class Table(OneTable):
    """One table, laid out from a deal as plain data, with the settings of the game."""

    def __init__(self, deal: dict[str, Any], seed: int = 0, **config: Any) -> None:
        super().__init__(load_game("president", **config), deal, seed)

    def play(self, *scripts: Any) -> Self:
        """Apply the actions of the scripts; "-" stands for pass."""
        words = (word for script in scripts for word in script.split())
        return super().play(*("pass" if word == "-" else word for word in words))

    def sees(self, seat: int) -> dict[str, Any]:
        """An observation as plain data."""
        record = self.observed(seat)
        return {name: record[name].tolist() for name in record.dtype.names or ()}

    def holds(self, seat: int) -> str:
        """The ranks of a seat's hand, low to high, such as "2 2 4"."""
        hand = zip(RANKS, self.sees(seat)["hand"], strict=True)
        return " ".join(rank for rank, count in hand for _ in range(count))

    def placings(self) -> list[int]:
        """Placings by seat."""
        return self.sees(0)["placings"]


def deal_of(state: np.record) -> dict[str, Any]:
    """All games of a match as plain data; but for the 2 of oros the suits are made up."""
    return {
        "games": [
            {"hands": _named_hands(hands.tolist(), int(golds))}
            for hands, golds in zip(state["next_hands"], state["next_golds"], strict=True)
        ]
    }


def _named_hands(hands: list[int], golds_seat: int) -> list[list[str]]:
    left = {rank: list(SUITS) for rank in RANKS}
    seats = [golds_seat, *(seat for seat in range(len(hands)) if seat != golds_seat)]
    named: list[list[str]] = [[] for _ in hands]
    for seat in seats:  # the first two named is the 2 of oros
        for index, rank in enumerate(RANKS):
            for _ in range((hands[seat] >> (4 * index) & 0b1111).bit_count()):
                named[seat].append(rank + left[rank].pop(0))
    return named
