"""Epsilon-greedy exploration among legal actions."""

import numpy as np


def explore(
    actions: np.ndarray, masks: np.ndarray, epsilon: float, random: np.random.Generator
) -> np.ndarray:
    """Replace each action by a random legal one with probability `epsilon`; return a new array.

    `actions` are int64 [B], `masks` int8 [B, A].
    """
    explores = random.random(len(actions)) < epsilon
    keys = random.random((int(explores.sum()), masks.shape[1]))
    out = actions.copy()
    out[explores] = (keys * masks[explores]).argmax(axis=1)
    return out
