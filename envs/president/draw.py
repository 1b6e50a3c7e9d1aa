"""The table of President as a picture: seats, hands, the play to beat, and what is still to come.

Ranks are coloured from cool to warm by strength, since 3 and 1 beat 12; the 2 of oros bears a coin.
"""

import textwrap
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ..core.drawing import cards, palette, table
from ..core.drawing.boxes import Box
from ..core.drawing.picture import Part, Picture, Shape, Text
from ..core.game import NO_ACTION
from . import rules, text
from .rules import GIVE, NO_RANK, NUM_SUITS, PASS, is_terminal
from .text import ACTION_NAMES, RANK_NAMES

INKS = (  # on paper and on a dark panel, from the weakest rank to the strongest
    ("#2c6a8c", "#8fd0ee"),
    ("#31628f", "#9ccaf0"),
    ("#3a5a90", "#a9c4f0"),
    ("#46528e", "#b6bef0"),
    ("#544a89", "#c4b8ee"),
    ("#644280", "#d2b2e6"),
    ("#763a73", "#e0acd8"),
    ("#8a3263", "#eea6c4"),
    ("#a62a4b", "#faa0a8"),
    ("#c2242f", "#ff8f84"),
)
CARDS = tuple(cards.Card(name, ink) for name, (ink, _) in zip(RANK_NAMES, INKS, strict=True))
GOLDS = cards.Card(RANK_NAMES[0], palette.DARK_GOLD, cards.COIN)
FADED = "#e8e4d8"  # paper of a play from an earlier round
FADED_PANEL = "#0e2b2266"
MIN_PLATE = 110  # the width of a plate with room for a pill beside it
MAX_BELOW = 2  # plays under the one to beat
PLAY_HEIGHT, NARROW_PLAY_HEIGHT = 112.0, 80.0

WIDE = {  # by number of seats
    2: table.WideHands(760, 124, 24, 360, 230),
    4: table.WideHands(340, 104, 24, 320, 244),
    5: table.WideHands(270, 100, 24, 325, 246),
    8: table.WideHands(190, 84, 24, 345, 250),
}
NARROW = table.NarrowHands(640, 74, card_height=84, most=12, most_small=24, center_x=92)


def draw(
    state: np.record, seat: int | None = None, is_narrow: bool = False, is_live: bool = True
) -> Picture:
    """Draw the table with all hands (seat None), or as `seat` may see it."""
    num_seats = len(state["hands"])
    narrow = NARROW._replace(columns=2 if num_seats == 8 else 1)
    places = table.card_table(num_seats, seat, narrow if is_narrow else WIDE[num_seats])
    clicks = _clicks(state, seat) if is_live else {}
    shapes = places.ground(text.headline(state))
    if not is_terminal(state):
        shapes.append(_ranks_to_come(state, places))
    shapes += _center(state, seat, places)
    for owner in range(num_seats):
        shapes += _seat(state, owner, seat, places)
    for owner in range(num_seats):  # above all cards
        shapes += _last_action(state, owner, seat, places)
    if ACTION_NAMES[PASS] in clicks:
        place = (314.0, places.size[1] - 22.0) if is_narrow else (706.0, places.size[1] - 62.0)
        shapes.append(table.button("pass", "pass", *place, 82))
    return table.table_picture(places.size, shapes, clicks)


# Actions and the parts that stand for them


def _clicks(state: np.record, seat: int | None) -> dict[str, tuple[str, ...]]:
    """The cards of each legal action, from the right of those of their rank."""
    owner = int(state["seat_to_act"])
    counts = text.rank_counts(int(state["hands"][owner]))
    clicks = {}
    for action in table.clickable(rules, state, seat, rules.NUM_ACTIONS):
        if action == PASS:
            ids: tuple[str, ...] = ("pass",)
        elif action >= GIVE:
            ids = (card_id(owner, action - GIVE, 0),)  # the 2 of oros, the last two, goes last
        else:
            rank, count = _play(action)
            ids = tuple(card_id(owner, rank, counts[rank] - 1 - copy) for copy in range(count))
        clicks[ACTION_NAMES[action]] = ids
    return clicks


def card_id(owner: int, rank: int, copy: int) -> str:
    """The part that shows a card in a hand; of cards of a rank, copy 0 is the leftmost."""
    return f"seat:{owner}:{RANK_NAMES[rank]}:{copy}"


def _play(action: int) -> tuple[int, int]:
    """Rank and number of cards of a play."""
    return (action - 1) // NUM_SUITS, (action - 1) % NUM_SUITS + 1


