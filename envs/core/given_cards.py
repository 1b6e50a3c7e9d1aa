"""Cards of a deal given as plain data, found among those of the game."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .words import shortened


def cards_dealt(
    data: Any, sizes: Sequence[int], deck: Sequence[Any], noun: str = "card"
) -> list[list[int]]:
    """Return the places of the cards of each hand or deck in the deck.

    Raises ValueError unless the hands have these sizes and no card is there twice.
    """
    hands = data if isinstance(data, list | tuple) else [None]
    lengths = [len(hand) if isinstance(hand, list | tuple) else None for hand in hands]
    if lengths != list(sizes):
        got = shortened(data) if None in lengths else f"lists of {_numbers(lengths)}"
        raise ValueError(f"a deal needs lists of {_numbers(sizes)} {noun}s; got {got}")
    dealt = [card_indices(hand, deck, noun) for hand in hands]
    check_once([card for hand in dealt for card in hand], deck)
    return dealt


def card_indices(data: Any, deck: Sequence[Any], noun: str = "card") -> list[int]:
    """Return the places of some cards in the deck. ValueError where one is unknown."""
    if not isinstance(data, list | tuple):
        raise ValueError(f"{noun}s are given as a list; got {shortened(data)}")
    cards = [_as_lists(card) for card in data]
    for card in cards:
        if card not in deck or isinstance(card, bool | float):
            some = f"{deck[0]}, {deck[1]}, ..., {deck[-1]}"
            raise ValueError(f"there is no {noun} {shortened(card)}; {noun}s are {some}")
    return [deck.index(card) for card in cards]


def check_once(cards: Sequence[int], deck: Sequence[Any]) -> None:
    """Raise ValueError where something is there twice."""
    for card in cards:
        if cards.count(card) > 1:
            raise ValueError(f"{deck[card]} is there {cards.count(card)} times")


def _numbers(sizes: Sequence[Any]) -> str:
    return ", ".join(map(str, sizes)) or "no"


def _as_lists(data: Any) -> Any:
    is_list = isinstance(data, list | tuple | np.ndarray)
    return [_as_lists(part) for part in data] if is_list else data
