"""Top Trumps in words: names of cards and fields, a position as text, a deal as plain data."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.game import check_choice
from ..core.given_cards import cards_dealt, check_once
from ..core.words import count_noun, is_index
from . import rules
from .observation import knows_own_top

_ID = re.compile(rf"[0-9A-Z]{{{rules.ID_LENGTH}}}")
_KEYS = {"cards", "ids", "hands", "starter"}
DEAL_FORM = (
    '{"cards": [[value, ...], ...], "ids": [...], "hands": [[index of the top card, ..., bottom], '
    '[...]], "starter": seat}'
)


class Names(NamedTuple):
    """The names of fields and cards; a generated deck has its ids in the position."""

    fields: tuple[str, ...]
    cards: tuple[str, ...] | None


UNITS = {  # ends of the names of fields
    "_km": "km",
    "_kg_m3": "kg/m³",
    "_days": "days",
    "_m_s": "m/s",
    "_c": "°C",
}


def label_action(names: Names, state: np.record, action: int) -> str:
    """What people call a choice: the field, without the value, which others may not know."""
    return field_words(names, action)


def field_words(names: Names, field: int) -> str:
    """The name of a field as people write it, without its unit."""
    name = names.fields[field]
    unit = next((end for end in UNITS if name.endswith(end)), "")
    return name.removesuffix(unit).replace("_", " ")


def value_words(names: Names, field: int, value: int) -> str:
    """A value with its unit: "12,756 km"."""
    ends = (UNITS[end] for end in UNITS if names.fields[field].endswith(end))
    return f"{int(value):,} {next(ends, '')}".rstrip()


def score(state: np.record, seat: int) -> str:
    """The cards in a seat's deck."""
    return count_noun(int(state["deck_sizes"][seat]), "card")


def card_name(names: Names, state: np.record, card: int) -> str:
    """The id of a card; `state` may be an observation."""
    number = int(state["ids"][card])
    return id_of_number(number) if names.cards is None else names.cards[number]


def id_of_number(number: int) -> str:
    """A number below 36**6 as six letters and digits."""
    return np.base_repr(number, rules.ID_LETTERS).zfill(rules.ID_LENGTH)


# A deal as plain data


def deal_from(state: np.record, data: Any, rng: np.record) -> None:
    """Lay out a deal in the form `DEAL_FORM`: each hand from the top of its deck down.

    Without "ids" the cards are called 000000, 000001, ...; without "starter" the house rule decides
    who starts. With a fixed deck, "cards" and "ids" are left out. Raises a ValueError that says
    what is wrong with an impossible deal.
    """
    _check_keys(data, has_own_deck=bool(state["has_own_deck"]))
    num_cards, num_fields = state["values"].shape
    sizes = (num_cards + 1) // 2, num_cards // 2
    hands = cards_dealt(data["hands"], sizes, range(num_cards))
    starter = data.get("starter")
    if starter is not None:
        check_choice("starter", starter, range(rules.NUM_SEATS))
    if not state["has_own_deck"]:
        values = _checked_values(data["cards"], num_cards, num_fields)
        ids = _checked_ids(data.get("ids"), num_cards)
    rules.deal(state, rng)
    if not state["has_own_deck"]:
        state["values"][:] = values
        state["ids"][:] = ids
    for seat, hand in enumerate(hands):
        state["decks"][seat, : len(hand)] = hand
    rules.start_game(state, np.int64(state["starter"] if starter is None else starter))


def check_position(state: np.record) -> None:
    """Raise ValueError unless every card lies in one place."""
    num_cards = len(state["pile"])
    places = [
        state["decks"][seat, rules.place_at(state, seat, depth)]
        for seat in range(rules.NUM_SEATS)
        for depth in range(state["deck_sizes"][seat])
    ]
    lying = [int(card) for card in (*places, *state["pile"][: state["pile_size"]])]
    check_once(lying, range(num_cards))
    if len(lying) != num_cards:
        raise ValueError(f"{num_cards} cards lie in the decks and the draw pile, not {len(lying)}")


def _check_keys(data: Any, has_own_deck: bool) -> None:
    needed = {"hands"} if has_own_deck else {"hands", "cards"}
    allowed = {"hands", "starter"} if has_own_deck else _KEYS
    if not isinstance(data, dict) or not needed <= set(data) <= allowed:
        own = ', without "cards" and "ids" where the game has its own deck' if has_own_deck else ""
        raise ValueError(f"a deal is {DEAL_FORM}{own}; got {_shown(data)}")


