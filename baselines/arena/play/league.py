"""The league of a game: all players that ship meet, and each is timed.

The members are the scripts, the trained players, the searches that the function `searches(game)`
in the game's `players.py` names with their budgets, and `best`.
"""

import time
import timeit
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, NamedTuple

from ....envs.core.game import Game
from ....envs.core.play.playthrough import turns
from ....envs.core.play.tables import Tables
from ....envs.core.rng import streams
from ...networks.learned import shipped_checkpoints
from ...players.best import NAME as BEST
from ...players.making import make_policy, resolved
from ...policies.game_parts import part_of
from ...policies.policy import Policy
from ...statistics.estimates import Estimate
from ..ratings.standings import Standings, standings
from ..results.store import Setting
from .batches import Match
from .entrants import scripted_players
from .match import DEFAULT_PLAN, deal_seeds
from .playing import Plan, PlayedMatch, play_matches
from .tournament import matches_of

SEED = 500_000_000  # of the first deal: no player was trained or chosen on these
SEARCH_BATCH = 4  # deals that a search plays before they are kept
TIMED_TABLES = 24
TIMED_PLIES = 25
PLIES_APART = 6  # between the positions at which players are timed
TIMINGS = 3  # the best one counts


class Rung(NamedTuple):
    """One player of a ladder."""

    player: str
    seconds: float  # processor time of a decision
    elo: list[float]  # mean, low and high end, above the mean of the members
    games: int
    exploiter: str  # the member that does best against it; "" where no games are known
    against_it: list[float]  # the exploiter's score, 0 .. 1: mean, low and high end


def members_of(game: Game) -> list[str]:
    """Return the members of the league as specs, each once."""
    module = part_of(game, "players")
    searches = getattr(module, "searches", lambda game: ())(game)
    specs = [*scripted_players(game), *shipped_checkpoints(game), *searches]
    champion = str(resolved(BEST, game))
    is_listed = any(spec.partition(":")[0] == champion.partition(":")[0] for spec in specs)
    return specs if is_listed else [*specs, champion]


def play_league(
    game: Game,
    specs: Sequence[str],
    num_deals: int,
    search_deals: int,
    plan: Plan = DEFAULT_PLAN,
    on_progress: Callable[[int], None] | None = None,
) -> Standings:
    """Play every member against every other, and rate them; `search_deals` where one searches.

    A member that is not one compiled function counts as a search. `on_progress` counts first the
    games without a search, then from 0 those with one.
    """
    is_slow = {spec: make_policy(spec, game).row_function is None for spec in specs}
    meetings: dict[bool, list[Match]] = {False: [], True: []}
    for match in matches_of(game, specs):
        meetings[any(is_slow[entrant.spec] for entrant in match.entrants)].append(match)
    played: list[PlayedMatch] = []
    for slow, matches in meetings.items():
        seeds = deal_seeds(SEED, search_deals if slow else num_deals)
        size = SEARCH_BATCH if slow else plan.batch_deals
        own = plan._replace(batch_deals=size)
        played += play_matches(game, matches, seeds, own, on_progress) if matches else []
    return standings(Setting.of(game, plan.control), played)


def ladder(table: Standings, seconds: dict[str, float]) -> list[Rung]:
    """Return the members from the strongest to the weakest; `seconds` is by name."""
    names = [row.player for row in table.rows]
    rungs = []
    for row, line in zip(table.rows, table.cross, strict=True):
        scores = {name: score for name, score in zip(names, line, strict=True) if score is not None}
        worst = min(scores, key=lambda name: scores[name].mean, default="")
        score = scores[worst] if worst else Estimate(0.5, 0.0, 1.0)
        against_it = [1 - score.mean, 1 - score.high, 1 - score.low]
        rungs.append(
            Rung(row.player, seconds[row.player], list(row.elo), row.games, worst, against_it)
        )
    return rungs


def seconds_a_decision(game: Game, policy: Policy) -> float:
    """Measure the processor time of a decision: a mean over positions of games of the last script.

    Positions with one legal action do not count.
    """
    inputs = _positions(game, policy)
    timer = timeit.Timer(lambda: [policy(*batch) for batch in inputs], timer=time.process_time)
    timer.timeit(1)  # compiles
    num_repeats, spent = timer.autorange()
    spent = min(spent, *timer.repeat(TIMINGS - 1, num_repeats))
    return spent / (num_repeats * sum(len(observations) for observations, *_ in inputs))


def _positions(game: Game, policy: Policy) -> list[tuple[Any, ...]]:
    """Return what `policy` is called with, from games of the last script."""
    tables = Tables(game, streams(range(SEED, SEED + TIMED_TABLES)))
    tables.deal(tables.all_rows)
    script = make_policy(scripted_players(game)[-1], game)
    rngs = streams(range(TIMED_TABLES), 1)
    arguments: list[tuple[Any, ...]] = []
    for ply, turn in enumerate(islice(turns(tables), TIMED_PLIES)):
        chosen = turn[turn.masks.sum(axis=1) > 1]
        if ply % PLIES_APART == 0 and len(chosen.rows):
            drawn = rngs[chosen.rows]
            batch = (chosen.observations, chosen.masks, drawn)
            is_search = policy.needs_positions
            arguments.append((*batch, chosen.determinized(drawn)) if is_search else batch)
        turn.actions = script(turn.observations, turn.masks, rngs[turn.rows])
    return arguments
