"""Find players that beat each other in a cycle: no single number for each explains that."""

import numpy as np


def find_cycle(lows: np.ndarray) -> list[int]:
    """Find players of which each beats the next, and the last the first; else return [].

    `lows` [players, players] are the lower ends of the row's score against the column; above a
    half the row beats the column. The cycle is one whose closest pair is as clear as possible.
    """
    for threshold in np.unique(lows[lows > 0.5])[::-1]:
        cycle = _shortest_cycle(lows >= threshold)
        if cycle:
            return cycle
    return []


def _shortest_cycle(beats: np.ndarray) -> list[int]:
    shortest: list[int] = []
    for start in range(len(beats)):
        paths = {int(player): [start, int(player)] for player in np.flatnonzero(beats[start])}
        queue = list(paths)
        while queue and start not in paths:
            player = queue.pop(0)
            for other in map(int, np.flatnonzero(beats[player])):
                if other not in paths:
                    paths[other] = [*paths[player], other]
                    queue.append(other)
        if start in paths and (not shortest or len(paths[start]) - 1 < len(shortest)):
            shortest = paths[start][:-1]
    return shortest
