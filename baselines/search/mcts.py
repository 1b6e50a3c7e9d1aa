"""Monte Carlo tree search for any game, over determinizations of the seat's information set.

Sequential halving decides which action at the root is simulated next, as in `playout`. Below the
root a tree grows, in which every seat selects its actions by UCT (Kocsis and Szepesvari 2006). A
node stands for the actions that led to it in every determinization (Cowling, Powley and Whitehouse
2012), so `select` considers only those that are legal in the position at hand.

`playout` is this search without a tree: flat Monte Carlo, where the actions of the root stay
leaves. With a network, the search is that of `guided`.

A simulation is four steps: `select` an action down to a leaf, `expand` the tree by its node,
`evaluate` the leaf, `backpropagate` its value to every node of the path.
"""

from typing import NamedTuple

import numpy as np

from ...envs.core.bits import gather_mask, is_allowed, random_allowed
from ...envs.core.compile import bind, bind_inline, rule, unbound
from ...envs.core.game import NO_ACTION, Function, Game, check_range
from ...envs.core.play.loops import bindings_of
from ...envs.core.play.policies import NO_WEIGHTS
from ..networks.learned import guide_network
from ..policies.policy import Policy, Search, searching_policy
from ..policies.settings import checked_number
from . import guided, halving
from .playouts import (
    EPSILON,
    MAX_BUDGET,
    PlayoutScratch,
    bindings_for,
    checked_budget,
    determinize_template,
    play_out_template,
    playout_function,
    playout_player,
)
from .tree import NO_NODE, ROOT, Tree, backpropagate, child_of, new_child, pass_through

NAME, FLAT = "mcts", "playout"
EXPLORATION_CONSTANT = 0.5
EXPANSION_THRESHOLD = 8
MAX_EXPANSION_THRESHOLD = 1_000_000
NEVER = 2**31 - 1  # simulations before a leaf is expanded
NUM_CONSIDERED = 16
NUM_DETERMINIZATIONS = 8
MAX_DETERMINIZATIONS = 10_000
MAX_NODES_IN_TIME = 200_000  # of a search limited by time; a full tree is searched without growing

# Names to which `bind` gives a meaning.
shorten = seat_to_act = determinize = simulate = apply_action = settle = is_terminal = unbound
select = evaluate = legal_actions = observe = choose = unbound


class TreeSettings(NamedTuple):
    """The numbers that steer a simulation; see `mcts`."""

    epsilon: float = EPSILON
    expansion_threshold: int = EXPANSION_THRESHOLD
    exploration_constant: float = EXPLORATION_CONSTANT


def mcts(  # noqa: PLR0913 (a keyword for each setting)
    game: Game,
    num_simulations: int | None = None,
    milliseconds: float | None = None,
    playout_policy: str | None = None,
    epsilon: float = EPSILON,
    expansion_threshold: int = EXPANSION_THRESHOLD,
    exploration_constant: float | None = None,
    shortlist: Function | None = None,
    network: str | None = None,
    num_considered: int = NUM_CONSIDERED,
    num_determinizations: int = NUM_DETERMINIZATIONS,
) -> Policy:
    """Search a tree that grows where play is best, and play out from its leaves.

    A move takes `num_simulations` (400 by default) or `milliseconds`; `playout_policy` and
    `epsilon` are as for `playout`. A node is a leaf until `expansion_threshold` simulations have
    passed through it. `exploration_constant` weighs the term
    that favours actions tried seldom: of UCT 0.5 by default, of PUCT 1.25. `shortlist`, a compiled
    function (observation, mask words), clears the bits of actions that are not worth a simulation.

    With `network`, the file of a checkpoint, its policy and value take the place of playouts, as
    `guided` describes: the `num_considered` most probable actions are simulated, each in
    `num_determinizations` determinized positions in turn. With more than two seats a network of
    expert iteration serves best: it values every seat, and one of PPO only the seat to act.

    Raises ValueError for a value out of range, and for a checkpoint that does not fit.
    """
    budget = checked_budget(NAME, "num_simulations", num_simulations, milliseconds)
    if exploration_constant is None:
        exploration_constant = EXPLORATION_CONSTANT if network is None else guided.PUCT_CONSTANT
    constant = checked_number("exploration_constant", exploration_constant)
    if network is not None:
        if playout_policy is not None or shortlist is not None:
            raise ValueError("a search with a network has no playout_policy and no shortlist")
        check_range("num_considered", num_considered, 1, MAX_BUDGET)
        check_range("num_determinizations", num_determinizations, 1, MAX_DETERMINIZATIONS)
        how = guided.GuidedSettings(
            budget, num_considered, num_determinizations, constant, gumbel_scale=0.0
        )
        return guided.guided_policy(NAME, game, guide_network(network, game), how, milliseconds)
    check_range("expansion_threshold", expansion_threshold, 1, MAX_EXPANSION_THRESHOLD)
    _check_shortlist(shortlist)
    settings = TreeSettings(checked_number("epsilon", epsilon, 1), expansion_threshold, constant)
    shorten = shortlist or keep_all
    search = _search_with_playouts(game, settings, playout_policy, shorten, budget, milliseconds)
    return searching_policy(NAME, game, search)


