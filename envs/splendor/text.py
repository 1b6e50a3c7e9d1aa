"""Splendor in words: names of actions, and a position as text in columns of one colour each."""

from collections.abc import Sequence

import numpy as np

from ..core.game import NO_ACTION
from .actions import (
    ACTION_INDEX,
    ACTION_NAMES,
    MAX_RESERVED,
    NUM_ACTIONS,
    NUM_SLOTS,
    SLOTS_PER_TIER,
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
from .position import deal_from
from .rules import affordable_cards, is_terminal, is_winner

__all__ = ["action_name", "deal_from", "describe", "parse_action"]


def action_name(action: int) -> str:
    """Such as `collect:red+green return:yellow` or `buy:2.0`. Raises ValueError."""
    if not isinstance(action, int | np.integer) or not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"Splendor has actions 0 .. {NUM_ACTIONS - 1}, not {action!r}")
    return ACTION_NAMES[action]


def parse_action(name: str) -> int:
    """The inverse of `action_name`. Raises ValueError."""
    if not isinstance(name, str) or name not in ACTION_INDEX:
        raise ValueError(
            f"no action is called {name!r}; actions are such as collect:black+red+green, "
            "collect:red+green return:yellow, collect:red*2 return:blue+blue, reserve:1.3, "
            "reserve:1.3 return:red, buy:2.0, buy-reserved:0, noble:1 and pass; tiers are 1 .. 3, "
            f"slots 0 .. 3, colours in the order {', '.join(GEM_COLOURS)}"
        )
    return ACTION_INDEX[name]


# A position as text

_HEAD = 30  # characters before the columns
_CELL = 8  # characters to a colour


def describe(state: np.record, seat: int | None = None) -> str:
    """A position as text; `seat` says who reads it. Only the order of the decks is not shown.

    A column for each colour: gems, what a card costs, what a noble needs. `*` marks the cards that
    who acts can buy.
    """
    lines = [
        headline(state),
        "",
        _line("* can be bought now", GEM_COLOURS),
        _line("bank", _gems(state.bank)),
    ]
    lines += [_noble_line(state, slot) for slot in range(len(state.nobles))]
    can_buy = buyable(state)
    for tier in reversed(range(NUM_TIERS)):
        left = int(state.deck_left[tier])
        lines += ["", f"tier {tier + 1}, {count_noun(left, 'card')} left in the deck"]
        first = tier * SLOTS_PER_TIER
        slots = range(first, first + SLOTS_PER_TIER)
        lines += [_table_line(state, slot, can_buy[slot]) for slot in slots]
    for owner in range(len(state.gems)):
        lines += ["", *_seat_lines(state, owner, seat, can_buy[NUM_SLOTS:])]
    return "\n".join(line.rstrip() for line in lines)


def headline(state: np.record) -> str:
    """What is going on, in one sentence."""
    return f"Splendor, round {_round(state)}: {turn_line(state)}"


def turn_line(state: np.record) -> str:
    """The seat to act and what it has to do."""
    if is_terminal(state):
        winners = [seat for seat in range(len(state.gems)) if is_winner(state, seat)]
        if len(winners) == 1:
            return f"player {winners[0]} has won"
        return f"players {', '.join(map(str, winners))} share the victory"
    does = "chooses a noble" if state.choice else "to act"
    return f"player {state.seat_to_act} {does}"


def _round(state: np.record) -> int:
    """Counted from one; after the end, the round that was the last."""
    has_begun = not is_terminal(state) or state.seat_to_act != state.first_seat
    return int(state.turn) + has_begun


def last_action_name(state: np.record, owner: int) -> str:
    """What a seat did last; "" for nothing yet."""
    action = int(state.last_actions[owner])
    return "" if action == NO_ACTION else ACTION_NAMES[action]


def buyable(state: np.record) -> list[bool]:
    """Whether who acts can buy each card of the table, and then each that it has reserved."""
    cards = 0
    if not is_terminal(state) and not state.choice:
        cards = int(affordable_cards(state, int(state.seat_to_act)))
    return [bool(cards >> index & 1) for index in range(NUM_SLOTS + MAX_RESERVED)]


def nobles_won(state: np.record, owner: int) -> list[int]:
    """The indices of the nobles that a seat has received."""
    return [noble for noble in range(NUM_NOBLES) if int(state.won[owner]) >> noble & 1]


def _line(head: str, cells: Sequence[object], tail: str = "") -> str:
    shown = "".join(f"{cell or '.':>{_CELL}}" for cell in cells)
    return f"{head:<{_HEAD}}{shown}{tail}"


def _gems(word: int) -> list[int]:
    return unpack(word)


def count_noun(number: int, noun: str) -> str:
    """`1 point`, `2 points`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _noble_line(state: np.record, slot: int) -> str:
    noble = int(state.nobles[slot])
    if noble == NO_NOBLE:
        return f"noble:{slot}  taken"
    chosen = "*" if int(state.choice) >> slot & 1 else " "
    return _line(f"noble:{slot} {chosen}  {count_noun(NOBLE_POINTS, 'point')}", NOBLES[noble])


def _card_line(head: str, card: int, is_affordable: bool) -> str:
    _, colour, points, cost = CARDS[card]
    worth = count_noun(points, "point") if points else ""
    mark = "*" if is_affordable else " "
    return _line(f"{mark} {head:<12}{COLOURS[colour]:<7}{worth:>8}", cost)


def _table_line(state: np.record, slot: int, is_affordable: bool) -> str:
    tier, place = divmod(slot, SLOTS_PER_TIER)
    card, name = int(state.table[slot]), f"{tier + 1}.{place}"
    if card == NO_CARD:
        return f"  {name:<12}empty"
    return _card_line(name, card, is_affordable)


def _seat_lines(
    state: np.record, owner: int, seat: int | None, can_buy: Sequence[bool]
) -> list[str]:
    """What a seat has done last, and all that it has."""
    is_to_act = owner == state.seat_to_act and not is_terminal(state)
    gems = unpack(state.gems[owner])
    cards = unpack(state.cards[owner], NUM_COLOURS)
    name = f"player {owner}{' (you)' if owner == seat else ''}"
    parts = [count_noun(int(state.points[owner]), "point"), count_noun(sum(cards), "card")]
    parts += [count_noun(sum(gems), "gem")]
    parts += [count_noun(len(nobles_won(state, owner)), "noble")] if state.won[owner] else []
    last = last_action_name(state, owner)
    lines = [f"{'>' if is_to_act else ' '} {name}: {', '.join(parts)}"]
    lines[0] += f"; last {last}" if last else ""
    lines += [_line("  gems", gems), _line("  cards", cards)]
    for place in range(MAX_RESERVED):
        card = int(state.reserved[owner, place])
        if card != NO_CARD:
            lines.append(_card_line(f"reserved {place}", card, is_to_act and can_buy[place]))
    return lines
