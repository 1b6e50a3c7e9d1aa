"""Below the root of a guided search: nodes of outcomes, and selection by PUCT (Silver et al. 2017).

An outcome is what the next seat with a choice knows after an action; its children are its actions.
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
    """Return whether a new outcome with all its actions fits into the tree."""
    return tree.num_nodes[0] + 1 + num_allowed(words) <= tree.nodes.shape[0]


@rule
def outcome_key(data, words, seat):
    """Hash what a seat with a choice knows: the bytes of its observation, and its mask."""
    whole = data.shape[0] // WORD_BYTES * WORD_BYTES
    mixed = hashed(np.int64(seat + 1), data[:whole].view(np.int64))
    return hashed(hashed(mixed, data[whole:]), words)


@rule
def outcome_with_key(tree, node, key):
    """Return the outcome with this key of a node's action, or NO_NODE."""
    nodes = tree.nodes
    outcome = np.int64(nodes[node].first_child)
    while outcome != NO_NODE and nodes[outcome].key != key:
        outcome = np.int64(nodes[outcome].next_sibling)
    return outcome


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
