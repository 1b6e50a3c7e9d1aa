"""Splendor as played in the COMP90054 contest: the position and the rules.

Numbers in brackets are the sentences of this folder's README. Gems, cards by colour and costs are
words of a byte to a colour (cards.py), so that whole hands are added and compared at once; the
actions and the words their masks are put together from are in actions.py.
"""

import numpy as np

from ..core.bits import has_allowed, lowest_bit, popcount
from ..core.compile import rule
from ..core.fields import Field
from ..core.game import NO_ACTION
from ..core.rng import below, shuffle
from ..core.seats import next_seat
from .actions import (
    BUY,
    BUY_RESERVED,
    COLLECT_RETURNING,
    COLOURS_PER_HALF,
    DIFFERENT_WORDS,
    GEM_LIMIT,
    GEMS_MOVED,
    MAX_RESERVED,
    MAX_TAKEN,
    NOBLE,
    NUM_ACTIONS,
    NUM_SLOTS,
    PASS,
    RESERVE,
    RESERVE_RETURNING,
    RETURN_WORDS,
    SAME_WORDS,
    SLOTS_PER_TIER,
)
from .cards import (
    CARD_COLOURS,
    COLOUR_BITS,
    COST_WORDS,
    FIRST_OF_TIER,
    NEED_WORDS,
    NO_CARD,
    NO_NOBLE,
    NOBLE_POINTS,
    NUM_CARDS,
    NUM_COLOURS,
    NUM_GEM_COLOURS,
    NUM_NOBLES,
    NUM_TIERS,
    POINTS,
    TIER_SIZES,
    YELLOW,
    pack,
)

MIN_SEATS, MAX_SEATS = 2, 4
GEMS_OF_COLOUR = {2: 4, 3: 5, 4: 7}  # by number of seats
YELLOW_GEMS = 5
MAX_OF_COLOUR = 7  # cards of a colour that a seat may own
ENOUGH_FOR_TWO = 4  # gems of a colour that the bank needs before two of it may be taken
MAX_TARGET = 50
MAX_TURNS = 1000
MAX_GAIN = 8  # points in one turn: a card of five and a noble

NO_SLOT = -1

# Words of one byte per colour. The highest bit of each byte is free for comparisons.
ONE_OF_EACH = pack([1] * NUM_COLOURS)
GUARDS = ONE_OF_EACH << 7
ALL_COLOURED = ONE_OF_EACH * 0x7F
ONE_OF_EACH_GEM = pack([1] * NUM_GEM_COLOURS)
ONE_YELLOW = 1 << COLOUR_BITS * YELLOW
_TOP_BYTE = COLOUR_BITS * (NUM_COLOURS - 1)
_TOP_GEM_BYTE = COLOUR_BITS * (NUM_GEM_COLOURS - 1)
_BYTE = 0xFF

# Multiplying by these moves one bit (or two) of each byte next to each other.
_GATHER_FLAGS = sum(1 << 32 - 7 * colour for colour in range(NUM_COLOURS))
_GATHER_FLAGS_SHIFT = 32
_ALL_FLAGS = (1 << NUM_COLOURS) - 1
_GATHER_PAIRS = sum(1 << 12 - 6 * place for place in range(COLOURS_PER_HALF))
_GATHER_PAIRS_SHIFT = 12
_HALF_BITS = COLOUR_BITS * COLOURS_PER_HALF
_HALF = (1 << _HALF_BITS) - 1
_ALL_PAIRS = (1 << 2 * COLOURS_PER_HALF) - 1
_PAIR_OF_EACH = pack([MAX_TAKEN] * NUM_GEM_COLOURS)

_SIZES = np.array(TIER_SIZES, np.int64)
_FIRST = np.array(FIRST_OF_TIER, np.int64)
_ALL_SLOTS = (1 << NUM_SLOTS) - 1
_RETURN_SHIFT = RESERVE_RETURNING  # in the first word of the mask; the rest is in the second
_START_BANKS = np.array(
    [0, 0] + [pack([GEMS_OF_COLOUR[n]] * NUM_COLOURS + [YELLOW_GEMS]) for n in GEMS_OF_COLOUR]
)


