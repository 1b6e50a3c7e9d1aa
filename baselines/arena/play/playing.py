"""Play whole contests: read the results that a store has, play the rest and keep it."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ....envs.core.game import Game
from ...waiting import Wait
from ..results.store import Setting, Store
from .batches import BATCH_DEALS, Contest, Control, DealBatch, Fault, Outcomes
from .entrants import check_unchanged
from .seatings import sittings_a_deal
from .workers import Workers, play_all


class PlayedContest(NamedTuple):
    """The known results of a contest."""

    contest: Contest
    seeds: np.ndarray  # [deals], ascending
    returns: np.ndarray  # [deals, sittings, seats]
    faults: tuple[Fault, ...]

    def first(self, num_deals: int) -> "PlayedContest":
        """Return the results of the first `num_deals` deals."""
        seeds = self.seeds[:num_deals]
        faults = tuple(fault for fault in self.faults if fault.seed <= seeds[-1])
        return PlayedContest(self.contest, seeds, self.returns[:num_deals], faults)


def join(parts: Sequence[PlayedContest]) -> PlayedContest:
    """Join results of the same contest, in the order given."""
    return PlayedContest(
        parts[0].contest,
        np.concatenate([part.seeds for part in parts]),
        np.concatenate([part.returns for part in parts]),
        tuple(fault for part in parts for fault in part.faults),
    )


class Plan(NamedTuple):
    """How contests are played; only `control` affects the results."""

    workers: Workers = Workers()
    batch_deals: int = BATCH_DEALS
    store: Store | None = None  # results are read from it, and kept there as they come
    control: Control | None = None
    on_faults: Callable[[Game, tuple[Fault, ...]], None] | None = None  # with those of a contest


def play_contests(
    game: Game,
    contests: Sequence[Contest],
    seeds: range,
    plan: Plan,
    on_progress: Callable[[int], None] | None = None,
) -> list[PlayedContest]:
    """Play the deals `seeds` of every contest; call `on_progress` with the games done so far.

    Without `on_progress`, a long wait gets a line on stderr now and then. Raises
    ValueError where there is no deal to play, or where a store cannot identify a player.
    """
    if not seeds or plan.batch_deals < 1:
        raise ValueError("there must be at least one deal to play, and one in a batch")
    results = {
        contest: ContestResults(game.num_seats, contest, seeds.start + np.arange(len(seeds)))
        for contest in contests
    }
    setting = Setting.of(game, plan.control)
    for contest, result in results.items():
        if plan.store is not None:
            for first_seed, outcomes in plan.store.read(setting, contest, seeds):
                result.add(first_seed, outcomes)
    batches = _missing(game, results, plan)
    num_games = {contest: sittings_a_deal(contest.seating, game.num_seats) for contest in contests}
    done = sum(int(result.is_played.sum()) * num_games[c] for c, result in results.items())
    tell = on_progress or in_lines(len(seeds) * sum(num_games.values()))
    if plan.store is not None:
        for contest in dict.fromkeys(batch.contest for batch in batches):
            plan.store.enter(setting, contest)
    for batch, outcomes in play_all(batches, plan.workers):
        if plan.store is not None:
            check_unchanged(batch.contest.entrants, game)
            plan.store.add(batch, outcomes)
        results[batch.contest].add(batch.first_seed, outcomes)
        done += batch.num_deals * num_games[batch.contest]
        tell(done)
    played = [result.played() for result in results.values()]
    if plan.on_faults is not None:
        for one in played:
            plan.on_faults(game, one.faults)
    return played


def in_lines(num_games: int) -> Callable[[int], None]:
    """Return an `on_progress` that prints a line on stderr now and then."""
    wait = Wait()
    return lambda done: wait.tell(f"{done:,} of {num_games:,} games")


def _missing(game: Game, results: "dict[Contest, ContestResults]", plan: Plan) -> list[DealBatch]:
    """Return the batches not played yet: the first deals of every contest, then the next ones."""
    participants = tuple(dict.fromkeys(e for contest in results for e in contest.entrants))
    batches = [
        DealBatch(game, contest, first, num_deals, participants, plan.control)
        for contest, result in results.items()
        for first, num_deals in _runs(result.seeds[~result.is_played], plan.batch_deals)
    ]
    return sorted(batches, key=lambda batch: batch.first_seed)


def _runs(seeds: np.ndarray, longest: int) -> Iterable[tuple[int, int]]:
    """Yield runs of successive seeds as (first seed, number), each of at most `longest` seeds."""
    breaks = np.flatnonzero(np.diff(seeds) > 1) + 1
    for part in np.split(seeds, breaks) if len(seeds) else []:
        for start in range(0, len(part), longest):
            yield int(part[start]), len(part[start : start + longest])


class ContestResults:
    """The results of one contest, filled in as batches are played."""

    def __init__(self, num_seats: int, contest: Contest, seeds: np.ndarray) -> None:
        sittings = sittings_a_deal(contest.seating, num_seats)
        self.contest = contest
        self.seeds = seeds  # ascending
        self.is_played = np.zeros(len(seeds), bool)
        self.returns = np.zeros((len(seeds), sittings, num_seats))
        self.faults: dict[tuple[int, int], Fault] = {}

    def add(self, first_seed: int, outcomes: Outcomes) -> None:
        """Add results of the deals from `first_seed` on; ignore deals not requested."""
        last_seed = first_seed + len(outcomes.returns) - 1
        first = np.searchsorted(self.seeds, first_seed)
        end = np.searchsorted(self.seeds, last_seed, side="right")
        requested = self.seeds[first:end]
        are_all = len(requested) == len(outcomes.returns)
        returns = outcomes.returns if are_all else outcomes.returns[requested - first_seed]
        if len(requested) == len(self.seeds):
            self.returns = np.require(returns, requirements="W")  # Ray's cannot be written to
        else:
            self.returns[first:end] = returns
        self.is_played[first:end] = True
        for fault in outcomes.faults:
            if fault.seed in requested:
                self.faults[fault.seed, fault.sitting] = fault

    def played(self) -> PlayedContest:
        """Return the results added so far."""
        faults = tuple(self.faults[key] for key in sorted(self.faults))
        done: Any = slice(None) if self.is_played.all() else self.is_played
        return PlayedContest(self.contest, self.seeds[done], self.returns[done], faults)


def read_contests(store: Store, setting: Setting) -> list[PlayedContest]:
    """Read all results of a game from a store, without those that are damaged."""
    results = []
    for contest in store.contests(setting):
        parts = list(store.read(setting, contest))
        if not parts:
            continue  # all are damaged
        played = [first_seed + np.arange(len(outcomes.returns)) for first_seed, outcomes in parts]
        result = ContestResults(setting.num_seats, contest, np.unique(np.concatenate(played)))
        for first_seed, outcomes in parts:
            result.add(first_seed, outcomes)
        results.append(result)
    return [result.played() for result in results]
