"""The table of Top Trumps as a picture: each seat's top card, what is known of it, the last trick.

A card is a table of its fields. Of a card that may not be seen it shows the least and the largest
value that it can have, by what the seat can deduce. The cards of the last trick lie apart, with the
field that was compared.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..core.bits import allowed_list, is_allowed
from ..core.drawing.cards import MIN_TEXT, PAPER, PAPER_EDGE, SHADOW
from ..core.drawing.picture import Part, Picture, Rectangle, Shape, Text
from ..core.drawing.table import (
    CHALK,
    DIM_CHALK,
    FELT,
    LIGHT_GOLD,
    NARROW_WIDTH,
    PANEL,
    RIM,
    YELLOW,
    seat_plate,
    table_picture,
)
from .rules import DRAWN, NONE, NUM_SEATS, is_terminal, place_at
from .text import Names, card_name, headline, shows_top

INK, STRONG, DIM_INK = "#2c4a6c", "#a3202a", "#56677a"
HIGHLIGHT = "#fbe3a0"  # the field compared last
UNSEEN = "#dfe3e8"  # paper of a card that may not be seen
FIELD_FILL = "#fffdf6"


class TrumpsLayout(NamedTuple):
    """The measures of a picture, in pixels; the seat that looks is at the left, or on top."""

    size: tuple[int, int]
    lefts: tuple[float, float]  # of both cards
    tops: tuple[float, float]
    card_width: float
    title_height: float
    row_height: float
    text_size: float
    panel: tuple[float, float, float, float]  # of the last trick: left, top, width, height
    played_tops: tuple[float, float]  # of the cards of the last trick
    played_height: float
    known_lines: int  # of names of possible cards
    known_letters: int  # in such a line

    @property
    def is_narrow(self) -> bool:
        """Whether the picture is for a phone."""
        return self.size[0] == NARROW_WIDTH


def _wide_layout(num_fields: int) -> TrumpsLayout:
    row_height = min(50.0, 420 / num_fields)
    return TrumpsLayout(
        size=(1080, 740),
        lefts=(52, 668),
        tops=(98, 98),
        card_width=360,
        title_height=50,
        row_height=row_height,
        text_size=min(18.0, row_height * 0.56),
        panel=(436, 150, 208, 150),
        played_tops=(666, 666),
        played_height=42,
        known_lines=4,
        known_letters=44,
    )


def _narrow_layout(num_fields: int) -> TrumpsLayout:
    """Both cards one below the other, each with rows large enough for a finger."""
    row_height, title_height, known = 26.0, 30.0, 42.0
    step = 34 + title_height + row_height * num_fields + known
    top, panel_height = 62.0, 112.0
    panel_top = top + step - 28
    return TrumpsLayout(
        size=(NARROW_WIDTH, round(top + 2 * step + panel_height - 12)),
        lefts=(12, 12),
        tops=(top, top + step + panel_height + 12),
        card_width=NARROW_WIDTH - 24,
        title_height=title_height,
        row_height=row_height,
        text_size=13,
        panel=(12, panel_top, NARROW_WIDTH - 24, panel_height),
        played_tops=(panel_top + 46, panel_top + 78),
        played_height=28,
        known_lines=2,
        known_letters=52,
    )


def draw(
    names: Names, state: np.record, seat: int | None = None, is_narrow: bool = False
) -> Picture:
    """Draw the table with both top cards (seat None) or with what `seat` may see."""
    layout = (_narrow_layout if is_narrow else _wide_layout)(len(names.fields))
    shapes: list[Shape | Part] = _ground(state, layout)
    for owner in range(NUM_SEATS):
        shapes += _seat(names, state, owner, seat, layout)
    shapes += _last_trick(names, state, seat, layout)
    return table_picture(layout.size, shapes, _clicks(names, state, seat))


def _clicks(names: Names, state: np.record, seat: int | None) -> dict[str, tuple[str, ...]]:
    """A field of the starter's card; all are legal."""
    starter = int(state["starter"])
    if is_terminal(state) or seat not in (None, starter):
        return {}
    return {name: (_field_id(starter, field),) for field, name in enumerate(names.fields)}


def _field_id(owner: int, field: int) -> str:
    return f"seat:{owner}:field:{field}"


def _ground(state: np.record, layout: TrumpsLayout) -> list[Shape | Part]:
    width, height = layout.size
    title_x, title_y, size, gap = (8, 13, 13, 2) if layout.is_narrow else (20, 18, 16, 20)
    inset = gap + (3 if layout.is_narrow else 7)
    top = 24.0 if layout.is_narrow else 40.0
    return [
        Rectangle(gap, top, width - 2 * gap, height - top - gap, RIM, 20),
        Rectangle(
            inset, top + inset - gap, width - 2 * inset, height - top - 2 * inset + gap, FELT, 16
        ),
        Text(title_x, title_y, headline(state), size, DIM_CHALK, "start"),
    ]


# What is known of a top card


