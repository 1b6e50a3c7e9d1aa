"""What one seat of trick-taking may know, and how to re-deal what it may not.

Seats count from the observer: index 0 is the observer, index 1 the next seat clockwise. With two
seats only the order in which the other hand was dealt is hidden.
"""

import numpy as np

from ..core.bits import lowest_bit, popcount
from ..core.compile import array_rule, rule
from ..core.fields import Field
from ..core.rng import shuffle, uniform
from ..core.seats import next_seat, relative_seat, seat_after
from .rules import MAX_SEATS, MAX_VALUES, NO_CARD, NO_COLOUR

_MAX_CARDS = MAX_SEATS * MAX_VALUES
_MAX_OTHERS = MAX_SEATS - 1
NO_PLACE = -1
_FACTORIAL = np.array([float(np.prod(np.arange(1.0, k + 1))) for k in range(_MAX_CARDS + 1)])


def observation_fields(num_seats: int, num_values: int) -> tuple[Field, ...]:
    """Sets of cards are words, one per colour; the flat view shows 0/1 vectors over the deck."""
    n, top_card = num_seats, num_seats * num_values - 1
    i8, i64, bits = np.int8, np.int64, num_values
    colour = (1 << num_values) - 1
    every_colour = (1 << n) - 1
    played = "cards each seat has played, this trick included, by seat and colour"
    unseen = "cards in the other hands" if n > 2 else "the other hand"
    voids = "colours that each seat has failed to follow"
    return (
        Field("tricks_won", i8, (n,), 0, num_values, "tricks taken by each seat"),
        Field("leader", i8, (), 0, n - 1, "who leads the trick"),
        Field("seat_to_act", i8, (), 0, n - 1, "whose turn it is"),
        Field("led_colour", i8, (), NO_COLOUR, n - 1, "the colour to follow; -1: nothing led"),
        Field("last_cards", i8, (n,), NO_CARD, top_card, "the last card of each seat; -1: none"),
        Field("dealt", i8, (num_values,), 0, top_card, "your hand in the order dealt"),
        Field("hand", i64, (n,), 0, colour, "your cards, by colour", num_bits=bits),
        Field("unseen", i64, (n,), 0, colour, f"{unseen}, by colour", num_bits=bits),
        Field("table", i64, (n,), 0, colour, "cards of this trick, by colour", num_bits=bits),
        Field("played", i64, (n, n), 0, colour, played, num_bits=bits),
        Field("voids", i64, (n,), 0, every_colour, voids, num_bits=n),
    )


@rule
def observe(state, seat, out):
    """Write everything `seat` may know."""
    out.leader = relative_seat(seat, state.leader, state.hands.shape[0])
    out.seat_to_act = relative_seat(seat, state.seat_to_act, state.hands.shape[0])
    out.led_colour = state.led_colour
    for place in range(state.dealt.shape[1]):
        out.dealt[place] = state.dealt[seat, place]
    for colour in range(state.hands.shape[1]):
        out.hand[colour] = state.hands[seat, colour]
        out.table[colour] = state.table[colour]
        out.unseen[colour] = 0
    other = seat
    for index in range(state.hands.shape[0]):
        observe_seat(state, other, index, out)
        other = next_seat(other, state.hands.shape[0])


@rule
def observe_seat(state, seat, index, out):
    """Write what is public about a seat, and collect the cards that the others hold."""
    out.tricks_won[index] = state.tricks_won[seat]
    out.last_cards[index] = state.last_cards[seat]
    out.voids[index] = state.voids[seat]
    for colour in range(state.hands.shape[1]):
        out.played[index, colour] = state.played[seat, colour]
        if index > 0:
            out.unseen[colour] |= state.hands[seat, colour]


# Re-dealing what a seat cannot know. Places count from the observer: place 0 is the next seat
# clockwise. Plain arrays let this be compiled once for all sizes of the game: `pool[colour]` has
# the unseen cards, `may_hold[colour, place]` is 1 unless a seat has shown that it is void, and
# `room[place]` is the size of a hand, 0 at places that do not exist.


@array_rule
def reshuffle_unseen(state, seat, rng):
    """Re-deal the unseen cards uniformly over all deals that agree with what `seat` has seen."""
    num_seats = state.hands.shape[0]
    if num_seats > 2:
        pool, may_hold, room = take_unseen(state, seat)
        hands = np.zeros((_MAX_OTHERS, num_seats), np.int64)
        deal_pool(pool, may_hold, room, hands, rng)
        for place in range(num_seats - 1):
            state.hands[seat_after(seat, place + 1, num_seats)] = hands[place]
    for place in range(num_seats - 1):
        reorder_dealt(state, seat_after(seat, place + 1, num_seats), rng)


@array_rule
def take_unseen(state, seat):
    """Return the cards of the other seats, who may hold which colour, and their hand sizes."""
    num_seats = state.hands.shape[0]
    pool = np.zeros(num_seats, np.int64)
    may_hold = np.zeros((num_seats, _MAX_OTHERS), np.int64)
    room = np.zeros(_MAX_OTHERS, np.int64)
    for place in range(num_seats - 1):
        other = seat_after(seat, place + 1, num_seats)
        for colour in range(num_seats):
            pool[colour] |= state.hands[other, colour]
            may_hold[colour, place] = 1 - (state.voids[other] >> colour & 1)
            room[place] += popcount(state.hands[other, colour])
    return pool, may_hold, room


@rule
def reorder_dealt(state, seat, rng):
    """Shuffle the order in which a hand was dealt, which no other seat knows."""
    place = 0
    for colour in range(state.hands.shape[1]):
        cards = state.hands[seat, colour] | state.played[seat, colour]
        while cards != 0:
            state.dealt[seat, place] = colour * state.dealt.shape[1] + lowest_bit(cards)
            cards &= cards - 1
            place += 1
    shuffle(rng, state.dealt[seat])


