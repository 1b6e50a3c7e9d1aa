"""The table of Notty as a picture: open hands, what each seat did last, and what is in the deck."""

from collections.abc import Sequence

import numpy as np

from ..core.game import NO_SEAT
from ..core.views.picture import (
    CHALK,
    DIM_CHALK,
    GOLD,
    ROOM,
    Card,
    Circle,
    Picture,
    Point,
    Rectangle,
    Shape,
    Text,
    card_row,
    crown,
    pill,
    seat_plate,
    seats_around,
    table_shapes,
)
from .cards import COLOURS, NUM_CARDS, NUM_COPIES, NUM_KINDS, NUM_NUMBERS, deck_words, kinds_of
from .rules import is_terminal
from .text import headline, last_action_text

WIDTH, HEIGHT = 1080, 740
CENTER: Point = (WIDTH / 2, HEIGHT / 2 + 2)
INKS = ("#c2242f", "#2c6a8c", "#2f7d4f", "#a37a00")  # one per colour
PALE_INKS = ("#ff8f84", "#8fd0ee", "#8fd6a8", "#f0cb75")  # the same on felt
CARDS = tuple(
    Card(str(number + 1), INKS[colour])
    for colour in range(len(COLOURS))
    for number in range(NUM_NUMBERS)
)

# By number of seats.
HAND_WIDTH = {2: 800.0, 3: 340.0, 4: 320.0}
CARD_HEIGHT = {2: 116.0, 3: 92.0, 4: 92.0}
CARDS_IN_A_ROW = {2: 20, 3: 10, 4: 10}
ROW_STEP = 34.0  # the visible part of a card behind the front row
HALF_WIDTH, HALF_HEIGHT = 366.0, 244.0
ACTION_STEP = 29.0  # from a seat's plate down to its last action
PANEL_STEP = 25.0


def draw(state: np.record, seat: int | None = None) -> Picture:
    """Draw the table as seen from `seat`; all hands are open."""
    places = seats_around(len(state.hands), CENTER, HALF_WIDTH, HALF_HEIGHT, seat or 0)
    shapes = table_shapes(WIDTH, HEIGHT, 52)
    shapes.append(Text(20, 18, headline(state), 16, DIM_CHALK, "start"))
    shapes += _deck(state)
    for owner, place in enumerate(places):
        shapes += _last_action(state, owner, place)
        shapes += _seat(state, owner, place)
    return Picture(WIDTH, HEIGHT, ROOM, tuple(shapes))


def _deck(state: np.record) -> list[Shape]:
    """The deck in the middle: how many cards of each kind it has, one row per colour."""
    held = kinds_of(*deck_words(state.hands))
    left = CENTER[0] - PANEL_STEP * (NUM_NUMBERS - 1) / 2
    top = CENTER[1] - PANEL_STEP * 1.5
    width, height = PANEL_STEP * NUM_NUMBERS + 22, PANEL_STEP * len(COLOURS) + 40
    title = f"deck: {len(held)} of {NUM_CARDS}"
    shapes: list[Shape] = [
        Rectangle(left - 24, top - 42, width, height, "#00000026", 12),
        Text(CENTER[0], top - 26, title, 13, DIM_CHALK),
    ]
    for kind in range(NUM_KINDS):
        colour, number = divmod(kind, NUM_NUMBERS)
        x, y = left + PANEL_STEP * number, top + PANEL_STEP * colour
        shapes += _count(held.count(kind), str(number + 1), PALE_INKS[colour], x, y)
    return shapes


def _count(count: int, label: str, ink: str, x: float, y: float) -> list[Shape]:
    """A number with a dot for each of its cards."""
    color = ink if count else "#ffffff22"
    shapes: list[Shape] = [Text(x, y - 2, label, 14, color, is_bold=count == NUM_COPIES)]
    for place in range(NUM_COPIES):
        dot = ink if place < count else "#ffffff16"
        shapes.append(Circle(x - 3.5 + 7 * place, y + 9, 2.2, dot))
    return shapes


def _seat(state: np.record, owner: int, place: Point) -> list[Shape]:
    """The hand of a seat, or its crown, and its plate with the number of cards."""
    num_seats = len(state.hands)
    x, y = place
    held = kinds_of(*state.hands[owner])
    height = CARD_HEIGHT[num_seats]
    shapes: list[Shape] = []
    if held:
        shapes += _hand(held, num_seats, x, y - 12)
    elif state.winner == owner:
        shapes += [*crown(x, y - 26, 64), Text(x, y + 22, "wins", 20, GOLD, is_bold=True)]
    is_to_act = owner == state.seat_to_act and not is_terminal(state)
    plate = seat_plate(x, y + height / 2 + 2, 200, f"player {owner}", str(len(held)), is_to_act)
    return shapes + plate


def _hand(held: Sequence[int], num_seats: int, x: float, y: float) -> list[Shape]:
    """The cards in one row or two; the front row is as long as the one behind, or longer."""
    num_behind = len(held) // 2 if len(held) > CARDS_IN_A_ROW[num_seats] else 0
    shapes: list[Shape] = []
    for row, raised in ((held[:num_behind], ROW_STEP), (held[num_behind:], 0.0)):
        cards: list[Card | None] = [CARDS[kind] for kind in row]
        if cards:
            width = HAND_WIDTH[num_seats]
            shapes += card_row(cards, x, y - raised, CARD_HEIGHT[num_seats], width)
    return shapes


def _last_action(state: np.record, owner: int, place: Point) -> list[Shape]:
    """What a seat did last, under its plate."""
    text = last_action_text(state, owner)
    if not text:
        return []
    x, y = place
    y += CARD_HEIGHT[len(state.hands)] / 2 + ACTION_STEP
    has_lost = state.winner not in (NO_SEAT, owner)
    return pill(x, y, text, "#0e2b22", DIM_CHALK if has_lost else CHALK)
