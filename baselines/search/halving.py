"""Sequential halving (Karnin, Koren and Somekh 2013): which action gets the next simulations.

In each phase the remaining actions get equally many simulations, then the worse half is dropped.
`playout` and `mcts` define a simulation.
"""

import time
from collections.abc import Callable

import numpy as np

SIMULATIONS_BETWEEN_CLOCKS = 64

# (positions [B], rngs [B], alive int8 [B, A], rounds int64 [B], sums float [B, A]): simulate every
# live action of row b in each of rounds[b] determinizations, and add what it returned to `sums`.
Simulate = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray], None]


def single_rows(num_rows: int) -> list[slice]:
    """Return a slice for each row of a batch, to handle it as a batch of one."""
    return [slice(row, row + 1) for row in range(num_rows)]


def choose(
    simulate: Simulate,
    masks: np.ndarray,
    rngs: np.ndarray,
    positions: np.ndarray,
    num_simulations: int,
    milliseconds: float | None,
) -> np.ndarray:
    """Return the best actions [B] after `num_simulations` at each row, or after `milliseconds`."""
    if milliseconds is None:
        return choose_by_halving(simulate, masks, rngs, positions, num_simulations)
    actions = [
        choose_in_time(simulate, masks[row], rngs[row], positions[row], milliseconds / 1000)
        for row in single_rows(len(masks))
    ]
    return np.array(actions, np.int64)


def choose_by_halving(
    simulate: Simulate,
    masks: np.ndarray,
    rngs: np.ndarray,
    positions: np.ndarray,
    num_simulations: int,
) -> np.ndarray:
    """Return the best actions [B] after `num_simulations` at each row, rows side by side.

    Every action is tried at least once, even where that exceeds `num_simulations`.
    """
    alive = masks.astype(np.int8)
    sums = np.zeros(masks.shape)
    remaining = np.full(len(masks), num_simulations)
    min_rounds = 1  # in the first phase, so that every action is tried
    while True:
        num_alive = alive.sum(axis=1, dtype=np.int64)
        if num_alive.max(initial=0) <= 1:
            return alive.argmax(axis=1)
        num_phases = np.ceil(np.log2(np.maximum(num_alive, 2))).astype(np.int64)
        rounds = np.maximum(np.maximum(remaining, 0) // (num_phases * num_alive), min_rounds)
        rounds[num_alive <= 1] = 0
        simulate(positions, rngs, alive, rounds, sums)
        remaining -= rounds * num_alive
        halve(alive, sums)
        min_rounds = 0


def choose_in_time(
    simulate: Simulate, mask: np.ndarray, rng: np.ndarray, position: np.ndarray, seconds: float
) -> int:
    """Return the best action of a batch of one; each phase of halving takes equally long."""
    alive = mask.astype(np.int8)
    sums = np.zeros(mask.shape)
    start = time.perf_counter()
    num_phases = int(np.ceil(np.log2(max(1, int(alive.sum())))))
    for phase in range(num_phases):
        rounds = np.array([max(1, SIMULATIONS_BETWEEN_CLOCKS // int(alive.sum()))])
        simulate(position, rng, alive, rounds, sums)
        while time.perf_counter() < start + seconds * (phase + 1) / num_phases:
            simulate(position, rng, alive, rounds, sums)
        halve(alive, sums)
    return int(alive[0].argmax())


def halve(alive: np.ndarray, sums: np.ndarray) -> None:
    """Keep the better half of the live actions of each row; of equal ones, the lower index."""
    ranked = np.argsort(np.where(alive == 1, -sums, np.inf), axis=1, kind="stable")
    places = np.argsort(ranked, axis=1)
    alive &= places < (alive.sum(axis=1, keepdims=True, dtype=np.int64) + 1) // 2
