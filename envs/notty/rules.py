"""The rules of Notty: the position, the actions and their effects.

An action that needs chance has two parts: `apply_action` records it, `play_chance` draws or takes
the cards. Numbers in brackets are those of the rules in the README.
"""

import numpy as np

from ..core.bits import allow
from ..core.compile import rule
from ..core.fields import Field
from ..core.game import CHANCE, NO_ACTION, NO_SEAT
from ..core.rng import below
from ..core.seats import next_seat, seat_after
from .cards import (
    ALL_KINDS,
    GROUP_WORDS,
    GROUPS,
    NUM_CARDS,
    NUM_KINDS,
    add_card,
    deck_words,
    hand_size,
    has_group,
    nth_card,
    remove_card,
)
from .discard import MAX_CARDS, discard_groups

SEAT_COUNTS = (2, 3, 4)
HAND_LIMIT = MAX_CARDS
MIN_HAND_LIMIT = 5
MAX_TURN_LIMIT = 5000  # turns per seat
DISCARDS = ("optimal", "manual")
OPTIMAL = DISCARDS.index("optimal")
RANDOM_STARTER = -1
NO_CARD = -1

MAX_DRAWN = 3
PROTECTED_SIZE = 2  # nobody takes from a hand of this size or less
NUM_GROUPS = len(GROUPS)

# Actions: pass; draw 1, 2 or 3; take from a seat (by places clockwise); discard a group.
PASS = 0
DRAW = 0  # + the number of cards
TAKE = MAX_DRAWN  # + the number of places

# Phases of a turn: one bit for each kind of action already done.
NOTHING_YET = 0
HAS_DRAWN = 1
HAS_TAKEN = 2
HAS_BOTH = HAS_DRAWN | HAS_TAKEN

# Cards taken are counted separately from hands larger than the taker's and from other hands.
FROM_LARGER, FROM_OTHERS = 0, 1


def first_discard(num_seats: int) -> int:
    """The action that discards the first group; the actions for the other groups follow it."""
    return TAKE + num_seats


def num_actions(num_seats: int, discard: str) -> int:
    """The number of actions; discards are actions only if the seats choose them."""
    return first_discard(num_seats) + (NUM_GROUPS if discard == "manual" else 0)


def state_fields(num_seats: int) -> tuple[Field, ...]:
    """The position. The deck is all cards that nobody holds."""
    n, i8, i16, i64 = num_seats, np.int8, np.int16, np.int64
    most_turns, top_action = n * MAX_TURN_LIMIT, first_discard(n) + NUM_GROUPS - 1
    limit, seats, turns, top_kind = HAND_LIMIT, (n,), MAX_TURN_LIMIT, NUM_KINDS - 1
    return (
        Field("hands", i64, (n, 2), 0, ALL_KINDS, "kinds held at least once, and twice"),
        Field("turns_played", i16, (), 0, most_turns, "turns that have ended, of all seats"),
        Field("passes", i16, seats, 0, MAX_TURN_LIMIT, "voluntary passes in a row"),
        Field(
            "takes", i16, (n, 2), 0, turns, "cards taken from larger hands, and from other hands"
        ),
        Field("last_actions", i16, seats, NO_ACTION, top_action, "each seat's last action"),
        Field("last_cards", i8, (n, MAX_DRAWN), NO_CARD, top_kind, "the kinds of cards it moved"),
        Field("seat_to_act", i8, (), 0, n - 1, "whose turn it is"),
        Field("phase", i8, (), 0, HAS_BOTH, "what the seat has done in this turn"),
        Field("pending", i16, (), NO_ACTION, top_action, "the action that chance must carry out"),
        Field("winner", i8, (), NO_SEAT, n - 1, "who has won"),
        Field("is_drawn", i8, (), 0, 1, "whether the game has ended without a winner"),
        Field(
            "deck_order", i8, (NUM_CARDS,), 0, top_kind, "a given order of the deck, top card last"
        ),
        Field(
            "num_ordered", i8, (), 0, NUM_CARDS, "cards left in this order; 0: the deck is shuffled"
        ),
        Field("hand_limit", i8, (), MIN_HAND_LIMIT, limit, "house rule: the largest hand"),
        Field("initial_hand", i8, (), 1, limit, "house rule: cards dealt to a seat"),
        Field("turn_limit", i16, (), 1, MAX_TURN_LIMIT, "house rule: turns of each seat"),
        Field("discard", i8, (), 0, 1, "house rule: index into DISCARDS"),
        Field(
            "protect_small_hands", i8, (), 0, 1, "house rule: hands of two or fewer cards are safe"
        ),
        Field("starter", i8, (), RANDOM_STARTER, n - 1, "house rule: who begins; -1: by lot"),
    )


