"""Who plays the seats beside the learner's: players, or pools from which each game draws one."""

from collections.abc import Mapping
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from ..play.loops import EXTERNAL
from ..records import CHANCE_OF_POLICY


class Opponents(NamedTuple):
    """The players of all seats but the learner's, as probabilities of each by its place."""

    policies: tuple[Any, ...]
    pools: np.ndarray  # CHANCE_OF_POLICY [seats, K], clockwise from the learner, who is EXTERNAL

    @classmethod
    def of(cls, opponents: Any, num_seats: int, num_others: int) -> "Opponents":
        """Return `opponents`: one player for all other seats, or a list with one for each.

        A dict of players and weights, in place of a player, is a pool. In self-play there are no
        others: all seats are EXTERNAL. Raises ValueError for another number and for bad weights.
        """
        if isinstance(opponents, list | tuple) and len(opponents) != num_others:
            raise ValueError(
                f"opponents must be one player, or a list of {num_others}, one for each other "
                f"seat clockwise from the learning seat; got {len(opponents)}"
            )
        listed = opponents if isinstance(opponents, list | tuple) else [opponents] * num_others
        pools = [one if isinstance(one, Mapping) else {one: 1.0} for one in listed]
        policies = list(dict.fromkeys(policy for pool in pools for policy in pool))
        for policy in policies:
            if not callable(policy):
                raise ValueError(
                    f"an opponent is a policy, as `make_policy` makes it; got {policy!r} (gym.make "
                    "and gym.make_vec also take names)"
                )
        places = np.zeros((num_seats, max(map(len, pools), default=1)), CHANCE_OF_POLICY)
        places[:] = np.array((EXTERNAL, 1.0), CHANCE_OF_POLICY)
        for place, pool in zip(places[1:], pools, strict=False):  # in self-play there are none
            place["policy"][: len(pool)] = [policies.index(policy) for policy in pool]
            place["cumulative"][: len(pool)] = _cumulative(pool)
        return cls(tuple(policies), places)

    @property
    def are_drawn(self) -> bool:
        """Return whether there is a pool."""
        return bool((self.pools["cumulative"][:, 0] < 1).any())

    def seated(self, learners: np.ndarray) -> np.ndarray:
        """Return the first player of each pool around these learning seats: [K, seats]."""
        seats = np.arange(len(self.pools))
        return self.pools["policy"][(seats - learners[:, None]) % len(seats), 0]


def _cumulative(pool: Mapping[Any, Any]) -> np.ndarray:
    """Return the chances of drawing one of the players up to each. Raises ValueError."""
    weights = list(pool.values())
    are_numbers = all(
        isinstance(w, int | float | np.number) and isfinite(w) and w >= 0 for w in weights
    )
    if not are_numbers or not any(weights):
        raise ValueError(
            "a pool is a dict of players and their weights, numbers of at least 0 and one above "
            f"0; got the weights {weights}"
        )
    sums = np.cumsum(np.asarray(weights, dtype=float) / max(weights))
    return sums / sums[-1]
