"""The table of Notty as a picture: open hands, what each seat did last, and what is in the deck.

A click on the deck draws a card; clicks on cards of a hand choose the group to discard.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ..core.drawing.cards import Card, CardPart, card_rows, crown, diamond, disc, polygon_mark
from ..core.drawing.picture import Circle, Part, Picture, Point, Rectangle, Shape, Text
from ..core.drawing.table import (
    CHALK,
    DIM_CHALK,
    LIGHT_GOLD,
    NARROW_WIDTH,
    PANEL,
    CardRow,
    Layout,
    around_places,
    button,
    legal_list,
    pill,
    seat_plate,
    stacked_places,
    table_picture,
)
from ..core.game import CHANCE, NO_SEAT
from .cards import (
    COLOURS,
    GROUPS,
    KIND_NAMES,
    NUM_CARDS,
    NUM_COPIES,
    NUM_KINDS,
    NUM_NUMBERS,
    deck_words,
    kinds_of,
)
from .rules import (
    DISCARDS,
    DRAW,
    NOTHING_YET,
    PASS,
    TAKE,
    first_discard,
    is_terminal,
    legal_actions,
    num_actions,
    seat_to_act,
)
from .text import action_names, headline, last_action_text

INKS = ("#c2242f", "#2c6a8c", "#2a7247", "#7d5c00")  # one per colour
PALE_INKS = ("#ff8f84", "#8fd0ee", "#8fd6a8", "#f0cb75")  # the same on a dark panel
NONE_LEFT = "#86a195"
MARKS = (
    disc(INKS[0]),
    polygon_mark(INKS[1], ((-0.38, -0.38), (0.38, -0.38), (0.38, 0.38), (-0.38, 0.38))),
    polygon_mark(INKS[2], ((0.0, -0.45), (0.48, 0.4), (-0.48, 0.4))),
    diamond(INKS[3]),
)
CARDS = tuple(
    Card(str(number + 1), INKS[colour], MARKS[colour])
    for colour in range(len(COLOURS))
    for number in range(NUM_NUMBERS)
)

# By number of seats.
HAND_WIDTH = {2: 780.0, 3: 300.0, 4: 280.0}
CARD_HEIGHT = {2: 116.0, 3: 92.0, 4: 92.0}
MAX_IN_ROW = {2: 20, 3: 10, 4: 10}
ROW_HEIGHT = 100.0  # of another seat in a narrow picture
PANEL_STEP, NARROW_PANEL_STEP = 25.0, 18.0


def draw(state: np.record, seat: int | None = None, is_narrow: bool = False) -> Picture:
    """Draw the table as seen from `seat`; all hands are open."""
    layout = (_narrow_layout if is_narrow else _wide_layout)(len(state.hands), seat or 0)
    clicks = _clicks(state, seat)
    shapes = [*layout.ground(headline(state)), _deck(state, layout)]
    for owner in range(len(layout.seats)):
        shapes += _last_action(state, owner, layout)
        shapes += _seat(state, owner, seat, layout)
    shapes += _buttons(state, {part_id for ids in clicks.values() for part_id in ids}, layout)
    return table_picture(layout.size, shapes, clicks)


def _wide_layout(num_seats: int, first: int) -> Layout:
    center = (540.0, 372.0)
    places = around_places(
        num_seats,
        first,
        center=center,
        half_width=320,
        half_height=236,
        hand_width=HAND_WIDTH[num_seats],
        cards=CardRow(CARD_HEIGHT[num_seats], MAX_IN_ROW[num_seats]),
    )
    return Layout((1080, 740), center, places)


def _narrow_layout(num_seats: int, first: int) -> Layout:
    height = 670
    places = stacked_places(
        num_seats,
        first,
        top=32,
        row_height=ROW_HEIGHT,
        bottom=height - 8,
        cards=CardRow(80, 10),
        most_in_small_row=20,
    )
    top = 32 + ROW_HEIGHT * (num_seats - 1)
    return Layout((NARROW_WIDTH, height), (NARROW_WIDTH / 2, (top + height - 175) / 2), places)


# Actions and the parts that stand for them


def _clicks(state: np.record, seat: int | None) -> dict[str, tuple[str, ...]]:
    """Clicks on the deck, on cards of the hand, or on a button."""
    actor = int(seat_to_act(state))
    if is_terminal(state) or actor == CHANCE or seat not in (None, actor):
        return {}
    num_seats = len(state.hands)
    discard = DISCARDS[int(state.discard)]
    names = action_names(num_seats, discard)
    legal = legal_list(legal_actions, state, num_actions(num_seats, discard))
    return {names[action]: _clicked(state, action) for action in legal}


def _clicked(state: np.record, action: int) -> tuple[str, ...]:
    """The parts that an action of the seat to act consists of."""
    num_seats, actor = len(state.hands), int(state.seat_to_act)
    if action == PASS:
        return ("pass",)
    if action <= TAKE:
        return ("deck",) * (action - DRAW)
    if action < first_discard(num_seats):
        return (f"take:{(actor + action - TAKE) % num_seats}",)
    ids = dict(zip(kinds_of(*state.hands[actor]), _card_ids(state, actor), strict=True))
    return tuple(ids[kind] for kind in GROUPS[action - first_discard(num_seats)])


def _card_ids(state: np.record, owner: int) -> list[str]:
    """The ids of a hand's cards; of two equal cards the one in the lower seat's hand is copy 0."""
    seen = [kind for other in range(owner) for kind in kinds_of(*state.hands[other])]
    ids = []
    for kind in kinds_of(*state.hands[owner]):
        ids.append(f"card:{KIND_NAMES[kind]}:{seen.count(kind)}")
        seen.append(kind)
    return ids


def _hand(state: np.record, owner: int, seat: int | None) -> list[CardPart]:
    """The cards of a hand."""
    whose = "" if owner == seat else f", player {owner}"
    return [
        CardPart(part_id, KIND_NAMES[kind] + whose, CARDS[kind])
        for kind, part_id in zip(
            kinds_of(*state.hands[owner]), _card_ids(state, owner), strict=True
        )
    ]


def _buttons(state: np.record, chosen: set[str], layout: Layout) -> list[Part]:
    """Pass or end the turn, and a button at each seat from which a card can be taken."""
    height = 28.0 if layout.is_narrow else 32.0
    buttons = []
    for seat in range(len(layout.seats)):
        part_id = "pass" if seat == state.seat_to_act else f"take:{seat}"
        if part_id in chosen:
            ends = "pass" if state.phase == NOTHING_YET else "end turn"
            x, y = layout.seats[seat].plate
            at = (312.0, y) if layout.is_narrow else (x + 128, y)
            text = ends if part_id == "pass" else "take one"
            part = button(part_id, text, *at, 78, height)
            buttons.append(part if part_id == "pass" else _named_take(part, seat))
    return buttons


def _named_take(part: Part, seat: int) -> Part:
    return Part(part.id, f"take a card from player {seat}", part.shapes)


# The deck


def _deck(state: np.record, layout: Layout) -> Part:
    """The deck in the middle: how many cards of each kind it has, one row per colour."""
    held = kinds_of(*deck_words(state.hands))
    step = NARROW_PANEL_STEP if layout.is_narrow else PANEL_STEP
    row_step = 21.0 if layout.is_narrow else PANEL_STEP
    left = layout.center[0] - step * (NUM_NUMBERS - 1) / 2
    top = layout.center[1] - row_step * 1.5 + 8
    width, height = step * NUM_NUMBERS + 26, row_step * len(COLOURS) + 36
    title = f"deck: {len(held)} of {NUM_CARDS}"
    shapes: list[Shape] = [
        Rectangle(layout.center[0] - width / 2, top - 40, width, height, PANEL, 12),
        Text(layout.center[0], top - 26, title, 13, CHALK, is_bold=True),
    ]
    for kind in range(NUM_KINDS):
        colour, number = divmod(kind, NUM_NUMBERS)
        x, y = left + step * number, top + row_step * colour
        shapes += _count(held.count(kind), str(number + 1), PALE_INKS[colour], x, y)
    return Part("deck", f"deck of {len(held)} cards; each click draws one", tuple(shapes))


@lru_cache(maxsize=1 << 9)
def _count(count: int, label: str, ink: str, x: float, y: float) -> tuple[Shape, ...]:
    """A number with a dot for each of its cards."""
    color = ink if count else NONE_LEFT
    shapes: list[Shape] = [Text(x, y - 2, label, 13, color, is_bold=count == NUM_COPIES)]
    for place in range(NUM_COPIES):
        dot = ink if place < count else "#ffffff16"
        shapes.append(Circle(x - 3.5 + 7 * place, y + 8, 2.2, dot))
    return tuple(shapes)


# The seats


def _seat(state: np.record, owner: int, seat: int | None, layout: Layout) -> list[Shape | Part]:
    """The hand of a seat, or its crown, and its plate with the number of cards."""
    place = layout.seats[owner]
    x, y = place.hand
    cards = _hand(state, owner, seat)
    shapes: list[Shape | Part] = []
    if cards:
        shapes += card_rows(cards, x, y, place.cards.height, place.hand_width, place.cards.most)
    elif state.winner == owner:
        size = min(20.0, place.cards.height * 0.3)
        shapes += crown(x, y - size * 0.6, size * 3)
        shapes.append(Text(x, y + size * 1.5, "wins", size, LIGHT_GOLD, is_bold=True))
    is_to_act = owner == state.seat_to_act and not is_terminal(state)
    width = place.plate_width if layout.is_narrow else 160.0
    name, badge = f"player {owner}", str(len(cards))
    plate = seat_plate(*place.plate, width, name, badge, is_to_act, layout.plate_height)
    label = f"{name}{', you' if owner == seat else ''}: {len(cards)} cards"
    return [*shapes, Part(f"seat:{owner}", label, plate)]


def _last_action(state: np.record, owner: int, layout: Layout) -> Sequence[Shape]:
    """What a seat did last: under its plate, in a narrow picture above its hand."""
    text = last_action_text(state, owner)
    if not text:
        return []
    ink = DIM_CHALK if state.winner not in (NO_SEAT, owner) else CHALK
    x, y = layout.seats[owner].plate
    if not layout.is_narrow:
        return pill(x, y + 27, text, PANEL, ink)
    place: Point = (14.0, y + 23)
    if layout.seats[owner].cards.height > 50:  # the seat at the bottom, whose hand lies higher
        place = (14.0, layout.size[1] - 164.0)
    return [Text(*place, f"last: {text}", 11.5, ink, "start")]