def state_fields(num_seats: int) -> tuple[Field, ...]:
    """The position. A word of gems or cards has one byte per colour."""
    n, i8, i16, i64 = num_seats, np.int8, np.int16, np.int64
    word = pack([0x7F] * NUM_GEM_COLOURS)
    most_points = MAX_TARGET + MAX_GAIN
    return (
        Field("bank", i64, (), 0, word, "gems in the bank"),
        Field("gems", i64, (n,), 0, word, "gems held, yellow in the sixth byte"),
        Field("cards", i64, (n,), 0, word, "cards owned by colour"),
        Field(
            "unseen", i64, (NUM_TIERS,), 0, (1 << 40) - 1, "cards in the decks, one bit per card"
        ),
        Field("points", i16, (n,), 0, most_points, "points of cards and nobles"),
        Field("won", i16, (n,), 0, (1 << NUM_NOBLES) - 1, "nobles received, one bit each"),
        Field("last_actions", i16, (n,), NO_ACTION, NUM_ACTIONS - 1, "last action; -1: none"),
        Field("turn", i16, (), 0, MAX_TURNS, "complete rounds"),
        Field("face_up", i16, (), 0, _ALL_SLOTS, "slots of the table with a card"),
        Field("table", i8, (NUM_SLOTS,), 0, NO_CARD, "cards on the table by slot"),
        Field("reserved", i8, (n, MAX_RESERVED), 0, NO_CARD, "cards reserved, oldest first"),
        Field("num_reserved", i8, (n,), 0, MAX_RESERVED, "number of these"),
        Field("nobles", i8, (n + 1,), 0, NO_NOBLE, "nobles by slot; NO_NOBLE: taken"),
        Field("choice", i8, (), 0, (1 << n + 1) - 1, "nobles to choose from, one bit per slot"),
        Field("gap", i8, (), NO_SLOT, NUM_SLOTS - 1, "slot to be refilled at the end of the turn"),
        Field("seat_to_act", i8, (), 0, n - 1, "who acts"),
        Field("first_seat", i8, (), 0, n - 1, "who begins each round"),
        Field("passes", i8, (), 0, n, "passes in a row"),
        Field("over", i8, (), 0, 1, "the game has ended"),
        Field("deck", i8, (NUM_CARDS,), 0, NUM_CARDS - 1, "three decks, the next card last"),
        Field("deck_left", i8, (NUM_TIERS,), 0, max(TIER_SIZES), "cards left in each"),
        Field("target", i8, (), 1, MAX_TARGET, "house rule: points that end the game"),
        Field("turn_limit", i16, (), 1, MAX_TURNS, "house rule: turns of each seat"),
    )


# The deal


@rule
def deal(state, rng):
    """Shuffle three decks (4) and draw players + 1 nobles (3)."""
    for card in range(NUM_CARDS):
        state.deck[card] = card
    for tier in range(NUM_TIERS):
        state.deck_left[tier] = _SIZES[tier]
    shuffle_decks(state, rng)
    nobles = state.table  # scratch, large enough for all nobles; start_game fills it
    for noble in range(NUM_NOBLES):
        nobles[noble] = noble
    for slot in range(state.nobles.shape[0]):
        drawn = slot + below(rng, NUM_NOBLES - slot)
        state.nobles[slot] = nobles[drawn]
        nobles[drawn] = nobles[slot]
    start_game(state)


@rule
def shuffle_decks(state, rng):
    """Shuffle the rest of each deck."""
    for tier in range(NUM_TIERS):
        first = _FIRST[tier]
        shuffle(rng, state.deck[first : first + state.deck_left[tier]])


@rule
def start_game(state):
    """Lay out the start: four cards of each deck face up (2), all gems in the bank (1)."""
    state.bank = _START_BANKS[state.gems.shape[0]]
    state.gems[:] = 0
    state.cards[:] = 0
    state.points[:] = 0
    state.won[:] = 0
    state.reserved[:] = NO_CARD
    state.num_reserved[:] = 0
    state.first_seat = 0
    state.seat_to_act = 0
    state.turn = 0
    clear_events(state)
    for tier in range(NUM_TIERS):
        state.unseen[tier] = (np.int64(1) << _SIZES[tier]) - 1
    state.face_up = _ALL_SLOTS
    for slot in range(NUM_SLOTS):
        refill_slot(state, slot)


