"""Play whole matches: read the results that a store has, play the rest and keep it.

With `until` in its plan, each match ends as soon as its result is decided or precise enough.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ....envs.core.game import Game
from ...statistics.estimates import LEVEL
from ...waiting import Wait
from ..ratings.until import UNDECIDED, check_until, verdict_of
from ..results.store import Setting, Store, environment
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


def assembled(
    match: Match, parts: Sequence[Part], seeds: Sequence[int] | None = None
) -> PlayedMatch:
    """Put results of a match in order: of the deals `seeds`, or of all that it has."""
    deals, index = np.unique(_deals_of(parts), return_index=True)
    if seeds is not None:
        is_chosen = np.isin(deals, np.asarray(seeds))
        deals, index = deals[is_chosen], index[is_chosen]
    returns = np.concatenate([outcomes.returns for _, outcomes in parts])[index]
    faults = {
        (fault.seed, fault.sitting): fault
        for _, outcomes in parts
        for fault in outcomes.faults
        if seeds is None or fault.seed in seeds
    }
    return PlayedMatch(match, deals, returns, tuple(faults[key] for key in sorted(faults)))


def _deals_of(parts: Sequence[Part]) -> np.ndarray:
    """Return the seeds of all deals in these parts, in their order."""
    played = [first + np.arange(len(outcomes.returns)) for first, outcomes in parts]
    return np.concatenate([np.zeros(0, np.int64), *played])


class Plan(NamedTuple):
    """How matches are played; only `control` and `until` affect the results."""

    workers: Workers = Workers()
    batch_deals: int = BATCH_DEALS
    store: Store | None = None  # results are read from it, and kept there as they come
    control: Control | None = None
    # Called with the faults of each match.
    on_faults: Callable[[Game, tuple[Fault, ...]], None] | None = None
    # End a match of two players once its Elo interval is this wide on either side, or excludes 0.
    until: float | None = None


def num_games(game: Game, matches: Sequence[Match], num_deals: int) -> int:
    """How many games these matches are."""
    return num_deals * sum(match.games_a_deal(game.num_seats) for match in matches)


def play_matches(
    game: Game,
    matches: Sequence[Match],
    seeds: Sequence[int],
    plan: Plan,
    on_progress: Callable[[int], None] | None = None,
) -> list[PlayedMatch]:
    """Play the deals `seeds` of every match; call `on_progress` with the games done so far.

    `seeds` ascend. Without `on_progress`, a line is logged now and then during a long wait. Raises
    ValueError where there is no deal to play, where a store cannot identify a player, and for an
    impossible `until`.
    """
    if not seeds or plan.batch_deals < 1:
        raise ValueError("there must be at least one deal to play, and one in a batch")
    tell = on_progress or log_progress(num_games(game, matches, len(seeds)))
    if plan.until is None:
        played = _play_deals(game, matches, seeds, plan, tell)
    else:
        played = _play_until(game, matches, seeds, plan, plan.until, tell)
    if plan.on_faults is not None:
        for one in played:
            plan.on_faults(game, one.faults)
    return played


def _play_until(
    game: Game,
    matches: Sequence[Match],
    seeds: Sequence[int],
    plan: Plan,
    until: float,
    tell: Callable[[int], None],
) -> list[PlayedMatch]:
    """Play a block of deals of each open match at a time; drop deals after the deciding one.

    All decisions together are wrong with a probability of 5 % at most (Bonferroni).
    """
    check_until(until, [len(match.entrants) for match in matches])
    block = plan.batch_deals * plan.workers.num_workers
    parts: dict[Match, list[Part]] = {match: [] for match in matches}
    ended: dict[Match, Sequence[int]] = {}
    done = 0
    for start in range(0, len(seeds), block):
        playing = [match for match in matches if match not in ended]
        here = seeds[start : start + block]
        played = _play_deals(
            game,
            playing,
            here,
            plan,
            lambda now, before=done: tell(before + now),  # type: ignore[misc]
        )
        done += num_games(game, playing, len(here))
        for one in played:
            own = parts[one.match]
            own.append((here[0], Outcomes(one.returns, one.faults)))
            scores = scores_of(assembled(one.match, own))
            verdict = verdict_of(scores, until, (1 - LEVEL) / len(matches), start + 1)
            if verdict.decision != UNDECIDED:
                ended[one.match] = seeds[: verdict.num_deals]
        if len(ended) == len(matches):
            break
    return [assembled(match, parts[match], ended.get(match)) for match in matches]


def origin_of(played: Sequence[PlayedMatch], store: Store | None) -> dict[str, Any]:
    """Return what results come from: seed, identities, environment, last digest of the store."""
    entrants = {entrant.name: entrant for one in played for entrant in one.match.entrants}
    return {
        "first_seed": int(min(one.seeds[0] for one in played)),
        "players": {name: entrants[name].identity for name in sorted(entrants)},
        "environment": environment(),
        "digest": None if store is None else store.head(),
    }


def scores_of(played: PlayedMatch) -> np.ndarray:
    """Return the mean score of the first entrant of two in each deal: [deals], 0 .. 1."""
    return (1 + own_returns(played).mean(axis=1)) / 2


def own_returns(played: PlayedMatch) -> np.ndarray:
    """Return the returns of the first entrant, in its one seat of each game: [deals, sittings]."""
    deals, sittings, seats = played.returns.shape
    seated = played.match.seated(seats, played.seeds)
    return played.returns[seated == 0].reshape(deals, sittings)


def _play_deals(
    game: Game,
    matches: Sequence[Match],
    seeds: Sequence[int],
    plan: Plan,
    tell: Callable[[int], None],
) -> list[PlayedMatch]:
    setting, store = Setting.of(game, plan.control), plan.store
    parts: dict[Match, list[Part]] = {
        match: [] if store is None else list(store.read(setting, match, seeds)) for match in matches
    }
    batches = _missing(game, parts, seeds, plan)
    missing = sum(num_games(game, [batch.match], batch.num_deals) for batch in batches)
    done = num_games(game, list(parts), len(seeds)) - missing
    if store is not None:
        for match in dict.fromkeys(batch.match for batch in batches):
            store.enter(setting, match)
    for batch, outcomes in play_all(batches, plan.workers):
        if store is not None:
            check_unchanged(batch.match.entrants, game)
            store.add(batch, outcomes)
        parts[batch.match].append((batch.first_seed, outcomes))
        done += num_games(game, [batch.match], batch.num_deals)
        tell(done)
    return [assembled(match, parts[match], seeds) for match in matches]


def log_progress(num_games: int) -> Callable[[int], None]:
    """Return an `on_progress` that logs a line now and then, and none at the end."""
    wait = Wait()

    def tell(done: int) -> None:
        if done < num_games:
            wait.tell(f"{done:,} of {num_games:,} games")

    return tell


def _missing(
    game: Game, parts: dict[Match, list[Part]], seeds: Sequence[int], plan: Plan
) -> list[DealBatch]:
    """Return the batches not played yet: the first deals of every match, then the next ones."""
    participants = tuple(dict.fromkeys(e for match in parts for e in match.entrants))
    batches = [
        DealBatch(game, match, first, num_deals, participants, plan.control)
        for match, results in parts.items()
        for first, num_deals in _runs(np.setdiff1d(seeds, _deals_of(results)), plan.batch_deals)
    ]
    return sorted(batches, key=lambda batch: batch.first_seed)


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
