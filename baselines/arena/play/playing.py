"""Play whole matches: read the results that a store has, play the rest and keep it."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ....envs.core.game import Game
from ...waiting import Wait
from ..results.store import Setting, Store
from .batches import BATCH_DEALS, Control, DealBatch, Fault, Match, Outcomes
from .entrants import check_unchanged
from .workers import Workers, play_all

Part = tuple[int, Outcomes]  # the first seed of some deals in succession, and their results


class PlayedMatch(NamedTuple):
    """The known results of a match."""

    match: Match
    seeds: np.ndarray  # [deals], ascending
    returns: np.ndarray  # [deals, sittings, seats]
    faults: tuple[Fault, ...]


def assembled(match: Match, parts: Sequence[Part], seeds: range | None = None) -> PlayedMatch:
    """Put results of a match in order: of the deals `seeds` (step 1), or of all that it has."""
    played = [first + np.arange(len(outcomes.returns)) for first, outcomes in parts]
    deals, index = np.unique(np.concatenate(played), return_index=True)
    if seeds is not None:
        # `seeds.stop` may be too large for the type of `deals`.
        start, stop = np.searchsorted(deals, seeds[0]), np.searchsorted(deals, seeds[-1], "right")
        chosen = slice(int(start), int(stop))
        deals, index = deals[chosen], index[chosen]
    returns = np.concatenate([outcomes.returns for _, outcomes in parts])[index]
    faults = {
        (fault.seed, fault.sitting): fault
        for _, outcomes in parts
        for fault in outcomes.faults
        if seeds is None or fault.seed in seeds
    }
    return PlayedMatch(match, deals, returns, tuple(faults[key] for key in sorted(faults)))


class Plan(NamedTuple):
    """How matches are played; only `control` affects the results."""

    workers: Workers = Workers()
    batch_deals: int = BATCH_DEALS
    store: Store | None = None  # results are read from it, and kept there as they come
    control: Control | None = None
    # Called with the faults of each match.
    on_faults: Callable[[Game, tuple[Fault, ...]], None] | None = None


def play_matches(
    game: Game,
    matches: Sequence[Match],
    seeds: range,
    plan: Plan,
    on_progress: Callable[[int], None] | None = None,
) -> list[PlayedMatch]:
    """Play the deals `seeds` of every match; call `on_progress` with the games done so far.

    Without `on_progress`, a line is logged now and then during a long wait. Raises ValueError where
    there is no deal to play, or where a store cannot identify a player.
    """
    if not seeds or plan.batch_deals < 1:
        raise ValueError("there must be at least one deal to play, and one in a batch")
    setting, store = Setting.of(game, plan.control), plan.store
    parts: dict[Match, list[Part]] = {
        match: [] if store is None else list(store.read(setting, match, seeds)) for match in matches
    }
    batches = _missing(game, parts, seeds, plan)
    total = len(seeds) * len(parts) * game.num_seats
    done = total - sum(batch.num_deals for batch in batches) * game.num_seats
    tell = on_progress or log_progress(total)
    if store is not None:
        for match in dict.fromkeys(batch.match for batch in batches):
            store.enter(setting, match)
    for batch, outcomes in play_all(batches, plan.workers):
        if store is not None:
            check_unchanged(batch.match.entrants, game)
            store.add(batch, outcomes)
        parts[batch.match].append((batch.first_seed, outcomes))
        done += batch.num_deals * game.num_seats
        tell(done)
    played = [assembled(match, parts[match], seeds) for match in matches]
    if plan.on_faults is not None:
        for played_match in played:
            plan.on_faults(game, played_match.faults)
    return played


def log_progress(num_games: int) -> Callable[[int], None]:
    """Return an `on_progress` that logs a line now and then, and none at the end."""
    wait = Wait()

    def tell(done: int) -> None:
        if done < num_games:
            wait.tell(f"{done:,} of {num_games:,} games")

    return tell


def _missing(
    game: Game, parts: dict[Match, list[Part]], seeds: range, plan: Plan
) -> list[DealBatch]:
    """Return the batches not played yet: the first deals of every match, then the next ones."""
    participants = tuple(dict.fromkeys(e for match in parts for e in match.entrants))
    batches = [
        DealBatch(game, match, first, num_deals, participants, plan.control)
        for match, results in parts.items()
        for first, num_deals in _runs(_unplayed(seeds, results), plan.batch_deals)
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


def read_matches(store: Store, setting: Setting) -> list[PlayedMatch]:
    """Read all results of a game from a store, without those that are damaged."""
    parts = {match: list(store.read(setting, match)) for match in store.matches(setting)}
    return [assembled(match, results) for match, results in parts.items() if results]
