"""Learn the finisher's tables: `python -m parlour.baselines.notty.fit.values`.

One seat plays by the tables: with two seats against each scripted player in turn, with more against
a mixture of them and itself. This is temporal-difference learning of afterstates: the value of a
class after an action moves towards the best value at the seat's next action, found one action ahead
over all draws and takes. Each turn discounts a win a little. A loss to a single opponent is worth
-1; where several play, somebody else often wins, and it is worth 0. Small hands are rare, so the
seat sometimes gets a random hand, and it sometimes explores with a random action. The table of the
last turn holds the mean chance to win by the second action of a turn, at any time in the games with
two seats.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ....envs.core.bits import clear, popcount, random_allowed
from ....envs.core.compile import array_rule, rule
from ....envs.core.game import CHANCE
from ....envs.core.rng import below, streams, uniform
from ....envs.notty.cards import add_card, deck_words, hand_size, has_group, nth_card, remove_card
from ....envs.notty.discard import discard_groups
from ....envs.notty.observation import observe
from ....envs.notty.rules import (
    NOTHING_YET,
    SEAT_COUNTS,
    apply_action,
    deal,
    is_terminal,
    legal_actions,
    play_chance,
    seat_to_act,
)
from ....envs.registry import load_game
from ..finisher import (
    LAST_TURN,
    LEFT_ALONE,
    NUM_SIZES,
    TABLE_SHAPE,
    TAKEN_FROM,
    VALUES_FILE,
    best_turn_action,
    class_of,
    demands_of,
    load_values,
    opponent_model_of,
    smallest_other,
    unit_of,
)
from ..players import aggressive, defensive, hands_of, x_aggressive, x_defensive
from ..small_hands import LARGEST_SMALL

LEARNER = 0  # its seat
LOST = -1.0  # to a single opponent
DISCOUNT = 0.99  # per turn
EXPLORATION = 0.15  # the chance that a turn begins with a random action
TURNS_A_RANDOM_HAND = 10
LARGEST_RANDOM_HAND = 12
MAX_TRIES = 60  # to reach a hand of a given size

DEFENSIVE, AGGRESSIVE, X_AGGRESSIVE, X_DEFENSIVE, ITSELF = range(5)  # the other players


class Opposition(NamedTuple):
    """Each other seat draws one of `players` for each game; the learner's `turns` in a round."""

    players: tuple[int, ...]
    turns: int


# Only aggressive never takes from a hand that is no larger, so only it fills the table of
# LEFT_ALONE. That table is the same for all numbers of seats.
_MIXED = Opposition((*[X_DEFENSIVE] * 6, *[ITSELF] * 2, X_AGGRESSIVE, DEFENSIVE), 40_000)
OPPOSITIONS = {
    2: (
        Opposition((DEFENSIVE,), 30_000),
        Opposition((AGGRESSIVE,), 200_000),
        Opposition((X_AGGRESSIVE,), 30_000),
        Opposition((X_DEFENSIVE,), 60_000),
    ),
    3: (_MIXED,),
    4: (_MIXED,),
}
NUM_ROUNDS = 90
ROUNDS_A_LINE = 5  # rounds per printed line
# The least learning rate in the first rounds and in the rest.
FIRST_RATE, LAST_RATE, FIRST_RATE_FRACTION = 0.02, 0.002, 0.6
SEED = 3
SEEDS_A_COUNT = 10  # for each number of seats, one for each opposition


class RunningGame(NamedTuple):
    """The learner's game under way against an opposition, and scratch: arrays of one."""

    states: np.ndarray
    rngs: np.ndarray
    last_rngs: np.ndarray  # draws for the table of the last turn; all matches have the same
    observations: np.ndarray
    masks: np.ndarray  # int64 [1, W]


# The learner keeps the table index of the afterstate of its last turn (opponent model, phase and
# class) and the factor of its value there. Before the first turn the index is NOWHERE.
NOWHERE = (0, 0, -1)


def main() -> None:
    """Learn the tables and write them to a file."""
    write_table(main.__doc__, VALUES_FILE, learn_values)


