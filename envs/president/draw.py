"""The table of President as a picture: seats, hands, the play to beat, and what is still to come.

Ranks are coloured from cool to warm by strength, since 3 and 1 beat 12; the 2 of oros bears a coin.
"""

import numpy as np

from ..core.game import NO_ACTION
from ..core.views.picture import (
    CARD_ASPECT,
    CHALK,
    DIM_CHALK,
    FELT_LIGHT,
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
    coin,
    crown,
    pill,
    seat_plate,
    seats_around,
    small_card_shapes,
    table_shapes,
    toward,
)
from .rules import GIVE, NO_RANK, NUM_CARDS, NUM_RANKS, NUM_SUITS, PASS, SWAP_TWO, is_terminal
from .text import (
    RANK_NAMES,
    headline,
    is_of_this_round,
    knows_exchange,
    last_action_name,
    played_counts,
    rank_counts,
    shows_golds,
    title,
    turn_line,
)

WIDTH, HEIGHT = 1080, 740
CENTER: Point = (WIDTH / 2, HEIGHT / 2 + 2)

# From the weakest rank to the strongest.
INKS = (
    "#2c6a8c",
    "#31628f",
    "#3a5a90",
    "#46528e",
    "#544a89",
    "#644280",
    "#763a73",
    "#8a3263",
    "#a62a4b",
    "#c2242f",
)
PALE_INKS = (
    "#8fd0ee",
    "#9ccaf0",
    "#a9c4f0",
    "#b6bef0",
    "#c4b8ee",
    "#d2b2e6",
    "#e0acd8",
    "#eea6c4",
    "#faa0a8",
    "#ff8f84",
)
CARDS = tuple(Card(name, ink) for name, ink in zip(RANK_NAMES, INKS, strict=True))
GOLDS = Card(RANK_NAMES[0], "#8f6216", coin)
PLAY_HEIGHT = 112.0
SMALL_HEIGHT, SMALL_STEP = 46.0, 20.0

# By number of seats: width of a hand, height of its cards, how far out the seats sit, and where
# between them and the middle their last actions lie.
HAND_WIDTH = {2: 760.0, 4: 330.0, 5: 310.0, 8: 230.0}
CARD_HEIGHT = {2: 124.0, 4: 104.0, 5: 100.0, 8: 84.0}
HALF_WIDTH = {2: 360.0, 4: 366.0, 5: 366.0, 8: 380.0}
HALF_HEIGHT = {2: 230.0, 4: 268.0, 5: 262.0, 8: 268.0}
ACTION_SHARE = {2: 0.47, 4: 0.555, 5: 0.54, 8: 0.5}


def draw(state: np.record, seat: int | None = None) -> Picture:
    """Draw the table with all hands (seat None), or as `seat` may see it."""
    num_seats = len(state.hands)
    places = seats_around(
        num_seats, CENTER, HALF_WIDTH[num_seats], HALF_HEIGHT[num_seats], seat or 0
    )
    shapes = table_shapes(WIDTH, HEIGHT, 52)
    shapes.append(Text(20, 18, headline(state), 16, DIM_CHALK, "start"))
    shapes += _ranks_to_come(state)
    shapes += _center(state, seat)
    for owner, place in enumerate(places):
        shapes += _last_action(state, owner, seat, place)
        shapes += _seat(state, owner, seat, place)
    return Picture(WIDTH, HEIGHT, ROOM, tuple(shapes))


# The middle


def _center(state: np.record, seat: int | None) -> list[Shape]:
    """The play to beat, or what replaces it, and a line below it."""
    x, y = CENTER
    line = turn_line(state)
    if is_terminal(state):
        shapes = crown(x, y - 8, 92)
    elif state.gives_left > 0:
        shapes = _gifts(state, seat)
    elif state.table_action != PASS:
        rank, count = _play(int(state.table_action))
        shapes = card_row([CARDS[rank]] * count, x, y, PLAY_HEIGHT, 220)
        line = f"of player {state.table_seat}"
    else:
        shapes = [Rectangle(x - 38, y - 56, 76, PLAY_HEIGHT, "#ffffff0a", 9, "#ffffff38", 2)]
    return [*shapes, Text(x, y + PLAY_HEIGHT / 2 + 20, line, 17, CHALK, is_bold=True)]


def _play(action: int) -> tuple[int, int]:
    """Rank and number of cards of a play."""
    return (action - 1) // NUM_SUITS, (action - 1) % NUM_SUITS + 1


def _gifts(state: np.record, seat: int | None) -> list[Shape]:
    """What the seat that gives back has received."""
    giver = int(state.seat_to_act)
    is_two = state.economy == SWAP_TWO and state.roles[giver] == 1
    x, y = CENTER
    cards: list[Card | None] = [None] * (2 if is_two else 1)
    if knows_exchange(state, giver, seat):
        cards = [CARDS[rank] for rank in state.received[giver] if rank != NO_RANK]
    received = Text(x, y - 52, "in return for", 15, DIM_CHALK)
    return [received, *card_row(cards, x, y + 10, 88, 200, spread=1.1)]


