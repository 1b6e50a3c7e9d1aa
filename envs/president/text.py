"""President in words: names of cards and actions, a position as text, a deal as plain data."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ..core.defaults import name_of
from ..core.game import NO_ACTION, NO_SEAT
from ..core.given_cards import cards_dealt
from ..core.words import count_noun, shortened
from . import rules

RANK_NAMES = ("2", "4", "5", "6", "7", "10", "11", "12", "3", "1")
SUIT_NAMES = ("O", "B", "C", "E")  # oros, bastos, copas, espadas
CARD_NAMES = tuple(rank + suit for rank in RANK_NAMES for suit in SUIT_NAMES)

ACTION_NAMES = (
    "pass",
    *(f"{count}x{rank}" for rank in RANK_NAMES for count in range(1, rules.NUM_SUITS + 1)),
    *(f"give:{rank}" for rank in RANK_NAMES),
)
action_name = partial(name_of, ACTION_NAMES)


WORDS = ("two", "four", "five", "six", "seven", "ten", "eleven", "twelve", "three", "one")
COUNTS = ("a", "a pair of", "three", "four")


DEAL_FORM = '{"hands": [[card, ...], ...]}'
MATCH_FORM = '{"games": [{"hands": ...}, ...]}'


def label_action(state: np.record, action: int) -> str:
    """What people call an action: "a pair of sevens"."""
    return ACTION_LABELS[action]


def _label(action: int) -> str:
    if action == rules.PASS:
        return "pass"
    if action >= rules.GIVE:
        return f"give back {_article(WORDS[action - rules.GIVE])}"
    rank, more = divmod(action - 1, rules.NUM_SUITS)
    plural = WORDS[rank] + ("es" if WORDS[rank].endswith("x") else "s")
    return f"{COUNTS[more]} {plural}" if more else _article(WORDS[rank])


def _article(noun: str) -> str:
    return f"{'an' if noun[0] == 'e' else 'a'} {noun}"


ACTION_LABELS = tuple(map(_label, range(rules.NUM_ACTIONS)))


def score(state: np.record, seat: int) -> str:
    """The title of a seat that has gone out, or how many cards it holds; in a match, its points."""
    if len(state["next_hands"]) > 1:
        return f"{int(state['points'][seat]):+} points"
    placing = int(state["placings"][seat])
    left = int(state["hands"][seat]).bit_count()
    return role_title(placing, len(state["hands"])) if placing else count_noun(left, "card")


def deal_from(state: np.record, data: Any, rng: np.record) -> None:
    """Lay out `{"hands": [["2O", ...], ...]}`, or `{"games": [{"hands": ...}, ...]}` in a match.

    Games of the match that are not given are dealt from the stream. Raises ValueError that says
    what is wrong with an impossible deal.
    """
    games = _games(data)
    num_games, num_seats = state["next_hands"].shape
    if len(games) > num_games:
        raise ValueError(f"the deal has {len(games)} games, the match only {num_games}")
    sizes = [rules.NUM_CARDS // num_seats] * num_seats
    parsed = [cards_dealt(hands, sizes, CARD_NAMES) for hands in games]
    rules.deal(state, rng)
    for game, hands in enumerate(parsed):
        for seat, cards in enumerate(hands):
            hand = 0
            for card in cards:
                hand = rules.add_card(hand, card // rules.NUM_SUITS)
            state["next_hands"][game, seat] = hand
            if 0 in cards:
                state["next_golds"][game] = seat
    rules.start_game(state)


def _games(data: Any) -> list[Any]:
    """The hands of each game given."""
    if isinstance(data, dict) and set(data) == {"hands"}:
        return [data["hands"]]
    games = data["games"] if isinstance(data, dict) and set(data) == {"games"} else None
    if not isinstance(games, list | tuple) or not games:
        raise ValueError(
            f"a deal is {DEAL_FORM} or, in a match, {MATCH_FORM}; got {shortened(data)}"
        )
    for game in games:
        if not isinstance(game, dict) or set(game) != {"hands"}:
            raise ValueError(f"each game of a deal is {DEAL_FORM}; got {shortened(game)}")
    return [game["hands"] for game in games]


def check_position(state: np.record) -> None:
    """Raise ValueError for hands and a play that no game has."""
    if rules.is_terminal(state):
        return
    hands = [rank_counts(int(hand)) for hand in state["hands"]]
    played = played_counts(state)
    for rank, name in enumerate(RANK_NAMES):
        number = played[rank] + sum(counts[rank] for counts in hands)
        if number != rules.NUM_SUITS:
            raise ValueError(f"there are {rules.NUM_SUITS} cards {name}, not {number}")
    for seat, counts in enumerate(hands):
        if not any(counts) and not state["placings"][seat]:
            raise ValueError(f"player {seat} has no card and has not gone out")
        if any(counts) and state["placings"][seat]:
            raise ValueError(f"player {seat} has gone out and has cards")
    if not sum(hands[int(state["seat_to_act"])]) or state["num_out"] > len(hands) - 2:
        raise ValueError("the seat to act and another one have cards")
    golds = int(state["golds_seat"])
    if not (played if golds == NO_SEAT else hands[golds])[0]:
        raise ValueError("the 2 of oros is a two in its holder's hand")
    rank, more = divmod(int(state["table_action"]) - 1, rules.NUM_SUITS)
    if state["table_action"] != rules.PASS and played[rank] <= more:
        raise ValueError("the cards of the play to beat have been played")


# A position as text


def describe(state: np.record, seat: int | None = None) -> str:
    """A position as text, with all hands (seat None) or only what `seat` may see.

    Hands are counts by rank, `*` marks the 2 of oros, brackets an action of an earlier round.
    """
    blocks = [headline(state), "", _column_heads(state)]
    blocks += [_seat_line(state, other, seat) for other in range(len(state["hands"]))]
    blocks += ["", _rank_line("played", played_counts(state))]
    if seat is not None:
        own = rank_counts(int(state["hands"][seat]))
        unseen = [rules.NUM_SUITS - n - m for n, m in zip(played_counts(state), own, strict=True)]
        blocks.append(_rank_line("unseen", unseen))
    return "\n".join(line.rstrip() for line in blocks)


def headline(state: np.record) -> str:
    """The situation in one sentence."""
    num_games = len(state["next_hands"])
    match = "" if num_games == 1 else f", game {min(state['game'] + 1, num_games)} of {num_games}"
    return f"President{match}: {turn_line(state)}"


def turn_line(state: np.record) -> str:
    """The seat to act and what it has to do."""
    actor = f"player {state['seat_to_act']}"
    if rules.is_terminal(state):
        president = list(state["placings"]).index(1)
        is_match = len(state["next_hands"]) > 1
        return "the match is over" if is_match else f"player {president} is president"
    if state["gives_left"] > 0:
        return f"{actor} gives a card back"
    if state["table_action"] != rules.PASS:
        label, owner = ACTION_LABELS[state["table_action"]], state["table_seat"]
        return f"{actor} to beat {label} of player {owner}"
    return f"{actor} opens with the 2 of oros" if rules.is_opening(state) else f"{actor} leads"


def rank_counts(hand: int) -> list[int]:
    """The number of cards of each rank in a hand."""
    return [bits.bit_count() for bits in _bits_of_ranks(hand)]


def played_counts(state: np.record) -> list[int]:
    """The number of cards of each rank that have been played."""
    return _bits_of_ranks(int(state["played"]))


def _bits_of_ranks(word: int) -> list[int]:
    shifts = range(0, rules.RANK_BITS * rules.NUM_RANKS, rules.RANK_BITS)
    return [word >> shift & rules.ALL_OF_RANK for shift in shifts]


def role_title(placing: int, num_seats: int) -> str:
    """The name of a placing."""
    if placing == 1:
        return "president"
    if placing == num_seats:
        return "servant"
    return {2: "2nd", 3: "3rd"}.get(placing, f"{placing}th")


def shows_golds(state: np.record, owner: int, seat: int | None) -> bool:
    """Whether `seat` (None: a spectator who sees all) sees the 2 of oros in the hand of `owner`."""
    return state["golds_seat"] == owner and seat in (None, owner)


def last_action_name(state: np.record, owner: int, seat: int | None) -> str:
    """The last action of `owner` in this game as `seat` saw it; "" for none.

    Which card was given back is known to the two seats of the exchange only.
    """
    action = int(state["last_actions"][owner])
    if action == NO_ACTION:
        return ""
    if action >= rules.GIVE and not knows_exchange(state, owner, seat):
        return "gave one"
    return ACTION_LABELS[action]


def knows_exchange(state: np.record, owner: int, seat: int | None) -> bool:
    """Whether `seat` saw the cards that `owner` gave and received in the exchange."""
    if seat is None or seat == owner:
        return True
    if seat == NO_SEAT:  # who only watches
        return False
    return state["roles"][owner] + state["roles"][seat] == len(state["roles"]) + 1


def is_of_this_round(state: np.record, owner: int) -> bool:
    """Whether the last action of a seat can belong to the round on the table.

    A pass counts until the next play; the plays of a round are of one size and rise.
    """
    action, table = int(state["last_actions"][owner]), int(state["table_action"])
    if action == rules.PASS:
        return bool(state["passed"][owner])
    if action >= rules.GIVE:
        return True
    same_count = (action - 1) % rules.NUM_SUITS == (table - 1) % rules.NUM_SUITS
    return table != rules.PASS and same_count and action <= table


_CELL = 4  # characters per rank
_INDENT = 12


def _rank_line(head: str, cells: Sequence[Any]) -> str:
    shown = "".join(f"{cell or '.':>{_CELL}}" for cell in cells)
    return f"  {head:<{_INDENT - 2}}{shown}"


def _column_heads(state: np.record) -> str:
    match = f"{'points':>8}  game before" if len(state["next_hands"]) > 1 else ""
    return f"{_rank_line('', RANK_NAMES)}   cards  last {'':8}{match}"


def _seat_line(state: np.record, owner: int, seat: int | None) -> str:
    hand = int(state["hands"][owner])
    num_seats = len(state["hands"])
    cells: list[Any] = rank_counts(hand)
    if shows_golds(state, owner, seat):
        cells[0] = f"*{cells[0]}"
    line = _rank_line(f"player {owner}", cells)
    if seat not in (None, owner):
        line = _rank_line(f"player {owner}", "?" * rules.NUM_RANKS)
    if state["placings"][owner]:
        place = role_title(state["placings"][owner], num_seats)
        line = f"  {f'player {owner}':<{_INDENT}}  {place}".ljust(_INDENT + _CELL * rules.NUM_RANKS)
    if owner == state["seat_to_act"] and not rules.is_terminal(state):
        line = ">" + line[1:]
    last = last_action_name(state, owner, seat)
    if last and not is_of_this_round(state, owner):
        last = f"({last})"
    line += f"{hand.bit_count():8}  {last:<13}"
    if len(state["next_hands"]) > 1:
        role = role_title(state["roles"][owner], num_seats) if state["roles"][owner] else ""
        line += f"{state['points'][owner]:+8}  {role}"
    return line
