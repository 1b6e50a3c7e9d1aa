"""The study of learning curves: it goes on where it stopped, and its page says what it found."""

from pathlib import Path
from typing import Any

import pytest

from docs.studies import learning as study
from docs.studies import learning_speed as speed
from docs.studies.learning_record import Entry, mean_and_range, minutes_to_equal, page, read_record
from parlour.envs import find_game
from parlour.training.ppo import Config

COMMAND = "ppo trick_taking --set num_values=3 --hidden 4 --threads 1 --total-steps 96 "
COMMAND += "--num-tables 2 --batch-decisions 4 --minibatch-size 8"


@pytest.mark.long
def test_it_trains_what_is_missing_and_keeps_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study, "POINTS", 2)
    monkeypatch.setattr(study, "DEALS", 3)
    record, trained = tmp_path / "docs/learning.json", []
    run_seed = study.run_seed

    def counted(entry: Entry, seed: int, folder: Path) -> list[dict[str, Any]]:
        trained.append(seed)
        return run_seed(entry, seed, folder)

    monkeypatch.setattr(study, "run_seed", counted)
    study.study([COMMAND], 1, record, tmp_path / "runs")
    study.study([COMMAND], 2, record, tmp_path / "runs")
    assert trained == [0, 1]
    (entry,) = read_record(record)
    assert entry["against"] == "smart" and entry["fair_share"] == 0.5
    assert [point["decisions"] for point in entry["runs"]["1"]] == [48, 96]
    assert entry["runs"]["0"] != entry["runs"]["1"]
    study.study([COMMAND.replace("96", "48")], 1, record, tmp_path / "runs")
    (shorter,) = read_record(record)
    assert trained == [0, 1, 0] and list(shorter["runs"]) == ["0"]
    assert record.with_suffix(".png").read_bytes().startswith(b"\x89PNG")


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
    shown = page([entry_of([0.3, 0.6], [0.1, 0.5])], {"processor": "abacus", "cores": 10})
    assert "abacus, 10 cores" in shown
    row = shown.splitlines()[-1]
    assert row == (
        "| chess, 2 seats | `ppo chess` | `mate` | 50 | 2.0 | 20 | 20.0 [10.0, 30.0] | "
        "20.0 [10.0, 30.0] | 55.0 [50.0, 60.0] | after 2.0 min | 0, 1 |"
    )


@pytest.mark.long
def test_speed_is_of_decisions_that_were_learned_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "SECONDS", 0.05)
    monkeypatch.setattr(speed, "HIDDEN", (4,))
    game = find_game("trick_taking", num_values=3)
    rates = speed.learning_rates(game, Config(hidden=(4,), num_threads=1, num_tables=64))
    assert rates["by_cpu"] > 0 and rates["by_clock"] > 0 and 0 < rates["forced"] < 1
    shares = speed.profile(game)
    assert sum(shares.values()) == pytest.approx(1.0) and min(shares.values()) > 0


@pytest.mark.long
def test_the_player_is_measured_after_its_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "AGAINST", ("smart",))
    monkeypatch.setattr(speed, "NUM_DEALS", 5)
    game = find_game("trick_taking", num_values=3)
    config = Config(
        hidden=(4,),
        num_threads=1,
        num_tables=2,
        batch_decisions=4,
        minibatch_size=8,
        total_steps=48,
    )
    found = speed.strength(game, config)
    assert found["decisions"] == 48 and found["games"] == 10
    assert list(found["first_places"]) == ["smart"]


def test_the_page_compares_learning_with_stepping() -> None:
    rates = {"by_clock": 250_000.0, "by_cpu": 125_000.0, "forced": 0.5}
    row = {"game": "chess", "hidden": [8], "threads 2": rates, "threads 1": rates}
    whole = {**row, "stepped": 5_000_000.0, "profile": dict.fromkeys(speed.PARTS, 0.25)}
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
    assert "| chess | 25% | 25% | 25% | 25% |" in text and text.count("| chess |") == 3
    assert "43.0% [42.0%, 44.0%] against `lowest` and 32.0%" in text
