"""Play whole contests: read the results that a store has, play the rest and keep it."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ....envs.core.game import Game
from ...waiting import Wait
from ..results.store import Setting, Store
from .batches import BATCH_DEALS, Contest, Control, DealBatch, Fault, Outcomes
from .entrants import check_unchanged
from .workers import Workers, play_all

Part = tuple[int, Outcomes]  # the first seed of some deals in succession, and their results


class PlayedContest(NamedTuple):
    """The known results of a contest."""

    contest: Contest
    seeds: np.ndarray  # [deals], ascending
    returns: np.ndarray  # [deals, sittings, seats]
    faults: tuple[Fault, ...]


def assembled(contest: Contest, parts: Sequence[Part], seeds: range | None = None) -> PlayedContest:
    """Put results of a contest in order: of the deals `seeds` (step 1), or of all that it has."""
    played = [first + np.arange(len(outcomes.returns)) for first, outcomes in parts]
    known, index = np.unique(np.concatenate(played), return_index=True)
    if seeds is not None:
        # `seeds.stop` may be too large for the type of `known`.
        start, stop = np.searchsorted(known, seeds[0]), np.searchsorted(known, seeds[-1], "right")
        chosen = slice(int(start), int(stop))
        known, index = known[chosen], index[chosen]
    returns = np.concatenate([outcomes.returns for _, outcomes in parts])[index]
    faults = {
        (fault.seed, fault.sitting): fault
        for _, outcomes in parts
        for fault in outcomes.faults
        if seeds is None or fault.seed in seeds
    }
    return PlayedContest(contest, known, returns, tuple(faults[key] for key in sorted(faults)))


class Plan(NamedTuple):
    """How contests are played; only `control` affects the results."""

    workers: Workers = Workers()
    batch_deals: int = BATCH_DEALS
    store: Store | None = None  # results are read from it, and kept there as they come
    control: Control | None = None
    # Called with the faults of each contest.
    on_faults: Callable[[Game, tuple[Fault, ...]], None] | None = None


def play_contests(
    game: Game,
    contests: Sequence[Contest],
    seeds: range,
    plan: Plan,
    on_progress: Callable[[int], None] | None = None,
) -> list[PlayedContest]:
    """Play the deals `seeds` of every contest; call `on_progress` with the games done so far.

    Without `on_progress`, a line is logged now and then during a long wait. Raises ValueError where
    there is no deal to play, or where a store cannot identify a player.
    """
    if not seeds or plan.batch_deals < 1:
        raise ValueError("there must be at least one deal to play, and one in a batch")
    setting, store = Setting.of(game, plan.control), plan.store
    parts: dict[Contest, list[Part]] = {
        contest: [] if store is None else list(store.read(setting, contest, seeds))
        for contest in contests
    }
    batches = _missing(game, parts, seeds, plan)
    total = len(seeds) * len(parts) * game.num_seats
    done = total - sum(batch.num_deals for batch in batches) * game.num_seats
    tell = on_progress or log_progress(total)
    if store is not None:
        for contest in dict.fromkeys(batch.contest for batch in batches):
            store.enter(setting, contest)
    for batch, outcomes in play_all(batches, plan.workers):
        if store is not None:
            check_unchanged(batch.contest.entrants, game)
            store.add(batch, outcomes)
        parts[batch.contest].append((batch.first_seed, outcomes))
        done += batch.num_deals * game.num_seats
        tell(done)
    played = [assembled(contest, parts[contest], seeds) for contest in contests]
    if plan.on_faults is not None:
        for one in played:
            plan.on_faults(game, one.faults)
    return played


def log_progress(num_games: int) -> Callable[[int], None]:
    """Return an `on_progress` that logs a line now and then, and none at the end."""
    wait = Wait()

    def tell(done: int) -> None:
        if done < num_games:
            wait.tell(f"{done:,} of {num_games:,} games")

    return tell


def _missing(
    game: Game, parts: dict[Contest, list[Part]], seeds: range, plan: Plan
) -> list[DealBatch]:
    """Return the batches not played yet: the first deals of every contest, then the next ones."""
    participants = tuple(dict.fromkeys(e for contest in parts for e in contest.entrants))
    batches = [
        DealBatch(game, contest, first, num_deals, participants, plan.control)
        for contest, known in parts.items()
        for first, num_deals in _runs(_unplayed(seeds, known), plan.batch_deals)
    ]
    return sorted(batches, key=lambda batch: batch.first_seed)


def _unplayed(seeds: range, parts: Sequence[Part]) -> np.ndarray:
    is_open = np.ones(len(seeds), bool)
    for first, outcomes in parts:
        start = first - seeds.start
        is_open[max(start, 0) : start + len(outcomes.returns)] = False
    return seeds.start + np.flatnonzero(is_open)


def _runs(seeds: np.ndarray, longest: int) -> Iterable[tuple[int, int]]:
    """Yield runs of successive seeds as (first seed, number), each of at most `longest` seeds."""
    breaks = np.flatnonzero(np.diff(seeds) > 1) + 1
    for part in np.split(seeds, breaks) if len(seeds) else []:
        for start in range(0, len(part), longest):
            yield int(part[start]), len(part[start : start + longest])


def read_contests(store: Store, setting: Setting) -> list[PlayedContest]:
    """Read all results of a game from a store, without those that are damaged."""
    parts = {contest: list(store.read(setting, contest)) for contest in store.contests(setting)}
    return [assembled(contest, known) for contest, known in parts.items() if known]