@array_rule
def deal_pool(pool, may_hold, room, hands, rng):
    """Deal the pool into `hands[place, colour]`, uniformly over all possible deals.

    A colour is restricted if some seat may not hold it; then at most two seats may. Restricted
    colours are dealt first: the first holder gets a drawn number of cards, the second the others.
    The unrestricted colours then fill the hands.
    """
    restricted = find_restricted(pool, may_hold, room)
    ways = count_deals(pool, may_hold, room, restricted)
    for colour in range(pool.shape[0]):
        if restricted[colour] == 1:
            cards = shuffled_values(pool[colour], rng)
            first, second = two_holders(may_hold[colour])
            num_first = draw_split(cards.shape[0], first, second, room, ways[colour:], rng)
            for index in range(cards.shape[0]):
                place = first if index < num_first else second
                hands[place, colour] |= 1 << cards[index]
                room[place] -= 1
    deal_anywhere(pool, restricted, room, hands, rng)


@array_rule
def find_restricted(pool, may_hold, room):
    """Return 1 for each colour with unseen cards that some seat with cards may not hold, else 0."""
    restricted = np.zeros(pool.shape[0], np.int64)
    for colour in range(pool.shape[0]):
        for place in range(room.shape[0]):
            if pool[colour] != 0 and room[place] > 0 and may_hold[colour, place] == 0:
                restricted[colour] = 1
    return restricted


@array_rule
def count_deals(pool, may_hold, room, restricted):
    """Count `ways[colour, a, b]` to deal the rest if places 0 and 1 have room for a and b.

    The rest is this and the later restricted colours, and all unrestricted colours.
    """
    num_colours = pool.shape[0]
    ways = np.zeros((num_colours + 1, room[0] + 1, room[1] + 1))
    size = 0
    for colour in range(num_colours):
        if restricted[colour] == 0:
            size += popcount(pool[colour])
    count_splits(size, ways[num_colours])
    for colour in range(num_colours - 1, -1, -1):
        if restricted[colour] == 1:
            first, second = two_holders(may_hold[colour])
            num_cards = popcount(pool[colour])
            size += num_cards
            count_restricted(num_cards, first, second, size, ways[colour:])
        else:
            ways[colour] = ways[colour + 1]
    return ways


@rule
def count_splits(size, ways):
    """Multinomial coefficients: `size` cards that may go anywhere."""
    for a in range(ways.shape[0]):
        for b in range(ways.shape[1]):
            c = size - a - b
            if c >= 0:
                ways[a, b] = _FACTORIAL[size] / (_FACTORIAL[a] * _FACTORIAL[b] * _FACTORIAL[c])


@array_rule
def count_restricted(num_cards, first, second, size, ways):
    """Compute ways[0] from ways[1], which is without this colour, for `size` cards to deal."""
    room = np.zeros(_MAX_OTHERS, np.int64)
    for a in range(ways.shape[1]):
        for b in range(ways.shape[2]):
            room[:] = (a, b, size - a - b)
            for num_first in range(num_cards + 1):
                ways[0, a, b] += ways_to_split(num_cards, num_first, first, second, room, ways)


@rule
def two_holders(may_hold):
    """The places that may hold a colour; the second is NO_PLACE if there is only one."""
    first = NO_PLACE
    for place in range(may_hold.shape[0]):
        if may_hold[place] == 1:
            if first != NO_PLACE:
                return first, place
            first = place
    return first, NO_PLACE


@rule
def ways_to_split(num_cards, num_first, first, second, room, ways):
    """The ways to deal the rest if the first holder gets `num_first` cards of this colour."""
    rest = num_cards - num_first
    room_of_second = room[second] if second != NO_PLACE else 0
    if first == NO_PLACE or room[first] < num_first or room_of_second < rest:
        return 0.0
    a = room[0] - num_first * (first == 0) - rest * (second == 0)
    b = room[1] - num_first * (first == 1) - rest * (second == 1)
    splits = _FACTORIAL[num_cards] / (_FACTORIAL[num_first] * _FACTORIAL[rest])
    return splits * ways[1, a, b]


@rule
def draw_split(num_cards, first, second, room, ways, rng):
    """Draw the number of cards of the first holder, uniformly over all deals of the rest."""
    chosen = uniform(rng) * ways[0, room[0], room[1]]
    last_possible = 0
    for num_first in range(num_cards + 1):
        here = ways_to_split(num_cards, num_first, first, second, room, ways)
        if here > 0.0:
            last_possible = num_first
            chosen -= here
            if chosen < 0.0:
                break
    return last_possible


@array_rule
def deal_anywhere(pool, restricted, room, hands, rng):
    """Deal the cards of the unrestricted colours to the seats that have room."""
    places = np.empty(room.sum(), np.int64)
    start = 0
    for place in range(room.shape[0]):
        places[start : start + room[place]] = place
        start += room[place]
    shuffle(rng, places)
    next_card = 0
    for colour in range(pool.shape[0]):
        cards = pool[colour] if restricted[colour] == 0 else 0
        while cards != 0:
            hands[places[next_card], colour] |= cards & -cards
            cards &= cards - 1
            next_card += 1


@array_rule
def shuffled_values(cards, rng):
    """The values of a set of cards of one colour, in random order."""
    values = np.empty(popcount(cards), np.int64)
    for index in range(values.shape[0]):
        values[index] = lowest_bit(cards)
        cards &= cards - 1
    shuffle(rng, values)
    return values
