"""The study of learning: when a learner is level. `tests/documents` compares its pages."""

import pytest

from docs.studies.learning_record import Entry, mean_and_range, minutes_to_equal


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