def _hand(state: np.record, owner: int, seat: int | None) -> list[cards.CardPart]:
    """The cards of a hand from low to high, the 2 of oros last of the twos."""
    hand = int(state["hands"][owner])
    if seat not in (None, owner):
        return [cards.card_back(owner, index) for index in range(hand.bit_count())]
    counts = text.rank_counts(hand)
    whose = "" if owner == seat else f", player {owner}"
    parts = [
        cards.CardPart(card_id(owner, rank, copy), RANK_NAMES[rank] + whose, CARDS[rank])
        for rank, count in enumerate(counts)
        for copy in range(count)
    ]
    if text.shows_golds(state, owner, seat):
        last = counts[0] - 1
        parts[last] = cards.CardPart(parts[last].id, "2 of oros" + whose, GOLDS)
    return parts


def played_cards(state: np.record, seat: int | None) -> list[cards.CardPart]:
    """The play to beat; its cards keep the ids that they had in the hand."""
    owner = int(state["table_seat"])
    rank, count = _play(int(state["table_action"]))
    hand = int(state["hands"][owner])
    label = f"{RANK_NAMES[rank]}, played by player {owner}"
    if seat in (None, owner):
        left = text.rank_counts(hand)[rank]
        ids = [card_id(owner, rank, left + copy) for copy in range(count)]
    else:
        ids = [cards.card_back(owner, hand.bit_count() + copy).id for copy in range(count)]
    return [cards.CardPart(part_id, label, CARDS[rank]) for part_id in ids]


# The middle


def _center(state: np.record, seat: int | None, places: table.CardTable) -> list[Shape | Part]:
    """The play to beat, or what replaces it, and a line below it."""
    x, y = places.center
    height, width = (NARROW_PLAY_HEIGHT, 160.0) if places.is_narrow else (PLAY_HEIGHT, 220.0)
    line = text.turn_line(state)
    shapes: list[Shape | Part] = []
    if is_terminal(state):
        shapes += cards.CROWN.at(x, y - 8, height * 0.8)
    elif state["gives_left"] > 0:
        shapes += _gifts(state, seat, places)
    elif state["table_action"] != PASS:
        shapes += _pile(state, places)
        shapes += cards.card_row(tuple(played_cards(state, seat)), x, y, height, width)
        label = text.ACTION_LABELS[state["table_action"]]
        line = f"{label}, played by player {state['table_seat']}"
    else:
        place = table.empty_place(Box.around(x, y, height * cards.CARD_ASPECT, height))
        shapes.append(Part("table", "nothing to beat", (place,)))
    size, letters = (11.0, 20) if places.is_narrow else (17.0, 100)
    rows = textwrap.wrap(line.replace("player ", "player_"), letters)  # a name stays in one row
    for number, row in enumerate(rows):
        below = y + height / 2 + 16 + 1.3 * size * number
        shown = row.replace("player_", "player ")
        shapes.append(Text(x, below, shown, size, palette.CHALK, is_bold=True))
    return shapes


def _pile(state: np.record, places: table.CardTable) -> list[Shape]:
    """The earlier plays of the round, one below the other under the play to beat."""
    plays = [
        int(state["last_actions"][owner])
        for owner in range(len(places.seats))
        if owner != state["table_seat"] and text.is_of_this_round(state, owner)
    ]
    below = sorted(play for play in plays if PASS < play < GIVE)[-MAX_BELOW:]
    (x, y), height = places.center, NARROW_PLAY_HEIGHT if places.is_narrow else PLAY_HEIGHT
    shapes: list[Shape] = []
    for place, play in enumerate(below):
        rank, count = _play(play)
        card = replace(CARDS[rank], paper=FADED)
        rise = (len(below) - place) * height * 0.22
        step = height * cards.CARD_ASPECT * cards.LABEL_STEP
        left = x - height * cards.CARD_ASPECT / 2 - step * (count - 1) / 2 - rise * 0.5
        for copy in range(count):
            shapes += cards.card_shapes(
                card, left + step * copy, y - height / 2 - rise, height, True
            )
    return shapes


def _gifts(state: np.record, seat: int | None, places: table.CardTable) -> list[Shape | Part]:
    """What the seat that gives back has received."""
    giver = int(state["seat_to_act"])
    is_two = state["economy"] == rules.SWAP_TWO and state["roles"][giver] == 1
    x, y = places.center
    label = f"received by player {giver}"
    row = [cards.CardPart(f"gift:{k}", f"a card {label}", None) for k in range(2 if is_two else 1)]
    if text.knows_exchange(state, giver, seat):
        row = [
            cards.CardPart(f"gift:{place}", f"{RANK_NAMES[rank]}, {label}", CARDS[rank])
            for place, rank in enumerate(state["received"][giver])
            if rank != NO_RANK
        ]
    height, size = (64.0, 13) if places.is_narrow else (88.0, 15)
    received = Text(x, y - height / 2 - 8, "in return for", size, palette.CHALK)
    return [received, *cards.card_row(tuple(row), x, y + 10, height, 170, spread=1.1)]


