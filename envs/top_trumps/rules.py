"""Top Trumps for two: the position and the rules.

Numbers in brackets are the rules of this folder's README. A card is an index into the deck of the
game; a set of cards is a mask of `bits`. Each seat's cards lie in a ring of places: the top is at
`heads`, and cards won go behind the last.

For each place of a deck the position keeps what the other seat can deduce. Cards that were never
played lie on top in an order that nobody knows, so each may be any of `unplaced`: they share one
set. Every other place has its own `candidates`, nearly always one card; places with more are
`doubtful`.
"""

import math

import numpy as np

from ..core.bits import WORD_BITS, allow, forbid, lowest_bit, mask_words, num_allowed
from ..core.compile import rule
from ..core.fields import Field
from ..core.rng import below, shuffle, uniform

NUM_SEATS = 2
NO_CARD = -1
NONE = -1  # no trick has been played yet
DRAWN = 2  # neither seat won the last trick
DRAWN_STARTER = 2  # the house rule: the first starter is drawn by lot
MAX_TRICKS = 30_000

# How a deck is made (2): all bounds inclusive.
LOW_MEAN, HIGH_MEAN = 30, 89
LOW_DEVIATION, HIGH_DEVIATION = 5, 19
MAX_VALUE = 255  # no normal number drawn here can reach this: 89 + 8.6 * 19
ID_LENGTH, ID_LETTERS = 6, 36
NUM_IDS = ID_LETTERS**ID_LENGTH
HUNDREDTHS = 100


def value_type(low: int, high: int) -> type:
    """The smallest integer type that holds the values of a deck in hundredths."""
    most = HUNDREDTHS * max(abs(low), abs(high), MAX_VALUE)
    return next(t for t in (np.int16, np.int32, np.int64) if most <= np.iinfo(t).max)


def state_fields(
    num_cards: int, num_fields: int, trick_limit: int, low: int, high: int
) -> tuple[Field, ...]:
    """The position; the values of the deck are within low .. high."""
    return (
        *_deck_fields(num_cards, num_fields, low, high),
        *_place_fields(num_cards),
        *_set_fields(num_cards),
        *_trick_fields(num_cards, num_fields, trick_limit),
        Field("trick_limit", np.int16, (), 1, MAX_TRICKS, "house rule: largest number of tricks"),
        Field("first_starter", np.int16, (), 0, DRAWN_STARTER, "house rule: who starts; 2: by lot"),
        Field("has_own_deck", np.int16, (), 0, 1, "house rule: 1 for a fixed deck"),
    )


def _deck_fields(num_cards: int, num_fields: int, low: int, high: int) -> tuple[Field, ...]:
    n, f, number = num_cards, num_fields, value_type(low, high)
    mean_low, mean_high = HUNDREDTHS * low, HUNDREDTHS * high
    return (
        Field("values", number, (n, f), low, high, "the deck: one row per card"),
        Field("ids", np.int64, (n,), 0, NUM_IDS - 1, "numbers in base 36, or rows of a fixed deck"),
        Field("means", number, (f,), mean_low, mean_high, "mean of each field, in hundredths"),
        Field("deviations", number, (f,), 0, mean_high - mean_low, "its standard deviation"),
    )


def _place_fields(num_cards: int) -> tuple[Field, ...]:
    n, i16 = num_cards, np.int16
    return (
        Field("decks", i16, (2, n), 0, n - 1, "the card at each place of a seat's ring"),
        Field("heads", i16, (2,), 0, n - 1, "the place of the top card"),
        Field("deck_sizes", i16, (2,), 0, n, "cards a seat holds"),
        Field("num_unplayed", i16, (2,), 0, n, "cards never played; they lie on top"),
        Field("pile", i16, (n,), NO_CARD, n - 1, "the draw pile in the order added"),
        Field("pile_size", i16, (), 0, n, "cards in it"),
    )