def possible_tops(state: np.record, owner: int, seat: int | None) -> list[int]:
    """The cards that may lie on top of a deck, by what `seat` can deduce; one if it is known."""
    if state["deck_sizes"][owner] == 0:
        return []
    top = place_at(state, owner, 0)
    if shows_top(state, owner, seat):
        return [int(state["decks"][owner, top])]
    if owner == seat:  # its own deck: it knows the cards that it has played, and where they lie
        words = state["unplayed"][owner]
    elif state["num_unplayed"][owner] > 0:
        words = state["unplaced"][owner]
    else:
        words = state["candidates"][owner, top]
    return allowed_list(words.copy())


# The seats


def _seat(
    names: Names, state: np.record, owner: int, seat: int | None, layout: TrumpsLayout
) -> list[Shape | Part]:
    """A seat's plate, its top card as far as it is known, and which cards it may be."""
    place = (owner - (seat or 0)) % NUM_SEATS
    left, top = layout.lefts[place], layout.tops[place]
    size = int(state["deck_sizes"][owner])
    is_to_act = owner == state["starter"] and not is_terminal(state)
    name = f"player {owner}"
    height = 24.0 if layout.is_narrow else 28.0
    plate = seat_plate(
        left + layout.card_width / 2,
        top - height / 2 - 6,
        layout.card_width,
        name,
        _count_noun(size),
        is_to_act,
        height,
    )
    label = f"{name}{', you' if owner == seat else ''}: {_count_noun(size)}"
    shapes: list[Shape | Part] = [Part(f"seat:{owner}", label, plate)]
    cards = possible_tops(state, owner, seat)
    if cards:
        shapes += _card(names, state, owner, cards, left, top, layout)
        shapes += _known(names, state, cards, left, top, layout)
    return shapes


def _card(
    names: Names,
    state: np.record,
    owner: int,
    cards: Sequence[int],
    left: float,
    top: float,
    layout: TrumpsLayout,
) -> list[Shape | Part]:
    """A card, or what the possible cards have in common; a part for each field."""
    is_known = len(cards) == 1
    rows = len(names.fields)
    height = layout.title_height + layout.row_height * rows + 8
    title = card_name(names, state, cards[0]) if is_known else f"one of {len(cards)} cards"
    paper = PAPER if is_known else UNSEEN
    size = layout.text_size + 3
    middle = left + layout.card_width / 2
    frame: tuple[Shape, ...] = (
        Rectangle(left - 1, top + 2, layout.card_width + 2, height, SHADOW, 12),
        Rectangle(left, top, layout.card_width, height, paper, 12, PAPER_EDGE, 2),
        Text(middle, top + layout.title_height / 2, _short(title, 30), size, STRONG, is_bold=True),
    )
    part_id = f"card:{cards[0]}" if is_known else f"seat:{owner}:top"
    shapes: list[Shape | Part] = [Part(part_id, f"top card of player {owner}: {title}", frame)]
    for field in range(rows):
        y = top + layout.title_height + layout.row_height * field
        shapes.append(_field(names, state, owner, field, cards, left, y, layout))
    return shapes


def _field(
    names: Names,
    state: np.record,
    owner: int,
    field: int,
    cards: Sequence[int],
    left: float,
    y: float,
    layout: TrumpsLayout,
) -> Part:
    """One line of a card: the field and its value, or the least and the largest one possible."""
    values = [int(state["values"][card, field]) for card in cards]
    low, high = min(values), max(values)
    value = f"{low}" if low == high else f"{low} to {high}"
    is_known = len(cards) == 1
    fill = FIELD_FILL if is_known else UNSEEN
    gap = 1.5
    height = layout.row_height - 2 * gap
    x, width, size = left + 8, layout.card_width - 16, layout.text_size
    letters = int((width - 24 - 0.56 * size * len(value)) / (0.56 * size))
    name, middle = _short(_field_name(names, field), letters), y + layout.row_height / 2
    shapes: tuple[Shape, ...] = (
        Rectangle(x, y + gap, width, height, fill, 5, "#c9c3b2", 1),
        Text(x + 10, middle, name, size, INK, "start"),
        Text(x + width - 10, middle, value, size, INK, "end", is_bold=is_known),
    )
    label = f"{_field_name(names, field)} {value}, player {owner}"
    return Part(_field_id(owner, field), _ascii(label), shapes)


def _known(
    names: Names,
    state: np.record,
    cards: Sequence[int],
    left: float,
    top: float,
    layout: TrumpsLayout,
) -> list[Shape]:
    """The names of the possible cards below the card, as many as there is room for."""
    if len(cards) == 1:
        return []
    shown = sorted(_ascii(card_name(names, state, card)) for card in cards)
    lines = _wrapped(shown, layout.known_letters, layout.known_lines)
    size = MIN_TEXT if layout.is_narrow else 14.0
    y = top + layout.title_height + layout.row_height * len(names.fields) + 20
    return [
        Text(left + 4, y + 1.35 * size * index, line, size, DIM_CHALK, "start")
        for index, line in enumerate(lines)
    ]


