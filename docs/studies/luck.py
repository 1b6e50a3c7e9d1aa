"""How many deals adjusted results save, and that they are not biased, whoever stands in."""

import time
from typing import Any

import numpy as np

from parlour.baselines.arena.play import adjusted
from parlour.baselines.arena.play.batches import Match
from parlour.baselines.arena.play.entrants import enter
from parlour.baselines.arena.play.playing import Plan, play_matches
from parlour.baselines.arena.results.export import markdown_table
from parlour.envs import GameName, load_game

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
MATCH_DEALS = 20
FIRST_SEED = 1_000_000  # no choice of players or stand-ins looked at these deals
STAND_INS = (("dqn", "planner"), ("random", "random"))


def savings(name: GameName, seats: int) -> dict[str, Any]:
    """Return the variance of single games, of duplicates and of both adjusted, for one deal."""
    players, stand_ins, num_deals = PAIRS[name, seats]
    game = load_game(name, **({"num_players": seats} if name != "top_trumps" else {}))
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


def bias(stand_ins: tuple[str, str], num_matches: int) -> dict[str, Any]:
    """Return adjusted minus raw over many matches, in standard errors, and the deals saved."""
    game = load_game("president", num_players=4)
    match, num_deals = Match(enter(("ppo", "planner"), game), "field"), num_matches * MATCH_DEALS
    seeds = range(2 * FIRST_SEED, 2 * FIRST_SEED + num_deals)
    (played,) = play_matches(game, [match], seeds, Plan())
    raw = np.diagonal(played.returns, axis1=1, axis2=2).mean(axis=1).reshape(num_matches, -1)
    luck = adjusted.StandIns(game, stand_ins).luck_of_games(played.seeds).mean(axis=1)
    pairs = zip(raw, luck.reshape(raw.shape), strict=True)
    without = np.array([adjusted.without_luck(*pair) for pair in pairs])
    gaps = (without - raw).mean(axis=1)
    errors = float(gaps.mean() / (gaps.std() / np.sqrt(num_matches)))
    saved = raw.mean(axis=1).var() / without.mean(axis=1).var()
    return {"stand_ins": " v ".join(stand_ins), "errors": errors, "saved": float(saved)}


def measure(num_matches: int) -> dict[str, Any]:
    """Measure all, and print each result as it comes."""
    games, checks = [], []
    for name, seats in PAIRS:
        games.append(savings(name, seats))
        print(games[-1], flush=True)
    for stand_ins in STAND_INS:
        checks.append(bias(stand_ins, num_matches))
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
    checks = [
        [row["stand_ins"], f"{row['errors']:+.1f}", f"{row['saved']:.2f}"]
        for row in result["checks"]
    ]
    ways = ("single games", "duplicates", "adjusted singles", "adjusted duplicates")
    lines = [
        "# Results without the luck of the deals",
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
        f"Adjusted minus raw mean return, over {result['num_matches']:,} independent matches of "
        f"{MATCH_DEALS} deals (`ppo` v `planner`, President): its mean in standard errors, which "
        "should be within 3, also where the stand-ins are bad; and the deals saved.",
        "",
        *markdown_table(("stand-ins", "standard errors", "deals saved, factor"), checks),
    ]
    return "\n".join(lines) + "\n"
