"""The table of Top Trumps as a picture: each seat's top card, what is known of it, the last trick.

A card is a table of its fields. Of a card that may not be seen it shows the least and the largest
value that it can have, by what the seat can deduce. The cards of the last trick lie between the top
cards, with the field that was compared.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..core.bits import allowed_list, is_allowed
from ..core.drawing import palette, table
from ..core.drawing.boxes import Box
from ..core.drawing.cards import MIN_TEXT
from ..core.drawing.picture import Circle, Line, Part, Picture, Polygon, Shape, Text
from ..core.game import NO_SEAT
from ..core.words import count_noun
from .rules import DRAWN, NONE, NUM_SEATS, is_terminal, place_at
from .text import Names, card_name, field_words, headline, shows_top, value_words

INK, STRONG = "#2c4a6c", "#a3202a"
HIGHLIGHT = "#fbe3a0"  # the field compared last
UNSEEN = "#dfe3e8"  # paper of a card that may not be seen
FIELD_FILL, FIELD_EDGE = "#fffdf6", "#c9c3b2"
SPACE = "#141c2b"
PORTRAITS = {  # of the planets: size, colour and light
    "Mercury": (0.35, "#7d7770", "#a39b90"),
    "Venus": (0.55, "#c58a3c", "#e6bd76"),
    "Earth": (0.58, "#2c63b4", "#5fa36a"),
    "Mars": (0.45, "#a8452b", "#d0744f"),
    "Jupiter": (0.85, "#b08256", "#dcb98c"),
    "Saturn": (0.68, "#c3a05a", "#ead7a0"),
    "Uranus": (0.65, "#5fa5ae", "#a4d8dd"),
    "Neptune": (0.64, "#2f52a8", "#6e8fe0"),
    "Pluto": (0.3, "#93806b", "#c4b19a"),
}
RINGED = ("Saturn", "Uranus")
LETTER = 0.56  # the width of a letter, in sizes of the text


@dataclass(frozen=True)
class TrumpsPlaces(table.Places):
    """The places in a picture; those of the seat that looks come first."""

    cards: tuple[Box, Box]  # top cards: a title, and a row for each field
    title_height: float
    text_size: float
    panel: Box  # of the last trick
    lines: Box  # of text in it
    played: tuple[Box, Box]  # the cards of the last trick
    known_lines: int  # of names of possible cards
    known_letters: int  # in such a line


class View(NamedTuple):
    """What is drawn, for whom, and where."""

    names: Names
    state: np.record
    seat: int | None
    places: TrumpsPlaces


def _wide_places(num_fields: int) -> TrumpsPlaces:
    """The top cards at both sides; between them those of the last trick, side by side."""
    row_height = min(58.0, 440 / num_fields)
    left, panel, right = Box(40, 98, 1000, 58 + row_height * num_fields).columns(360, 240, 360)
    played, lines = panel.inset(8).rows(panel.height * 0.56, panel.height * 0.44 - 24)
    own, other = played.equal_columns(2, 8)
    return TrumpsPlaces(
        size=(1080, round(panel.bottom + 114)),
        cards=(left, right),
        title_height=50,
        text_size=min(18.0, row_height * LETTER),
        panel=panel,
        lines=lines,
        played=(own, other),
        known_lines=3,
        known_letters=44,
    )


def _narrow_places(num_fields: int) -> TrumpsPlaces:
    """Both cards one below the other, each with rows large enough for a finger."""
    width, height = table.NARROW_WIDTH - 24, 38 + 26 * num_fields
    upper = Box(12, 62, width, 38 + 44 * num_fields)
    panel = Box(12, upper.bottom + 40, width, 112)
    lower = Box(12, panel.bottom + 40, width, height)
    lines, *played = panel.inset(4).rows(38, 28, 28)
    return TrumpsPlaces(
        size=(table.NARROW_WIDTH, round(lower.bottom + 46)),
        cards=(upper, lower),
        title_height=30,
        text_size=13,
        panel=panel,
        lines=lines,
        played=(played[0], played[1]),
        known_lines=2,
        known_letters=52,
    )


def draw(
    names: Names,
    state: np.record,
    seat: int | None = None,
    is_narrow: bool = False,
    is_live: bool = True,
) -> Picture:
    """Draw the table with both top cards (seat None), or with what `seat` may see.

    People who watch (NO_SEAT) see no top card, and of the last trick what both seats know.
    """
    places = (_narrow_places if is_narrow else _wide_places)(len(names.fields))
    view, (width, height) = View(names, state, seat, places), places.size
    felt = Box(2, 24, width - 4, height - 26) if is_narrow else Box(20, 40, width - 40, height - 60)
    shapes: list[Shape | Part] = [*places.board(felt), places.title(headline(state))]
    for owner in range(NUM_SEATS):
        shapes += _seat(view, owner)
    clicks = _clicks(names, state, seat) if is_live else {}
    return table.table_picture(places.size, [*shapes, *_last_trick(view)], clicks)


def _clicks(names: Names, state: np.record, seat: int | None) -> dict[str, tuple[str, ...]]:
    """A field of the starter's card; all are legal."""
    starter = int(state["starter"])
    if is_terminal(state) or seat not in (None, starter):
        return {}
    return {name: (_field_id(starter, field),) for field, name in enumerate(names.fields)}


