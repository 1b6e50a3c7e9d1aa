"""Solve the end of trick-taking with open hands: every seat plays for its own tricks.

This is max^n (Luckhardt and Irani 1986). A seat with several best cards plays each of them equally
often, so the value of a position is one number for each seat: the tricks that it takes on average.

A position between tricks is, for each colour, the owners of the cards left in order of rank: two
bits a card, the lowest card lowest. Seats are counted from the leader. Of cards that touch, with
none of another seat between, one is considered; of those that lose the trick, the lowest of the
colour; of the last seat's cards that win it, the lowest.
"""

from typing import NamedTuple

import numpy as np

from ...envs.core.bits import popcount
from ...envs.core.compile import rule
from ...envs.core.game import Game
from ...envs.trick_taking.rules import NO_COLOUR

MAX_TRICKS = {2: 12, 3: 8, 4: 6}  # by seats: the cards left must fit a key of the memory
LOG2_MEMORY = 18
TRICK = 256  # a trick as a number: values are whole numbers of this fraction

_LANE_BITS = 16  # of a seat's value in a word with those of all seats
_LANE = (1 << _LANE_BITS) - 1
_CARD_BITS = 2
_EVERY_CARD = np.int64(0x1555555555555555)
_COLOUR_BITS = 2  # of a card as one number: its bit in the colour's word, and the colour
_COLOUR = (1 << _COLOUR_BITS) - 1
_SIZE_BITS = 5
_SIZE = (1 << _SIZE_BITS) - 1
_NO_LIMIT = 1 << 30
_UNKNOWN = np.int64(-1)

FRAME = np.dtype(
    (
        np.record,
        [
            ("tricks", np.int64),  # left, that under way included
            ("depth", np.int64),  # row of the position between tricks
            ("place", np.int64),  # who acts, counted from the leader
            ("led", np.int64),  # colour
            ("top", np.int64),  # bit of the highest card of it in the trick
            ("winner", np.int64),  # place that played it
            ("num_moves", np.int64),
            ("next_move", np.int64),
            ("taker", np.int64),  # place that takes the trick after the last move
            ("best", np.int64),  # value of the best moves so far for the seat that acts
            ("total", np.int64),  # sum of their values for all seats
            ("num_best", np.int64),
            ("limit", np.int64),  # beta of the alpha-beta window: above it the search stops
            ("key", np.int64),  # of the position in the memory
        ],
    )
)


class OpenHands(NamedTuple):
    """The stack of a search, and a memory of positions that only makes later answers faster."""

    frames: np.ndarray  # FRAME [plies]
    moves: np.ndarray  # int64 [plies, moves]
    words: np.ndarray  # int64 [tricks, colours]
    sizes: np.ndarray  # int64 [tricks, colours]
    cards: np.ndarray  # int64 [tricks, seats]: played to each trick, by place
    keys: np.ndarray  # int64 [slots]
    values: np.ndarray  # int64 [slots]

    @staticmethod
    def empty(game: Game) -> "OpenHands":
        """Return room for positions of a game with at most MAX_TRICKS tricks left."""
        tricks = MAX_TRICKS[game.num_seats]
        plies, n = tricks * game.num_seats + 1, game.num_seats
        return OpenHands(
            frames=np.zeros(plies, FRAME),
            moves=np.zeros((plies, tricks + n), np.int64),
            words=np.zeros((tricks + 1, n), np.int64),
            sizes=np.zeros((tricks + 1, n), np.int64),
            cards=np.zeros((tricks + 1, n), np.int64),
            keys=np.zeros(1 << LOG2_MEMORY, np.int64),
            values=np.zeros(1 << LOG2_MEMORY, np.int64),
        )


# From a position of the game to its value


@rule
def solve(hands, state, out):
    """Write the tricks that each seat takes on average from now on into out [seats]."""
    num_seats = state.hands.shape[0]
    lay_out(hands, state)
    value = search(hands, num_seats)
    seat = np.int64(state.leader)
    for _ in range(num_seats):
        out[seat] = (value & _LANE) / TRICK
        value >>= _LANE_BITS
        seat = seat + 1 if seat + 1 < num_seats else 0


@rule
def lay_out(hands, state):
    """Make the position the first frame of a search."""
    num_seats = state.hands.shape[0]
    frame = hands.frames[0]
    frame.tricks = state.tricks_left
    frame.depth = 0
    frame.place = place_of(state, np.int64(state.seat_to_act), num_seats)
    frame.led = state.led_colour
    frame.winner = place_of(state, np.int64(state.winner), num_seats)
    frame.top = 0
    for colour in range(num_seats):
        hands.words[0, colour] = 0
        hands.sizes[0, colour] = 0
        left = state.table[colour]
        for seat in range(num_seats):
            left |= state.hands[seat, colour]
        while left != 0:
            add_card(hands, state, colour, left & -left, num_seats)
            left &= left - 1
    for place in range(frame.place):
        if hands.cards[0, place] & _COLOUR == frame.led:
            frame.top = max(frame.top, hands.cards[0, place] >> _COLOUR_BITS)


