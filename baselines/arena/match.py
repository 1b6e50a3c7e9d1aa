"""A match: one policy against a field of another, every deal played from every seat."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from ...envs.core.game import Game
from ...envs.core.rng import streams
from ...envs.core.seating import Seating, player_streams
from ...envs.core.tables import Tables
from ..players import make_policy
from .statistics import Estimate, elo_of_score, mean_of_deals, share_of_deals

BATCH_DEALS = 512  # deals played side by side; the results do not depend on it


@dataclasses.dataclass(frozen=True)
class MatchResult:
    """What a match showed of `first`, each figure with its 95 % interval."""

    game: str
    first: str
    second: str
    num_deals: int
    num_games: int
    mean_return: Estimate  # of `first`; 0 = as strong as the field
    first_places: Estimate  # share of games won by `first`, shared places counted in part
    fair_share: float  # what it would be among equals
    draws: float  # share of games in which nobody was ahead of anybody
    losses: float  # share of games in which somebody was ahead of `first`
    elo: Estimate  # Elo difference at the mean return

    def __str__(self) -> str:
        return (
            f"{self.first} v {self.second} at {self.game}: {self.num_games:,} games, "
            f"{self.num_deals:,} deals each from every seat\n"
            f"  first places {100 * self.first_places.mean:.1f} % "
            f"[{100 * self.first_places.low:.1f}, {100 * self.first_places.high:.1f}] "
            f"(fair share {100 * self.fair_share:.1f})\n"
            f"  mean return  {self.mean_return:+.3f}\n"
            f"  Elo          {self.elo:+.0f}"
        )


def play_match(
    game: Game,
    first: Any,
    second: Any,
    num_deals: int = 1000,
    seed: int = 0,
    on_progress: Callable[[int], None] | None = None,
) -> MatchResult:
    """Play `first` in one seat against `second` in all others, each deal once from every seat.

    Players are anything that `make_policy` takes. The same seed gives the same result whatever the
    batch. `on_progress` is called with the number of games done.
    """
    policies = (make_policy(first, game), make_policy(second, game))
    return _result(game, policies, play_batches(game, policies, num_deals, seed, on_progress))


def play_batches(
    game: Game,
    policies: tuple[Any, Any],
    num_deals: int,
    seed: int,
    on_progress: Callable[[int], None] | None,
) -> np.ndarray:
    """`play_deals` for the seeds from `seed` on, some deals at a time, telling how far it is."""
    if num_deals < 1:
        raise ValueError(f"a match needs at least one deal; got {num_deals}")
    parts = []
    for start in range(0, num_deals, BATCH_DEALS):
        seeds = seed + np.arange(start, min(start + BATCH_DEALS, num_deals))
        parts.append(play_deals(game, policies, seeds))
        if on_progress is not None:
            on_progress((start + len(seeds)) * game.num_seats)
    return np.concatenate(parts)


def play_deals(game: Game, policies: tuple[Any, Any], seeds: np.ndarray) -> np.ndarray:
    """Returns [deals, seatings, seats]: in seating s the first policy has seat s."""
    n = game.num_seats
    deal_seeds = np.repeat(seeds, n)
    seat_of_first = np.tile(np.arange(n), len(seeds))
    tables = Tables(game, streams(deal_seeds))
    seated = np.ones((len(deal_seeds), n), np.int64)
    seated[tables.all_rows, seat_of_first] = 0
    tables.deal(tables.all_rows)
    rngs = np.stack([player_streams(seeds, n, sitting) for sitting in range(n)], axis=1)
    Seating(tables, policies, seated, rngs.reshape(-1, n)).advance(tables.all_rows)
    return tables.returns(tables.all_rows).reshape(len(seeds), n, n)


def _result(game: Game, policies: tuple[Any, Any], returns: np.ndarray) -> MatchResult:
    num_deals, n, _ = returns.shape
    own = returns[:, np.arange(n), np.arange(n)]
    best = returns.max(axis=2)
    leaders = (returns == best[:, :, None]).sum(axis=2)
    is_ahead = own == best
    mean_return = mean_of_deals(own.mean(axis=1))
    score = Estimate(*((1 + value) / 2 for value in mean_return))
    return MatchResult(
        game=game.name,
        first=policies[0].name,
        second=policies[1].name,
        num_deals=num_deals,
        num_games=num_deals * n,
        mean_return=mean_return,
        first_places=share_of_deals((is_ahead / leaders).mean(axis=1), n),
        fair_share=1 / n,
        draws=float((leaders == n).mean()),
        losses=float((~is_ahead).mean()),
        elo=elo_of_score(score),
    )
