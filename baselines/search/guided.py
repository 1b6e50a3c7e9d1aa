"""Tree search for any game, guided by a network: its policy is the prior, its value the leaf's.

Each simulation starts from one of a few determinized positions in turn and ends with one evaluation
of the network. At the root, sequential halving compares the actions (`gumbel_root`); below,
selection follows the bound of PUCT (`puct`).

A node of the tree stands for an action. Its children are outcomes: information states of the next
seat with a choice, as hashes of its observation and mask. So determinizations share an outcome
where that seat cannot tell them apart, and a node has at most as many outcomes as there are
determinizations. The children of an outcome are its actions again.
"""

import time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...envs.core.bits import clear, gather_mask
from ...envs.core.compile import bind, rule, unbound
from ...envs.core.game import NO_SEAT, Function, Game
from ...envs.core.play.loops import bindings_of
from ...envs.core.play.tables import new_streams
from ..networks.compiled import network_functions, num_layers, to_chances, values_all_seats
from ..networks.derived import arranged
from ..networks.inputs import octets
from ..policies.policy import Policy, searching_policy
from .gumbel_root import (
    count_visits,
    improve,
    list_candidates,
    num_halvings,
    rank_candidates,
)
from .halving import SIMULATIONS_BETWEEN_CLOCKS
from .playouts import determinize_template
from .puct import (
    add_children,
    add_outcome,
    best_by_puct,
    has_room,
    note_origin,
    outcome_from,
    outcome_key,
    outcome_with_key,
)
from .tree import NO_NODE, ROOT, Tree, backpropagate, pass_through

if TYPE_CHECKING:
    from ..networks.policy_value import PolicyValue  # torch, which other searches do not need

# A full tree is searched without growing. A simulation may add an outcome and two of its actions.
MAX_SIMULATIONS_IN_TIME = 200_000
NODES_OF_SIMULATION = 3
ACTIONS_OF_OUTCOME = 64
MAX_UNTRIED = 16_000_000
PUCT_CONSTANT = 1.25
VALUE_SCALE = 0.5  # of Gumbel AlphaZero, for values in -1 .. 1

# Names to which `bind` gives a meaning.
search_one = begin = simulate_best = seat_to_act = simulate = determinize = legal_actions = unbound
observe = assess = evaluate = evaluate_all = play = returns = unbound


class GuidedSettings(NamedTuple):
    """The numbers that steer a search; see `mcts`."""

    num_simulations: int
    num_considered: int
    num_determinizations: int
    exploration_constant: float
    gumbel_scale: float  # of the random numbers that vary the actions considered: 1 to learn, or 0
    value_scale: float = VALUE_SCALE  # how much values count against priors


class GuidedScratch(NamedTuple):
    """Arrays that a search writes to; nothing in them outlives it.

    `roots` and `root_streams` are the determinized positions and the streams of what follows.
    """

    roots: np.ndarray  # records [D]
    root_streams: np.ndarray  # streams [D]
    state: np.ndarray  # record [1] of the simulation under way
    rng: np.ndarray  # stream [1]
    observation: np.ndarray  # record [1]
    data: np.ndarray  # uint8 [size]: the bytes of the observation
    words: np.ndarray  # int64 [W]: a mask of actions
    allowed: np.ndarray  # int64 [W]: a mask of the actions to choose from at the root
    chances: np.ndarray  # float32 [A]
    candidates: np.ndarray  # int64 [A]: children of the root, best first
    scores: np.ndarray  # float [A]: of these, Gumbel noise and logit together
    assessed: np.ndarray  # float [seats]: the network's values, clockwise from the seat to act
    root_values: np.ndarray  # float [seats]: the same, of the root
    values: np.ndarray  # float [seats]: what the simulation was worth to each seat