@rule
def clear_events(state):
    """Reset the last actions, passes, the choice of a noble, the gap and the end."""
    state.last_actions[:] = NO_ACTION
    state.passes = 0
    state.choice = 0
    state.gap = NO_SLOT
    state.over = 0


@rule
def refill_slot(state, slot):
    """Fill a slot with the next card of its deck; an empty deck leaves it empty (12)."""
    tier = slot // SLOTS_PER_TIER
    if state.deck_left[tier] == 0:
        state.table[slot] = NO_CARD
        state.face_up &= ~(1 << slot)
        return
    state.deck_left[tier] -= 1
    card = np.int64(state.deck[_FIRST[tier] + state.deck_left[tier]])
    state.table[slot] = card
    state.unseen[tier] ^= np.int64(1) << (card - _FIRST[tier])


# Legal actions


@rule
def seat_to_act(state):
    """The seat to act."""
    return state.seat_to_act


@rule
def legal_actions(state, mask):
    """Allow to collect, reserve or buy, else to pass (13); choosing a noble is a separate ply."""
    if state.choice != 0:
        mask[0] = np.int64(state.choice) << NOBLE
        return
    seat = np.int64(state.seat_to_act)
    num_gems = count_gems(state.gems[seat])
    allow_collecting(state, mask, seat, num_gems)
    if state.num_reserved[seat] < MAX_RESERVED:
        allow_reserving(state, mask, seat, num_gems)
    mask[0] |= affordable_cards(state, seat) << BUY
    if not has_allowed(mask):
        mask[0] = np.int64(1) << PASS


@rule
def allow_collecting(state, mask, seat, num_gems):
    """Different colours that the bank has (5), or two of one of which it has four (6).

    What is returned has not just been collected and must be held (7).
    """
    holding = max(num_gems - (GEM_LIMIT - MAX_TAKEN), 0)
    available = colours_with(state.bank, 1)
    plenty = colours_with(state.bank, ENOUGH_FOR_TWO)
    if holding == 0:
        mask[0] = DIFFERENT_WORDS[0, available, 0] | SAME_WORDS[0, plenty, 0]
        return
    low, high = held_up_to_three(state.gems[seat])
    for word in range(mask.shape[0]):
        collected = DIFFERENT_WORDS[holding, available, word] | SAME_WORDS[holding, plenty, word]
        mask[word] = collected & RETURN_WORDS[0, low, word] & RETURN_WORDS[1, high, word]


@rule
def allow_reserving(state, mask, seat, num_gems):
    """Allow reserving a card on the table; an eleventh gem is returned (8)."""
    slots = np.int64(state.face_up)
    must_return = num_gems == GEM_LIMIT and state.bank >= ONE_YELLOW
    if not must_return:
        mask[0] |= slots << RESERVE
        return
    returning = np.int64(0)
    for colour in range(NUM_COLOURS):
        if count_of(state.gems[seat], colour) > 0:
            returning |= slots << (NUM_SLOTS * colour)
    mask[0] |= returning << _RETURN_SHIFT
    mask[1] |= returning >> (64 - _RETURN_SHIFT)


@rule
def affordable_cards(state, seat):
    """The cards a seat can pay for (9), one bit each: by slot, then its reserved ones."""
    power = state.cards[seat] + (state.gems[seat] & ALL_COLOURED)
    yellow = state.gems[seat] >> (COLOUR_BITS * YELLOW)
    cards = np.int64(0)
    for slot in range(NUM_SLOTS):
        cards |= np.int64(is_affordable(state.table[slot], power, yellow)) << slot
    for place in range(MAX_RESERVED):
        card = state.reserved[seat, place]
        cards |= np.int64(is_affordable(card, power, yellow)) << (NUM_SLOTS + place)
    full = colours_with(state.cards[seat], MAX_OF_COLOUR)
    return cards if full == 0 else without_colours(state, seat, cards, full)


@rule
def is_affordable(card, power, yellow):
    """Whether cards and gems cover the cost, with yellow gems for what is missing (9)."""
    return total(lacking(COST_WORDS[card], power)) <= yellow


