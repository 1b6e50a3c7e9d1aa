"""Lay out a deal or a full position of Splendor given as plain data.

Everything is checked first: what cannot be is an error that says what is wrong.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.words import is_index, shortened
from .actions import GEM_LIMIT, MAX_RESERVED, NUM_SLOTS, SLOTS_PER_TIER
from .cards import (
    CARDS,
    COLOURS,
    FIRST_OF_TIER,
    GEM_COLOURS,
    NO_CARD,
    NO_NOBLE,
    NOBLE_POINTS,
    NOBLES,
    NUM_GEM_COLOURS,
    NUM_TIERS,
    TIER_SIZES,
    pack,
)
from .rules import (
    GEMS_OF_COLOUR,
    MAX_GAIN,
    MAX_OF_COLOUR,
    YELLOW_GEMS,
    clear_events,
    shuffle_decks,
    start_game,
)

DEAL_FORM = '{"decks": [[card, ...], [card, ...], [card, ...]], "nobles": [need, ...]}'
POSITION_FORM = '{"position": {...}}'
REQUIRED = ("num_players", "seat_to_act", "first_seat", "bank", "table", "nobles", "seats")
DECKS = ("decks", "decks_left")
OPTIONAL = ("passes", "turn")
SEAT_KEYS = ("gems", "cards", "reserved", "nobles")

CARD_INDEX = {(card.colour, card.points, card.cost): index for index, card in enumerate(CARDS)}
NOBLE_INDEX = {need: index for index, need in enumerate(NOBLES)}


def deal_from(state: np.record, data: Any, rng: np.record) -> None:
    """Lay out a deal, `{"decks", "nobles"}`, or a position, `{"position": {...}}`.

    If only the number of unseen cards is given, they are shuffled from the stream. A position that
    no game can reach raises a ValueError that says what is wrong.
    """
    if isinstance(data, dict) and set(data) == {"decks", "nobles"}:
        _lay_deal(state, data)
    elif isinstance(data, dict) and set(data) == {"position"}:
        _lay_position(state, data["position"], rng)
    else:
        raise ValueError(f"a deal is {DEAL_FORM} or {POSITION_FORM}; got {shortened(data)}")


def card_data(card: int) -> list[Any]:
    """A card by its index as plain data: `[colour, points, [cost by colour]]`."""
    _, colour, points, cost = CARDS[card]
    return [COLOURS[colour], points, list(cost)]


# A deal


def _lay_deal(state: np.record, data: dict[str, Any]) -> None:
    decks = _parse_decks(data["decks"])
    nobles = _parse_nobles(data["nobles"], "the nobles of a deal")
    _check_cards_once([card for deck in decks for card in deck])
    _check_no_card_is_missing(decks, [])
    num_nobles = len(state.nobles)
    if len(nobles) != num_nobles or NO_NOBLE in nobles:
        raise ValueError(f"a deal for {num_nobles - 1} players has {num_nobles} nobles")
    _check_nobles_once(nobles)
    _put_decks(state, decks)
    state["nobles"] = nobles
    start_game(state)


def _put_decks(state: np.record, decks: list[list[int]]) -> None:
    """Store the decks, which are given with the top first, with the next card last."""
    for tier, deck in enumerate(decks):
        first = FIRST_OF_TIER[tier]
        state["deck"][first : first + len(deck)] = deck[::-1]
        state["deck_left"][tier] = len(deck)


# A position


def _lay_position(state: np.record, data: Any, rng: np.record) -> None:
    num_seats = len(state.gems)
    _check_keys(data, num_seats)
    table = _parse_table(data["table"])
    seats = [_parse_seat(seat, index) for index, seat in enumerate(_seat_list(data, num_seats))]
    nobles = _parse_nobles(data["nobles"], "the nobles on the table")
    decks = _decks_of(data, [card for card in table if card != NO_CARD], seats)
    _check_nobles(nobles, seats, num_seats)
    bank = _counts(data["bank"], NUM_GEM_COLOURS, "the bank")
    _check_gems(bank, seats, num_seats)
    turn = _parse_turn(data, num_seats, int(state.turn_limit))
    _check_points(seats, turn, int(state.target))
    _check_slots(table, decks)
    _put_decks(state, decks)
    _put_table(state, table, bank, nobles)
    for index, seat in enumerate(seats):
        _put_seat(state, index, seat)
    clear_events(state)
    for name, number in turn.items():
        state[name] = number
    if "decks_left" in data:
        shuffle_decks(state, rng)


def _check_keys(data: Any, num_seats: int) -> None:
    """Check the keys of a position and its number of seats."""
    if not isinstance(data, dict):
        raise ValueError(f"a position is a dict; got {shortened(data)}")
    for key in REQUIRED:
        if key not in data:
            raise ValueError(f"a position needs {key!r}; its keys are {', '.join(map(repr, data))}")
    known = (*REQUIRED, *DECKS, *OPTIONAL)
    unknown = [key for key in data if key not in known]
    if unknown:
        raise ValueError(f"a position has no {unknown[0]!r}; its keys are {', '.join(known)}")
    if sum(key in data for key in DECKS) != 1:
        raise ValueError("a position has either 'decks' or 'decks_left'")
    if data["num_players"] != num_seats:
        raise ValueError(
            f"the position is for {data['num_players']!r} players, the game for {num_seats}"
        )


def _seat_list(data: dict[str, Any], num_seats: int) -> Sequence[Any]:
    seats = data["seats"]
    if not isinstance(seats, list | tuple) or len(seats) != num_seats:
        raise ValueError(f"'seats' must be a list of {num_seats} seats; got {shortened(seats)}")
    return seats


class _Seat(NamedTuple):
    """What one seat of a position has, with cards and nobles as indices."""

    gems: list[int]
    cards: list[int]
    reserved: list[int]
    nobles: list[int]

    @property
    def points(self) -> int:
        """The points of its cards and nobles."""
        return sum(CARDS[card].points for card in self.cards) + NOBLE_POINTS * len(self.nobles)


def _parse_seat(data: Any, index: int) -> _Seat:
    name = f"seat {index}"
    if not isinstance(data, dict) or set(data) != set(SEAT_KEYS):
        raise ValueError(f"{name} needs {', '.join(SEAT_KEYS)}; got {shortened(data)}")
    gems = _counts(data["gems"], NUM_GEM_COLOURS, f"the gems of {name}")
    if sum(gems) > GEM_LIMIT:
        raise ValueError(f"{name} holds {sum(gems)} gems; {GEM_LIMIT} is the limit")
    cards = _parse_cards(data["cards"], f"the cards of {name}")
    reserved = _parse_cards(data["reserved"], f"the reserved cards of {name}")
    if len(reserved) > MAX_RESERVED:
        raise ValueError(f"{name} has reserved {len(reserved)} cards; {MAX_RESERVED} is the limit")
    for colour, number in Counter(CARDS[card].colour for card in cards).items():
        if number > MAX_OF_COLOUR:
            raise ValueError(
                f"{name} has {number} {COLOURS[colour]} cards; {MAX_OF_COLOUR} is the limit"
            )
    nobles = _parse_nobles(data["nobles"], f"the nobles of {name}")
    if NO_NOBLE in nobles:
        raise ValueError(f"the nobles of {name} are needs, not null")
    return _Seat(gems, cards, reserved, nobles)


def _parse_table(data: Any) -> list[int]:
    """Cards by slot; raises ValueError unless there are three tiers of four slots."""
    are_lists = isinstance(data, list | tuple) and all(isinstance(t, list | tuple) for t in data)
    if not are_lists or [len(tier) for tier in data] != [SLOTS_PER_TIER] * NUM_TIERS:
        raise ValueError(
            f"the table must be {NUM_TIERS} tiers of {SLOTS_PER_TIER} cards or null; "
            f"got {shortened(data)}"
        )
    cards = [NO_CARD if card is None else _parse_card(card) for tier in data for card in tier]
    for slot, card in enumerate(cards):
        if card != NO_CARD:
            _check_tier(card, slot // SLOTS_PER_TIER, "on the table")
    return cards


def _decks_of(data: dict[str, Any], table: list[int], seats: list[_Seat]) -> list[list[int]]:
    """The decks of a position; checks that each card of the game appears once."""
    held = [card for seat in seats for card in (*seat.cards, *seat.reserved)]
    _check_cards_once([*table, *held])
    if "decks" in data:
        decks = _parse_decks(data["decks"])
        _check_cards_once([*table, *held, *(card for deck in decks for card in deck)])
        _check_no_card_is_missing(decks, [*table, *held])
        return decks
    seen = {*table, *held}
    decks = [[card for card in _tier(tier) if card not in seen] for tier in range(NUM_TIERS)]
    sizes = [len(deck) for deck in decks]
    if _counts(data["decks_left"], NUM_TIERS, "'decks_left'") != sizes:
        raise ValueError(
            f"'decks_left' is {data['decks_left']}, but {sizes} cards of the tiers are unseen"
        )
    return decks


def _check_nobles(nobles: list[int], seats: list[_Seat], num_seats: int) -> None:
    there = [noble for noble in nobles if noble != NO_NOBLE]
    there += [noble for seat in seats for noble in seat.nobles]
    _check_nobles_once(there)
    if len(there) != num_seats + 1 or len(nobles) > num_seats + 1:
        raise ValueError(
            f"{num_seats} players have {num_seats + 1} nobles, on the table and received; "
            f"got {len(there)}"
        )


def _check_gems(bank: list[int], seats: list[_Seat], num_seats: int) -> None:
    """Check that all gems of the game are in the bank or held."""
    for colour, name in enumerate(GEM_COLOURS):
        number = bank[colour] + sum(seat.gems[colour] for seat in seats)
        whole = YELLOW_GEMS if name == "yellow" else GEMS_OF_COLOUR[num_seats]
        if number != whole:
            raise ValueError(f"{num_seats} players have {whole} {name} gems; here are {number}")


def _check_points(seats: list[_Seat], turn: dict[str, int], target: int) -> None:
    """Check that the game is not over: no seat reached the target in an earlier round."""
    num_seats, first_seat = len(seats), turn["first_seat"]
    num_moved = (turn["seat_to_act"] - first_seat) % num_seats
    for index, seat in enumerate(seats):
        has_moved = (index - first_seat) % num_seats < num_moved
        if seat.points >= target and not has_moved:
            raise ValueError(
                f"seat {index} has {seat.points} points and has yet to act in this round, "
                f"but at {target} points the game ended with the round before"
            )
        if seat.points >= target + MAX_GAIN:
            raise ValueError(
                f"seat {index} has {seat.points} points; "
                f"nobody comes beyond {target + MAX_GAIN - 1}"
            )


def _check_slots(table: list[int], decks: list[list[int]]) -> None:
    for slot, card in enumerate(table):
        tier, place = divmod(slot, SLOTS_PER_TIER)
        if card == NO_CARD and decks[tier]:
            raise ValueError(
                f"slot {tier + 1}.{place} is empty, but its deck has {len(decks[tier])} cards"
            )


def _parse_turn(data: dict[str, Any], num_seats: int, turn_limit: int) -> dict[str, int]:
    """The seat to act and the progress of the game; `turn` counts complete rounds."""
    return {
        "seat_to_act": _number(data["seat_to_act"], num_seats - 1, "'seat_to_act'"),
        "first_seat": _number(data["first_seat"], num_seats - 1, "'first_seat'"),
        "passes": _number(data.get("passes", 0), num_seats - 1, "'passes'"),
        "turn": _number(data.get("turn", 0), turn_limit - 1, "'turn'"),
    }


def _put_table(state: np.record, table: list[int], bank: list[int], nobles: list[int]) -> None:
    state["table"] = table
    state["face_up"] = sum(1 << slot for slot in range(NUM_SLOTS) if table[slot] != NO_CARD)
    state["bank"] = pack(bank)
    state["nobles"] = [*nobles, *[NO_NOBLE] * (len(state.nobles) - len(nobles))]
    for tier in range(NUM_TIERS):
        first = FIRST_OF_TIER[tier]
        deck = state["deck"][first : first + state["deck_left"][tier]].tolist()
        state["unseen"][tier] = sum(1 << card - first for card in deck)


def _put_seat(state: np.record, index: int, seat: _Seat) -> None:
    colours = [CARDS[card].colour for card in seat.cards]
    state["gems"][index] = pack(seat.gems)
    state["cards"][index] = pack([colours.count(colour) for colour in range(len(COLOURS))])
    state["points"][index] = seat.points
    state["won"][index] = sum(1 << noble for noble in seat.nobles)
    state["num_reserved"][index] = len(seat.reserved)
    state["reserved"][index] = [*seat.reserved, *[NO_CARD] * (MAX_RESERVED - len(seat.reserved))]


# Cards and nobles as plain data


def _parse_card(data: Any) -> int:
    """The index of `[colour, points, [cost]]`."""
    card = None
    if isinstance(data, list | tuple) and len(data) == 3 and data[0] in COLOURS:
        colour, points, cost = data
        if isinstance(cost, list | tuple) and _are_counts([points, *cost]):
            card = CARD_INDEX.get((COLOURS.index(colour), points, tuple(cost)))
    if card is None:
        raise ValueError(
            f"there is no card {shortened(data)}; a card is [colour, points, [cost in "
            f"{', '.join(COLOURS)}]], as in cards.csv"
        )
    return card


def _parse_cards(data: Any, what: str) -> list[int]:
    if not isinstance(data, list | tuple):
        raise ValueError(f"{what} are a list; got {shortened(data)}")
    return [_parse_card(card) for card in data]


def _parse_decks(data: Any) -> list[list[int]]:
    if not isinstance(data, list | tuple) or len(data) != NUM_TIERS:
        raise ValueError(f"'decks' must be {NUM_TIERS} lists of cards; got {shortened(data)}")
    decks = [_parse_cards(deck, f"the cards of deck {tier + 1}") for tier, deck in enumerate(data)]
    for tier, deck in enumerate(decks):
        for card in deck:
            _check_tier(card, tier, "in the deck")
    return decks


def _parse_nobles(data: Any, what: str) -> list[int]:
    """Indices by slot, NO_NOBLE for null."""
    if not isinstance(data, list | tuple):
        raise ValueError(f"{what} are a list of needs; got {shortened(data)}")
    nobles = []
    for need in data:
        is_need = isinstance(need, list | tuple) and _are_counts(need)
        if need is not None and not (is_need and tuple(need) in NOBLE_INDEX):
            raise ValueError(
                f"there is no noble {shortened(need)}; a noble is its need in "
                f"{', '.join(COLOURS)}, as in nobles.csv"
            )
        nobles.append(NO_NOBLE if need is None else NOBLE_INDEX[tuple(need)])
    return nobles


def _check_cards_once(cards: list[int]) -> None:
    for card, number in Counter(cards).items():
        if number > 1:
            raise ValueError(f"the card {card_data(card)} is there {number} times")


def _check_no_card_is_missing(decks: list[list[int]], elsewhere: list[int]) -> None:
    there = {*elsewhere, *(card for deck in decks for card in deck)}
    for card in range(len(CARDS)):
        if card not in there:
            raise ValueError(
                f"the card {card_data(card)} is missing; decks, table and seats have all "
                f"{' + '.join(map(str, TIER_SIZES))} cards between them"
            )


def _check_nobles_once(nobles: list[int]) -> None:
    for noble, number in Counter(nobles).items():
        if number > 1:
            raise ValueError(f"the noble {list(NOBLES[noble])} is there {number} times")


def _check_tier(card: int, tier: int, where: str) -> None:
    if CARDS[card].tier != tier:
        raise ValueError(
            f"the card {card_data(card)} is of tier {CARDS[card].tier + 1}, "
            f"but is {where} of tier {tier + 1}"
        )


def _tier(tier: int) -> Iterator[int]:
    """The indices of all cards of a tier."""
    return iter(range(FIRST_OF_TIER[tier], FIRST_OF_TIER[tier + 1]))


# Numbers


def _are_counts(values: Sequence[Any]) -> bool:
    return all(is_index(value) for value in values)


def _counts(data: Any, length: int, what: str) -> list[int]:
    is_list = isinstance(data, list | tuple) and len(data) == length
    if not is_list or not _are_counts(data):
        raise ValueError(f"{what} must be {length} numbers of 0 or more; got {shortened(data)}")
    return [int(number) for number in data]


def _number(data: Any, most: int, what: str) -> int:
    if not _are_counts([data]) or data > most:
        raise ValueError(f"{what} must be a number in 0 .. {most}; got {data!r}")
    return int(data)
