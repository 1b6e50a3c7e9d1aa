"""Solve the end of trick-taking with open hands: every seat plays for its own tricks.

This is max^n (Luckhardt and Irani 1986). A seat with several best cards plays each of them equally
often, so the value of a position is one number for each seat: the tricks that it takes on average.

A position between tricks is, as in `position`, one word of all cards left in order of rank, one
colour after the other, and a card is its bit; here two bits a card name its owner, counted from the
leader. `marks` has the bit of the lowest card of each colour, and one above all cards. Of cards
that touch, with none of another seat between, one is considered; of those that lose the trick, the
lowest of the colour; of the last seat's cards that win it, the lowest.
"""

from typing import NamedTuple

import numpy as np

from ...envs.core.bits import lowest_bit
from ...envs.core.compile import rule
from ...envs.core.game import Game
from .position import highest_card, slot_of

MAX_TRICKS = {2: 12, 3: 8, 4: 6}  # by seats: the cards left must fit a word
LOG2_MEMORY = 18
TRICK = 256  # a trick as a number: values are whole numbers of this fraction

_LANE_BITS = 16  # of a seat's value in a word with those of all seats
_LANE = (1 << _LANE_BITS) - 1
_CARD_BITS = 2
_OWNER = (1 << _CARD_BITS) - 1
_EVERY_CARD = np.int64(0x1555555555555555)
_NO_LIMIT = 1 << 30
_UNKNOWN = np.int64(-1)

_FRAME_FIELDS = (
    "word",  # the position before the trick under way
    "marks",
    "tricks",  # left, that under way included
    "place",  # who acts, counted from the leader
    "led",  # cards of the colour led
    "top",  # the highest of them in the trick
    "winner",  # place that played it
    "played",  # cards of the trick
    "moves",  # cards still to be tried
    "taker",  # place that takes the trick after the last move
    "best",  # value of the best moves so far for the seat that acts
    "total",  # sum of their values for all seats
    "num_best",
    "limit",  # beta of the alpha-beta window: above it the search stops
    "is_kept",  # whether the memory keeps the value
)
FRAME = np.dtype((np.record, [(name, np.int64) for name in _FRAME_FIELDS]))


class OpenHands(NamedTuple):
    """The stack of a search, and a memory of positions that only makes later answers faster."""

    frames: np.ndarray  # FRAME [plies]
    keys: np.ndarray  # int64 [slots, 2]: word and marks
    values: np.ndarray  # int64 [slots]

    @staticmethod
    def empty(game: Game) -> "OpenHands":
        """Return room for positions of a game with at most MAX_TRICKS tricks left."""
        return OpenHands(
            frames=np.zeros(MAX_TRICKS[game.num_seats] * game.num_seats + 1, FRAME),
            keys=np.zeros((1 << LOG2_MEMORY, 2), np.int64),
            values=np.zeros(1 << LOG2_MEMORY, np.int64),
        )


# From a position of the game to its value


@rule
def solve(hands, state, out):
    """Write the tricks that each seat takes on average from now on into out [seats]."""
    num_seats = state.hands.shape[0]
    lay_out(hands.frames[0], state, num_seats)
    value = search(hands, num_seats)
    seat = np.int64(state.leader)
    for _ in range(num_seats):
        out[seat] = (value & _LANE) / TRICK
        value >>= _LANE_BITS
        seat = seat + 1 if seat + 1 < num_seats else 0


@rule
def lay_out(frame, state, num_seats):
    """Make the position the first frame of a search."""
    frame.word, frame.marks, frame.played, frame.led = 0, 0, 0, 0
    frame.tricks = state.tricks_left
    frame.place = place_of(state, np.int64(state.seat_to_act), num_seats)
    frame.winner = place_of(state, np.int64(state.winner), num_seats)
    card = np.int64(1)
    for colour in range(num_seats):
        left = state.table[colour]
        for seat in range(num_seats):
            left |= state.hands[seat, colour]
        if left != 0:
            frame.marks |= card
        while left != 0:
            value = left & -left
            left ^= value
            frame.word |= card * place_of(state, owner_of(state, colour, value), num_seats)
            if state.table[colour] & value != 0:
                frame.played |= card
            if colour == state.led_colour:
                frame.led |= card
            card <<= _CARD_BITS
    frame.marks |= card
    frame.top = highest_card(frame.played & frame.led)


