"""David beats Goliath at Top Trumps: it searches the coming tricks over re-deals.

Once the decks have gone round, nearly all cards lie in known places, and the leader of a trick wins
it if its card can. The choice is then not how to win this trick but whether to: a trick drawn or
lost on purpose changes the order in which later cards meet.
"""

import math
import time
from typing import NamedTuple

import numpy as np

from ...envs.core.bits import lowest_bit
from ...envs.core.game import Game
from ...envs.core.jit import rule
from ...envs.core.rng import below
from ...envs.top_trumps.observation import reshuffle_unseen
from ...envs.top_trumps.rules import (
    NO_CARD,
    WORD_BITS,
    apply_action,
    count,
    first_of,
    is_terminal,
    top_card,
)
from ..policy import Policy
from ..search.playout import checked_budget

NAME = "david"
NUM_PLAYOUTS = 60
MAX_NODES = 20_000  # a full tree is searched without growing
EXPLORATION_CONSTANT = 0.7  # of UCB1
MAX_TRICKS = 400  # in a playout
NUM_OPTIONS = 3
WIN, DRAW, LOSE = range(NUM_OPTIONS)  # goliath's choice, or a draw or a loss instead
NO_FIELD = -1
OUTSIDE = -1  # the game has left the tree
ROOT, INNER = 0, 1
PLAYOUTS_BETWEEN_CLOCKS = 10


class PlayoutTree(NamedTuple):
    """The tree: a node for each sequence of the seat's options; node 0 is the next trick."""

    visits: np.ndarray  # [nodes, options]
    sums: np.ndarray  # [nodes, options]: sums of returns
    children: np.ndarray  # [nodes, options]: the next node; 0: none yet
    path: np.ndarray  # [nodes, 2]: node and option of each choice in this playout
    fields: np.ndarray  # [2, options]: of the options at the root, and of those in a playout
    size: np.ndarray  # [1]: nodes in use


def new_tree(num_nodes: int) -> PlayoutTree:
    """An empty tree with room for this many nodes; each playout adds at most one."""
    shape = (num_nodes, NUM_OPTIONS)
    return PlayoutTree(
        np.zeros(shape, np.int64),
        np.zeros(shape),
        np.zeros(shape, np.int64),
        np.zeros((num_nodes + 1, 2), np.int64),
        np.empty((2, NUM_OPTIONS), np.int64),
        np.zeros(1, np.int64),
    )


def david(game: Game, num_playouts: int | None = None, milliseconds: float | None = None) -> Policy:
    """Search whether to win, draw or lose a trick if the opponent's top card is known.

    A move takes `num_playouts` playouts (60), or as many as fit into `milliseconds`. Each starts
    from the position with the unseen cards dealt anew. In the tree the seat either plays as
    `goliath` or, if it knows the opponent's top card, draws or loses on purpose; UCB1 chooses among
    these options (Kocsis and Szepesvari 2006). All other moves, also the opponent's, are those of
    `goliath` from what the seat can know. The most visited option is played. If the top card is not
    known, david plays as goliath; the README says what a search among the fields gained there.
    """
    num_playouts = checked_budget(NAME, "num_playouts", num_playouts, milliseconds, NUM_PLAYOUTS)
    in_time = milliseconds is not None

    def choose(
        observations: np.ndarray, action_masks: np.ndarray, rngs: np.ndarray, positions: np.ndarray
    ) -> np.ndarray:
        actions = np.empty(len(positions), np.int64)
        tree = new_tree(MAX_NODES if in_time else min(num_playouts + 1, MAX_NODES))
        states = game.new_states()
        if milliseconds is None:
            _choose_rows(positions, rngs, states, tree, num_playouts, actions)
            return actions
        for row in range(len(positions)):
            end = time.perf_counter() + milliseconds / 1000
            actions[row], is_open = begin(positions[row], rngs[row], tree)
            while is_open and time.perf_counter() < end:
                play_out(positions[row], rngs[row], states, tree, PLAYOUTS_BETWEEN_CLOCKS)
                actions[row] = best_field(tree)
        return actions

    return Policy(NAME, game, choose, needs_positions=True)


@rule
def _choose_rows(positions, rngs, games, tree, num_playouts, actions):
    """Search each position; `games` [1] is that of a playout."""
    for row in range(positions.shape[0]):
        actions[row], is_open = begin(positions[row], rngs[row], tree)
        if is_open:
            play_out(positions[row], rngs[row], games, tree, num_playouts)
            actions[row] = best_field(tree)


@rule
def begin(position, rng, tree):
    """Write the options of the starter; return goliath's field, and whether there are others."""
    tree.size[0] = 0
    add_node(tree)
    num_options = find_options(position, np.int64(position.starter), rng, tree.fields[ROOT])
    return tree.fields[ROOT, WIN], num_options > 1


@rule
def play_out(position, rng, games, tree, num_playouts):
    """Play out `num_playouts` positions in which the unseen cards are dealt anew."""
    seat = np.int64(position.starter)
    for _ in range(num_playouts):
        games[0] = position
        reshuffle_unseen(games[0], seat, rng)
        play_once(games[0], seat, tree, tree.fields[INNER], rng)


