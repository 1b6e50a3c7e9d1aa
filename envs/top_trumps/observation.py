"""What one seat of Top Trumps may know, and how to re-deal what it may not.

Index 0 is the observer and index 1 the other seat; places count from the top of a deck. The rules
keep track of what a seat can deduce about each place.
"""

import numpy as np

from ..core.bits import (
    WORD_BITS,
    allow,
    forbid,
    is_allowed,
    lowest_bit,
    mask_words,
    nth_allowed,
    num_allowed,
)
from ..core.compile import array_rule, rule
from ..core.fields import Field
from ..core.rng import below
from .rules import (
    DRAWN,
    HUNDREDTHS,
    NO_CARD,
    NONE,
    NUM_IDS,
    first_of,
    is_terminal,
    place_at,
    top_card,
    value_type,
)

UNKNOWN = -1  # the place of a card
MAX_DRAWS = 200  # attempts to draw cards for the doubtful places uniformly
SWAPS_PER_PLACE = 40  # random exchanges if all attempts failed


def observation_fields(
    num_cards: int, num_fields: int, trick_limit: int, low: int, high: int
) -> tuple[Field, ...]:
    """A network sees plain numbers and three sets; the sets of each place are hidden from it."""
    ids = "ids as numbers in base 36, or rows of a fixed deck"
    return (
        *_table_fields(num_cards, num_fields, trick_limit, low, high),
        *_deck_fields(num_cards, num_fields, low, high),
        *_set_fields(num_cards),
        Field("ids", np.int64, (num_cards,), 0, NUM_IDS - 1, ids, WORD_BITS, hidden=True),
    )


def _table_fields(
    num_cards: int, num_fields: int, trick_limit: int, low: int, high: int
) -> tuple[Field, ...]:
    n, f, number = num_cards, num_fields, value_type(low, high)
    least, top = min(low, 0), num_cards - 1

    def plain(name: str, shape: tuple[int, ...], least: int, most: int, meaning: str) -> Field:
        return Field(name, number, shape, least, most, meaning)

    return (
        plain("starter", (), 0, 1, "who starts: 0 you, 1 the opponent"),
        plain("num_tricks", (), 0, trick_limit, "tricks played"),
        plain("deck_sizes", (2,), 0, n, "cards in each deck"),
        plain("pile_size", (), 0, n, "cards in the draw pile"),
        plain("top", (), NO_CARD, top, "your top card; -1: not known. The starter sees it"),
        plain("top_values", (f,), least, high, "its values; 0 if it is not known"),
        plain("last_starter", (), NONE, 1, "who started the last trick; -1: none played yet"),
        plain("last_field", (), NONE, f - 1, "its field; -1: none played yet"),
        plain(
            "last_values", (2,), least, high, "both values in that field; 0 before the first trick"
        ),
        plain("last_cards", (2,), NO_CARD, top, "both cards; -1 if the opponent's is not known"),
        plain("last_winner", (), NONE, DRAWN, "who won it; 2: drawn, -1: none played yet"),
        plain("pile", (n,), NO_CARD, top, "the draw pile in the order added; -1: no more"),
    )


def _deck_fields(num_cards: int, num_fields: int, low: int, high: int) -> tuple[Field, ...]:
    n, f, number = num_cards, num_fields, value_type(low, high)
    mean_low, mean_high = HUNDREDTHS * low, HUNDREDTHS * high
    place = "each card's place in its deck, from the top; -1: not known, or in the pile"
    deviation = "population standard deviation, in hundredths"

    return (
        Field("places", number, (n,), UNKNOWN, n - 1, place),
        Field("means", number, (f,), mean_low, mean_high, "mean over the deck, in hundredths"),
        Field("deviations", number, (f,), 0, mean_high - mean_low, deviation),
        Field("values", number, (n, f), low, high, "the deck: one row per card"),
    )


