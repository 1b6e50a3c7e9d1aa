"""What one seat of President may know, and how to re-deal what it may not.

Seats count from the observer: index 0 is the observer, index 1 the next seat clockwise.
"""

import numpy as np

from ..core.bits import lowest_bit, popcount
from ..core.compile import array_rule, rule
from ..core.fields import Field
from ..core.game import NO_SEAT
from ..core.rng import below, shuffle
from ..core.seats import next_seat, relative_seat
from .rules import (
    ALL_OF_RANK,
    FULL_DECK,
    GIVE,
    NO_RANK,
    NUM_CARDS,
    NUM_RANKS,
    NUM_SUITS,
    PASS,
    RANK_BITS,
    TOP_RANK,
    add_card,
    count_of,
    counts,
    deal_hands,
    shown_cards,
)

NOTHING = -1

# Count and rank of an action, at index action + 1 (index 0: no action yet).
LAST_COUNT = np.array([NOTHING, 0] + [1, 2, 3, 4] * NUM_RANKS + [1] * NUM_RANKS, dtype=np.int8)
LAST_RANK = np.array(
    [NO_RANK, NO_RANK]
    + [rank for rank in range(NUM_RANKS) for _ in range(4)]
    + [NO_RANK] * NUM_RANKS,
    dtype=np.int8,
)


