"""Where the finisher's table comes from, `python -m parlour.baselines.notty_hand_values`.

One seat is looked at, alone with the deck. Its hands are put into classes, by size and by how many
kinds would make a group. How draws and losses lead from class to class is sampled; then value
iteration gives the chance that a hand is emptied some day, a later day counting less.
"""

from math import comb

import numpy as np

from ..envs.core.bits import popcount
from ..envs.core.jit import rule
from ..envs.core.rng import below, streams
from ..envs.notty.cards import ALL_KINDS, NUM_CARDS, has_group, nth_card
from ..envs.notty.discard import best_left, unpack
from ..envs.notty.rules import MOST_DRAWN, PROTECTED_SIZE
from .notty_finisher import HAND_VALUES, OUT_CLASSES, out_kinds

NUM_SIZES, NUM_OUT_CLASSES = HAND_VALUES.shape
NUM_HAND_CLASSES = NUM_SIZES * NUM_OUT_CLASSES
LARGEST = NUM_SIZES - 1  # with all larger hands
OUT_CARDS = 2 * np.array([0, 1, 2, 3, 4, 6, 9.5, 14])  # cards that make a group, by class: typical
SIZES = np.arange(NUM_HAND_CLASSES) // NUM_OUT_CLASSES

# Moves of which the consequences are sampled: draws of 1, 2, 3 cards, and the loss of one
NUM_MOVES = MOST_DRAWN + 1
LOSS = MOST_DRAWN
DRAWS_A_HAND = 6
LOSSES_A_HAND = 4

SEED = 5
HANDS_A_SIZE = 4000
FEWEST_SEEN = 20  # of a class that counts as seen
MOST_TRIES = 2000  # to come to a hand of a given size

# The life of a hand
DISCOUNT = 0.995  # a turn
LOSS_CHANCE = 0.15  # that a card is taken from it between two turns
OTHER_SIZE = 8  # of the hand from which it may take
MOST_WANTED = 5  # of the other's cards that are told apart
NUM_SWEEPS = 3000
PRECISION = 1e-7


def main() -> None:
    """Compute the table and print it, and how far it is from the one the finisher has."""
    values = compute_hand_values()
    print(np.array2string(values, precision=3, floatmode="fixed", separator=", "))
    print(f"the largest difference is {np.abs(values.round(3) - HAND_VALUES).max():.3f}")


def compute_hand_values(num_hands: int = HANDS_A_SIZE, seed: int = SEED) -> np.ndarray:
    """The chances [sizes, classes of outs], from so many sampled hands of each size."""
    counts = np.zeros((NUM_MOVES, NUM_HAND_CLASSES, NUM_HAND_CLASSES))
    num_seen = np.zeros(NUM_HAND_CLASSES, np.int64)
    sample_moves(streams([seed])[0], num_hands, counts, num_seen)
    moves = counts / np.maximum(counts.sum(axis=2, keepdims=True), 1)
    fewest = FEWEST_SEEN * num_hands // HANDS_A_SIZE
    values = iterate_values(moves).reshape(NUM_SIZES, NUM_OUT_CLASSES)
    return _with_neighbours(values, (num_seen > fewest).reshape(values.shape))


def _with_neighbours(values: np.ndarray, is_seen: np.ndarray) -> np.ndarray:
    """Classes that hardly occur get the value of the nearest one of the same size."""
    out = np.ones_like(values)
    for size in range(1, NUM_SIZES):
        seen = np.flatnonzero(is_seen[size])
        for outs in range(NUM_OUT_CLASSES):
            out[size, outs] = values[size, seen[np.abs(seen - outs).argmin()]]
    return out


# Value iteration


def iterate_values(moves: np.ndarray) -> np.ndarray:
    """The value of each class at the end of the own turn, until it changes no more.

    `moves[move, before, after]` are chances. A turn: it is seen how many of the other's cards are
    wanted, then taken or not, then drawn or not; after it a card may be lost.
    """
    hit, miss = _takes(moves[0])
    chances = _chances_wanted()
    at_end = (SIZES == 0).astype(float)
    for _ in range(NUM_SWEEPS):
        best = np.maximum(at_end, (moves[:LOSS] @ at_end).max(axis=0))
        after_hit, after_miss = hit @ best, miss @ best
        at_start = np.zeros(NUM_HAND_CLASSES)
        for wanted in range(MOST_WANTED + 1):
            share = wanted / OTHER_SIZE
            taken = share * after_hit + (1 - share) * after_miss
            at_start += chances[:, wanted] * np.maximum(best, taken)
        at_start[SIZES == 0] = 1
        # The largest class holds hands of many sizes: it must not look better than the one below.
        most = at_start[SIZES == LARGEST - 1].max()
        at_start[SIZES == LARGEST] = np.minimum(at_start[SIZES == LARGEST], most)
        kept = (1 - LOSS_CHANCE) * at_start + LOSS_CHANCE * (moves[LOSS] @ at_start)
        new = DISCOUNT * np.where(SIZES > PROTECTED_SIZE, kept, at_start)
        new[SIZES == 0] = 1
        change, at_end = np.abs(new - at_end).max(), new
        if change < PRECISION:
            break
    return at_end


