"""Tournaments: who meets whom, on which deals, and the table that comes of it."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from ...envs.core.game import Game
from ..policy import PolicySpec
from .batches import Contest
from .entrants import Entrant, check_distinct, enter
from .match import PLAIN, deal_seeds
from .playing import Plan, play_contests, read_contests
from .seatings import sittings_a_deal
from .standings import Standings, check_scoring, standings
from .store import Setting, Store


def play_tournament(
    game: Game,
    players: Sequence[PolicySpec],
    num_deals: int = 1000,
    seed: int = 0,
    on_progress: Callable[[int], None] | None = None,
    form: str = "round_robin",
    scoring: str = "games",
    plan: Plan = PLAIN,
) -> Standings:
    """Play a tournament of players that `make_policy` takes, and rate them.

    `form` says who meets: "round_robin" everybody everybody else, "gauntlet" the first player all
    the others, in both as matches (one in one seat, the other in all others; with more than two
    seats both ways round); "free_for_all" as many players as there are seats at a table, every such
    group, in a balanced sample of seatings; "every_seating" the same in all of them. Each meeting
    plays `num_deals` deals, the same for all. `scoring` is "games", or "duplicate" for two seats.

    The table depends on neither the order of the players (but for the first of a gauntlet) nor on
    the `plan`. With a store in the plan, what is there is not played again. `on_progress` is told
    the number of games done (see `num_games`). Raises ValueError for what cannot be played.
    """
    setting = Setting.of(game, plan.control)
    check_scoring(scoring, setting)
    contests = contests_of(game, players, form, plan.control is None)
    seeds = deal_seeds(seed, num_deals)
    return standings(setting, play_contests(game, contests, seeds, plan, on_progress), scoring)


def contests_of(
    game: Game, players: Sequence[Any], form: str = "round_robin", runs_files: bool = True
) -> list[Contest]:
    """Who meets in such a tournament; see `enter`."""
    entrants = enter(players, game, runs_files)
    check_distinct(entrants)
    if form not in FORMS:
        raise ValueError(f"form must be one of {', '.join(FORMS)}; got {form!r}")
    contests = FORMS[form](entrants, game.num_seats)
    if not contests:
        raise ValueError(f"{len(entrants)} players are too few for a {form} at {game.name}")
    return contests


def num_games(game: Game, contests: Sequence[Contest], num_deals: int) -> int:
    """How many games these contests are."""
    return num_deals * sum(sittings_a_deal(c.seating, game.num_seats) for c in contests)


def rate_store(store: Store, scoring: str = "games") -> list[Standings]:
    """A table for each game that the store has results of, from all contests in it.

    With "duplicate" scoring, for each game of two seats.
    """
    tables = []
    for setting in store.settings():
        contests = read_contests(store, setting)
        if contests and (scoring != "duplicate" or setting.num_seats == 2):
            tables.append(standings(setting, contests, scoring))
    return tables


def _round_robin(entrants: Sequence[Entrant], num_seats: int) -> list[Contest]:
    return [
        contest
        for pair in itertools.combinations(_sorted(entrants), 2)
        for contest in _matches(pair, num_seats)
    ]


def _gauntlet(entrants: Sequence[Entrant], num_seats: int) -> list[Contest]:
    challenger, *others = entrants
    return [
        contest for other in others for contest in _matches(_sorted((challenger, other)), num_seats)
    ]


def _matches(pair: Sequence[Entrant], num_seats: int) -> list[Contest]:
    """At two seats a match is its own mirror image."""
    first, second = pair
    ways = [(first, second)] if num_seats == 2 else [(first, second), (second, first)]
    return [Contest(way, "field") for way in ways]


def _free_for_all(entrants: Sequence[Entrant], num_seats: int) -> list[Contest]:
    groups = itertools.combinations(_sorted(entrants), num_seats)
    return [Contest(group, "balanced") for group in groups]


def _every_seating(entrants: Sequence[Entrant], num_seats: int) -> list[Contest]:
    groups = itertools.combinations(_sorted(entrants), num_seats)
    return [Contest(group, "every") for group in groups]


def _sorted(entrants: Sequence[Entrant]) -> list[Entrant]:
    """In an order of their own, so that the order they were given in decides nothing."""
    return sorted(entrants, key=lambda entrant: (entrant.name, entrant.identity or ""))


FORMS: dict[str, Callable[[Sequence[Entrant], int], list[Contest]]] = {
    "round_robin": _round_robin,
    "gauntlet": _gauntlet,
    "free_for_all": _free_for_all,
    "every_seating": _every_seating,
}
