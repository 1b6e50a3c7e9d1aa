"""Deals of Splendor given as plain data, and what no position of it can be.

Whatever is wrong is a ValueError that says what it is.
"""

from collections.abc import Collection
from typing import Any

import numpy as np

from ..core.given_cards import cards_dealt, check_once
from ..core.words import shortened
from .actions import GEM_LIMIT, SLOTS_PER_TIER
from .cards import (
    CARDS,
    COLOUR_BITS,
    COLOURS,
    FIRST_OF_TIER,
    GEM_COLOURS,
    NO_CARD,
    NO_NOBLE,
    NOBLE_POINTS,
    NOBLES,
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
    _check_cards(state)
    nobles = [noble for noble in state.nobles.tolist() if noble != NO_NOBLE]
    nobles += [noble for won in state.won.tolist() for noble in _bits(won)]
    check_once(nobles, _NOBLE_DATA)
    if len(nobles) != len(state.nobles):
        raise ValueError(f"{len(state.nobles)} nobles are in the game; here are {len(nobles)}")
    if any(state.nobles[slot] == NO_NOBLE for slot in _bits(state.choice)):
        raise ValueError("no noble can be chosen from an empty slot")


def _check_gems(state: np.record) -> None:
    """All gems are in the bank or held, and no seat holds more than ten."""
    num_seats = len(state.gems)
    for colour, name in enumerate(GEM_COLOURS):
        words = [int(word) >> COLOUR_BITS * colour & 0xFF for word in (state.bank, *state.gems)]
        whole = YELLOW_GEMS if name == "yellow" else GEMS_OF_COLOUR[num_seats]
        if sum(words) != whole:
            raise ValueError(f"{num_seats} players have {whole} {name} gems; here are {sum(words)}")
    for seat, gems in enumerate(state.gems):
        if sum(unpack(gems)) > GEM_LIMIT:
            raise ValueError(
                f"seat {seat} holds {sum(unpack(gems))} gems; {GEM_LIMIT} is the limit"
            )


def _check_cards(state: np.record) -> None:
    """Each card is in its deck, on the table, reserved or owned."""
    lying: list[int] = []
    for tier, first in enumerate(FIRST_OF_TIER[:NUM_TIERS]):
        deck = state.deck[first : first + state.deck_left[tier]].tolist()
        slots = state.table[tier * SLOTS_PER_TIER :][:SLOTS_PER_TIER].tolist()
        cards = [*deck, *(card for card in slots if card != NO_CARD)]
        _check_tier(cards, tier)
        lying += cards
        if len(deck) != state.deck_left[tier] or set(_bits(state.unseen[tier])) != {
            card - first for card in deck
        }:
            raise ValueError(f"'deck', 'deck_left' and 'unseen' differ in tier {tier + 1}")
    _check_slots(state)
    for seat, places in enumerate(state.reserved.tolist()):
        reserved = [card for card in places if card != NO_CARD]
        lying += reserved
        if len(reserved) != state.num_reserved[seat] or NO_CARD in places[: len(reserved)]:
            raise ValueError(f"'num_reserved' of seat {seat} does not fit its reserved cards")
    check_once(lying, _CARD_DATA)
    _check_owned(state, set(range(len(CARDS))).difference(lying))


def _check_slots(state: np.record) -> None:
    """A slot is empty where its deck is, or until the end of the turn."""
    for slot, card in enumerate(state.table.tolist()):
        tier, place = divmod(slot, SLOTS_PER_TIER)
        is_gap = slot == state.gap
        if (slot in _bits(state.face_up)) != ((card != NO_CARD) != is_gap):
            raise ValueError(f"'face_up' and 'gap' do not fit slot {tier + 1}.{place} of 'table'")
        if card == NO_CARD and state.deck_left[tier] and not is_gap:
            raise ValueError(
                f"slot {tier + 1}.{place} is empty, but its deck has {state.deck_left[tier]} cards"
            )


def _check_owned(state: np.record, owned: Collection[int]) -> None:
    """The seats own, by colour and in points, the cards that lie nowhere."""
    for colour, name in enumerate(COLOURS):
        numbers = [int(word) >> COLOUR_BITS * colour & 0xFF for word in state.cards]
        number = sum(CARDS[card].colour == colour for card in owned)
        if sum(numbers) != number:
            raise ValueError(f"the seats own {sum(numbers)} {name} cards; {number} lie nowhere")
        if max(numbers) > MAX_OF_COLOUR:
            raise ValueError(
                f"a seat has {max(numbers)} {name} cards; {MAX_OF_COLOUR} is the limit"
            )
    points = sum(CARDS[card].points for card in owned)
    points += NOBLE_POINTS * sum(len(_bits(won)) for won in state.won)
    if points != state.points.sum():
        raise ValueError(f"all cards and nobles owned have {points} points, not 'points'")


def _bits(word: Any) -> list[int]:
    return [bit for bit in range(int(word).bit_length()) if int(word) >> bit & 1]
