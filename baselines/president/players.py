"""Players of President, weakest first: scripts, and a search that solves endgames exactly."""

import dataclasses
from typing import Any

import numpy as np

from ...envs.core.bits import is_allowed, nth_allowed, num_allowed
from ...envs.core.compile import array_rule, rule
from ...envs.core.game import NO_ACTION, Game
from ...envs.president.rules import GIVE, NUM_RANKS, NUM_SUITS, PASS
from ..players.tuned import Weights, record_of
from ..policies.policy import Policy, compiled_policy
from ..policies.roster import Player, check_player_settings, scripted, searching
from ..search.mcts import playout
from .exact_player import is_solved, perfect
from .solver import Solver

FIRST_SAVED_RANK = NUM_RANKS - 2
SAVES_ABOVE = 6  # cards in hand; with this many or fewer a hoarder saves nothing
# Cheaper than playouts by the planner, equally strong against those, stronger against `lowest`.
PLAYOUTS = {"playout_policy": "lowest", "epsilon": 0.3}
SOLVE_FROM = 30  # cards in both hands; takes 5 ms per position on average


@rule
def lowest(observation, mask, rng):
    """Play the lowest legal rank with as many cards as possible; pass only if necessary.

    Gives back its lowest card.
    """
    first = nth_allowed(mask, 0)
    if first == PASS:
        if num_allowed(mask) == 1:
            return PASS
        first = nth_allowed(mask, 1)
    if first >= GIVE:
        return first
    return most_of_rank(mask, first)


@rule
def most_of_rank(mask, action):
    """The largest legal play of the same rank as `action`, which must be legal."""
    last_of_rank = ((action - 1) | 3) + 1
    while action < last_of_rank and is_allowed(mask, action + 1):
        action += 1
    return action


@rule
def set_keeper(observation, mask, rng):
    """Play like `lowest`, but follow with a whole set if possible; break one only if necessary."""
    for index in range(num_allowed(mask)):
        action = nth_allowed(mask, index)
        if is_whole_set(observation, action):
            return action
    return lowest(observation, mask, rng)


@rule
def is_whole_set(observation, action):
    """Whether an action plays all cards of a rank in the hand."""
    if action == PASS or action >= GIVE:
        return False
    return observation.hand[(action - 1) >> 2] == ((action - 1) & 3) + 1


@rule
def hoarder(observation, mask, rng):
    """Keep sets together and save the top two ranks until the hand has six cards; else pass."""
    is_saving = observation.hand_sizes[0] > SAVES_ABOVE
    for index in range(num_allowed(mask)):
        action = nth_allowed(mask, index)
        is_saved = is_saving and (action - 1) >> 2 >= FIRST_SAVED_RANK
        if is_whole_set(observation, action) and not is_saved:
            return action
    if is_allowed(mask, PASS):
        return PASS
    return lowest(observation, mask, rng)


# The planner values the hand that an action leaves. `fit/planner.py` tunes these weights. The last
# index of the tables is a weakness: how many unseen sets may beat a set.
WEAKNESS = np.array([0, 1, 2, 3, 4, 4, 5, 5, 5, 5])  # by the number of ranks that may beat it
WEIGHTS: Weights = {
    "cost_of_group": np.array(  # of one card, of two, of three or four
        [
            [-0.23, 0.58, 0.96, 1.08, 1.56, 2.07],
            [-0.74, -0.31, 0.48, 0.72, 1.36, 2.38],
            [-0.42, 0.91, 1.68, 2.11, 2.30, 0.85],
        ]
    ),
    "answer": np.array([0.31, 0.45, 0.57, 0.85, 0.95, 0.79]),
    "lead": np.array([-0.18, -0.31, -0.29, -0.38, -0.29, 0.01]),
    "passing": np.array([-1.53, -1.42, -1.17]),  # by the danger
    "card_led_in_danger": 0.54,
    "breaking_a_set": 0.94,  # a cost
    "weak_groups": np.array([1.41, 1.41, 0.56]),  # with none, one or two left
}
VALUE_OF_RUNNING_HOME = 50.0  # an unbeatable play that leaves at most one weak group; it wins
VALUE_OF_GOING_OUT = 100.0
_PLANNER = record_of(WEIGHTS)


@rule
def planner(observation, mask, rng):
    """Play so that the fewest sets remain that unseen cards can beat, by a table of weights.

    Gives back its lowest card.
    """
    return plan(_PLANNER[0], observation, mask, rng)


