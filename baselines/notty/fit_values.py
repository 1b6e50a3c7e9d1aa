"""Learn the finisher's tables: `python -m parlour.baselines.notty.fit_values`.

One seat plays by the tables against each scripted player in turn. The chance of a class at the end
of a turn moves towards the best chance at the start of the next turn, and likewise within a turn.
This is value iteration by play that looks one action ahead through all draws and takes. A loss is
worth -1, and each turn discounts a win a little. Small hands are rare, so the seat sometimes gets a
random hand, and it sometimes explores with a random action.
"""

import argparse
import time
from pathlib import Path

import numpy as np

from ...envs.core.bits import clear, popcount, random_allowed
from ...envs.core.game import CHANCE
from ...envs.core.jit import array_rule, rule
from ...envs.core.rng import below, streams, uniform
from ...envs.notty.cards import add_card, deck_words, hand_size, has_group, nth_card, remove_card
from ...envs.notty.discard import discard_groups
from ...envs.notty.observation import observe
from ...envs.notty.rules import (
    NOTHING_YET,
    apply_action,
    deal,
    is_terminal,
    legal_actions,
    play_chance,
    seat_to_act,
)
from ...envs.registry import load_game
from .finisher import (
    LEFT_ALONE,
    NUM_SIZES,
    TABLE_SHAPE,
    VALUES_FILE,
    best_action,
    class_of,
    demands_of,
    opponent_model_of,
    smallest_other,
    unit_of,
)
from .players import aggressive, defensive, x_aggressive, x_defensive
from .small_hands import LARGEST_SMALL

LEARNER, OTHER = 0, 1  # seats
LOST = -1.0
DISCOUNT = 0.99  # per turn
EXPLORATION = 0.15  # the chance that a turn begins with a random action
TURNS_A_RANDOM_HAND = 10
LARGEST_RANDOM_HAND = 12
MAX_TRIES = 60  # to reach a hand of a given size

# Turns of the learner in a round, against defensive, aggressive, x_aggressive and x_defensive. Only
# aggressive never takes from a hand that is no larger, so only it fills the table of LEFT_ALONE.
TURNS_A_ROUND = (30_000, 200_000, 30_000, 60_000)
LEAVES_ALONE = 1
NUM_ROUNDS = 90
ROUNDS_A_LINE = 5  # rounds per printed line
# The least learning rate in the first rounds and in the rest.
FIRST_RATE, LAST_RATE, FIRST_RATE_FRACTION = 0.02, 0.002, 0.6
SEED = 3

# The learner remembers where the tables hold the end of its last turn (opponent model, phase and
# class), and the unit there. At first there is no such place.
NOWHERE = (0, 0, -1)