def playout(
    game: Game,
    num_playouts: int | None = None,
    milliseconds: float | None = None,
    playout_policy: str | None = None,
    epsilon: float = EPSILON,
) -> Policy:
    """Play every action out many times, each time with the hidden cards resampled.

    A move takes either `num_playouts` games (400 by default; at least one for each legal action) or
    `milliseconds`, with which the choices depend on the machine. `playout_policy` names a compiled
    player of the game or the file of a checkpoint; the default is its strongest script that is fast
    enough. In playouts that player acts at random with probability `epsilon`: otherwise a
    deterministic player would play each determinization out in only one way. Raises ValueError for
    an unknown player, for both budgets at once, and for a value out of range.
    """
    budget = checked_budget(FLAT, "num_playouts", num_playouts, milliseconds)
    settings = TreeSettings(checked_number("epsilon", epsilon, 1), NEVER)
    row_function, weights = playout_player(game, playout_policy)

    def choose(
        observations: np.ndarray, action_masks: np.ndarray, rngs: np.ndarray, positions: np.ndarray
    ) -> np.ndarray:
        search = TreeSearch(game, row_function, keep_all, 1, settings, weights)
        return halving.choose(search.simulate, action_masks, rngs, positions, budget, milliseconds)

    return Policy(FLAT, game, choose, needs_positions=True)