@rule
def best_field(tree):
    """The field of the most visited option."""
    best = WIN
    for option in range(NUM_OPTIONS):
        if tree.visits[ROOT, option] > tree.visits[ROOT, best]:
            best = option
    return tree.fields[ROOT, best]


@rule
def play_once(state, seat, tree, fields, rng):
    """Play one game through the tree and on to its end, and return its result."""
    node = np.int64(ROOT)
    depth = 0
    last_trick = state.num_tricks + MAX_TRICKS
    while not is_terminal(state) and state.num_tricks < last_trick:
        option = WIN
        if state.starter != seat or node == OUTSIDE:
            field = greedy_field(state, np.int64(state.starter), rng)
        else:
            if find_options(state, seat, rng, fields) > 1:
                option = most_promising(tree, node, fields)
                tree.path[depth, 0] = node
                tree.path[depth, 1] = option
                depth += 1
                node = next_node(tree, node, option)
            field = fields[option]
        apply_action(state, field)
    outcome = return_of(state, seat)
    for step in range(depth):
        tree.visits[tree.path[step, 0], tree.path[step, 1]] += 1
        tree.sums[tree.path[step, 0], tree.path[step, 1]] += outcome


@rule
def return_of(state, seat):
    """1, 0 or -1 at the end; the lead in cards if the game was cut short."""
    lead = np.float64(state.deck_sizes[seat] - state.deck_sizes[1 - seat])
    if is_terminal(state):
        return np.sign(lead)
    return lead / state.decks.shape[1]


# The tree


@rule
def add_node(tree):
    """Add a node without visits and return its index."""
    node = tree.size[0]
    tree.size[0] += 1
    for option in range(NUM_OPTIONS):
        tree.visits[node, option] = 0
        tree.sums[node, option] = 0.0
        tree.children[node, option] = 0
    return node


@rule
def next_node(tree, node, option):
    """The node after an option; one visited for the first time, or in a full tree, gets none."""
    is_full = tree.size[0] == tree.visits.shape[0]
    is_new = tree.children[node, option] == 0
    if tree.visits[node, option] == 0 or (is_new and is_full):
        return np.int64(OUTSIDE)
    if is_new:
        tree.children[node, option] = add_node(tree)
    return tree.children[node, option]


@rule
def most_promising(tree, node, fields):
    """The option with the highest upper confidence bound; unvisited options come first."""
    num_visits = 0
    for option in range(NUM_OPTIONS):
        num_visits += tree.visits[node, option]
    best = WIN
    best_bound = -math.inf
    for option in range(NUM_OPTIONS):
        visits = tree.visits[node, option]
        if fields[option] != NO_FIELD and visits == 0:
            return option
        if fields[option] != NO_FIELD:
            spread = math.sqrt(math.log(num_visits) / visits)
            bound = tree.sums[node, option] / visits + EXPLORATION_CONSTANT * spread
            if bound > best_bound:
                best, best_bound = option, bound
    return best


# Choosing a field: these functions read only what the seat can know of the position


@rule
def find_options(state, seat, rng, fields):
    """Write the field of each option, or NO_FIELD; return the number of options."""
    greedy = greedy_field(state, seat, rng)
    fields[WIN] = greedy
    fields[DRAW] = NO_FIELD
    fields[LOSE] = NO_FIELD
    opponents = known_top(state, 1 - seat)
    if opponents == NO_CARD:
        return 1
    own = top_card(state, seat)
    best = state.values[own, greedy] - state.values[opponents, greedy]
    for field in range(state.values.shape[1]):
        lead = state.values[own, field] - state.values[opponents, field]
        if lead == 0 and best > 0:
            fields[DRAW] = field
        if lead < 0 and best >= 0:
            fields[LOSE] = field
    return 1 + (fields[DRAW] != NO_FIELD) + (fields[LOSE] != NO_FIELD)


@rule
def known_top(state, owner):
    """The top card of a deck if the other seat knows it, else NO_CARD."""
    candidates = state.candidates[owner, state.heads[owner]]
    if state.num_unplayed[owner] > 0:
        candidates = state.unplaced[owner]
    return first_of(candidates) if count(candidates) == 1 else NO_CARD


@rule
def greedy_field(state, seat, rng):
    """The field that goliath chooses."""
    own = top_card(state, seat)
    other = 1 - seat
    candidates = state.candidates[other, state.heads[other]]
    if state.num_unplayed[other] > 0:
        candidates = state.unplaced[other]
    best = np.int64(0)
    best_score = num_best = -1
    for field in range(state.values.shape[1]):
        score = twice_the_score(state, own, candidates, field)
        if score > best_score:
            best, best_score, num_best = field, score, 1
        elif score == best_score:
            num_best += 1
            if below(rng, num_best) == 0:
                best = field
    return best


@rule
def twice_the_score(state, own, candidates, field):
    """The score of a card in a field: two for each candidate it beats, one for each tie."""
    value = state.values[own, field]
    score = 0
    for index in range(candidates.shape[0]):
        rest = candidates[index]
        while rest != 0:
            other = state.values[index * WORD_BITS + lowest_bit(rest), field]
            rest &= rest - 1
            score += (other < value) + (other <= value)
    return score
