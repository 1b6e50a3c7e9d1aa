"""A search for trick-taking with hidden hands: re-deal them, look ahead, solve the end.

Every legal card is tried in the same re-deals (Ginsberg 2001), and the values of the re-deals are
averaged. Below the root grows a tree, guided by a network or, as in `mcts`, by playouts. It ends at
the tricks that are solved, where every seat plays for itself with all hands open (`open_hands`).
"""

import dataclasses
import threading
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...envs.core.bits import clear, random_allowed
from ...envs.core.game import Function, Game, check_range
from ...envs.core.jit import bind, rule
from ...envs.core.rng import uniform
from ..networks.learned import guide_network, shipped_checkpoints
from ..objective import weigh_first_place
from ..policy import Policy, Search, searching_policy
from ..search import guided, halving
from ..search.mcts import (
    EXPANSION_THRESHOLD,
    EXPLORATION_CONSTANT,
    expand,
    is_leaf,
    keep_all,
    most_nodes,
    select_template,
)
from ..search.playout import (
    EPSILON,
    MAX_BUDGET,
    Scratch,
    check_epsilon,
    checked_budget,
    determinize_template,
    meanings_for,
    playing,
    playout_player,
)
from ..search.tree import ROOT, Tree, backpropagate
from .open_hands import MAX_TRICKS, OpenHands, solve

NAME = "max_n"
SOLVED_TRICKS = 3
NUM_CONSIDERED, NUM_DETERMINIZATIONS = 16, 32
VALUE_SCALE = 0.1  # low: the network's own choice stands unless another is clearly better
FIRST_PLACE_WEIGHT = 0.5


class Settings(NamedTuple):
    """The numbers that steer a simulation; see `max_n`."""

    solved_tricks: int
    epsilon: float
    first_place_weight: float
    exploration_constant: float = EXPLORATION_CONSTANT
    expansion_threshold: int = EXPANSION_THRESHOLD


def max_n(
    game: Game,
    num_simulations: int | None = None,
    milliseconds: float | None = None,
    solved_tricks: int = SOLVED_TRICKS,
    network: str | None = None,
    playout_policy: str | None = None,
    epsilon: float = EPSILON,
    first_place_weight: float = FIRST_PLACE_WEIGHT,
) -> Policy:
    """Re-deals the hidden hands, looks ahead, and solves the last tricks with open hands by max^n.

    A move takes `num_simulations` (400 by default) or `milliseconds`. The last `solved_tricks` of a
    game are solved. Before them a checkpoint, `network`, guides the search as in `guided`; the
    default is the network `ppo` that ships for the game. Where there is none, or with a
    `playout_policy`, the search is that of `mcts`, and this player plays on from its leaves, at
    random with probability `epsilon`. The value of a position is the return and, with
    `first_place_weight`, 1 for the first place and -1 for any other; so are the values of cards.

    Raises ValueError for a value out of range and for a checkpoint that does not fit.
    """
    budget = checked_budget(NAME, "num_simulations", num_simulations, milliseconds)
    check_epsilon(epsilon)
    if not 0 <= first_place_weight <= 1:
        raise ValueError(f"first_place_weight must be in 0 .. 1; got {first_place_weight!r}")
    hands = OpenHands.empty(game)
    check_range("solved_tricks", solved_tricks, 1, MAX_TRICKS[game.num_seats])
    if network is not None and playout_policy is not None:
        raise ValueError("a search with a network has no playout_policy")
    if network is None and playout_policy is None:
        network = _shipped_network(game)
    settings = Settings(solved_tricks, float(epsilon), float(first_place_weight))
    if network is not None:
        policy = _with_network(game, network, settings, hands, budget, milliseconds)
    else:
        search = _with_playouts(game, playout_policy, settings, hands, budget, milliseconds)
        policy = searching_policy(NAME, game, search)
    lock = threading.Lock()  # threads must not share the memory
    assert policy.values is not None
    return dataclasses.replace(
        policy, choose=_alone(policy.choose, lock), values=_alone(policy.values, lock)
    )


def _shipped_network(game: Game) -> str | None:
    path = shipped_checkpoints(game).get("ppo")
    return None if path is None else str(path)


def _alone(function: Callable[..., np.ndarray], lock: threading.Lock) -> Callable[..., np.ndarray]:
    def run(*inputs: np.ndarray) -> np.ndarray:
        with lock:
            return function(*inputs)

    return run


# With a network


def _with_network(
    game: Game,
    network: str,
    settings: Settings,
    hands: OpenHands,
    budget: int,
    milliseconds: float | None,
) -> Policy:
    how = guided.Settings(
        budget,
        NUM_CONSIDERED,
        NUM_DETERMINIZATIONS,
        guided.PUCT_CONSTANT,
        gumbel_scale=0.0,
        value_scale=VALUE_SCALE,
    )
    guide, memory = guide_network(network, game), (hands, settings)
    return guided.guided_policy(NAME, game, guide, how, milliseconds, solve_end, memory)


@rule
def solve_end(state, memory, values):
    """Fill the values of all seats and return True where few enough tricks are left."""
    hands, settings = memory
    if state.tricks_left > settings.solved_tricks:
        return False
    value_tricks(hands, state, values)
    worth_of(values, settings.first_place_weight)
    return True


# Without a network: a tree and playouts