def _wrapped(words: Sequence[str], letters: int, most_lines: int) -> list[str]:
    """Words in lines; those for which there is no room are counted."""
    lines: list[str] = []
    line = ""
    for index, word in enumerate(words):
        rest = f"and {len(words) - index} more"
        is_last_line = len(lines) == most_lines - 1
        room = letters - (len(rest) + 2 if is_last_line and index < len(words) - 1 else 0)
        longer = f"{line}, {word}" if line else word
        if len(longer) <= room or not line:
            line = longer
        elif is_last_line:
            return [*lines, f"{line}, {rest}"]
        else:
            lines.append(line + ",")
            line = word
    return [*lines, line]


# The last trick


def _last_trick(
    names: Names, state: np.record, seat: int | None, layout: TrumpsLayout
) -> list[Shape | Part]:
    """Who won the last trick, its cards with the field that was compared, and the draw pile."""
    left, top, width, height = layout.panel
    lines: list[tuple[str, str]] = [("no trick yet", CHALK)]
    shapes: list[Shape | Part] = []
    if state["last_winner"] != NONE:
        winner = int(state["last_winner"])
        lines = [("last trick: drawn" if winner == DRAWN else f"player {winner} won", LIGHT_GOLD)]
        if not layout.is_narrow:
            lines = [
                ("last trick:", CHALK),
                (_field_name(names, int(state["last_field"])), CHALK),
                *lines,
            ]
        for owner in range(NUM_SEATS):
            shapes.append(_played(names, state, owner, seat, layout))
    if is_terminal(state):
        lines.append(("the game is over", LIGHT_GOLD))
    else:
        lines.append((f"draw pile: {_count_noun(int(state['pile_size']))}", DIM_CHALK))
    if layout.is_narrow:  # the cards lie in the panel, below the lines
        height -= 66
    size = 12.5 if layout.is_narrow else 17.0
    step = (height - 8) / len(lines)
    letters = int((width - 16) / (0.56 * size))
    panel: list[Shape] = [Rectangle(*layout.panel, PANEL, 12)]
    for row, (line, ink) in enumerate(lines):
        y = top + 4 + step * (row + 0.5)
        panel.append(Text(left + width / 2, y, _short(line, letters), size, ink, is_bold=True))
    label = _ascii(", ".join(line for line, _ in lines))
    return [Part("last trick", label, tuple(panel)), *shapes]


def _played(
    names: Names, state: np.record, owner: int, seat: int | None, layout: TrumpsLayout
) -> Part:
    """The card that a seat played last: its name, if `seat` knows it, and the value compared."""
    place = (owner - (seat or 0)) % NUM_SEATS
    left, top = layout.lefts[place], layout.played_tops[place]
    width, height = layout.card_width, layout.played_height
    card, field = int(state["last_cards"][owner]), int(state["last_field"])
    name = card_name(names, state, card) if _knows_played(state, owner, seat) else "a card"
    compared = f"{_field_name(names, field)} {int(state['values'][card, field])}"
    size = 13.0 if layout.is_narrow else 16.0
    gap, middle = 5.0, top + height / 2
    compared_width = min(0.56 * size * len(compared) + 16, width * 0.62)
    compared_left = left + width - gap - compared_width
    letters = int((compared_left - left - 90) / (0.56 * size)) + 8
    who = _short(f"{owner}: {name}", max(letters, 8))
    edge, edge_width = (YELLOW, 3.0) if owner == state["last_winner"] else (PAPER_EDGE, 1.0)
    shown = _short(compared, int((compared_width - 8) / (0.54 * size)))
    shapes: tuple[Shape, ...] = (
        Rectangle(left, top, width, height, PAPER, 8, edge, edge_width),
        Rectangle(compared_left, top + gap, compared_width, height - 2 * gap, HIGHLIGHT, 5),
        Text(left + 12, middle, who, size, STRONG, "start", is_bold=True),
        Text(compared_left + compared_width / 2, middle, shown, size, INK, is_bold=True),
    )
    return Part(f"played:{owner}", _ascii(f"player {owner} played {name}, {compared}"), shapes)


def _knows_played(state: np.record, owner: int, seat: int | None) -> bool:
    """Whether `seat` knows which card `owner` played: the loser may not know the winner's (9)."""
    if seat in (None, owner) or state["last_winner"] != owner:
        return True
    return not is_allowed(state["doubtful"][owner], int(state["last_place"]))


def _count_noun(number: int) -> str:
    """`1 card`, `2 cards`."""
    return "1 card" if number == 1 else f"{number} cards"


def _field_name(names: Names, field: int) -> str:
    """The name of a field as people write it."""
    return names.fields[field].replace("_", " ")


def _ascii(name: str) -> str:
    return name.encode("ascii", "replace").decode()


def _short(name: str, letters: int) -> str:
    """Return a name in ASCII, shortened to a number of letters."""
    plain = _ascii(name)
    return plain if len(plain) <= letters else plain[: max(letters - 2, 1)] + ".."
