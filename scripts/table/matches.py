"""A duplicate match of an outside agent: every deal from every seat, in an order that hides it.

The deals and the order come from the system's randomness and are shown to nobody before the end.
"""

import dataclasses
import random
import secrets
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...baselines.arena.play.batches import Contest
from ...baselines.arena.play.entrants import Entrant
from ...baselines.arena.play.match import MatchResult, result_of
from ...baselines.arena.play.playing import PlayedContest
from ...baselines.arena.results.export import as_data, finite
from ...envs import find_game
from ...envs.core.catalogue import game_within, kept_settings
from ...envs.core.rng import fresh_seed
from .table import REMOTE, Occupant, Setup, player_seat

MAX_DEALS = 10_000


@dataclasses.dataclass(frozen=True)
class MatchPlan:
    """All that decides a match besides the actions, as plain data."""

    game: str
    settings: dict[str, Any]
    agent: str
    opponent: str
    games: tuple[tuple[int, int], ...]  # (seed of the deal, seat of the agent), in order of play

    def setup(self, number: int) -> Setup:
        """Return the setup of a game: the agent in its seat, the opponent in all others."""
        seed, seat = self.games[number]
        num_seats = game_within(self.game, self.settings).num_seats
        seats = [player_seat(self.opponent)] * (num_seats - 1)
        seats.insert(seat, Occupant(REMOTE, self.agent))
        return Setup(self.game, self.settings, tuple(seats), seed, sitting=seat + 1)


def plan_from(data: dict[str, Any]) -> MatchPlan:
    """Make a plan of what `dataclasses.asdict` made of one. Raises ValueError and TypeError."""
    if not isinstance(data, dict) or not isinstance(data.get("games"), list):
        raise ValueError(f"a plan is an object with games, not {data!r:.60}")
    return MatchPlan(**{**data, "games": tuple((seed, seat) for seed, seat in data["games"])})


def new_plan(
    game: str, settings: dict[str, Any], agent: str, opponent: str, num_deals: int
) -> MatchPlan:
    """Draw the deals and the order of a match. Raises ValueError and TypeError."""
    if not 1 <= num_deals <= MAX_DEALS:
        raise ValueError(f"a match has 1 to {MAX_DEALS} deals, not {num_deals}")
    made = find_game(game, **settings)
    num_seats, settings = made.num_seats, kept_settings(made, settings)
    seeds: set[int] = set()
    while len(seeds) < num_deals:
        seeds.add(fresh_seed())
    games = [(seed, seat) for seed in seeds for seat in range(num_seats)]
    random.Random(secrets.randbits(256)).shuffle(games)
    return MatchPlan(game, settings, agent, opponent, tuple(games))


Returns = Sequence[Sequence[float] | None]


def result_data(plan: MatchPlan, returns: Returns) -> dict[str, Any]:
    """Return the result so far as plain data, an estimate as [mean, low, high].

    `returns` [games][seats] are those of the games played, in order; None for a game in which a
    random move was played for a player that gave none. Only deals count that were played from every
    seat without such a move: "result" is None before the first is complete.
    """
    found = match_result(plan, returns)
    num_replaced = sum(each is None for each in returns)
    note = f"without the deals of {num_replaced} games in which a player gave no move"
    notes = [note] if num_replaced else []
    counts = {"games_played": len(returns), "games": len(plan.games)}
    counts["games_replaced"] = num_replaced
    if found is None:
        return {**counts, "result": None, "text": "".join(notes)}
    return {**counts, "result": finite(as_data(found)), "text": "\n".join([str(found), *notes])}


def match_result(plan: MatchPlan, returns: Returns) -> MatchResult | None:
    """Return the result over the deals that count, like that of any match; None without any."""
    game = game_within(plan.game, plan.settings)
    known = {
        each: found for each, found in zip(plan.games, returns, strict=False) if found is not None
    }
    seats = range(game.num_seats)
    seeds = sorted({seed for seed, _ in known if all((seed, seat) in known for seat in seats)})
    if not seeds:
        return None
    table = np.array([[known[seed, seat] for seat in seats] for seed in seeds])
    entrants = tuple(Entrant(name, name, "") for name in (plan.agent, plan.opponent))
    return result_of(game, PlayedContest(Contest(entrants, "field"), np.array(seeds), table, ()))