@array_rule
def plan(weights, observation, mask, rng):
    """Play as the planner with these weights."""
    first = nth_allowed(mask, 0)
    if first >= GIVE:
        return first
    weakness = weakness_of_sets(observation)
    danger = danger_of(observation)
    best = first
    best_value = -np.inf
    for index in range(num_allowed(mask)):
        action = nth_allowed(mask, index)
        value = value_of_action(weights, observation, action, weakness, danger)
        if value > best_value:
            best = action
            best_value = value
    return best


@array_rule
def weakness_of_sets(observation):
    """[count, rank]: the number of higher ranks with `count` unseen cards, in coarse steps."""
    weakness = np.zeros((NUM_SUITS + 1, NUM_RANKS), np.int64)
    ranks_above = np.zeros(NUM_SUITS + 1, np.int64)
    for rank in range(NUM_RANKS - 1, -1, -1):
        unseen = NUM_SUITS - observation.hand[rank] - observation.played[rank]
        for count in range(1, NUM_SUITS + 1):
            weakness[count, rank] = WEAKNESS[ranks_above[count]]
            if unseen >= count:
                ranks_above[count] += 1
    return weakness


@rule
def danger_of(observation):
    """2 if another seat holds one card, 1 if one holds at most three, else 0."""
    danger = 0
    for seat in range(1, observation.hand_sizes.shape[0]):
        if observation.hand_sizes[seat] == 1:
            return 2
        if 1 < observation.hand_sizes[seat] <= 3:
            danger = 1
    return danger


@rule
def value_of_action(weights, observation, action, weakness, danger):
    """The value of a pass or play, including the hand that it leaves."""
    if action == PASS:
        rest = value_of_rest(weights, observation, weakness, -1, 0, False)
        return weights.passing[danger] + rest
    rank = (action - 1) >> 2
    count = ((action - 1) & 3) + 1
    weak = weakness[count, rank]
    value = value_of_rest(weights, observation, weakness, rank, count, weak == 0)
    if observation.table_count > 0:
        value += weights.answer[weak]
    else:
        value += weights.lead[weak]
        if danger > 0:
            value += weights.card_led_in_danger * count
    if count < observation.hand[rank]:
        value -= weights.breaking_a_set
    return value


@rule
def value_of_rest(weights, observation, weakness, played_rank, played_count, is_safe):
    """The value of the hand without the cards played."""
    value = 0.0
    num_groups = 0
    num_weak = 0
    for rank in range(NUM_RANKS):
        count = observation.hand[rank] - (played_count if rank == played_rank else 0)
        if count > 0:
            num_groups += 1
            num_weak += weakness[count, rank] > 0
            value -= weights.cost_of_group[min(count, 3) - 1, weakness[count, rank]]
    if num_groups == 0:
        return VALUE_OF_GOING_OUT
    if num_weak < weights.weak_groups.shape[0]:
        value += weights.weak_groups[num_weak]
    if num_weak <= 1 and is_safe:
        value += VALUE_OF_RUNNING_HOME
    return value


def playout_exact(game: Game, **settings: Any) -> Policy:
    """With two seats win by exact search if possible; otherwise play as `playout`.

    It solves positions with at most 30 cards in both hands; `settings` are those of
    `playout`. With more seats the hands are hidden and nothing can be solved.
    """
    check_player_settings("playout_exact", playout, settings)
    search = playout(game, **{**PLAYOUTS, **settings})
    if game.num_seats > 2:
        return dataclasses.replace(search, name="playout_exact")
    solver = Solver(game)

    def choose(
        observations: np.ndarray, action_masks: np.ndarray, rngs: np.ndarray, positions: np.ndarray
    ) -> np.ndarray:
        actions = solver.winning_actions(observations, action_masks, SOLVE_FROM)
        rest = actions == NO_ACTION
        own_rngs = rngs[rest]  # a copy: written back below
        actions[rest] = search(observations[rest], action_masks[rest], own_rngs, positions[rest])
        rngs[rest] = own_rngs
        return actions

    return Policy("playout_exact", game, choose, needs_positions=True)


def _perfect(game: Game) -> Policy:
    return perfect(game, compiled_policy("planner", game, planner))


PLAYERS = {
    "hoarder": scripted(hoarder),
    "lowest": scripted(lowest),
    "set_keeper": scripted(set_keeper),
    "planner": scripted(planner),
    "playout_exact": searching(playout_exact),
    "perfect": Player(
        _perfect, "Perfect play of two-seat games by exact search.", plays=is_solved, kind="solver"
    ),
}


def strongest(game: Game) -> tuple[str, ...]:
    """Name the strongest players head to head, the strongest first."""
    return "perfect", "ppo", "dqn", "planner"


def searches(game: Game) -> tuple[str, ...]:
    """Name the searches of the league, at about 2 ms a move."""
    return ("playout_exact:num_playouts=100",)
