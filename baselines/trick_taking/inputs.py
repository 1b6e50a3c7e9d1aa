"""What networks are shown of trick-taking besides the observation, and in which order.

Only the order of the cards left in a colour matters, and colours have no order in the rules. So the
cards are renamed: the highest card left of a colour gets the highest value, and the colours are
sorted, the one led first. A network then need not learn everything once for each name. The fields
count what a seat would count: cards left, sure winners, and who may still follow.
"""

import numpy as np

from ...envs.core.bits import allow, is_allowed, lowest_bit, popcount
from ...envs.core.compile import array_rule, rule
from ...envs.core.fields import Field
from ...envs.core.game import Game
from ...envs.trick_taking.rules import MAX_SEATS, MAX_VALUES, NO_CARD, NO_COLOUR
from .position import filled

NUM_ARRANGED = MAX_SEATS * MAX_VALUES
LEFT_OUT = ("seat_to_act", "last_cards", "dealt", "played")

_ORDER = np.dtype(
    (
        np.record,
        [
            ("unseen", np.int64, (MAX_SEATS,)),
            ("hand_keys", np.int64, (MAX_SEATS,)),  # cards by their new values
            ("unseen_keys", np.int64, (MAX_SEATS,)),
            ("colours", np.int64, (MAX_SEATS,)),  # the new colour of each
            ("places", np.int64, (NUM_ARRANGED,)),  # the new index of each card
            ("words", np.int64, (MAX_SEATS,)),
        ],
    )
)


def input_fields(game: Game) -> tuple[Field, ...]:
    """Return the fields that `derive` writes. Seats count from the observer."""
    n, most, i8 = game.num_seats, game.config.num_values, np.int8
    return (
        Field("winners", i8, (), 0, most, "your cards that beat the trick as it stands"),
        Field("unseen_winners", i8, (), 0, most, "unseen cards that beat the trick as it stands"),
        Field("followers", i8, (), 0, n - 1, "seats after you that may have the colour led"),
        Field("held", i8, (n,), 0, most, "your cards, by colour"),
        Field("unseen_left", i8, (n,), 0, most, "unseen cards, by colour"),
        Field("masters", i8, (n,), 0, most, "your cards above all unseen ones, by colour"),
        Field("num_played", i8, (n, n), 0, most, "cards each seat has played, by colour"),
    )


@rule
def derive(observation):
    """Write the fields of `input_fields` into the record whose other fields they follow from."""
    num_seats = observation.hand.shape[0]
    for colour in range(num_seats):
        hand, unseen = observation.hand[colour], observation.unseen[colour]
        observation.held[colour] = popcount(hand)
        observation.unseen_left[colour] = popcount(unseen)
        observation.masters[colour] = popcount(above(hand, unseen))
        for seat in range(num_seats):
            observation.num_played[seat, colour] = popcount(observation.played[seat, colour])
    observation.winners = 0
    observation.unseen_winners = 0
    observation.followers = 0
    led = np.int64(observation.led_colour)
    if led != NO_COLOUR:
        table = observation.table[led]
        observation.winners = popcount(above(observation.hand[led], table))
        observation.unseen_winners = popcount(above(observation.unseen[led], table))
        for seat in range(1, np.int64(observation.leader)):
            observation.followers += 1 - (observation.voids[seat] >> led & 1)


@rule
def above(cards, others):
    """Those of the cards of a colour that are higher than all others."""
    return cards & ~filled(others)


# The order of cards and colours. A function that makes an array hands it to another one, because
# Numba frees an array after its last use by name, and a record of it is no such use.


@array_rule
def arrange(state):
    """Rename the cards as the seat to act would sort them; the game stays the same."""
    arrange_by(state, np.empty(1, _ORDER))


@rule
def arrange_by(state, orders):
    """The same with a record [1] to write the order to."""
    order = orders[0]
    sort_cards(state, order)
    num_seats, num_values = state.dealt.shape
    led = np.int64(state.led_colour)
    if state.top_value >= 0:
        place = order.places[led * num_values + np.int64(state.top_value)]
        state.top_value = place % num_values
    if led != NO_COLOUR:
        state.led_colour = order.colours[led]
    for seat in range(num_seats):
        move_cards(state.hands[seat], order, num_values)
        move_cards(state.played[seat], order, num_values)
        state.voids[seat] = moved_colours(np.int64(state.voids[seat]), order)
        rename_cards(state.dealt[seat], order)
    move_cards(state.table, order, num_values)
    rename_cards(state.last_cards, order)


@rule
def sort_cards(state, order):
    """Find the order for the seat to act in a position."""
    seat = np.int64(state.seat_to_act)
    for colour in range(state.hands.shape[0]):
        order.unseen[colour] = 0
        for other in range(state.hands.shape[0]):
            if other != seat:
                order.unseen[colour] |= state.hands[other, colour]
    led, num_values = np.int64(state.led_colour), state.dealt.shape[1]
    find_places(state.hands[seat], order.unseen, state.table, led, num_values, order)


