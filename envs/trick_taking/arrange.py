"""Positions of trick-taking laid out by hand: hands, the trick as it lies, and the tricks taken.

Of the tricks of a seat each has a card of every seat, in the order of the seats. Cards that are
nowhere yet lie in the box.
"""

import numpy as np

from ..core.arranging import Pile, Piles, sorted_out
from . import rules
from .draw import played_part
from .text import card_label, card_name, held_cards, is_on_table


def lay_out(state: np.record) -> dict[str, list[str]]:
    """The cards of each hand, of the trick, and of the tricks of each seat, as far as known."""
    num_seats, num_values = state["dealt"].shape
    seats = range(num_seats)
    earlier = [
        [card for card in _cards(state["played"][seat], num_values) if not is_on_table(state, card)]
        for seat in seats
    ]
    piles: dict[str, list[int]] = {f"taken {seat}": [] for seat in seats}
    for seat in seats:
        for _ in range(state["tricks_won"][seat]):
            piles[f"taken {seat}"] += [cards.pop(0) for cards in earlier]
        piles[f"hand {seat}"] = held_cards(state, seat)
        last = int(state["last_cards"][seat])
        is_in_trick = last != rules.NO_CARD and is_on_table(state, last)
        piles[f"trick {seat}"] = [last] if is_in_trick else []
    return {name: [card_label(num_values, card) for card in cards] for name, cards in piles.items()}


def _cards(words: np.ndarray, num_values: int) -> list[int]:
    """The cards of a word for each colour."""
    colours = range(len(words))
    return [c * num_values + v for c in colours for v in range(num_values) if words[c] >> v & 1]


def arrange(state: np.record, piles: Piles, seat: int) -> dict[str, Pile]:
    """Go on in the middle of a game; the trick was led by the first of the seats that are in it."""
    num_seats, num_values = state["dealt"].shape
    seats = range(num_seats)
    whole = [card_label(num_values, card) for card in range(num_seats * num_values)]
    names = [f"{noun} {owner}" for owner in seats for noun in ("hand", "trick", "taken")]
    pieces = sorted_out(piles, [*names, "box"], whole)
    cards = {name: [whole.index(piece) for piece in pieces[name]] for name in names}
    if any(len(cards[f"trick {owner}"]) > 1 for owner in seats):
        raise ValueError("each seat has one card in the trick")
    taken = [card for owner in seats for card in cards[f"taken {owner}"]]
    for owner in seats:
        played = [card for other in seats for card in cards[f"taken {other}"][owner::num_seats]]
        hand = sorted(cards[f"hand {owner}"])
        dealt = (hand + played + cards[f"trick {owner}"])[:num_values]
        state["dealt"][owner] = dealt + [0] * (num_values - len(dealt))
        state["hands"][owner] = _words(hand, num_seats, num_values)
        state["played"][owner] = _words(played + cards[f"trick {owner}"], num_seats, num_values)
        state["tricks_won"][owner] = len(cards[f"taken {owner}"]) // num_seats
        cards[f"hand {owner}"] = hand
    state["tricks_left"] = num_values - len(taken) // num_seats
    _lay_trick(state, [cards[f"trick {owner}"] for owner in seats], seat)
    box = Pile("not dealt yet", sorted(pieces[""] + pieces["box"], key=whole.index))
    return {"box": box} | {
        name: _pile(state, name, [whole[card] for card in cards[name]]) for name in names
    }


def _words(cards: list[int], num_colours: int, num_values: int) -> list[int]:
    """A word for each colour."""
    values = [divmod(card, num_values) for card in cards]
    return [sum(1 << v for c, v in values if c == colour) for colour in range(num_colours)]


def _lay_trick(state: np.record, trick: list[list[int]], seat: int) -> None:
    """Write the cards of the trick, in the order in which they were played up to `seat`."""
    num_seats, num_values = state["dealt"].shape
    num_played = sum(map(len, trick))
    rules.open_trick(state, np.int64((seat - num_played) % num_seats))
    state["seat_to_act"] = seat
    state["voids"], state["last_cards"] = 0, rules.NO_CARD
    for step in range(num_seats):
        owner = (int(state["leader"]) + step) % num_seats
        for card in trick[owner]:
            colour, value = divmod(card, num_values)
            state["table"][colour] |= 1 << value
            state["last_cards"][owner] = card
            if state["led_colour"] == rules.NO_COLOUR:
                state["led_colour"] = colour
            if colour != state["led_colour"]:
                state["voids"][owner] |= 1 << int(state["led_colour"])
            elif value > state["top_value"]:
                state["top_value"], state["winner"] = value, owner


def _pile(state: np.record, name: str, pieces: list[str]) -> Pile:
    noun, _, number = name.partition(" ")
    owner = int(number)
    if noun == "taken":
        return Pile(f"tricks of player {owner}", pieces, parts=(f"seat:{owner}:won",))
    if noun == "trick":
        faces = [played_part(state, owner, None).id] if pieces else []
        return Pile(f"card of player {owner} in the trick", pieces, faces=faces)
    num_values = state["dealt"].shape[1]
    faces = [f"card:{card_name(num_values, card)}" for card in held_cards(state, owner)]
    return Pile(f"hand of player {owner}", pieces, parts=(f"seat:{owner}",), faces=faces)
