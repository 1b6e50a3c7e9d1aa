"""The table of trick-taking as a picture: seats, hands, and the trick as it lies.

Each colour has the emblem and the ink of a suit. When a trick has been taken and the next is not
yet led, the cards of the last one are still shown.
"""

import numpy as np

from ..core.drawing import cards, palette, table
from ..core.drawing.layout import Box
from ..core.drawing.picture import Part, Picture, Point, Shape, Text
from . import rules
from .rules import NO_CARD, NO_COLOUR, is_terminal
from .text import action_name, card_name, headline, held_cards, is_known, is_of_this_or_last_trick

SUITS = ("spades", "hearts", "clubs", "diamonds")  # by colour
INKS = ("#2c6a8c", "#c2242f", "#2a7247", "#7a4a9c")
SUIT_MARKS = (cards.spade, cards.heart, cards.club, cards.diamond)
MARKS = tuple(make(ink) for make, ink in zip(SUIT_MARKS, INKS, strict=True))

WIDE = {  # by number of seats
    2: table.WideHands(780, 116, 20, action_share=0.58),
    3: table.WideHands(320, 100, 12, action_share=0.58),
    4: table.WideHands(280, 96, 11, action_share=0.58),
}
CROWDED_SHARE = 0.68  # how far from a seat to the middle its card lies where hands have two rows
NARROW = table.NarrowHands(height=640, row_height=74, card_height=84, most=11)
TALL_ROW_HEIGHT = 96  # of another seat whose hand has two rows
TRICK_HEIGHT, NARROW_TRICK_HEIGHT = 96.0, 84.0
NARROW_TRICK_STEP = 82.0


def draw(state: np.record, seat: int | None = None, is_narrow: bool = False) -> Picture:
    """The table with all hands (seat None) or, from the place of `seat`, what it may see."""
    measures = (_narrow_measures if is_narrow else _wide_measures)(*state.dealt.shape)
    layout = table.card_table(len(state.hands), seat, measures)
    shapes = [*layout.ground(headline(state)), *_middle(state, layout)]
    for owner in range(len(layout.seats)):
        shapes += _played_card(state, owner, seat, layout)
        shapes += _seat(state, owner, seat, layout)
    return table.table_picture(layout.size, shapes, _clicks(state, seat))


def _wide_measures(num_seats: int, num_values: int) -> table.WideHands:
    measures = WIDE[num_seats]
    is_crowded = num_values > measures.most
    return measures._replace(action_share=CROWDED_SHARE) if is_crowded else measures


def _narrow_measures(num_seats: int, num_values: int) -> table.NarrowHands:
    is_crowded = num_values > NARROW.most_small
    return NARROW._replace(row_height=TALL_ROW_HEIGHT) if is_crowded else NARROW


def _clicks(state: np.record, seat: int | None) -> dict[str, tuple[str, ...]]:
    """The card of each legal action."""
    num_seats, num_values = state.dealt.shape
    return {
        action_name(num_seats, num_values, card): (_card_id(card, num_values),)
        for card in table.clickable(rules, state, seat, num_seats * num_values)
    }


def _card_id(card: int, num_values: int) -> str:
    return f"card:{card_name(num_values, card)}"


def card_part(card: int, num_values: int, whose: str = "") -> cards.CardPart:
    """A card face up, with its value in the ink of its suit; `whose` ends its label."""
    colour, value = divmod(card, num_values)
    face = cards.Card(str(value), INKS[colour], MARKS[colour])
    return cards.CardPart(_card_id(card, num_values), f"{value} of {SUITS[colour]}{whose}", face)


def _middle(state: np.record, layout: table.CardTable) -> list[Shape]:
    """What is asked for, or who took the last trick."""
    x, y = layout.center
    if is_terminal(state):
        text = "the game is over"
    elif state.led_colour != NO_COLOUR:
        text = f"follow {SUITS[state.led_colour]}"
    elif state.last_cards[state.leader] != NO_CARD:
        text = f"player {state.leader} took the trick"
    else:
        text = f"player {state.leader} leads"
    place = (x, y - 58, text, 15) if layout.is_narrow else (x, y, text, 18)
    return [Text(*place, palette.CHALK, is_bold=True)]


def _played_card(
    state: np.record, owner: int, seat: int | None, layout: table.CardTable
) -> list[Shape | Part]:
    """What a seat has put to this trick, or to the last one while nothing is led.

    The card keeps the id that it had in the hand.
    """
    card, num_values = int(state.last_cards[owner]), state.dealt.shape[1]
    if card == NO_CARD or not is_of_this_or_last_trick(state, owner):
        return []
    part = card_part(card, num_values, f", played by player {owner}")
    if not is_known(state, owner, seat):
        part = part._replace(id=cards.card_back(owner, len(held_cards(state, owner))).id)
    height = NARROW_TRICK_HEIGHT if layout.is_narrow else TRICK_HEIGHT
    x, y = _trick_place(owner, seat or 0, layout)
    shapes: list[Shape | Part] = []
    if owner == (state.leader if state.led_colour == NO_COLOUR else state.winner):
        edge = Box.around(x, y, height * cards.CARD_ASPECT, height).inset(-4)
        shapes.append(edge.filled(palette.YELLOW, height * 0.1))
    shapes += cards.card_row([part], x, y, height, 100)
    if layout.is_narrow:
        shapes.append(Text(x, y + height / 2 + 12, f"player {owner}", 12, palette.DIM_CHALK))
    return shapes


def _trick_place(owner: int, first: int, layout: table.CardTable) -> Point:
    """Where a seat's card of the trick lies; in a narrow picture side by side, clockwise."""
    if not layout.is_narrow:
        return layout.seats[owner].action
    num_seats, (x, y) = len(layout.seats), layout.center
    steps = (owner - first) % num_seats - (num_seats - 1) / 2
    return x + NARROW_TRICK_STEP * steps, y + 6


def _seat(
    state: np.record, owner: int, seat: int | None, layout: table.CardTable
) -> list[Shape | Part]:
    """The hand of a seat and its plate, with the tricks it has won."""
    num_values, place = state.dealt.shape[1], layout.seats[owner]
    is_open = is_known(state, owner, seat)
    whose = "" if owner == seat else f", player {owner}"
    hand = [
        card_part(card, num_values, whose) if is_open else cards.card_back(owner, index)
        for index, card in enumerate(held_cards(state, owner))
    ]
    is_to_act = owner == state.seat_to_act and not is_terminal(state)
    won = int(state.tricks_won[owner])
    plate = table.seat_plate(place.plate, f"player {owner}", f"won {won}", is_to_act)
    holds = f"{won} tricks won, {len(hand)} cards"
    return [*cards.card_rows(hand, place.hand), table.seat_part(owner, seat, holds, plate)]