def write_table(about: str | None, file: Path, compute: Callable[[], np.ndarray]) -> None:
    """Compute a table and write it to the file that the option `--to` names, by default `file`."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--to", type=Path, default=file, help="the file to write")
    arguments = parser.parse_args()
    if not arguments.to.parent.is_dir():
        parser.error(f"--to: there is no folder {arguments.to.parent}")
    start = time.process_time()
    np.save(arguments.to, compute())
    print(f"{arguments.to}: {time.process_time() - start:.0f} seconds of processor time")


def learn_values(
    num_rounds: int = NUM_ROUNDS, seat_counts: Sequence[int] = SEAT_COUNTS
) -> np.ndarray:
    """Return the tables [5, 3, classes], float32, after `num_rounds` for each number of seats."""
    values = load_values().astype(np.float64)
    learned = values, np.zeros(TABLE_SHAPE, np.int64), np.zeros(TABLE_SHAPE)
    for num_seats in sorted(seat_counts):
        if num_seats == 2:
            changed = [LEFT_ALONE, TAKEN_FROM, LAST_TURN]
            values[changed] = first_values()[changed]
        else:
            values[num_seats - 1] = values[TAKEN_FROM]  # learned against a single opponent
        learn_seats(learned, num_seats, num_rounds)
    return values.astype(np.float32)


def learn_seats(learned: tuple[np.ndarray, ...], num_seats: int, num_rounds: int) -> None:
    """Learn in games of `num_seats`."""
    game, oppositions = load_game("notty", num_players=num_seats), OPPOSITIONS[num_seats]
    first = SEED + SEEDS_A_COUNT * (num_seats - SEAT_COUNTS[0])
    rngs = streams(range(first, first + len(oppositions) + 1))
    scratch = game.new_observations(), np.zeros((1, game.num_mask_words), np.int64)
    matches = [
        RunningGame(game.new_states(), rngs[index : index + 1], rngs[-1:], *scratch)
        for index in range(len(oppositions))
    ]
    players = np.zeros(num_seats, np.int64)
    for match in matches:
        deal(match.states[0], match.rngs[0])
    for index in range(num_rounds):
        rate = FIRST_RATE if index < FIRST_RATE_FRACTION * num_rounds else LAST_RATE
        for opposition, match in zip(oppositions, matches, strict=True):
            others, num_turns = np.array(opposition.players), opposition.turns
            learn_turns(learned, match, others, players, num_turns, rate)
        if (index + 1) % ROUNDS_A_LINE == 0:
            print(f"{num_seats} seats: {index + 1} of {num_rounds} rounds", flush=True)


def first_values() -> np.ndarray:
    """All chances are 0, except the factors of small hands that are LEFT_ALONE, which are 1."""
    values = np.zeros(TABLE_SHAPE)
    by_size = values[LEFT_ALONE].reshape(TABLE_SHAPE[1], NUM_SIZES, -1)
    by_size[:, 1 : LARGEST_SMALL + 1] = 1.0
    return values


@array_rule
def learn_turns(learned, match, opposition, players, num_turns, rate):
    """Play `num_turns` turns of the learner, game after game, and learn from them.

    `learned` are the tables, the visits of each place, and the mean square of its unit. `players`
    [seats] are drawn from `opposition` for each game.
    """
    state, rng = match.states[0], match.rngs[0]
    observation, mask = match.observations[0], match.masks[0]
    place, unit, num_played = NOWHERE, 1.0, 0
    num_seats = players.shape[0]
    draw_opponents(opposition, players, rng)
    while num_played < num_turns:
        settle(state, rng)
        if is_terminal(state):
            if state.winner > LEARNER:
                lost = LOST if state.hands.shape[0] == 2 else 0.0
                move_towards(learned, place, unit, lost, rate)
            place = NOWHERE
            deal(state, rng)
            draw_opponents(opposition, players, rng)
            continue
        clear(mask)
        legal_actions(state, mask)
        seat = state.seat_to_act
        if seat != LEARNER:
            observe(state, seat, observation)
            apply_action(state, opponent_action(players[seat], learned[0], observation, mask, rng))
            continue
        if num_seats == 2:
            learn_last_turn(learned, state, mask, match.last_rngs[0])
        learn_action(learned, state, mask, rng, opposition, place, unit, rate)
        settle(state, rng)
        if state.seat_to_act != LEARNER and not is_terminal(state):
            num_played += 1
            if below(rng, TURNS_A_RANDOM_HAND) == 0:
                give_random_hand(state, rng)
            place, unit = own_place(state, NOTHING_YET, opposition)


@rule
def draw_opponents(opposition, players, rng):
    """Draw the other players of a game; where there is no choice, without a random number."""
    num_choices = opposition.shape[0]
    for seat in range(LEARNER + 1, players.shape[0]):
        players[seat] = opposition[0 if num_choices == 1 else below(rng, num_choices)]


@rule
def settle(state, rng):
    """Let chance act until a seat has to, or the game is over."""
    while seat_to_act(state) == CHANCE and not is_terminal(state):
        play_chance(state, rng)


@array_rule
def opponent_action(player, tables, observation, mask, rng):
    """The action of another player; ITSELF plays by the tables learned so far."""
    if player == DEFENSIVE:
        return defensive(observation, mask, rng)
    if player == AGGRESSIVE:
        return aggressive(observation, mask, rng)
    if player == X_AGGRESSIVE:
        return x_aggressive(observation, mask, rng)
    if player == X_DEFENSIVE:
        return x_defensive(observation, mask, rng)
    opponent_model = opponent_model_of(observation.turns_played, observation.takes)
    hands, passes = hands_of(observation), observation.passes
    return best_turn_action(
        tables[opponent_model], opponent_model, mask, hands, observation.phase, passes, rng
    )[0]


@array_rule
def learn_action(learned, state, mask, rng, opposition, place, unit, rate):
    """Play one action of the learner; its chance is the target for the position before it."""
    hands = look(state)
    opponent_model = opponent_model_of(state.turns_played, state.takes)
    action, chance = best_turn_action(
        learned[0][opponent_model], opponent_model, mask, hands, state.phase, state.passes, rng
    )
    if state.phase != NOTHING_YET:
        place, unit = own_place(state, state.phase, opposition)
        move_towards(learned, place, unit, chance, rate)
    else:
        move_towards(learned, place, unit, DISCOUNT * chance, rate)
        if uniform(rng) < EXPLORATION:
            action = random_allowed(mask, rng)
    apply_action(state, action)


@array_rule
def learn_last_turn(learned, state, mask, rng):
    """Before a turn's second action, add its chance to win at once to the mean of its class."""
    if state.phase == NOTHING_YET:
        return
    hands, passes = look(state), state.passes
    chance = best_turn_action(
        learned[0][LAST_TURN], LAST_TURN, mask, hands, state.phase, passes, rng
    )[1]
    smallest, demands = smallest_other(hands), demands_of(hands, passes)
    index = class_of(hands[0, 0], hands[0, 1], hands, smallest, demands)
    move_towards(learned, (np.int64(LAST_TURN), np.int64(state.phase), index), 1.0, chance, 0.0)


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
def own_place(state, phase, opposition):
    """The table index of the learner's position, and the factor of its value there (`unit_of`).

    NOWHERE while an opponent that takes cards has not taken any yet.
    """
    hands = look(state)
    once, twice = hands[0, 0], hands[0, 1]
    opponent_model = opponent_model_of(state.turns_played, state.takes)
    if opponent_model == LEFT_ALONE and opposition[0] != AGGRESSIVE:
        return NOWHERE, 1.0
    index = class_of(once, twice, hands, smallest_other(hands), demands_of(hands, state.passes))
    return (np.int64(opponent_model), np.int64(phase), index), unit_of(opponent_model, once, twice)


@array_rule
def look(state):
    """The hands as words, the learner's first and the deck last."""
    num_seats = state.hands.shape[0]
    hands = np.empty((num_seats + 1, 2), np.int64)
    hands[:num_seats] = state.hands
    hands[num_seats, 0], hands[num_seats, 1] = deck_words(state.hands)
    return hands


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
