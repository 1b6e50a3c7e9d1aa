"""The table of trick-taking as a picture: seats, hands, and the trick as it lies.

Each colour has the emblem and the ink of a suit. When a trick has been taken and the next is not
yet led, the cards of the last one are still shown.
"""

import numpy as np

from ..core.drawing import cards, palette, table
from ..core.drawing.boxes import Box
from ..core.drawing.picture import Part, Picture, Point, Shape, Text
from ..core.words import count_noun
from . import rules
from .rules import NO_CARD, NO_COLOUR, is_terminal
from .text import (
    INKS,
    SUITS,
    card_label,
    card_name,
    headline,
    held_cards,
    is_known,
    is_of_this_or_last_trick,
)

SUIT_MARKS = (cards.spade, cards.heart, cards.club, cards.diamond)
MARKS = tuple(make(ink) for make, ink in zip(SUIT_MARKS, INKS, strict=True))

WIDE = {  # by number of seats
    2: table.WideHands(780, 116, 20),
    3: table.WideHands(400, 100, 12),
    4: table.WideHands(340, 96, 11),
}
DIM_PAPER, DIM_INK = "#b8b2a2", "#3a372f"  # of cards that may not be played now
DIM_MARKS = tuple(make(DIM_INK) for make in SUIT_MARKS)
PILE_HEIGHT, NARROW_PILE_HEIGHT = 46.0, 26.0
NARROW = table.NarrowHands(height=640, row_height=74, card_height=84, most=11)
TALL_ROW_HEIGHT = 96  # of another seat whose hand has two rows
TRICK_HEIGHT, NARROW_TRICK_HEIGHT = 96.0, 84.0
TRICK_STEP, NARROW_TRICK_STEP = 74.0, 82.0


def draw(
    state: np.record, seat: int | None = None, is_narrow: bool = False, is_live: bool = True
) -> Picture:
    """The table with all hands (seat None) or, from the place of `seat`, what it may see."""
    num_seats, num_values = state["dealt"].shape
    measures = _narrow_measures(num_values) if is_narrow else WIDE[num_seats]
    places = table.card_table(num_seats, seat, measures)
    clicks = _clicks(state, seat) if is_live else {}
    shapes = [
        *places.ground(headline(state, card_label) + _deciding(state)),
        *_middle(state, places),
    ]
    for owner in range(num_seats):
        shapes += _won_pile(state, owner, seat, places)
        shapes += _played_card(state, owner, seat, places)
        shapes += _seat(state, owner, seat, places, {ids[0] for ids in clicks.values()})
    return table.table_picture(places.size, shapes, clicks)


def _deciding(state: np.record) -> str:
    """How many tricks decide a game of two."""
    num_seats, num_values = state["dealt"].shape
    return f"; {num_values // 2 + 1} tricks win" if num_seats == 2 else ""


def _won_pile(
    state: np.record, owner: int, seat: int | None, places: table.CardTable
) -> list[Shape | Part]:
    """The tricks of a seat face down, with their number; the cards of the last one glide there."""
    won, plate = int(state["tricks_won"][owner]), places.seats[owner].plate
    if not won:
        return []
    height = NARROW_PILE_HEIGHT if places.is_narrow else PILE_HEIGHT
    x = plate.right + (64 if places.is_narrow else 26)
    y = plate.center[1] + (0 if places.is_narrow else 30)
    number = Text(x + height * 0.62, y, str(won), height * 0.5, palette.CHALK, "start", True)
    label = f"{count_noun(won, 'trick')} of player {owner}"
    shapes: list[Shape | Part] = [
        Part(f"seat:{owner}:won", label, (*table.pile(x, y, height, won), number))
    ]
    if owner == state["leader"] and state["table"].any():
        shapes += _swept(state, seat, (x, y, height))
    return shapes


def _swept(
    state: np.record, seat: int | None, place: tuple[float, float, float]
) -> list[Shape | Part]:
    """The cards of the last trick, as far as their seats have not played again, on a pile."""
    x, y, height = place
    parts: list[Shape | Part] = []
    for owner in range(len(state["hands"])):
        if state["last_cards"][owner] != NO_CARD and not is_of_this_or_last_trick(state, owner):
            part = played_part(state, owner, seat)._replace(face=None)
            parts += cards.card_row((part,), x, y - height * 0.05 * len(parts), height, 100)
    return parts


def _narrow_measures(num_values: int) -> table.NarrowHands:
    is_crowded = num_values > NARROW.most_small
    return NARROW._replace(row_height=TALL_ROW_HEIGHT) if is_crowded else NARROW


