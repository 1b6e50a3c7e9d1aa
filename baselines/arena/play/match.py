"""Play a match: one policy against a field of another, every deal from every seat."""

import dataclasses
from collections.abc import Callable
from operator import index
from typing import Any

import numpy as np

from ....envs.core.game import Game
from ....envs.core.rng import SEED_LIMIT
from ...statistics.estimates import (
    RETURNS,
    Estimate,
    elo_of_score,
    mean_of_deals,
    proportion_of_deals,
)
from ...statistics.result_words import Words, words_of
from ..ratings.sprt import UNDECIDED, Sprt, Verdict, sprt_verdict
from .batches import Match, Outcomes
from .entrants import EntrantSpec, enter
from .playing import Part, Plan, PlayedMatch, assembled, log_progress, play_matches

DEFAULT_PLAN = Plan()


@dataclasses.dataclass(frozen=True)
class MatchResult:
    """The result of a match for `first`, each figure with its 95 % interval.

    After a sequential test the intervals contain the true value less often than 95 %, because the
    test tends to stop when luck is at an extreme.
    """

    game: str
    first: str
    second: str
    num_deals: int
    num_games: int
    mean_return: Estimate  # of `first`; 0 = as strong as the field
    first_places: Estimate  # proportion of games won by `first`, shared places counted in part
    fair_share: float  # of first places, among equals
    wins: Estimate  # proportion of games in which `first` was ahead of everybody
    draws: Estimate  # proportion of games in which it shared the first place
    losses: Estimate  # proportion of games in which somebody was ahead of it
    elo: Estimate  # the Elo difference at which this mean return is expected
    faults: tuple[int, int] = (0, 0)  # games that `first` and `second` lost by a fault
    verdict: Verdict | None = None  # of the sequential test, where there was one
    # The limits of the time control and the secret of its deals; None without time control.
    control: dict[str, Any] | None = dataclasses.field(default=None, compare=False)

    @property
    def words(self) -> Words:
        """The words for its outcomes."""
        return words_of(round(1 / self.fair_share))

    def __str__(self) -> str:
        estimates = (self.wins, self.draws, self.losses, self.first_places)
        won, drawn, lost, score = (estimate.scaled(100) for estimate in estimates)
        words = self.words
        lines = [
            f"{self.first} v {self.second} at {self.game}: {self.num_games:,} games, "
            f"{self.num_deals:,} deals each from every seat",
            f"  {words.won} {won:.1f} %, {words.drawn} {drawn:.1f} %, {words.lost} {lost:.1f} %",
            f"  {words.score} {score:.1f} % (of an equal player {100 * self.fair_share:.1f}; "
            f"{words.counting})",
            f"  mean return  {self.mean_return:+.3f}, of an equal player 0",
            f"  Elo          {self.elo:+.0f}, from the mean return",
        ]
        if any(self.faults):
            own, others = self.faults
            lines.append(f"  lost by a fault: {self.first} {own:,} games, {self.second} {others:,}")
        return "\n".join(lines if self.verdict is None else [*lines, f"  {self.verdict}"])


def play_match(
    game: Game,
    first: EntrantSpec,
    second: EntrantSpec,
    num_deals: int = 1000,
    seed: int = 0,
    on_progress: Callable[[int], None] | None = None,
    sprt: Sprt | None = None,
    plan: Plan = DEFAULT_PLAN,
) -> MatchResult:
    """Play `first` in one seat against `second` in all others, each deal once from every seat.

    `first` and `second` are anything that `make_policy` accepts, or entrants. The same seed gives
    the same result; of the `plan`, only its `control` affects it. With `sprt` the match ends as
    soon as the test decides, after `num_deals` at the latest; the score of a deal is
    (1 + mean return of `first`) / 2. `on_progress` is called with the number of games played.
    Raises ValueError for unknown players and for an impossible number of deals::

        >>> import parlour
        >>> game = parlour.load_game("president", num_players=2)
        >>> result = parlour.play_match(game, "lowest", "random", num_deals=20)
        >>> result.num_games, result.first_places.mean > result.fair_share
        (40, True)
    """
    match = Match(enter((first, second), game, plan.control is None), "field")
    seeds = deal_seeds(seed, num_deals)
    if sprt is None:
        result = result_of(game, play_matches(game, [match], seeds, plan, on_progress)[0])
    else:
        result = _until_decided(game, match, seeds, sprt, plan, on_progress)
    control = None if plan.control is None else plan.control.as_data()
    return dataclasses.replace(result, control=control)


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


def _until_decided(
    game: Game,
    match: Match,
    seeds: range,
    sprt: Sprt,
    plan: Plan,
    on_progress: Callable[[int], None] | None,
) -> MatchResult:
    """Play a block of deals at a time; deals played after the deciding one do not count."""
    block = plan.batch_deals * plan.workers.num_workers
    tell = on_progress or log_progress(len(seeds) * game.num_seats)
    parts: list[Part] = []
    for start in range(0, len(seeds), block):
        before = start * game.num_seats
        (played,) = play_matches(
            game,
            [match],
            seeds[start : start + block],
            plan,
            lambda done, before=before: tell(before + done),  # type: ignore[misc]
        )
        parts.append((seeds[start], Outcomes(played.returns, played.faults)))
        verdict = sprt_verdict(_scores(assembled(match, parts)), sprt, start)
        if verdict.decision != UNDECIDED:
            break
    decided = assembled(match, parts, seeds[: verdict.num_deals])
    return dataclasses.replace(result_of(game, decided), verdict=verdict)


def _scores(played: PlayedMatch) -> np.ndarray:
    """Return the mean score of the first entrant in each deal: [deals], 0 .. 1."""
    return (1 + np.diagonal(played.returns, axis1=1, axis2=2).mean(axis=1)) / 2


def result_of(game: Game, played: PlayedMatch) -> MatchResult:
    """Return the result of a match in which the first entrant sat at seat s in sitting s."""
    num_deals, n, _ = played.returns.shape
    by_seat = np.ascontiguousarray(played.returns.T)  # [seats, sittings, deals]: adds whole rows
    own = by_seat[np.arange(n), np.arange(n)]
    best = by_seat.max(axis=0)
    leaders = (by_seat == best).sum(axis=0)
    is_first = own == best
    wins = (is_first & (leaders == 1)).sum(axis=0)
    losses = n - is_first.sum(axis=0)
    mean_return = mean_of_deals(own.sum(axis=0), n, RETURNS)
    first, second = played.match.entrants
    own_faults = sum(fault.seat == fault.sitting for fault in played.faults)
    return MatchResult(
        game=game.name,
        first=first.name,
        second=second.name,
        num_deals=num_deals,
        num_games=num_deals * n,
        mean_return=mean_return,
        first_places=proportion_of_deals((is_first / leaders).sum(axis=0), n),
        fair_share=1 / n,
        wins=proportion_of_deals(wins, n),
        draws=proportion_of_deals(n - wins - losses, n),
        losses=proportion_of_deals(losses, n),
        elo=elo_of_score(mean_return.scaled(0.5, 0.5)),
        faults=(own_faults, len(played.faults) - own_faults),
    )
