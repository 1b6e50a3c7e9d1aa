"""Cards of a deal given as plain data, found among those of the game."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .words import shortened


def cards_dealt(
    given: Any, sizes: Sequence[int], known: Sequence[Any], what: str = "card"
) -> list[list[int]]:
    """Return the places of the cards of each hand or deck among the `known` ones.

    Raises ValueError unless the hands have these sizes and no card is there twice.
    """
    hands = given if isinstance(given, list | tuple) else [None]
    lengths = [len(hand) if isinstance(hand, list | tuple) else None for hand in hands]
    if lengths != list(sizes):
        got = shortened(given) if None in lengths else f"lists of {_numbers(lengths)}"
        raise ValueError(f"a deal needs lists of {_numbers(sizes)} {what}s; got {got}")
    dealt = [card_indices(hand, known, what) for hand in hands]
    check_once([card for hand in dealt for card in hand], known)
    return dealt


def card_indices(given: Any, known: Sequence[Any], what: str = "card") -> list[int]:
    """Return the places of some cards among the `known` ones. ValueError where one is unknown."""
    if not isinstance(given, list | tuple):
        raise ValueError(f"{what}s are given as a list; got {shortened(given)}")
    cards = [_as_lists(card) for card in given]
    for card in cards:
        if card not in known or isinstance(card, bool | float):
            some = f"{known[0]}, {known[1]}, ..., {known[-1]}"
            raise ValueError(f"there is no {what} {shortened(card)}; {what}s are {some}")
    return [known.index(card) for card in cards]


def check_once(cards: Sequence[int], known: Sequence[Any]) -> None:
    """Raise ValueError where something is there twice."""
    for card in cards:
        if cards.count(card) > 1:
            raise ValueError(f"{known[card]} is there {cards.count(card)} times")


def _numbers(sizes: Sequence[Any]) -> str:
    return ", ".join(map(str, sizes)) or "no"


def _as_lists(data: Any) -> Any:
    is_list = isinstance(data, list | tuple | np.ndarray)
    return [_as_lists(part) for part in data] if is_list else data
