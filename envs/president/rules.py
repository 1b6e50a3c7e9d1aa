"""President as played in Spain: the position and the rules.

Numbers in brackets are the rules of this folder's README. A hand is a word of 40 bits, four per
rank: bit 4 * rank + count - 1 is set if the seat holds at least `count` cards of that rank. So a
hand is also the set of plays it can make, and a play is a shift.
"""

import numpy as np

from ..core.bits import lowest_bit
from ..core.compile import array_rule, rule
from ..core.fields import Field
from ..core.game import NO_ACTION, NO_SEAT
from ..core.rng import below
from ..core.seats import next_seat

NUM_RANKS = 10
NUM_SUITS = 4
NUM_CARDS = NUM_RANKS * NUM_SUITS
SEAT_COUNTS = (2, 4, 5, 8)
MAX_GAMES = 100

PASS = 0
NUM_PLAYS = NUM_CARDS  # one to four cards of each rank
GIVE = 1 + NUM_PLAYS
NUM_ACTIONS = GIVE + NUM_RANKS

NO_RANK = -1
TOP_RANK = NUM_RANKS - 1

ECONOMIES = ("none", "swap_one", "swap_two")
NO_ECONOMY, SWAP_ONE, SWAP_TWO = range(len(ECONOMIES))
PASSINGS = ("free", "out")
FREE, OUT = range(len(PASSINGS))

RANK_BITS = 4
ALL_OF_RANK = 0b1111
ALL_PLAYS = (1 << NUM_PLAYS) - 1
ONE_OF_EACH_RANK = 0x1111111111
FULL_DECK = NUM_SUITS * ONE_OF_EACH_RANK  # four cards of each rank, as counts


def state_fields(num_seats: int, num_games: int) -> tuple[Field, ...]:
    """The position. The hands of all games of a match are dealt at its start."""
    n = num_seats
    i8, i64 = np.int8, np.int64
    most_points = num_games * (n - 1)
    kept = "exchanged cards still held, except the 2 of oros"
    return (
        Field("hands", i64, (n,), 0, ALL_PLAYS, "the plays each hand can make"),
        Field(
            "played", i64, (), 0, ALL_PLAYS, "cards played so far: a count of four bits per rank"
        ),
        Field("seat_to_act", i8, (), 0, n - 1, "who acts"),
        Field(
            "table_action", i8, (), 0, GIVE - 1, "the play on the table; PASS: none, a new round"
        ),
        Field("table_seat", i8, (), 0, n - 1, "who made it"),
        Field("passed", i8, (n,), 0, 1, "has passed since the last play (out: in this round)"),
        Field("placings", i8, (n,), 0, n, "1 = went out first; 0 = still in"),
        Field("num_out", i8, (), 0, n - 1, "seats that have gone out"),
        Field("last_actions", i8, (n,), NO_ACTION, NUM_ACTIONS - 1, "last action in this game"),
        Field("golds_seat", i8, (), NO_SEAT, n - 1, "who holds the 2 of oros; NO_SEAT: played"),
        Field("gives_left", i8, (), 0, 3, "cards to give back before play begins"),
        Field("received", i8, (n, 2), NO_RANK, TOP_RANK, "ranks received in the exchange"),
        Field("known_held", i64, (n,), 0, ALL_PLAYS, kept),
        Field("golds_shown", i8, (), 0, 1, "the 2 of oros has been exchanged"),
        Field("roles", i8, (n,), 0, n, "placings of the previous game; 0 in the first"),
        Field(
            "partners", i8, (n,), NO_SEAT, n - 1, "the seat that each exchanges with; NO_SEAT: none"
        ),
        Field("points", np.int32, (n,), -most_points, most_points, "sum of n + 1 - 2 * placing"),
        Field("game", np.int16, (), 0, num_games, "games finished"),
        Field("next_hands", i64, (num_games, n), 0, ALL_PLAYS, "the hands dealt for each game"),
        Field("next_golds", i8, (num_games,), 0, n - 1, "the seat dealt the 2 of oros"),
        Field("passing", i8, (), 0, 1, "house rule: FREE or OUT"),
        Field("economy", i8, (), 0, 2, "house rule: NO_ECONOMY, SWAP_ONE or SWAP_TWO"),
    )


# The deal


@rule
def deal(state, rng):
    """Deal 40 cards, as many to each seat (1, 2), for every game of the match."""
    for game in range(state.next_hands.shape[0]):
        deal_hands(state, game, rng)
    state.game = 0
    state.points[:] = 0
    state.placings[:] = 0
    start_game(state)