def _field_id(owner: int, field: int) -> str:
    return f"seat:{owner}:field:{field}"


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


def _seat(view: View, owner: int) -> list[Shape | Part]:
    """A seat's plate, its top card as far as it is known, and which cards it may be."""
    _, state, seat, places = view
    card_box = places.cards[(owner - max(0, seat or 0)) % NUM_SEATS]
    holds = count_noun(int(state["deck_sizes"][owner]), "card")
    is_to_act = owner == state["starter"] and not is_terminal(state)
    height = 24.0 if places.is_narrow else 28.0
    box = card_box._replace(y=card_box.y - height - 6, height=height)
    plate = table.seat_part(
        owner, seat, holds, table.seat_plate(box, f"player {owner}", holds, is_to_act)
    )
    if seat == NO_SEAT and state["deck_sizes"][owner]:
        return [plate, _face_down(owner, card_box)]
    cards = possible_tops(state, owner, seat)
    if not cards:
        note = Text(*card_box.center, "no cards left", places.text_size, palette.DIM_CHALK)
        return [plate, table.empty_place(card_box), note]
    return [plate, *_card(view, owner, cards, card_box), *_known(view, cards, card_box)]


def _face_down(owner: int, box: Box) -> Part:
    """The top card for people who see what every seat sees."""
    back = box.filled(palette.BACK, 12, palette.PAPER, 3)
    frame = box.inset(14).filled(palette.BACK, 8, palette.BACK_LINE, 2)
    x, y = box.center
    diamond = ((x, y - 40), (x + 28, y), (x, y + 40), (x - 28, y))
    shapes = (back, frame, Polygon(diamond, palette.BACK_LINE))
    return Part(f"seat:{owner}:top", f"top card of player {owner}, face down", shapes)


def _card(view: View, owner: int, cards: Sequence[int], box: Box) -> list[Shape | Part]:
    """A card, or what the possible cards have in common; a part for each field."""
    names, state, _, places = view
    part_id, title, paper = f"seat:{owner}:top", f"one of {len(cards)} cards", UNSEEN
    if len(cards) == 1:
        part_id, title, paper = f"card:{cards[0]}", card_name(names, state, cards[0]), palette.PAPER
    height, size = places.title_height, places.text_size + 3
    below = Box(box.x - 1, box.y + 2, box.width + 2, box.height)
    middle = (box.center[0], box.y + height / 2)
    frame: tuple[Shape, ...] = (
        below.filled(palette.SHADOW, 12),
        box.filled(paper, 12, palette.PAPER_EDGE, 2),
        Text(*middle, _short(title, 30), size, STRONG, is_bold=True),
    )
    fields = Box(box.x + 8, box.y + height, box.width - 16, box.height - height - 8)
    if len(cards) == 1:
        frame = (*frame, *portrait(title, box.x + 10 + height * 0.4, middle[1], height * 0.36))
    rows = enumerate(fields.equal_rows(len(names.fields)))
    shapes: list[Shape | Part] = [Part(part_id, f"top card of player {owner}: {title}", frame)]
    return shapes + [_field(view, owner, field, cards, row) for field, row in rows]


