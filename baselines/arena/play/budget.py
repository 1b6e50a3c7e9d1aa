"""Measure a player that is expensive to run, such as a language model or a person, in few games.

Each game is another deal, so that nobody meets the same cards twice. Compiled stand-ins predict the
return of many games, the pool. It is cut into strata of similar predictions, and each stratum gives
the same part of its games, drawn at random (see `statistics.strata`).
"""

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np

from ....envs.core.catalogue import as_game
from ....envs.core.game import Game
from ...players.making import make_policy, players_of
from .batches import Match, play_deals
from .entrants import Entrant, EntrantSpec, enter
from .match import DEFAULT_PLAN, MatchResult, Sample, deal_seeds, result_of
from .playing import Plan, origin_of, play_matches
from .seatings import single_game

POOL = 40  # games of the pool for each that is played
STRATUM = 5  # games of each stratum that are played, at least
_NUM_STAND_INS, _KINDS = 3, ("script", "network")


def play_budget(
    game: Game | str,
    first: EntrantSpec,
    second: EntrantSpec,
    budget: int = 50,
    seed: int = 0,
    on_progress: Callable[[int], None] | None = None,
    plan: Plan = DEFAULT_PLAN,
) -> MatchResult:
    """Play `first`, which is expensive, in one seat against `second` in the rest: `budget` games.

    The games are a stratified sample of random games. They depend on the seed and `second` alone,
    so that all players are measured in the same ones. The arguments are those of `play_match`.
    Raises ValueError for fewer than 10 games, and for a plan with `until` or `control`::

        >>> from parlour.arena import play_budget
        >>> result = play_budget("president", "lowest", "random", budget=20)
        >>> result.num_games, result.mean_return.low > 0
        (20, True)
    """
    game = as_game(game)
    if budget < 2 * STRATUM:
        raise ValueError(f"a budget is at least {2 * STRATUM} games; got {budget}")
    if plan.until is not None or plan.control is not None:
        raise ValueError("a budget goes with neither until nor control: its games are chosen first")
    match = Match(enter((first, second), game), "single")
    pool, field = np.array(deal_seeds(seed, POOL * budget)), match.entrants[1]
    stand_ins = stand_ins_of(game, field)
    predicted = predictions(game, stand_ins, field, pool)
    places, strata = draw(predicted, budget, np.random.default_rng(seed))
    (played,) = play_matches(game, [match], pool[places].tolist(), plan, on_progress)
    identities = {entrant.name: entrant.identity for entrant in stand_ins}
    sample = Sample(len(pool), tuple(strata.tolist()), identities)
    origin = {**origin_of([played], plan.store), "first_seed": seed}
    return dataclasses.replace(result_of(game, played, sample=sample), origin=origin)


def stand_ins_of(game: Game, second: Entrant) -> tuple[Entrant, ...]:
    """Return the strongest fast players that ship and, where it is compiled, the second player."""
    fast = [n for n, p in players_of(game).items() if p.kind in _KINDS and p.plays_out]
    entrants = enter(fast[-_NUM_STAND_INS:], game)
    is_compiled = make_policy(second.spec, game).row_function is not None
    is_new = second.identity not in [entrant.identity for entrant in entrants]
    return (*entrants, second) if is_compiled and is_new else entrants


def predictions(
    game: Game, stand_ins: Sequence[Entrant], second: Entrant, seeds: np.ndarray
) -> np.ndarray:
    """Return the mean return of the stand-ins in the place of the first player: [games].

    They play against the second player, or against copies of themselves if it is not compiled.
    """
    seated = single_game(game.num_seats, seeds)
    field = make_policy(second.spec, game)
    means = np.zeros(len(seeds))
    for entrant in stand_ins:
        policy = make_policy(entrant.spec, game)
        others = policy if field.row_function is None else field
        returns = play_deals(game, [policy, others], seeds, seated)
        means += returns[seated == 0] / len(stand_ins)
    return means


def draw(
    predicted: np.ndarray, budget: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw games of a pool at random within strata: their places, ascending, and their strata.

    Strata are successive parts of the pool in the order of the predictions. Each gives one of
    `POOL` games, and at least `STRATUM`.
    """
    strata = np.sort(np.arange(budget) % (budget // STRATUM))  # [budget]
    order = np.argsort(predicted, kind="stable")
    drawn = [
        rng.permutation(part)[: len(part) // POOL]
        for part in np.split(order, np.flatnonzero(np.diff(strata)) * POOL + POOL)
    ]
    places = np.concatenate(drawn)
    ascending = np.argsort(places)
    return places[ascending], strata[ascending]
