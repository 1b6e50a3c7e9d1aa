"""Whether intervals that are valid at any time are right however often one looks, and their cost.

Simulated tournaments of known strengths, looked at after every deal; matches between equal players
of the games; deals until a decision, beside those of a sequential test.
"""

from collections import Counter
from typing import Any

import numpy as np

from parlour.baselines.arena.play.batches import Match
from parlour.baselines.arena.play.entrants import enter
from parlour.baselines.arena.play.match import deal_seeds, result_of
from parlour.baselines.arena.play.playing import Plan, play_matches, scores_of
from parlour.baselines.arena.ratings import until
from parlour.baselines.arena.ratings.until import verdict_of
from parlour.baselines.arena.results.export import markdown_table
from parlour.baselines.statistics import anytime
from parlour.baselines.statistics.anytime import anytime_mean, log_capitals
from parlour.baselines.statistics.estimates import LEVEL, RETURNS, score_of_elo, wilson
from parlour.envs import GameName, load_game

from . import simulation, sprt
from .recorded import STUDIES, code_digest
from .simulation import DRAWS, ELO_SCALE, duels, paired_scores
from .sprt import sprt_deals

RECORD = STUDIES / "anytime.json"
MODULES = (anytime, until, simulation, sprt)
FIELDS = {"equal": (0.0, 0.0, 0.0), "mixed": (-60.0, 0.0, 70.0)}  # Elo of the players
DEALS = 1000  # of each meeting
UNTIL, ELO, MOST = 10.0, (0, 20, 50, 100), 20_000
GAMES: tuple[GameName, ...] = ("top_trumps", "trick_taking", "president", "splendor")
MATCHES, MATCH_DEALS = 400, 50


def wrong_tournaments(elo: np.ndarray, num_trials: int, seed: int = 0) -> tuple[float, float]:
    """Return the share of tournaments with a false decision, and with a wrong interval, ever.

    After every deal each interval is looked at: whether it excludes the true score, and whether it
    lies on the wrong side of equality, or beside it between equals.
    """
    rng = np.random.default_rng(seed)
    pairs = [(a, b) for a in range(len(elo)) for b in range(a + 1, len(elo))]
    target = np.log(2 * len(pairs) / (1 - LEVEL))
    is_false, is_missed = np.zeros((2, num_trials), bool)
    for trial in range(num_trials):
        for (a, b), scored in zip(pairs, duels(rng, DEALS, elo), strict=True):
            scores = (1 + scored.values[:, [0, 1], [0, 1]].mean(axis=1)) / 2
            truth = _true_score(elo[a] - elo[b])
            capital = max(_highest(scores, truth), _highest(1 - scores, 1 - truth))
            is_missed[trial] |= capital >= target
            sides = [(scores, truth <= 0.5), (1 - scores, truth >= 0.5)]
            is_false[trial] |= any(_highest(s, 0.5) >= target for s, is_wrong in sides if is_wrong)
    return float(is_false.mean()), float(is_missed.mean())


def _highest(scores: np.ndarray, mean: float) -> float:
    return float(log_capitals(scores, mean).max())


def _true_score(elo: float) -> float:
    """The mean score in a `duel` between players that differ by `elo`."""
    first, second = np.exp(np.array([elo, 0.0]) / ELO_SCALE)
    draw = DRAWS * np.sqrt(first * second)
    return float((first + draw / 2) / (first + second + draw))


def cost(elo: float, num_trials: int, seed: int = 0) -> dict[str, Any]:
    """Return the mean deals of `until` and of two sequential tests, and the wrong verdicts."""
    rng = np.random.default_rng(seed)
    rows, decisions = [], []
    for _ in range(num_trials):
        scores = paired_scores(rng, score_of_elo(elo), MOST)
        verdict = verdict_of(scores, UNTIL)
        other = sprt_deals(scores, 0, elo or 2 * UNTIL), sprt_deals(scores, 0, 2 * UNTIL)
        rows.append((verdict.num_deals, *other))
        decisions.append(verdict.decision)
    return {"elo": elo, "deals": np.mean(rows, axis=0).tolist(), "verdicts": Counter(decisions)}


