"""Solve the end of trick-taking with open hands: every seat plays for its own tricks.

This is max^n (Luckhardt and Irani 1986). A seat with several best cards plays each of them equally
often, so the value of a position is one number for each seat: the tricks that it has on average at
the end.

Of cards that touch, with none of another seat between, one is considered; of those that lose the
trick, the lowest of the colour; of the last seat's cards that win it, the lowest.
"""

from typing import NamedTuple

import numpy as np

from ...envs.core.bits import lowest_bit
from ...envs.core.compile import rule
from ...envs.core.game import NO_SEAT, Game
from ...envs.core.seats import next_seat
from ...envs.trick_taking.rules import MAX_SEATS, NO_COLOUR, apply_action

TRICK = 256  # fixed point: values are integers in units of 1 / 256 trick, rounded down
_NO_LIMIT = 1 << 30

_FRAME_FIELDS = [
    ("moves", np.int64, (MAX_SEATS,)),  # cards still to be tried, by colour
    ("total", np.int64, (MAX_SEATS,)),  # sum of the values of the best moves so far, by seat
    ("num_best", np.int64),
    ("best", np.int64),  # their value for the seat that acts
    ("limit", np.int64),  # beta of the alpha-beta window: above it the search stops
]
FRAME = np.dtype((np.record, _FRAME_FIELDS))


class SearchStack(NamedTuple):
    """The stack of a search: a position and its frame for each ply."""

    tricks: int  # left at most in a position to solve
    states: np.ndarray  # records [plies + 1]
    frames: np.ndarray  # FRAME [plies + 1]

    @staticmethod
    def empty(game: Game, tricks: int) -> "SearchStack":
        """Return room to solve positions of a game with at most this many tricks left."""
        size = tricks * game.num_seats + 1
        return SearchStack(tricks, game.new_states(size), np.zeros(size, FRAME))


@rule
def solve(stack, state, out):
    """Write the tricks that each seat has at the end on average into out [seats].

    The search keeps its own stack, because Numba crashes when it loads a recursive function from
    disk.
    """
    stack.states[0] = state
    start_frame(stack.frames[0], stack.states[0], np.int64(_NO_LIMIT))
    last = 0
    while last >= 0:
        frame = stack.frames[last]
        if frame.best <= frame.limit and has_moves(frame):
            play_card(stack, last)
            last += 1
            continue
        for seat in range(out.shape[0]):
            frame.total[seat] //= frame.num_best
        last -= 1
        if last >= 0:
            take_value(stack.frames[last], stack.states[last], frame.total)
    for seat in range(out.shape[0]):
        out[seat] = stack.frames[0].total[seat] / TRICK


@rule
def start_frame(frame, state, limit):
    """List the moves of a position, or write its value where it is clear."""
    frame.best, frame.limit = -1, limit
    frame.total[:] = 0
    frame.num_best = 1
    frame.moves[:] = 0
    taker = winner_of_rest(state)
    if taker == NO_SEAT:
        list_moves(frame, state)
        return
    for seat in range(state.tricks_won.shape[0]):
        frame.total[seat] = TRICK * np.int64(state.tricks_won[seat])
    frame.total[taker] += TRICK * np.int64(state.tricks_left)


@rule
def has_moves(frame):
    """Whether a card is still to be tried."""
    return frame.moves[0] | frame.moves[1] | frame.moves[2] | frame.moves[3] != 0


@rule
def play_card(stack, last):
    """Play the next card of a frame in the frame after."""
    frame, state, following = stack.frames[last], stack.states[last], stack.states[last + 1]
    card = next_card(frame, state)
    stack.states[last + 1] = state
    apply_action(following, card)
    limit = TRICK * state.dealt.shape[1] - frame.best
    if following.seat_to_act == state.seat_to_act:
        limit = np.int64(_NO_LIMIT)
    start_frame(stack.frames[last + 1], following, limit)


@rule
def next_card(frame, state):
    """Take a card from the moves: the lowest that wins so far, else the first."""
    colour, cards = np.int64(state.led_colour), np.int64(0)
    if colour != NO_COLOUR:
        cards = frame.moves[colour] & above_top(state)
    if cards == 0:
        colour = np.int64(0)
        while frame.moves[colour] == 0:
            colour += 1
        cards = frame.moves[colour]
    frame.moves[colour] ^= cards & -cards
    return colour * state.dealt.shape[1] + lowest_bit(cards)


@rule
def take_value(frame, state, values):
    """Compare the values of the last move with those of the best so far."""
    own = values[state.seat_to_act]
    if own > frame.best:
        frame.best = own
        frame.num_best = 0
        frame.total[:] = 0
    if own == frame.best:
        frame.num_best += 1
        for seat in range(MAX_SEATS):
            frame.total[seat] += values[seat]


# Cards


@rule
def list_moves(frame, state):
    """Write the cards to consider."""
    seat, led = np.int64(state.seat_to_act), np.int64(state.led_colour)
    if led != NO_COLOUR and state.hands[seat, led] != 0:
        own = state.hands[seat, led]
        winners = lowest_of_own_runs(own, others_in(state, seat, led)) & above_top(state)
        if next_seat(seat, state.hands.shape[0]) == state.leader:
            winners &= -winners
        losers = own & ~above_top(state)
        frame.moves[led] = winners | losers & -losers
        return
    for colour in range(state.hands.shape[0]):
        own = state.hands[seat, colour]
        if led == NO_COLOUR:
            frame.moves[colour] = lowest_of_own_runs(own, others_in(state, seat, colour))
        else:
            frame.moves[colour] = own & -own


@rule
def above_top(state):
    """All values above the highest of the colour led in the trick."""
    return -(np.int64(2) << np.int64(state.top_value))


@rule
def others_in(state, seat, colour):
    """The cards of a colour on the table and in the other hands."""
    others = state.table[colour]
    for other in range(state.hands.shape[0]):
        if other != seat:
            others |= state.hands[other, colour]
    return others


@rule
def lowest_of_own_runs(own, others):
    """The lowest card of each run: cards of a colour with none of the others between."""
    lowest = np.int64(0)
    while own != 0:
        card = own & -own
        lowest |= card
        above = others & -card
        own &= -(above & -above)
    return lowest


@rule
def winner_of_rest(state):
    """The seat that takes all tricks to come whatever is played, where that is clear, or NO_SEAT.

    The leader takes them if no card lies above one of its own.
    """
    if state.led_colour != NO_COLOUR:
        return np.int64(NO_SEAT)
    leader = np.int64(state.leader)
    for colour in range(state.hands.shape[0]):
        own = state.hands[leader, colour]
        for seat in range(state.hands.shape[0]):
            if own != 0 and state.hands[seat, colour] > own & -own:
                return winner_of_last(state, colour)
    return leader


@rule
def winner_of_last(state, colour):
    """The seat that takes a last trick in this colour, or NO_SEAT if more are to come."""
    winner = np.int64(0)
    for seat in range(1, state.hands.shape[0]):
        if state.hands[seat, colour] > state.hands[winner, colour]:
            winner = np.int64(seat)
    return winner if state.tricks_left == 1 else np.int64(NO_SEAT)