def _ranks_to_come(state: np.record, places: table.CardTable) -> Part:
    """The order of the ranks as small cards, and below each how many are not yet played."""
    size, width, y = (11, 172, places.center[1]) if places.is_narrow else (15, 261, 692.0)
    panel = Box.around(places.size[0] - width / 2 - 9, y, width, 82)
    shapes: list[Shape] = [
        panel.filled(palette.PANEL, 12),
        Text(panel.x + 10, y - 28, "low to high, and to come", 13, palette.DIM_CHALK, "start"),
    ]
    counts = [NUM_SUITS - played for played in text.played_counts(state)]
    columns = panel.inset(3).equal_columns(len(counts))
    labels = []
    for name, count, (ink, _), box in zip(RANK_NAMES, counts, INKS, columns, strict=True):
        card, is_left = Box.around(box.center[0], y, box.width - 2, 30), count > 0
        paper, shade = (palette.PAPER, ink) if is_left else (palette.EMPTY, palette.DIM_CHALK)
        shapes.append(card.filled(paper, 3))
        shapes.append(Text(*card.center, name, size, shade, is_bold=is_left))
        shapes.append(Text(box.center[0], y + 28, str(count), size, palette.CHALK))
        labels.append(f"{count} x {name}")
    return Part("to come", f"cards to come: {', '.join(labels)}", tuple(shapes))


# The seats


def _seat(
    state: np.record, owner: int, seat: int | None, places: table.CardTable
) -> list[Shape | Part]:
    """The hand of a seat, or its placing, and its plate."""
    place, num_seats = places.seats[owner], len(places.seats)
    size, placing = int(state["hands"][owner]).bit_count(), int(state["placings"][owner])
    badge, holds = str(size), f"{size} cards"
    if placing:
        badge, holds = "", f"{holds}, {text.role_title(placing, num_seats)}"
        shapes: list[Shape | Part] = [*_placing(placing, place.hand, num_seats)]
    else:
        shapes = [*cards.card_rows(_hand(state, owner, seat), place.hand)]
    is_to_act = owner == state["seat_to_act"] and not is_terminal(state)
    name = _seat_name(state, owner)
    is_short = place.plate.width < 150  # without room for title and points
    shown = f"player {owner}" if is_short else name
    plate = table.seat_plate(place.plate, shown, badge, is_to_act)
    return [*shapes, table.seat_part(owner, seat, holds, plate, name)]


def _seat_name(state: np.record, owner: int) -> str:
    """The seat, its title from the game before, and its points in a match."""
    name = f"player {owner}"
    if state["roles"][owner] and not is_terminal(state):
        name += f", {text.role_title(int(state['roles'][owner]), len(state['hands']))}"
    if len(state["next_hands"]) > 1:
        name += f"  {int(state['points'][owner]):+}"
    return name


def _placing(placing: int, hand: cards.Hand, num_seats: int) -> list[Shape]:
    """The title of a seat that has gone out."""
    x, y, size = hand.x, hand.y, min(26.0, hand.height * 0.4)
    title = text.role_title(placing, num_seats)
    if placing == 1:
        crown = cards.CROWN.at(x, y - size * 0.8, size * 2)
        return [*crown, Text(x, y + size, title, size * 0.8, palette.LIGHT_GOLD, is_bold=True)]
    color = palette.DIM_CHALK if placing == num_seats else palette.CHALK
    return [Text(x, y + 8, title, size, color, is_bold=True)]


def _last_action(
    state: np.record, owner: int, seat: int | None, places: table.CardTable
) -> Iterable[Shape]:
    """The last action of a seat, in front of it; faded if it is from an earlier round."""
    action, place = int(state["last_actions"][owner]), places.seats[owner].action
    if action == NO_ACTION:
        return []
    is_now = text.is_of_this_round(state, owner)
    if is_now and owner == state["table_seat"] and action != PASS:
        return []  # it lies in the middle
    fill, ink = (palette.PANEL, palette.CHALK) if is_now else (FADED_PANEL, palette.DIM_CHALK)
    name = text.last_action_name(state, owner, seat)
    if places.seats[owner].plate.width < MIN_PLATE:  # two seats side by side: the words in two rows
        x, y = place
        rows = textwrap.wrap(name, 10)
        top = y - 6.0 * (len(rows) - 1)
        return [Text(x, top + 12.0 * number, row, 11, ink) for number, row in enumerate(rows)]
    return table.pill(*place, name, fill, ink, 12 if places.is_narrow else 14)
