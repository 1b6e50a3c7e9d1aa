"""Exact results of all draws of one, two and three cards, without enumerating them.

The smallest group is a trio: three kinds. So the number of draws that make a group follows from the
cards that make one with the hand alone, and the pairs that make one with a card of the hand. A draw
discards what its cards discard separately, except where its cards interact: only such cards are
examined together. All sums are over draws of single cards, so they are whole numbers over the
number of all draws.
"""

import numpy as np

from ...envs.core.bits import lowest_bit, popcount
from ...envs.core.compile import array_rule, rule
from ...envs.notty.cards import GROUPS, NUM_KINDS, NUM_NUMBERS, SMALLEST_GROUP, hand_size, has_group
from ...envs.notty.discard import DIGITS, PATTERN_BITS, most_discarded, pack

# One card of each kind, as a packed hand.
PACKED_KINDS = np.array(
    [
        DIGITS[kind % NUM_NUMBERS] << PATTERN_BITS * (3 - kind // NUM_NUMBERS)
        for kind in range(NUM_KINDS)
    ]
)

_TRIOS = tuple(group for group in GROUPS if len(group) == SMALLEST_GROUP)
TRIOS = np.array(_TRIOS)
# For each kind the pairs that make a trio with it [40, 6, 2], and their number.
_PAIRS = tuple(
    tuple(tuple(k for k in trio if k != kind) for trio in _TRIOS if kind in trio)
    for kind in range(NUM_KINDS)
)
NUM_PAIRS = np.array([len(pairs) for pairs in _PAIRS])
PAIRS = np.zeros((NUM_KINDS, NUM_PAIRS.max(), 2), np.int64)
for _kind, _pairs in enumerate(_PAIRS):
    PAIRS[_kind, : len(_pairs)] = _pairs
# For each kind the set of kinds that share a trio with it.
NEAR = np.array([sum(1 << k for k in {k for pair in pairs for k in pair}) for pairs in _PAIRS])


@rule
def num_draws(size, count):
    """The number of ways to draw `count` of `size` cards."""
    if count == 1:
        return size
    pairs = size * (size - 1) // 2
    return pairs if count == 2 else pairs * (size - 2) // 3


@rule
def copies_in(cards, kind):
    """The number of cards of a kind in two words."""
    return ((cards[0] >> kind) & 1) + ((cards[1] >> kind) & 1)


@rule
def find_trios(once, partners, makers):
    """Find the kinds that make a trio with cards of a hand without a group.

    Fills two arrays of sets. `partners` of a kind make a trio with it and one card of the hand;
    `makers` of a kind are the cards of the hand two of which make a trio with it.
    """
    partners[:] = 0
    makers[:] = 0
    cards = once
    while cards != 0:
        kind = lowest_bit(cards)
        cards &= cards - 1
        for index in range(NUM_PAIRS[kind]):
            first, second = PAIRS[kind, index, 0], PAIRS[kind, index, 1]
            partners[first] |= np.int64(1) << second
            partners[second] |= np.int64(1) << first
            if (once >> first) & 1:
                makers[second] |= np.int64(1) << kind
            if (once >> second) & 1:
                makers[first] |= np.int64(1) << kind


# How many draws make a group


@array_rule
def hits_of_draws(hand, deck):
    """The numbers of draws of one, two and three cards that make a group."""
    size = hand_size(deck)
    if has_group(hand[0]):
        return size, num_draws(size, 2), num_draws(size, 3)
    partners, makers = np.empty(NUM_KINDS, np.int64), np.empty(NUM_KINDS, np.int64)
    find_trios(hand[0], partners, makers)
    others = np.empty(2, np.int64)
    others[0], others[1] = without_makers(deck, makers)
    left = hand_size(others)
    pairs, in_two_pairs, triangles = count_pairs(others, partners)
    with_pair = pairs * (left - 2) - in_two_pairs + triangles
    misses = num_draws(left, 3) - with_pair - count_drawn_trios(others, partners)
    return size - left, num_draws(size, 2) - num_draws(left, 2) + pairs, num_draws(size, 3) - misses


@rule
def without_makers(deck, makers):
    """The cards of the deck, as two words, that make no group with the hand alone."""
    kinds = np.int64(0)
    for kind in range(NUM_KINDS):
        kinds |= np.int64(makers[kind] == 0) << kind
    return deck[0] & kinds, deck[1] & kinds


@rule
def count_pairs(cards, partners):
    """Count pairs of partners, cards in two such pairs, and triples of mutual partners.

    These three numbers give the number of draws of three with such a pair: the count of pairs has a
    draw with two pairs twice and a draw with three pairs three times.
    """
    pairs, in_two_pairs, triangles = np.int64(0), np.int64(0), np.int64(0)
    kinds = cards[0]
    while kinds != 0:
        kind = lowest_bit(kinds)
        kinds &= kinds - 1
        copies = copies_in(cards, kind)
        mates = partners[kind]
        num_mates = popcount(mates & cards[0]) + popcount(mates & cards[1])
        pairs += copies * num_mates
        in_two_pairs += copies * (num_mates * (num_mates - 1) // 2)
        later = mates & kinds
        while later != 0:
            mate = lowest_bit(later)
            later &= later - 1
            common = partners[mate] & later
            num_common = popcount(common) + popcount(common & cards[1])
            triangles += copies * copies_in(cards, mate) * num_common
    return pairs // 2, in_two_pairs, triangles


@rule
def count_drawn_trios(cards, partners):
    """The number of draws of three that are a trio of which no two cards are partners."""
    total = np.int64(0)
    for index in range(TRIOS.shape[0]):
        one, two, three = TRIOS[index, 0], TRIOS[index, 1], TRIOS[index, 2]
        if num_linked(partners, one, two, three) == 0:
            total += copies_in(cards, one) * copies_in(cards, two) * copies_in(cards, three)
    return total


@rule
def num_linked(partners, one, two, three):
    """The number of pairs of partners among three kinds."""
    first = partners[one]
    return ((first >> two) & 1) + ((first >> three) & 1) + ((partners[two] >> three) & 1)


# How many cards draws discard


@array_rule
def cards_of_draws(hand, deck):
    """The numbers of cards that all draws of one, two and three cards discard.

    A draw discards what its cards discard alone, plus or minus what pairs of them and all three of
    them add. So each kind and each pair counts as often as it occurs in a draw.
    """
    size = hand_size(deck)
    cards = (hand[0], hand[1], pack(hand[0], hand[1]))
    # 0 unless the hand holds a group (manual discards).
    base = most_discarded(cards[0], cards[1], cards[2])
    links, rivals = np.zeros(NUM_KINDS, np.int64), np.zeros(NUM_KINDS, np.int64)
    alone, added = np.zeros(NUM_KINDS, np.int8), np.zeros((NUM_KINDS, NUM_KINDS), np.int8)
    link_kinds(hand[0], deck[0], links, rivals)
    ones = sum_of_ones(cards, deck, base, alone)
    twos = sum_of_twos(cards, deck, base, links, alone, added)
    threes = sum_of_threes(cards, deck, base, links, rivals, alone, added)
    if base == 0:  # else all cards of the deck are linked
        threes += sum_of_trios(cards, deck, links, alone, added)
    first = base * size + ones
    second = base * num_draws(size, 2) + ones * (size - 1) + twos
    third = base * num_draws(size, 3) + ones * num_draws(size - 1, 2) + twos * (size - 2) + threes
    return first, second, third


@array_rule
def link_kinds(once, in_deck, links, rivals):
    """Find the kinds that interact with each kind in draws of two (`links`) and three (`rivals`).

    The hand has no group, so every group in the hand and the draw has a drawn card. Drawn cards
    that are neighbours in a group therefore make a trio with a card of the hand, or each make a
    group with the same cards between them, or are all three cards of the draw, which `sum_of_trios`
    handles. Two groups share a card of the hand only if one has a single drawn card. If the other
    has a single drawn card too, the two are linked, since both need that card of the hand. Else the
    other has two linked drawn cards, one of which shares a trio with that card: this one and the
    single card are rivals.
    """
    if has_group(once):
        links[:] = in_deck
        return
    makers = np.empty(NUM_KINDS, np.int64)
    find_trios(once, links, makers)
    for kind in range(NUM_KINDS):
        cards, near, same = makers[kind], np.int64(0), np.int64(0)
        if cards == 0 or (in_deck >> kind) & 1 == 0:
            continue
        for other in range(NUM_KINDS):
            same |= np.int64(makers[other] & cards != 0) << other
        links[kind] |= same
        while cards != 0:
            near |= NEAR[lowest_bit(cards)]
            cards &= cards - 1
        while near != 0:
            rivals[lowest_bit(near)] |= np.int64(1) << kind
            near &= near - 1
    links &= in_deck


@rule
def with_card(cards, kind):
    """A hand, as two words and packed, with one more card."""
    once, twice, packed = cards
    bit = np.int64(1) << kind
    return once | bit, twice | (once & bit), packed + PACKED_KINDS[kind]


@rule
def sum_of_ones(cards, deck, base, alone):
    """Write what each card of the deck discards alone to `alone`; return the sum."""
    total, kinds = np.int64(0), deck[0]
    while kinds != 0:
        kind = lowest_bit(kinds)
        kinds &= kinds - 1
        once, twice, packed = with_card(cards, kind)
        value = most_discarded(once, twice, packed) - base
        alone[kind] = value
        total += value * copies_in(deck, kind)
    return total


@rule
def sum_of_twos(cards, deck, base, links, alone, added):
    """Write what pairs of cards discard beyond single cards to `added`; return the sum."""
    total, kinds = np.int64(0), deck[0]
    while kinds != 0:
        first = lowest_bit(kinds)
        own = deck[1] & (kinds & -kinds)
        kinds &= kinds - 1
        with_one = with_card(cards, first)
        others = links[first] & (kinds | own)
        while others != 0:
            second = lowest_bit(others)
            others &= others - 1
            once, twice, packed = with_card(with_one, second)
            value = most_discarded(once, twice, packed) - base - alone[first] - alone[second]
            added[first, second] = value
            added[second, first] = value
            ways = 1 if first == second else copies_in(deck, first) * copies_in(deck, second)
            total += value * ways
    return total


@rule
def sum_of_threes(cards, deck, base, links, rivals, alone, added):
    """The sum of what three linked cards discard beyond single cards and pairs."""
    total, kinds = np.int64(0), deck[0]
    while kinds != 0:
        first = lowest_bit(kinds)
        own = deck[1] & (kinds & -kinds)
        kinds &= kinds - 1
        with_one = with_card(cards, first)
        if own != 0:
            with_both = with_card(with_one, first)
            total += sum_with(
                with_both, first, first, links[first] & ~own, deck, base, alone, added
            )
        others = links[first] & kinds
        while others != 0:
            second = lowest_bit(others)
            others &= others - 1
            thirds = thirds_of(links, rivals, first, second, kinds) & deck[0]
            with_two = with_card(with_one, second)
            ways = copies_in(deck, first) * copies_in(deck, second)
            total += ways * sum_with(with_two, first, second, thirds, deck, base, alone, added)
    return total


@rule
def thirds_of(links, rivals, first, second, later):
    """The third kinds to examine with two linked kinds; `later` are the kinds after the first.

    If several pairs of the three are linked, the three are examined once: with the first and the
    second of them if these are linked, else with the first and the last.
    """
    bit = np.int64(1) << second
    linked = links[first] | links[second]
    last = linked & later & ~(bit - 1)
    between = links[second] & ~links[first] & later & (bit - 1)
    unlinked = (rivals[first] | rivals[second]) & ~linked
    return (last | between | unlinked) & ~(bit | np.int64(1) << first)


@rule
def sum_with(with_two, first, second, thirds, deck, base, alone, added):
    """Sum over the third cards what three cards discard beyond single cards and pairs.

    `with_two` is the hand with the first two cards.
    """
    total = np.int64(0)
    counted = base + alone[first] + alone[second] + added[first, second]
    while thirds != 0:
        third = lowest_bit(thirds)
        thirds &= thirds - 1
        once, twice, packed = with_card(with_two, third)
        value = most_discarded(once, twice, packed) - counted
        value -= alone[third] + added[first, third] + added[second, third]
        total += value * copies_in(deck, third)
    return total


@rule
def sum_of_trios(cards, deck, links, alone, added):
    """Sum what trios with at most one linked pair discard beyond single cards and pairs.

    `sum_of_threes` counted all other trios, and none of these: rivals that form a trio are linked.
    If no two of the three discard anything, the only group they make is the trio itself: with a
    fourth card in the group, two of the three would make a trio with that card.
    """
    total = np.int64(0)
    for index in range(TRIOS.shape[0]):
        one, two, three = TRIOS[index, 0], TRIOS[index, 1], TRIOS[index, 2]
        ways = copies_in(deck, one) * copies_in(deck, two) * copies_in(deck, three)
        if ways == 0:
            continue
        by_twos = added[one, two] + added[one, three] + added[two, three]
        if 2 * (alone[one] + alone[two] + alone[three]) + by_twos == 0:
            total += ways * SMALLEST_GROUP
        elif num_linked(links, one, two, three) < 2:
            with_two = with_card(with_card(cards, one), two)
            third = deck[0] & (np.int64(1) << three)
            ways = copies_in(deck, one) * copies_in(deck, two)
            total += ways * sum_with(with_two, one, two, third, deck, 0, alone, added)
    return total