def _ranks_to_come(state: np.record) -> list[Shape]:
    """The cards not yet played, in the corner: a column for each rank, a dot for each card."""
    step = 25.0
    left, top = WIDTH - 28 - step * (NUM_RANKS - 1), HEIGHT - 48.0
    shapes: list[Shape] = [
        Rectangle(left - 18, top - 38, step * 9 + 36, 76, "#ffffff0c", 12),
        Text(left - 7, top - 22, "to come", 13, DIM_CHALK, "start"),
    ]
    for rank, played in enumerate(played_counts(state)):
        x, ink = left + step * rank, PALE_INKS[rank]
        shapes.append(Text(x, top - 1, RANK_NAMES[rank], 15, ink, is_bold=True))
        for place in range(NUM_SUITS):
            dot_x, dot_y = x - 4.5 + 9 * (place % 2), top + 17 + 10 * (place // 2)
            is_to_come = place < NUM_SUITS - played
            shapes.append(Circle(dot_x, dot_y, 3.2, ink if is_to_come else "#ffffff16"))
    return shapes


# The seats


def _seat(state: np.record, owner: int, seat: int | None, place: Point) -> list[Shape]:
    """The hand of a seat, or its placing, and its plate."""
    num_seats = len(state.hands)
    x, y = place
    size = int(state.hands[owner]).bit_count()
    dealt = NUM_CARDS // num_seats
    card_height = CARD_HEIGHT[num_seats]
    hand_y, plate_y = y - 12, y + card_height / 2 + 2
    placing = int(state.placings[owner])
    shapes: list[Shape] = []
    if placing:
        shapes += _placing(placing, num_seats, x, hand_y)
    else:
        cards = _hand(state, owner, seat)
        row_height = card_height * min(1.0, dealt / size)  # cards received make a hand larger
        shapes += card_row(cards, x, hand_y, row_height, HAND_WIDTH[num_seats])
    name = f"player {owner}"
    if state.roles[owner] and not is_terminal(state):
        name += f", {title(int(state.roles[owner]), num_seats)}"
    if len(state.next_hands) > 1:
        name += f"  {int(state.points[owner]):+}"
    badge = "" if placing else str(size)
    is_to_act = owner == state.seat_to_act and not is_terminal(state)
    return shapes + seat_plate(x, plate_y, 200, name, badge, is_to_act)


def _hand(state: np.record, owner: int, seat: int | None) -> list[Card | None]:
    """The cards of a hand from low to high, the 2 of oros first."""
    hand = int(state.hands[owner])
    if seat not in (None, owner):
        return [None] * hand.bit_count()
    cards: list[Card | None] = []
    for rank, count in enumerate(rank_counts(hand)):
        cards += [CARDS[rank]] * count
    if shows_golds(state, owner, seat):
        cards[0] = GOLDS
    return cards


def _placing(placing: int, num_seats: int, x: float, y: float) -> list[Shape]:
    """The title of a seat that has gone out."""
    if placing == 1:
        return [*crown(x, y - 18, 54), Text(x, y + 24, "president", 20, GOLD, is_bold=True)]
    color = DIM_CHALK if placing == num_seats else CHALK
    return [Text(x, y + 8, title(placing, num_seats), 26, color, is_bold=True)]


def _last_action(state: np.record, owner: int, seat: int | None, place: Point) -> list[Shape]:
    """The last action of a seat, in front of it; faded if it is from an earlier round."""
    action = int(state.last_actions[owner])
    if action == NO_ACTION:
        return []
    x, y = toward(place, CENTER, ACTION_SHARE[len(state.hands)])
    if action == PASS or action >= GIVE:
        is_now = is_of_this_round(state, owner)
        fill, ink = ("#0e2b22", CHALK) if is_now else ("#0e2b2266", DIM_CHALK)
        return pill(x, y, last_action_name(state, owner, seat), fill, ink)
    rank, count = _play(action)
    shapes = _small_play(rank, count, x, y)
    if not is_of_this_round(state, owner):
        shapes.append(_ground(count, x, y, FELT_LIGHT + "99"))
    elif owner == state.table_seat:
        shapes.insert(0, _ground(count, x, y, GOLD))
    return shapes


def _small_play(rank: int, count: int, x: float, y: float) -> list[Shape]:
    left = x - _small_width(count) / 2
    shapes: list[Shape] = []
    for index in range(count):
        shapes += small_card_shapes(
            CARDS[rank], left + SMALL_STEP * index, y - SMALL_HEIGHT / 2, SMALL_HEIGHT
        )
    return shapes


def _small_width(count: int) -> float:
    return SMALL_HEIGHT * CARD_ASPECT + SMALL_STEP * (count - 1)


def _ground(count: int, x: float, y: float, fill: str) -> Rectangle:
    """A patch of the size of a small play."""
    width, height = _small_width(count) + 7, SMALL_HEIGHT + 7
    return Rectangle(x - width / 2, y - height / 2, width, height, fill, 7)
