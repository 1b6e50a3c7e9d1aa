"""Counterfactual regret minimization (Zinkevich et al., NeurIPS 2007): solve a game of two seats.

All deals and draws are listed with their probabilities, so the game must be small. In this folder
`python cfr.py` solves Kuhn poker, whose value for the first seat is -1/18 of a chip.
"""

from collections import defaultdict
from typing import NamedTuple

import kuhn
import numpy as np

import parlour
from parlour.envs import OneGame
from parlour.envs.authoring import Game


class Node(NamedTuple):
    """A position of the game tree."""

    value: float  # for seat 0, where the game is over
    seat: int
    information: bytes  # what the seat knows: its information set
    actions: list[int]  # none where the game is over
    outcomes: list[list[tuple["Node", float]]]  # of each action, with their probabilities


def node_of(state: OneGame) -> Node:
    """Return the tree below a state."""
    if state.is_over:
        return Node(float(state.returns[0]), 0, b"", [], [])
    outcomes = [
        [(node_of(after), chance) for after, chance in state.outcomes(action)]
        for action in state.legal_actions
    ]
    return Node(0.0, state.seat, state.observation().tobytes(), state.legal_actions, outcomes)


class Solver:
    """The game tree, and the regrets and summed strategies of each information set."""

    def __init__(self, game: Game) -> None:
        self.roots = [(node_of(state), chance) for state, chance in parlour.all_starts(game)]
        self.regrets: dict[bytes, np.ndarray] = defaultdict(lambda: np.zeros(game.num_actions))
        self.sums: dict[bytes, np.ndarray] = defaultdict(lambda: np.zeros(game.num_actions))

    def iterate(self) -> float:
        """Walk through the game once; return the value of the strategies for seat 0."""
        return sum(chance * self.walk(root, np.ones(2), chance) for root, chance in self.roots)

    def walk(self, node: Node, reach: np.ndarray, chance: float) -> float:
        """Return the value of a node; `reach` [2] says how likely each seat plays to it."""
        if not node.actions:
            return node.value
        strategy = proportions(self.regrets[node.information][node.actions])
        values = np.zeros(len(node.actions))
        for k, outcomes in enumerate(node.outcomes):
            reached = reach.copy()
            reached[node.seat] *= strategy[k]
            values[k] = sum(p * self.walk(after, reached, chance * p) for after, p in outcomes)
        value = float(strategy @ values)
        gains = (values - value) * (1 if node.seat == 0 else -1)
        self.regrets[node.information][node.actions] += chance * reach[1 - node.seat] * gains
        self.sums[node.information][node.actions] += reach[node.seat] * strategy
        return value


def proportions(weights: np.ndarray) -> np.ndarray:
    """Return probabilities in proportion to the positive weights; equal ones if there are none."""
    positive = np.maximum(weights, 0)
    return positive / positive.sum() if positive.any() else np.full(len(weights), 1 / len(weights))


if __name__ == "__main__":
    solver = Solver(kuhn.game())
    values = [solver.iterate() for _ in range(2000)]
    print(f"value of Kuhn poker: {np.mean(values[1000:]) * kuhn.MAX_CHIPS:.4f} chips")