@array_rule
def deal_hands(state, game, rng):
    """Deal the 40 cards of one game; card 0 is the 2 of oros."""
    cards = np.arange(NUM_CARDS)
    num_seats = state.hands.shape[0]
    hand_size = NUM_CARDS // num_seats
    for seat in range(num_seats):
        hand = 0
        for place in range(seat * hand_size, (seat + 1) * hand_size):
            other = place + below(rng, NUM_CARDS - place)
            card = cards[other]
            cards[other] = cards[place]
            hand = add_card(hand, card // NUM_SUITS)
            if card == 0:
                state.next_golds[game] = seat
        state.next_hands[game, seat] = hand


@rule
def start_game(state):
    """Start the next game with its hands; from the second game on exchange cards (11)."""
    for seat in range(state.hands.shape[0]):
        state.roles[seat] = state.placings[seat]
        state.hands[seat] = state.next_hands[state.game, seat]
    state.golds_seat = state.next_golds[state.game]
    state.played = 0
    state.table_action = PASS
    state.passed[:] = 0
    state.placings[:] = 0
    state.num_out = 0
    state.last_actions[:] = NO_ACTION
    state.gives_left = 0
    state.received[:] = NO_RANK
    state.known_held[:] = 0
    state.golds_shown = 0
    state.partners[:] = NO_SEAT
    if state.game > 0 and state.economy != NO_ECONOMY:
        exchange(state)
    if state.gives_left == 0:
        open_play(state)


@rule
def open_play(state):
    """The holder of the 2 of oros leads the first round of a game (3)."""
    state.seat_to_act = state.golds_seat
    state.table_seat = state.golds_seat


# The exchange of cards between games of a match (11)


@rule
def exchange(state):
    """The worst-placed seats give their best cards; then the others choose what to give back."""
    num_seats = state.hands.shape[0]
    president = seat_placed(state, 1)
    servant = seat_placed(state, num_seats)
    give_best(state, servant, president)
    if state.economy == SWAP_TWO:
        give_best(state, servant, president)
        if num_seats >= 4:
            give_best(state, seat_placed(state, num_seats - 1), seat_placed(state, 2))
    state.seat_to_act = president


@rule
def give_best(state, giver, taker):
    """Give a card of the highest rank; of several twos the 2 of oros, the first suit."""
    rank = top_rank(state.hands[giver])
    move_card(state, giver, taker, rank, rank == 0 and state.golds_seat == giver)
    state.partners[giver] = taker
    state.partners[taker] = giver
    state.gives_left += 1


@rule
def give_back(state, rank):
    """Give back a card of this rank; the 2 of oros only if it is the giver's only two."""
    giver = state.seat_to_act
    is_golds = rank == 0 and state.golds_seat == giver and count_of(state.hands[giver], 0) == 1
    move_card(state, giver, state.partners[giver], rank, is_golds)
    state.last_actions[giver] = GIVE + rank
    state.gives_left -= 1
    if state.gives_left == 0:
        open_play(state)
    elif state.gives_left == 1 and state.hands.shape[0] >= 4:
        state.seat_to_act = seat_placed(state, 2)


@rule
def move_card(state, giver, taker, rank, is_golds):
    """Move one card from hand to hand; both seats know it from now on."""
    state.hands[giver] = remove_cards(state.hands[giver], rank, 1)
    state.hands[taker] = add_card(state.hands[taker], rank)
    if is_golds:
        state.golds_seat = taker
        state.golds_shown = 1
    else:
        state.known_held[giver] = remove_cards(state.known_held[giver], rank, 1)
        state.known_held[taker] = add_card(state.known_held[taker], rank)
    slot = 0 if state.received[taker, 0] == NO_RANK else 1
    state.received[taker, slot] = rank


@rule
def seat_placed(state, placing):
    """The seat that had this placing in the previous game."""
    for seat in range(state.roles.shape[0]):
        if state.roles[seat] == placing:
            return seat
    return NO_SEAT


@rule
def shown_cards(state, seat):
    """The cards of this seat that its exchange partner knows: those they exchanged."""
    if state.golds_shown and state.golds_seat == seat:
        return add_card(state.known_held[seat], 0)
    return state.known_held[seat]


# Play


@rule
def seat_to_act(state):
    """The seat to act."""
    return state.seat_to_act


@rule
def legal_actions(state, mask):
    """Write what the seat to act may do."""
    hand = state.hands[state.seat_to_act]
    if state.gives_left > 0:
        mask[0] = ranks_held(hand) << GIVE
    elif is_opening(state):
        mask[0] = (hand & ALL_OF_RANK) << 1
    elif is_leading(state):
        mask[0] = hand << 1
    else:
        play = np.int64(state.table_action) - 1  # wide enough to shift by, also when not compiled
        mask[0] = (hand & beating(play)) << 1 | 1


@rule
def is_opening(state):
    """The first play of a game must contain the 2 of oros: one to four twos, no pass (3)."""
    return state.golds_seat != NO_SEAT


@rule
def is_leading(state):
    """The leader of a round plays one to four cards of one rank and may not pass (4)."""
    return state.table_action == PASS


@rule
def beating(play):
    """All plays of as many cards of a strictly higher rank (5)."""
    same_count = ONE_OF_EACH_RANK << (play & 3)
    return same_count & ~((2 << play) - 1)


@rule
def apply_action(state, action):
    """One ply: give a card back, pass, or play."""
    if action >= GIVE:
        give_back(state, action - GIVE)
        return
    seat = state.seat_to_act
    state.last_actions[seat] = action
    if action == PASS:
        state.passed[seat] = 1
    else:
        play_cards(state, seat, action - 1)
        if state.num_out >= state.hands.shape[0] - 1:
            end_game(state)
            return
    pass_turn(state, seat)


@rule
def play_cards(state, seat, play):
    """Play cards of one rank; a seat without cards goes out and gets its placing (10)."""
    rank = play >> 2
    count = (play & 3) + 1
    state.hands[seat] = remove_cards(state.hands[seat], rank, count)
    not_golds = count - (state.golds_seat == seat)  # the 2 of oros is not among the known cards
    state.known_held[seat] = remove_cards(state.known_held[seat], rank, not_golds)
    state.played += count << (RANK_BITS * rank)
    state.golds_seat = NO_SEAT
    state.table_action = play + 1
    state.table_seat = seat
    if state.passing == FREE:
        state.passed[:] = 0
    if state.hands[seat] == 0:
        state.num_out += 1
        state.placings[seat] = state.num_out


@rule
def pass_turn(state, seat):
    """Pass the turn to the next seat that may act; back at the last play, open a round (7)."""
    seat = next_seat(seat, state.hands.shape[0])
    while seat != state.table_seat and not may_act(state, seat):
        seat = next_seat(seat, state.hands.shape[0])
    if seat == state.table_seat:
        seat = new_round(state)
    state.seat_to_act = seat


@rule
def may_act(state, seat):
    """Seats that have gone out are skipped (9), and with OUT also seats that have passed (6)."""
    is_locked_out = state.passing == OUT and state.passed[seat] != 0
    return state.hands[seat] != 0 and not is_locked_out


@rule
def new_round(state):
    """Open a round: the last seat to play leads, or the next seat with cards (7, 8)."""
    seat = state.table_seat
    while state.hands[seat] == 0:
        seat = next_seat(seat, state.hands.shape[0])
    state.table_action = PASS
    state.table_seat = seat
    state.passed[:] = 0
    return seat


@rule
def end_game(state):
    """Make the seat left over the servant (10) and start the next game of a match."""
    num_seats = state.hands.shape[0]
    for seat in range(num_seats):
        if state.placings[seat] == 0:
            state.placings[seat] = num_seats
        state.points[seat] += num_seats + 1 - 2 * state.placings[seat]
    state.game += 1
    if not is_terminal(state):
        start_game(state)


@rule
def is_terminal(state):
    """All games of the match are over."""
    return state.game == state.next_hands.shape[0]


@rule
def returns(state, out):
    """+1 for the president, -1 for the servant, evenly spaced; in a match the mean over games."""
    out[:] = 0.0
    if is_terminal(state):
        scale = (state.hands.shape[0] - 1) * state.next_hands.shape[0]
        for seat in range(out.shape[0]):
            out[seat] = state.points[seat] / scale


# Hands as words


@rule
def count_of(hand, rank):
    """The number of cards of a rank in a hand: the bits of a rank are filled from below."""
    suits = (hand >> (RANK_BITS * rank)) & ALL_OF_RANK
    return (suits & 1) + (suits >> 1 & 1) + (suits >> 2 & 1) + (suits >> 3)


@rule
def counts(hand):
    """A hand as counts of four bits per rank."""
    pairs = hand - (hand >> 1 & 0x5555555555)
    return (pairs & 0x3333333333) + (pairs >> 2 & 0x3333333333)


@rule
def add_card(hand, rank):
    """A hand with one more card of a rank."""
    shift = RANK_BITS * rank
    suits = (hand >> shift) & ALL_OF_RANK
    return hand | ((suits << 1 | 1) << shift)


@rule
def remove_cards(hand, rank, count):
    """A hand without `count` of its cards of a rank (without all if it holds fewer)."""
    shift = RANK_BITS * rank
    suits = (hand >> shift) & ALL_OF_RANK
    return hand ^ ((suits ^ (suits >> count)) << shift)


@rule
def top_rank(hand):
    """The highest rank held; the hand must not be empty."""
    rank = TOP_RANK
    while (hand >> (RANK_BITS * rank)) & 1 == 0:
        rank -= 1
    return rank


@rule
def ranks_held(hand):
    """A set of ranks: bit `rank` is set if the hand holds a card of that rank."""
    ones = hand & ONE_OF_EACH_RANK
    ranks = 0
    while ones != 0:
        ranks |= 1 << (lowest_bit(ones) // RANK_BITS)
        ones &= ones - 1
    return ranks
