"""Which code is mutated, area by area, and the tests that are tried on it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

CHECKOUT = Path(__file__).resolve().parents[2]
GAMES = ("notty", "president", "splendor", "top_trumps", "trick_taking")


class Area(NamedTuple):
    """A part of the code: patterns of its files, and patterns of its test files."""

    code: tuple[str, ...]
    tests: tuple[str, ...]

    def files(self) -> list[str]:
        """The files that are mutated, as paths from the checkout."""
        return _found(self.code)

    def test_files(self) -> list[str]:
        """The test files, as paths from the checkout."""
        return _found(self.tests)


AREAS = {
    "rules": Area(
        code=tuple(
            f"envs/{game}/{name}.py"
            for game in GAMES
            for name in ("rules", "observation", "discard", "position", "actions")
        ),
        tests=(
            "tests/mutants/small_leak.py",
            "tests/mutants/small_lockstep.py",
            *(f"tests/{game}/test_rules.py" for game in GAMES),
            "tests/notty/test_leak.py",
            "tests/splendor/test_positions.py",
            "tests/notty/test_discard.py",
            "tests/notty/test_best_discard.py",
            "tests/test_docs.py",
            "tests/test_golden.py",
            "tests/test_ranges.py",
        ),
    ),
    "statistics": Area(
        code=(
            "baselines/arena/ratings/*.py",
            *(f"baselines/arena/play/{name}.py" for name in ("duplicate", "seatings")),
            *(f"baselines/arena/play/{name}.py" for name in ("playing", "match")),
        ),
        tests=(
            "tests/test_statistics.py",
            "tests/test_match.py",
            "tests/arena/test_cycles.py",
            "tests/arena/test_ratings.py",
            "tests/arena/test_playing.py",
            "tests/arena/test_seatings.py",
            "tests/arena/test_sprt.py",
            "tests/mutants/small_tournament.py",
        ),
    ),
    "search": Area(
        code=("baselines/search/*.py",),
        tests=(
            "tests/test_mcts.py",
            "tests/test_playout.py",
            "tests/test_best_response.py",
            "tests/test_halving.py",
            "tests/test_against_slow_search.py",
            "tests/mutants/small_guided.py",
            "tests/mutants/small_rollout.py",
            "tests/test_values_of_all_seats.py",
        ),
    ),
    "learners": Area(
        code=("training/*.py",),
        tests=(
            "tests/mutants/small_expert_iteration.py",
            "tests/mutants/small_training.py",
            "tests/test_values_of_all_seats.py",
        ),
    ),
}


def _found(patterns: tuple[str, ...]) -> list[str]:
    paths = {path for pattern in patterns for path in CHECKOUT.glob(pattern)}
    return sorted(str(path.relative_to(CHECKOUT)) for path in paths if path.name != "__init__.py")
