"""What one seat of Notty may know: everything but the order of the deck.

Seats count from the observer: index 0 is the observer, index 1 the next seat clockwise.
"""

import numpy as np

from ..core.compile import rule
from ..core.fields import Field
from ..core.game import NO_ACTION
from ..core.rng import shuffle
from ..core.seats import next_seat
from .cards import NUM_COPIES, NUM_KINDS, deck_words
from .rules import (
    FROM_LARGER,
    FROM_OTHERS,
    HAS_BOTH,
    MAX_DRAWN,
    MAX_TURN_LIMIT,
    NO_CARD,
    NUM_GROUPS,
    first_discard,
)


def observation_fields(num_seats: int) -> tuple[Field, ...]:
    """Cards are counts by kind, colour by colour."""
    n = num_seats
    most_turns, top_action = n * MAX_TURN_LIMIT, first_discard(n) + NUM_GROUPS - 1
    turns, moved, top_kind = MAX_TURN_LIMIT, (n, MAX_DRAWN), NUM_KINDS - 1

    def whole(name: str, shape: tuple[int, ...], low: int, high: int, meaning: str) -> Field:
        return Field(name, np.int16, shape, low, high, meaning)

    return (
        whole("hands", (n, NUM_KINDS), 0, NUM_COPIES, "cards of each kind in each hand"),
        whole("deck", (NUM_KINDS,), 0, NUM_COPIES, "cards of each kind in the deck"),
        whole("seat", (), 0, n - 1, "your seat"),
        whole("seat_to_act", (), 0, n - 1, "whose turn it is"),
        whole(
            "phase", (), 0, HAS_BOTH, "phase of the turn: 0 nothing done, 1 drawn, 2 taken, 3 both"
        ),
        whole("turns_played", (), 0, most_turns, "turns that have ended, of all seats"),
        whole("turn_limit", (), 1, most_turns, "turns of all seats after which the game is a draw"),
        whole("passes", (n,), 0, MAX_TURN_LIMIT, "voluntary passes in a row"),
        whole("takes", (n, 2), 0, turns, "cards taken from larger hands, and from other hands"),
        whole("last_actions", (n,), NO_ACTION, top_action, "each seat's last action; -1: none"),
        whole(
            "last_cards",
            moved,
            NO_CARD,
            top_kind,
            "kinds of the cards that this action moved; -1: none",
        ),
    )


@rule
def observe(state, seat, out):
    """Write everything `seat` may know."""
    out.seat = seat
    other = seat
    num_seats = state.hands.shape[0]
    for place in range(num_seats):
        write_counts(state.hands[other, 0], state.hands[other, 1], out.hands[place])
        out.passes[place] = state.passes[other]
        out.takes[place, FROM_LARGER] = state.takes[other, FROM_LARGER]
        out.takes[place, FROM_OTHERS] = state.takes[other, FROM_OTHERS]
        out.last_actions[place] = state.last_actions[other]
        for index in range(MAX_DRAWN):
            out.last_cards[place, index] = state.last_cards[other, index]
        if other == state.seat_to_act:
            out.seat_to_act = place
        other = next_seat(other, num_seats)
    once, twice = deck_words(state.hands)
    write_counts(once, twice, out.deck)
    out.phase = state.phase
    out.turns_played = state.turns_played
    out.turn_limit = state.turn_limit * num_seats


@rule
def write_counts(once, twice, out):
    """Write two sets of kinds as a count for each kind."""
    for kind in range(NUM_KINDS):
        out[kind] = ((once >> kind) & 1) + ((twice >> kind) & 1)


@rule
def reshuffle_unseen(state, seat, rng):
    """Shuffle the order of the deck, the only hidden thing, if a start position fixed it."""
    shuffle(rng, state.deck_order[: state.num_ordered])