def _search_with_playouts(
    game: Game,
    settings: TreeSettings,
    playout_policy: str | None,
    shorten: Function,
    budget: int,
    milliseconds: float | None,
) -> Search:
    row_function, weights = playout_player(game, playout_policy)
    shorten_masks = bind(_shorten_masks, shorten=shorten)
    max_nodes = most_nodes(game, budget, milliseconds)

    def search(
        observations: np.ndarray, action_masks: np.ndarray, rngs: np.ndarray, positions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        tree_search = TreeSearch(game, row_function, shorten, max_nodes, settings, weights)
        masks = action_masks.astype(np.int8)
        shorten_masks(observations, masks, np.zeros(game.num_mask_words, np.int64))
        actions, values = np.empty(len(masks), np.int64), np.empty(masks.shape)
        for row in halving.single_rows(len(masks)):
            tree_search.tree.clear()
            search_of_row = tree_search.simulate, masks[row], rngs[row], positions[row]
            actions[row] = halving.choose(*search_of_row, budget, milliseconds)
            values[row] = tree_search.tree.action_values(game.num_actions)
        return actions, values

    return search


def most_nodes(game: Game, num_simulations: int, milliseconds: float | None) -> int:
    """Return the number of nodes that a tree needs at most."""
    in_time = milliseconds is not None
    return MAX_NODES_IN_TIME if in_time else num_simulations + game.num_actions + 1


def _check_shortlist(shortlist: Function | None) -> None:
    if shortlist is not None and not callable(shortlist):
        raise ValueError(f"shortlist must be a compiled function; got {shortlist!r}")


class TreeSearch:
    """A tree, the settings it grows by, and the compiled loop that grows it."""

    def __init__(
        self,
        game: Game,
        row_function: Function,
        shorten: Function,
        max_nodes: int,
        settings: TreeSettings,
        weights: np.ndarray = NO_WEIGHTS,
    ) -> None:
        self.tree = Tree.empty(min(max_nodes, MAX_BUDGET))
        self.settings = settings
        self._scratch = PlayoutScratch.empty(game, weights)
        in_playouts = bindings_for(game, row_function)
        in_tree = in_playouts if shorten is keep_all else bindings_of(game)
        choose = playout_function(row_function, weights)
        has_tree = settings.expansion_threshold != NEVER
        self._simulate = _bind_search(choose, shorten, in_playouts, in_tree, has_tree)

    def simulate(
        self,
        positions: np.ndarray,
        rngs: np.ndarray,
        alive: np.ndarray,
        rounds: np.ndarray,
        sums: np.ndarray,
    ) -> None:
        """Simulate the live actions of a batch, all in this one tree; see `halving.Simulate`."""
        batch = positions, rngs, alive, rounds, sums
        self._simulate(*batch, self.tree, self.settings, self._scratch)


@rule
def keep_all(observation, mask):
    """Keep every action: the search has no shortlist."""


def _shorten_masks(observations, masks, words):
    """Apply the shortlist to masks int8 [B, A]; `words` is scratch."""
    for row in range(masks.shape[0]):
        gather_mask(masks[row], words)
        shorten(observations[row], words)
        for action in range(masks.shape[1]):
            masks[row, action] = is_allowed(words, action)


Meanings = dict[str, Function]


def _bind_search(
    choose: Function, shorten: Function, in_playouts: Meanings, rules: Meanings, has_tree: bool
) -> Function:
    # The two differ where a shortlist needs observations and the playouts' player does not.
    determinize = bind(determinize_template, **rules)
    evaluate = bind(play_out_template, choose=choose, **in_playouts)
    if has_tree:
        select = bind(select_template, choose=choose, shorten=shorten, **rules)
        simulate = bind(_simulate, select=select, evaluate=evaluate, **rules)
    else:
        simulate = bind_inline(_play_out, evaluate=evaluate, **rules)
    return bind(_search, determinize=determinize, simulate=simulate, **rules)


def _search(positions, rngs, alive, rounds, sums, tree, settings, scratch):
    """Simulate live actions [B, A] in rounds [B] determinizations each; add returns to sums."""
    states, streams = scratch.states, scratch.rngs
    for row in range(positions.shape[0]):
        seat = seat_to_act(positions[row])
        for _ in range(rounds[row]):
            determinize(positions[row], seat, rngs[row], states, streams, 0)
            for action in range(alive.shape[1]):
                if alive[row, action] != 0:
                    states[1] = states[0]
                    streams[1] = streams[0]
                    simulate(states[1], streams[1], seat, action, tree, settings, scratch)
                    sums[row, action] += scratch.values[seat]


def _simulate(state, rng, own_seat, action, tree, settings, scratch):
    """Simulate one action of the root; `scratch.values` then holds its value for each seat."""
    node = expand(tree, 0, ROOT, action, own_seat)
    length = 1
    apply_action(state, action)
    settle(state, rng)
    while not is_terminal(state) and not is_leaf(tree, node, length, settings):
        seat = seat_to_act(state)
        action = select(state, rng, seat, tree, node, settings, scratch)
        node = expand(tree, length, node, action, seat)
        length += 1
        apply_action(state, action)
        settle(state, rng)
    evaluate(state, rng, settings.epsilon, scratch)
    backpropagate(tree, length, scratch.values)


def _play_out(state, rng, own_seat, action, tree, settings, scratch):
    """Simulate one action of the root without a tree."""
    apply_action(state, action)
    evaluate(state, rng, settings.epsilon, scratch)


@rule
def is_leaf(tree, node, length, settings):
    """Whether to evaluate here: the node has few visits, or path or tree has no room left."""
    is_new = tree.nodes[node].visit_count < settings.expansion_threshold
    is_full = tree.num_nodes[0] == tree.nodes.shape[0]
    return is_new or is_full or length == tree.path.shape[0]


def select_template(state, rng, seat, tree, node, settings, scratch):
    """Return the action to simulate next: the best by UCT, or now and then one not tried yet.

    Progressive widening: of the legal actions of a node with v visits about the square root of v
    have been tried. First comes what the playouts' player would do, then random ones.
    """
    words, observation = scratch.words, scratch.observation
    words[:] = 0
    legal_actions(state, words)
    best, num_tried = best_child(tree, node, words, settings.exploration_constant)
    if num_tried * num_tried >= tree.nodes[node].visit_count:
        return best
    observe(state, seat, observation[0])
    preferred = choose(scratch, rng)
    if child_of(tree, node, preferred) == NO_NODE:
        return preferred
    shorten(observation[0], words)
    drawn = random_allowed(words, rng)
    return drawn if child_of(tree, node, drawn) == NO_NODE else best


@rule
def best_child(tree, node, words, exploration_constant):
    """Return the action tried and legal here with the highest bound of UCT; how many were tried.

    The bound of a child with mean value q and n of its parent's N visits: q + c sqrt(ln N / n).
    """
    nodes = tree.nodes
    best, best_bound = np.int64(NO_ACTION), -np.inf
    num_tried = 0
    spread = exploration_constant * np.sqrt(np.log(nodes[node].visit_count))
    child = nodes[node].first_child
    while child != NO_NODE:
        action = nodes[child].action
        if is_allowed(words, action):
            num_tried += 1
            visit_count = nodes[child].visit_count
            bound = nodes[child].value_sum / visit_count + spread / np.sqrt(visit_count)
            if bound > best_bound:
                best, best_bound = np.int64(action), bound
        child = nodes[child].next_sibling
    return best, num_tried


@rule
def expand(tree, length, node, action, seat):
    """Append the child for `action` to a path of this length, made if there is none; return it."""
    child = child_of(tree, node, action)
    if child == NO_NODE:
        child = new_child(tree, node, action)
    pass_through(tree, length, child, seat)
    return child
