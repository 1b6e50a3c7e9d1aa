"""The tree that searches grow: records of nodes, and how values reach them.

Searches differ in what a node stands for and in which action they select next; see `mcts` and
`guided`.
"""

from typing import NamedTuple

import numpy as np

from ...envs.core.compile import rule

MAX_PATH_LENGTH = 64  # deeper nodes are leaves
NO_NODE = 0  # the root is nobody's child
ROOT = 0

NODE = np.dtype(
    (
        np.record,
        [
            ("action", np.int32),  # that leads here from the parent
            ("visit_count", np.int32),  # simulations that passed through
            ("first_child", np.int32),  # or NO_NODE
            ("next_sibling", np.int32),  # or NO_NODE
            ("value_sum", np.float64),  # their values for the node's seat in the path
            ("prior", np.float32),  # probability of `action` according to a network
        ],
    )
)
# What a search with a network knows of a node that is an outcome. Its children are the actions
# simulated and the most probable one of the others.
OUTCOME = np.dtype(
    (
        np.record,
        [
            ("key", np.int64),  # by which the outcomes of an action are told apart
            ("came_from", np.int64),  # bit d: determinization d is known to lead here
            ("first_untried", np.int32),  # the first of its rows of `untried`
            ("num_untried", np.int32),  # how many they are
        ],
    )
)
UNTRIED = np.dtype((np.record, [("action", np.int32), ("prior", np.float32)]))
PATH_STEP = np.dtype((np.record, [("node", np.int64), ("seat", np.int64)]))


class Tree(NamedTuple):
    """The tree of one move. The children of a node form a linked list; their order has no meaning.

    There is no parent link: `path` holds the way from the root (excluded) to the leaf of the
    simulation under way, each node with the seat whose values it sums: the one that chose its
    action, but for an outcome of `guided` the one that acts there.
    """

    nodes: np.ndarray  # NODE [N]; node ROOT is the position to move in
    num_nodes: np.ndarray  # int64 [1]: how many are in use
    path: np.ndarray  # PATH_STEP [MAX_PATH_LENGTH]
    outcomes: np.ndarray  # OUTCOME [N] by node, of a search with a network
    untried: np.ndarray  # UNTRIED [M]: actions of outcomes that are no nodes yet
    num_untried: np.ndarray  # int64 [1]: how many rows of `untried` are in use

    @staticmethod
    def empty(max_nodes: int, max_outcomes: int = 0, max_untried: int = 0) -> "Tree":
        """Return a tree of the root alone, with room for so many records of each kind."""
        return Tree(
            nodes=np.zeros(max_nodes, NODE),
            num_nodes=np.ones(1, np.int64),
            path=np.zeros(MAX_PATH_LENGTH, PATH_STEP),
            outcomes=np.zeros(max_outcomes, OUTCOME),
            untried=np.zeros(max_untried, UNTRIED),
            num_untried=np.zeros(1, np.int64),
        )

    def clear(self) -> None:
        """Remove all nodes but the root."""
        self.nodes[: self.num_nodes[0]] = np.zeros(1, NODE)
        self.num_nodes[0] = 1

    def action_values(self, num_actions: int) -> np.ndarray:
        """Return the mean value of each action at the root [A], for its seat; NaN if not tried."""
        values = np.full(num_actions, np.nan)
        child = self.nodes[ROOT]["first_child"]
        while child != NO_NODE:
            node = self.nodes[child]
            if node["visit_count"] > 0:
                values[node["action"]] = node["value_sum"] / node["visit_count"]
            child = node["next_sibling"]
        return values


@rule
def child_of(tree, node, action):
    """Return the child of a node that stands for `action`, or NO_NODE."""
    nodes = tree.nodes
    child = np.int64(nodes[node].first_child)
    while child != NO_NODE and nodes[child].action != action:
        child = np.int64(nodes[child].next_sibling)
    return child


@rule
def new_child(tree, node, action):
    """Append a child for `action` to a node; return it. There must be room."""
    nodes = tree.nodes
    child = tree.num_nodes[0]
    tree.num_nodes[0] += 1
    nodes[child].action = action
    nodes[child].visit_count = 0
    nodes[child].first_child = NO_NODE
    nodes[child].next_sibling = nodes[node].first_child
    nodes[child].value_sum = 0.0
    nodes[node].first_child = child
    return child


@rule
def pass_through(tree, length, node, seat):
    """Append a node and the seat whose values it sums to a path; return the path's new length."""
    tree.path[length].node = node
    tree.path[length].seat = seat
    return length + 1


@rule
def backpropagate(tree, length, values):
    """Add a visit to each node of the path, and the value for the node's seat."""
    for index in range(length):
        step = tree.path[index]
        node = tree.nodes[step.node]
        node.visit_count += 1
        node.value_sum += values[step.seat]