@rule
def without_colours(state, seat, cards, full):
    """Nobody buys an eighth card of a colour (10)."""
    for index in range(NUM_SLOTS + MAX_RESERVED):
        card = card_at(state, seat, index)
        if card != NO_CARD and (full >> CARD_COLOURS[card]) & 1 == 1:
            cards &= ~(np.int64(1) << index)
    return cards


@rule
def card_at(state, seat, index):
    """The card at a slot of the table, or after those a card that the seat has reserved."""
    is_on_table = index < NUM_SLOTS
    return state.table[index] if is_on_table else state.reserved[seat, index - NUM_SLOTS]


# Effects of actions


@rule
def apply_action(state, action):
    """Apply an action, then give a noble (11), then end the turn (12)."""
    seat = np.int64(state.seat_to_act)
    state.last_actions[seat] = action
    if NOBLE <= action < RESERVE_RETURNING:
        receive_noble(state, seat, action - NOBLE)
        end_turn(state)
        return
    state.passes = state.passes + 1 if action == PASS else 0
    take_turn(state, seat, action)
    invite_noble(state, seat)
    if state.choice == 0:
        end_turn(state)


@rule
def take_turn(state, seat, action):
    """Collect (5, 6), reserve (8), buy (9), or pass (13)."""
    if action < RESERVE or action >= COLLECT_RETURNING:
        move_gems(state, seat, GEMS_MOVED[action])
    elif action < BUY:
        reserve(state, seat, action - RESERVE)
    elif action >= RESERVE_RETURNING:
        reserve(state, seat, (action - RESERVE_RETURNING) % NUM_SLOTS)
        move_gems(state, seat, GEMS_MOVED[action])
    elif action < BUY_RESERVED:
        buy_from_table(state, seat, action - BUY)
    elif action < PASS:
        buy_reserved(state, seat, action - BUY_RESERVED)


@rule
def move_gems(state, seat, gems):
    """Move gems from the bank to a seat; returned gems count as negative."""
    state.gems[seat] += gems
    state.bank -= gems


@rule
def reserve(state, seat, slot):
    """Move the card to the reserved ones, with a yellow gem if the bank has one (8)."""
    state.reserved[seat, state.num_reserved[seat]] = state.table[slot]
    state.num_reserved[seat] += 1
    take_from_table(state, slot)
    if state.bank >= ONE_YELLOW:
        move_gems(state, seat, ONE_YELLOW)


@rule
def take_from_table(state, slot):
    """Take a card from its slot, which stays empty until the end of the turn (12)."""
    state.table[slot] = NO_CARD
    state.gap = slot


@rule
def buy_from_table(state, seat, slot):
    """Pay for a face-up card and own it (9)."""
    pay_for(state, seat, state.table[slot])
    take_from_table(state, slot)


@rule
def buy_reserved(state, seat, place):
    """Pay for a reserved card and own it (9); the newer ones move down."""
    pay_for(state, seat, state.reserved[seat, place])
    state.num_reserved[seat] -= 1
    for index in range(place, MAX_RESERVED - 1):
        state.reserved[seat, index] = state.reserved[seat, index + 1]
    state.reserved[seat, MAX_RESERVED - 1] = NO_CARD


@rule
def pay_for(state, seat, card):
    """Pay the cost minus the seat's cards: coloured gems first, yellow for what is missing (9)."""
    reduced_cost = lacking(COST_WORDS[card], state.cards[seat])
    missing = lacking(reduced_cost, state.gems[seat] & ALL_COLOURED)
    paid = reduced_cost - missing + total(missing) * ONE_YELLOW
    move_gems(state, seat, -paid)
    state.cards[seat] += np.int64(1) << (COLOUR_BITS * np.int64(CARD_COLOURS[card]))
    state.points[seat] += POINTS[card]


# Nobles


@rule
def invite_noble(state, seat):
    """A seat whose cards meet a noble's need receives one; of several it chooses (11)."""
    willing = np.int64(0)
    for slot in range(state.nobles.shape[0]):
        need = NEED_WORDS[state.nobles[slot]]
        willing |= np.int64(lacking(need, state.cards[seat]) == 0) << slot
    if willing == 0:
        return
    if popcount(willing) == 1:
        receive_noble(state, seat, lowest_bit(willing))
    else:
        state.choice = willing


