"""Play a match: one policy against a field of another, every deal from every seat."""

import dataclasses
from collections.abc import Callable
from functools import partial
from operator import index
from typing import Any

import numpy as np

from ....envs.core.catalogue import as_game
from ....envs.core.game import Game
from ....envs.core.rng import SEED_LIMIT
from ...statistics.anytime import PROPORTION, anytime_mean
from ...statistics.estimates import (
    RETURNS,
    Estimate,
    elo_of_score,
    mean_of_deals,
)
from ...statistics.result_data import Result
from ...statistics.result_words import ANYTIME, FIXED, Words, words_of
from ...statistics.strata import mean_of_strata
from ..ratings.until import Verdict, verdict_of
from .adjusted import Adjusted, StandIns
from .batches import Match
from .entrants import EntrantSpec, enter
from .playing import Plan, PlayedMatch, origin_of, own_returns, play_matches, scores_of

DEFAULT_PLAN = Plan()


@dataclasses.dataclass(frozen=True)
class Sample:
    """How the games of a match were chosen, before the first was played; see `play_budget`."""

    pool: int  # games they were drawn from: those with the first seeds
    strata: tuple[int, ...]  # of each game, by seed: a part of the pool with similar predictions
    stand_ins: dict[str, str]  # identities by name: their mean return is the prediction

    def __str__(self) -> str:
        stand_ins = ", ".join(self.stand_ins)
        return f"of {self.pool:,}, stratified by the mean return of {stand_ins}"


@dataclasses.dataclass(frozen=True)
class MatchResult(Result):
    """The result of a match for `first`, each figure with its 95 % interval.

    Proportions are 0 .. 1 of the games, returns -1 .. 1, Elo is in points.

    `intervals` is their kind: FIXED are valid only for a number of deals fixed in advance; ANYTIME
    are wider, and valid under optional stopping.
    """

    game: str  # its name
    first: str  # the player in one seat
    second: str  # the player in all other seats
    num_deals: int  # that were played
    num_games: int  # one for each deal and seat
    mean_return: Estimate  # of `first`, -1 .. 1; 0 = as strong as the field
    first_places: Estimate  # proportion of games won by `first`, shared places counted in part
    fair_share: float  # first places of equal players: 1 / seats
    wins: Estimate  # proportion of games in which `first` was ahead of everybody
    draws: Estimate  # proportion of games in which it shared the first place
    losses: Estimate  # proportion of games in which somebody was ahead of it
    elo: Estimate  # Elo points above the field, at which this mean return is expected
    faults: tuple[int, int] = (0, 0)  # games that `first` and `second` lost by a fault
    verdict: Verdict | None = None  # why the match ended, where it had an `until`
    intervals: str = FIXED  # FIXED or ANYTIME: of which kind they are
    adjusted: Adjusted | None = None  # the mean return without luck, where there are stand-ins
    sample: Sample | None = None  # how the games were chosen, where there was a budget
    # The limits of the time control and the secret of its deals; None without time control.
    control: dict[str, Any] | None = dataclasses.field(default=None, compare=False)
    # The first seed, the players' identities, the environment, and the store's last digest.
    origin: dict[str, Any] = dataclasses.field(default_factory=dict, compare=False)

    @property
    def words(self) -> Words:
        """The words for its outcomes."""
        return words_of(round(1 / self.fair_share))

    def __str__(self) -> str:
        estimates = (self.wins, self.draws, self.losses, self.first_places)
        won, drawn, lost, score = (estimate.scaled(100) for estimate in estimates)
        words, deals = self.words, f"{self.num_deals:,} deals each from every seat"
        if self.sample is not None:
            deals = f"each another deal {self.sample}"
        lines = [
            f"{self.first} v {self.second} at {self.game}: {self.num_games:,} games, {deals}",
            f"  {words.won} {won:.1f} %, {words.drawn} {drawn:.1f} %, {words.lost} {lost:.1f} %",
            f"  {words.score} {score:.1f} % (of an equal player {100 * self.fair_share:.1f}; "
            f"{words.counting})",
            f"  mean return  {self.mean_return:+.3f}, equal strength: 0; decides who is stronger",
            f"  Elo          {self.elo:+.0f}, the mean return on the scale of Elo",
            f"  intervals    95 %, {self.intervals}",
        ]
        if self.adjusted is not None:
            lines.insert(-1, f"  adjusted     {self.adjusted}")
        if any(self.faults):
            own, others = self.faults
            lines.append(f"  lost by a fault: {self.first} {own:,} games, {self.second} {others:,}")
        return "\n".join(lines if self.verdict is None else [*lines, f"  {self.verdict}"])