def observation_fields(num_seats: int, num_games: int) -> tuple[Field, ...]:
    """Plain int8 numbers in natural units. Only matches use roles and exchanged cards."""
    n, i8 = num_seats, np.int8
    is_match = num_games > 1
    gifts = 2 * is_match  # how many more cards than dealt a hand may hold
    top_gift = TOP_RANK if is_match else NO_RANK
    return (
        Field("hand", i8, (NUM_RANKS,), 0, 4, "your cards by rank, low to high"),
        Field("played", i8, (NUM_RANKS,), 0, 4, "cards played so far by rank"),
        Field("unseen", i8, (NUM_RANKS,), 0, 4, "cards in the other hands by rank"),
        Field("has_golds", i8, (), 0, 1, "you hold the 2 of oros"),
        Field("table_count", i8, (), 0, 4, "cards in the play to beat; 0: a new round"),
        Field("table_rank", i8, (), NO_RANK, TOP_RANK, "its rank; -1: a new round"),
        Field("table_seat", i8, (), NO_SEAT, n - 1, "who made it; -1: a new round"),
        Field("seat_to_act", i8, (), 0, n - 1, "whose turn it is"),
        Field("hand_sizes", i8, (n,), 0, NUM_CARDS // n + gifts, "cards held by each seat"),
        Field("passed", i8, (n,), 0, 1, "has passed since the last play (out: in this round)"),
        Field("placings", i8, (n,), 0, n, "1 = went out first; 0 = still in"),
        Field("last_count", i8, (n,), NOTHING, 4, "cards last played; 0: passed; -1: none yet"),
        Field("last_rank", i8, (n,), NO_RANK, TOP_RANK, "their rank; -1: none"),
        Field("roles", i8, (n,), 0, n * is_match, "placings of the previous game; 0 in the first"),
        Field("gives_left", i8, (), 0, 3 * is_match, "cards to give back before play begins"),
        Field(
            "given", i8, (2,), NO_RANK, top_gift, "ranks you gave away, not played since; -1: none"
        ),
        Field(
            "received", i8, (2,), NO_RANK, top_gift, "ranks you received in the exchange; -1: none"
        ),
        Field("games_left", i8, (), 0, num_games, "games of the match not yet finished"),
    )


@rule
def observe(state, seat, out):
    """Write everything `seat` may know."""
    observe_cards(state, seat, out)
    observe_table(state, seat, out)
    observe_seats(state, seat, out)
    out.gives_left = state.gives_left
    for slot in range(out.given.shape[0]):
        out.given[slot] = NO_RANK
        out.received[slot] = state.received[seat, slot]
    if state.game > 0:
        observe_exchange(state, seat, out)
    out.games_left = state.next_hands.shape[0] - state.game


@rule
def observe_cards(state, seat, out):
    """Write the seat's hand, the cards played, and hence the cards the others hold."""
    hand = counts(state.hands[seat])
    unseen = FULL_DECK - hand - state.played
    for rank in range(NUM_RANKS):
        out.hand[rank] = (hand >> (RANK_BITS * rank)) & ALL_OF_RANK
        out.played[rank] = (state.played >> (RANK_BITS * rank)) & ALL_OF_RANK
        out.unseen[rank] = (unseen >> (RANK_BITS * rank)) & ALL_OF_RANK
    out.has_golds = state.golds_seat == seat


@rule
def observe_table(state, seat, out):
    """Write the play to beat."""
    out.seat_to_act = relative_seat(seat, state.seat_to_act, state.hands.shape[0])
    if state.table_action == PASS:
        out.table_count = 0
        out.table_rank = NO_RANK
        out.table_seat = NO_SEAT
    else:
        play = state.table_action - 1
        out.table_count = (play & 3) + 1
        out.table_rank = play >> 2
        out.table_seat = relative_seat(seat, state.table_seat, state.hands.shape[0])


@rule
def observe_seats(state, seat, out):
    """Write what is public about each seat."""
    for index in range(state.hands.shape[0]):
        out.hand_sizes[index] = popcount(state.hands[seat])
        out.passed[index] = state.passed[seat]
        out.placings[index] = state.placings[seat]
        out.last_count[index] = LAST_COUNT[state.last_actions[seat] + 1]
        out.last_rank[index] = LAST_RANK[state.last_actions[seat] + 1]
        out.roles[index] = state.roles[seat]
        seat = next_seat(seat, state.hands.shape[0])


@rule
def observe_exchange(state, seat, out):
    """Write what the exchange partner was given and still holds; only these two know it."""
    if state.partners[seat] == NO_SEAT:
        return
    cards = shown_cards(state, state.partners[seat])
    slot = 0
    while cards != 0:  # one bit for each card
        out.given[slot] = lowest_bit(cards) // RANK_BITS
        cards &= cards - 1
        slot += 1


# Re-dealing what a seat cannot know


@array_rule
def reshuffle_unseen(state, seat, rng):
    """Re-deal the unseen cards uniformly over all deals that agree with what `seat` has seen."""
    forget_private(state, seat)
    sizes = np.zeros(state.hands.shape[0], np.int64)
    for other in range(state.hands.shape[0]):
        sizes[other] = popcount(state.hands[other])
    cards = unseen_cards(state, seat)
    lay_known_cards(state, seat, cards)
    shuffle(rng, cards)
    other = state.partners[seat]
    if other != NO_SEAT:
        refill(state, other, sizes[other], cards, highest_possible(state, seat))
        shuffle(rng, cards)  # cards too high for the partner would otherwise come first too often
    for other in range(state.hands.shape[0]):
        if other != seat:
            refill(state, other, sizes[other], cards, TOP_RANK)
    if not knows_golds(state, seat):
        state.golds_seat = holder_of_random_two(state, seat, rng)
    for game in range(state.game + 1, state.next_hands.shape[0]):
        deal_hands(state, game, rng)


@rule
def forget_private(state, seat):
    """Erase what this seat may not know: others' exchanges, and the deals up to this game's."""
    other = state.partners[seat]
    for third in range(state.hands.shape[0]):
        if third != seat and third != other:
            state.received[third] = NO_RANK
            state.known_held[third] = 0
            if state.golds_seat == third:
                state.golds_shown = 0
            if state.last_actions[third] >= GIVE:
                state.last_actions[third] = GIVE
    for game in range(min(state.game + 1, state.next_hands.shape[0])):
        state.next_hands[game] = 0
        state.next_golds[game] = 0


@rule
def knows_golds(state, seat):
    """A seat knows the 2 of oros in its hand, after exchanging it, and once its holder leads."""
    if state.gives_left == 0 or state.golds_seat == seat:
        return True
    return state.golds_shown != 0 and state.golds_seat == state.partners[seat]


@array_rule
def unseen_cards(state, seat):
    """The ranks of all cards that are neither played nor in the seat's hand."""
    counted = counts(state.hands[seat]) + state.played
    cards = np.empty(NUM_CARDS, np.int64)
    size = 0
    for rank in range(NUM_RANKS):
        for _ in range(NUM_SUITS - ((counted >> (RANK_BITS * rank)) & ALL_OF_RANK)):
            cards[size] = rank
            size += 1
    return cards[:size]


@rule
def lay_known_cards(state, seat, cards):
    """Start the other hands with the cards that are known to be in them."""
    for other in range(state.hands.shape[0]):
        if other != seat:
            state.hands[other] = known_cards(state, seat, other)
            for rank in range(NUM_RANKS):
                for _ in range(count_of(state.hands[other], rank)):
                    use_up(cards, rank)


@rule
def known_cards(state, seat, other):
    """The exchanged cards of a partner, and the 2 of oros of the seat that leads the game."""
    is_partner = other == state.partners[seat]
    cards = shown_cards(state, other) if is_partner else 0
    leads_with_golds = state.golds_seat == other and state.gives_left == 0
    is_counted = is_partner and state.golds_shown
    if leads_with_golds and not is_counted:
        cards = add_card(cards, 0)
    return cards


@rule
def use_up(cards, rank):
    """Strike one card of a rank off the list."""
    for index in range(cards.shape[0]):
        if cards[index] == rank:
            cards[index] = NO_RANK
            return


@rule
def highest_possible(state, seat):
    """The highest rank the partner may hold: if it gave its best cards, the lowest of those."""
    gave_its_best = state.roles[state.partners[seat]] > state.roles[seat]
    highest = TOP_RANK
    if gave_its_best:
        for rank in state.received[seat]:
            if rank != NO_RANK:
                highest = min(highest, rank)
    return highest


@rule
def refill(state, seat, size, cards, highest):
    """Fill a hand to its size with the first remaining cards that it may hold."""
    missing = size - popcount(state.hands[seat])
    for index in range(cards.shape[0]):
        if missing > 0 and NO_RANK < cards[index] <= highest:
            state.hands[seat] = add_card(state.hands[seat], cards[index])
            cards[index] = NO_RANK
            missing -= 1


@rule
def holder_of_random_two(state, seat, rng):
    """Draw the holder of the 2 of oros: any two that this seat has not seen may be it."""
    held_by_others = NUM_SUITS - count_of(state.hands[seat], 0)  # none is played before the lead
    num_shown = 0
    for other in range(state.hands.shape[0]):
        if other != seat:
            num_shown += count_of(state.known_held[other], 0)
    chosen = below(rng, held_by_others - num_shown)
    for other in range(state.hands.shape[0]):
        if other != seat:
            chosen -= count_of(state.hands[other], 0) - count_of(state.known_held[other], 0)
            if chosen < 0:
                return other
    return NO_SEAT