@rule
def place_of(state, seat, num_seats):
    """The place of a seat in the trick."""
    place = seat - np.int64(state.leader)
    return place if place >= 0 else place + num_seats


@rule
def add_card(hands, state, colour, card, num_seats):
    """Add the next higher card of a colour to the position; it may be on the table."""
    size = hands.sizes[0, colour]
    is_on_table = state.table[colour] & card != 0
    seat = np.int64(state.leader)
    for place in range(num_seats):
        cards = state.played[seat, colour] if is_on_table else state.hands[seat, colour]
        if cards & card != 0:
            hands.words[0, colour] |= np.int64(place) << _CARD_BITS * size
            if is_on_table:
                bit = np.int64(1) << _CARD_BITS * size
                hands.cards[0, place] = bit << _COLOUR_BITS | colour
            break
        seat = seat + 1 if seat + 1 < num_seats else 0
    hands.sizes[0, colour] = size + 1


# The search keeps its own stack, because Numba crashes when it loads a recursive function from disk


@rule
def search(hands, num_seats):
    """Return the value of the first frame's position for all places, a lane of a word each."""
    last = 0
    start_frame(hands, 0, num_seats, np.int64(_NO_LIMIT))
    hands.frames[0].key = 0
    while True:
        frame = hands.frames[last]
        if frame.next_move < frame.num_moves and frame.best <= frame.limit:
            card = hands.moves[last, frame.next_move]
            frame.next_move += 1
            value = play_card(hands, last, card, num_seats)
            if value == _UNKNOWN:
                last += 1
            else:
                take_value(frame, value)
            continue
        value = mean_of_lanes(frame.total, frame.num_best)
        if frame.best <= frame.limit and frame.key != 0:
            remember(hands, frame.key, value)
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
def start_frame(hands, index, num_seats, limit):
    """List the moves of a frame whose position is in place."""
    frame = hands.frames[index]
    frame.next_move = 0
    frame.best = -1
    frame.total = 0
    frame.num_best = 0
    frame.limit = limit
    frame.num_moves = list_moves(hands, frame, hands.moves[index], num_seats)


@rule
def play_card(hands, index, card, num_seats):
    """Play a card in a frame: return the value if it is clear, else prepare the next frame."""
    frame = hands.frames[index]
    colour, bit = card & _COLOUR, card >> _COLOUR_BITS
    led, top, winner = frame.led, frame.top, frame.winner
    if frame.place == 0:
        led, top, winner = colour, bit, np.int64(0)
    elif colour == led and bit > top:
        top, winner = bit, frame.place
    hands.cards[frame.depth, frame.place] = card
    if frame.place == num_seats - 1:
        return end_trick(hands, index, winner, num_seats)
    following = hands.frames[index + 1]
    following.tricks = frame.tricks
    following.depth = frame.depth
    following.place = frame.place + 1
    following.led = led
    following.top = top
    following.winner = winner
    following.key = 0
    start_frame(hands, index + 1, num_seats, frame.tricks * TRICK - frame.best)
    return _UNKNOWN


@rule
def end_trick(hands, index, winner, num_seats):
    """The trick is complete: return the value if it is clear, else prepare the next trick."""
    frame = hands.frames[index]
    frame.taker = winner
    tricks = frame.tricks - 1
    if tricks == 0:
        return np.int64(TRICK) << _LANE_BITS * winner
    depth = frame.depth + 1
    remove_trick(hands, frame.depth, winner, num_seats)
    value = clear_value(hands, depth, tricks, num_seats)
    key = np.int64(0)
    if value == _UNKNOWN:
        key = key_of(hands, depth, num_seats)
        value = recall(hands, key)
    if value != _UNKNOWN:
        return after_trick(value, winner, num_seats)
    following = hands.frames[index + 1]
    following.tricks = tricks
    following.depth = depth
    following.place = 0
    following.led = NO_COLOUR
    following.key = key
    limit = np.int64(_NO_LIMIT) if winner == frame.place else tricks * TRICK - frame.best
    start_frame(hands, index + 1, num_seats, limit)
    return _UNKNOWN


# Cards as bits: of the two bits of a card in its colour's word, the lower


@rule
def cards_of(word, size, place):
    """The cards of a colour that a place owns."""
    other = word ^ _EVERY_CARD * place
    return ~(other | other >> 1) & _EVERY_CARD & (np.int64(1) << _CARD_BITS * size) - 1


@rule
def lowest_of_runs(cards):
    """The lowest of each run of cards that touch."""
    return cards & ~(cards << _CARD_BITS)


