"""Tournaments: the meetings of the players, their deals, and the resulting table."""

import dataclasses
import itertools
from collections.abc import Callable, Sequence

from ....envs.core.catalogue import as_game
from ....envs.core.game import Game
from ..ratings.standings import Standings, check_scoring, standings
from ..results.store import Setting, Store
from .batches import Match
from .entrants import Entrant, EntrantSpec, check_distinct, enter
from .match import DEFAULT_PLAN, deal_seeds
from .playing import Plan, origin_of, play_matches, read_matches

ONE_EACH = "free_for_all"  # the form that seats a different player in every seat


def play_tournament(
    game: Game | str,
    players: Sequence[EntrantSpec],
    num_deals: int = 1000,
    seed: int = 0,
    on_progress: Callable[[int], None] | None = None,
    form: str = "round_robin",
    scoring: str = "games",
    plan: Plan = DEFAULT_PLAN,
) -> Standings:
    """Play a tournament of players that `make_policy` takes, and rate them.

    `form` decides who meets. In a "round_robin" each player meets every other, in a "gauntlet" the
    first meets every other; both play matches, with one player in one seat and the other in all
    others, and with more than two seats also the other way round. In a "free_for_all" every group
    of as many players as seats plays at one table, in a balanced sample of seatings. Each meeting
    has the same `num_deals` deals, or with an `until` in the plan as many as it needs (see
    `play_match`). `scoring` is "games", or "duplicate" for two seats.

    The table does not depend on the order of the players (except the first of a gauntlet); of the
    `plan`, only `control` and `until` affect it. Results in the plan's store are not played again.
    `on_progress` is called with the number of games done (see `num_games`). Raises ValueError for
    an impossible tournament::

        >>> import parlour
        >>> game = parlour.load_game("president", num_players=2)
        >>> table = parlour.play_tournament(game, ["random", "lowest"], num_deals=20)
        >>> [row.player for row in table.rows]
        ['lowest', 'random']
    """
    game = as_game(game)
    setting = Setting.of(game, plan.control)
    check_scoring(scoring, setting)
    matches = matches_of(game, players, form, plan.control is None)
    seeds = deal_seeds(seed, num_deals)
    played = play_matches(game, matches, seeds, plan, on_progress)
    table = standings(setting, played, scoring, plan.until)
    return dataclasses.replace(table, origin=origin_of(played, plan.store))


def matches_of(
    game: Game, players: Sequence[EntrantSpec], form: str = "round_robin", runs_files: bool = True
) -> list[Match]:
    """Return the matches of a tournament of this form; see `enter`."""
    entrants = enter(players, game, runs_files)
    check_distinct(entrants)
    if form not in FORMS:
        raise ValueError(f"form must be one of {', '.join(FORMS)}; got {form!r}")
    matches = FORMS[form](entrants, game.num_seats)
    if not matches:
        needed = game.num_seats if form == ONE_EACH else 2
        raise ValueError(
            f"a {form} at {game.name} needs at least {needed} players; got {len(entrants)}"
        )
    return matches


def rate_store(store: Store, scoring: str = "games") -> list[Standings]:
    """A table for each game that the store has results of, from all matches in it.

    With "duplicate" scoring, for each game of two seats, without matches of single games.
    """
    tables = []
    for setting in store.settings():
        matches = read_matches(store, setting)
        if scoring == "duplicate":
            matches = [one for one in matches if one.returns.shape[1] > 1]
        if matches and (scoring != "duplicate" or setting.num_seats == 2):
            table = standings(setting, matches, scoring)
            tables.append(dataclasses.replace(table, origin=origin_of(matches, store)))
    return tables


def _round_robin(entrants: Sequence[Entrant], num_seats: int) -> list[Match]:
    return [
        match
        for pair in itertools.combinations(_sorted(entrants), 2)
        for match in _matches_of_pair(pair, num_seats)
    ]


def _gauntlet(entrants: Sequence[Entrant], num_seats: int) -> list[Match]:
    challenger, *others = entrants
    return [
        match
        for other in others
        for match in _matches_of_pair(_sorted((challenger, other)), num_seats)
    ]


def _matches_of_pair(pair: Sequence[Entrant], num_seats: int) -> list[Match]:
    """At two seats a match is its own mirror image."""
    first, second = pair
    ways = [(first, second)] if num_seats == 2 else [(first, second), (second, first)]
    return [Match(way, "field") for way in ways]


def _free_for_all(entrants: Sequence[Entrant], num_seats: int) -> list[Match]:
    groups = itertools.combinations(_sorted(entrants), num_seats)
    return [Match(group, "balanced") for group in groups]


def _sorted(entrants: Sequence[Entrant]) -> list[Entrant]:
    """Sort by name and identity, so that the order of the arguments has no effect."""
    return sorted(entrants, key=lambda entrant: (entrant.name, entrant.identity))


FORMS: dict[str, Callable[[Sequence[Entrant], int], list[Match]]] = {
    "round_robin": _round_robin,
    "gauntlet": _gauntlet,
    ONE_EACH: _free_for_all,
}
