"""How seats choose in the comparison with the referee, so that rare positions come up, too.

A style is a function of the referee, its legal actions and a generator of random numbers.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.splendor.referee import (
    COLOURS,
    Action,
    Buy,
    BuyReserved,
    Card,
    Collect,
    Referee,
    Reserve,
)

Style = Callable[[Referee, list[Action], random.Random], Action]


def at_random(referee: Referee, actions: list[Action], rng: random.Random) -> Action:
    """Any legal action, all alike."""
    return rng.choice(actions)


def by_kind(referee: Referee, actions: list[Action], rng: random.Random) -> Action:
    """First any kind of action, then any action of it: buys and reserves as often as the rest."""
    kind = rng.choice(sorted({type(action).__name__ for action in actions}))
    return rng.choice([action for action in actions if type(action).__name__ == kind])


def buying(referee: Referee, actions: list[Action], rng: random.Random) -> Action:
    """A buy where there is one, of the card that the nobles need and that gives most points."""
    buys = [action for action in actions if isinstance(action, Buy | BuyReserved)]
    if not buys or rng.random() < 0.05:
        return rng.choice(actions)
    return max(buys, key=lambda action: worth(referee, card_bought(referee, action)))


def hoarding(referee: Referee, actions: list[Action], rng: random.Random) -> Action:
    """Gems and reserves first: ten gems, an empty bank and seats that have to pass."""
    others = [action for action in actions if isinstance(action, Collect | Reserve)]
    return rng.choice(others if others and rng.random() < 0.95 else actions)


STYLES: tuple[Style, ...] = (at_random, by_kind, buying, hoarding)


def card_bought(referee: Referee, action: Buy | BuyReserved) -> Card:
    """The card that this action buys."""
    if isinstance(action, BuyReserved):
        return referee.seats[referee.turn].reserved[action.slot]
    card = referee.table[action.tier][action.slot]
    assert card is not None
    return card


def worth(referee: Referee, card: Card) -> float:
    """Points, and a little for every noble that still needs the colour."""
    seat = referee.seats[referee.turn]
    index = COLOURS.index(card.colour)
    owned = seat.cards_of(card.colour)
    needing = sum(need is not None and need[index] > owned for need in referee.nobles)
    return card.points + 0.5 * needing