def _with_playouts(
    game: Game,
    playout_policy: str | None,
    settings: Settings,
    hands: OpenHands,
    budget: int,
    milliseconds: float | None,
) -> Search:
    tree = Tree.empty(min(most_nodes(game, budget, milliseconds), MAX_BUDGET))
    tree_search = _TreeSearch(game, playout_policy, settings, hands, tree)

    def search(
        observations: np.ndarray, masks: np.ndarray, rngs: np.ndarray, positions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        actions, values = np.empty(len(masks), np.int64), np.empty(masks.shape)
        for one in halving.single_rows(len(masks)):
            actions[one], values[one] = tree_search.choose(
                masks[one], rngs[one], positions[one], budget, milliseconds
            )
        return actions, values

    return search


class _TreeSearch:
    """The compiled simulations of one game, and the tree that they grow."""

    def __init__(
        self,
        game: Game,
        playout_policy: str | None,
        settings: Settings,
        hands: OpenHands,
        tree: Tree,
    ) -> None:
        row_function, weights = playout_player(game, playout_policy)
        self._game, self._tree = game, tree
        self._what = tree, settings, Scratch.empty(game, weights), hands
        self._search = _bind_search(
            playing(row_function, weights), tuple(meanings_for(game, row_function).items())
        )

    def choose(
        self,
        mask: np.ndarray,
        rng: np.ndarray,
        position: np.ndarray,
        budget: int,
        milliseconds: float | None,
    ) -> tuple[int, np.ndarray]:
        """Return the action at the one position, and the mean worth of all [A]."""
        alive, same_as = mask.astype(np.int8), np.arange(mask.shape[1])
        merge_touching(position[0], alive[0], same_as)
        self._tree.clear()
        if alive.sum() == 1:  # no choice, but a value
            self.simulate(position, rng, alive, np.ones(1, np.int64), np.zeros(alive.shape))
            action = int(alive[0].argmax())
        else:
            action = int(
                halving.choose(self.simulate, alive, rng, position, budget, milliseconds)[0]
            )
        return action, self._tree.action_values(self._game.num_actions)[same_as]

    def simulate(
        self,
        positions: np.ndarray,
        rngs: np.ndarray,
        alive: np.ndarray,
        rounds: np.ndarray,
        sums: np.ndarray,
    ) -> None:
        """Simulate the live actions of a batch of one; see `halving.Simulate`."""
        self._search(positions[0], rngs[0], alive[0], rounds[0], sums[0], *self._what)


@lru_cache
def _bind_search(choose: Function, meanings: tuple[tuple[str, Function], ...]) -> Function:
    rules = dict(meanings)
    determinize = bind(determinize_template, **rules)
    select = bind(select_template, choose=choose, shorten=keep_all, **rules)
    play_on = bind(_play_on, choose=choose, **rules)
    simulate = bind(_simulate, select=select, play_on=play_on, **rules)
    return bind(_search, determinize=determinize, simulate=simulate, **rules)


def _search(position, rng, alive, rounds, sums, tree, settings, scratch, hands):
    """Simulate live actions [A] in each of `rounds` re-deals; add their worth to sums [A]."""
    states, streams = scratch.states, scratch.rngs
    seat = np.int64(seat_to_act(position))
    for _ in range(rounds):
        determinize(position, seat, rng, states, streams, 0)
        for action in range(alive.shape[0]):
            if alive[action] != 0:
                states[1] = states[0]
                streams[1] = streams[0]
                simulate(states[1], streams[1], seat, action, tree, settings, scratch, hands)
                sums[action] += scratch.values[seat]


def _simulate(state, rng, own_seat, action, tree, settings, scratch, hands):
    """Simulate one action of the root; `scratch.values` then holds its worth to each seat."""
    node = expand(tree, 0, ROOT, action, own_seat)
    length = 1
    apply_action(state, action)
    while state.tricks_left > settings.solved_tricks and not is_leaf(tree, node, length, settings):
        seat = np.int64(seat_to_act(state))
        action = select(state, rng, seat, tree, node, settings, scratch)
        node = expand(tree, length, node, action, seat)
        length += 1
        apply_action(state, action)
    play_on(state, rng, settings, scratch)
    value_tricks(hands, state, scratch.values)
    worth_of(scratch.values, settings.first_place_weight)
    backpropagate(tree, length, scratch.values)


def _play_on(state, rng, settings, scratch):
    """Let the playouts' player act for all seats until the tricks left are solved."""
    while state.tricks_left > settings.solved_tricks:
        clear(scratch.words)
        legal_actions(state, scratch.words)
        if settings.epsilon > 0.0 and uniform(rng) < settings.epsilon:
            action = random_allowed(scratch.words, rng)
        else:
            observe(state, seat_to_act(state), scratch.observation[0])
            action = choose(scratch, rng)
        apply_action(state, action)


@rule
def value_tricks(hands, state, out):
    """Write the tricks that each seat will have at the end into out [seats]."""
    if state.tricks_left > 0:
        solve(hands, state, out)
    else:
        out[:] = 0.0
    for seat in range(out.shape[0]):
        out[seat] += state.tricks_won[seat]


@rule
def worth_of(tricks, first_place_weight):
    """Turn the tricks of all seats into what they are worth."""
    num_seats, total = tricks.shape[0], 0.0
    for seat in range(num_seats):
        total += tricks[seat]
    for seat in range(num_seats):
        tricks[seat] = (num_seats * tricks[seat] / total - 1.0) / (num_seats - 1)
    weigh_first_place(tricks, first_place_weight)


@rule
def merge_touching(state, alive, same_as):
    """Keep one of the cards that touch: those of the seat to act with no card left between.

    Fill same_as [A] with the card that stands for each.
    """
    seat = np.int64(state.seat_to_act)
    num_seats, num_values = state.dealt.shape
    for colour in range(num_seats):
        others = state.table[colour]
        for other in range(num_seats):
            if other != seat:
                others |= state.hands[other, colour]
        lowest = np.int64(-1)
        for value in range(num_values):
            card = colour * num_values + value
            if others >> value & 1:
                lowest = -1
            elif alive[card] != 0:
                if lowest >= 0:
                    alive[card] = 0
                    same_as[card] = lowest
                else:
                    lowest = card