def _takes(one_card: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What one card leads to where it makes a group, and where it makes none.

    Of classes from which no group was ever seen, a card that does is thought to make none.
    """
    is_group = SIZES[None, :] < SIZES[:, None]
    hits, misses = np.where(is_group, one_card, 0), np.where(is_group, 0, one_card)
    num_hits, num_misses = hits.sum(axis=1, keepdims=True), misses.sum(axis=1, keepdims=True)
    miss = misses / np.maximum(num_misses, 1e-9)
    hit = np.divide(hits, num_hits, out=miss.copy(), where=num_hits > 0)
    return hit, miss


def _chances_wanted() -> np.ndarray:
    """How likely 0, 1, ... wanted cards are in the other hand, [classes, MOST_WANTED + 1]."""
    chances = np.zeros((NUM_HAND_CLASSES, MOST_WANTED + 1))
    for hand in range(NUM_HAND_CLASSES):
        num_others = NUM_CARDS - int(SIZES[hand])
        outs = round(OUT_CARDS[hand % NUM_OUT_CLASSES])
        for wanted in range(MOST_WANTED + 1):
            ways = comb(outs, wanted) * comb(num_others - outs, OTHER_SIZE - wanted)
            chances[hand, wanted] = ways / comb(num_others, OTHER_SIZE)
    return chances / chances.sum(axis=1, keepdims=True)


# Sampling


@rule
def sample_moves(rng, num_hands, counts, num_seen):
    """Count where moves lead, from so many hands of each size that random play comes to."""
    for size in range(1, NUM_SIZES):
        for _ in range(num_hands):
            once, twice = random_hand(size, rng)
            if popcount(once) + popcount(twice) != size:
                continue
            before = hand_class(once, twice)
            num_seen[before] += 1
            for count in range(1, MOST_DRAWN + 1):
                for _ in range(DRAWS_A_HAND):
                    after_once, after_twice = settled(*drawn(once, twice, count, rng))
                    counts[count - 1, before, hand_class(after_once, after_twice)] += 1
            for _ in range(LOSSES_A_HAND):
                after_once, after_twice = robbed(once, twice, rng)
                counts[LOSS, before, hand_class(after_once, after_twice)] += 1


@rule
def random_hand(size, rng):
    """Draw, discard and lose cards until the hand has this size; another size where it fails."""
    once, twice = np.int64(0), np.int64(0)
    for _ in range(MOST_TRIES):
        held = popcount(once) + popcount(twice)
        if held == size:
            break
        if held > size:
            once, twice = robbed(once, twice, rng)
        else:
            once, twice = settled(*drawn(once, twice, 1, rng))
    return once, twice


@rule
def drawn(once, twice, count, rng):
    """The hand with so many random cards of those that it does not hold."""
    deck_once, deck_twice = ALL_KINDS & ~twice, ALL_KINDS & ~once
    size = popcount(deck_once) + popcount(deck_twice)
    for place in range(count):
        bit = np.int64(1) << nth_card(deck_once, deck_twice, below(rng, size - place))
        twice |= once & bit
        once |= bit
        deck_once &= deck_twice | ~bit
        deck_twice &= ~bit
    return once, twice


@rule
def robbed(once, twice, rng):
    """The hand without a random card."""
    size = popcount(once) + popcount(twice)
    bit = np.int64(1) << nth_card(once, twice, below(rng, size))
    return once & (twice | ~bit), twice & ~bit


@rule
def settled(once, twice):
    """The hand with its groups discarded."""
    if has_group(once):
        return unpack(best_left(once, twice))
    return once, twice


@rule
def hand_class(once, twice):
    """The class of a hand: its size, and how many kinds make a group with it."""
    size = popcount(once) + popcount(twice)
    return min(size, LARGEST) * NUM_OUT_CLASSES + OUT_CLASSES[popcount(out_kinds(once))]


if __name__ == "__main__":
    main()
