"""Objectives of players: the return of a game, its first place, or a mean of the two."""

import numpy as np

from ...envs.core.compile import rule


@rule
def weigh_first_place(worth, weight):
    """Replace returns [seats] by their weighted means with 1 for the first place, -1 for others.

    Of k seats that share the first place, each has 2 / k - 1 for it.
    """
    best = -np.inf
    leaders = 0
    for seat in range(worth.shape[0]):
        best = max(best, worth[seat])
    for seat in range(worth.shape[0]):
        leaders += worth[seat] == best
    for seat in range(worth.shape[0]):
        first = 2.0 / leaders - 1.0 if worth[seat] == best else -1.0
        worth[seat] += weight * (first - worth[seat])
