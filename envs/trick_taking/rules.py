"""Trick-taking for two to four seats: the position and the rules.

Numbers in brackets are the rules of this folder's README. A set of cards is one word per colour:
bit `value` of word `colour` stands for that card, whose index is colour * num_values + value.
"""

import numpy as np

from ..core.bits import BIT_IN_WORD, LOG2_WORD, WORD_BITS
from ..core.compile import rule
from ..core.fields import Field
from ..core.rng import shuffle
from ..core.seats import next_seat

MIN_SEATS, MAX_SEATS = 2, 4
MIN_VALUES, MAX_VALUES = 1, 32

NO_CARD = -1
NO_COLOUR = -1
NO_VALUE = -1


def state_fields(num_seats: int, num_values: int) -> tuple[Field, ...]:
    """The position. There are as many colours as seats, and as many tricks as values."""
    n, top_card = num_seats, num_seats * num_values - 1
    i8, i64 = np.int8, np.int64
    colour = (1 << num_values) - 1
    return (
        Field("hands", i64, (n, n), 0, colour, "cards held, by seat: a word per colour"),
        Field("played", i64, (n, n), 0, colour, "cards each seat has played, this trick included"),
        Field("table", i64, (n,), 0, colour, "cards of this trick, a word per colour"),
        Field("voids", i64, (n,), 0, (1 << n) - 1, "colours a seat has shown it does not hold"),
        Field("dealt", i8, (n, num_values), 0, top_card, "the hands in the order dealt"),
        Field("last_cards", i8, (n,), NO_CARD, top_card, "the last card of each seat"),
        Field("tricks_won", i8, (n,), 0, num_values, "tricks each seat has taken"),
        Field("tricks_left", i8, (), 0, num_values, "tricks not yet taken"),
        Field("leader", i8, (), 0, n - 1, "who leads the trick"),
        Field("seat_to_act", i8, (), 0, n - 1, "who acts"),
        Field("led_colour", i8, (), NO_COLOUR, n - 1, "the colour led; NO_COLOUR: nothing led"),
        Field("top_value", i8, (), NO_VALUE, num_values - 1, "highest value of it in the trick"),
        Field("winner", i8, (), 0, n - 1, "who played that value"),
        Field("first_leader", i8, (), 0, n - 1, "house rule: who leads the first trick"),
    )


# The deal


@rule
def deal(state, rng):
    """Deal all cards, N to each seat (1); the first leader is a house rule (2)."""
    num_seats, num_values = state.dealt.shape
    cards = state.dealt.reshape(num_seats * num_values)
    for card in range(cards.shape[0]):
        cards[card] = card
    shuffle(rng, cards)
    start_game(state, state.first_leader)


@rule
def start_game(state, leader):
    """Start with the hands as dealt."""
    state.hands[:] = 0
    for seat in range(state.dealt.shape[0]):
        for place in range(state.dealt.shape[1]):
            card = np.int64(state.dealt[seat, place])
            colour = colour_of(state, card)
            state.hands[seat, colour] |= 1 << value_of(state, card, colour)
    state.played[:] = 0
    state.voids[:] = 0
    state.last_cards[:] = NO_CARD
    state.tricks_won[:] = 0
    state.tricks_left = state.dealt.shape[1]
    open_trick(state, leader)


@rule
def open_trick(state, leader):
    """Clear the table; the leader acts."""
    state.table[:] = 0
    state.led_colour = NO_COLOUR
    state.top_value = NO_VALUE
    state.leader = leader
    state.seat_to_act = leader
    state.winner = leader


# Play


@rule
def seat_to_act(state):
    """The seat to act."""
    return state.seat_to_act


@rule
def legal_actions(state, mask):
    """The leader may play any card (3), and so may a seat that cannot follow (4)."""
    seat = state.seat_to_act
    if can_follow(state, seat):
        allow_colour(state, mask, seat, state.led_colour)
    else:
        for colour in range(state.hands.shape[1]):
            allow_colour(state, mask, seat, colour)


@rule
def can_follow(state, seat):
    """A follower must follow the colour led if it can (4)."""
    is_following = state.led_colour != NO_COLOUR
    return is_following and state.hands[seat, state.led_colour] != 0


@rule
def allow_colour(state, mask, seat, colour):
    """All cards of one colour in a hand are legal; a colour may straddle two words of the mask."""
    num_values = state.dealt.shape[1]
    cards = state.hands[seat, colour]
    first = colour * num_values
    shift = first & BIT_IN_WORD
    mask[first >> LOG2_WORD] |= cards << shift
    if shift + num_values > WORD_BITS:
        mask[(first >> LOG2_WORD) + 1] |= cards >> (WORD_BITS - shift)


@rule
def apply_action(state, action):
    """A card goes to the table; the highest card of the colour led wins (5)."""
    seat = state.seat_to_act
    colour = colour_of(state, action)
    value = value_of(state, action, colour)
    move_card(state, seat, colour, value)
    state.last_cards[seat] = action
    if state.led_colour == NO_COLOUR:
        state.led_colour = colour
    if colour != state.led_colour:
        state.voids[seat] |= 1 << state.led_colour
    elif value > state.top_value:
        state.top_value = value
        state.winner = seat
    state.seat_to_act = next_seat(seat, state.hands.shape[0])
    if state.seat_to_act == state.leader:
        take_trick(state)


@rule
def move_card(state, seat, colour, value):
    """Move a card from the hand to the table."""
    card = 1 << value
    state.hands[seat, colour] ^= card
    state.played[seat, colour] |= card
    state.table[colour] |= card


@rule
def take_trick(state):
    """The winner of a trick leads the next (2)."""
    state.tricks_won[state.winner] += 1
    state.tricks_left -= 1
    open_trick(state, state.winner)


@rule
def is_terminal(state):
    """N tricks have been played (2)."""
    return state.tricks_left == 0


@rule
def returns(state, out):
    """Tricks scaled to -1 .. 1 with sum zero: (own - other's) / N for two seats."""
    out[:] = 0.0
    if is_terminal(state):
        num_seats, num_values = state.dealt.shape
        for seat in range(num_seats):
            surplus = num_seats * state.tricks_won[seat] - num_values
            out[seat] = surplus / (num_values * (num_seats - 1))


# Cards and seats


@rule
def colour_of(state, card):
    """The colour of a card index; unsigned division is the cheapest."""
    return np.int64(np.uint64(card) // np.uint64(state.dealt.shape[1]))


@rule
def value_of(state, card, colour):
    """The value of a card index of this colour."""
    return card - colour * state.dealt.shape[1]