def _set_fields(num_cards: int) -> tuple[Field, ...]:
    n, num_words, bits = num_cards, mask_words(num_cards), min(num_cards, WORD_BITS)
    most = (1 << min(num_cards, WORD_BITS - 1)) - 1
    may_lie = "the cards that may lie at each place"

    def sets(name: str, shape: tuple[int, ...], meaning: str, hidden: bool = False) -> Field:
        return Field(name, np.int64, (*shape, num_words), 0, most, meaning, bits, hidden)

    return (
        sets("own_cards", (), "the cards in your deck"),
        sets("opponent_cards", (), "the cards in the opponent's deck"),
        sets("opponent_top", (), "the cards that may be the opponent's top card"),
        sets("own_slots", (n,), f"{may_lie} of your deck", hidden=True),
        sets("opponent_slots", (n,), f"{may_lie} of the opponent's deck", hidden=True),
    )


@rule
def observe(state, seat, out):
    """Write everything `seat` may know."""
    seat = np.int64(seat)
    other = 1 - seat
    observe_table(state, seat, out)
    observe_last_trick(state, seat, out)
    observe_deck(state, out)
    observe_sets(state, seat, out)
    for card in range(out.places.shape[0]):
        out.places[card] = UNKNOWN
    observe_own_places(state, seat, out)
    observe_other_places(state, other, out)
    observe_own_slots(state, seat, out)
    observe_other_slots(state, other, out)


@rule
def observe_sets(state, seat, out):
    """Write which cards are in each deck, and which may be the opponent's top card."""
    other = 1 - seat
    for word in range(out.own_cards.shape[0]):
        out.own_cards[word] = state.cards[seat, word]
        out.opponent_cards[word] = state.cards[other, word]
        out.opponent_top[word] = possible_cards(state, other, np.int64(0), word)


@rule
def observe_table(state, seat, out):
    """Write the sizes, the pile, the tricks, the starter, and the seat's top card if known."""
    out.starter = state.starter ^ seat
    out.num_tricks = state.num_tricks
    out.deck_sizes[0] = state.deck_sizes[seat]
    out.deck_sizes[1] = state.deck_sizes[1 - seat]
    out.pile_size = state.pile_size
    for index in range(out.pile.shape[0]):
        out.pile[index] = state.pile[index]
    is_known = knows_own_top(state, seat)
    out.top = top_card(state, seat) if is_known else NO_CARD
    for field in range(out.top_values.shape[0]):
        out.top_values[field] = state.values[out.top, field] if is_known else 0


@rule
def knows_own_top(state, seat):
    """The starter sees its top card; the other seat may have deduced its own."""
    if state.deck_sizes[seat] == 0:
        return False
    return sees_own_top(state, seat) or state.num_unplayed[seat] <= 1


@rule
def sees_own_top(state, seat):
    """Only the starter looks at its top card, and only for a trick to come (7)."""
    return state.starter == seat and not is_terminal(state)


@rule
def observe_last_trick(state, seat, out):
    """Both values were announced, but the loser may not know which card beat its own (9)."""
    out.last_field = state.last_field
    if state.last_winner == NONE:
        out.last_starter = NONE
        out.last_winner = NONE
        out.last_values[:] = 0
        out.last_cards[:] = NO_CARD
        return
    out.last_starter = state.last_starter ^ seat
    out.last_winner = DRAWN if state.last_winner == DRAWN else state.last_winner ^ seat
    other = 1 - seat
    out.last_values[0] = state.values[state.last_cards[seat], state.last_field]
    out.last_values[1] = state.values[state.last_cards[other], state.last_field]
    out.last_cards[0] = state.last_cards[seat]
    is_hidden = state.last_winner == other and is_allowed(state.doubtful[other], state.last_place)
    out.last_cards[1] = NO_CARD if is_hidden else state.last_cards[other]


@rule
def observe_deck(state, out):
    """Write the deck: both seats may look through all of it (1)."""
    for field in range(out.means.shape[0]):
        out.means[field] = state.means[field]
        out.deviations[field] = state.deviations[field]
    for card in range(out.ids.shape[0]):
        out.ids[card] = state.ids[card]
        for field in range(out.means.shape[0]):
            out.values[card, field] = state.values[card, field]