def _field(view: View, owner: int, field: int, cards: Sequence[int], row: Box) -> Part:
    """One line of a card: the field and its value, or the least and the largest one possible."""
    names, state, _, places = view
    values = [int(state["values"][card, field]) for card in cards]
    low, high = min(values), max(values)
    value = value_words(names, field, high)
    if low != high:
        value = f"{low:,} to {value}"
    is_known, name = len(cards) == 1, field_words(names, field)
    size = places.text_size if is_known else min(places.text_size, 15.0)
    box, y = Box(row.x, row.y + 1.5, row.width, row.height - 3), row.center[1]
    room = row.width - 24 - LETTER * size * len(value)
    shapes: tuple[Shape, ...] = (
        box.filled(FIELD_FILL if is_known else UNSEEN, 5, FIELD_EDGE, 1),
        Text(box.x + 10, y, _short(name, room / (LETTER * size)), size, INK, "start"),
        Text(box.right - 10, y, value, size, INK, "end", is_bold=is_known),
    )
    return Part(_field_id(owner, field), _plain(f"{name} {value}, player {owner}"), shapes)


def _known(view: View, cards: Sequence[int], box: Box) -> list[Shape]:
    """The names of the possible cards below the card, as many as there is room for."""
    names, state, _, places = view
    if len(cards) == 1:
        return []
    shown = sorted(_plain(card_name(names, state, card)) for card in cards)
    lines = _wrapped(shown, places.known_letters, places.known_lines)
    x, y, size = box.x + 4, box.bottom + 12, MIN_TEXT if places.is_narrow else 14.0
    return [
        Text(x, y + 1.35 * size * index, line, size, palette.DIM_CHALK, "start")
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


def _last_trick(view: View) -> list[Shape | Part]:
    """Who won the last trick, its cards with the field that was compared, and the draw pile."""
    names, state, _, places = view
    winner, field = int(state["last_winner"]), int(state["last_field"])
    lines = [("no trick yet", palette.CHALK)]
    if winner != NONE:
        won = "last trick: drawn" if winner == DRAWN else f"player {winner} won"
        lines = [(won, palette.LIGHT_GOLD)]
        if not places.is_narrow:
            heading = [("last trick:", palette.CHALK), (field_words(names, field), palette.CHALK)]
            lines = [*heading, *lines]
    if is_terminal(state):
        lines.append(("the game is over", palette.LIGHT_GOLD))
    else:
        pile = count_noun(int(state["pile_size"]), "card")
        lines.append((f"draw pile: {pile}", palette.DIM_CHALK))
    shapes: list[Shape] = [places.panel.filled(palette.PANEL, 12)]
    if winner == NONE:
        shapes += map(table.empty_place, places.played)
    rows = places.lines.equal_rows(len(lines))
    size = 12.5 if places.is_narrow else min(17.0, rows[0].height * 0.75)
    for (line, ink), row in zip(lines, rows, strict=True):
        shown = _short(line, (row.width - 8) / (LETTER * size))
        shapes.append(Text(*row.center, shown, size, ink, is_bold=True))
    panel = Part("last trick", _plain(", ".join(line for line, _ in lines)), tuple(shapes))
    return [panel, *(_played(view, owner) for owner in range(NUM_SEATS) if winner != NONE)]


def _played(view: View, owner: int) -> Part:
    """The card that a seat played last: its name, if `seat` knows it, and the value compared."""
    names, state, seat, places = view
    box = places.played[(owner - max(0, seat or 0)) % NUM_SEATS]
    card, field = int(state["last_cards"][owner]), int(state["last_field"])
    name = card_name(names, state, card) if _knows_played(state, owner, seat) else "a card"
    compared = value_words(names, field, state["values"][card, field])
    if places.is_narrow:
        compared = f"{field_words(names, field)} {compared}"
    edge = (palette.YELLOW, 3.0) if owner == state["last_winner"] else (palette.PAPER_EDGE, 1.0)
    face = (_row_face if places.is_narrow else _tall_face)(name, compared, box)
    shapes = (box.filled(palette.PAPER, 8, *edge), *face)
    return Part(f"played:{owner}", _plain(f"player {owner} played {name}, {compared}"), shapes)


def _row_face(name: str, compared: str, box: Box) -> list[Shape]:
    """A card in one row: portrait, name, and the value at the end."""
    size = 13.0
    width = min(LETTER * size * len(compared) + 16, box.width * 0.62)
    patch = Box(box.right - 5 - width, box.y + 5, width, box.height - 10)
    face = portrait(name, box.x + 12 + box.height * 0.3, box.center[1], box.height * 0.3)
    left = box.x + 12 + (box.height * 0.75 if face else 0)
    who = _short(name, (patch.x - 8 - left) / (LETTER * size))
    text = Text(left, box.center[1], who, size, STRONG, "start", is_bold=True)
    return [*face, text, *_patch(compared, patch, size)]


def _tall_face(name: str, compared: str, box: Box) -> list[Shape]:
    """A card upright: portrait, name, and the value at the foot."""
    portrait_box, name_box, patch = box.inset(5).rows(box.height * 0.5, 22, box.height * 0.22)
    radius = min(portrait_box.width, portrait_box.height) / 2 - 4
    face = portrait(name, *portrait_box.center, radius)
    size = max(MIN_TEXT, min(17.0, (box.width - 14) / (LETTER * max(len(name), 6))))
    center = (name_box if face else portrait_box).center
    text = Text(*center, _short(name, 14), size, STRONG, is_bold=True)
    return [*face, text, *_patch(compared, patch, 17.0)]


def _patch(value: str, box: Box, size: float) -> list[Shape]:
    """The value that was compared, as large as there is room for."""
    size = max(MIN_TEXT, min(size, (box.width - 6) / (LETTER * len(value))))
    shown = _short(value, (box.width - 4) / (LETTER * size))
    return [box.filled(HIGHLIGHT, 5), Text(*box.center, shown, size, INK, is_bold=True)]


def _knows_played(state: np.record, owner: int, seat: int | None) -> bool:
    """Whether `seat` knows which card `owner` played: the loser may not know the winner's (9)."""
    if seat in (None, owner) or state["last_winner"] != owner:
        return True
    return not is_allowed(state["doubtful"][owner], int(state["last_place"]))


def portrait(card: str, x: float, y: float, radius: float) -> tuple[Shape, ...]:
    """A portrait at (x, y) for a card of the planets deck; nothing for other cards."""
    if card not in PORTRAITS:
        return ()
    size, fill, light = PORTRAITS[card]
    shapes: list[Shape] = [
        Circle(x, y, radius, SPACE),
        Circle(x, y, radius * size, fill),
        Circle(x - radius * size * 0.25, y - radius * size * 0.25, radius * size * 0.5, light),
    ]
    if card in RINGED:
        tilted = ((x - radius * 0.95, y + radius * 0.3), (x + radius * 0.95, y - radius * 0.3))
        shapes.append(Line(tilted, light, max(1.5, radius * 0.12)))
    return tuple(shapes)


def _plain(name: str) -> str:
    """A name in Latin letters and signs, which every font has."""
    return name.encode("latin-1", "replace").decode("latin-1")


def _short(name: str, letters: float) -> str:
    """Return a name in plain letters, shortened to a number of them."""
    plain = _plain(name)
    return plain if len(plain) <= letters else plain[: max(int(letters) - 2, 1)] + ".."
