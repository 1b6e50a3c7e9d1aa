"""What one seat of trick-taking may know, and how to re-deal what it may not.

Seats are counted from the observer: index 0 is oneself, index 1 the next seat clockwise. With two
seats only the order in which the other hand was dealt is hidden.
"""

import numpy as np

from ..core.bits import popcount
from ..core.jit import rule
from ..core.records import Field
from ..core.rng import shuffle, uniform
from .rules import (
    MAX_SEATS,
    MAX_VALUES,
    NO_CARD,
    NO_COLOUR,
    colour_of,
    next_seat,
    value_of,
)

_MAX_CARDS = MAX_SEATS * MAX_VALUES
_FACTORIAL = np.array([float(np.prod(np.arange(1.0, k + 1))) for k in range(_MAX_CARDS + 1)])


def observation_fields(num_seats: int, num_values: int) -> tuple[Field, ...]:
    """Sets of cards are packed, one word a colour: the flat view shows 0/1 vectors over the deck."""
    n, top_card = num_seats, num_seats * num_values - 1
    i8, i64 = np.int8, np.int64
    colour = (1 << num_values) - 1
    every_colour = (1 << n) - 1
    unseen = "cards in the other hands" if n > 2 else "the other hand"
    return (
        Field("tricks_won", i8, (n,), 0, num_values, "tricks taken by each seat"),
        Field("leader", i8, (), 0, n - 1, "who leads the trick"),
        Field("seat_to_act", i8, (), 0, n - 1, "whose turn it is"),
        Field("led_colour", i8, (), NO_COLOUR, n - 1, "the colour to follow; -1: nothing led"),
        Field("last_cards", i8, (n,), NO_CARD, top_card, "the last card of each seat; -1: none"),
        Field("dealt", i8, (num_values,), 0, top_card, "the own hand in the order dealt"),
        Field("hand", i64, (n,), 0, colour, "own cards, by colour", num_bits=num_values),
        Field("unseen", i64, (n,), 0, colour, f"{unseen}, by colour", num_bits=num_values),
        Field("table", i64, (n,), 0, colour, "cards of this trick, by colour", num_bits=num_values),
        Field(
            "played",
            i64,
            (n, n),
            0,
            colour,
            "cards each seat has played, this trick included, by seat and colour",
            num_bits=num_values,
        ),
        Field("voids", i64, (n,), 0, every_colour, "colours a seat did not follow", num_bits=n),
    )


@rule
def observe(state, seat, out):
    """Everything `seat` may know."""
    out.leader = relative(state, seat, state.leader)
    out.seat_to_act = relative(state, seat, state.seat_to_act)
    out.led_colour = state.led_colour
    out.dealt[:] = state.dealt[seat]
    out.hand[:] = state.hands[seat]
    out.table[:] = state.table
    out.unseen[:] = 0
    other = seat
    for index in range(state.hands.shape[0]):
        out.tricks_won[index] = state.tricks_won[other]
        out.last_cards[index] = state.last_cards[other]
        out.played[index] = state.played[other]
        out.voids[index] = state.voids[other]
        if index > 0:
            out.unseen |= state.hands[other]
        other = next_seat(state, other)


@rule
def relative(state, seat, other):
    """How many places clockwise `other` sits from `seat`."""
    distance = other - seat
    return distance if distance >= 0 else distance + state.hands.shape[0]


# Re-dealing what a seat cannot know


@rule
def reshuffle_unseen(state, seat, rng):
    """Deal the unseen cards again, uniformly over all deals that agree with what `seat` has seen."""
    if state.hands.shape[0] > 2:
        room = take_unseen(state, seat)
        for colour in range(room.shape[0]):
            if is_restricted(state, seat, colour):
                deal_restricted(state, seat, colour, room, rng)
        deal_unrestricted(state, seat, room, rng)
    for other in range(state.hands.shape[0]):
        if other != seat:
            reorder_dealt(state, other, rng)


@rule
def take_unseen(state, seat):
    """Empty the other hands into the pool `state.hands[seat]` does not hold; how many each held."""
    room = np.zeros(state.hands.shape[0], np.int64)
    for other in range(room.shape[0]):
        if other != seat:
            for colour in range(room.shape[0]):
                room[other] += popcount(state.hands[other, colour])
                state.hands[other, colour] = 0
    return room