def _shown(data: Any) -> str:
    return f"the keys {', '.join(map(repr, data))}" if isinstance(data, dict) else repr(data)[:60]


def _checked_values(cards: Any, num_cards: int, num_fields: int) -> list[list[int]]:
    is_list = isinstance(cards, Sequence) and all(isinstance(card, Sequence) for card in cards)
    if not is_list or [len(card) for card in cards] != [num_fields] * num_cards:
        raise ValueError(f"cards must be {num_cards} rows of {num_fields} values")
    for value in (value for card in cards for value in card):
        if not is_index(value, rules.MAX_VALUE + 1):
            raise ValueError(
                f"cards have integer values in 0 .. {rules.MAX_VALUE}; got {value!r} "
                "(other decks come with the setting `deck`)"
            )
    return [list(card) for card in cards]


def _checked_ids(ids: Any, num_cards: int) -> list[int]:
    if ids is None:
        return list(range(num_cards))
    if not isinstance(ids, Sequence) or len(ids) != num_cards:
        raise ValueError(f"ids must be {num_cards} different ones; got {ids!r}")
    for name in ids:
        if not isinstance(name, str) or not _ID.fullmatch(name):
            raise ValueError(f"ids are {rules.ID_LENGTH} characters from A-Z0-9; got {name!r}")
    if len(set(ids)) != num_cards:
        raise ValueError(f"ids must be {num_cards} different ones; got {ids!r}")
    return [int(name, rules.ID_LETTERS) for name in ids]


# A position


def describe(names: Names, state: np.record, seat: int | None = None) -> str:
    """A position as text, with both decks (seat None) or only what `seat` may see."""
    lines = [headline(state), _last_trick(names, state)]
    lines += [_seat_lines(names, state, owner, seat) for owner in range(rules.NUM_SEATS)]
    pile = [card_name(names, state, card) for card in state["pile"][: state["pile_size"]]]
    return "\n".join([*filter(None, lines), f"  draw pile: {' '.join(pile) or 'empty'}"])


def headline(state: np.record) -> str:
    """The number of the trick and who starts it."""
    number = int(state["num_tricks"])
    if rules.is_terminal(state):
        return f"after trick {number}: over"
    return f"trick {number + 1} of at most {state['trick_limit']}: player {state['starter']} starts"


def _last_trick(names: Names, state: np.record) -> str:
    if state["last_winner"] == rules.NONE:
        return ""
    field = int(state["last_field"])
    values = [state["values"][card, field] for card in state["last_cards"]]
    played = ", ".join(
        f"player {owner} {value_words(names, field, value)}" for owner, value in enumerate(values)
    )
    winner = int(state["last_winner"])
    outcome = "drawn" if winner == rules.DRAWN else f"player {winner} won"
    return f"  last trick: {field_words(names, field)}: {played}: {outcome}"


def _seat_lines(names: Names, state: np.record, owner: int, seat: int | None) -> str:
    size = int(state["deck_sizes"][owner])
    turn = ">" if owner == state["starter"] and not rules.is_terminal(state) else " "
    you = " (you)" if owner == seat else ""
    lines = [f"{turn} player {owner}{you}: {size} cards"]
    if shows_top(state, owner, seat):
        lines.append("    on top: " + top_text(names, state, owner))
    deck = state["decks"][owner]
    cards = [int(deck[rules.place_at(state, owner, depth)]) for depth in range(size)]
    if seat is None and size > 1:
        lines.append(f"    deck: {' '.join(card_name(names, state, card) for card in cards)}")
    elif size:
        cards_held = " ".join(sorted(card_name(names, state, card) for card in cards))
        lines.append(f"    holds, in whatever order: {cards_held}")
    return "\n".join(lines)


def shows_top(state: np.record, owner: int, seat: int | None) -> bool:
    """Whether the top card of `owner` may be shown to `seat` (None may see everything)."""
    if state["deck_sizes"][owner] == 0:
        return False
    return seat is None or (owner == seat and bool(knows_own_top(state, owner)))


def top_text(names: Names, state: np.record, owner: int) -> str:
    """The top card with its values."""
    card = int(state["decks"][owner, state["heads"][owner]])
    values = zip(names.fields, state["values"][card], strict=True)
    return f"{card_name(names, state, card)}  " + " ".join(f"{name}={v}" for name, v in values)
