"""The table of Notty as a picture: open hands, what each seat did last, and what is in the deck.

A click on the deck draws a card; clicks on cards of a hand choose the group to discard.
"""

from collections.abc import Sequence

import numpy as np

from ..core.drawing import palette, table
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
from ..core.drawing.layout import Box
from ..core.drawing.picture import Part, Picture, Shape, Text
from ..core.game import NO_SEAT
from . import cards, rules
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
    Card(str(number + 1), ink, mark)
    for ink, mark in zip(INKS, MARKS, strict=True)
    for number in range(cards.NUM_NUMBERS)
)

WIDE = {  # by number of seats
    2: table.WideHands(780, 116, 20),
    3: table.WideHands(300, 92, 10),
    4: table.WideHands(280, 92, 10),
}
NARROW = table.NarrowHands(height=670, row_height=100, card_height=80, most=10, most_small=20)


def draw(state: np.record, seat: int | None = None, is_narrow: bool = False) -> Picture:
    """Draw the table as seen from `seat`; all hands are open."""
    num_seats = len(state.hands)
    layout = table.card_table(num_seats, seat, NARROW if is_narrow else WIDE[num_seats])
    clicks = _clicks(state, seat)
    shapes = [*layout.ground(headline(state)), _deck(state, layout)]
    for owner in range(num_seats):
        shapes += _last_action(state, owner, layout)
        shapes += _seat(state, owner, seat, layout)
    shapes += _buttons(state, {part_id for ids in clicks.values() for part_id in ids}, layout)
    return table.table_picture(layout.size, shapes, clicks)


# Actions and the parts that stand for them


def _clicks(state: np.record, seat: int | None) -> dict[str, tuple[str, ...]]:
    """Clicks on the deck, on cards of the hand, or on a table.button."""
    settings = len(state.hands), rules.DISCARDS[int(state.discard)]
    names = action_names(*settings)
    legal = table.clickable(rules, state, seat, rules.num_actions(*settings))
    return {names[action]: _clicked(state, action) for action in legal}


def _clicked(state: np.record, action: int) -> tuple[str, ...]:
    """The parts that an action of the seat to act consists of."""
    num_seats, actor = len(state.hands), int(state.seat_to_act)
    if action == rules.PASS:
        return ("pass",)
    if action <= rules.TAKE:
        return ("deck",) * (action - rules.DRAW)
    if action < rules.first_discard(num_seats):
        return (f"take:{(actor + action - rules.TAKE) % num_seats}",)
    ids = dict(zip(cards.kinds_of(*state.hands[actor]), _card_ids(state, actor), strict=True))
    return tuple(ids[kind] for kind in cards.GROUPS[action - rules.first_discard(num_seats)])


def _card_ids(state: np.record, owner: int) -> list[str]:
    """The ids of a hand's cards; of two equal cards the one in the lower seat's hand is copy 0."""
    seen = [kind for other in range(owner) for kind in cards.kinds_of(*state.hands[other])]
    ids = []
    for kind in cards.kinds_of(*state.hands[owner]):
        ids.append(f"card:{cards.KIND_NAMES[kind]}:{seen.count(kind)}")
        seen.append(kind)
    return ids


def _hand(state: np.record, owner: int, seat: int | None) -> list[CardPart]:
    """The cards of a hand."""
    whose = "" if owner == seat else f", player {owner}"
    kinds = cards.kinds_of(*state.hands[owner])
    return [
        CardPart(part_id, cards.KIND_NAMES[kind] + whose, CARDS[kind])
        for kind, part_id in zip(kinds, _card_ids(state, owner), strict=True)
    ]


def _buttons(state: np.record, chosen: set[str], layout: table.CardTable) -> list[Part]:
    """Pass or end the turn, and a table.button at each seat from which a card can be taken."""
    height = 28.0 if layout.is_narrow else 32.0
    ends = "pass" if state.phase == rules.NOTHING_YET else "end turn"
    buttons = []
    for seat, place in enumerate(layout.seats):
        x, y = place.plate.center
        at = (312.0 if layout.is_narrow else x + 128, y, 78, height)
        if seat == state.seat_to_act and "pass" in chosen:
            buttons.append(table.button("pass", ends, *at))
        elif f"take:{seat}" in chosen:
            shapes = table.button(f"take:{seat}", "take one", *at).shapes
            buttons.append(Part(f"take:{seat}", f"take a card from player {seat}", shapes))
    return buttons


# The deck


def _deck(state: np.record, layout: table.CardTable) -> Part:
    """The deck in the middle: how many cards of each kind it has, one row per colour."""
    held = cards.kinds_of(*cards.deck_words(state.hands))
    step, row_step = (18.0, 21.0) if layout.is_narrow else (25.0, 25.0)
    width, height = step * cards.NUM_NUMBERS, row_step * len(cards.COLOURS)
    x, y = layout.center
    title = f"deck: {len(held)} of {cards.NUM_CARDS}"
    shapes: list[Shape] = [
        Box.around(x, y, width + 26, height + 36).filled(palette.PANEL, 12),
        Text(x, y - height / 2 - 4, title, 13, palette.CHALK, is_bold=True),
    ]
    for colour, row in enumerate(
        Box.around(x, y + 10, width, height).equal_rows(len(cards.COLOURS))
    ):
        for number, cell in enumerate(row.equal_columns(cards.NUM_NUMBERS)):
            count = held.count(colour * cards.NUM_NUMBERS + number)
            ink = PALE_INKS[colour] if count else NONE_LEFT
            place = (cell.center[0], cell.center[1] - 4, 13)
            shapes += counted(str(number + 1), ink, count, cards.NUM_COPIES, place)
    return Part("deck", f"deck of {len(held)} cards; each click draws one", tuple(shapes))


# The seats


def _seat(
    state: np.record, owner: int, seat: int | None, layout: table.CardTable
) -> list[Shape | Part]:
    """The hand of a seat, or its crown, and its plate with the number of cards."""
    place = layout.seats[owner]
    hand = _hand(state, owner, seat)
    shapes: list[Shape | Part] = [*card_rows(hand, place.hand)]
    if not hand and state.winner == owner:
        x, y, size = place.hand.x, place.hand.y, min(20.0, place.hand.height * 0.3)
        shapes += CROWN.at(x, y - size * 0.6, size * 3)
        shapes.append(Text(x, y + size * 1.5, "wins", size, palette.LIGHT_GOLD, is_bold=True))
    is_to_act = owner == state.seat_to_act and not rules.is_terminal(state)
    box = place.plate
    if not layout.is_narrow:  # room for a table.button beside it
        box = Box.around(*box.center, 160, box.height)
    plate = table.seat_plate(box, f"player {owner}", str(len(hand)), is_to_act)
    return [*shapes, table.seat_part(owner, seat, f"{len(hand)} cards", plate)]


def _last_action(state: np.record, owner: int, layout: table.CardTable) -> Sequence[Shape]:
    """What a seat did last: under its plate, in a narrow picture above its hand."""
    text, place = last_action_text(state, owner), layout.seats[owner]
    if not text:
        return []
    ink = palette.DIM_CHALK if state.winner not in (NO_SEAT, owner) else palette.CHALK
    x, y = place.plate.center
    if not layout.is_narrow:
        return table.pill(x, y + 27, text, palette.PANEL, ink)
    is_at_bottom = place.hand.height == NARROW.card_height  # where the hand lies higher
    y = layout.size[1] - 164.0 if is_at_bottom else y + 23
    return [Text(14, y, f"last: {text}", 11.5, ink, "start")]
