"""Trick-taking in words: names of cards and actions, a position as text, a deal as plain data."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.game import NO_SEAT, check_range
from ..core.given_cards import cards_dealt, check_once
from ..core.words import count_noun
from .rules import NO_CARD, is_terminal, start_game

SUITS = ("spades", "hearts", "clubs", "diamonds")  # by colour
INKS = ("#2c6a8c", "#c2242f", "#2a7247", "#7a4a9c")
ICONS = dict(zip(SUITS, zip("\u2660\u2665\u2663\u2666", INKS, strict=True), strict=True))


def action_names(num_seats: int, num_values: int) -> tuple[str, ...]:
    """The names of all actions, `card:COLOUR.VALUE`."""
    return tuple(f"card:{card_name(num_values, card)}" for card in range(num_seats * num_values))


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
    sizes = [num_values] * num_seats
    hands = cards_dealt(data["hands"], sizes, range(num_seats * num_values))
    leader = data.get("leader", int(state["first_leader"]))
    check_range("leader", leader, 0, num_seats - 1)
    state["dealt"][:] = hands
    start_game(state, np.int8(leader))


def check_position(state: np.record) -> None:
    """Raise ValueError for hands, a trick or numbers of tricks that no game has."""
    num_seats, num_values = state["dealt"].shape
    if is_terminal(state):
        return
    if state["tricks_won"].sum() + state["tricks_left"] != num_values:
        raise ValueError(f"the tricks taken and those left are {num_values}")
    leader = int(state["leader"])
    num_played = (int(state["seat_to_act"]) - leader) % num_seats
    for step in range(num_seats):
        seat, is_in = (leader + step) % num_seats, step < num_played
        left, hand = int(state["tricks_left"]) - is_in, held_cards(state, seat)
        if len(hand) != left:
            raise ValueError(f"player {seat} has {left} cards before its turn, not {len(hand)}")
        last = int(state["last_cards"][seat])
        if is_in != (last != NO_CARD and is_on_table(state, last)):
            raise ValueError(
                f"player {leader} leads, and the others play in order until it is the turn of "
                f"player {state['seat_to_act']}"
            )
        colours = [
            sum(
                1 << card % num_values
                for card in state["dealt"][seat].tolist()
                if card // num_values == c
            )
            for c in range(num_seats)
        ]
        if colours != (state["hands"][seat] | state["played"][seat]).tolist():
            raise ValueError(f"player {seat} was not dealt what it has played and holds")
    names = [card_label(num_values, card) for card in range(num_seats * num_values)]
    check_once(state["dealt"].ravel().tolist(), names)


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
    """Whether a seat's last card is of the trick on the table or, before a lead, of the last."""
    card = int(state["last_cards"][owner])
    return card != NO_CARD and (is_on_table(state, card) or not state["table"].any())


def is_on_table(state: np.record, card: int) -> bool:
    """Whether a card lies in the trick on the table."""
    colour, value = divmod(card, state["dealt"].shape[1])
    return int(state["table"][colour]) >> value & 1 == 1


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
