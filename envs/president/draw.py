"""The table of President as a picture: seats, hands, the play to beat, and what is still to come.

Ranks are coloured from cool to warm by strength, since 3 and 1 beat 12; the 2 of oros bears a coin.
"""

from dataclasses import replace

import numpy as np

from ..core.drawing.cards import (
    CARD_ASPECT,
    GOLD,
    PAPER,
    Card,
    CardPart,
    card_back,
    card_row,
    card_rows,
    coin,
    crown,
    small_card_shapes,
)
from ..core.drawing.picture import Circle, Part, Picture, Rectangle, Shape, Text
from ..core.drawing.table import (
    CHALK,
    DIM_CHALK,
    LIGHT_GOLD,
    NARROW_WIDTH,
    PANEL,
    YELLOW,
    YELLOW_INK,
    CardRow,
    Layout,
    SeatPlace,
    around_places,
    button,
    legal_list,
    pill,
    seat_plate,
    stacked_places,
    table_picture,
)
from ..core.game import NO_ACTION
from .rules import (
    GIVE,
    NO_RANK,
    NUM_ACTIONS,
    NUM_RANKS,
    NUM_SUITS,
    PASS,
    SWAP_TWO,
    is_terminal,
    legal_actions,
)
from .text import (
    ACTION_NAMES,
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
FADED = "#e8e4d8"  # paper of a play from an earlier round
PLAY_HEIGHT, NARROW_PLAY_HEIGHT = 112.0, 80.0
SMALL_HEIGHT, SMALL_STEP = 46.0, 20.0

# By number of seats: width of a hand, height of its cards, how far out the seats sit, and where
# between them and the middle their last actions lie.
HAND_WIDTH = {2: 760.0, 4: 290.0, 5: 270.0, 8: 190.0}
CARD_HEIGHT = {2: 124.0, 4: 104.0, 5: 100.0, 8: 84.0}
HALF_WIDTH = {2: 360.0, 4: 320.0, 5: 325.0, 8: 345.0}
HALF_HEIGHT = {2: 230.0, 4: 244.0, 5: 246.0, 8: 250.0}
ACTION_SHARE = {2: 0.47, 4: 0.54, 5: 0.53, 8: 0.5}
ROWS = {2: 1, 4: 3, 5: 4, 8: 4}  # of other seats in a narrow picture
ROW_HEIGHT = 74.0


def draw(state: np.record, seat: int | None = None, is_narrow: bool = False) -> Picture:
    """Draw the table with all hands (seat None), or as `seat` may see it."""
    layout = (_narrow_layout if is_narrow else _wide_layout)(len(state.hands), seat or 0)
    clicks = _clicks(state, seat)
    shapes = [*layout.ground(headline(state)), *_ranks_to_come(state, layout)]
    shapes += _center(state, seat, layout)
    for owner in range(len(layout.seats)):
        shapes += _last_action(state, owner, seat, layout)
        shapes += _seat(state, owner, seat, layout)
    if ACTION_NAMES[PASS] in clicks:
        place = (314.0, layout.size[1] - 22.0) if is_narrow else (706.0, layout.size[1] - 62.0)
        shapes.append(button("pass", "pass", *place, 82))
    return table_picture(layout.size, shapes, clicks)


def _wide_layout(num_seats: int, first: int) -> Layout:
    center = (540.0, 372.0)
    places = around_places(
        num_seats,
        first,
        center=center,
        half_width=HALF_WIDTH[num_seats],
        half_height=HALF_HEIGHT[num_seats],
        hand_width=HAND_WIDTH[num_seats],
        cards=CardRow(CARD_HEIGHT[num_seats], 24),
        action_share=ACTION_SHARE[num_seats],
    )
    return Layout((1080, 740), center, places)


def _narrow_layout(num_seats: int, first: int) -> Layout:
    height = 640
    places = stacked_places(
        num_seats,
        first,
        top=32,
        row_height=ROW_HEIGHT,
        bottom=height - 8,
        cards=CardRow(84, 12),
        columns=2 if num_seats == 8 else 1,
        most_in_small_row=24,
    )
    top = 32 + ROW_HEIGHT * ROWS[num_seats]
    return Layout((NARROW_WIDTH, height), (92.0, (top + height - 160) / 2), places)


# Actions and the parts that stand for them


def _clicks(state: np.record, seat: int | None) -> dict[str, tuple[str, ...]]:
    """The cards of each legal action, from the right of those of their rank."""
    if is_terminal(state) or seat not in (None, state.seat_to_act):
        return {}
    owner = int(state.seat_to_act)
    counts = rank_counts(int(state.hands[owner]))
    clicks = {}
    for action in legal_list(legal_actions, state, NUM_ACTIONS):
        if action == PASS:
            ids: tuple[str, ...] = ("pass",)
        elif action >= GIVE:
            ids = (_card_id(owner, action - GIVE, 0),)  # the 2 of oros, the last two, goes last
        else:
            rank, count = _play(action)
            ids = tuple(_card_id(owner, rank, counts[rank] - 1 - copy) for copy in range(count))
        clicks[ACTION_NAMES[action]] = ids
    return clicks


def _card_id(owner: int, rank: int, copy: int) -> str:
    return f"seat:{owner}:{RANK_NAMES[rank]}:{copy}"


def _play(action: int) -> tuple[int, int]:
    """Rank and number of cards of a play."""
    return (action - 1) // NUM_SUITS, (action - 1) % NUM_SUITS + 1


def _hand(state: np.record, owner: int, seat: int | None) -> list[CardPart]:
    """The cards of a hand from low to high, the 2 of oros last of the twos."""
    hand = int(state.hands[owner])
    if seat not in (None, owner):
        return [card_back(owner, index) for index in range(hand.bit_count())]
    counts = rank_counts(hand)
    whose = "" if owner == seat else f", player {owner}"
    cards = [
        CardPart(_card_id(owner, rank, copy), RANK_NAMES[rank] + whose, CARDS[rank])
        for rank, count in enumerate(counts)
        for copy in range(count)
    ]
    if shows_golds(state, owner, seat):
        last = counts[0] - 1
        cards[last] = CardPart(cards[last].id, "2 of oros" + whose, GOLDS)
    return cards


def _played_cards(state: np.record, seat: int | None) -> list[CardPart]:
    """The play to beat; its cards keep the ids that they had in the hand."""
    owner = int(state.table_seat)
    rank, count = _play(int(state.table_action))
    hand = int(state.hands[owner])
    label = f"{RANK_NAMES[rank]}, played by player {owner}"
    if seat in (None, owner):
        left = rank_counts(hand)[rank]
        ids = [_card_id(owner, rank, left + copy) for copy in range(count)]
    else:
        ids = [card_back(owner, hand.bit_count() + copy).id for copy in range(count)]
    return [CardPart(part_id, label, CARDS[rank]) for part_id in ids]


# The middle


def _center(state: np.record, seat: int | None, layout: Layout) -> list[Shape | Part]:
    """The play to beat, or what replaces it, and a line below it."""
    x, y = layout.center
    height = NARROW_PLAY_HEIGHT if layout.is_narrow else PLAY_HEIGHT
    line = turn_line(state)
    shapes: list[Shape | Part] = []
    if is_terminal(state):
        shapes += crown(x, y - 8, height * 0.8)
    elif state.gives_left > 0:
        shapes += _gifts(state, seat, layout)
    elif state.table_action != PASS:
        width = 160.0 if layout.is_narrow else 220.0
        shapes += card_row(_played_cards(state, seat), x, y, height, width)
        line = f"of player {state.table_seat}"
    else:
        width = height * CARD_ASPECT
        place = (x - width / 2, y - height / 2, width, height)
        shapes.append(Rectangle(*place, "#ffffff0a", 9, "#ffffff38", 2))
    size = min(17.0, 172 / (0.55 * len(line))) if layout.is_narrow else 17.0
    return [*shapes, Text(x, y + height / 2 + 16, line, max(11.0, size), CHALK, is_bold=True)]


def _gifts(state: np.record, seat: int | None, layout: Layout) -> list[Shape | Part]:
    """What the seat that gives back has received."""
    giver = int(state.seat_to_act)
    is_two = state.economy == SWAP_TWO and state.roles[giver] == 1
    x, y = layout.center
    label = f"received by player {giver}"
    cards = [CardPart(f"gift:{k}", f"a card {label}", None) for k in range(2 if is_two else 1)]
    if knows_exchange(state, giver, seat):
        cards = [
            CardPart(f"gift:{place}", f"{RANK_NAMES[rank]}, {label}", CARDS[rank])
            for place, rank in enumerate(state.received[giver])
            if rank != NO_RANK
        ]
    height = 64.0 if layout.is_narrow else 88.0
    received = Text(x, y - height / 2 - 8, "in return for", 13 if layout.is_narrow else 15, CHALK)
    return [received, *card_row(cards, x, y + 10, height, 170, spread=1.1)]


def _ranks_to_come(state: np.record, layout: Layout) -> list[Shape | Part]:
    """The cards not yet played: a column for each rank, a dot for each card."""
    step, width = (16.6, 172) if layout.is_narrow else (25.0, 261)
    left = layout.size[0] - width - 9 + (width - step * (NUM_RANKS - 1)) / 2
    top = layout.center[1] if layout.is_narrow else layout.size[1] - 48.0
    shapes: list[Shape] = [
        Rectangle(layout.size[0] - width - 9, top - 38, width, 76, PANEL, 12),
        Text(left - 7, top - 22, "to come", 13, DIM_CHALK, "start"),
    ]
    counts = [NUM_SUITS - played for played in played_counts(state)]
    for rank, count in enumerate(counts):
        x, ink = left + step * rank, PALE_INKS[rank]
        size = 12 if layout.is_narrow else 15
        shapes.append(Text(x, top - 1, RANK_NAMES[rank], size, ink, is_bold=True))
        for place in range(NUM_SUITS):
            dot_x, dot_y = x - 4 + 8 * (place % 2), top + 17 + 10 * (place // 2)
            shapes.append(Circle(dot_x, dot_y, 3.0, ink if place < count else "#ffffff16"))
    names = zip(RANK_NAMES, counts, strict=True)
    label = "cards to come: " + ", ".join(f"{count} x {name}" for name, count in names)
    return [Part("to come", label, tuple(shapes))]


# The seats


def _seat(state: np.record, owner: int, seat: int | None, layout: Layout) -> list[Shape | Part]:
    """The hand of a seat, or its placing, and its plate."""
    place = layout.seats[owner]
    size = int(state.hands[owner]).bit_count()
    placing = int(state.placings[owner])
    shapes: list[Shape | Part] = []
    if placing:
        shapes += _placing(placing, place, len(layout.seats))
    else:
        cards = _hand(state, owner, seat)
        shapes += card_rows(
            cards, *place.hand, place.cards.height, place.hand_width, place.cards.most
        )
    is_to_act = owner == state.seat_to_act and not is_terminal(state)
    badge = "" if placing else str(size)
    plate = seat_plate(
        *place.plate,
        place.plate_width,
        _plate_name(state, owner, place.plate_width),
        badge,
        is_to_act,
        layout.plate_height,
    )
    label = f"{_seat_name(state, owner)}{', you' if owner == seat else ''}: {size} cards"
    if placing:
        label += f", {title(placing, len(layout.seats))}"
    return [*shapes, Part(f"seat:{owner}", label, plate)]


def _seat_name(state: np.record, owner: int) -> str:
    """The seat, its title from the game before, and its points in a match."""
    name = f"player {owner}"
    if state.roles[owner] and not is_terminal(state):
        name += f", {title(int(state.roles[owner]), len(state.hands))}"
    if len(state.next_hands) > 1:
        name += f"  {int(state.points[owner]):+}"
    return name


def _plate_name(state: np.record, owner: int, width: float) -> str:
    """The name as far as a plate has room for it."""
    name = _seat_name(state, owner)
    if width < 150 and len(name) > len("player 0  +10"):
        name = f"{owner}, {name.partition(', ')[2].partition(' ')[0]}"
    return name


def _placing(placing: int, place: SeatPlace, num_seats: int) -> list[Shape]:
    """The title of a seat that has gone out."""
    x, y = place.hand
    size = min(26.0, place.cards.height * 0.4)
    if placing == 1:
        crowned = crown(x, y - size * 0.8, size * 2)
        return [*crowned, Text(x, y + size, "president", size * 0.8, LIGHT_GOLD, is_bold=True)]
    color = DIM_CHALK if placing == num_seats else CHALK
    return [Text(x, y + 8, title(placing, num_seats), size, color, is_bold=True)]


def _last_action(state: np.record, owner: int, seat: int | None, layout: Layout) -> list[Shape]:
    """The last action of a seat, in front of it; faded if it is from an earlier round."""
    action = int(state.last_actions[owner])
    if action == NO_ACTION:
        return []
    x, y = layout.seats[owner].action
    is_now = is_of_this_round(state, owner)
    is_table = is_now and owner == state.table_seat and action != PASS
    if action == PASS or action >= GIVE or layout.is_narrow:
        fill, ink = (PANEL, CHALK) if is_now else ("#0e2b2266", DIM_CHALK)
        if is_table:
            fill, ink = YELLOW, YELLOW_INK
        size = 12 if layout.is_narrow else 14
        return pill(x, y, last_action_name(state, owner, seat), fill, ink, size)
    rank, count = _play(action)
    if not is_now:
        return _small_play(rank, count, x, y, FADED)
    ground = [_ground(count, x, y, GOLD)] if is_table else []
    return ground + _small_play(rank, count, x, y, PAPER)


def _small_play(rank: int, count: int, x: float, y: float, paper: str) -> list[Shape]:
    left = x - _small_width(count) / 2
    card = replace(CARDS[rank], paper=paper)
    shapes: list[Shape] = []
    for index in range(count):
        shapes += small_card_shapes(
            card, left + SMALL_STEP * index, y - SMALL_HEIGHT / 2, SMALL_HEIGHT
        )
    return shapes


def _small_width(count: int) -> float:
    return SMALL_HEIGHT * CARD_ASPECT + SMALL_STEP * (count - 1)


def _ground(count: int, x: float, y: float, fill: str) -> Shape:
    """A patch of the size of a small play."""
    width, height = _small_width(count) + 7, SMALL_HEIGHT + 7
    return Rectangle(x - width / 2, y - height / 2, width, height, fill, 7)
