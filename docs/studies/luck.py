"""How many deals adjusted results save, and that they are right, whoever stands in."""

import time
from typing import Any

import numpy as np

from parlour.baselines.arena.play import adjusted
from parlour.baselines.arena.play.batches import Match
from parlour.baselines.arena.play.entrants import enter
from parlour.baselines.arena.play.playing import Plan, play_matches
from parlour.baselines.arena.results.export import markdown_table
from parlour.baselines.statistics.estimates import mean_of_deals, wilson
from parlour.envs import GameName, load_game
from parlour.envs.core.game import Game

from .recorded import STUDIES, code_digest

RECORD = STUDIES / "luck.json"
MODULES = (adjusted,)
# Strong players of each game, their stand-ins, and the deals.
PAIRS: dict[tuple[GameName, int], tuple[tuple[str, str], tuple[str, str], int]] = {
    ("president", 4): (("ppo", "planner"), ("dqn", "planner"), 4000),
    ("trick_taking", 3): (("playout", "ppo"), ("ppo", "high_low"), 2000),
    ("splendor", 2): (("guided", "expert_iteration"), ("expert_iteration", "planner"), 300),
    ("top_trumps", 2): (("david", "ppo"), ("goliath", "ppo"), 400),
}
FIRST_SEED = 1_000_000  # no choice of players or stand-ins looked at these deals
# Whom stand-ins, good ones and bad ones, are checked with; then equal players in other games.
CHECKS: tuple[tuple[GameName, int, tuple[str, str], tuple[str, str]], ...] = (
    ("president", 4, ("ppo", "planner"), ("dqn", "planner")),
    ("president", 4, ("ppo", "planner"), ("random", "random")),
    ("president", 4, ("random", "random"), ("dqn", "planner")),
    ("trick_taking", 3, ("random", "random"), ("ppo", "high_low")),
    ("splendor", 2, ("random", "random"), ("expert_iteration", "planner")),
    ("top_trumps", 2, ("random", "random"), ("goliath", "ppo")),
)
MATCH_DEALS = 50


def savings(name: GameName, seats: int) -> dict[str, Any]:
    """Return the variance of single games, of duplicates and of both adjusted, for one deal."""
    players, stand_ins, num_deals = PAIRS[name, seats]
    game = _game(name, seats)
    match = Match(enter(players, game), "field")
    play_matches(game, [match], range(2), Plan())  # compiles
    started = time.process_time()
    seeds = range(FIRST_SEED, FIRST_SEED + num_deals)
    (played,) = play_matches(game, [match], seeds, Plan())
    playing = time.process_time() - started
    values = adjusted.StandIns(game, stand_ins)
    values.luck_of_games(played.seeds[:2])
    raw = np.diagonal(played.returns, axis1=1, axis2=2)  # [deals, sittings]
    started = time.process_time()
    luck = values.luck_of_games(played.seeds)
    adjusting = time.process_time() - started
    without = np.stack([adjusted.without_luck(raw[:, s], luck[:, s]) for s in range(seats)])
    both = adjusted.without_luck(raw.mean(axis=1), luck.mean(axis=1))
    variances = [raw.var() / seats, raw.mean(axis=1).var(), without.var() / seats, both.var()]
    return {
        "game": f"{name}, {seats} seats",
        "players": " v ".join(players),
        "stand_ins": " v ".join(stand_ins),
        "deals": [float(variance / variances[1]) for variance in variances],
        "seconds": [playing / num_deals, adjusting / num_deals],
    }


def check(
    name: GameName, seats: int, players: tuple[str, str], stand_ins: tuple[str, str], matches: int
) -> dict[str, Any]:
    """Play many matches: adjusted minus raw in standard errors, deals saved, intervals right."""
    game = _game(name, seats)
    match = Match(enter(players, game), "field")
    seeds = range(2 * FIRST_SEED, 2 * FIRST_SEED + matches * MATCH_DEALS)
    (played,) = play_matches(game, [match], seeds, Plan())
    raw = np.diagonal(played.returns, axis1=1, axis2=2).mean(axis=1).reshape(matches, -1)
    luck = adjusted.StandIns(game, stand_ins).luck_of_games(played.seeds).mean(axis=1)
    pairs = zip(raw, luck.reshape(raw.shape), strict=True)
    without = np.array([adjusted.without_luck(*pair) for pair in pairs])
    gaps = (without - raw).mean(axis=1)
    truth = 0.0 if players[0] == players[1] else float(raw.mean())
    intervals = [mean_of_deals(values) for values in without]
    return {
        "game": f"{name}, {seats} seats",
        "players": " v ".join(players),
        "stand_ins": " v ".join(stand_ins),
        "errors": float(gaps.mean() / (gaps.std() / np.sqrt(matches))),
        "saved": float(raw.mean(axis=1).var() / without.mean(axis=1).var()),
        "right": sum(each.low <= truth <= each.high for each in intervals) / matches,
    }


def _game(name: GameName, seats: int) -> Game:
    return load_game(name, **({} if name == "top_trumps" else {"num_players": seats}))


def measure(num_matches: int) -> dict[str, Any]:
    """Measure all, and print each result as it comes."""
    games, checks = [], []
    for name, seats in PAIRS:
        games.append(savings(name, seats))
        print(games[-1], flush=True)
    for case in CHECKS:
        checks.append(check(*case, num_matches))
        print(checks[-1], flush=True)
    head = {"code": code_digest(MODULES), "num_matches": num_matches}
    return {**head, "games": games, "checks": checks}


def page(result: dict[str, Any]) -> str:
    """The result in Markdown."""
    games = [
        [row["game"], row["players"], row["stand_ins"], *(f"{deals:.2f}" for deals in row["deals"])]
        for row in result["games"]
    ]
    times = [
        [row["game"], *(f"{1000 * seconds:.2f}" for seconds in row["seconds"])]
        for row in result["games"]
    ]
    number = result["num_matches"]
    checks = [
        [
            *(row[name] for name in ("game", "players", "stand_ins")),
            f"{row['errors']:+.1f}",
            f"{row['saved']:.2f}",
            f"{wilson(row['right'], number).scaled(100):.1f}",
        ]
        for row in result["checks"]
    ]
    ways = ("single games", "duplicates", "adjusted singles", "adjusted duplicates")
    lines = [
        "# Variance reduction by stand-ins",
        "",
        "Written by `python -m docs.studies.arena luck`; do not edit. Games needed for an interval "
        "of the same width, as a multiple of those of duplicate deals; less is better.",
        "",
        *markdown_table(("game", "players", "stand-ins", *ways), games),
        "",
        "Processor time for a deal, in milliseconds: the players, and their stand-ins at "
        f"{adjusted.OTHERS + 1} deals.",
        "",
        *markdown_table(("game", "players", "stand-ins"), times),
        "",
        f"{number:,} independent matches of {MATCH_DEALS} deals for each line. Adjusted minus raw "
        "mean return, in its standard errors, should be within 3, also where the stand-ins are "
        "bad. Right: adjusted intervals with the true mean return, which is 0 between equal "
        "players and else that of all matches together.",
        "",
        *markdown_table(
            ("game", "players", "stand-ins", "standard errors", "deals saved, factor", "right, %"),
            checks,
        ),
    ]
    return "\n".join(lines) + "\n"
