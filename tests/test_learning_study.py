"""The studies of learning: their pages say what was found."""

import pytest

from docs.studies import learning_speed as speed
from docs.studies.learning_record import Entry, mean_and_range, minutes_to_equal, page


def entry_of(*curves: list[float]) -> Entry:
    runs = {
        str(seed): [
            {"cpu_seconds": 60.0 * minute, "decisions": 10.0 * minute, "first_places": share}
            for minute, share in enumerate(shares, start=1)
        ]
        for seed, shares in enumerate(curves)
    }
    about = {"title": "chess, 2 seats", "algorithm": "ppo", "command": "ppo chess"}
    return {**about, "against": "mate", "fair_share": 0.5, "runs": runs}


def test_a_learner_is_level_where_its_worst_seed_is() -> None:
    entry = entry_of([0.3, 0.6, 0.7, 0.8], [0.1, 0.4, 0.5])
    assert mean_and_range(entry)[1] == pytest.approx((2.0, 0.5, 0.4, 0.6))
    assert len(mean_and_range(entry)) == 3  # the points that both have
    assert minutes_to_equal(entry) == 3.0
    assert minutes_to_equal(entry_of([0.3, 0.4])) is None


def test_the_page_shows_the_mean_and_the_range_of_the_seeds() -> None:
    machine = {"processor": "abacus", "cores": 10}
    shown = page({"entries": [entry_of([0.3, 0.6], [0.1, 0.5])], "machine": machine})
    assert "abacus, 10 cores" in shown
    row = shown.splitlines()[-1]
    assert row == (
        "| chess, 2 seats | `ppo chess` | `mate` | 50 | 2.0 | 20 | 20.0 [10.0, 30.0] | "
        "20.0 [10.0, 30.0] | 55.0 [50.0, 60.0] | after 2.0 min | 0, 1 |"
    )


def test_the_page_compares_learning_with_stepping() -> None:
    rates = {"by_clock": 250_000.0, "by_cpu": 125_000.0, "forced": 0.5}
    row = {"game": "chess", "hidden": [8], "threads 2": rates, "threads 1": rates}
    whole = {**row, "stepped": 5_000_000.0}
    about = {"processor": "abacus", "cores": 2, "python": "3.11"}
    config = {"num_tables": 2, "batch_decisions": 4, "epochs": 1, "minibatch_size": 8}
    strength = {
        "decisions": 30_000_000,
        "seconds": 130.0,
        "cpu_seconds": 220.0,
        "games": 20_000,
        "first_places": {"lowest": [0.43, 0.42, 0.44], "planner": [0.32, 0.31, 0.33]},
    }
    record = {"machine": about, "config": config, "rows": [whole, row], "strength": strength}
    text = speed.page(record)
    assert "| chess | 8 | 250,000 | 125,000 | 125,000 | 50% | 5,000,000 | 40 |" in text
    assert text.count("| chess |") == 2
    assert "43.0% [42.0%, 44.0%] against `lowest` and 32.0%" in text