def _set_fields(num_cards: int) -> tuple[Field, ...]:
    """Sets of cards, or of places in the ring, by seat."""
    num_words, bits = mask_words(num_cards), min(num_cards, WORD_BITS)
    most = (1 << min(num_cards, WORD_BITS - 1)) - 1

    def sets(name: str, shape: tuple[int, ...], meaning: str) -> Field:
        return Field(name, np.int64, (*shape, num_words), 0, most, meaning, num_bits=bits)

    return (
        sets("cards", (2,), "the cards a seat holds"),
        sets("unplayed", (2,), "the cards it has never played"),
        sets("unplaced", (2,), "the cards in places unknown to the other seat"),
        sets("candidates", (2, num_cards), "what the other seat holds possible, by place"),
        sets("doubtful", (2,), "the places with more than one candidate"),
    )


def _trick_fields(num_cards: int, num_fields: int, trick_limit: int) -> tuple[Field, ...]:
    n, f, i16 = num_cards, num_fields, np.int16
    return (
        Field("starter", i16, (), 0, 1, "who chooses the field"),
        Field("num_tricks", i16, (), 0, trick_limit, "tricks played"),
        Field("last_starter", i16, (), NONE, 1, "who chose the field of the last trick"),
        Field("last_field", i16, (), NONE, f - 1, "the field chosen"),
        Field("last_winner", i16, (), NONE, DRAWN, "who won; 2: drawn"),
        Field("last_cards", i16, (2,), NO_CARD, n - 1, "the cards of the last trick"),
        Field("last_place", i16, (), 0, n - 1, "where its winner's own card lies now"),
    )


# The deck


@rule
def make_deck(state, rng):
    """A deck of cards with unique ids and integer fields is generated for each game (1, 2, 3)."""
    for field in range(state.values.shape[1]):
        mean = LOW_MEAN + below(rng, HIGH_MEAN - LOW_MEAN + 1)
        deviation = LOW_DEVIATION + below(rng, HIGH_DEVIATION - LOW_DEVIATION + 1)
        for card in range(state.values.shape[0]):
            value = np.rint(mean + deviation * normal(rng))
            state.values[card, field] = np.int64(max(0.0, value))
    for card in range(state.ids.shape[0]):
        state.ids[card] = below(rng, NUM_IDS)
        while is_id_taken(state, card):
            state.ids[card] = below(rng, NUM_IDS)


@rule
def normal(rng):
    """A standard normal number (Marsaglia and Bray's polar method, 1964)."""
    square = 0.0
    across = 0.0
    while square == 0.0 or square >= 1.0:
        across = 2.0 * uniform(rng) - 1.0
        along = 2.0 * uniform(rng) - 1.0
        square = across * across + along * along
    return across * math.sqrt(-2.0 * math.log(square) / square)


@rule
def is_id_taken(state, card):
    """Whether a card before this one has its id."""
    is_taken = False
    for other in range(card):
        is_taken |= state.ids[other] == state.ids[card]
    return is_taken


@rule
def measure_fields(state):
    """The mean and the population standard deviation of each field over the deck."""
    for field in range(state.values.shape[1]):
        mean = mean_of(state.values, field)
        state.means[field] = np.int64(np.rint(HUNDREDTHS * mean))
        deviation = deviation_of(state.values, field, mean)
        state.deviations[field] = np.int64(np.rint(HUNDREDTHS * deviation))


@rule
def mean_of(values, field):
    """The mean of one field over the deck."""
    total = 0.0
    for card in range(values.shape[0]):
        total += values[card, field]
    return total / values.shape[0]


@rule
def deviation_of(values, field, mean):
    """The population standard deviation of one field over the deck."""
    total = 0.0
    for card in range(values.shape[0]):
        distance = values[card, field] - mean
        total += distance * distance
    return math.sqrt(total / values.shape[0])


# The deal


@rule
def deal(state, rng):
    """Shuffle the deck and deal it in halves; an odd card goes to seat 0 (4)."""
    if state.has_own_deck == 0:
        make_deck(state, rng)
    num_cards = state.pile.shape[0]
    for card in range(num_cards):
        state.pile[card] = card
    shuffle(rng, state.pile)
    half = (num_cards + 1) // 2
    for place in range(half):
        state.decks[0, place] = state.pile[place]
    for place in range(num_cards - half):
        state.decks[1, place] = state.pile[half + place]
    starter = np.int64(state.first_starter)
    if starter == DRAWN_STARTER:
        starter = below(rng, NUM_SEATS)
    start_game(state, starter)