def main() -> None:
    """Learn the table and write it to a file."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument(
        "--rounds", type=int, default=NUM_ROUNDS, help="rounds to learn, of 320,000 turns each"
    )
    parser.add_argument("--seed", type=int, default=SEED, help="seed of the games")
    parser.add_argument("--to", type=Path, default=VALUES_FILE, help="the file to write")
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error(f"--rounds must be at least 1; got {arguments.rounds}")
    if not arguments.to.parent.is_dir():
        parser.error(f"--to: there is no folder {arguments.to.parent}")
    start = time.process_time()
    np.save(arguments.to, learn_values(arguments.rounds, arguments.seed))
    print(f"{arguments.to}: {time.process_time() - start:.0f} seconds of processor time")


def learn_values(num_rounds: int, seed: int = SEED) -> np.ndarray:
    """Return the tables [2, 3, classes], float32, after `num_rounds` against each player."""
    game = load_game("notty")
    learned = first_values(), np.zeros(TABLE_SHAPE, np.int64), np.zeros(TABLE_SHAPE)
    states = [game.new_states(1) for _ in TURNS_A_ROUND]
    rngs = streams(range(seed, seed + len(TURNS_A_ROUND)))
    observations, masks = game.new_observations(1), np.zeros((1, game.num_mask_words), np.int64)
    for state, rng in zip(states, rngs, strict=True):
        deal(state[0], rng)
    for index in range(num_rounds):
        rate = FIRST_RATE if index < FIRST_RATE_FRACTION * num_rounds else LAST_RATE
        for other, turns in enumerate(TURNS_A_ROUND):
            place = states[other][0], observations[0], masks[0], rngs[other]
            learn_turns(learned, *place, other, turns, rate)
        if (index + 1) % ROUNDS_A_LINE == 0:
            print(f"{index + 1} of {num_rounds} rounds", flush=True)
    return learned[0].astype(np.float32)


def first_values() -> np.ndarray:
    """All chances are 0, except the factors of small hands against non-takers, which are 1."""
    values = np.zeros(TABLE_SHAPE)
    by_size = values[LEFT_ALONE].reshape(TABLE_SHAPE[1], NUM_SIZES, -1)
    by_size[:, 1 : LARGEST_SMALL + 1] = 1.0
    return values


@array_rule
def learn_turns(learned, state, observation, mask, rng, other, num_turns, rate):
    """Play `num_turns` turns of the learner, game after game, and learn from them.

    `learned` are the tables, the visits of each place, and the mean square of its scale.
    """
    place, unit, num_played = NOWHERE, 1.0, 0
    while num_played < num_turns:
        settle(state, rng)
        if is_terminal(state):
            if state.winner == OTHER:
                move_towards(learned, place, unit, LOST, rate)
            place = NOWHERE
            deal(state, rng)
            continue
        clear(mask)
        legal_actions(state, mask)
        if state.seat_to_act == OTHER:
            observe(state, OTHER, observation)
            apply_action(state, action_of(other, observation, mask, rng))
            continue
        learn_action(learned, state, mask, rng, other, place, unit, rate)
        settle(state, rng)
        if state.seat_to_act == OTHER and not is_terminal(state):
            num_played += 1
            if below(rng, TURNS_A_RANDOM_HAND) == 0:
                give_random_hand(state, rng)
            place, unit = own_place(state, NOTHING_YET, other)


@rule
def settle(state, rng):
    """Let chance act until a seat has to, or the game is over."""
    while seat_to_act(state) == CHANCE and not is_terminal(state):
        play_chance(state, rng)


@rule
def action_of(other, observation, mask, rng):
    """The action of one of the scripted players."""
    if other == 0:
        return defensive(observation, mask, rng)
    if other == LEAVES_ALONE:
        return aggressive(observation, mask, rng)
    if other == 2:
        return x_aggressive(observation, mask, rng)
    return x_defensive(observation, mask, rng)


@array_rule
def learn_action(learned, state, mask, rng, other, place, unit, rate):
    """Play one action of the learner; its chance is the target for the position before it."""
    hands = np.empty((3, 2), np.int64)
    passes = np.empty(2, np.int64)
    look(state, hands, passes)
    opponent_model = opponent_model_of(state.turns_played, state.takes)
    action, chance = best_action(learned[0], opponent_model, mask, hands, state.phase, passes, rng)
    if state.phase != NOTHING_YET:
        place, unit = own_place(state, state.phase, other)
        move_towards(learned, place, unit, chance, rate)
    else:
        move_towards(learned, place, unit, DISCOUNT * chance, rate)
        if uniform(rng) < EXPLORATION:
            action = random_allowed(mask, rng)
    apply_action(state, action)


@rule
def move_towards(learned, place, unit, target, rate):
    """Move a value to the least-squares fit of its scaled targets, at least at `rate`."""
    if place == NOWHERE:
        return
    values, visits, squares = learned
    visits[place] += 1
    step = max(rate, 1 / visits[place])
    squares[place] += step * (unit * unit - squares[place])
    values[place] += step * unit * (target - unit * values[place]) / squares[place]


@array_rule
def own_place(state, phase, other):
    """The place of the learner's position in the tables, and the unit there.

    NOWHERE while an opponent that takes cards has not taken any yet.
    """
    hands = np.empty((3, 2), np.int64)
    passes = np.empty(2, np.int64)
    look(state, hands, passes)
    once, twice = hands[0, 0], hands[0, 1]
    opponent_model = opponent_model_of(state.turns_played, state.takes)
    if opponent_model == LEFT_ALONE and other != LEAVES_ALONE:
        return NOWHERE, 1.0
    index = class_of(once, twice, hands, smallest_other(hands), demands_of(hands, passes))
    return (np.int64(opponent_model), np.int64(phase), index), unit_of(opponent_model, once, twice)


@array_rule
def look(state, hands, passes):
    """Read the hands, the learner's first and the deck last, and the passes in a row."""
    hands[:2] = state.hands
    hands[2, 0], hands[2, 1] = deck_words(state.hands)
    passes[:] = state.passes


@rule
def give_random_hand(state, rng):
    """Add and remove cards until the learner's hand has a random size, or tries run out."""
    hand = state.hands[LEARNER]
    target_size = 1 + below(rng, LARGEST_RANDOM_HAND)
    for _ in range(MAX_TRIES):
        size = hand_size(hand)
        if size == target_size:
            break
        if size > target_size:
            remove_card(hand, nth_card(hand[0], hand[1], below(rng, size)))
            continue
        once, twice = deck_words(state.hands)
        add_card(hand, nth_card(once, twice, below(rng, popcount(once) + popcount(twice))))
        if has_group(hand[0]):
            discard_groups(hand)
        if hand[0] == 0:
            add_card(hand, nth_card(once, twice, 0))


if __name__ == "__main__":
    main()
