"""How often the arena's intervals contain the true value, by simulation with known strengths."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from parlour.baselines.arena.ratings import choice_model, goodness_of_fit, rankings, ratings
from parlour.baselines.arena.ratings.rankings import count_choices
from parlour.baselines.arena.ratings.ratings import rate
from parlour.baselines.arena.results.export import DECIDED, markdown_table
from parlour.baselines.statistics import estimates as statistics
from parlour.baselines.statistics.estimates import (
    RETURNS,
    mean_of_deals,
    proportion_of_deals,
    wilson,
)

from . import simulation
from .recorded import STUDIES, code_digest
from .simulation import ELO, duels, tables

RECORD = STUDIES / "intervals.json"
KINDS: dict[str, Callable] = {"duels": duels, "tables": tables}
NUM_DEALS = (1, 2, 3, 5, 10, 30, 100)
TRUE_MARGIN = 0.05  # a fit test at this level should reject a true model this often
MODULES = (choice_model, goodness_of_fit, rankings, ratings, statistics, simulation)
_NORMAL = 1.96  # an oracle's interval: this many standard errors on either side


class RatingCoverage(NamedTuple):
    """What a simulation showed about rating intervals."""

    covered: float  # share of the intervals that contain the true rating
    width_to_oracle: float  # mean width of closed intervals, to that of the true standard error
    narrowest: float  # Elo
    is_open: float  # share of intervals
    decided: float  # share of pairs
    decided_wrongly: float  # share of pairs: the weaker or an equal player declared the stronger
    rejected: float  # share of tournaments whose true model the fit test rejects


def rating_coverage(
    kind: str, num_trials: int, num_deals: int, elo: np.ndarray = ELO, seed: int = 0
) -> RatingCoverage:
    """Simulate tournaments of players with these ratings, and rate them."""
    rng = np.random.default_rng(seed)
    rated = [
        rate(count_choices(KINDS[kind](rng, num_deals, elo)), len(elo)) for _ in range(num_trials)
    ]
    estimates = np.array([one.elo for one in rated])  # [trials, players, 3]
    mean, low, high = np.moveaxis(estimates, 2, 0)
    width = np.where(np.isfinite(high - low), high - low, np.nan)
    is_decided = np.array([one.superiority >= DECIDED for one in rated])  # [trials, row, column]
    is_stronger = elo[:, None] > elo
    num_pairs = num_trials * len(elo) * (len(elo) - 1) / 2
    return RatingCoverage(
        float(((low <= elo) & (elo <= high)).mean()),
        float(np.mean(np.nanmean(width, axis=0) / (2 * _NORMAL * mean.std(axis=0)))),
        float(np.nanmin(width)),
        float(np.isnan(width).mean()),
        float(is_decided.sum() / num_pairs),
        float((is_decided & ~is_stronger).sum() / num_pairs),
        float(np.mean([one.fit.p_value < TRUE_MARGIN for one in rated])),
    )


def match_coverage(num_trials: int, num_deals: int, seed: int = 0) -> tuple[float, float]:
    """Coverage of a match's mean return, and of its share of games won."""
    rng = np.random.default_rng(seed)
    pair = ELO[1:3]
    strength = np.exp(pair / simulation.ELO_SCALE)
    draw = simulation.DRAWS * np.sqrt(strength.prod())
    chances = strength / (strength.sum() + draw)
    means = shares = 0
    for _ in range(num_trials):
        (match,) = duels(rng, num_deals, pair)
        own = match.values[:, [0, 1], [0, 1]]
        mean = mean_of_deals(own.sum(axis=1), 2, RETURNS)
        share = proportion_of_deals((own == 1).sum(axis=1), 2)
        means += mean.low <= chances[0] - chances[1] <= mean.high
        shares += share.low <= chances[0] <= share.high
    return means / num_trials, shares / num_trials


def measure(num_trials: int) -> dict[str, Any]:
    """Run all simulations and print each result as it comes."""
    rows = []
    equals = np.zeros(len(ELO))
    for kind, num_deals in ((kind, deals) for kind in KINDS for deals in NUM_DEALS):
        figures = rating_coverage(kind, num_trials, num_deals)._asdict()
        figures["equals_decided"] = rating_coverage(
            kind, num_trials // 4, num_deals, equals
        ).decided_wrongly
        rows.append({"kind": kind, "num_deals": num_deals, **figures})
        print(rows[-1], flush=True)
    matches = []
    for num_deals in NUM_DEALS:
        means, shares = match_coverage(20 * num_trials, num_deals)
        matches.append({"num_deals": num_deals, "mean_return": means, "share_won": shares})
        print(matches[-1], flush=True)
    return {
        "code": code_digest(MODULES),
        "num_trials": num_trials,
        "ratings": rows,
        "matches": matches,
    }


def page(record: dict[str, Any]) -> str:
    """The result in Markdown."""
    num_intervals = record["num_trials"] * len(ELO)
    headings = (
        "kind",
        "deals",
        "contain the truth, %",
        "width to oracle",
        "narrowest, Elo",
        "open, %",
        "decided, %",
        "decided wrongly, %",
        "equals decided, %",
        "rejected, %",
    )
    rows = [
        [
            row["kind"],
            str(row["num_deals"]),
            f"{wilson(row['covered'], num_intervals).scaled(100):.1f}",
            f"{row['width_to_oracle']:.2f}",
            f"{row['narrowest']:.0f}",
            *(f"{100 * row[name]:.2f}" for name in ("is_open", "decided", "decided_wrongly")),
            *(f"{100 * row[name]:.1f}" for name in ("equals_decided", "rejected")),
        ]
        for row in record["ratings"]
    ]
    shares = [
        [
            str(row["num_deals"]),
            *(f"{100 * row[name]:.1f}" for name in ("mean_return", "share_won")),
        ]
        for row in record["matches"]
    ]
    lines = [
        "# Coverage of the arena's intervals",
        "",
        "Written by `python -m docs.studies.arena coverage`; do not edit. Simulated tournaments of "
        f"five players of known strength, {record['num_trials']:,} for each line: `duels` at two "
        "seats, each deal twice; `tables` at four seats, each deal four times. Luck is "
        f"correlated within a deal ({simulation.LIKENESS}).",
        "",
        "A rating interval should contain the true rating in 95 % of cases. Its width is given "
        "relative to that of an oracle, which knows the true standard error. A pair counts as "
        f"decided from a superiority of {100 * DECIDED:.2f} % on. "
        "`Equals decided` is the share of pairs decided among five equal players (a quarter as "
        "many tournaments); at most 2.5 % is promised. `Rejected` is how often the test of fit "
        "rejects the true model at 5 %.",
        "",
        *markdown_table(headings, rows),
        "",
        "Brackets: 95 % intervals of the simulation, which take intervals of one tournament for "
        f"independent. A match of two players, {20 * record['num_trials']:,} for each line:",
        "",
        *markdown_table(("deals", "mean return, %", "share won, %"), shares),
    ]
    return "\n".join(lines) + "\n"
