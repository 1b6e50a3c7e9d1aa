"""How narrow the intervals of few games are if chosen by predicted luck, and whether they hold."""

from typing import Any, NamedTuple

import numpy as np

from parlour.baselines.arena.play import budget
from parlour.baselines.arena.play.batches import Match, play_deals
from parlour.baselines.arena.play.entrants import enter
from parlour.baselines.arena.results.export import markdown_table
from parlour.baselines.players.making import make_policy
from parlour.baselines.statistics import estimates, strata
from parlour.baselines.statistics.estimates import (
    RETURNS,
    Estimate,
    mean_of_deals,
    wilson,
)
from parlour.baselines.statistics.strata import mean_of_strata
from parlour.envs import GameName, load_game

from .recorded import STUDIES, code_digest

RECORD = STUDIES / "budget.json"
MODULES = (budget, estimates, strata)
GAMES = 50  # of a match
POOL = budget.POOL * GAMES
FIRST_SEED = 20_000_000  # no choice of players or of sizes looked at these deals


class Case(NamedTuple):
    """A pair of players, and how many matches of theirs are affordable."""

    game: GameName
    seats: int
    first: str
    second: str
    matches: int


CASES = (
    Case("president", 4, "ppo", "dqn", 50),
    Case("president", 4, "ppo", "planner", 200),
    Case("president", 4, "lowest", "ppo", 50),
    Case("president", 4, "hoarder", "planner", 200),
    Case("trick_taking", 3, "ppo", "smart", 400),
    Case("trick_taking", 3, "high_low", "ppo", 100),
    Case("top_trumps", 2, "goliath", "ppo", 100),
    Case("top_trumps", 2, "expert", "ppo", 100),
    Case("splendor", 2, "expert_iteration", "planner", 30),
    Case("splendor", 2, "greedy", "expert_iteration", 30),
    Case("notty", 2, "x_defensive", "x_aggressive", 30),
    Case("president", 4, "planner", "planner", 400),
    Case("president", 4, "random", "random", 400),
    Case("trick_taking", 3, "smart", "smart", 400),
    Case("trick_taking", 3, "ppo", "ppo", 400),
    Case("top_trumps", 2, "expert", "expert", 400),
)


def simulate(case: Case, num_matches: int) -> dict[str, Any]:
    """Play matches of 50 games: chosen, single ones by chance, and duplicates by chance."""
    settings = {} if case.game == "top_trumps" else {"num_players": case.seats}
    game = load_game(case.game, **settings)
    entrants = enter((case.first, case.second), game)
    policies = [make_policy(entrant.spec, game) for entrant in entrants]
    pools = FIRST_SEED + np.arange(num_matches * POOL).reshape(num_matches, POOL)
    first, second = entrants
    stand_ins = [
        one
        for one in budget.stand_ins_of(game, second)
        if one.identity != first.identity or one.identity == second.identity
    ]
    predicted = budget.predictions(game, stand_ins, second, pools.ravel())
    drawn = [
        budget.draw(one, GAMES, np.random.default_rng(number))
        for number, one in enumerate(predicted.reshape(pools.shape))
    ]
    places = np.array([places for places, _ in drawn])

    def returns(seating: str, seeds: np.ndarray) -> np.ndarray:
        seated = Match(entrants, seating).seated(game.num_seats, seeds.ravel())
        played = play_deals(game, policies, seeds.ravel(), seated)
        return played[seated == 0].reshape(*seeds.shape, -1)

    population = returns("single", pools)[:, :, 0]
    truth = float(population.mean())
    chosen = np.take_along_axis(population, places, axis=1)
    deals = returns("field", pools[:, : GAMES // game.num_seats])
    intervals = {
        "chosen": [
            mean_of_strata(values, 1, RETURNS, parts, POOL)
            for values, (_, parts) in zip(chosen, drawn, strict=True)
        ],
        "single": [mean_of_deals(values, 1, RETURNS) for values in population[:, :GAMES]],
        "duplicate": [mean_of_deals(v.sum(axis=1), game.num_seats, RETURNS) for v in deals],
    }
    return {
        **case._asdict(),
        "matches": num_matches,
        "stand_ins": [one.name for one in stand_ins],
        "to_single": _ratio(intervals["chosen"], intervals["single"]),
        "to_duplicate": _ratio(intervals["chosen"], intervals["duplicate"]),
        "right": {
            way: sum(each.low <= truth <= each.high for each in made) / num_matches
            for way, made in intervals.items()
        },
        "bias": list(mean_of_deals((chosen - truth).mean(axis=1))),
    }


def _ratio(some: list[Estimate], others: list[Estimate]) -> list[float]:
    """Return the ratio of the mean widths of two kinds of interval, with its own interval."""
    one, other = (np.array([each.high - each.low for each in made]) for made in (some, others))
    ratio = float(one.mean() / other.mean())
    return list(mean_of_deals(one - ratio * other).scaled(1 / float(other.mean()), ratio))


def measure(most_matches: int) -> dict[str, Any]:
    """Simulate all pairs, and print each result as it comes."""
    rows = []
    for case in CASES:
        rows.append(simulate(case, min(case.matches, most_matches)))
        print(rows[-1], flush=True)
    return {"code": code_digest(MODULES), "rows": rows}


def page(result: dict[str, Any]) -> str:
    """The result in Markdown."""
    rows = [
        [
            f"{row['game']}, {row['seats']} seats",
            f"{row['first']} v {row['second']}",
            f"{Estimate(*row['to_single']):.2f}",
            # Equal players that draw nothing have equal returns, and duplicates no variance.
            "" if row["first"] == row["second"] else f"{Estimate(*row['to_duplicate']):.2f}",
            f"{row['matches']:,}",
            f"{wilson(row['right']['chosen'], row['matches']).scaled(100):.1f}",
            f"{100 * row['right']['duplicate']:.1f}",
        ]
        for row in result["rows"]
    ]
    widths = ("to single games", "to duplicates")
    headings = ("game", "players", *widths, "matches", "right, %", "duplicates, %")
    lines = [
        "# Few games, chosen by predicted luck",
        "",
        f"Written by `python -m docs.studies.arena budget`; do not edit. Matches of {GAMES} games "
        f"that `play_budget` chooses from {POOL:,}. Width of the interval of the mean return, "
        f"relative to that of {GAMES} single games by chance, and to that of as many games in "
        "duplicate deals by chance: below 1 is narrower.",
        "",
        "The first player does not stand in for itself, except in matches between equal players, "
        "whose widths therefore say nothing of a player that Parlour does not know. Right: "
        f"intervals with the true mean return, that of all games ({POOL:,} for each match); of "
        "the chosen games, and of the duplicates.",
        "",
        *markdown_table(headings, rows),
    ]
    return "\n".join(lines) + "\n"
