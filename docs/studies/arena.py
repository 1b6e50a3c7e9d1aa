"""Long studies of the arena, as commands: intervals, tests, kill -9, the cost of the sandbox.

python -m docs.studies.arena coverage --times 2000
python -m docs.studies.arena sprt
python -m docs.studies.arena kills --times 20
python -m docs.studies.arena sandbox_cost --times 200
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np

from parlour.baselines.arena.ratings.sprt import STRONGER, UNDECIDED, Sprt, sprt_verdict
from parlour.baselines.statistics.estimates import score_of_elo, wilson

from . import coverage, killing, sandbox_cost
from .recorded import write_record
from .simulation import paired_scores


def wrong_decisions(sprt: Sprt, true_elo: float, num_trials: int, seed: int = 0) -> tuple:
    """Share of tests that accept elo1, share undecided at the end, and the mean deals taken."""
    rng = np.random.default_rng(seed)
    verdicts = []
    for _ in range(num_trials):
        scores, judged = np.zeros(0), 0
        while True:
            scores = np.append(scores, paired_scores(rng, score_of_elo(true_elo), 250))
            verdict = sprt_verdict(scores, sprt, judged)
            judged = len(scores)
            if verdict.decision != UNDECIDED or judged >= 20_000:
                break
        verdicts.append(verdict)
    stronger = np.mean([verdict.decision == STRONGER for verdict in verdicts])
    undecided = np.mean([verdict.decision == UNDECIDED for verdict in verdicts])
    return stronger, undecided, np.mean([verdict.num_deals for verdict in verdicts])


def _coverage(num_trials: int) -> None:
    found = coverage.measure(num_trials)
    write_record(coverage.RECORD, found, coverage.page(found))
    print(f"written to {coverage.RECORD}")


def _sprt(trials: int) -> None:
    for sprt in (Sprt(0, 20), Sprt(0, 50, 0.01, 0.01), Sprt(-10, 30, 0.1, 0.05)):
        for true in (sprt.elo0, sprt.elo1):
            stronger, undecided, deals = wrong_decisions(sprt, true, trials)
            share = wilson(stronger, trials).scaled(100)
            print(f"{sprt}, truly {true:+}: stronger {share:.1f} %, ", end="")
            print(f"undecided {100 * undecided:.1f} %, {deals:.0f} deals", flush=True)


def _kills(times: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        plain = killing.undisturbed(Path(folder) / "plain.db")
        killed, done = killing.with_kills(Path(folder) / "killed.db", times, seed=1)
    print(f"killed {len(done)} times, with {done} batches on disk each time")
    print("the same table" if killed == plain else f"ANOTHER TABLE:\n{plain}\n{killed}")


def _sandbox_cost(num_games: int) -> None:
    with tempfile.TemporaryDirectory() as logs:
        found = sandbox_cost.measure(num_games, Path(logs))
    page = sandbox_cost.page(found)
    write_record(sandbox_cost.RECORD, found, page)
    print(page)


STUDIES = {  # each with its number of repetitions
    "coverage": (_coverage, 2000),  # tournaments of each kind
    "sprt": (_sprt, 2000),  # tests
    "kills": (_kills, 20),
    "sandbox_cost": (_sandbox_cost, 200),  # games for each sandbox
}


def main() -> None:
    """Run one study."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study", choices=STUDIES)
    parser.add_argument("--times", type=int, help="number of repetitions, such as games or kills")
    arguments = parser.parse_args()
    run, times = STUDIES[arguments.study]
    run(arguments.times or times)


if __name__ == "__main__":
    main()
