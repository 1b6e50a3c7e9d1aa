"""The table of Splendor as a picture: nobles, cards and the bank, and what each seat has.

A gem is a disc, a card bears a band in its colour and its cost in discs; who acts can buy the cards
with a golden edge. One click takes or returns one gem; a card is chosen with `buy` or `reserve`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..core.drawing.cards import BACK, GOLD, MIN_TEXT, PAPER, PAPER_EDGE, SHADOW, crown
from ..core.drawing.picture import Circle, Part, Picture, Rectangle, Shape, Text
from ..core.drawing.table import (
    CHALK,
    DIM_CHALK,
    FELT,
    FELT_LIGHT,
    NARROW_WIDTH,
    PANEL,
    RIM,
    button,
    legal_list,
    pill,
    seat_plate,
    table_picture,
)
from .actions import (
    BUY,
    BUY_RESERVED,
    COLLECT_RETURNING,
    MAX_RESERVED,
    NOBLE,
    NUM_ACTIONS,
    NUM_SLOTS,
    PASS,
    RESERVE,
    RESERVE_RETURNING,
    SLOTS_PER_TIER,
    collection_of,
)
from .cards import (
    CARDS,
    COLOURS,
    GEM_COLOURS,
    NO_CARD,
    NO_NOBLE,
    NOBLE_POINTS,
    NOBLES,
    NUM_COLOURS,
    NUM_GEM_COLOURS,
    NUM_TIERS,
    unpack,
)
from .rules import is_terminal, legal_actions
from .text import action_name, buyable, count_noun, headline, last_action_name, nobles_won

FILLS = ("#33343a", "#c2242f", "#277a43", "#2c63b4", "#f6f3ea", GOLD)
INKS = ("#ffffff", "#ffffff", "#ffffff", "#ffffff", "#2b2b30", "#2b1d05")
GEM_EDGE = "#00000066"
BACK_INK = "#b4c9e6"

FULL_CARD_WIDTH, CARD_ASPECT = 92.0, 0.73  # width / height


@dataclass(frozen=True)
class SplendorLayout:
    """The measures of a picture, in pixels; places are top left corners, of gems the centres."""

    size: tuple[int, int]
    title_size: float
    felt: tuple[float, float, float, float]
    card_width: float
    deck_left: float
    table_left: float
    card_step: float
    table_top: float
    tier_step: float
    noble_top: float
    noble_size: float
    noble_step: float
    bank_left: float
    bank_y: float
    bank_step: float
    gem_radius: float
    buttons_y: float
    seats_left: float
    seats_width: float
    seats_top: float
    seat_step: float
    holding_first: float  # from a seat's panel to its first colour
    holding_step: float
    holding_radius: float  # of a gem that a seat has
    cards_y: float  # from the top of a seat's panel
    gems_y: float
    nobles_left: float  # of those that a seat has received
    reserved_left: float
    reserved_top: float
    reserved_step: float
    reserved_width: float

    @property
    def is_narrow(self) -> bool:
        """Whether the picture is for a phone."""
        return self.size[0] == NARROW_WIDTH


def _wide_layout(num_seats: int) -> SplendorLayout:
    is_roomy = num_seats == 2
    return SplendorLayout(
        size=(1160, 760),
        title_size=16,
        felt=(20, 40, 596, 704),
        card_width=FULL_CARD_WIDTH,
        deck_left=48,
        table_left=168,
        card_step=106,
        table_top=160,
        tier_step=138,
        noble_top=60,
        noble_size=86,
        noble_step=106,
        bank_left=113,
        bank_y=628,
        bank_step=82,
        gem_radius=29,
        buttons_y=706,
        seats_left=632,
        seats_width=504,
        seats_top=46,
        seat_step=690 / num_seats,
        holding_first=60 if is_roomy else 36,
        holding_step=76 if is_roomy else 42,
        holding_radius=24 if is_roomy else 16,
        cards_y=82 if is_roomy else 62,
        gems_y=142 if is_roomy else 100,
        nobles_left=390 if is_roomy else 14,
        reserved_left=24 if is_roomy else 288,
        reserved_top=182 if is_roomy else 48,
        reserved_step=106 if is_roomy else 72,
        reserved_width=FULL_CARD_WIDTH if is_roomy else 66,
    )


def _narrow_layout(num_seats: int) -> SplendorLayout:
    seats_top, seat_step = 466, 124
    height = seats_top + seat_step * num_seats
    return SplendorLayout(
        size=(NARROW_WIDTH, height),
        title_size=13,
        felt=(2, 24, NARROW_WIDTH - 4, 436),
        card_width=60,
        deck_left=10,
        table_left=78,
        card_step=69,
        table_top=98,
        tier_step=88,
        noble_top=32,
        noble_size=58,
        noble_step=66,
        bank_left=40,
        bank_y=388,
        bank_step=56,
        gem_radius=20,
        buttons_y=434,
        seats_left=4,
        seats_width=NARROW_WIDTH - 8,
        seats_top=seats_top,
        seat_step=seat_step,
        holding_first=16,
        holding_step=26,
        holding_radius=12,
        cards_y=54,
        gems_y=88,
        nobles_left=14,
        reserved_left=167,
        reserved_top=33,
        reserved_step=62,
        reserved_width=60,
    )


def draw(state: np.record, seat: int | None = None, is_narrow: bool = False) -> Picture:
    """The table; nothing but the order of the decks is hidden, so all see the same."""
    num_seats = len(state.gems)
    layout = (_narrow_layout if is_narrow else _wide_layout)(num_seats)
    clicks, can_buy = _clicks(state, seat), buyable(state)
    shapes: list[Shape | Part] = _ground(state, layout)
    for slot in range(len(state.nobles)):
        shapes += _noble_on_table(state, slot, layout)
    for tier in range(NUM_TIERS):
        shapes += _tier(state, tier, can_buy, layout)
    shapes += _bank(state, layout)
    shapes += _buttons({part_id for ids in clicks.values() for part_id in ids}, layout)
    for index in range(num_seats):
        owner = (index + (seat or 0)) % num_seats
        shapes += _seat(state, owner, layout.seats_top + layout.seat_step * index, seat, layout)
    return table_picture(layout.size, shapes, clicks)


def _ground(state: np.record, layout: SplendorLayout) -> list[Shape | Part]:
    left, top, width, height = layout.felt
    radius = 12 if layout.is_narrow else 26
    inset = 3 if layout.is_narrow else 7
    inner = (left + inset, top + inset, width - 2 * inset, height - 2 * inset)
    title = 8 if layout.is_narrow else 24
    y = 13 if layout.is_narrow else 20
    return [
        Rectangle(*layout.felt, RIM, radius),
        Rectangle(*inner, FELT, radius - inset),
        Text(title, y, headline(state), layout.title_size, DIM_CHALK, "start"),
    ]


# Actions and the parts that stand for them


def _clicks(state: np.record, seat: int | None) -> dict[str, tuple[str, ...]]:
    """Gems taken and returned, one click each; a card and what to do with it."""
    if is_terminal(state) or seat not in (None, state.seat_to_act):
        return {}
    legal = legal_list(legal_actions, state, NUM_ACTIONS)
    return {action_name(action): _clicked(state, action) for action in legal}


def _clicked(state: np.record, action: int) -> tuple[str, ...]:
    """The parts that an action of the seat to act consists of."""
    owner = int(state.seat_to_act)
    if action < RESERVE or action >= COLLECT_RETURNING:
        taken, returned = collection_of(action)
        return (*map(_bank_id, taken), *(_gems_id(owner, colour) for colour in returned))
    if action < BUY:
        return _card_id(int(state.table[action - RESERVE])), "reserve"
    if action < BUY_RESERVED:
        return _card_id(int(state.table[action - BUY])), "buy"
    if action < PASS:
        return _card_id(int(state.reserved[owner, action - BUY_RESERVED])), "buy"
    if action == PASS:
        return ("pass",)
    if action < RESERVE_RETURNING:
        return (_noble_id(int(state.nobles[action - NOBLE])),)
    colour, slot = divmod(action - RESERVE_RETURNING, NUM_SLOTS)
    return _card_id(int(state.table[slot])), "reserve", _gems_id(owner, colour)


def _bank_id(colour: int) -> str:
    return f"bank:{GEM_COLOURS[colour]}"


def _gems_id(owner: int, colour: int) -> str:
    return f"seat:{owner}:gems:{GEM_COLOURS[colour]}"


def _card_id(card: int) -> str:
    return f"card:{card}"


def _noble_id(noble: int) -> str:
    return f"noble:{noble}"


def _buttons(chosen: set[str], layout: SplendorLayout) -> list[Part]:
    """What can be done with a card, or a pass."""
    middle = layout.felt[0] + layout.felt[2] / 2
    texts = {"buy": "buy a card", "reserve": "reserve a card", "pass": "pass"}
    shown = [part_id for part_id in texts if part_id in chosen]
    first = middle - 77 * (len(shown) - 1)
    return [
        button(part_id, texts[part_id], first + 154 * place, layout.buttons_y, 144)
        for place, part_id in enumerate(shown)
    ]


# The table


def _noble_on_table(state: np.record, slot: int, layout: SplendorLayout) -> list[Shape | Part]:
    x, y = layout.deck_left + layout.noble_step * slot, layout.noble_top
    noble = int(state.nobles[slot])
    if noble == NO_NOBLE:
        return [_empty_place(x, y, layout.noble_size, layout.noble_size)]
    is_choice = int(state.choice) >> slot & 1 == 1
    return [_noble(noble, x, y, layout.noble_size, is_choice)]


@lru_cache(maxsize=1 << 8)
def _noble(noble: int, x: float, y: float, size: float, is_marked: bool) -> Part:
    """A noble by its top left corner."""
    edge = GOLD if is_marked else PAPER_EDGE
    shapes: list[Shape] = [
        Rectangle(x, y, size, size, "#e8dcc0", size * 0.08, edge, 4 if is_marked else 1),
        Text(x + size * 0.2, y + size * 0.22, str(NOBLE_POINTS), size * 0.28, RIM, is_bold=True),
        *crown(x + size * 0.27, y + size * 0.68, size * 0.36),
    ]
    needs = [(colour, need) for colour, need in enumerate(NOBLES[noble]) if need]
    for place, (colour, need) in enumerate(needs):
        side = size * 0.26
        left, top = x + size * 0.66, y + size * (0.07 + 0.3 * place)
        ink, text_size = INKS[colour], max(MIN_TEXT, side * 0.7)
        shapes.append(Rectangle(left, top, side, side, FILLS[colour], 3, GEM_EDGE, 1))
        shapes.append(Text(left + side / 2, top + side / 2, str(need), text_size, ink))
    label = f"noble, {NOBLE_POINTS} points, needs {_colours_text(NOBLES[noble])} cards"
    return Part(_noble_id(noble), label, tuple(shapes))


def _colours_text(counts: Sequence[int]) -> str:
    """`2 red, 1 blue`."""
    return ", ".join(f"{count} {GEM_COLOURS[c]}" for c, count in enumerate(counts) if count)


def _tier(
    state: np.record, tier: int, can_buy: Sequence[bool], layout: SplendorLayout
) -> list[Shape | Part]:
    """The deck of a tier and its four slots; the third tier lies on top."""
    y = layout.table_top + layout.tier_step * (NUM_TIERS - 1 - tier)
    width = layout.card_width
    shapes: list[Shape | Part] = [_deck(state, tier, layout.deck_left, y, width)]
    for place in range(SLOTS_PER_TIER):
        slot = tier * SLOTS_PER_TIER + place
        card, x = int(state.table[slot]), layout.table_left + layout.card_step * place
        if card == NO_CARD:
            shapes.append(_empty_place(x, y, width, width / CARD_ASPECT))
        else:
            shapes.append(_card(card, x, y, width, can_buy[slot]))
    return shapes


def _deck(state: np.record, tier: int, x: float, y: float, width: float) -> Part:
    left, height, middle = int(state.deck_left[tier]), width / CARD_ASPECT, x + width / 2
    size = max(MIN_TEXT, width * 0.15)
    shapes: tuple[Shape, ...] = (
        Rectangle(x, y, width, height, BACK, width * 0.1, PAPER, 3),
        Text(middle, y + height * 0.4, str(left), width * 0.33, CHALK, is_bold=True),
        Text(middle, y + height * 0.7, f"tier {tier + 1}", size, BACK_INK),
    )
    if not left:
        shapes = (_empty_place(x, y, width, height),)
    return Part(f"deck:{tier + 1}", f"deck of tier {tier + 1}, {count_noun(left, 'card')}", shapes)


def _empty_place(x: float, y: float, width: float, height: float) -> Rectangle:
    return Rectangle(x, y, width, height, "#ffffff0a", 9, "#ffffff38", 2)


@lru_cache(maxsize=1 << 11)
def _card(card: int, x: float, y: float, width: float, is_marked: bool) -> Part:
    """A card by its top left corner: points and colour on top, the cost below."""
    tier, colour, points, cost = CARDS[card]
    scale, height = width / FULL_CARD_WIDTH, width / CARD_ASPECT
    edge, edge_width = (GOLD, max(4.0, 5 * scale)) if is_marked else (PAPER_EDGE, 1.0)
    band = (x + 5 * scale, y + 5 * scale, width - 10 * scale, 36 * scale)
    band_edge = "#888888" if COLOURS[colour] == "white" else None  # white is lost on the paper
    shapes: list[Shape] = [
        Rectangle(x - 1, y + 2, width + 2, height + 1, SHADOW, 9 * scale),
        Rectangle(x, y, width, height, PAPER, 9 * scale, edge, edge_width),
        Rectangle(*band, FILLS[colour], 5 * scale, band_edge, 1.0 if band_edge else 0.0),
    ]
    if points:
        place = (x + 20 * scale, y + 23 * scale)
        shapes.append(Text(*place, str(points), 24 * scale, INKS[colour], is_bold=True))
    radius = max(9.2, 12.5 * scale)
    costs = [(c, count) for c, count in enumerate(cost) if count]
    num_rows = 2 if scale < 0.8 and len(costs) <= 4 else 3  # small cards have room for two
    for index, (c, count) in enumerate(costs):
        column, row = divmod(index, num_rows)
        gem_x = x + radius + 7 * scale + (2 * radius + 6 * scale) * column
        gem_y = y + height - radius - 6 * scale - 2 * radius * row
        shapes += _gem(c, gem_x, gem_y, radius - 0.5, str(count))
    worth = f", {count_noun(points, 'point')}" if points else ""
    label = f"{COLOURS[colour]} card of tier {tier + 1}{worth}, costs {_colours_text(cost)}"
    return Part(_card_id(card), label, tuple(shapes))


def _gem(colour: int, x: float, y: float, radius: float, label: str) -> list[Shape]:
    return [
        Circle(x, y, radius, FILLS[colour], GEM_EDGE, max(1.0, radius * 0.1)),
        Text(x, y, label, max(MIN_TEXT, radius * 1.2), INKS[colour], is_bold=True),
    ]


def _bank(state: np.record, layout: SplendorLayout) -> list[Shape | Part]:
    """The gems of the bank, a disc a colour."""
    radius, y = layout.gem_radius, layout.bank_y
    left = layout.felt[0] + (8 if layout.is_narrow else 28)
    width = layout.felt[2] - 2 * (left - layout.felt[0])
    shapes: list[Shape | Part] = [
        Rectangle(left, y - radius - 9, width, 2 * radius + 18, FELT_LIGHT, 16)
    ]
    for colour, count in enumerate(unpack(state.bank)):
        x = layout.bank_left + layout.bank_step * colour
        empty = Circle(x, y, radius, "#00000000", FILLS[colour] + "60", 3)
        disc = _gem(colour, x, y, radius, str(count)) if count else [empty]
        label = f"{count_noun(count, f'{GEM_COLOURS[colour]} gem')} in the bank"
        shapes.append(Part(_bank_id(colour), label, tuple(disc)))
    return shapes


# The seats


def _seat(
    state: np.record, owner: int, top: float, seat: int | None, layout: SplendorLayout
) -> list[Shape | Part]:
    """All that a seat has, in a panel by its top."""
    x, width, height = layout.seats_left, layout.seats_width, layout.seat_step - 8
    is_to_act = owner == state.seat_to_act and not is_terminal(state)
    edge = GOLD if is_to_act else None
    shapes: list[Shape | Part] = [
        Rectangle(x, top, width, height, "#ffffff0d", 14, edge, 2.0),
        _plate(state, owner, top, seat, layout),
    ]
    name = last_action_name(state, owner)
    last_x = x + (256 if layout.is_narrow else 376)
    last_y, last_size = (17, MIN_TEXT) if layout.is_narrow else (25, 13)
    shapes += _last_action(name, last_x, top + last_y, last_size)
    shapes += _holdings(state, owner, x, top, layout)
    shapes += _reserved(state, owner, top, is_to_act, layout)
    return shapes + _won_nobles(state, owner, x, top + height, layout)


def _plate(
    state: np.record, owner: int, top: float, seat: int | None, layout: SplendorLayout
) -> Part:
    points = count_noun(int(state.points[owner]), "point")
    is_to_act = owner == state.seat_to_act and not is_terminal(state)
    x, y, width = (82, 17, 156) if layout.is_narrow else (128, 24, 236)
    height = 24 if layout.is_narrow else 28
    name, you = f"player {owner}", ", you" if owner == seat else ""
    shown = name if layout.is_narrow else name + you
    middle = layout.seats_left + x
    shapes = seat_plate(middle, top + y, width, shown, points, is_to_act, height)
    return Part(f"seat:{owner}", f"{name}{you}: {points}", shapes)


def _last_action(name: str, x: float, y: float, size: float) -> list[Shape]:
    """What was done last, and below it what was returned: together they are too long for a line."""
    parts = name.split()
    shapes: list[Shape] = []
    for line, part in enumerate(parts):
        line_y = y + 1.75 * size * (line - (len(parts) - 1) / 2)
        shapes += pill(x, line_y, part, PANEL, CHALK, size)
    return shapes


def _holdings(
    state: np.record, owner: int, x: float, top: float, layout: SplendorLayout
) -> list[Shape | Part]:
    """Cards and gems by colour, one above the other."""
    cards, gems = unpack(state.cards[owner], NUM_COLOURS), unpack(state.gems[owner])
    radius = layout.holding_radius
    half_width, half_height = radius * 0.9, radius * 1.2
    shapes: list[Shape | Part] = []
    for colour in range(NUM_GEM_COLOURS):
        middle, name = x + layout.holding_first + layout.holding_step * colour, GEM_COLOURS[colour]
        if colour < NUM_COLOURS and cards[colour]:
            label = f"{count_noun(cards[colour], f'{name} card')} of player {owner}"
            fill, ink, y = FILLS[colour], INKS[colour], top + layout.cards_y
            corner = (middle - half_width, y - half_height)
            card = (
                Rectangle(*corner, 2 * half_width, 2 * half_height, fill, 4, PAPER_EDGE, 1.5),
                Text(middle, y, str(cards[colour]), radius * 1.25, ink, is_bold=True),
            )
            shapes.append(Part(f"seat:{owner}:cards:{name}", label, card))
        if gems[colour]:
            label = f"{count_noun(gems[colour], f'{name} gem')} of player {owner}"
            disc = _gem(colour, middle, top + layout.gems_y, radius, str(gems[colour]))
            shapes.append(Part(_gems_id(owner, colour), label, tuple(disc)))
    return shapes


def _reserved(
    state: np.record, owner: int, top: float, is_to_act: bool, layout: SplendorLayout
) -> list[Shape | Part]:
    left, y = layout.seats_left + layout.reserved_left, top + layout.reserved_top
    can_buy = buyable(state)[NUM_SLOTS:] if is_to_act else [False] * MAX_RESERVED
    shapes: list[Shape | Part] = []
    for place, is_marked in enumerate(can_buy):
        card = int(state.reserved[owner, place])
        if card != NO_CARD:
            x = left + layout.reserved_step * place
            shapes.append(_card(card, x, y, layout.reserved_width, is_marked))
    return shapes


def _won_nobles(
    state: np.record, owner: int, x: float, bottom: float, layout: SplendorLayout
) -> list[Shape | Part]:
    """A small tile for each noble that a seat has received."""
    side = 15.0 if layout.is_narrow else 30.0
    shapes: list[Shape | Part] = []
    for place, noble in enumerate(nobles_won(state, owner)):
        left, top = x + layout.nobles_left + (side + 6) * place, bottom - side - 2
        tile: list[Shape] = [Rectangle(left, top, side, side, "#e8dcc0", 3, PAPER_EDGE, 1)]
        tile += crown(left + side / 2, top + side / 2, side * 0.7)
        label = f"noble of player {owner}, {NOBLE_POINTS} points"
        shapes.append(Part(_noble_id(noble), label, tuple(tile)))
    return shapes
