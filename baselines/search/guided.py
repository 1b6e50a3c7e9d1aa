"""Tree search for any game, guided by a network: its policy is the prior, its value the leaf's.

Each simulation starts from one of a few determinized positions in turn and ends with one evaluation
of the network. At the root, sequential halving compares the actions as in Gumbel AlphaZero
(Danihelka, Guez, Schrittwieser and Silver 2022); below, `select` follows the bound of PUCT (Silver
et al. 2017).

A node of the tree stands for an action, and its children for what the next seat with a choice then
knows: its observation and mask, by their hash. So the outcomes of chance and the hands dealt anew
are told apart exactly where that seat can tell them apart, and there are at most as many as
determinizations. The children of an outcome are its actions again.
"""

import time
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...envs.core.bits import WORD_BITS, clear, gather_mask, lowest_bit, num_allowed
from ...envs.core.compile import bind, rule
from ...envs.core.game import NO_SEAT, Function, Game
from ...envs.core.play.loops import meanings_of
from ...envs.core.play.tables import new_streams
from ...envs.core.rng import uniform
from ..networks.compiled import network_functions, num_layers, to_chances, values_all_seats
from ..networks.derived import arranged
from ..networks.inputs import octets
from ..players.policy import Policy, searching_policy
from .halving import SIMULATIONS_BETWEEN_CLOCKS
from .playout import determinize_template
from .tree import NO_NODE, ROOT, Tree, backpropagate, new_child, pass_through

if TYPE_CHECKING:
    from ..networks.policy_value import PolicyValue  # torch, which other searches do not need

MAX_NODES = 4_000_000
NODES_OF_EVALUATION = 64  # room for each simulation; a full tree is searched without growing
LEAST_CHANCE = 1e-30
PUCT_CONSTANT = 1.25
VISIT_OFFSET = 50.0  # of Gumbel AlphaZero: how much values count against priors before any visit
VALUE_SCALE = 0.5  # of Gumbel AlphaZero, for values in -1 .. 1


class Settings(NamedTuple):
    """The numbers that steer a search; see `mcts`."""

    num_simulations: int
    num_considered: int
    num_determinizations: int
    exploration_constant: float
    gumbel_scale: float  # of the random numbers that vary the actions considered: 1 to learn, or 0
    value_scale: float = VALUE_SCALE  # how much values count against priors


class Scratch(NamedTuple):
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


