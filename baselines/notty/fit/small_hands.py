"""Compute the chances of small hands.

Run as `python -m parlour.baselines.notty.fit.small_hands`. Nobody takes from the hand. Its player
may wait, draw one card, or take one from another hand. That other hand is a random one from games
of `aggressive` against itself, and changes every few turns. Value iteration gives each small hand
the chance of its best action, discounted for the turns.
"""

import numpy as np

from ....envs.core.bits import clear, lowest_bit
from ....envs.core.compile import array_rule, rule
from ....envs.core.rng import below, streams
from ....envs.notty.cards import (
    ALL_KINDS,
    NUM_COLOURS,
    NUM_COPIES,
    NUM_KINDS,
    NUM_NUMBERS,
    hand_size,
    has_group,
)
from ....envs.notty.discard import best_left, unpack
from ....envs.notty.observation import observe
from ....envs.notty.rules import PROTECTED_SIZE, apply_action, deal, is_terminal, legal_actions
from ....envs.registry import load_game
from ..players import aggressive
from ..small_hands import CHANCES_DTYPE, CHANCES_FILE, LARGEST_SMALL, alike, is_small
from .values import settle, write_table

NUM_SWEEPS = 60
SWEEPS_A_LINE = 15  # sweeps per printed line
NUM_TRIED = 64  # other hands tried for each hand in a sweep
NUM_OTHERS = 20_000  # hands of `aggressive`
EARLIEST_TURN, LATEST_TURN = 10, 60  # turns of both seats after which its hand is recorded
LARGEST_OTHER = 18  # with more cards it waits and gets no new ones
DISCOUNT = 0.97  # per change of the other hand, about three turns
BEYOND = 0.002  # the chance of a hand that is not small
SEED = 3


def main() -> None:
    """Compute the table and write it to a file."""
    write_table(main.__doc__, CHANCES_FILE, compute_chances)


def compute_chances(num_sweeps: int = NUM_SWEEPS) -> np.ndarray:
    """The table [hands]: records of a packed hand and its chance, hands in ascending order."""
    rng = streams([SEED])[0]
    hands = small_hands()
    others, chances = hands_of_aggressive(rng), np.zeros(len(hands))
    for index in range(num_sweeps):
        sweep(hands, chances, others, rng)
        if (index + 1) % SWEEPS_A_LINE == 0:
            print(f"{index + 1} of {num_sweeps} sweeps", flush=True)
    table = np.empty(len(hands), CHANCES_DTYPE)
    table["hand"], table["chance"] = hands, chances
    return table


def small_hands() -> np.ndarray:
    """All small hands without a group, packed, [hands]; one for each equivalence class."""
    hands: set[int] = set()
    latest = {0}
    for _ in range(LARGEST_SMALL):
        latest = {int(hand) for packed in latest for hand in one_card_more(np.int64(packed))}
        hands |= latest
    return np.array(sorted(hands), np.int64)


@array_rule
def one_card_more(packed):
    """The hands that one more card makes of this one without making a group."""
    once, twice = unpack(packed)
    out, num_out = np.empty(NUM_KINDS, np.int64), 0
    for kind in range(NUM_KINDS):
        bit = np.int64(1) << kind
        if twice & bit == 0 and not has_group(once | bit):
            out[num_out] = alike(once | bit, twice | (once & bit))
            num_out += 1
    return out[:num_out]


@array_rule
def sweep(hands, chances, others, rng):
    """Update every hand to the mean chance of its best action over the other hands tried."""
    after = np.empty(NUM_KINDS)
    for index in range(hands.shape[0]):
        once, twice = unpack(hands[index])
        drawn = look_ahead(hands, chances, once, twice, after)
        kept, total, num_tried = max(chances[index], drawn), 0.0, 0
        while num_tried < NUM_TRIED:
            place = below(rng, others.shape[0])
            shift = below(rng, NUM_COLOURS) * NUM_NUMBERS
            other_once = with_other_colours(others[place, 0], shift)
            other_twice = with_other_colours(others[place, 1], shift)
            if once & other_twice == 0 and twice & other_once == 0:  # no more than two copies
                num_tried += 1
                total += max(kept, chance_of_take(after, other_once, other_twice))
        chances[index] = DISCOUNT * total / num_tried


@rule
def look_ahead(hands, chances, once, twice, after):
    """Write the chance `after` adding each kind; return the mean over all unseen cards."""
    total, num_unseen = 0.0, 0
    for kind in range(NUM_KINDS):
        bit = np.int64(1) << kind
        num_left = NUM_COPIES - ((once >> kind) & 1) - ((twice >> kind) & 1)
        if num_left > 0:
            after[kind] = chance_of(hands, chances, once | bit, twice | (once & bit))
            total += num_left * after[kind]
            num_unseen += num_left
    return total / num_unseen


@rule
def chance_of(hands, chances, once, twice):
    """The chance of any hand after its groups are discarded."""
    if has_group(once):
        once, twice = unpack(best_left(once, twice))
        if once == 0:
            return 1.0
    if not is_small(once, twice):
        return BEYOND
    return chances[np.searchsorted(hands, alike(once, twice))]


@rule
def chance_of_take(after, other_once, other_twice):
    """The mean chance after taking a card of the other hand."""
    total, size = 0.0, 0
    kinds = other_once
    while kinds != 0:
        bit = kinds & -kinds
        kinds ^= bit
        num_held = 2 if other_twice & bit else 1
        total += num_held * after[lowest_bit(bit)]
        size += num_held
    return total / size


@rule
def with_other_colours(kinds, shift):
    """The same kinds with the colours rotated by `shift` bits."""
    return ((kinds << shift) | (kinds >> (NUM_KINDS - shift))) & ALL_KINDS


def hands_of_aggressive(rng: np.ndarray) -> np.ndarray:
    """Hands [NUM_OTHERS, 2] of `aggressive` from random points of games against itself."""
    game = load_game("notty")
    (state,), (observation,) = game.new_states(1), game.new_observations(1)
    mask, others = np.zeros(game.num_mask_words, np.int64), np.zeros((NUM_OTHERS, 2), np.int64)
    collect_hands(state, observation, mask, rng, others)
    return others


@array_rule
def collect_hands(state, observation, mask, rng, others):
    """Collect one hand from each game, unless it is protected or nearly full."""
    num_found = 0
    while num_found < others.shape[0]:
        deal(state, rng)
        last_turn = EARLIEST_TURN + below(rng, LATEST_TURN - EARLIEST_TURN + 1)
        while state.turns_played < last_turn and not is_terminal(state):
            settle(state, rng)
            if not is_terminal(state):
                clear(mask)
                legal_actions(state, mask)
                observe(state, state.seat_to_act, observation)
                apply_action(state, aggressive(observation, mask, rng))
        if not is_terminal(state) and PROTECTED_SIZE < hand_size(state.hands[0]) <= LARGEST_OTHER:
            others[num_found] = state.hands[0]
            num_found += 1


if __name__ == "__main__":
    main()
