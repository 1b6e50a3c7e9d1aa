"""Positions of President laid out by hand: hands, the play to beat, and who has gone out.

All other cards have been played. A match starts with this game.
"""

from collections.abc import Sequence

import numpy as np

from ..core.arranging import Pile, Piles, sorted_out
from ..core.game import NO_SEAT
from . import rules, text
from .draw import card_id, played_cards

GOLDS = "2 of oros"
RANKS = (GOLDS, *text.RANK_NAMES)
WHOLE = [GOLDS, *[name for name in text.RANK_NAMES for _ in range(rules.NUM_SUITS)][1:]]


def lay_out(state: np.record) -> dict[str, list[str]]:
    """The cards of each hand and of the play to beat, and the seats that have gone out."""
    num_seats = len(state["hands"])
    outs = np.argsort(state["placings"], kind="stable")[num_seats - int(state["num_out"]) :]
    table = [text.RANK_NAMES[rank] for rank in _table(state)]
    is_golds = table[:1] == ["2"] and state["golds_seat"] == NO_SEAT  # once played, it is any two
    return {
        **{f"hand {seat}": _hand(state, seat) for seat in range(num_seats)},
        "table": [GOLDS, *table[1:]] if is_golds else table,
        "out": [f"seat {seat + 1}" for seat in outs],
    }


def _table(state: np.record) -> list[int]:
    """The rank of each card of the play to beat."""
    if state["table_action"] == rules.PASS:
        return []
    rank, more = divmod(int(state["table_action"]) - 1, rules.NUM_SUITS)
    return [rank] * (more + 1)


def _hand(state: np.record, seat: int) -> list[str]:
    """The cards of a hand from low to high, the 2 of oros last of the twos."""
    counts = text.rank_counts(int(state["hands"][seat]))
    names = [text.RANK_NAMES[rank] for rank, count in enumerate(counts) for _ in range(count)]
    if state["golds_seat"] == seat and counts[0]:
        names[counts[0] - 1] = GOLDS
    return names


def _ranks(pieces: Sequence[str]) -> list[int]:
    return sorted(max(0, RANKS.index(piece) - 1) for piece in pieces)


def arrange(state: np.record, piles: Piles, seat: int) -> dict[str, Pile]:
    """Begin a game in the middle. Raises ValueError for a play of several ranks."""
    num_seats = len(state["hands"])
    hands = [f"hand {owner}" for owner in range(num_seats)]
    players = [f"seat {owner + 1}" for owner in range(num_seats)]
    names = [*hands, "table", "played", "out", "in"]
    pieces = sorted_out(piles, names, [*WHOLE, *players])
    for name, kinds in {"out": players, "in": players}.items():
        if not {*pieces[name]} <= {*kinds}:
            raise ValueError("only players go out")
    if any({*players} & {*pieces[name]} for name in (*hands, "table", "played")):
        raise ValueError("a player is no card")
    table = _ranks(pieces["table"])
    if len({*table}) > 1:
        raise ValueError("a play is of one rank")
    _lay(state, [_ranks(pieces[name]) for name in hands], table, seat)
    golds = [owner for owner, name in enumerate(hands) if GOLDS in pieces[name]]
    state["golds_seat"] = golds[0] if golds else NO_SEAT
    for placing, player in enumerate(pieces["out"], start=1):
        state["placings"][players.index(player)] = placing
    state["num_out"] = min(len(pieces["out"]), num_seats - 1)
    gone = [piece for piece in pieces[""] if piece not in players] + pieces["played"]
    seats = [player for player in players if player not in pieces["out"]]
    return {
        "played": Pile("played earlier", sorted(gone, key=RANKS.index), parts=("to come",)),
        **{
            name: Pile(
                f"hand of player {owner}",
                _hand(state, owner),
                parts=(f"seat:{owner}",),
                faces=_faces(state, owner),
                stock="played",
            )
            for owner, name in enumerate(hands)
        },
        "table": Pile(
            "the play to beat",
            pieces["table"],
            parts=("table",),
            faces=[part.id for part in played_cards(state, None)] if table else (),
            stock="played",
        ),
        "in": Pile("still in", seats, "player"),
        "out": Pile("gone out, the first as president", pieces["out"], "player"),
    }


def _faces(state: np.record, owner: int) -> list[str]:
    counts = text.rank_counts(int(state["hands"][owner]))
    return [
        card_id(owner, rank, copy) for rank, count in enumerate(counts) for copy in range(count)
    ]


def _lay(state: np.record, hands: Sequence[Sequence[int]], table: Sequence[int], seat: int) -> None:
    """Write the hands, the play to beat, which the seat before made, and what has been played."""
    state["game"], state["points"], state["placings"] = 0, 0, 0
    rules.start_game(state)
    left = [rules.NUM_SUITS] * rules.NUM_RANKS
    for owner, ranks in enumerate(hands):
        hand = 0
        for rank in ranks:
            hand, left[rank] = rules.add_card(hand, rank), left[rank] - 1
        state["hands"][owner] = hand
    state["played"] = sum(count << rules.RANK_BITS * rank for rank, count in enumerate(left))
    state["seat_to_act"] = state["table_seat"] = seat
    if table:
        before = [(seat - step) % len(hands) for step in range(1, len(hands))]
        state["table_seat"] = next((owner for owner in before if hands[owner]), before[0])
        state["table_action"] = 1 + table[0] * rules.NUM_SUITS + len(table) - 1
        state["last_actions"][state["table_seat"]] = state["table_action"]