class Found(NamedTuple):
    """What searches found, a row for each position."""

    actions: np.ndarray  # int64 [B]
    values: np.ndarray  # float [B]: of the position, for its seat
    action_values: np.ndarray  # float [B, A]; of illegal actions NaN
    policies: np.ndarray  # float32 [B, A]: the improved policy; of illegal actions 0
    visit_counts: np.ndarray  # int64 [B, A]; the value of an action with 0 is filled in

    @staticmethod
    def empty(num_rows: int, num_actions: int) -> "Found":
        """Return room for `num_rows` positions."""
        return Found(
            np.zeros(num_rows, np.int64),
            np.zeros(num_rows),
            np.full((num_rows, num_actions), np.nan),
            np.zeros((num_rows, num_actions), np.float32),
            np.zeros((num_rows, num_actions), np.int64),
        )

    def renamed(self, actions: np.ndarray) -> "Found":
        """Return the same where action a of row b is called actions[b, a]."""
        new = Found.empty(*actions.shape)
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
    settings: Settings,
    milliseconds: float | None = None,
) -> Policy:
    """Return the policy that searches, guided by a network; see `mcts`."""
    seen = guide.seen(game)
    guided = GuidedSearch(seen, guide.record(game), settings)

    def found(rngs: np.ndarray, positions: np.ndarray, masks: np.ndarray) -> Found:
        if milliseconds is None:
            return guided.search(positions, rngs, masks)
        return guided.search_in_time(positions, rngs, milliseconds / 1000, masks)

    def search(
        observations: np.ndarray, masks: np.ndarray, rngs: np.ndarray, positions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        masks = masks.astype(np.int8)
        if seen is game:
            result = found(rngs, positions, masks)
        else:
            shown = arranged(game, positions)
            masks = np.take_along_axis(masks, shown.actions, axis=1)
            result = found(rngs, shown.positions, masks).renamed(shown.actions)
        values = np.where(result.visit_counts > 0, result.action_values, np.nan)
        return result.actions, values

    return searching_policy(name, game, search)


def new_scratch(game: Game, settings: Settings) -> Scratch:
    """Return scratch for searches of `game`; threads must not share it."""
    observation = game.new_observations()
    return Scratch(
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


def new_tree(game: Game, settings: Settings) -> Tree:
    """Return a tree with room for all that a search is likely to meet."""
    per_evaluation = 2 + min(game.num_actions, NODES_OF_EVALUATION)
    size = settings.num_simulations * per_evaluation + game.num_actions + 1
    return Tree.empty(min(size, MAX_NODES))


class Functions(NamedTuple):
    """The compiled steps of a search, and all of them together.

    `search_one(position, rng, weights, tree, settings, scratch, policy, action_values)` writes to
    the last two [A], where illegal actions are left as they are, and returns (action, value).
    """

    begin: Function
    simulate_best: Function
    search_one: Function
    search_rows: Function


@lru_cache
def guided_functions(game: Game, num_layers: int, all_seats: bool = False) -> Functions:
    """Return the functions of a game for networks of this many hidden layers.

    Networks that value `all_seats` serve games of more than two seats. From the value of one seat
    alone it does not follow what the others may expect.
    """
    rules = meanings_of(game)
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
    return Functions(**steps, search_one=search_one, search_rows=bind(_rows, one=search_one))


class GuidedSearch:
    """Searches of one game by one network, a record [1]."""

    def __init__(self, game: Game, weights: np.ndarray, settings: Settings) -> None:
        self.game = game
        self.weights = weights
        self.settings = settings
        self._functions = guided_functions(game, num_layers(weights), values_all_seats(weights))

    def search(
        self, positions: np.ndarray, rngs: np.ndarray, masks: np.ndarray | None = None
    ) -> Found:
        """Search positions [B], each with its stream, in one compiled call.

        Of the legal actions only those in `masks` int8 [B, A] are considered, by default all.
        """
        found, masks = self._room(positions, masks)
        tree, scratch = new_tree(self.game, self.settings), new_scratch(self.game, self.settings)
        self._functions.search_rows(
            positions, rngs, masks, self.weights, tree, self.settings, scratch, found
        )
        return found

    def _room(self, positions: np.ndarray, masks: np.ndarray | None) -> tuple[Found, np.ndarray]:
        found = Found.empty(len(positions), self.game.num_actions)
        return found, np.ones(found.policies.shape, np.int8) if masks is None else masks

    def search_in_time(
        self,
        positions: np.ndarray,
        rngs: np.ndarray,
        seconds: float,
        masks: np.ndarray | None = None,
    ) -> Found:
        """Search each position for `seconds`; each phase of the halving takes equally long."""
        found, masks = self._room(positions, masks)
        tree, scratch = new_tree(self.game, self.settings), new_scratch(self.game, self.settings)
        for row, position in enumerate(positions):
            gather_mask(masks[row], scratch.allowed)
            start = time.perf_counter()
            what = self.weights[0], tree, self.settings, scratch
            num_left = self._functions.begin(position, rngs[row], *what)
            num_phases = num_halvings(num_left)
            for phase in range(num_phases if num_left > 1 else 0):
                end = start + seconds * (phase + 1) / num_phases
                rounds = max(1, SIMULATIONS_BETWEEN_CLOCKS // num_left)
                self._functions.simulate_best(position, num_left, rounds * num_left, *what)
                while time.perf_counter() < end:
                    self._functions.simulate_best(position, num_left, rounds * num_left, *what)
                rank_candidates(tree, self.settings, scratch, num_left)
                num_left = (num_left + 1) // 2
            found.actions[row] = tree.nodes[scratch.candidates[0]]["action"]
            rows = found.policies[row], found.action_values[row]
            found.values[row] = improve(tree, self.settings, *rows)
            count_visits(tree, found.visit_counts[row])
        return found


def _rows(positions, rngs, masks, weights, tree, settings, scratch, found):
    for row in range(positions.shape[0]):
        gather_mask(masks[row], scratch.allowed)
        found.actions[row], found.values[row] = one(
            positions[row], rngs[row], weights[0], tree, settings, scratch,
            found.policies[row], found.action_values[row],
        )  # fmt: skip
        count_visits(tree, found.visit_counts[row])


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


@rule
def num_halvings(num_candidates):
    """Return how often the candidates can be halved until one is left, at least once."""
    num_phases = 1
    while 1 << num_phases < num_candidates:
        num_phases += 1
    return num_phases


def _begin(position, rng, weights, tree, settings, scratch):
    """Determinize, evaluate the root and rank its actions; return how many to simulate."""
    seat = np.int64(seat_to_act(position))
    for index in range(settings.num_determinizations):
        determinize(position, seat, rng, scratch.roots, scratch.root_streams, index)
    tree.num_nodes[0] = 1
    clear(scratch.words)
    legal_actions(position, scratch.words)
    for index in range(scratch.words.shape[0]):
        scratch.words[index] &= scratch.allowed[index]
    observe(position, seat, scratch.observation[0])
    value = assess(weights, scratch)
    turn(scratch.assessed, 0, scratch.root_values)
    expand(tree, ROOT, value, scratch.words, scratch.chances)
    num_legal = list_candidates(tree, rng, settings, scratch)
    rank_candidates(tree, settings, scratch, num_legal)
    return min(num_legal, settings.num_considered, settings.num_simulations)


@rule
def list_candidates(tree, rng, settings, scratch):
    """List the actions at the root with their scores; return how many there are."""
    num_legal = 0
    child = np.int64(tree.nodes[ROOT].first_child)
    while child != NO_NODE:
        score = np.log(max(np.float64(tree.nodes[child].prior), LEAST_CHANCE))
        if settings.gumbel_scale > 0.0:
            score -= settings.gumbel_scale * np.log(-np.log(max(uniform(rng), LEAST_CHANCE)))
        scratch.candidates[num_legal] = child
        scratch.scores[num_legal] = score
        num_legal += 1
        child = np.int64(tree.nodes[child].next_sibling)
    return num_legal


def _assess(weights, scratch):
    """Evaluate the observation at hand; fill the chances of its actions, return its value.

    The value is that of one seat. What it gains, the others lose equally.
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


@rule
def expand(tree, node, value, words, chances):
    """Give a node the value just assessed, and a child for each action."""
    tree.nodes[node].visit_count = 1
    tree.nodes[node].value_sum = value
    tree.nodes[node].first_child = NO_NODE
    for index in range(words.shape[0]):
        word = words[index]
        while word != 0:
            action = index * WORD_BITS + lowest_bit(word)
            child = new_child(tree, node, action)
            tree.nodes[child].prior = chances[action]
            word &= word - 1


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
        observe(state, seat, scratch.observation[0])
        key = key_of(scratch.data, words, seat)
        outcome = outcome_of(tree, node, key)
        if outcome == NO_NODE or length + 2 > tree.path.shape[0]:
            value = assess(weights, scratch)
            if outcome == NO_NODE and has_room(tree, words):
                outcome = new_child(tree, node, tree.nodes[node].action)
                tree.nodes[outcome].key = key
                expand(tree, outcome, value, words, scratch.chances)
            turn(scratch.assessed, seat, scratch.values)
            break
        length = pass_through(tree, length, outcome, seat)
        node = best_by_puct(tree, outcome, settings.exploration_constant)
    backpropagate(tree, length, scratch.values)


@rule
def has_room(tree, words):
    """Return whether a new outcome with all its actions fits into the tree."""
    return tree.num_nodes[0] + 1 + num_allowed(words) <= tree.nodes.shape[0]


@rule
def key_of(data, words, seat):
    """Hash what a seat with a choice knows: the bytes of its observation, and its mask."""
    mixed = np.int64(seat + 1)
    num_words = data.shape[0] // 8
    whole = data[: 8 * num_words].view(np.int64)
    for index in range(num_words):
        mixed = (mixed ^ whole[index]) * np.int64(0x00000100000001B3)
        mixed ^= mixed >> 29
    for index in range(8 * num_words, data.shape[0]):
        mixed = (mixed ^ np.int64(data[index])) * np.int64(0x00000100000001B3)
        mixed ^= mixed >> 29
    for index in range(words.shape[0]):
        mixed = (mixed ^ words[index]) * np.int64(0x00000100000001B3)
        mixed ^= mixed >> 29
    return mixed


@rule
def outcome_of(tree, node, key):
    """Return the outcome with this key of a node's action, or NO_NODE."""
    nodes = tree.nodes
    outcome = np.int64(nodes[node].first_child)
    while outcome != NO_NODE and nodes[outcome].key != key:
        outcome = np.int64(nodes[outcome].next_sibling)
    return outcome


@rule
def turn(clockwise, seat, values):
    """Fill the values of all seats from those clockwise from one seat."""
    for other in range(values.shape[0]):
        values[(seat + other) % values.shape[0]] = clockwise[other]


@rule
def best_by_puct(tree, node, exploration_constant):
    """Return the child of an outcome with the highest bound of PUCT.

    The bound of a child with mean value q, prior p and n of its parent's N visits is
    q + c p sqrt(N) / (1 + n); before its first visit, q is the mean value of the parent.
    """
    nodes = tree.nodes
    best, best_bound = np.int64(NO_NODE), -np.inf
    spread = exploration_constant * np.sqrt(np.float64(nodes[node].visit_count))
    parent_mean = nodes[node].value_sum / nodes[node].visit_count
    child = np.int64(nodes[node].first_child)
    while child != NO_NODE:
        visit_count = nodes[child].visit_count
        mean = nodes[child].value_sum / visit_count if visit_count > 0 else parent_mean
        bound = mean + spread * nodes[child].prior / (1 + visit_count)
        if bound > best_bound:
            best, best_bound = child, bound
        child = np.int64(nodes[child].next_sibling)
    return best


@rule
def rank_candidates(tree, settings, scratch, count):
    """Sort the first `count` candidates by score and value; of equals, the order stays."""
    candidates, scores = scratch.candidates, scratch.scores
    scale = value_scale(tree, settings)
    for place in range(1, count):
        candidate, score = candidates[place], scores[place]
        total = score + scale * mean_of(tree, candidate)
        other = place
        while other > 0 and total > scores[other - 1] + scale * mean_of(
            tree, candidates[other - 1]
        ):
            candidates[other], scores[other] = candidates[other - 1], scores[other - 1]
            other -= 1
        candidates[other], scores[other] = candidate, score


@rule
def mean_of(tree, node):
    """Return the mean value of a node's simulations; 0 without any."""
    visit_count = tree.nodes[node].visit_count
    return tree.nodes[node].value_sum / visit_count if visit_count > 0 else 0.0


@rule
def value_scale(tree, settings):
    """Return what a value at the root counts against a logit: more with more visits."""
    highest = np.int64(0)
    child = np.int64(tree.nodes[ROOT].first_child)
    while child != NO_NODE:
        highest = max(highest, np.int64(tree.nodes[child].visit_count))
        child = np.int64(tree.nodes[child].next_sibling)
    return settings.value_scale * (VISIT_OFFSET + highest)


@rule
def improve(tree, settings, policy, action_values):
    """Write the improved policy and the completed action values; return the value of the root.

    An action that was not simulated is given the network's value of the root, mixed with the mean
    of those that were, weighed by their priors.
    """
    nodes = tree.nodes
    completed = completed_value(tree)
    scale = value_scale(tree, settings)
    highest = -np.inf
    child = np.int64(nodes[ROOT].first_child)
    while child != NO_NODE:
        value = mean_of(tree, child) if nodes[child].visit_count > 0 else completed
        logit = np.log(max(np.float64(nodes[child].prior), LEAST_CHANCE)) + scale * value
        action_values[nodes[child].action] = value
        policy[nodes[child].action] = logit
        highest = max(highest, logit)
        child = np.int64(nodes[child].next_sibling)
    total, value = 0.0, 0.0
    child = np.int64(nodes[ROOT].first_child)
    while child != NO_NODE:
        action = nodes[child].action
        policy[action] = np.exp(policy[action] - highest)
        total += policy[action]
        value += policy[action] * action_values[action]
        child = np.int64(nodes[child].next_sibling)
    child = np.int64(nodes[ROOT].first_child)
    while child != NO_NODE:
        policy[nodes[child].action] /= total
        child = np.int64(nodes[child].next_sibling)
    return value / total


@rule
def count_visits(tree, visit_counts):
    """Write how often each action at the root was simulated."""
    child = np.int64(tree.nodes[ROOT].first_child)
    while child != NO_NODE:
        visit_counts[tree.nodes[child].action] = tree.nodes[child].visit_count
        child = np.int64(tree.nodes[child].next_sibling)


@rule
def completed_value(tree):
    """Return the value that stands for the actions at the root that were not simulated."""
    nodes = tree.nodes
    total, mass, weighted = 0.0, 0.0, 0.0
    child = np.int64(nodes[ROOT].first_child)
    while child != NO_NODE:
        if nodes[child].visit_count > 0:
            prior = max(np.float64(nodes[child].prior), LEAST_CHANCE)
            total += nodes[child].visit_count
            mass += prior
            weighted += prior * mean_of(tree, child)
        child = np.int64(nodes[child].next_sibling)
    if total == 0.0:
        return nodes[ROOT].value_sum
    return (nodes[ROOT].value_sum + total * weighted / mass) / (1.0 + total)