@rule
def unseen_cards(state, seat, colour):
    """The values of a colour neither played nor in the own hand."""
    seen = state.hands[seat, colour]
    for other in range(state.played.shape[0]):
        seen |= state.played[other, colour]
    values = np.empty(state.dealt.shape[1], np.int64)
    size = 0
    for value in range(values.shape[0]):
        if seen >> value & 1 == 0:
            values[size] = value
            size += 1
    return values[:size]


@rule
def is_void(state, seat, colour):
    """Whether a seat has shown that it does not hold a colour."""
    return state.voids[seat] >> colour & 1 == 1


@rule
def is_restricted(state, seat, colour):
    """Whether not every other seat may hold cards of a colour."""
    for other in range(state.hands.shape[0]):
        if other != seat and is_void(state, other, colour):
            return True
    return False


@rule
def holder(state, seat, colour, skip):
    """The first other seat, after `skip` of them, that may hold a colour; `seat` if there is none."""
    for other in range(state.hands.shape[0]):
        if other != seat and not is_void(state, other, colour):
            if skip == 0:
                return other
            skip -= 1
    return seat


@rule
def deal_restricted(state, seat, colour, room, rng):
    """Deal a colour that at most two other seats may hold."""
    values = unseen_cards(state, seat, colour)
    shuffle(rng, values)
    first = holder(state, seat, colour, 0)
    second = holder(state, seat, colour, 1)
    share = draw_share(state, seat, colour, values.shape[0], room, rng)
    for index in range(values.shape[0]):
        other = first if index < share else second
        state.hands[other, colour] |= 1 << values[index]
        room[other] -= 1


@rule
def draw_share(state, seat, colour, size, room, rng):
    """How many of `size` cards the first holder gets, each deal of the whole rest equally likely."""
    ways = np.zeros(size + 1)
    for share in range(size + 1):
        ways[share] = ways_to_deal(state, seat, colour, size, share, room)
    chosen = uniform(rng) * ways.sum()
    for share in range(size):
        chosen -= ways[share]
        if chosen < 0:
            return share
    return np.int64(np.flatnonzero(ways)[-1]) if ways[size] == 0 else size


@rule
def ways_to_deal(state, seat, colour, size, share, room):
    """In how many ways this colour, so shared, and all later ones can be dealt."""
    first = holder(state, seat, colour, 0)
    second = holder(state, seat, colour, 1)
    rest = size - share
    if share > room[first] or rest > room[second]:
        return 0.0
    room[first] -= share
    room[second] -= rest
    ways = choose(size, share) * ways_for_rest(state, seat, colour + 1, room)
    room[first] += share
    room[second] += rest
    return ways


@rule
def ways_for_rest(state, seat, colour, room):
    """In how many ways the colours from this one on, and all unrestricted ones, can be dealt."""
    while colour < room.shape[0] and not is_restricted(state, seat, colour):
        colour += 1
    if colour == room.shape[0]:
        return ways_to_split(room)
    size = unseen_cards(state, seat, colour).shape[0]
    ways = 0.0
    for share in range(size + 1):
        ways += ways_to_deal(state, seat, colour, size, share, room)
    return ways


@rule
def choose(size, share):
    """Binomial coefficient."""
    return _FACTORIAL[size] / (_FACTORIAL[share] * _FACTORIAL[size - share])


@rule
def ways_to_split(room):
    """Multinomial coefficient: cards that may go anywhere, into hands with this much room."""
    ways = _FACTORIAL[room.sum()]
    for size in room:
        ways /= _FACTORIAL[size]
    return ways


@rule
def deal_unrestricted(state, seat, room, rng):
    """Cards of all other colours go to whoever has room."""
    cards = np.empty(_MAX_CARDS, np.int64)
    size = 0
    for colour in range(room.shape[0]):
        if not is_restricted(state, seat, colour):
            for value in unseen_cards(state, seat, colour):
                cards[size] = colour * state.dealt.shape[1] + value
                size += 1
    shuffle(rng, cards[:size])
    for other in range(room.shape[0]):
        for _ in range(room[other]):
            size -= 1
            colour = colour_of(state, cards[size])
            state.hands[other, colour] |= 1 << value_of(state, cards[size], colour)


@rule
def reorder_dealt(state, seat, rng):
    """Nobody else knows in which order a hand was dealt."""
    place = 0
    for colour in range(state.hands.shape[1]):
        cards = state.hands[seat, colour] | state.played[seat, colour]
        for value in range(state.dealt.shape[1]):
            if cards >> value & 1 == 1:
                state.dealt[seat, place] = colour * state.dealt.shape[1] + value
                place += 1
    shuffle(rng, state.dealt[seat])
