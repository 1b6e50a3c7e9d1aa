"""Notty in words: names of cards and actions, a position as text, a deal as plain data."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.game import NO_ACTION, NO_SEAT, check_range
from ..core.given_cards import card_indices
from ..core.words import count_noun, shortened
from . import cards, rules

DEAL_FORM = '{"hands": [["red 3", ...], ...], "deck": ["blue 10", ...], "seat_to_act": 0}'
INKS = ("#c2242f", "#2c6a8c", "#2a7247", "#7d5c00")  # one per colour
ICONS = dict(zip(cards.COLOURS, zip("\u25cf\u25a0\u25b2\u25c6", INKS, strict=True), strict=True))
PHASE_NAMES = {
    rules.NOTHING_YET: "begins a turn",
    rules.HAS_DRAWN: "has drawn",
    rules.HAS_TAKEN: "has taken",
    rules.HAS_BOTH: "has drawn and taken",
}


def group_name(group: Sequence[int]) -> str:
    """`red 3-6` for a run, `7 red blue green` for a set; the group as its kinds, ascending."""
    first, last = group[0], group[-1]
    if tuple(group) in cards.RUNS:
        return f"{cards.KIND_NAMES[first]}-{last % cards.NUM_NUMBERS + 1}"
    colours = " ".join(cards.COLOURS[kind // cards.NUM_NUMBERS] for kind in group)
    return f"{first % cards.NUM_NUMBERS + 1} {colours}"


_MOVE_NAMES = ("pass", *(f"draw:{count}" for count in range(1, rules.MAX_DRAWN + 1)))
_DISCARD_NAMES = tuple(f"discard:{group_name(group)}" for group in cards.GROUPS)


def action_names(num_seats: int, discard: str) -> tuple[str, ...]:
    """The names of all actions, by index."""
    takes = (f"take:+{places}" for places in range(1, num_seats))
    return (*_MOVE_NAMES, *takes, *(_DISCARD_NAMES if discard == "manual" else ()))


def label_action(state: np.record, action: int) -> str:
    """What people call an action: "draw 2 cards", "discard red 3, 4, 5"."""
    num_seats = len(state["hands"])
    if action == 0:
        return "pass" if state["phase"] == rules.NOTHING_YET else "end the turn"
    if action <= rules.MAX_DRAWN:
        return f"draw {count_noun(action, 'card')}"
    if action < rules.first_discard(num_seats):
        seat = (int(state["seat_to_act"]) + action - rules.MAX_DRAWN) % num_seats
        return f"take a card from player {seat}"
    return f"discard {cards_text(cards.GROUPS[action - rules.first_discard(num_seats)])}"


def score(state: np.record, seat: int) -> str:
    """The cards that a seat still holds."""
    return f"{count_noun(len(cards.kinds_of(*state['hands'][seat])), 'card')} left"


# A deal as plain data


def deal_from(state: np.record, data: Any, rng: np.record) -> None:
    """Lay out `{"hands": [["red 3", ...], ...], "deck": [top first], "seat_to_act": seat}`.

    Without "deck" the deck is shuffled; without "seat_to_act" the house rule decides who begins. An
    impossible deal raises a ValueError that says what is wrong.
    """
    is_deal = isinstance(data, dict) and {"hands"} <= set(data) <= {"hands", "deck", "seat_to_act"}
    if not is_deal:
        raise ValueError(f"a deal is {DEAL_FORM}; got {shortened(data)}")
    hands = _parse_hands(data["hands"], len(state["hands"]), int(state["hand_limit"]))
    deck = _parse_deck(data["deck"], hands) if "deck" in data else []
    seat = data.get("seat_to_act", None)
    if seat is not None:
        check_range("seat_to_act", seat, 0, len(hands) - 1)
    for words, hand in zip(state["hands"], hands, strict=True):
        words[:] = 0
        for kind in hand:
            cards.add_card(words, kind)
    state["num_ordered"] = len(deck)
    state["deck_order"][: len(deck)] = deck[::-1]
    rules.start_game(state, rules.first_seat(state, rng) if seat is None else np.int64(seat))


def _parse_hands(hands: Any, num_seats: int, hand_limit: int) -> list[list[int]]:
    """The kinds of each hand."""
    if not isinstance(hands, list | tuple) or len(hands) != num_seats:
        raise ValueError(f"a deal needs {num_seats} hands, lists of cards; got {shortened(hands)}")
    parsed = [card_indices(hand, cards.KIND_NAMES) for hand in hands]
    for hand in parsed:
        if not 1 <= len(hand) <= hand_limit:
            raise ValueError(f"a hand has 1 .. {hand_limit} cards; got one of {len(hand)}")
    for kind, count in Counter(kind for hand in parsed for kind in hand).items():
        if count > cards.NUM_COPIES:
            raise ValueError(f"there are two cards {cards.KIND_NAMES[kind]}; the deal has {count}")
    return parsed


def _parse_deck(deck: Any, hands: Sequence[Sequence[int]]) -> list[int]:
    """The kinds of the deck, top first: all cards that nobody holds."""
    parsed = card_indices(deck, cards.KIND_NAMES)
    counts = Counter(kind for hand in hands for kind in hand)
    for kind, name in enumerate(cards.KIND_NAMES):
        listed, left = parsed.count(kind), cards.NUM_COPIES - counts[kind]
        if listed != left:
            raise ValueError(
                f"a deck is all cards that nobody holds: {left} of {name}, not {listed}"
            )
    return parsed


def check_position(state: np.record) -> None:
    """Raise ValueError for hands that no game has."""
    once, limit = [0] * cards.NUM_KINDS, int(state["hand_limit"])
    for seat, hand in enumerate(state["hands"]):
        if int(hand[1]) & ~int(hand[0]):
            raise ValueError(f"hand {seat} has a second card of a kind without the first")
        kinds = cards.kinds_of(*hand)
        if len(kinds) > limit or not (kinds or state["winner"] == seat):
            raise ValueError(f"player {seat} has 1 to {limit} cards, not {len(kinds)}")
        for kind in kinds:
            once[kind] += 1
    for name, number in zip(cards.KIND_NAMES, once, strict=True):
        if number > cards.NUM_COPIES:
            raise ValueError(f"there are two cards {name}, not {number}")
    is_resting = state["pending"] == NO_ACTION and not rules.is_terminal(state)
    actor = int(state["seat_to_act"])
    if (
        is_resting
        and state["discard"] == rules.OPTIMAL
        and cards.has_group(state["hands"][actor, 0])
    ):
        raise ValueError(f"player {actor} has a group, which is discarded before the turn")


# A position as text


def describe(state: np.record, seat: int | None = None) -> str:
    """A position as text; every seat may see everything but the order of the deck."""
    lines = [headline(state)]
    lines += [_seat_line(state, other, seat) for other in range(len(state["hands"]))]
    deck = cards.kinds_of(*cards.deck_words(state["hands"]))
    return "\n".join([*lines, f"  deck [{len(deck):2}] {cards_text(deck)}".rstrip()])


def headline(state: np.record) -> str:
    """The number of the turn, and who has to do what."""
    num_turns = int(state["turn_limit"]) * len(state["hands"])
    turn = f"turn {min(int(state['turns_played']) + 1, num_turns)} of {num_turns}"
    if state["winner"] != NO_SEAT:
        return f"{turn}: player {state['winner']} has won"
    if rules.is_terminal(state):
        return f"{turn}: a draw"
    return f"{turn}: player {state['seat_to_act']} {PHASE_NAMES[int(state['phase'])]}"


def cards_text(kinds: Sequence[int]) -> str:
    """Cards by colour: `red 1 2 2, blue 7`."""
    by_colour: dict[str, list[str]] = {}
    for kind in sorted(kinds):
        colour, number = cards.KIND_NAMES[kind].split()
        by_colour.setdefault(colour, []).append(number)
    return ", ".join(" ".join([colour, *numbers]) for colour, numbers in by_colour.items())


def last_action_text(state: np.record, seat: int) -> str:
    """What a seat did last, with the cards that it moved; empty where it has not acted."""
    action = int(state["last_actions"][seat])
    num_seats = len(state["hands"])
    if action == NO_ACTION:
        return ""
    moved = cards_text([int(kind) for kind in state["last_cards"][seat] if kind != rules.NO_CARD])
    if action == 0:
        return "passed"
    if action <= rules.MAX_DRAWN:
        return f"drew {moved or count_noun(action, 'card')}"
    if action < rules.first_discard(num_seats):
        giver = (seat + action - rules.MAX_DRAWN) % num_seats
        return f"took {moved or 'a card'} from player {giver}"
    return f"discarded {cards_text(cards.GROUPS[action - rules.first_discard(num_seats)])}"


def _seat_line(state: np.record, owner: int, seat: int | None) -> str:
    kinds = cards.kinds_of(*state["hands"][owner])
    turn = ">" if owner == state["seat_to_act"] and not rules.is_terminal(state) else " "
    name = f"player {owner}{' (you)' if owner == seat else ''}"
    last = last_action_text(state, owner)
    return (
        f"{turn} {name} [{len(kinds):2}] {cards_text(kinds)}{f'   {last}' if last else ''}".rstrip()
    )