# The start


@rule
def deal(state, rng):
    """Deal every seat the same number of cards (1); a house rule says who begins."""
    state.hands[:] = 0
    state.num_ordered = 0
    for seat in range(state.hands.shape[0]):
        for _ in range(state.initial_hand):
            add_card(state.hands[seat], card_of_deck(state, rng))
    start_game(state, first_seat(state, rng))


@rule
def first_seat(state, rng):
    """The seat that begins, or one drawn by lot."""
    if state.starter == RANDOM_STARTER:
        return below(rng, state.hands.shape[0])
    return np.int64(state.starter)


@rule
def start_game(state, seat):
    """Begin the first turn with the hands as dealt."""
    state.turns_played = 0
    state.passes[:] = 0
    state.takes[:] = 0
    state.last_actions[:] = NO_ACTION
    state.last_cards[:] = NO_CARD
    state.pending = NO_ACTION
    state.winner = NO_SEAT
    state.is_drawn = 0
    start_turn(state, seat)


# Turns


@rule
def start_turn(state, seat):
    """Begin a turn: discard groups (10); without a winner the game may then be a draw (14)."""
    state.seat_to_act = seat
    state.phase = NOTHING_YET
    discard_if_optimal(state)
    is_out_of_turns = state.turns_played == state.turn_limit * state.hands.shape[0]
    if state.winner == NO_SEAT and (is_out_of_turns or is_deadlock(state)):
        state.is_drawn = 1


@rule
def end_turn(state):
    """End the turn; the next seat clockwise begins its turn."""
    state.turns_played += 1
    start_turn(state, next_seat(np.int64(state.seat_to_act), state.hands.shape[0]))


@rule
def is_deadlock(state):
    """Every seat is at the hand limit and has no group (14)."""
    for seat in range(state.hands.shape[0]):
        hand = state.hands[seat]
        if hand_size(hand) < state.hand_limit or has_group(hand[0]):
            return False
    return True


@rule
def discard_if_optimal(state):
    """Discard groups, as many cards as possible (10); then an empty hand wins (13)."""
    hand = state.hands[state.seat_to_act]
    if state.discard == OPTIMAL and has_group(hand[0]):
        discard_groups(hand)
        after_discard(state)


@rule
def after_discard(state):
    """Discarded cards are shuffled into the deck (11); a seat whose hand is empty wins (13)."""
    state.num_ordered = 0
    if state.hands[state.seat_to_act, 0] == 0:
        state.winner = state.seat_to_act


# Actions


@rule
def seat_to_act(state):
    """The seat to act, or CHANCE if cards are to be drawn or taken."""
    return CHANCE if state.pending != NO_ACTION else np.int64(state.seat_to_act)


@rule
def legal_actions(state, mask):
    """Allow a pass, a draw and a take once a turn (5, 6), and discards by house rule (12)."""
    allow(mask, PASS)
    allow_draws(state, mask)
    allow_takes(state, mask)
    if state.discard != OPTIMAL:
        allow_discards(state, mask)


@rule
def allow_draws(state, mask):
    """Allow draws of one to three cards (5)."""
    for count in range(1, most_drawn(state) + 1):
        allow(mask, DRAW + count)


@rule
def most_drawn(state):
    """The largest draw: not beyond the hand limit, and not more than the deck has (9)."""
    if state.phase & HAS_DRAWN:
        return np.int64(0)
    room = state.hand_limit - hand_size(state.hands[state.seat_to_act])
    return min(MAX_DRAWN, room, deck_size(state))


@rule
def allow_takes(state, mask):
    """Allow taking one card from another hand (5)."""
    for places in range(1, state.hands.shape[0]):
        if can_take(state, places):
            allow(mask, TAKE + places)


@rule
def can_take(state, places):
    """Not with a hand at the limit (9), and not from a small hand, by house rule (8)."""
    seat, num_seats = np.int64(state.seat_to_act), state.hands.shape[0]
    if state.phase & HAS_TAKEN or hand_size(state.hands[seat]) >= state.hand_limit:
        return False
    size = hand_size(state.hands[seat_after(seat, places, num_seats)])
    return size > PROTECTED_SIZE or state.protect_small_hands == 0


