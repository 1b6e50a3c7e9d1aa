"""The table of trick-taking as a picture: seats, hands, and the trick as it lies.

When a trick has been taken and the next is not yet led, the cards of the last one are still shown.
"""

import numpy as np

from ..core.views.picture import (
    CHALK,
    DIM_CHALK,
    ROOM,
    Card,
    Picture,
    Point,
    Shape,
    Text,
    card_row,
    seat_plate,
    seats_around,
    table_shapes,
    toward,
)
from .rules import NO_CARD, is_terminal
from .text import headline, held_cards, is_known, is_of_this_or_last_trick

WIDTH, HEIGHT = 1080, 740
CENTER: Point = (WIDTH / 2, HEIGHT / 2 + 2)
INKS = ("#2c6a8c", "#c2242f", "#2f7d4f", "#7a4a9c")  # one a colour

# By number of seats.
HAND_WIDTH = {2: 800.0, 3: 400.0, 4: 330.0}
CARD_HEIGHT = {2: 116.0, 3: 100.0, 4: 96.0}
HALF_WIDTH, HALF_HEIGHT = 366.0, 240.0
TRICK_SHARE, TRICK_HEIGHT = 0.58, 96.0


def draw(state: np.record, seat: int | None = None) -> Picture:
    """The table with all hands (seat None) or, from the place of `seat`, what it may see."""
    places = seats_around(len(state.hands), CENTER, HALF_WIDTH, HALF_HEIGHT, seat or 0)
    shapes = table_shapes(WIDTH, HEIGHT, 52)
    shapes.append(Text(20, 18, headline(state), 16, DIM_CHALK, "start"))
    if is_terminal(state):
        shapes.append(Text(*CENTER, "the game is over", 17, CHALK, is_bold=True))
    for owner, place in enumerate(places):
        shapes += _played_card(state, owner, place)
        shapes += _seat(state, owner, seat, place)
    return Picture(WIDTH, HEIGHT, ROOM, tuple(shapes))


def card_face(card: int, num_values: int) -> Card:
    """A card: its value in the ink of its colour."""
    return Card(str(card % num_values), INKS[card // num_values])


def _played_card(state: np.record, owner: int, place: Point) -> list[Shape]:
    """What a seat has put to this trick, or to the last one while nothing is led."""
    card = int(state.last_cards[owner])
    if card == NO_CARD or not is_of_this_or_last_trick(state, owner):
        return []
    x, y = toward(place, CENTER, TRICK_SHARE)
    return card_row([card_face(card, state.dealt.shape[1])], x, y, TRICK_HEIGHT, 100)


def _seat(state: np.record, owner: int, seat: int | None, place: Point) -> list[Shape]:
    """The hand of a seat and its plate, with the tricks it has won."""
    num_seats, num_values = state.dealt.shape
    x, y = place
    held = held_cards(state, owner)
    cards: list[Card | None] = [
        card_face(card, num_values) if is_known(state, owner, seat) else None for card in held
    ]
    height = CARD_HEIGHT[num_seats]
    shapes = card_row(cards, x, y - 12, height, HAND_WIDTH[num_seats]) if cards else []
    is_to_act = owner == state.seat_to_act and not is_terminal(state)
    badge = str(int(state.tricks_won[owner]))
    return shapes + seat_plate(x, y + height / 2 + 2, 200, f"player {owner}", badge, is_to_act)
