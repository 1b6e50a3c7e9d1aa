"""Positions of Top Trumps laid out by hand: the deck of each seat from its top, and the draw pile.

No card has been played yet. Cards that are nowhere yet lie in the box.
"""

import numpy as np

from ..core.arranging import Pile, Piles, sorted_out
from . import rules
from .text import Names, card_name


def lay_out(names: Names, state: np.record) -> dict[str, list[str]]:
    """The cards of each deck from the top, and those of the draw pile."""
    decks = {
        f"deck {seat}": [
            int(state["decks"][seat, rules.place_at(state, seat, depth)])
            for depth in range(state["deck_sizes"][seat])
        ]
        for seat in range(rules.NUM_SEATS)
    }
    decks["pile"] = state["pile"][: state["pile_size"]].tolist()
    return {
        pile: [card_name(names, state, card) for card in cards] for pile, cards in decks.items()
    }


def arrange(names: Names, state: np.record, piles: Piles, seat: int) -> dict[str, Pile]:
    """Begin with these decks."""
    whole = [card_name(names, state, card) for card in range(len(state["pile"]))]
    decks = [f"deck {owner}" for owner in range(rules.NUM_SEATS)]
    pieces = sorted_out(piles, [*decks, "pile", "box"], whole)
    rules.start_game(state, np.int64(seat))
    box = sorted(pieces[""] + pieces["box"], key=whole.index)
    shown = {"box": Pile("not dealt yet", box)}
    for owner, deck in enumerate(decks):
        cards = [whole.index(piece) for piece in pieces[deck]]
        state["decks"][owner, : len(cards)] = cards
        rules.take_up_hand(state, owner, len(cards))
        faces = [f"card:{card}" for card in cards[:1]]
        parts = (f"seat:{owner}",)
        shown[deck] = Pile(f"deck of player {owner}, top first", pieces[deck], "card", parts, faces)
    state["pile"][: len(pieces["pile"])] = [whole.index(piece) for piece in pieces["pile"]]
    state["pile_size"] = len(pieces["pile"])
    shown["pile"] = Pile("draw pile", pieces["pile"], parts=("last trick",))
    return shown
