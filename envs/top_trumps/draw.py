"""The table of Top Trumps as a picture: decks, visible top cards and the draw pile."""

import numpy as np

from ..core.views.cards import PAPER, PAPER_EDGE, card_shapes
from ..core.views.picture import Picture, Rectangle, Shape, Text
from ..core.views.table import CHALK, DIM_CHALK, ROOM, seat_plate, table_shapes
from .rules import DRAWN, NONE, NUM_SEATS, is_terminal
from .text import Names, card_name, headline, shows_top

WIDTH, HEIGHT = 1080, 740
CARD_WIDTH, CARD_TOP, LINE = 260.0, 150.0, 21.0
COLUMNS = (240.0, 840.0)  # the centre of each seat's cards
BACK_HEIGHT = 330.0
INK, STRONG = "#2c4a6c", "#a3202a"
MAX_LETTERS = 20


def draw(
    names: Names, state: np.record, seat: int | None = None, is_narrow: bool = False
) -> Picture:
    """Draw the table with both top cards (seat None) or with what `seat` may see."""
    shapes = table_shapes(WIDTH, HEIGHT, 52)
    shapes.append(Text(20, 18, headline(state), 16, DIM_CHALK, "start"))
    for owner in range(NUM_SEATS):
        shapes += _deck(names, state, owner, seat)
    shapes += _middle(names, state)
    return Picture(WIDTH, HEIGHT, ROOM, tuple(shapes))


def _deck(names: Names, state: np.record, owner: int, seat: int | None) -> list[Shape]:
    """A seat's top card, face up if it may be seen, and its plate with the size of its deck."""
    x = COLUMNS[owner]
    size = int(state["deck_sizes"][owner])
    shapes: list[Shape] = []
    if shows_top(state, owner, seat):
        shapes += _face(names, state, owner, x)
    elif size:
        shapes += card_shapes(None, x - 0.34 * BACK_HEIGHT, CARD_TOP + 40, BACK_HEIGHT)
    is_to_act = owner == state["starter"] and not is_terminal(state)
    return shapes + seat_plate(x, HEIGHT - 115, 200, f"player {owner}", str(size), is_to_act)


def _face(names: Names, state: np.record, owner: int, x: float) -> list[Shape]:
    """A card as a panel: its name, then a line for each field."""
    card = int(state["decks"][owner, state["heads"][owner]])
    left, height = x - CARD_WIDTH / 2, 64 + LINE * len(names.fields)
    shapes: list[Shape] = [
        Rectangle(left, CARD_TOP, CARD_WIDTH, height, PAPER, 14, PAPER_EDGE, 3),
        Text(x, CARD_TOP + 28, _short(card_name(names, state, card)), 20, STRONG, is_bold=True),
    ]
    for line, name in enumerate(names.fields):
        y = CARD_TOP + 64 + LINE * line
        value = str(int(state["values"][card, line]))
        shapes.append(Text(left + 16, y, _short(name), 15, INK, "start"))
        shapes.append(Text(left + CARD_WIDTH - 16, y, value, 16, INK, "end", is_bold=True))
    return shapes


def _middle(names: Names, state: np.record) -> list[Shape]:
    """The last trick and the draw pile."""
    x, lines = WIDTH / 2, [f"draw pile: {state['pile_size']}"]
    if state["last_winner"] != NONE:
        field = int(state["last_field"])
        values = [int(state["values"][card, field]) for card in state["last_cards"]]
        winner = int(state["last_winner"])
        lines.append(_short(names.fields[field]))
        lines.append(f"{values[0]} : {values[1]}")
        lines.append("drawn" if winner == DRAWN else f"player {winner} won")
    if is_terminal(state):
        lines.append("the game is over")
    return [Text(x, 300 + 30 * row, line, 17, CHALK) for row, line in enumerate(lines)]


def _short(name: str) -> str:
    """A name in ASCII, shortened to fit on a card."""
    plain = name.encode("ascii", "replace").decode()
    return plain if len(plain) <= MAX_LETTERS else plain[: MAX_LETTERS - 2] + ".."
