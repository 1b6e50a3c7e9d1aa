"""Positions of Notty laid out by hand: the cards of each hand; all others are in the deck."""

import numpy as np

from ..core.arranging import Pile, Piles, sorted_out
from . import cards, rules
from .draw import card_ids

WHOLE = [name for name in cards.KIND_NAMES for _ in range(cards.NUM_COPIES)]


def lay_out(state: np.record) -> dict[str, list[str]]:
    """The cards of each hand."""
    return {f"hand {seat}": _names(state, seat) for seat in range(len(state["hands"]))}


def _names(state: np.record, seat: int) -> list[str]:
    return [cards.KIND_NAMES[kind] for kind in cards.kinds_of(*state["hands"][seat])]


def arrange(state: np.record, piles: Piles, seat: int) -> dict[str, Pile]:
    """Begin the game with these hands."""
    hands = [f"hand {owner}" for owner in range(len(state["hands"]))]
    pieces = sorted_out(piles, [*hands, "deck"], WHOLE)
    state["hands"][:] = 0
    state["num_ordered"] = 0
    rules.start_game(state, np.int64(seat))  # before there is a group that would be discarded
    for owner, name in enumerate(hands):
        for piece in pieces[name]:
            cards.add_card(state["hands"][owner], cards.KIND_NAMES.index(piece))
    deck = sorted(pieces[""] + pieces["deck"], key=cards.KIND_NAMES.index)
    return {"deck": Pile("deck", deck, parts=("deck", "left"))} | {
        name: Pile(
            f"hand of player {owner}",
            _names(state, owner),
            parts=(f"seat:{owner}",),
            faces=card_ids(state, owner),
        )
        for owner, name in enumerate(hands)
    }
