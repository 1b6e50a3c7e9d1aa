"""Take the luck of the deals out of a match by a control variate.

Two compiled stand-ins play each deal too, and other random deals. Their return at the deal minus
that at the others is luck. Its expectation is exactly zero for any stand-ins, so subtracting it
reduces variance and adds no bias (compare AIVAT: Burch and others, 2018).
"""

import dataclasses

import numpy as np

from ....envs.core.game import Game
from ....envs.core.rng import SEED_LIMIT
from ...players.making import make_policy
from ...statistics.estimates import Estimate, mean_of_deals
from .batches import Control, play_deals
from .entrants import EntrantSpec, enter
from .playing import PlayedMatch
from .seatings import one_against_field

OTHERS = 8  # deals that each deal is compared with
_PRIOR_DEALS = 4.0  # in which luck and results are unrelated


@dataclasses.dataclass(frozen=True)
class Adjusted:
    """The mean return of a match without the luck of its deals."""

    mean_return: Estimate  # of the first player, -1 .. 1
    saved: float  # the deals that an unadjusted interval as narrow takes, over those played
    stand_ins: tuple[str, str]  # their names
    identities: tuple[str, str]  # of the stand-ins, chosen before the first deal

    def __str__(self) -> str:
        stand_ins = " v ".join(self.stand_ins)
        return (
            f"{self.mean_return:+.3f}, mean return without the luck of {stand_ins} in these deals; "
            f"as precise as {self.saved:.1f} times the deals"
        )


class StandIns:
    """Two compiled players that play about like those of a match, each in their places.

    If they play differently, results are less precise, never biased. Raises ValueError for unknown
    players, and for those that are not one compiled function.
    """

    def __init__(self, game: Game, specs: tuple[EntrantSpec, EntrantSpec]) -> None:
        self.game = game
        entrants = enter(specs, game)
        self.names = entrants[0].name, entrants[1].name
        self.identities = entrants[0].identity, entrants[1].identity
        self.policies = tuple(make_policy(entrant.spec, game) for entrant in entrants)
        for policy in self.policies:
            if policy.row_function is None:
                raise ValueError(f"{policy.name} cannot stand in: it is not one compiled function")

    def adjusted(self, played: PlayedMatch, control: Control | None = None) -> Adjusted:
        """Adjust the mean return of the first entrant; a contest's secret numbers the deals."""
        raw, seeds = _own(played.returns).mean(axis=1), np.asarray(played.seeds)
        if control is not None:
            seeds = np.array([control.deal_seed(int(number)) for number in seeds])
        values = without_luck(raw, self.luck_of_games(seeds).mean(axis=1))
        variance = max(float(values.var()), np.finfo(float).tiny)
        saved = float(raw.var()) / variance
        return Adjusted(mean_of_deals(values), saved, self.names, self.identities)

    def luck_of_games(self, seeds: np.ndarray) -> np.ndarray:
        """Return how much better the first stand-in does than in other deals: [deals, sittings]."""
        rngs = (np.random.default_rng(int(seed)) for seed in seeds)
        others = np.array([rng.integers(SEED_LIMIT, size=OTHERS) for rng in rngs])
        results = self._play(others.ravel()).reshape(*others.shape, -1)
        return self._play(seeds) - results.mean(axis=1)

    def _play(self, seeds: np.ndarray) -> np.ndarray:
        seated = one_against_field(self.game.num_seats, seeds)
        return _own(play_deals(self.game, self.policies, seeds, seated))


def _own(returns: np.ndarray) -> np.ndarray:
    """Return the returns of the first entrant, which sits at seat s in sitting s."""
    return np.diagonal(returns, axis1=1, axis2=2)


def without_luck(raw: np.ndarray, luck: np.ndarray) -> np.ndarray:
    """Subtract from results [deals] the part of their luck that fitted the deals before.

    The part is a regression coefficient within 0 .. 1, and 0 at first. It does not depend on the
    deal that it is used for, so that no bias comes in.
    """
    num = np.maximum(np.arange(len(raw)), 1)
    before = [np.cumsum(x) - x for x in (raw, luck, raw * luck, luck**2)]  # sums
    prior = _PRIOR_DEALS * before[3] / num
    covariance = before[2] - before[0] * before[1] / num
    variance = before[3] - before[1] ** 2 / num + prior
    part = np.divide(covariance, variance, out=np.zeros(len(raw)), where=variance > 0)
    return raw - part.clip(0, 1) * luck
