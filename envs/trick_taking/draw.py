"""The table of trick-taking as a picture: seats, hands, and the trick as it lies.

Each colour has the emblem and the ink of a suit. When a trick has been taken and the next is not
yet led, the cards of the last one are still shown.
"""

import numpy as np

from ..core.drawing.cards import (
    Card,
    CardPart,
    card_back,
    card_row,
    card_rows,
    club,
    diamond,
    heart,
    spade,
)
from ..core.drawing.picture import Part, Picture, Point, Rectangle, Shape, Text
from ..core.drawing.table import (
    CHALK,
    DIM_CHALK,
    NARROW_WIDTH,
    YELLOW,
    CardRow,
    Layout,
    around_places,
    legal_list,
    seat_plate,
    stacked_places,
    table_picture,
)
from .rules import NO_CARD, NO_COLOUR, is_terminal, legal_actions
from .text import action_name, card_name, headline, held_cards, is_known, is_of_this_or_last_trick

SUITS = ("spades", "hearts", "clubs", "diamonds")  # by colour
INKS = ("#2c6a8c", "#c2242f", "#2a7247", "#7a4a9c")
MARKS = tuple(make(ink) for make, ink in zip((spade, heart, club, diamond), INKS, strict=True))

# By number of seats.
HAND_WIDTH = {2: 780.0, 3: 320.0, 4: 280.0}
CARD_HEIGHT = {2: 116.0, 3: 100.0, 4: 96.0}
MAX_IN_ROW = {2: 20, 3: 12, 4: 11}
MAX_IN_SMALL_ROW = 16
TRICK_SHARE, CROWDED_SHARE = 0.58, 0.68  # of the way from a seat to the middle
TRICK_HEIGHT, NARROW_TRICK_HEIGHT = 96.0, 84.0
NARROW_TRICK_STEP = 82.0


def draw(state: np.record, seat: int | None = None, is_narrow: bool = False) -> Picture:
    """The table with all hands (seat None) or, from the place of `seat`, what it may see."""
    layout = (_narrow_layout if is_narrow else _wide_layout)(state, seat or 0)
    shapes = [*layout.ground(headline(state)), *_middle(state, layout)]
    for owner in range(len(layout.seats)):
        shapes += _played_card(state, owner, seat, layout)
        shapes += _seat(state, owner, seat, layout)
    return table_picture(layout.size, shapes, _clicks(state, seat))


def _wide_layout(state: np.record, first: int) -> Layout:
    num_seats, num_values = state.dealt.shape
    center = (540.0, 372.0)
    places = around_places(
        num_seats,
        first,
        center=center,
        half_width=320,
        half_height=236,
        hand_width=HAND_WIDTH[num_seats],
        cards=CardRow(CARD_HEIGHT[num_seats], MAX_IN_ROW[num_seats]),
        action_share=TRICK_SHARE if num_values <= MAX_IN_ROW[num_seats] else CROWDED_SHARE,
    )
    return Layout((1080, 740), center, places)


def _narrow_layout(state: np.record, first: int) -> Layout:
    num_seats, num_values = state.dealt.shape
    height, row_height = 640, 74 if num_values <= MAX_IN_SMALL_ROW else 96
    places = stacked_places(
        num_seats,
        first,
        top=32,
        row_height=row_height,
        bottom=height - 8,
        cards=CardRow(84, 11),
        most_in_small_row=MAX_IN_SMALL_ROW,
    )
    top, bottom = 60 + row_height * (num_seats - 1), height - 180
    return Layout((NARROW_WIDTH, height), (NARROW_WIDTH / 2, (top + bottom) / 2), places)


def _clicks(state: np.record, seat: int | None) -> dict[str, tuple[str, ...]]:
    """The card of each legal action."""
    if is_terminal(state) or seat not in (None, state.seat_to_act):
        return {}
    num_seats, num_values = state.dealt.shape
    return {
        action_name(num_seats, num_values, card): (_card_id(card, num_values),)
        for card in legal_list(legal_actions, state, num_seats * num_values)
    }


