"""Rate players where no single number for each explains the results: they beat in a cycle.

Nash averaging (Balduzzi, Tuyls, Perolat and Graepel 2018, "Re-evaluating Evaluation") takes the
table of scores for a game in which each side picks a player, and rates every player by its score
against the equilibrium: the mixture of players that no player beats.
"""

import dataclasses

import numpy as np
from scipy import optimize

from ...statistics.estimates import Estimate

_NOTHING = 1e-6  # a smaller weight is rounding


@dataclasses.dataclass(frozen=True)
class NashAverage:
    """One player's part in the equilibrium mixture, and its score against that mixture."""

    player: str
    weight: float  # 0 .. 1
    score: Estimate | None  # 0 .. 1, for this mixture; None where it met no other player of it


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
    found: list[int] = []
    for start in range(len(beats)):
        paths = {int(player): [start, int(player)] for player in np.flatnonzero(beats[start])}
        queue = list(paths)
        while queue and start not in paths:
            player = queue.pop(0)
            for other in map(int, np.flatnonzero(beats[player])):
                if other not in paths:
                    paths[other] = [*paths[player], other]
                    queue.append(other)
        if start in paths and (not found or len(paths[start]) - 1 < len(found)):
            found = paths[start][:-1]
    return found


def equilibrium(scores: np.ndarray) -> np.ndarray:
    """Find the mixture [players] of greatest entropy that no player beats by `scores`.

    Scores [players, players] are the row's against the column, 0 .. 1; a pair's add up to 1.
    """
    payoffs = scores - 0.5
    num_players = len(payoffs)
    extremes = [_most_of(player, payoffs) for player in range(num_players)]
    inside = np.mean(extremes, axis=0)
    support = np.flatnonzero(inside > _NOTHING)
    start = inside[support] / inside[support].sum()
    slack = max(_NOTHING, float((payoffs[:, support] @ start).max()))
    solved = optimize.minimize(
        lambda mixture: float((mixture * np.log(mixture)).sum()),
        start,
        jac=lambda mixture: np.log(mixture) + 1,
        method="SLSQP",
        bounds=[(_NOTHING / 10, 1)] * len(support),
        constraints=[
            {"type": "eq", "fun": lambda mixture: mixture.sum() - 1},
            {"type": "ineq", "fun": lambda mixture: slack - payoffs[:, support] @ mixture},
        ],
    )
    best = np.zeros(num_players)
    best[support] = solved.x if solved.success else start
    best[best < _NOTHING] = 0
    return best / best.sum()


def _most_of(player: int, payoffs: np.ndarray) -> np.ndarray:
    """Find an equilibrium with the greatest probability of this player."""
    num_players = len(payoffs)
    solved = optimize.linprog(
        -np.eye(num_players)[player],
        A_ub=payoffs,
        b_ub=np.zeros(num_players),
        A_eq=np.ones((1, num_players)),
        b_eq=[1.0],
        bounds=(0, 1),
    )
    return np.asarray(solved.x)