@rule
def find_places(hand, unseen, table, led, num_values, order):
    """Fill the new index of each card and colour."""
    num_colours = hand.shape[0]
    for colour in range(num_colours):
        rename_values(hand, unseen, table, colour, order, num_values)
    for colour in range(num_colours):
        place = 0
        for other in range(num_colours):
            place += other != colour and comes_first(order, led, other, colour)
        order.colours[colour] = place
        for card in range(colour * num_values, (colour + 1) * num_values):
            order.places[card] += place * num_values


@rule
def rename_values(hand, unseen, table, colour, order, num_values):
    """The cards left of a colour get the highest values, those gone the lowest, in their order."""
    left = hand[colour] | unseen[colour] | table[colour]
    num_gone, num_left = 0, num_values - popcount(left)
    order.hand_keys[colour] = 0
    order.unseen_keys[colour] = 0
    for value in range(num_values):
        place = num_left
        if left >> value & 1:
            order.hand_keys[colour] |= (hand[colour] >> value & 1) << place
            order.unseen_keys[colour] |= (unseen[colour] >> value & 1) << place
            num_left += 1
        else:
            place = num_gone
            num_gone += 1
        order.places[colour * num_values + value] = place


@rule
def comes_first(order, led, colour, other):
    """Whether a colour is sorted before another: the one led, then the best cards in the hand."""
    if colour == led or other == led:
        return colour == led
    if order.hand_keys[colour] != order.hand_keys[other]:
        return order.hand_keys[colour] > order.hand_keys[other]
    if order.unseen_keys[colour] != order.unseen_keys[other]:
        return order.unseen_keys[colour] > order.unseen_keys[other]
    return colour < other


@rule
def move_cards(words, order, num_values):
    """Rename a set of cards, a word for each colour."""
    for colour in range(words.shape[0]):
        order.words[colour] = words[colour]
        words[colour] = 0
    for colour in range(words.shape[0]):
        cards = order.words[colour]
        while cards != 0:
            place = order.places[colour * num_values + lowest_bit(cards)]
            new = order.colours[colour]
            words[new] |= np.int64(1) << (place - new * num_values)
            cards &= cards - 1


@rule
def moved_colours(colours, order):
    """Rename a set of colours."""
    moved = np.int64(0)
    while colours != 0:
        moved |= np.int64(1) << order.colours[lowest_bit(colours)]
        colours &= colours - 1
    return moved


@rule
def rename_cards(cards, order):
    """Rename a list of cards."""
    for index in range(cards.shape[0]):
        if cards[index] != NO_CARD:
            cards[index] = order.places[cards[index]]


@array_rule
def arrange_seen(observation, mask, slots):
    """Arrange what the seat to act observes, and its mask, as `arrange` does the position.

    Fill slots [NUM_ARRANGED] with the card that each was before.
    """
    arrange_seen_by(observation, mask, slots, np.empty(1, _ORDER))


@rule
def arrange_seen_by(observation, mask, slots, orders):
    """The same with a record [1] to write the order to."""
    order = orders[0]
    num_values = observation.dealt.shape[0]
    led = np.int64(observation.led_colour)
    find_places(observation.hand, observation.unseen, observation.table, led, num_values, order)
    invert(order, observation.hand.shape[0] * num_values, slots)
    if led != NO_COLOUR:
        observation.led_colour = order.colours[led]
    for seat in range(observation.voids.shape[0]):
        move_cards(observation.played[seat], order, num_values)
        observation.voids[seat] = moved_colours(np.int64(observation.voids[seat]), order)
    move_cards(observation.hand, order, num_values)
    move_cards(observation.unseen, order, num_values)
    move_cards(observation.table, order, num_values)
    rename_cards(observation.dealt, order)
    rename_cards(observation.last_cards, order)
    for index in range(mask.shape[0]):
        order.words[index] = mask[index]
        mask[index] = 0
    for card in range(observation.hand.shape[0] * num_values):
        if is_allowed(order.words, card):
            allow(mask, order.places[card])


@rule
def invert(order, num_cards, slots):
    """Fill slots[k] with the card whose new index is k."""
    for card in range(num_cards):
        slots[order.places[card]] = card


@rule
def with_slot_of(slots, action):
    """Return the card that an action plays in the game itself."""
    return slots[action]


@array_rule
def find_slots(state, arranged, slots):
    """Fill slots [NUM_ARRANGED] with the card that each of the arranged position was before."""
    find_slots_by(state, slots, np.empty(1, _ORDER))


@rule
def find_slots_by(state, slots, orders):
    """The same with a record [1] to write the order to."""
    order = orders[0]
    sort_cards(state, order)
    invert(order, state.dealt.shape[0] * state.dealt.shape[1], slots)