def _card_id(card: int, num_values: int) -> str:
    return f"card:{card_name(num_values, card)}"


def card_part(card: int, num_values: int, whose: str = "") -> CardPart:
    """A card face up, with its value in the ink of its suit; `whose` ends its label."""
    colour, value = divmod(card, num_values)
    face = Card(str(value), INKS[colour], MARKS[colour])
    return CardPart(_card_id(card, num_values), f"{value} of {SUITS[colour]}{whose}", face)


def _middle(state: np.record, layout: Layout) -> list[Shape]:
    """What is asked for, or who took the last trick."""
    x, y = layout.center
    if layout.is_narrow:
        y -= 62
    if is_terminal(state):
        text = "the game is over"
    elif state.led_colour != NO_COLOUR:
        text = f"follow {SUITS[state.led_colour]}"
    elif state.last_cards[state.leader] != NO_CARD:
        text = f"player {state.leader} took the trick"
    else:
        text = f"player {state.leader} leads"
    return [Text(x, y, text, 15 if layout.is_narrow else 18, CHALK, is_bold=True)]


def _played_card(
    state: np.record, owner: int, seat: int | None, layout: Layout
) -> list[Shape | Part]:
    """What a seat has put to this trick, or to the last one while nothing is led.

    The card keeps the id that it had in the hand.
    """
    card, num_values = int(state.last_cards[owner]), state.dealt.shape[1]
    if card == NO_CARD or not is_of_this_or_last_trick(state, owner):
        return []
    part = card_part(card, num_values, f", played by player {owner}")
    if not is_known(state, owner, seat):
        part = part._replace(id=card_back(owner, len(held_cards(state, owner))).id)
    height = NARROW_TRICK_HEIGHT if layout.is_narrow else TRICK_HEIGHT
    x, y = _trick_place(owner, seat or 0, layout)
    shapes: list[Shape | Part] = []
    is_trick_taken = state.led_colour == NO_COLOUR
    if owner == (state.leader if is_trick_taken else state.winner):
        width = height * 0.68 + 8
        shapes.append(
            Rectangle(x - width / 2, y - height / 2 - 4, width, height + 8, YELLOW, height * 0.1)
        )
    shapes += card_row([part], x, y, height, 100)
    if layout.is_narrow:
        shapes.append(Text(x, y + height / 2 + 12, f"player {owner}", 12, DIM_CHALK))
    return shapes


def _trick_place(owner: int, first: int, layout: Layout) -> Point:
    """Where a seat's card of the trick lies; in a narrow picture side by side, clockwise."""
    if not layout.is_narrow:
        return layout.seats[owner].action
    num_seats = len(layout.seats)
    steps = (owner - first) % num_seats - (num_seats - 1) / 2
    return layout.center[0] + NARROW_TRICK_STEP * steps, layout.center[1] + 2


def _seat(state: np.record, owner: int, seat: int | None, layout: Layout) -> list[Shape | Part]:
    """The hand of a seat and its plate, with the tricks it has won."""
    num_values, place = state.dealt.shape[1], layout.seats[owner]
    is_open = is_known(state, owner, seat)
    whose = "" if owner == seat else f", player {owner}"
    cards = [
        card_part(card, num_values, whose) if is_open else card_back(owner, index)
        for index, card in enumerate(held_cards(state, owner))
    ]
    shapes: list[Shape | Part] = [
        *card_rows(cards, *place.hand, place.cards.height, place.hand_width, place.cards.most)
    ]
    is_to_act = owner == state.seat_to_act and not is_terminal(state)
    won = int(state.tricks_won[owner])
    name, badge = f"player {owner}", f"won {won}"
    label = f"{name}{', you' if owner == seat else ''}: {won} tricks won, {len(cards)} cards"
    plate = seat_plate(*place.plate, place.plate_width, name, badge, is_to_act, layout.plate_height)
    return [*shapes, Part(f"seat:{owner}", label, plate)]
