"""Small tools of the Top Trumps tests: a table on a stacked deal, played by the names of fields."""

from typing import Any

import numpy as np

from parlour.envs.registry import load_game
from tests.one_table import OneTable

NUM_CARDS, NUM_FIELDS = 6, 2
# Field0 rises with the index, Field1 is the same for pairs.
CARDS = [[10, 1], [20, 1], [30, 2], [40, 2], [50, 3], [60, 3]]


class Table(OneTable):
    """One table with six cards of two fields; each hand is given from the top down."""

    def __init__(
        self,
        hands: list[list[int]],
        cards: list[list[int]] | None = None,
        starter: int = 0,
        **settings: Any,
    ) -> None:
        settings = {"num_cards": NUM_CARDS, "num_fields": NUM_FIELDS, **settings}
        deal = {"cards": cards or CARDS, "hands": hands, "starter": starter}
        super().__init__(load_game("top_trumps", **settings), deal)

    def deck(self, seat: int) -> list[int]:
        return deck_of(self.state, seat)

    @property
    def pile(self) -> list[int]:
        return self.state["pile"][: self.state["pile_size"]].tolist()

    def own(self, seat: int) -> list[set[int]]:
        """What a seat can tell of its own deck, place by place."""
        view = self.observed(seat)
        return [members(words) for words in view["own_slots"][: view["deck_sizes"][0]]]

    def other(self, seat: int) -> list[set[int]]:
        """What a seat can tell of the other deck, place by place."""
        view = self.observed(seat)
        return [members(words) for words in view["opponent_slots"][: view["deck_sizes"][1]]]


def deck_of(state: np.record, seat: int) -> list[int]:
    """The true order of a deck, from the top down."""
    ring = np.roll(state["decks"][seat], -int(state["heads"][seat]))
    return ring[: state["deck_sizes"][seat]].tolist()


def members(words: np.ndarray) -> set[int]:
    """A set of cards from its words."""
    return {
        64 * index + bit for index, word in enumerate(words) for bit in range(64) if word >> bit & 1
    }
