"""President in words: names of cards and actions, a position as text, a deal as plain data."""

from typing import Any

import numpy as np

from ..core.game import NO_ACTION
from .rules import (
    GIVE,
    NUM_ACTIONS,
    NUM_CARDS,
    NUM_RANKS,
    NUM_SUITS,
    PASS,
    add_card,
    count_of,
    deal,
    is_terminal,
    start_game,
)

RANK_NAMES = ("2", "4", "5", "6", "7", "10", "11", "12", "3", "1")
SUIT_NAMES = ("O", "B", "C", "E")  # oros, bastos, copas, espadas
CARD_NAMES = tuple(rank + suit for rank in RANK_NAMES for suit in SUIT_NAMES)
CARD_INDEX = {name: index for index, name in enumerate(CARD_NAMES)}

ACTION_NAMES = (
    "pass",
    *(f"{count}x{rank}" for rank in RANK_NAMES for count in range(1, NUM_SUITS + 1)),
    *(f"give:{rank}" for rank in RANK_NAMES),
)
ACTION_INDEX = {name: index for index, name in enumerate(ACTION_NAMES)}


DEAL_FORM = '{"hands": [[card, ...], ...]}'
MATCH_FORM = '{"games": [{"hands": ...}, ...]}'
LONGEST_VALUE = 60  # characters of a wrong value that an error shows


def action_name(action: int) -> str:
    """`pass`, `COUNTxRANK` or `give:RANK`, with the printed rank. Raises ValueError."""
    if not isinstance(action, int | np.integer) or not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"President has actions 0 .. {NUM_ACTIONS - 1}, not {action!r}")
    return ACTION_NAMES[action]


def parse_action(name: str) -> int:
    """The inverse of `action_name`. Raises ValueError."""
    if not isinstance(name, str) or name not in ACTION_INDEX:
        raise ValueError(
            f"no action is called {name!r}; actions are pass, COUNTxRANK such as 2x7, and "
            f"give:RANK, with counts 1 .. 4 and ranks {' '.join(RANK_NAMES)}"
        )
    return ACTION_INDEX[name]


def deal_from(state: np.record, data: Any, rng: np.record) -> None:
    """Lay out `{"hands": [["2O", ...], ...]}`, or `{"games": [{"hands": ...}, ...]}` in a match.

    Games of the match that are not given are dealt from the stream. Raises ValueError that says
    what is wrong with an impossible deal.
    """
    games = _games(data)
    num_games, num_seats = state["next_hands"].shape
    if len(games) > num_games:
        raise ValueError(f"the deal has {len(games)} games, the match only {num_games}")
    parsed = [_parse_hands(game, num_seats) for game in games]
    deal(state, rng)
    for game, hands in enumerate(parsed):
        for seat, cards in enumerate(hands):
            hand = 0
            for card in cards:
                hand = add_card(hand, card // NUM_SUITS)
            state["next_hands"][game, seat] = hand
            if 0 in cards:
                state["next_golds"][game] = seat
    start_game(state)


def _games(data: Any) -> list[Any]:
    """The hands of each game given."""
    if isinstance(data, dict) and set(data) == {"hands"}:
        return [data["hands"]]
    games = data["games"] if isinstance(data, dict) and set(data) == {"games"} else None
    if not isinstance(games, list | tuple) or not games:
        raise ValueError(f"a deal is {DEAL_FORM} or, in a match, {MATCH_FORM}; got {_short(data)}")
    for game in games:
        if not isinstance(game, dict) or set(game) != {"hands"}:
            raise ValueError(f"each game of a deal is {DEAL_FORM}; got {_short(game)}")
    return [game["hands"] for game in games]


def _parse_hands(hands: Any, num_seats: int) -> list[list[int]]:
    """Card indices by seat; raises ValueError unless the whole deck is dealt, evenly."""
    are_lists = isinstance(hands, list | tuple) and all(isinstance(h, list | tuple) for h in hands)
    if not are_lists:
        raise ValueError(f"the hands of a deal are lists of cards; got {_short(hands)}")
    hand_size = NUM_CARDS // num_seats
    if [len(hand) for hand in hands] != [hand_size] * num_seats:
        sizes = ", ".join(str(len(hand)) for hand in hands) or "none"
        raise ValueError(f"a deal needs {num_seats} hands of {hand_size} cards; got {sizes}")
    names = [name for hand in hands for name in hand]
    for name in names:
        if not isinstance(name, str) or name not in CARD_INDEX:
            raise ValueError(
                f"no card is called {name!r}; a card is a rank, of {' '.join(RANK_NAMES)}, "
                f"and a suit, of {' '.join(SUIT_NAMES)}, such as 12E"
            )
        if names.count(name) > 1:
            raise ValueError(f"the card {name} is dealt twice")
    return [[CARD_INDEX[name] for name in hand] for hand in hands]


def _short(value: Any) -> str:
    """A value as it is shown in an error."""
    text = repr(value)
    return text if len(text) <= LONGEST_VALUE else text[:LONGEST_VALUE] + "..."


def describe(state: np.record, seat: int | None = None) -> str:
    """A position as text, with all hands (seat None) or only what `seat` may see."""
    lines = [_headline(state)]
    for other in range(state.hands.shape[0]):
        lines.append(_seat_line(state, other, show_hand=seat in (None, other)))
    return "\n".join(lines)


def _headline(state: np.record) -> str:
    game = f"game {min(state.game + 1, len(state.next_hands))} of {len(state.next_hands)}"
    if is_terminal(state):
        return f"{game}: over"
    if state.gives_left > 0:
        return f"{game}: player {state.seat_to_act} gives a card back"
    if state.table_action == PASS:
        return f"{game}: player {state.seat_to_act} leads"
    play = ACTION_NAMES[state.table_action]
    return f"{game}: player {state.seat_to_act} to beat {play} of player {state.table_seat}"


def _seat_line(state: np.record, seat: int, show_hand: bool) -> str:
    hand = int(state.hands[seat])
    size = hand.bit_count()
    held = [RANK_NAMES[r] for r in range(NUM_RANKS) for _ in range(count_of(hand, r))]
    cards = " ".join(held) if show_hand else " ".join("?" * size)
    turn = ">" if seat == state.seat_to_act and not is_terminal(state) else " "
    last = _last_action(state, seat)
    place = f"  placed {state.placings[seat]}" if state.placings[seat] else ""
    return f"{turn} player {seat} [{size:2}] {cards:<50}{last:>8}{place}".rstrip()


def _last_action(state: np.record, seat: int) -> str:
    action = state.last_actions[seat]
    if action == NO_ACTION:
        return ""
    return "gave one" if action >= GIVE else ACTION_NAMES[action]