@rule
def place_of(state, seat, num_seats):
    """The place of a seat in the trick."""
    place = seat - np.int64(state.leader)
    return place if place >= 0 else place + num_seats


@rule
def owner_of(state, colour, value):
    """The seat that holds a card, or has played it to this trick."""
    seat = 0
    is_on_table = state.table[colour] & value != 0
    while (state.played if is_on_table else state.hands)[seat, colour] & value == 0:
        seat += 1
    return seat


# The search keeps its own stack, because Numba crashes when it loads a recursive function from disk


@rule
def search(hands, num_seats):
    """Return the value of the first frame's position for all places, a lane of a word each."""
    last = 0
    start_frame(hands.frames[0], num_seats, np.int64(_NO_LIMIT))
    hands.frames[0].is_kept = 0
    while True:
        frame = hands.frames[last]
        if frame.moves != 0 and frame.best <= frame.limit:
            value = play_card(hands, frame, hands.frames[last + 1], num_seats)
            if value == _UNKNOWN:
                last += 1
            else:
                take_value(frame, value)
            continue
        value = mean_of_lanes(frame.total, frame.num_best)
        if frame.best <= frame.limit and frame.is_kept != 0:
            remember(hands, frame.word, frame.marks, value)
        if last == 0:
            return value
        last -= 1
        if frame.place == 0:
            value = after_trick(value, hands.frames[last].taker, num_seats)
        take_value(hands.frames[last], value)


@rule
def take_value(frame, value):
    """Compare the value of the last move with those of the best so far."""
    own = value >> _LANE_BITS * frame.place & _LANE
    if own > frame.best:
        frame.best = own
        frame.total = value
        frame.num_best = 1
    elif own == frame.best:
        frame.total += value
        frame.num_best += 1


@rule
def mean_of_lanes(total, count):
    """Divide each lane by a count, rounding down; a count of 0 has no lanes."""
    if count <= 1:
        return total
    value = np.int64(0)
    for shift in range(0, 4 * _LANE_BITS, _LANE_BITS):
        value |= (total >> shift & _LANE) // count << shift
    return value


@rule
def after_trick(value, taker, num_seats):
    """The value as the leader of the trick counts places, with the trick that `taker` took."""
    if taker == 0:
        return value + TRICK
    shift = _LANE_BITS * taker
    num_kept = _LANE_BITS * (num_seats - taker)
    kept = value & (np.int64(1) << num_kept) - 1
    return (kept << shift | value >> num_kept) + (np.int64(TRICK) << shift)


@rule
def start_frame(frame, num_seats, limit):
    """List the moves of a frame whose position is in place."""
    frame.best = -1
    frame.total = 0
    frame.num_best = 0
    frame.limit = limit
    frame.moves = moves_of(frame, num_seats)


@rule
def play_card(hands, frame, following, num_seats):
    """Play the next move of a frame: return the value if it is clear, else prepare a frame.

    Cards that win so far come first, then the lowest.
    """
    winners = frame.moves & -frame.top if frame.place != 0 else np.int64(0)
    card = winners & -winners if winners & frame.led != 0 else frame.moves & -frame.moves
    frame.moves ^= card
    led, top, winner = frame.led, frame.top, frame.winner
    if frame.place == 0:
        led, top, winner = colour_of(frame.marks, card), card, np.int64(0)
    elif card & led != 0 and card > top:
        top, winner = card, frame.place
    played = card if frame.place == 0 else frame.played | card
    if frame.place == num_seats - 1:
        return end_trick(hands, frame, following, played, winner, num_seats)
    following.word, following.marks, following.tricks = frame.word, frame.marks, frame.tricks
    following.place = frame.place + 1
    following.led, following.top, following.winner = led, top, winner
    following.played = played
    following.is_kept = 0
    start_frame(following, num_seats, frame.tricks * TRICK - frame.best)
    return _UNKNOWN