@rule
def observe_own_places(state, seat, out):
    """A seat knows where its cards are once it has played them, and its top card as starter (5)."""
    first = first_known(state, seat)
    place = place_at(state, seat, first)
    for depth in range(first, state.deck_sizes[seat]):
        out.places[np.uint64(state.decks[seat, place])] = depth
        place = next_place(state, place)
    if sees_unplayed_top(state, seat):
        out.places[top_card(state, seat)] = 0


@rule
def next_place(state, place):
    """The place in the ring after this one."""
    place += 1
    return place if place < state.decks.shape[1] else 0


@rule
def sees_unplayed_top(state, seat):
    """Whether the top card is one that the seat has never played but sees now."""
    return state.num_unplayed[seat] > 0 and sees_own_top(state, seat)


@rule
def first_known(state, seat):
    """The depth from which a seat knows all its cards: 0 if at most one of them is unseen."""
    num_unplayed = np.int64(state.num_unplayed[seat])
    num_unseen = num_unplayed - 1 if sees_unplayed_top(state, seat) else num_unplayed
    return np.int64(0) if num_unseen <= 1 else num_unplayed


@rule
def observe_other_places(state, other, out):
    """Write the places in the other deck that have only one possible card (9)."""
    num_unplayed = np.int64(state.num_unplayed[other])
    place = place_at(state, other, num_unplayed)
    for depth in range(num_unplayed, state.deck_sizes[other]):
        if not is_allowed(state.doubtful[other], place):
            out.places[np.uint64(state.decks[other, place])] = depth
        place = next_place(state, place)
    if num_unplayed == 1 and num_allowed(state.unplaced[other]) == 1:
        out.places[first_of(state.unplaced[other])] = 0


@rule
def observe_own_slots(state, seat, out):
    """Write the cards that may lie at each place of the seat's own deck."""
    num_unplayed = np.int64(state.num_unplayed[seat])
    is_top_seen = sees_unplayed_top(state, seat)
    for word in range(out.own_cards.shape[0]):
        unseen = state.unplayed[seat, word]
        if is_top_seen and top_card(state, seat) >> 6 == word:
            unseen &= ~(np.int64(1) << (top_card(state, seat) & 63))
        for depth in range(out.own_slots.shape[0]):
            out.own_slots[depth, word] = unseen if depth < num_unplayed else 0
    for depth in range(first_known(state, seat), state.deck_sizes[seat]):
        put_only(out.own_slots[depth], state.decks[seat, place_at(state, seat, depth)])
    if is_top_seen:
        put_only(out.own_slots[0], top_card(state, seat))


@rule
def put_only(cards, card):
    """Make a set of one card."""
    cards[:] = 0
    allow(cards, card)


@rule
def observe_other_slots(state, other, out):
    """Write the cards that may lie at each place of the other deck (9)."""
    for depth in range(out.opponent_slots.shape[0]):
        for word in range(out.own_cards.shape[0]):
            out.opponent_slots[depth, word] = possible_cards(state, other, depth, word)


@rule
def possible_cards(state, other, depth, word):
    """One word of the set of cards that may lie at this depth of the other deck."""
    if depth < state.num_unplayed[other]:
        return state.unplaced[other, word]
    if depth < state.deck_sizes[other]:
        return state.candidates[other, place_at(state, other, depth), word]
    return np.int64(0)


# Re-dealing what a seat cannot know


