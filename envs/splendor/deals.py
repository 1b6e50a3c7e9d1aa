"""Deals of Splendor given as plain data, and what no position of it can be.

Whatever is wrong is a ValueError that says what it is.
"""

from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from ..core.given_cards import cards_dealt, check_once
from ..core.words import shortened
from .actions import GEM_LIMIT, NUM_SLOTS, SLOTS_PER_TIER
from .cards import (
    CARDS,
    COLOURS,
    FIRST_OF_TIER,
    GEM_COLOURS,
    NO_CARD,
    NO_NOBLE,
    NOBLE_POINTS,
    NOBLES,
    NUM_GEM_COLOURS,
    NUM_TIERS,
    TIER_SIZES,
    unpack,
)
from .rules import GEMS_OF_COLOUR, MAX_OF_COLOUR, YELLOW_GEMS, start_game

DEAL_FORM = '{"decks": [[card, ...], [card, ...], [card, ...]], "nobles": [need, ...]}'
_CARD_DATA = [[COLOURS[card.colour], card.points, list(card.cost)] for card in CARDS]
_NOBLE_DATA = [list(need) for need in NOBLES]


def deal_from(state: np.record, data: Any, rng: np.record) -> None:
    """Lay out a deal, `{"decks", "nobles"}`, the top card of each deck first.

    Raises ValueError for anything that is not a deal of all cards.
    """
    if not isinstance(data, dict) or set(data) != {"decks", "nobles"}:
        raise ValueError(f"a deal is {DEAL_FORM}; got {shortened(data)}")
    decks = cards_dealt(data["decks"], TIER_SIZES, _CARD_DATA)
    for tier, deck in enumerate(decks):
        _check_tier(deck, tier)
    (nobles,) = cards_dealt([data["nobles"]], [len(state.nobles)], _NOBLE_DATA, "noble")
    state["deck"] = [card for deck in decks for card in reversed(deck)]  # the next card last
    state["deck_left"] = TIER_SIZES
    state["nobles"] = nobles
    start_game(state)


def _check_tier(cards: Collection[int], tier: int) -> None:
    for card in cards:
        if CARDS[card].tier != tier:
            raise ValueError(
                f"the card {_CARD_DATA[card]} is of tier {CARDS[card].tier + 1}, not {tier + 1}"
            )


def check_position(state: np.record) -> None:
    """Raise ValueError unless all gems, cards and nobles of the game are there, each once."""
    _check_gems(state)
    owned = _cards_owned(state)
    nobles = [noble for noble in state.nobles.tolist() if noble != NO_NOBLE]
    received = [noble for won in state.won for noble in _bits(won)]
    check_once([*nobles, *received], _NOBLE_DATA)
    num_nobles = len(nobles) + len(received)
    if num_nobles != len(state.nobles):
        raise ValueError(f"{len(state.nobles)} nobles are in the game; here are {num_nobles}")
    numbers = _counts(state.cards)
    of_colour = [sum(CARDS[card].colour == c for card in owned) for c in range(NUM_GEM_COLOURS)]
    _check_fits(state, "cards", numbers.sum(axis=0), of_colour)
    if numbers.max() > MAX_OF_COLOUR:
        raise ValueError(f"a seat has {numbers.max()} cards of a colour; {MAX_OF_COLOUR} at most")
    points = sum(CARDS[card].points for card in owned) + NOBLE_POINTS * len(received)
    _check_fits(state, "points", state.points.sum(), points)
    takeable = [slot for slot in _bits(state.choice) if state.nobles[slot] != NO_NOBLE]
    _check_fits(state, "choice", _bits(state.choice), takeable)


def _check_gems(state: np.record) -> None:
    """All gems are in the bank or held, and no seat holds more than ten."""
    num_seats, gems = len(state.gems), _counts(state.gems)
    there = gems.sum(axis=0) + _counts([state.bank])[0]
    for name, number in zip(GEM_COLOURS, there.tolist(), strict=True):
        whole = YELLOW_GEMS if name == "yellow" else GEMS_OF_COLOUR[num_seats]
        if number != whole:
            raise ValueError(f"{num_seats} players have {whole} {name} gems; here are {number}")
    for seat, number in enumerate(gems.sum(axis=1)):
        if number > GEM_LIMIT:
            raise ValueError(f"seat {seat} holds {number} gems; {GEM_LIMIT} is the limit")


def _cards_owned(state: np.record) -> set[int]:
    """Check the cards in the decks, on the table and reserved; return all others."""
    lying: list[int] = []
    rows = state.table.reshape(NUM_TIERS, SLOTS_PER_TIER).tolist()
    for tier, first in enumerate(FIRST_OF_TIER[:NUM_TIERS]):
        left, row = state.deck_left[tier], [card for card in rows[tier] if card != NO_CARD]
        deck = state.deck[first : first + left].tolist()
        _check_tier([*deck, *row], tier)
        lying += [*deck, *row]
        in_deck = sorted(card - first for card in deck)
        _check_fits(state, "unseen", _bits(state.unseen[tier]), in_deck)
        _check_fits(state, "deck_left", left, len(deck))
        num_gaps = rows[tier].count(NO_CARD) - (state.gap // SLOTS_PER_TIER == tier)
        if num_gaps > 0 and left:
            raise ValueError(f"a slot of tier {tier + 1} is empty, but its deck has {left} cards")
    is_there = [card != NO_CARD for card in state.table]
    filled = [slot for slot in range(NUM_SLOTS) if is_there[slot] != (slot == state.gap)]
    _check_fits(state, "face_up", _bits(state.face_up), filled)
    for places, number in zip(state.reserved.tolist(), state.num_reserved, strict=True):
        reserved = [card for card in places if card != NO_CARD]
        lying += reserved
        _check_fits(state, "num_reserved", places[:number], reserved)
    check_once(lying, _CARD_DATA)
    return set(range(len(CARDS))).difference(lying)


def _check_fits(state: np.record, name: str, actual: Any, expected: Any) -> None:
    if not np.array_equal(actual, expected):
        raise ValueError(f"{name!r} does not fit the cards: {state[name].tolist()}")


def _counts(words: Iterable[int]) -> np.ndarray:
    """The numbers in some words, by colour: [words, colours]."""
    return np.array([unpack(word) for word in words])


def _bits(word: Any) -> list[int]:
    return [bit for bit in range(int(word).bit_length()) if int(word) >> bit & 1]