def play_match(
    game: Game | str,
    first: EntrantSpec,
    second: EntrantSpec,
    num_deals: int = 1000,
    seed: int = 0,
    on_progress: Callable[[int], None] | None = None,
    plan: Plan = DEFAULT_PLAN,
    stand_ins: tuple[EntrantSpec, EntrantSpec] | None = None,
) -> MatchResult:
    """Play `first` in one seat against `second` in all others, each deal once from every seat.

    `first` and `second` are anything that `make_policy` accepts, or entrants. The same seed gives
    the same result; of the `plan`, only `control` and `until` affect it. With `until=10` the match
    ends as soon as the Elo interval is at most 10 wide on either side or excludes 0, after
    `num_deals` at the latest. `stand_ins`, two compiled players that play about like `first` and
    `second`, reduce the variance of the mean return (see `adjusted`), of matches without
    `until`. `on_progress` is called with the number of games played. Raises ValueError for unknown
    players and for an impossible number of deals::

        >>> import parlour
        >>> game = parlour.load_game("president", num_players=2)
        >>> result = parlour.play_match(game, "lowest", "random", num_deals=20)
        >>> result.num_games, result.first_places.mean > result.fair_share
        (40, True)
    """
    game = as_game(game)
    match = Match(enter((first, second), game, plan.control is None), "field")
    if stand_ins is not None and plan.until is not None:
        raise ValueError("take until or stand_ins: a match that may end early is not adjusted")
    values = None if stand_ins is None else StandIns(game, stand_ins)
    played = play_matches(game, [match], deal_seeds(seed, num_deals), plan, on_progress)[0]
    verdict = None if plan.until is None else verdict_of(scores_of(played), plan.until)
    control = None if plan.control is None else plan.control.as_data()
    origin = origin_of([played], plan.store)
    adjusted = None if values is None else values.adjusted(played, plan.control)
    result = result_of(game, played, verdict)
    return dataclasses.replace(result, control=control, origin=origin, adjusted=adjusted)


def deal_seeds(seed: int, num_deals: int) -> range:
    """Return `num_deals` seeds in succession. Raises ValueError for no deals or no seeds left."""
    seed, num_deals = index(seed), index(num_deals)
    if num_deals < 1:
        raise ValueError(f"a match needs at least one deal; got {num_deals}")
    if not 0 <= seed <= SEED_LIMIT - num_deals:
        raise ValueError(
            f"seeds go from 0 to {SEED_LIMIT - 1}: {num_deals} deals cannot follow seed {seed}"
        )
    return range(seed, seed + num_deals)


def result_of(
    game: Game,
    played: PlayedMatch,
    verdict: Verdict | None = None,
    sample: Sample | None = None,
) -> MatchResult:
    """Return the result of a match of the first entrant against a field of the second.

    With a verdict, intervals hold at any time. With a sample, they are those of its strata.
    """
    mean: Any = mean_of_deals if verdict is None else anytime_mean
    if sample is not None:
        mean = partial(mean_of_strata, strata=sample.strata, pool=sample.pool)
    num_deals, sittings, _ = played.returns.shape
    by_seat = np.ascontiguousarray(played.returns.T)  # [seats, sittings, deals]: adds whole rows
    own = np.ascontiguousarray(own_returns(played).T)
    best = by_seat.max(axis=0)
    leaders = (by_seat == best).sum(axis=0)
    is_first = own == best
    wins = (is_first & (leaders == 1)).sum(axis=0)
    losses = sittings - is_first.sum(axis=0)
    mean_return = mean(own.sum(axis=0), sittings, RETURNS)
    first, second = played.match.entrants
    own_faults = sum(fault.seat == fault.sitting for fault in played.faults)
    return MatchResult(
        game=game.name,
        first=first.name,
        second=second.name,
        num_deals=num_deals,
        num_games=num_deals * sittings,
        mean_return=mean_return,
        first_places=mean(first_place_shares(played), sittings, PROPORTION),
        fair_share=1 / game.num_seats,
        wins=mean(wins, sittings, PROPORTION),
        draws=mean(sittings - wins - losses, sittings, PROPORTION),
        losses=mean(losses, sittings, PROPORTION),
        elo=elo_of_score(mean_return.scaled(0.5, 0.5)),
        faults=(own_faults, len(played.faults) - own_faults),
        verdict=verdict,
        intervals=FIXED if verdict is None else ANYTIME,
        sample=sample,
    )


def first_place_shares(played: PlayedMatch) -> np.ndarray:
    """Return the first places [deals] of the first entrant, summed over the games of each deal.

    k players share a place as 1 / k each.
    """
    by_seat = np.ascontiguousarray(played.returns.T)
    best = by_seat.max(axis=0)
    leaders = (by_seat == best).sum(axis=0)
    return ((best == own_returns(played).T) / leaders).sum(axis=0)
