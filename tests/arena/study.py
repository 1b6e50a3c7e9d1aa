"""Long studies of the arena, as commands: how often intervals and tests are right, and kill -9.

python -m tests.arena.study coverage
python -m tests.arena.study sprt
python -m tests.arena.study kills --times 20
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np

from parlour.baselines.arena.rankings import count_choices
from parlour.baselines.arena.ratings import rate
from parlour.baselines.arena.sprt import STRONGER, UNDECIDED, Sprt, judge
from parlour.baselines.arena.statistics import mean_of_deals, score_of_elo, share_of_deals, wilson

from . import killing, simulation
from .simulation import ELO, duels, paired_scores, tables

TRUE_MARGIN = 0.05  # of a fit test that should reject a true model this often


def rating_coverage(
    kind: str, num_trials: int, num_deals: int, num_resamples: int, seed: int = 0
) -> tuple[float, float]:
    """Share of rating intervals that hold the true rating; share of true models rejected."""
    simulate = {"duels": duels, "tables": tables}[kind]
    rng = np.random.default_rng(seed)
    covered, rejected = 0, 0
    for _ in range(num_trials):
        made = count_choices(simulate(rng, num_deals))
        ratings = rate(made, len(ELO), num_resamples)
        covered += sum(e.low <= true <= e.high for e, true in zip(ratings.elo, ELO, strict=True))
        rejected += ratings.fit.p_value < TRUE_MARGIN
    return covered / (num_trials * len(ELO)), rejected / num_trials


def match_coverage(num_trials: int, num_deals: int, seed: int = 0) -> tuple[float, float]:
    """Of the intervals of a match: those of the mean result, and of the share of games won."""
    rng = np.random.default_rng(seed)
    pair = ELO[1:3]
    strength = np.exp(pair / simulation.ELO_SCALE)
    draw = simulation.DRAWS * np.sqrt(strength.prod())
    chances = strength / (strength.sum() + draw)
    means = shares = 0
    for _ in range(num_trials):
        (contest,) = duels(rng, num_deals, pair)
        own = contest.values[:, [0, 1], [0, 1]]
        mean = mean_of_deals(own.sum(axis=1), 2)
        share = share_of_deals((own == 1).sum(axis=1), 2)
        means += mean.low <= chances[0] - chances[1] <= mean.high
        shares += share.low <= chances[0] <= share.high
    return means / num_trials, shares / num_trials


def wrong_decisions(sprt: Sprt, true_elo: float, num_trials: int, seed: int = 0) -> tuple:
    """Share of tests that accept elo1, share undecided at the end, and the mean deals taken."""
    rng = np.random.default_rng(seed)
    verdicts = []
    for _ in range(num_trials):
        scores, judged = np.zeros(0), 0
        while True:
            scores = np.append(scores, paired_scores(rng, score_of_elo(true_elo), 250))
            verdict = judge(scores, sprt, judged)
            judged = len(scores)
            if verdict.decision != UNDECIDED or judged >= 20_000:
                break
        verdicts.append(verdict)
    stronger = np.mean([verdict.decision == STRONGER for verdict in verdicts])
    undecided = np.mean([verdict.decision == UNDECIDED for verdict in verdicts])
    return stronger, undecided, np.mean([verdict.num_deals for verdict in verdicts])


def _coverage() -> None:
    trials = 1000
    for kind in ("duels", "tables"):
        for deals in (100, 1000):
            covered, rejected = rating_coverage(kind, trials, deals, 500)
            print(f"ratings, {kind}, {deals} deals: covered {_share(covered, trials * len(ELO))}")
            print(f"  a true model is rejected at 5 %: {_share(rejected, trials)}", flush=True)
    for deals in (30, 100, 1000):
        means, shares = match_coverage(10 * trials, deals)
        print(f"match of {deals} deals: mean {_share(means, 10 * trials)}, ", end="")
        print(f"share won {_share(shares, 10 * trials)}", flush=True)


def _sprt() -> None:
    trials = 2000
    for sprt in (Sprt(0, 20), Sprt(0, 50, 0.01, 0.01), Sprt(-10, 30, 0.1, 0.05)):
        for true in (sprt.elo0, sprt.elo1):
            stronger, undecided, deals = wrong_decisions(sprt, true, trials)
            print(f"{sprt}, truly {true:+}: stronger {_share(stronger, trials)}, ", end="")
            print(f"undecided {100 * undecided:.1f} %, {deals:.0f} deals", flush=True)


def _share(share: float, trials: int) -> str:
    _, low, high = (100 * value for value in wilson(float(share), trials))
    return f"{100 * share:.1f} % [{low:.1f}, {high:.1f}]"


def _kills(times: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        plain = killing.undisturbed(Path(folder) / "plain.db")
        killed, done = killing.with_kills(Path(folder) / "killed.db", times, seed=1)
    print(f"killed {len(done)} times, with {done} batches on disk each time")
    print("the same table" if killed == plain else f"ANOTHER TABLE:\n{plain}\n{killed}")


def main() -> None:
    """Run one study."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study", choices=("coverage", "sprt", "kills"))
    parser.add_argument("--times", type=int, default=20)
    arguments = parser.parse_args()
    if arguments.study == "kills":
        _kills(arguments.times)
    else:
        {"coverage": _coverage, "sprt": _sprt}[arguments.study]()


if __name__ == "__main__":
    main()