def _clicks(state: np.record, seat: int | None) -> dict[str, tuple[str, ...]]:
    """The card of each legal action."""
    num_seats, num_values = state["dealt"].shape
    return {
        _card_id(card, num_values): (_card_id(card, num_values),)  # also the action's name
        for card in table.clickable(rules, state, seat, num_seats * num_values)
    }


def _card_id(card: int, num_values: int) -> str:
    return f"card:{card_name(num_values, card)}"


def card_part(card: int, num_values: int, whose: str = "") -> cards.CardPart:
    """A card face up, with its value in the ink of its suit; `whose` ends its label."""
    colour, value = divmod(card, num_values)
    face = cards.Card(str(value), INKS[colour], MARKS[colour])
    return cards.CardPart(_card_id(card, num_values), card_label(num_values, card) + whose, face)


def _middle(state: np.record, places: table.CardTable) -> list[Shape]:
    """What is asked for, or who took the last trick."""
    x, y = places.center
    if is_terminal(state):
        text = "the game is over"
    elif state["led_colour"] != NO_COLOUR:
        text = f"follow {SUITS[state['led_colour']]}"
    elif state["last_cards"][state["leader"]] != NO_CARD:
        text = f"player {state['leader']} took the trick"
    else:
        text = f"player {state['leader']} leads"
    return [Text(x, y - 60, text, 15 if places.is_narrow else 18, palette.CHALK, is_bold=True)]


def _played_card(
    state: np.record, owner: int, seat: int | None, places: table.CardTable
) -> list[Shape | Part]:
    """What a seat has put to this trick, or to the last one while nothing is led.

    The cards lie side by side in the middle, clockwise, where no hand reaches them. A card keeps
    the id that it had in the hand.
    """
    if state["last_cards"][owner] == NO_CARD or not is_of_this_or_last_trick(state, owner):
        return []
    part = played_part(state, owner, seat)
    height = NARROW_TRICK_HEIGHT if places.is_narrow else TRICK_HEIGHT
    x, y = _trick_place(owner, seat or 0, places)
    shapes: list[Shape | Part] = []
    if owner == (state["leader"] if state["led_colour"] == NO_COLOUR else state["winner"]):
        edge = Box.around(x, y, height * cards.CARD_ASPECT, height).inset(-4)
        shapes.append(edge.filled(palette.YELLOW, height * 0.1))
    shapes += cards.card_row((part,), x, y, height, 100)
    size = 12 if places.is_narrow else 14
    return [*shapes, Text(x, y + height / 2 + 13, f"player {owner}", size, palette.DIM_CHALK)]


def played_part(state: np.record, owner: int, seat: int | None) -> cards.CardPart:
    """The last card of a seat as a part."""
    num_values = state["dealt"].shape[1]
    part = card_part(int(state["last_cards"][owner]), num_values, f", played by player {owner}")
    if is_known(state, owner, seat):
        return part
    return part._replace(id=cards.card_back(owner, len(held_cards(state, owner))).id)


def _trick_place(owner: int, first: int, places: table.CardTable) -> Point:
    """Where a seat's card of the trick lies."""
    num_seats, (x, y) = len(places.seats), places.center
    steps = (owner - first) % num_seats - (num_seats - 1) / 2
    return x + (NARROW_TRICK_STEP if places.is_narrow else TRICK_STEP) * steps, y + 6


def _seat(
    state: np.record, owner: int, seat: int | None, places: table.CardTable, playable: set[str]
) -> list[Shape | Part]:
    """The hand of a seat and its plate, with the tricks it has won.

    In the hand that chooses, cards that may not be played are dimmed.
    """
    num_values, place = state["dealt"].shape[1], places.seats[owner]
    is_open = is_known(state, owner, seat)
    whose = "" if owner == seat else f", player {owner}"
    hand = [
        card_part(card, num_values, whose) if is_open else cards.card_back(owner, index)
        for index, card in enumerate(held_cards(state, owner))
    ]
    is_to_act = owner == state["seat_to_act"] and not is_terminal(state)
    if playable and is_to_act:
        hand = [part if part.id in playable else _dimmed(part) for part in hand]
    won = int(state["tricks_won"][owner])
    plate = table.seat_plate(place.plate, f"player {owner}", str(won), is_to_act)
    holds = f"{count_noun(won, 'trick')} won, {len(hand)} cards"
    return [*cards.card_rows(hand, place.hand), table.seat_part(owner, seat, holds, plate)]


def _dimmed(part: cards.CardPart) -> cards.CardPart:
    if part.face is None or part.face.mark is None:
        return part
    mark = DIM_MARKS[MARKS.index(part.face.mark)]
    return part._replace(face=cards.Card(part.face.label, DIM_INK, mark, DIM_PAPER))