@rule
def list_moves(hands, frame, moves, num_seats):
    """Write the cards to consider; return how many there are."""
    words, sizes = hands.words[frame.depth], hands.sizes[frame.depth]
    count = 0
    if frame.place == 0:
        for colour in range(num_seats):
            own = lowest_of_runs(cards_of(words[colour], sizes[colour], 0))
            count = add_cards(moves, count, own, colour)
        return count
    own = cards_of(words[frame.led], sizes[frame.led], frame.place)
    if own == 0:
        for colour in range(num_seats):
            other = cards_of(words[colour], sizes[colour], frame.place)
            count = add_cards(moves, count, other & -other, colour)
        return count
    losers = own & frame.top - 1
    winners = lowest_of_runs(own) & ~(frame.top - 1)
    if frame.place == num_seats - 1:
        winners &= -winners
    count = add_cards(moves, 0, winners, frame.led)
    return add_cards(moves, count, losers & -losers, frame.led)


@rule
def add_cards(moves, count, cards, colour):
    """Append cards of a colour to a list of moves; return its length."""
    while cards != 0:
        moves[count] = (cards & -cards) << _COLOUR_BITS | colour
        count += 1
        cards &= cards - 1
    return count


@rule
def remove_trick(hands, depth, winner, num_seats):
    """Write the position after a trick, with places counted from its winner."""
    for colour in range(num_seats):
        word, size = hands.words[depth, colour], hands.sizes[depth, colour]
        gone = np.int64(0)
        for place in range(num_seats):
            card = hands.cards[depth, place]
            if card & _COLOUR == colour:
                gone |= card >> _COLOUR_BITS
        while gone != 0:
            below = (gone & -gone) - 1
            word = word & below | word >> _CARD_BITS & ~below
            gone = (gone & gone - 1) >> _CARD_BITS
            size -= 1
        hands.words[depth + 1, colour] = counted_from(word, size, winner, num_seats)
        hands.sizes[depth + 1, colour] = size


@rule
def counted_from(word, size, winner, num_seats):
    """A colour with places counted from another place."""
    if winner == 0:
        return word
    counted = np.int64(0)
    place = num_seats - winner
    for owner in range(num_seats):
        counted += cards_of(word, size, owner) * place
        place = place + 1 if place + 1 < num_seats else 0
    return counted


@rule
def clear_value(hands, depth, tricks, num_seats):
    """The value of a position to lead from, where it needs no search."""
    if tricks == 1:
        return np.int64(TRICK) << _LANE_BITS * last_winner(hands, depth, num_seats)
    for colour in range(num_seats):
        size = hands.sizes[depth, colour]
        own = cards_of(hands.words[depth, colour], size, 0)
        num_own = popcount(own)
        top = (np.int64(1) << _CARD_BITS * size) - (np.int64(1) << _CARD_BITS * (size - num_own))
        if num_own != 0 and own != _EVERY_CARD & top:
            return _UNKNOWN
    return np.int64(tricks * TRICK)


@rule
def last_winner(hands, depth, num_seats):
    """The place that takes the last trick."""
    for colour in range(num_seats):
        size = hands.sizes[depth, colour]
        if cards_of(hands.words[depth, colour], size, 0) != 0:
            return hands.words[depth, colour] >> _CARD_BITS * (size - 1) & _COLOUR
    return np.int64(0)


# The memory: positions that differ only in the names of colours and seats are one


@rule
def key_of(hands, depth, num_seats):
    """A number that differs between positions: a bit, the sizes of the colours, their cards.

    The colours are sorted. The size of the last one follows from the length of the number.
    """
    first, second = entry(hands, depth, 0), entry(hands, depth, 1)
    third = entry(hands, depth, 2) if num_seats > 2 else np.int64(0)
    fourth = entry(hands, depth, 3) if num_seats > 3 else np.int64(0)
    first, second = max(first, second), min(first, second)
    third, fourth = max(third, fourth), min(third, fourth)
    first, third = max(first, third), min(first, third)
    second, fourth = max(second, fourth), min(second, fourth)
    second, third = max(second, third), min(second, third)
    key = np.int64(1) << _SIZE_BITS | first & _SIZE
    if num_seats > 2:
        key = key << _SIZE_BITS | second & _SIZE
    if num_seats > 3:
        key = key << _SIZE_BITS | third & _SIZE
    key = with_cards(with_cards(key, first), second)
    return with_cards(with_cards(key, third), fourth)  # nothing where there are fewer colours


@rule
def entry(hands, depth, colour):
    """A colour and its size."""
    return hands.words[depth, colour] << _SIZE_BITS | hands.sizes[depth, colour]


@rule
def with_cards(key, entry):
    """Append the cards of a colour to a key."""
    return key << _CARD_BITS * (entry & _SIZE) | entry >> _SIZE_BITS


@rule
def slot_of(hands, key):
    """The slot of the memory for a key."""
    mixed = key * np.int64(0x1E3779B97F4A7C15)
    return (mixed ^ mixed >> 29) >> 7 & hands.keys.shape[0] - 1


@rule
def recall(hands, key):
    """The value of a position if it is known."""
    slot = slot_of(hands, key)
    return hands.values[slot] if hands.keys[slot] == key else _UNKNOWN


@rule
def remember(hands, key, value):
    """Store the value of a position in place of another."""
    slot = slot_of(hands, key)
    hands.keys[slot] = key
    hands.values[slot] = value