@rule
def allow_discards(state, mask):
    """Allow discarding any group of the hand (12)."""
    hand = state.hands[state.seat_to_act, 0]
    if has_group(hand):
        first = TAKE + state.hands.shape[0]
        for group in range(NUM_GROUPS):
            if hand & GROUP_WORDS[group] == GROUP_WORDS[group]:
                allow(mask, first + group)


@rule
def apply_action(state, action):
    """End the turn, discard a group, or leave a draw or take to chance."""
    seat = np.int64(state.seat_to_act)
    if action == PASS:
        count_pass(state, seat)
    elif action < TAKE + state.hands.shape[0] and state.phase == NOTHING_YET:
        state.passes[seat] = 0
    state.last_actions[seat] = action
    state.last_cards[seat] = NO_CARD
    if action == PASS:
        end_turn(state)
    elif action < TAKE + state.hands.shape[0]:
        state.pending = action
    else:
        discard_group(state, seat, action - TAKE - state.hands.shape[0])


@rule
def count_pass(state, seat):
    """Count voluntary passes: first actions of a turn where another move was legal."""
    if state.phase == NOTHING_YET and could_move(state):
        state.passes[seat] += 1


@rule
def could_move(state):
    """Whether the seat to act could draw or take."""
    for places in range(1, state.hands.shape[0]):
        if can_take(state, places):
            return True
    return most_drawn(state) > 0


@rule
def discard_group(state, seat, group):
    """Put away one group that the seat has chosen (12)."""
    hand, cards = state.hands[seat], GROUP_WORDS[group]
    hand[0] &= hand[1] | ~cards
    hand[1] &= ~cards
    after_discard(state)


# Chance


@rule
def play_chance(state, rng):
    """Draw cards or take one; then groups are discarded and an empty hand wins (7, 10, 13)."""
    seat, action = np.int64(state.seat_to_act), np.int64(state.pending)
    state.pending = NO_ACTION
    if action > TAKE:
        take_card(state, seat, seat_after(seat, action - TAKE, state.hands.shape[0]), rng)
        state.phase |= HAS_TAKEN
    else:
        draw_cards(state, seat, action - DRAW, rng)
        state.phase |= HAS_DRAWN
    if state.winner == NO_SEAT:
        discard_if_optimal(state)
    if state.winner == NO_SEAT:
        end_game_or_turn(state)


@rule
def end_game_or_turn(state):
    """End the game at a deadlock (14), or a turn after two actions (4) if not manual (12)."""
    if is_deadlock(state):
        state.is_drawn = 1
    elif state.discard == OPTIMAL and state.phase == HAS_BOTH:
        end_turn(state)


@rule
def draw_cards(state, seat, count, rng):
    """Draw `count` cards from the deck (5)."""
    for place in range(count):
        kind = card_of_deck(state, rng)
        state.last_cards[seat, place] = kind
        add_card(state.hands[seat], kind)


@rule
def card_of_deck(state, rng):
    """The top card: a random card of the deck, unless a start position fixed the order."""
    if state.num_ordered > 0:
        state.num_ordered -= 1
        return np.int64(state.deck_order[state.num_ordered])
    once, twice = deck_words(state.hands)
    return nth_card(once, twice, below(rng, deck_size(state)))


@rule
def take_card(state, seat, other, rng):
    """Take a random card of another hand (7); a seat whose last card is taken wins (13)."""
    hand = state.hands[other]
    is_larger = hand_size(hand) > hand_size(state.hands[seat])
    state.takes[seat, FROM_LARGER if is_larger else FROM_OTHERS] += 1
    kind = nth_card(hand[0], hand[1], below(rng, hand_size(hand)))
    state.last_cards[seat, 0] = kind
    remove_card(hand, kind)
    add_card(state.hands[seat], kind)
    if hand[0] == 0:
        state.winner = other


# The end


@rule
def is_terminal(state):
    """Somebody has won (13), or the game is a draw (14)."""
    return state.winner != NO_SEAT or state.is_drawn != 0


@rule
def returns(state, out):
    """+1 for the winner; the others share -1 equally; 0 for all in a draw."""
    out[:] = 0.0
    if state.winner != NO_SEAT:
        out[:] = -1.0 / (out.shape[0] - 1)
        out[state.winner] = 1.0


# Cards and seats


@rule
def deck_size(state):
    """The number of cards that nobody holds."""
    size = np.int64(NUM_CARDS)
    for seat in range(state.hands.shape[0]):
        size -= hand_size(state.hands[seat])
    return size
