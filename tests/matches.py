"""Several matches in one compiled loop, as compiling takes longer than playing; or none played."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from parlour.baselines.arena.play.batches import DealBatch, Match, Outcomes
from parlour.baselines.arena.play.entrants import enter
from parlour.baselines.arena.play.match import DEFAULT_PLAN, MatchResult, deal_seeds, result_of
from parlour.baselines.arena.play.playing import play_matches
from parlour.envs.core.game import Game


def match_results(
    game: Game, pairs: Sequence[tuple[str, str]], num_deals: int, seed: int = 0
) -> list[MatchResult]:
    """What `play_match` gives for each pair."""
    matches = [Match(enter(pair, game), "field") for pair in pairs]
    played = play_matches(game, matches, deal_seeds(seed, num_deals), DEFAULT_PLAN)
    return [result_of(game, one) for one in played]


@dataclasses.dataclass(frozen=True)
class Scripted:
    """A control that plays no game: a function of a batch and who sits where has the outcomes."""

    outcomes: Callable[[DealBatch, np.ndarray], Outcomes]

    def play(self, batch: DealBatch, seated: np.ndarray) -> Outcomes:
        return self.outcomes(batch, seated)

    def deal_seed(self, number: int) -> int:
        return number

    def as_data(self) -> dict[str, Any]:
        return {"name": self.outcomes.__name__}
