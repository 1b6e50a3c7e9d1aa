"""The table of Notty as a picture: open hands, what each seat did last, and what is in the deck.

Buttons under the deck draw cards; clicks on cards of a hand choose the group to discard.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..core.drawing import palette, table
from ..core.drawing.boxes import Box
from ..core.drawing.cards import (
    CROWN,
    Card,
    CardPart,
    card_rows,
    counted,
    diamond,
    disc,
    polygon_mark,
)
from ..core.drawing.picture import Circle, Line, Part, Picture, Rectangle, Shape, Text
from ..core.game import NO_SEAT
from ..core.words import count_noun
from . import cards, rules
from .text import INKS, action_names, cards_text, headline, last_action_text

PALE_INKS = ("#ff8f84", "#8fd0ee", "#8fd6a8", "#f0cb75")  # the same on a dark panel
NONE_LEFT = "#86a195"
MAX_NEAR = 4  # lines above a hand
SQUARE = ((-0.38, -0.38), (0.38, -0.38), (0.38, 0.38), (-0.38, 0.38))
TRIANGLE = ((0.0, -0.45), (0.48, 0.4), (-0.48, 0.4))
MARKS, PALE_MARKS = (
    (disc(red), polygon_mark(blue, SQUARE), polygon_mark(green, TRIANGLE), diamond(yellow))
    for red, blue, green, yellow in (INKS, PALE_INKS)
)
CARDS = tuple(
    Card(str(number + 1), ink, mark)
    for ink, mark in zip(INKS, MARKS, strict=True)
    for number in range(cards.NUM_NUMBERS)
)

WIDE = {  # by number of seats
    2: table.WideHands(780, 116, 20),
    3: table.WideHands(300, 92, 10),
    4: table.WideHands(220, 92, 7),
}
NARROW = table.NarrowHands(height=670, row_height=100, card_height=80, most=10, most_small=20)


def draw(
    state: np.record, seat: int | None = None, is_narrow: bool = False, is_live: bool = True
) -> Picture:
    """Draw the table as seen from `seat`; all hands are open."""
    num_seats = len(state["hands"])
    places = table.card_table(num_seats, seat, NARROW if is_narrow else WIDE[num_seats])
    if is_narrow:  # room for a line of text above the hand
        places = replace(places, center=(places.center[0], places.center[1] - 12))
    clicks = _clicks(state, seat) if is_live else {}
    shapes = [*places.ground(headline(state)), *_deck(state, places), _deck_counts(state, places)]
    for owner in range(num_seats):
        shapes += _last_action(state, owner, places)
        shapes += _seat(state, owner, seat, places)
    shapes += _buttons(state, {part_id for ids in clicks.values() for part_id in ids}, places)
    return table.table_picture(places.size, shapes, clicks)


# Actions and the parts that stand for them


def _clicks(state: np.record, seat: int | None) -> dict[str, tuple[str, ...]]:
    """Clicks on a button, or on the cards of the hand that form a group."""
    settings = len(state["hands"]), rules.DISCARDS[int(state["discard"])]
    names = action_names(*settings)
    legal = table.clickable(rules, state, seat, rules.num_actions(*settings))
    return {names[action]: _clicked(state, action) for action in legal}


def _clicked(state: np.record, action: int) -> tuple[str, ...]:
    """The parts that an action of the seat to act consists of."""
    num_seats, actor = len(state["hands"]), int(state["seat_to_act"])
    if action == rules.PASS:
        return ("pass",)
    if action <= rules.TAKE:
        return (f"draw:{action - rules.DRAW}",)
    if action < rules.first_discard(num_seats):
        return (f"take:{(actor + action - rules.TAKE) % num_seats}",)
    ids = dict(zip(cards.kinds_of(*state["hands"][actor]), card_ids(state, actor), strict=True))
    return tuple(ids[kind] for kind in cards.GROUPS[action - rules.first_discard(num_seats)])


def card_ids(state: np.record, owner: int) -> list[str]:
    """The ids of a hand's cards; of two equal cards the one in the lower seat's hand is copy 0."""
    kinds = [kind for other in range(owner) for kind in cards.kinds_of(*state["hands"][other])]
    ids = []
    for kind in cards.kinds_of(*state["hands"][owner]):
        ids.append(f"card:{cards.KIND_NAMES[kind]}:{kinds.count(kind)}")
        kinds.append(kind)
    return ids


def _hand(state: np.record, owner: int, seat: int | None) -> list[CardPart]:
    """The cards of a hand."""
    whose = "" if owner == seat else f", player {owner}"
    kinds = cards.kinds_of(*state["hands"][owner])
    return [
        CardPart(part_id, cards.KIND_NAMES[kind] + whose, CARDS[kind])
        for kind, part_id in zip(kinds, card_ids(state, owner), strict=True)
    ]


def _buttons(state: np.record, chosen: set[str], places: table.CardTable) -> list[Part]:
    """Draw, pass or end the turn, and a button at each seat from which a card can be taken."""
    height = 28.0 if places.is_narrow else 32.0
    ends = "pass" if state["phase"] == rules.NOTHING_YET else "end turn"
    buttons = []
    x, y = _pile_place(places)
    size = 42.0, 36.0
    for count in range(1, rules.MAX_DRAWN + 1):
        if f"draw:{count}" in chosen:
            at = (x + 46.0 * (count - 2), y + (62.0 if places.is_narrow else 92.0), *size)
            shapes = table.button(f"draw:{count}", f"+{count}", *at).shapes
            buttons.append(Part(f"draw:{count}", f"draw {count_noun(count, 'card')}", shapes))
    for seat, place in enumerate(places.seats):
        x, y = place.plate.center
        at = (312.0 if places.is_narrow else x + 128, y, 78, height)
        if seat == state["seat_to_act"] and "pass" in chosen:
            buttons.append(table.button("pass", ends, *at))
        elif f"take:{seat}" in chosen:
            shapes = table.button(f"take:{seat}", "take one", *at).shapes
            buttons.append(Part(f"take:{seat}", f"take a card from player {seat}", shapes))
    return buttons


# The deck


def _pile_place(places: table.CardTable) -> tuple[float, float]:
    """The centre of the deck, to the left of the middle."""
    x, y = places.center
    return (x - 108, y - 8) if places.is_narrow else (x - 168, y - 16)


def _deck(state: np.record, places: table.CardTable) -> list[Part]:
    """The deck as a pile, with the number of its cards."""
    left = len(cards.kinds_of(*cards.deck_words(state["hands"])))
    x, y = _pile_place(places)
    height = 72.0 if places.is_narrow else 116.0
    shapes = table.pile(x, y, height, -(-left // 10))
    shapes += table.pill(x, y, str(left), palette.PANEL, palette.CHALK, height * 0.2)
    return [Part("deck", f"deck of {count_noun(left, 'card')}", tuple(shapes))]


def _deck_counts(state: np.record, places: table.CardTable) -> Part:
    """How many cards of each kind the deck has, one row per colour after its mark."""
    kinds = cards.kinds_of(*cards.deck_words(state["hands"]))
    step, row_step, size = (17.0, 21.0, 13.0) if places.is_narrow else (25.0, 29.0, 15.0)
    width, height = step * (cards.NUM_NUMBERS + 1), row_step * len(cards.COLOURS)
    x, y = places.center
    x += 66 if places.is_narrow else 60
    shapes: list[Shape] = [
        Box.around(x, y, width + 20, height + 36).filled(palette.PANEL, 12),
        Text(x, y - height / 2 - 4, "in the deck", size, palette.CHALK, is_bold=True),
    ]
    for colour, row in enumerate(
        Box.around(x, y + 10, width, height).equal_rows(len(cards.COLOURS))
    ):
        first, *cells = row.equal_columns(cards.NUM_NUMBERS + 1)
        shapes += PALE_MARKS[colour].at(*first.center, size)
        for number, cell in enumerate(cells):
            count = kinds.count(colour * cards.NUM_NUMBERS + number)
            ink = PALE_INKS[colour] if count else NONE_LEFT
            place = (cell.center[0], cell.center[1] - 4, size)
            shapes += counted(str(number + 1), ink, count, cards.NUM_COPIES, place)
    return Part("left", f"in the deck: {cards_text(kinds)}", tuple(shapes))


# The seats


def _seat(
    state: np.record, owner: int, seat: int | None, places: table.CardTable
) -> list[Shape | Part]:
    """The hand of a seat, or its crown, and its plate with the number of cards."""
    place = places.seats[owner]
    hand = _hand(state, owner, seat)
    rows = card_rows(hand, place.hand)
    shapes: list[Shape | Part] = [*rows]
    if owner == max(0, seat or 0):
        shapes += _near_groups(cards.kinds_of(*state["hands"][owner]), rows)
    if not hand and state["winner"] == owner:
        x, y, size = place.hand.x, place.hand.y, min(20.0, place.hand.height * 0.3)
        shapes += CROWN.at(x, y - size * 0.6, size * 3)
        shapes.append(Text(x, y + size * 1.5, "wins", size, palette.LIGHT_GOLD, is_bold=True))
    is_to_act = owner == state["seat_to_act"] and not rules.is_terminal(state)
    box = place.plate
    if not places.is_narrow:  # room for a button beside it
        box = Box.around(*box.center, 160, box.height)
    plate = table.seat_plate(box, f"player {owner}", str(len(hand)), is_to_act)
    return [*shapes, table.seat_part(owner, seat, f"{len(hand)} cards", plate)]


def _near_groups(kinds: Sequence[int], rows: Sequence[Part]) -> list[Shape]:
    """Above the cards of a hand, lines that join those which lack at most one card for a group.

    Of a row before another there are none: they would lie on the labels behind.
    """
    middles: dict[int, tuple[float, float]] = {}  # of the cards by kind
    for kind, part in zip(kinds, rows, strict=True):
        card = next(s for s in part.shapes if isinstance(s, Rectangle) and s.fill == palette.PAPER)
        middles.setdefault(kind, (card.x + 12, card.y - 6))
    joined = [
        set(group) & set(kinds) for group in cards.GROUPS if len(group) == cards.SMALLEST_GROUP
    ]
    near = [group for group in joined if len(group) >= cards.SMALLEST_GROUP - 1]
    top = min((y for _, y in middles.values()), default=0.0)
    shapes: list[Shape] = []
    for level, group in enumerate(sorted(map(sorted, near))[:MAX_NEAR]):
        colour = group[0] // cards.NUM_NUMBERS
        is_run = colour == group[-1] // cards.NUM_NUMBERS
        ink = PALE_INKS[colour] if is_run else palette.CHALK
        xs, y = [middles[kind][0] for kind in group], middles[group[0]][1] - 4.5 * level
        if {middles[kind][1] for kind in group} == {top}:
            shapes.append(Line(((min(xs), y), (max(xs), y)), ink, 2.0))
            shapes += [Circle(x, y, 3.0, ink) for x in xs]
    return shapes


def _last_action(state: np.record, owner: int, places: table.CardTable) -> Sequence[Shape]:
    """What a seat did last: under its plate, in a narrow picture above its hand."""
    text, place = last_action_text(state, owner), places.seats[owner]
    if not text:
        return []
    ink = palette.DIM_CHALK if state["winner"] not in (NO_SEAT, owner) else palette.CHALK
    x, y = place.plate.center
    if not places.is_narrow:
        return table.pill(x, y + 27, text, palette.PANEL, ink)
    is_at_bottom = place.hand.height == NARROW.card_height  # where the hand lies higher
    is_high = len(cards.kinds_of(*state["hands"][owner])) > NARROW.most  # with a row behind
    if is_at_bottom:  # at the right: at the left are buttons
        return [Text(346, places.size[1] - 164.0 - 23.0 * is_high, text, 11.5, ink, "end")]
    return [Text(14, y + 23, text, 11.5, ink, "start")]