def covered(name: GameName) -> dict[str, Any]:
    """Play matches of a random player against itself; count the intervals that contain 0."""
    game = load_game(name)
    pair = Match(enter(("random", "random"), game), "field")
    fixed = at_any_time = 0
    for match in range(MATCHES):
        seeds = deal_seeds(match * MATCH_DEALS, MATCH_DEALS)
        (played,) = play_matches(game, [pair], seeds, Plan())
        mean = result_of(game, played).mean_return
        other = anytime_mean(2 * scores_of(played) - 1, 1, RETURNS)
        fixed += mean.low <= 0 <= mean.high
        at_any_time += other.low <= 0 <= other.high
    return {"game": name, "fixed": fixed / MATCHES, "anytime": at_any_time / MATCHES}


def measure(num_trials: int) -> dict[str, Any]:
    """Run all simulations and print each result as it comes."""
    tournaments = []
    for field, ratings in FIELDS.items():
        false, missed = wrong_tournaments(np.array(ratings), num_trials)
        tournaments.append({"field": field, "false": false, "missed": missed})
        print(tournaments[-1], flush=True)
    costs, matches = [], []
    for elo in ELO:
        costs.append(cost(elo, num_trials // 10))
        print(costs[-1], flush=True)
    for name in GAMES:
        matches.append(covered(name))
        print(matches[-1], flush=True)
    head = {"code": code_digest(MODULES), "num_trials": num_trials}
    return {**head, "tournaments": tournaments, "costs": costs, "matches": matches}


def page(record: dict[str, Any]) -> str:
    """The result in Markdown."""
    trials = record["num_trials"]

    def percent(share: float, number: int) -> str:
        return f"{wilson(share, number).scaled(100):.1f}"

    lines = [
        "# Intervals that are valid at any time",
        "",
        "Written by `python -m docs.studies.arena anytime`; do not edit. Brackets: 95 % intervals "
        "of the simulation.",
        "",
        f"{trials:,} simulated tournaments of three players for each line, every pair playing "
        f"{DEALS:,} deals, looked at after every deal. False: a pair was ever decided wrongly. "
        "Missed: an interval ever excluded the true score. At most 5 % is promised for a whole "
        "tournament.",
        "",
        *markdown_table(
            ("players", "false, %", "missed, %"),
            [
                [row["field"], percent(row["false"], trials), percent(row["missed"], trials)]
                for row in record["tournaments"]
            ],
        ),
        "",
        f"Mean deals of simulated matches, {trials // 10:,} for each line, at most {MOST:,}: with "
        f"`until={UNTIL:g}`; with a sequential test that knows the true difference (between 0 "
        f"and it; at 0, between 0 and {2 * UNTIL:g}); and with one between 0 and {2 * UNTIL:g}. "
        "Both tests err in 5 % of cases either way, and give no interval.",
        "",
        *markdown_table(
            ("true Elo", "until", "test of the true Elo", f"test of {2 * UNTIL:g}", "verdicts"),
            [_cost_cells(row) for row in record["costs"]],
        ),
        "",
        f"{MATCHES} matches of {MATCH_DEALS} deals between equal players (`random`): intervals of "
        "the mean return that contain 0, in per cent.",
        "",
        *markdown_table(
            ("game", "fixed number of deals", "at any time"),
            [
                [row["game"], percent(row["fixed"], MATCHES), percent(row["anytime"], MATCHES)]
                for row in record["matches"]
            ],
        ),
    ]
    return "\n".join(lines) + "\n"


def _cost_cells(row: dict[str, Any]) -> list[str]:
    verdicts = ", ".join(f"{name}: {count}" for name, count in row["verdicts"].items())
    return [str(row["elo"]), *(f"{deals:,.0f}" for deals in row["deals"]), verdicts]