class SearchResults(NamedTuple):
    """What searches found, a row for each position."""

    actions: np.ndarray  # int64 [B]
    values: np.ndarray  # float [B]: of the position, for its seat
    action_values: np.ndarray  # float [B, A]; of illegal actions NaN
    policies: np.ndarray  # float32 [B, A]: the improved policy; of illegal actions 0
    visit_counts: np.ndarray  # int64 [B, A]; the value of an action with 0 is filled in

    @staticmethod
    def empty(num_rows: int, num_actions: int) -> "SearchResults":
        """Return room for `num_rows` positions."""
        return SearchResults(
            np.zeros(num_rows, np.int64),
            np.zeros(num_rows),
            np.full((num_rows, num_actions), np.nan),
            np.zeros((num_rows, num_actions), np.float32),
            np.zeros((num_rows, num_actions), np.int64),
        )

    def renamed(self, actions: np.ndarray) -> "SearchResults":
        """Return the same where action a of row b is called actions[b, a]."""
        new = SearchResults.empty(*actions.shape)
        rows = np.arange(len(actions))
        new.actions[:] = actions[rows, self.actions]
        new.values[:] = self.values
        np.put_along_axis(new.action_values, actions, self.action_values, axis=1)
        np.put_along_axis(new.policies, actions, self.policies, axis=1)
        np.put_along_axis(new.visit_counts, actions, self.visit_counts, axis=1)
        return new


