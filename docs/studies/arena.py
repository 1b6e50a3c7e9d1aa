"""Long studies of the arena, as commands: intervals, tests, kill -9, the cost of the sandbox.

python -m docs.studies.arena coverage --trials 2000
python -m docs.studies.arena sprt
python -m docs.studies.arena kills --times 20
python -m docs.studies.arena sandbox_cost --games 200
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np

from parlour.baselines.arena.ratings.sprt import STRONGER, UNDECIDED, Sprt, judge
from parlour.baselines.arena.ratings.statistics import score_of_elo, wilson

from . import coverage, killing, sandbox_cost
from .simulation import paired_scores


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


def _coverage(num_trials: int) -> None:
    coverage.write_record(coverage.measure(num_trials))
    print(f"written to {coverage.RECORD}")


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


def _sandbox_cost(num_games: int) -> None:
    with tempfile.TemporaryDirectory() as logs:
        found = sandbox_cost.measure(num_games, Path(logs))
    sandbox_cost.write_record(found)
    print(sandbox_cost.page(found))


def main() -> None:
    """Run one study."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study", choices=("coverage", "sprt", "kills", "sandbox_cost"))
    parser.add_argument(
        "--games", type=int, default=200, help="games that `sandbox_cost` times for each sandbox"
    )
    parser.add_argument("--times", type=int, default=20, help="how often `kills` kills")
    parser.add_argument(
        "--trials", type=int, default=2000, help="how many tournaments `coverage` simulates"
    )
    arguments = parser.parse_args()
    if arguments.study == "kills":
        _kills(arguments.times)
    elif arguments.study == "sandbox_cost":
        _sandbox_cost(arguments.games)
    elif arguments.study == "coverage":
        _coverage(arguments.trials)
    else:
        _sprt()


if __name__ == "__main__":
    main()
