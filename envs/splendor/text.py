"""Splendor in words: names of actions, and a position as text in columns of one colour each."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from ..core.defaults import name_of
from ..core.game import NO_ACTION
from ..core.words import count_noun
from .actions import (
    ACTION_NAMES,
    BUY,
    COLLECT_RETURNING,
    MAX_RESERVED,
    NOBLE,
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
    NUM_NOBLES,
    NUM_TIERS,
    unpack,
)
from .rules import affordable_cards, is_terminal, is_winner

action_name = partial(name_of, ACTION_NAMES)  # such as `buy:2.0`, as in actions.py


def label_action(state: np.record, action: int) -> str:
    """What people call an action: "take red, green, blue", "buy the white card: 3 green, 2 red"."""
    if action < RESERVE or action >= COLLECT_RETURNING:
        return _collecting_label(action)
    if action == PASS:
        return "pass"
    if NOBLE <= action < RESERVE_RETURNING:
        return f"the noble for {colours_text(NOBLES[int(state['nobles'][action - NOBLE])])} cards"
    if action >= RESERVE_RETURNING:
        colour, slot = divmod(action - RESERVE_RETURNING, NUM_SLOTS)
        return f"reserve {_card_label(state['table'][slot])}, return {COLOURS[colour]}"
    if action >= BUY:
        for_sale = *state["table"], *state["reserved"][state["seat_to_act"]]
        return f"buy {_card_label(for_sale[action - BUY])}"
    return f"reserve {_card_label(state['table'][action - RESERVE])}"


def _collecting_label(action: int) -> str:
    taken, returned = collection_of(action)
    names = [COLOURS[colour] for colour in taken]
    if len(set(taken)) < len(taken):
        names = [f"2 {names[0]}"]
    back = f", return {', '.join(GEM_COLOURS[colour] for colour in returned)}" if returned else ""
    return f"take {', '.join(names)}{back}"


def _card_label(card: int) -> str:
    _, colour, points, cost = CARDS[int(card)]
    worth = f" with {count_noun(points, 'point')}" if points else ""
    return f"the {COLOURS[colour]} card{worth}: {colours_text(cost)}"


def colours_text(counts: Sequence[int]) -> str:
    """Such as "3 green, 2 white"."""
    return ", ".join(f"{count} {COLOURS[colour]}" for colour, count in enumerate(counts) if count)


def score(state: np.record, seat: int) -> str:
    """The points of a seat."""
    return count_noun(int(state["points"][seat]), "point")


# A position as text

FILLS = ("#33343a", "#c2242f", "#277a43", "#2c63b4", "#f6f3ea", "#d9a441")
ICONS = dict(
    zip(GEM_COLOURS, zip("\u25cf\u25a0\u25b2\u25c6\u2b1f\u2605", FILLS, strict=True), strict=True)
)
_LETTERS = ("K", "R", "G", "B", "W", "Y")  # of GEM_COLOURS, over columns and before numbers
_OWNER = 16  # characters before the columns of a seat


def describe(state: np.record, seat: int | None = None) -> str:
    """A position as text; `seat` says who reads it. Only the order of the decks is not shown.

    The tiers stand side by side, with a column for each colour of the costs, so that everything and
    the legal moves fit 80 x 24. `*` marks the cards that the seat to act can buy.
    """
    can_buy = buyable(state)
    tiers = [_tier_lines(state, tier, can_buy) for tier in range(NUM_TIERS)]
    lines = [
        f"{headline(state)}{'; * can be bought now' if any(can_buy) else ''}; (n) left in the deck",
        _bank_line(state),
        "",
        *("   ".join(parts) for parts in zip(*tiers, strict=True)),
        _nobles_line(state),
        "",
        f"{'':{_OWNER}} pts  gems {_columns(_LETTERS)}  cards {_columns(_LETTERS[:NUM_COLOURS])}",
    ]
    for owner in range(len(state["gems"])):
        lines += _seat_lines(state, owner, seat, can_buy[NUM_SLOTS:])
    return "\n".join(line.rstrip() for line in lines)


def headline(state: np.record) -> str:
    """What is going on, in one sentence."""
    return f"Splendor, round {_round(state)}: {turn_line(state)}"


def turn_line(state: np.record) -> str:
    """The seat to act and what it has to do."""
    if is_terminal(state):
        winners = [seat for seat in range(len(state["gems"])) if is_winner(state, seat)]
        if len(winners) == 1:
            return f"player {winners[0]} has won"
        return f"players {', '.join(map(str, winners))} share the victory"
    does = "chooses a noble" if state["choice"] else "to act"
    return f"player {state['seat_to_act']} {does}"


def _round(state: np.record) -> int:
    """Counted from one; after the end, the round that was the last."""
    has_begun = not is_terminal(state) or state["seat_to_act"] != state["first_seat"]
    return int(state["turn"]) + has_begun


def last_action_label(state: np.record, owner: int) -> str:
    """What a seat did last, in words; its card has left the table. "" for nothing yet."""
    action = int(state["last_actions"][owner])
    if action == NO_ACTION:
        return ""
    if action < RESERVE or action >= COLLECT_RETURNING:
        return _collecting_label(action).replace("take", "took").replace("return", "returned")
    name = ACTION_NAMES[action]
    kind, _, place = name.partition(":")
    kinds = {
        "reserve": "reserved",
        "buy": "bought",
        "buy-reserved": "bought a reserved card",
        "noble": "chose a noble",
        "pass": "passed",
    }
    where = f" from tier {place[0]}" if kind in ("reserve", "buy") else ""
    returned = f", returned {place.rpartition(':')[2]}" if " return:" in name else ""
    return kinds[kind] + where + returned


def buyable(state: np.record) -> list[bool]:
    """Whether the seat to act can buy each card of the table, then each it has reserved."""
    cards = 0
    if not is_terminal(state) and not state["choice"]:
        cards = int(affordable_cards(state, int(state["seat_to_act"])))
    return [bool(cards >> index & 1) for index in range(NUM_SLOTS + MAX_RESERVED)]


def nobles_won(state: np.record, owner: int) -> list[int]:
    """The indices of the nobles that a seat has received."""
    return [noble for noble in range(NUM_NOBLES) if int(state["won"][owner]) >> noble & 1]


def _columns(cells: Sequence[object]) -> str:
    return " ".join(str(cell or ".") for cell in cells)


def _letters(counts: Sequence[int]) -> str:
    """Such as `R2 B1`: what there is of each colour."""
    return " ".join(f"{_LETTERS[colour]}{n}" for colour, n in enumerate(counts) if n)


def _bank_line(state: np.record) -> str:
    """The gems in the bank, with the letters that stand for their colours below."""
    named = zip(_LETTERS, GEM_COLOURS, unpack(state["bank"]), strict=True)
    return "bank: " + ", ".join(f"{count} {colour} ({letter})" for letter, colour, count in named)


def _tier_lines(state: np.record, tier: int, can_buy: Sequence[bool]) -> list[str]:
    """A tier: its number with the cards left in its deck, and its cards."""
    head = f"tier {tier + 1} ({int(state['deck_left'][tier])})"
    lines = [f"{head:<12}{_columns(_LETTERS[:NUM_COLOURS])}"]
    for place in range(SLOTS_PER_TIER):
        slot = tier * SLOTS_PER_TIER + place
        card, name = int(state["table"][slot]), f"{tier + 1}.{place}"
        lines.append(f"{name} empty" if card == NO_CARD else _card_line(name, card, can_buy[slot]))
    return [f"{line:<21}" for line in lines]


def _card_line(name: str, card: int, is_affordable: bool) -> str:
    _, colour, points, cost = CARDS[card]
    mark = "*" if is_affordable else " "
    return f"{name}{mark}{COLOURS[colour]:<5} {points or ' '} {_columns(cost)}"


def _nobles_line(state: np.record) -> str:
    nobles = (_noble(state, slot) for slot in range(len(state["nobles"])))
    return f"nobles, {NOBLE_POINTS} points: {'  '.join(nobles)}"


def _noble(state: np.record, slot: int) -> str:
    """Its number and the cards that it needs, such as `0 (R4 G4)`; `*` where it can be chosen."""
    noble = int(state["nobles"][slot])
    mark = "*" if int(state["choice"]) >> slot & 1 else ""
    return f"{mark}{slot} " + ("taken" if noble == NO_NOBLE else f"({_letters(NOBLES[noble])})")


def _seat_lines(
    state: np.record, owner: int, seat: int | None, can_buy: Sequence[bool]
) -> list[str]:
    """All that a seat has and what it has done last; on a second line, what it has reserved."""
    is_to_act = owner == state["seat_to_act"] and not is_terminal(state)
    name = f"{'>' if is_to_act else ' '} player {owner}{' (you)' if owner == seat else ''}"
    gems, cards = unpack(state["gems"][owner]), unpack(state["cards"][owner], NUM_COLOURS)
    line = f"{name:<{_OWNER}}{int(state['points'][owner]):4} {_columns(gems):>17}"
    line += f" {_columns(cards):>16} {_last(state, owner)}"
    indices = [int(card) for card in state["reserved"][owner]]
    reserved = [
        _reserved(place, card, is_to_act and can_buy[place])
        for place, card in enumerate(indices)
        if card != NO_CARD
    ]
    return [line, f"    reserved: {'  '.join(reserved)}"] if reserved else [line]


def _reserved(place: int, card: int, is_affordable: bool) -> str:
    """Such as `*0 white 2 (R2 B1)`: its place, colour, points and cost."""
    _, colour, points, cost = CARDS[card]
    worth = f" {points}" if points else ""
    mark = "*" if is_affordable else ""
    return f"{mark}{place} {COLOURS[colour]}{worth} ({_letters(cost)})"


def _last(state: np.record, owner: int) -> str:
    """What a seat did last, such as `collect:R+G for K`: what it took, and what it returned."""
    action = int(state["last_actions"][owner])
    name = "" if action == NO_ACTION else ACTION_NAMES[action].replace(" return:", " for ")
    for letter, colour in zip(_LETTERS, GEM_COLOURS, strict=True):
        name = name.replace(colour, letter)
    return name
