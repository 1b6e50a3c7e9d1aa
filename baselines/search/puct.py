"""Below the root of a guided search: nodes of outcomes, and selection by PUCT (Silver et al. 2017).

An outcome is the information state of the next seat with a choice after an action; its children are
the actions of that seat.
"""

import numpy as np

from ...envs.core.bits import WORD_BITS, lowest_bit, num_allowed
from ...envs.core.compile import rule
from .hashing import WORD_BYTES, hashed
from .tree import NO_NODE, new_child


@rule
def add_children(tree, node, value, words, chances):
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


@rule
def has_room(tree, words):
    """Return whether a new outcome with its actions fits into the tree."""
    has_nodes = tree.num_nodes[0] + 2 <= tree.nodes.shape[0]
    return has_nodes and tree.num_untried[0] + num_allowed(words) <= tree.untried.shape[0]


@rule
def add_outcome(tree, node, key, value, words, chances):
    """Append an outcome to an action's node, with the value just assessed; return it."""
    outcome = new_child(tree, node, tree.nodes[node].action)
    tree.nodes[outcome].visit_count = 1
    tree.nodes[outcome].value_sum = value
    entry, row = tree.outcomes[outcome], tree.num_untried[0]
    entry.key = key
    entry.came_from = 0
    entry.first_untried = row
    for index in range(words.shape[0]):
        word = words[index]
        while word != 0:
            action = index * WORD_BITS + lowest_bit(word)
            tree.untried[row].action = action
            tree.untried[row].prior = chances[action]
            row += 1
            word &= word - 1
    entry.num_untried = row - tree.num_untried[0]
    tree.num_untried[0] = row
    add_next_action(tree, outcome)
    return outcome


@rule
def add_next_action(tree, outcome):
    """Make the most probable action of an outcome that is no node yet its child, if there is room.

    Of equals, the highest action is taken.
    """
    entry, untried = tree.outcomes[outcome], tree.untried
    first = np.int64(entry.first_untried)
    last = first + entry.num_untried - 1
    if last < first or tree.num_nodes[0] == tree.nodes.shape[0]:
        return
    best = last
    for row in range(first, last):
        ahead = untried[row].prior - untried[best].prior
        if ahead > 0.0 or (ahead == 0.0 and untried[row].action > untried[best].action):
            best = row
    child = new_child(tree, outcome, untried[best].action)
    tree.nodes[child].prior = untried[best].prior
    untried[best].action, untried[best].prior = untried[last].action, untried[last].prior
    entry.num_untried -= 1


@rule
def outcome_key(data, words, seat):
    """Hash the information state of a seat with a choice: its observation's bytes and its mask."""
    whole = data.shape[0] // WORD_BYTES * WORD_BYTES
    mixed = hashed(np.int64(seat + 1), data[:whole].view(np.int64))
    return hashed(hashed(mixed, data[whole:]), words)


@rule
def outcome_with_key(tree, node, key):
    """Return the outcome with this key of a node's action, or NO_NODE."""
    outcome = np.int64(tree.nodes[node].first_child)
    while outcome != NO_NODE and tree.outcomes[outcome].key != key:
        outcome = np.int64(tree.nodes[outcome].next_sibling)
    return outcome


@rule
def outcome_from(tree, node, determinization):
    """Return the outcome of a node's action known to follow in a determinization, or NO_NODE."""
    outcome = NO_NODE
    if determinization < WORD_BITS:
        outcome = np.int64(tree.nodes[node].first_child)
        while outcome != NO_NODE and (tree.outcomes[outcome].came_from >> determinization) & 1 == 0:
            outcome = np.int64(tree.nodes[outcome].next_sibling)
    return outcome


@rule
def note_origin(tree, outcome, determinization):
    """Note that a determinization leads to an outcome; `outcome_from` then finds it."""
    if determinization < WORD_BITS:
        tree.outcomes[outcome].came_from |= np.int64(1) << determinization


@rule
def best_by_puct(tree, node, exploration_constant):
    """Return the child of an outcome with the highest bound of PUCT.

    The bound of a child with mean value q, prior p and n of its parent's N visits is
    q + c p sqrt(N) / (1 + n); before its first visit, q is the mean value of the parent. So of the
    actions without a visit the most probable has the highest bound: it is a child, and the next
    takes its place when it is chosen.
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
        if bound > best_bound or (bound == best_bound and nodes[child].action > nodes[best].action):
            best, best_bound = child, bound
        child = np.int64(nodes[child].next_sibling)
    if nodes[best].visit_count == 0:
        add_next_action(tree, node)
    return best