@rule
def reshuffle_unseen(state, seat, rng):
    """Put unseen cards into another order that agrees with all that `seat` has seen.

    Every such order is equally likely; what the opponent's choices reveal is ignored. (If 200
    attempts to draw cards for the doubtful places collide, as in decks with very few different
    values, many random exchanges that agree with what was seen replace them. These are nearly
    uniform.)
    """
    seat = np.int64(seat)
    first_unseen = np.int64(1 if sees_own_top(state, seat) else 0)
    shuffle_places(state, seat, first_unseen, rng)
    other = 1 - seat
    if redraw_doubtful(state, other, rng):
        lay_out_unplayed(state, other)
        shuffle_places(state, other, np.int64(0), rng)
    else:
        exchange_many(state, other, rng)
    if state.last_winner == other:
        state.last_cards[other] = state.decks[other, state.last_place]


@rule
def shuffle_places(state, seat, first, rng):
    """Shuffle the cards that were never played, from this depth on."""
    for depth in range(state.num_unplayed[seat] - 1, first, -1):
        exchange(
            state, seat, place_at(state, seat, depth), random_place(state, seat, first, depth, rng)
        )


@rule
def random_place(state, seat, first, last, rng):
    """Draw a place from depth `first` to depth `last`, all equally likely."""
    return place_at(state, seat, first + below(rng, last - first + 1))


@rule
def exchange(state, seat, place, other_place):
    """Swap two cards."""
    card = state.decks[seat, place]
    state.decks[seat, place] = state.decks[seat, other_place]
    state.decks[seat, other_place] = card


@array_rule
def redraw_doubtful(state, owner, rng):
    """Draw a card for each doubtful place until no card is drawn twice; False if that fails.

    The remaining cards that the observer cannot place are the ones never played.
    """
    if num_allowed(state.doubtful[owner]) == 0:
        return True
    drawn = np.empty(state.decks.shape[1], np.int16)
    for _ in range(MAX_DRAWS):
        for word in range(state.cards.shape[1]):
            state.unplayed[owner, word] = state.unplaced[owner, word]
        if draw_distinct(state, owner, drawn, rng):
            for place in range(drawn.shape[0]):
                if is_allowed(state.doubtful[owner], place):
                    state.decks[owner, place] = drawn[place]
            return True
    return False


@rule
def draw_distinct(state, owner, drawn, rng):
    """Draw a candidate for each doubtful place from `unplayed`; False at the first collision."""
    for place in range(drawn.shape[0]):
        if is_allowed(state.doubtful[owner], place):
            candidates = state.candidates[owner, place]
            card = nth_allowed(candidates, below(rng, num_allowed(candidates)))
            if not is_allowed(state.unplayed[owner], card):
                return False
            forbid(state.unplayed[owner], card)
            drawn[place] = card
    return True


@rule
def lay_out_unplayed(state, owner):
    """Lay out the cards that were never played, in the order of their indices."""
    depth = 0
    for index in range(state.unplayed.shape[1]):
        cards = state.unplayed[owner, index]
        while cards != 0:
            card = index * WORD_BITS + lowest_bit(cards)
            cards &= cards - 1
            state.decks[owner, place_at(state, owner, depth)] = card
            depth += 1


@rule
def exchange_many(state, owner, rng):
    """Swap random cards that were never played or lie at doubtful places, where both fit."""
    size = np.int64(state.deck_sizes[owner])
    for _ in range(SWAPS_PER_PLACE * size):
        place = random_place(state, owner, np.int64(0), size - 1, rng)
        other_place = random_place(state, owner, np.int64(0), size - 1, rng)
        may_exchange = may_hold(state, owner, place, state.decks[owner, other_place])
        if may_exchange and may_hold(state, owner, other_place, state.decks[owner, place]):
            exchange(state, owner, place, other_place)
    state.unplayed[owner, :] = 0
    for depth in range(state.num_unplayed[owner]):
        allow(state.unplayed[owner], state.decks[owner, place_at(state, owner, depth)])


@rule
def may_hold(state, owner, place, card):
    """Whether this card may lie at this place, as far as the other seat can tell."""
    depth = place - np.int64(state.heads[owner])
    if depth < 0:
        depth += state.decks.shape[1]
    if depth < state.num_unplayed[owner]:
        return is_allowed(state.unplaced[owner], card)
    return is_allowed(state.candidates[owner, place], card)