@rule
def end_trick(hands, frame, following, played, winner, num_seats):
    """The trick is complete: return the value if it is clear, else prepare the next trick."""
    frame.taker = winner
    tricks = frame.tricks - 1
    if tricks == 0:
        return np.int64(TRICK) << _LANE_BITS * winner
    word, marks = without_cards(frame.word, frame.marks, played)
    word = counted_from(word, tricks * num_seats, winner, num_seats)
    value = clear_value(word, marks, tricks, num_seats)
    if value == _UNKNOWN:
        value = recall(hands, word, marks)
    if value != _UNKNOWN:
        return after_trick(value, winner, num_seats)
    following.word, following.marks, following.tricks = word, marks, tricks
    following.place = 0
    following.is_kept = 1
    limit = np.int64(_NO_LIMIT) if winner == frame.place else tricks * TRICK - frame.best
    start_frame(following, num_seats, limit)
    return _UNKNOWN


# Cards as bits: of the two bits of a card in the word, the lower


@rule
def cards_of(word, num_cards, place):
    """The cards that a place owns."""
    other = word ^ _EVERY_CARD * place
    return ~(other | other >> 1) & _EVERY_CARD & (np.int64(1) << _CARD_BITS * num_cards) - 1


@rule
def lowest_of_runs(marks, cards):
    """The lowest of each run of cards that touch."""
    return cards & ~(cards << _CARD_BITS & ~marks)


@rule
def colour_of(marks, card):
    """All bits from the lowest card of this card's colour to the highest."""
    above = marks & -(card << 1)
    return (above & -above) - highest_card(marks & (card << 1) - 1)


@rule
def moves_of(frame, num_seats):
    """The cards to consider."""
    cards = cards_of(frame.word, frame.tricks * num_seats, frame.place)
    if frame.place == 0:
        return lowest_of_runs(frame.marks, cards)
    own = cards & frame.led
    if own == 0:
        lowest = np.int64(0)
        while cards != 0:
            lowest |= cards & -cards
            cards &= ~colour_of(frame.marks, cards & -cards)
        return lowest
    losers = own & frame.top - 1
    winners = lowest_of_runs(frame.marks, own) & -frame.top
    if frame.place == num_seats - 1:
        winners &= -winners
    return winners | losers & -losers


@rule
def without_cards(word, marks, gone):
    """Word and marks after these cards have gone."""
    while gone != 0:
        card = gone & -gone
        below = card - 1
        first = marks & card  # then the next card of the colour is
        word = word & below | word >> _CARD_BITS & ~below
        marks = marks & below | marks >> _CARD_BITS & ~below | first
        gone = (gone ^ card) >> _CARD_BITS
    return word, marks


@rule
def counted_from(word, num_cards, winner, num_seats):
    """A word with places counted from another place."""
    if winner == 0:
        return word
    counted = np.int64(0)
    place = num_seats - winner
    for owner in range(num_seats):
        counted += cards_of(word, num_cards, owner) * place
        place = place + 1 if place + 1 < num_seats else 0
    return counted


@rule
def clear_value(word, marks, tricks, num_seats):
    """The value of a position to lead from, where it needs no search."""
    own = cards_of(word, tricks * num_seats, 0)
    if tricks == 1:
        top = highest_card(colour_of(marks, own) & _EVERY_CARD)
        return np.int64(TRICK) << _LANE_BITS * (word >> lowest_bit(top) & _OWNER)
    is_beaten = own << _CARD_BITS & ~own & ~marks  # another card lies above one of them
    return _UNKNOWN if is_beaten != 0 else np.int64(tricks * TRICK)


# The memory


@rule
def recall(hands, word, marks):
    """The value of a position if it is known."""
    slot = slot_of(word ^ marks << 7, hands.keys.shape[0])
    is_known = hands.keys[slot, 0] == word and hands.keys[slot, 1] == marks
    return hands.values[slot] if is_known else _UNKNOWN


@rule
def remember(hands, word, marks, value):
    """Store the value of a position in place of another."""
    slot = slot_of(word ^ marks << 7, hands.keys.shape[0])
    hands.keys[slot, 0], hands.keys[slot, 1] = word, marks
    hands.values[slot] = value
