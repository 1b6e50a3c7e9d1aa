"""The searches once more, in plain Python over dictionaries: slow, and sharing no code with them.

Random numbers are drawn in the same order, so that results can be compared to the last digit.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from parlour.envs.core.bits import random_allowed
from parlour.envs.core.game import CHANCE, Game
from parlour.envs.core.rng import STREAM, split, uniform

Row = Callable[[Any, np.ndarray, Any], int]


@dataclasses.dataclass
class Node:
    """What the tree knows of an action after those that led to it."""

    visits: int = 0
    total: float = 0.0  # of the values for the seat that chose the action
    children: dict[int, Node] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class SlowSearch:
    """Playouts of one game, and a tree over them."""

    game: Game
    playout_policy: Row
    epsilon: float
    expansion_threshold: int = 1
    exploration_constant: float = 0.0
    max_nodes: int = 1_000_000
    max_path: int = 64
    num_nodes: int = 1
    root: Node = dataclasses.field(default_factory=Node)

    def determinized(self, position: Any, seat: int, rng: Any) -> tuple[np.ndarray, np.ndarray]:
        """A position the seat cannot tell from this one, and a stream for what follows."""
        states = np.array([position], self.game.state_dtype)
        self.game.reshuffle_unseen(states[0], seat, rng)
        after = np.zeros(1, STREAM)
        split(rng, after[0])
        return states, after

    def flat(self, position: Any, rng: Any, actions: list[int], rounds: int) -> dict[int, float]:
        """The sums of what playouts of each action bring the seat to act."""
        seat = int(self.game.seat_to_act(position))
        sums = dict.fromkeys(actions, 0.0)
        for _ in range(rounds):
            states, stream = self.determinized(position, seat, rng)
            for action in actions:
                state, own = states.copy()[0], stream.copy()[0]
                self.apply(state, action, own)
                sums[action] += self.play_out(state, own)[seat]
        return sums

    def in_tree(self, position: Any, rng: Any, actions: list[int], rounds: int) -> dict[int, float]:
        """The same with the tree, which grows."""
        seat = int(self.game.seat_to_act(position))
        sums = dict.fromkeys(actions, 0.0)
        for _ in range(rounds):
            states, stream = self.determinized(position, seat, rng)
            for action in actions:
                sums[action] += self.simulate(states.copy()[0], stream.copy()[0], action)[seat]
        return sums

    def simulate(self, state: Any, rng: Any, action: int) -> list[float]:
        """One way down the tree and to the end of the game; the returns of all seats."""
        path = []
        node = self.root
        while True:
            path.append((self.child(node, action), int(self.game.seat_to_act(state))))
            node = path[-1][0]
            self.apply(state, action, rng)
            is_leaf = (
                node.visits < self.expansion_threshold
                or self.num_nodes == self.max_nodes
                or len(path) == self.max_path
            )
            if self.game.is_terminal(state) or is_leaf:
                break
            action = self.select(state, rng, node)
        returns = self.play_out(state, rng)
        for node, seat in path:
            node.visits += 1
            node.total += returns[seat]
        return returns

    def child(self, node: Node, action: int) -> Node:
        """The node after an action, made if there is none."""
        if action not in node.children:
            node.children[action] = Node()
            self.num_nodes += 1
        return node.children[action]

    def select(self, state: Any, rng: Any, node: Node) -> int:
        """Progressive widening: UCT while tried ** 2 >= visits, else an untried action first."""
        legal = self.game.legal_action_list(state)
        tried = {action: node.children[action] for action in legal if action in node.children}
        bounds = {
            action: child.total / child.visits
            + self.exploration_constant * math.sqrt(math.log(node.visits)) / math.sqrt(child.visits)
            for action, child in tried.items()
        }
        newest_first = [action for action in reversed(node.children) if action in tried]
        if len(tried) ** 2 >= node.visits:
            return max(newest_first, key=bounds.__getitem__)
        preferred = self.chosen(state, rng)
        if preferred not in node.children:
            return preferred
        drawn = int(random_allowed(self.words(state), rng))
        if drawn not in node.children:
            return drawn
        return max(newest_first, key=bounds.__getitem__)

    def play_out(self, state: Any, rng: Any) -> list[float]:
        """The returns of a playout: the playout policy in all seats, random with `epsilon`."""
        while not self.game.is_terminal(state):
            if self.epsilon > 0 and uniform(rng) < self.epsilon:
                action = int(random_allowed(self.words(state), rng))
            else:
                action = self.chosen(state, rng)
            self.apply(state, action, rng)
        returns = np.zeros(self.game.num_seats)
        self.game.returns(state, returns)
        return returns.tolist()

    def chosen(self, state: Any, rng: Any) -> int:
        """The action of the playout policy."""
        observation = self.game.new_observations()[0]
        self.game.observe(state, self.game.seat_to_act(state), observation)
        return int(self.playout_policy(observation, self.words(state), rng))

    def words(self, state: Any) -> np.ndarray:
        """The action mask."""
        words = np.zeros(self.game.num_mask_words, np.int64)
        self.game.legal_actions(state, words)
        return words

    def apply(self, state: Any, action: int, rng: Any) -> None:
        """An action, and what chance does after it."""
        self.game.apply_action(state, np.int64(action))
        while not self.game.is_terminal(state) and self.game.seat_to_act(state) == CHANCE:
            assert self.game.play_chance is not None
            self.game.play_chance(state, rng)
