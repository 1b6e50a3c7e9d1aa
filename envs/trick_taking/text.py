"""Trick-taking in words: names of cards and actions, a position as text, a deal as plain data."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.game import NO_SEAT
from ..core.words import count_noun, is_index
from .rules import NO_CARD, is_terminal, start_game

SUITS = ("spades", "hearts", "clubs", "diamonds")  # by colour
INKS = ("#2c6a8c", "#c2242f", "#2a7247", "#7a4a9c")
ICONS = dict(zip(SUITS, zip("\u2660\u2665\u2663\u2666", INKS, strict=True), strict=True))

_ACTION = re.compile(r"card:(\d+)\.(\d+)")


def action_name(num_seats: int, num_values: int, action: int) -> str:
    """`card:COLOUR.VALUE`. Raises ValueError."""
    if not 0 <= action < num_seats * num_values:
        raise ValueError(f"the cards are 0 .. {num_seats * num_values - 1}, not {action}")
    return f"card:{card_name(num_values, action)}"


def parse_action(num_seats: int, num_values: int, name: str) -> int:
    """The inverse of `action_name`. Raises ValueError."""
    match = _ACTION.fullmatch(name)
    colour, value = map(int, match.groups()) if match else (num_seats, num_values)
    if colour >= num_seats or value >= num_values:
        raise ValueError(
            f"no action is called {name!r}; actions are card:COLOUR.VALUE such as card:1.0, "
            f"with colours 0 .. {num_seats - 1} and values 0 .. {num_values - 1}"
        )
    return colour * num_values + value


def card_name(num_values: int, card: int) -> str:
    """`COLOUR.VALUE`."""
    return f"{card // num_values}.{card % num_values}"


def label_action(state: np.record, action: int) -> str:
    """What people call a card: "5 of spades"."""
    return card_label(state["dealt"].shape[1], action)


def card_label(num_values: int, card: int) -> str:
    """What people call a card: "5 of spades"."""
    return f"{card % num_values} of {SUITS[card // num_values]}"


def score(state: np.record, seat: int) -> str:
    """The tricks that a seat has won."""
    return count_noun(int(state["tricks_won"][seat]), "trick")


def deal_from(state: np.record, data: dict[str, Any], rng: np.record) -> None:
    """Lay out `{"hands": [[card index, ...], ...], "leader": seat}`, each hand in its order.

    Without "leader" the house rule says who leads. An impossible deal raises a ValueError that says
    what is wrong.
    """
    if not isinstance(data, dict) or not {"hands"} <= set(data) <= {"hands", "leader"}:
        raise ValueError('a deal is {"hands": [[card index, ...], ...], "leader": seat}')
    num_seats, num_values = state["dealt"].shape
    _check_hands(data["hands"], num_seats, num_values)
    leader = data.get("leader", int(state["first_leader"]))
    if not is_index(leader, num_seats):
        raise ValueError(f"the leader must be a seat 0 .. {num_seats - 1}; got {leader!r}")
    state["dealt"][:] = data["hands"]
    start_game(state, np.int8(leader))


def _check_hands(hands: Any, num_seats: int, num_values: int) -> None:
    num_cards = num_seats * num_values
    is_list_of_hands = isinstance(hands, Sequence) and all(isinstance(h, Sequence) for h in hands)
    if not is_list_of_hands or [len(hand) for hand in hands] != [num_values] * num_seats:
        raise ValueError(f"a deal needs {num_seats} hands of {num_values} cards; got {hands!r}")
    cards = [card for hand in hands for card in hand]
    for card in cards:
        if not is_index(card, num_cards):
            raise ValueError(f"a card is an index 0 .. {num_cards - 1}; got {card!r}")
        if cards.count(card) > 1:
            raise ValueError(f"the card {card} ({card_name(num_values, card)}) is dealt twice")


def describe(state: np.record, seat: int | None = None) -> str:
    """A position as text, with all hands (seat None) or only what `seat` may see.

    With two seats both hands are known to both. The order of the cards is that of the colours, so
    it tells nothing of the order dealt.
    """
    lines = [headline(state)]
    lines += [_seat_line(state, other, seat) for other in range(len(state["hands"]))]
    return "\n".join(lines)


def is_known(state: np.record, owner: int, seat: int | None) -> bool:
    """Whether `seat` knows the hand of `owner`; with two seats it always does.

    None stands for everybody, NO_SEAT for those who only watch.
    """
    return seat in (None, owner) or (len(state["hands"]) == 2 and seat != NO_SEAT)


def is_of_this_or_last_trick(state: np.record, owner: int) -> bool:
    """Whether the last card of a seat lies on the table, or did until nothing new was led."""
    card, num_values = int(state["last_cards"][owner]), state["dealt"].shape[1]
    is_on_table = int(state["table"][card // num_values]) >> card % num_values & 1 == 1
    return card != NO_CARD and (is_on_table or not state["table"].any())


def headline(state: np.record, called: Callable[[int, int], str] = card_name) -> str:
    """Which trick it is and what is asked for; `called` names cards, as `card_label` for people."""
    num_values = state["dealt"].shape[1]
    trick = f"trick {min(num_values - state['tricks_left'] + 1, num_values)} of {num_values}"
    if is_terminal(state):
        return f"{trick}: over"
    if state["seat_to_act"] == state["leader"]:
        return f"{trick}: player {state['leader']} leads"
    led = called(num_values, int(state["last_cards"][state["leader"]]))
    return f"{trick}: player {state['seat_to_act']} to follow {led} of player {state['leader']}"


def _seat_line(state: np.record, owner: int, seat: int | None) -> str:
    num_values = state["dealt"].shape[1]
    is_open = is_known(state, owner, seat)
    cards = " ".join(
        card_name(num_values, card) if is_open else "?" for card in held_cards(state, owner)
    )
    turn = ">" if owner == state["seat_to_act"] and not is_terminal(state) else " "
    last = int(state["last_cards"][owner])
    played = f"  played {card_name(num_values, last)}" if last != NO_CARD else ""
    name = f"player {owner}{' (you)' if owner == seat else ''}"
    return f"{turn} {name} [{int(state['tricks_won'][owner]):2} won] {cards}{played}".rstrip()


def held_cards(state: np.record, seat: int) -> list[int]:
    """The cards of a hand by colour and value, as indices."""
    num_seats, num_values = state["dealt"].shape
    words = [int(word) for word in state["hands"][seat]]
    return [
        colour * num_values + value
        for colour in range(num_seats)
        for value in range(num_values)
        if words[colour] >> value & 1
    ]