def guided_policy(
    name: str,
    game: Game,
    guide: "PolicyValue",
    settings: GuidedSettings,
    milliseconds: float | None = None,
) -> Policy:
    """Return the policy that searches, guided by a network; see `mcts`."""
    shown_game = guide.seen(game)
    guided = GuidedSearch(shown_game, guide.record(game), settings)

    def found(rngs: np.ndarray, positions: np.ndarray, masks: np.ndarray) -> SearchResults:
        if milliseconds is None:
            return guided.search(positions, rngs, masks)
        return guided.search_in_time(positions, rngs, milliseconds / 1000, masks)

    def search(
        observations: np.ndarray, masks: np.ndarray, rngs: np.ndarray, positions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        masks = masks.astype(np.int8)
        if shown_game is game:
            result = found(rngs, positions, masks)
        else:
            shown = arranged(game, positions)
            masks = np.take_along_axis(masks, shown.actions, axis=1)
            result = found(rngs, shown.positions, masks).renamed(shown.actions)
        values = np.where(result.visit_counts > 0, result.action_values, np.nan)
        return result.actions, values

    return searching_policy(name, game, search)


def new_scratch(game: Game, settings: GuidedSettings) -> GuidedScratch:
    """Return scratch for searches of `game`; threads must not share it."""
    observation = game.new_observations()
    return GuidedScratch(
        roots=game.new_states(settings.num_determinizations),
        root_streams=new_streams((settings.num_determinizations,)),
        state=game.new_states(),
        rng=new_streams((1,)),
        observation=observation,
        data=octets(observation)[0],
        words=np.zeros(game.num_mask_words, np.int64),
        allowed=np.full(game.num_mask_words, -1, np.int64),
        chances=np.zeros(game.num_actions, np.float32),
        candidates=np.zeros(game.num_actions, np.int64),
        scores=np.zeros(game.num_actions),
        assessed=np.zeros(game.num_seats),
        root_values=np.zeros(game.num_seats),
        values=np.zeros(game.num_seats),
    )


def new_tree(game: Game, num_simulations: int) -> Tree:
    """Return a tree with room for the nodes that so many simulations are likely to need."""
    num_nodes = NODES_OF_SIMULATION * num_simulations + game.num_actions + 1
    num_untried = num_simulations * min(game.num_actions, ACTIONS_OF_OUTCOME)
    return Tree.empty(num_nodes, num_nodes, min(num_untried, MAX_UNTRIED))


class GuidedFunctions(NamedTuple):
    """The compiled steps of a search, and all of them together.

    `search_one(position, rng, weights, tree, settings, scratch, policy, action_values)` writes to
    the last two [A], where illegal actions are left as they are, and returns (action, value).
    """

    begin: Function
    simulate_best: Function
    search_one: Function
    search_rows: Function


def guided_functions(game: Game, num_layers: int, all_seats: bool = False) -> GuidedFunctions:
    """Return the functions of a game for networks of this many hidden layers.

    Games of more than two seats need networks that value `all_seats`: the value of one seat does
    not give those of the others.
    """
    rules = bindings_of(game)
    determinize = bind(determinize_template, **rules)
    networks = network_functions(num_layers)
    if all_seats:
        assess = bind(_assess_all, evaluate_all=networks.evaluate_all)
    else:
        assess = bind(_assess, evaluate=networks.evaluate)
    begin = bind(_begin, determinize=determinize, assess=assess, **rules)
    simulate = bind(_simulate, assess=assess, **rules)
    simulate_best = bind(_simulate_best, simulate=simulate, **rules)
    steps = {"begin": begin, "simulate_best": simulate_best}
    search_one = bind(_search_one, **steps, **rules)
    search_rows = bind(_rows, search_one=search_one)
    return GuidedFunctions(**steps, search_one=search_one, search_rows=search_rows)


class GuidedSearch:
    """Searches of one game by one network, a record [1]."""

    def __init__(self, game: Game, weights: np.ndarray, settings: GuidedSettings) -> None:
        self.game = game
        self.weights = weights
        self.settings = settings
        self._functions = guided_functions(game, num_layers(weights), values_all_seats(weights))

    def search(
        self, positions: np.ndarray, rngs: np.ndarray, masks: np.ndarray | None = None
    ) -> SearchResults:
        """Search positions [B], each with its stream, in one compiled call.

        Of the legal actions only those in `masks` int8 [B, A] are considered, by default all.
        """
        results, masks = self._room(positions, masks)
        tree = new_tree(self.game, self.settings.num_simulations)
        scratch = new_scratch(self.game, self.settings)
        self._functions.search_rows(
            positions, rngs, masks, self.weights, tree, self.settings, scratch, results
        )
        return results

    def _room(
        self, positions: np.ndarray, masks: np.ndarray | None
    ) -> tuple[SearchResults, np.ndarray]:
        results = SearchResults.empty(len(positions), self.game.num_actions)
        return results, np.ones(results.policies.shape, np.int8) if masks is None else masks

    def search_in_time(
        self,
        positions: np.ndarray,
        rngs: np.ndarray,
        seconds: float,
        masks: np.ndarray | None = None,
    ) -> SearchResults:
        """Search each position for `seconds`; each phase of the halving takes equally long."""
        results, masks = self._room(positions, masks)
        tree = new_tree(self.game, MAX_SIMULATIONS_IN_TIME)
        scratch = new_scratch(self.game, self.settings)
        for row, position in enumerate(positions):
            gather_mask(masks[row], scratch.allowed)
            start = time.perf_counter()
            arguments = self.weights[0], tree, self.settings, scratch
            num_left = self._functions.begin(position, rngs[row], *arguments)
            num_phases = num_halvings(num_left)
            for phase in range(num_phases if num_left > 1 else 0):
                end = start + seconds * (phase + 1) / num_phases
                rounds = max(1, SIMULATIONS_BETWEEN_CLOCKS // num_left)
                self._functions.simulate_best(position, num_left, rounds * num_left, *arguments)
                while time.perf_counter() < end:
                    self._functions.simulate_best(position, num_left, rounds * num_left, *arguments)
                rank_candidates(tree, self.settings, scratch, num_left)
                num_left = (num_left + 1) // 2
            results.actions[row] = tree.nodes[scratch.candidates[0]]["action"]
            rows = results.policies[row], results.action_values[row]
            results.values[row] = improve(tree, self.settings, *rows)
            count_visits(tree, results.visit_counts[row])
        return results


def _rows(positions, rngs, masks, weights, tree, settings, scratch, results):
    for row in range(positions.shape[0]):
        gather_mask(masks[row], scratch.allowed)
        results.actions[row], results.values[row] = search_one(
            positions[row], rngs[row], weights[0], tree, settings, scratch,
            results.policies[row], results.action_values[row],
        )  # fmt: skip
        count_visits(tree, results.visit_counts[row])


def _search_one(position, rng, weights, tree, settings, scratch, policy, action_values):
    num_left = begin(position, rng, weights, tree, settings, scratch)
    num_phases = num_halvings(num_left)
    budget = settings.num_simulations
    for phase in range(num_phases if num_left > 1 else 0):
        num_rounds = max(settings.num_simulations // (num_phases * num_left), 1)
        num_spent = min(budget, num_rounds * num_left) if phase < num_phases - 1 else budget
        simulate_best(position, num_left, num_spent, weights, tree, settings, scratch)
        budget -= num_spent
        rank_candidates(tree, settings, scratch, num_left)
        num_left = (num_left + 1) // 2
    action = np.int64(tree.nodes[scratch.candidates[0]].action)
    return action, improve(tree, settings, policy, action_values)


def _simulate_best(position, num_left, num_simulations, weights, tree, settings, scratch):
    """Simulate the first `num_left` candidates in turn."""
    seat = np.int64(seat_to_act(position))
    for index in range(num_simulations):
        candidate = scratch.candidates[index % num_left]
        simulate(candidate, seat, weights, tree, settings, scratch)


def _begin(position, rng, weights, tree, settings, scratch):
    """Determinize, evaluate the root and rank its actions; return how many to simulate."""
    seat = np.int64(seat_to_act(position))
    for index in range(settings.num_determinizations):
        determinize(position, seat, rng, scratch.roots, scratch.root_streams, index)
    tree.num_nodes[0] = 1
    tree.num_untried[0] = 0
    clear(scratch.words)
    legal_actions(position, scratch.words)
    for index in range(scratch.words.shape[0]):
        scratch.words[index] &= scratch.allowed[index]
    observe(position, seat, scratch.observation[0])
    value = assess(weights, scratch)
    turn(scratch.assessed, 0, scratch.root_values)
    add_children(tree, ROOT, value, scratch.words, scratch.chances)
    num_legal = list_candidates(tree, rng, settings, scratch)
    rank_candidates(tree, settings, scratch, num_legal)
    return min(num_legal, settings.num_considered, settings.num_simulations)


def _assess(weights, scratch):
    """Evaluate the observation at hand; fill the chances of its actions, return its value.

    The value is that of one seat. The others share the negative value equally.
    """
    value = np.float64(evaluate(weights, scratch.data, scratch.words, scratch.chances))
    to_chances(scratch.words, scratch.chances)
    value = min(max(value, -1.0), 1.0)
    scratch.assessed[:] = -value / max(scratch.assessed.shape[0] - 1, 1)
    scratch.assessed[0] = value
    return value


def _assess_all(weights, scratch):
    """Do the same with a network that values all seats."""
    assessed = scratch.assessed
    evaluate_all(weights, scratch.data, scratch.words, scratch.chances, assessed)
    to_chances(scratch.words, scratch.chances)
    for seat in range(assessed.shape[0]):
        assessed[seat] = min(max(assessed[seat], -1.0), 1.0)
    return assessed[0]


def _simulate(node, root_seat, weights, tree, settings, scratch):
    """Simulate one action of the root, a node, in the next of the determinized positions."""
    index = tree.nodes[node].visit_count % settings.num_determinizations
    scratch.state[0] = scratch.roots[index]
    scratch.rng[0] = scratch.root_streams[index]
    state, words = scratch.state[0], scratch.words
    seat = root_seat
    length = 0
    while True:
        length = pass_through(tree, length, node, seat)
        seat = play(state, scratch.rng[0], tree.nodes[node].action, words)
        if seat == NO_SEAT:
            returns(state, scratch.values)
            break
        is_at_end = length + 2 > tree.path.shape[0]
        outcome = outcome_from(tree, node, index)
        if outcome == NO_NODE or is_at_end:
            observe(state, seat, scratch.observation[0])
            key = outcome_key(scratch.data, words, seat)
            outcome = outcome_with_key(tree, node, key)
            if outcome == NO_NODE or is_at_end:
                value = assess(weights, scratch)
                if outcome == NO_NODE and has_room(tree, words):
                    outcome = add_outcome(tree, node, key, value, words, scratch.chances)
                    note_origin(tree, outcome, index)
                turn(scratch.assessed, seat, scratch.values)
                break
            note_origin(tree, outcome, index)
        length = pass_through(tree, length, outcome, seat)
        node = best_by_puct(tree, outcome, settings.exploration_constant)
    backpropagate(tree, length, scratch.values)


@rule
def turn(clockwise, seat, values):
    """Fill the values of all seats from those clockwise from one seat."""
    for other in range(values.shape[0]):
        values[(seat + other) % values.shape[0]] = clockwise[other]