@rule
def receive_noble(state, seat, slot):
    """Give a noble to a seat: three points (3), and its slot stays empty."""
    state.won[seat] |= 1 << np.int64(state.nobles[slot])
    state.points[seat] += NOBLE_POINTS
    state.nobles[slot] = NO_NOBLE
    state.choice = 0


# The end of a turn, of a round and of the game


@rule
def end_turn(state):
    """Refill the slot (12); the next seat acts, or the game ends if all have passed (15)."""
    if state.gap != NO_SLOT:
        refill_slot(state, np.int64(state.gap))
        state.gap = NO_SLOT
    state.seat_to_act = next_seat(state.seat_to_act, state.gems.shape[0])
    if state.seat_to_act == state.first_seat:
        end_round(state)
    if state.passes == state.gems.shape[0]:
        state.over = 1


@rule
def end_round(state):
    """End the game if a seat has reached the target (14), and at the turn limit (15)."""
    state.turn += 1
    if state.turn >= state.turn_limit or most_points(state) >= state.target:
        state.over = 1


@rule
def most_points(state):
    """The most points of any seat."""
    most = state.points[0]
    for seat in range(1, state.points.shape[0]):
        most = max(most, state.points[seat])
    return most


@rule
def is_terminal(state):
    """Whether the game has ended."""
    return state.over != 0


@rule
def returns(state, out):
    """Each of w winners among n seats gets (n / w - 1) / (n - 1), the others -1 / (n - 1)."""
    out[:] = 0.0
    if is_terminal(state):
        num_seats = out.shape[0]
        num_winners = 0
        for seat in range(num_seats):
            num_winners += is_winner(state, seat)
        for seat in range(num_seats):
            points = num_seats / num_winners if is_winner(state, seat) else 0.0
            out[seat] = (points - 1.0) / (num_seats - 1)


@rule
def is_winner(state, seat):
    """Whether a seat has the most points and, of such seats, the fewest cards bought (14)."""
    for other in range(state.points.shape[0]):
        has_more = state.points[other] > state.points[seat]
        is_level = state.points[other] == state.points[seat]
        has_fewer_cards = total(state.cards[other]) < total(state.cards[seat])
        if has_more or (is_level and has_fewer_cards):
            return False
    return True


# Words of a byte to a colour


@rule
def count_of(word, colour):
    """The count of one colour."""
    return (word >> (COLOUR_BITS * colour)) & _BYTE


@rule
def count_gems(gems):
    """The number of gems, yellow included."""
    return ((gems * ONE_OF_EACH_GEM) >> _TOP_GEM_BYTE) & _BYTE


@rule
def total(word):
    """The sum over the five colours."""
    return ((word * ONE_OF_EACH) >> _TOP_BYTE) & _BYTE


@rule
def lacking(cost, purse):
    """What is missing of each of the five colours: max(cost - purse, 0)."""
    difference = (cost | GUARDS) - purse
    guards = difference & GUARDS  # cleared where more is held than the cost
    return difference & (guards - (guards >> 7))


@rule
def colours_with(word, least):
    """The set of colours of which the word has at least `least`."""
    guards = ((word & ALL_COLOURED) + (128 - least) * ONE_OF_EACH) & GUARDS
    return (((guards >> 7) * _GATHER_FLAGS) >> _GATHER_FLAGS_SHIFT) & _ALL_FLAGS


@rule
def held_up_to_three(gems):
    """The counts of the first and the last three colours, two bits each, at most three.

    No action returns more than three gems of a colour.
    """
    surplus = lacking(gems & ALL_COLOURED, _PAIR_OF_EACH & ALL_COLOURED)
    yellow = min(gems >> (COLOUR_BITS * YELLOW), MAX_TAKEN)
    capped = ((gems & ALL_COLOURED) - surplus) | yellow << (COLOUR_BITS * YELLOW)
    return gather_pairs(capped & _HALF), gather_pairs(capped >> _HALF_BITS)


@rule
def gather_pairs(half):
    """Pack three counts of up to three, one byte each, into six bits."""
    return ((half * _GATHER_PAIRS) >> _GATHER_PAIRS_SHIFT) & _ALL_PAIRS
