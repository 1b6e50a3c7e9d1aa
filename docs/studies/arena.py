"""Long studies of the arena, as commands: intervals, tests, kill -9, the cost of the sandbox.

python -m docs.studies.arena coverage --times 2000
python -m docs.studies.arena anytime
python -m docs.studies.arena luck
python -m docs.studies.arena budget
python -m docs.studies.arena kills --times 20
python -m docs.studies.arena sandbox_cost --times 200
"""

import argparse
import tempfile
from pathlib import Path

from . import anytime, budget, coverage, killing, luck, sandbox_cost
from .recorded import write_record


def _coverage(num_trials: int) -> None:
    record = coverage.measure(num_trials)
    write_record(coverage.RECORD, record, coverage.page(record))
    print(f"written to {coverage.RECORD}")


def _anytime(num_trials: int) -> None:
    result = anytime.measure(num_trials)
    write_record(anytime.RECORD, result, anytime.page(result))
    print(f"written to {anytime.RECORD}")


def _luck(num_matches: int) -> None:
    result = luck.measure(num_matches)
    write_record(luck.RECORD, result, luck.page(result))
    print(f"written to {luck.RECORD}")


def _budget(most_matches: int) -> None:
    result = budget.measure(most_matches)
    write_record(budget.RECORD, result, budget.page(result))
    print(f"written to {budget.RECORD}")


def _kills(times: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        plain = killing.undisturbed(Path(folder) / "plain.db")
        killed, done = killing.with_kills(Path(folder) / "killed.db", times, seed=1)
    print(f"killed {len(done)} times, with {done} batches on disk each time")
    print("the same table" if killed == plain else f"ANOTHER TABLE:\n{plain}\n{killed}")


def _sandbox_cost(num_games: int) -> None:
    with tempfile.TemporaryDirectory() as logs:
        record = sandbox_cost.measure(num_games, Path(logs))
    page = sandbox_cost.page(record)
    write_record(sandbox_cost.RECORD, record, page)
    print(page)


STUDIES = {  # each with its number of repetitions
    "coverage": (_coverage, 2000),  # tournaments of each kind
    "anytime": (_anytime, 1000),  # tournaments of each kind
    "luck": (_luck, 1000),  # matches
    "budget": (_budget, 1000),  # matches of a pair, at most
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