@rule
def start_game(state, starter):
    """Start with the hands as dealt; `decks` and `values` must be set."""
    measure_fields(state)
    for seat in range(NUM_SEATS):
        take_up_hand(state, seat, (state.decks.shape[1] + 1 - seat) // 2)
    state.candidates[:] = 0
    state.doubtful[:] = 0
    state.pile[:] = NO_CARD
    state.pile_size = 0
    state.starter = starter
    state.num_tricks = 0
    state.last_starter = NONE
    state.last_field = NONE
    state.last_winner = NONE
    state.last_cards[:] = NO_CARD
    state.last_place = 0


@rule
def take_up_hand(state, seat, size):
    """Each seat learns the set of its own cards, not their order (5)."""
    state.heads[seat] = 0
    state.deck_sizes[seat] = size
    state.num_unplayed[seat] = size
    state.cards[seat, :] = 0
    for place in range(size):
        allow(state.cards[seat], state.decks[seat, place])
    for place in range(size, state.decks.shape[1]):
        state.decks[seat, place] = 0
    for word in range(state.cards.shape[1]):
        state.unplayed[seat, word] = state.cards[seat, word]
        state.unplaced[seat, word] = state.cards[seat, word]


# Play


@rule
def seat_to_act(state):
    """The starter acts; the other only turns up its top card (7)."""
    return state.starter


@rule
def legal_actions(state, mask):
    """The starter chooses any field (7)."""
    mask[0] = (np.int64(1) << state.values.shape[1]) - 1


@rule
def apply_action(state, action):
    """Both values in the chosen field are announced, and the higher wins (7)."""
    starter = np.int64(state.starter)
    other = 1 - starter
    value = value_on_top(state, starter, action)
    answer = value_on_top(state, other, action)
    state.num_tricks += 1
    state.last_starter = starter
    state.last_field = action
    state.last_cards[starter] = top_card(state, starter)
    state.last_cards[other] = top_card(state, other)
    if value == answer:
        draw_trick(state, starter)
    elif value > answer:
        win_trick(state, starter, action)
    else:
        win_trick(state, other, action)


@rule
def draw_trick(state, starter):
    """Both cards go to the draw pile, the starter's last; the same seat starts again (6, 10)."""
    state.last_winner = DRAWN
    add_to_pile(state, give_up_top(state, 1 - starter))
    add_to_pile(state, give_up_top(state, starter))


@rule
def win_trick(state, winner, field):
    """The winner takes its own card, the loser's and the pile, and starts the next (6, 8)."""
    state.last_winner = winner
    state.starter = winner
    lost = give_up_top(state, 1 - winner)
    move_to_bottom(state, winner, field)
    take_card(state, winner, lost)
    for index in range(state.pile_size):
        take_card(state, winner, state.pile[index])
        state.pile[index] = NO_CARD
    state.pile_size = 0


@rule
def is_terminal(state):
    """The game ends when a seat has no card (11), or at the trick limit (12)."""
    has_empty_seat = state.deck_sizes[0] == 0 or state.deck_sizes[1] == 0
    return has_empty_seat or state.num_tricks >= state.trick_limit


@rule
def returns(state, out):
    """The seat with more cards wins, so one without any loses; equal is a draw (11, 12)."""
    out[:] = 0.0
    if is_terminal(state) and state.deck_sizes[0] != state.deck_sizes[1]:
        winner = 0 if state.deck_sizes[0] > state.deck_sizes[1] else 1
        out[winner] = 1.0
        out[1 - winner] = -1.0


# Cards on their way


@rule
def place_at(state, seat, depth):
    """The place in the ring of the card that is `depth` below the top."""
    place = np.int64(state.heads[seat]) + depth
    return place if place < state.decks.shape[1] else place - state.decks.shape[1]


@rule
def top_card(state, seat):
    """The card on top of a seat's deck."""
    return np.int64(state.decks[seat, state.heads[seat]])


@rule
def value_on_top(state, seat, field):
    """The value of a seat's top card in a field."""
    return state.values[top_card(state, seat), field]


@rule
def lift_top(state, seat):
    """Take the top card off; the seat that plays it has now seen it."""
    card = top_card(state, seat)
    state.heads[seat] = place_at(state, seat, 1)
    state.deck_sizes[seat] -= 1
    if state.num_unplayed[seat] > 0:
        state.num_unplayed[seat] -= 1
        forbid(state.unplayed[seat], card)
    return card


@rule
def give_up_top(state, seat):
    """Take the top card from a seat; both seats see it, after a loss (9) or a draw (10)."""
    forbid(state.doubtful[seat], state.heads[seat])
    card = lift_top(state, seat)
    forbid(state.cards[seat], card)
    identify(state, seat, card)
    return card


@rule
def add_to_pile(state, card):
    """Add a card to the draw pile, which is public and keeps its order (10)."""
    state.pile[state.pile_size] = card
    state.pile_size += 1


@rule
def take_card(state, seat, card):
    """Put a card that both seats know at the bottom of a seat's deck (8)."""
    place = place_at(state, seat, state.deck_sizes[seat])
    state.deck_sizes[seat] += 1
    state.decks[seat, place] = card
    allow(state.cards[seat], card)
    state.candidates[seat, place, :] = 0
    allow(state.candidates[seat, place], card)


@rule
def move_to_bottom(state, seat, field):
    """Put the winner's own card at the bottom; the loser knows one value of it (8, 9)."""
    was_unplayed = state.num_unplayed[seat] > 0
    old = np.int64(state.heads[seat])
    card = lift_top(state, seat)
    place = place_at(state, seat, state.deck_sizes[seat])
    state.deck_sizes[seat] += 1
    state.decks[seat, place] = card
    state.last_place = place
    for word in range(state.cards.shape[1]):
        cards = state.unplaced[seat, word] if was_unplayed else state.candidates[seat, old, word]
        state.candidates[seat, place, word] = cards
    forbid(state.doubtful[seat], old)
    if narrow(state, state.candidates[seat, place], card, field) > 1:
        allow(state.doubtful[seat], place)
    else:
        identify(state, seat, card)


# What the other seat can tell


@rule
def narrow(state, candidates, card, field):
    """Keep only candidates with the announced value (9). Return how many are left."""
    value = state.values[card, field]
    num_left = 0
    for index in range(candidates.shape[0]):
        word = candidates[index]
        rest = word
        while rest != 0:
            bit = rest & -rest
            rest ^= bit
            if state.values[index * WORD_BITS + lowest_bit(bit), field] == value:
                num_left += 1
            else:
                word ^= bit
        candidates[index] = word
    return num_left


@rule
def identify(state, owner, card):
    """Strike a known card from all other places, and so in turn any card this makes known."""
    while card != NO_CARD:
        forbid(state.unplaced[owner], card)
        card = strike(state, owner, card)


@rule
def strike(state, owner, card):
    """Strike a card from all doubtful places; return a card this makes known, or NO_CARD.

    One call returns one card; a card made known earlier and not yet returned counts too.
    """
    single = NO_CARD
    for index in range(state.doubtful.shape[1]):
        places = state.doubtful[owner, index]
        while places != 0:
            bit = places & -places
            places ^= bit
            place = index * WORD_BITS + lowest_bit(bit)
            forbid(state.candidates[owner, place], card)
            if single == NO_CARD and num_allowed(state.candidates[owner, place]) == 1:
                state.doubtful[owner, index] ^= bit
                single = first_of(state.candidates[owner, place])
    return single


@rule
def first_of(cards):
    """The card with the lowest index in a set, or NO_CARD if the set is empty."""
    for index in range(cards.shape[0]):
        if cards[index] != 0:
            return index * WORD_BITS + lowest_bit(cards[index])
    return NO_CARD
