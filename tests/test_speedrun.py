"""The speedrun: when a look ends, that looks share their errors, when learning ends, its record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from docs.studies import speedrun
from docs.studies.speedrun import Goal, look, note, train
from parlour.baselines.statistics.estimates import Estimate
from parlour.envs import load_game

pytestmark = pytest.mark.plain

TRICKS = load_game("trick_taking", num_values=3)
SMALL = {"total_steps": 160, "num_tables": 4, "batch_decisions": 8, "minibatch_size": 32}


def deals_of_look(shares: float, goal: float, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many deals a look takes where the first places of every deal sum to so much."""
    monkeypatch.setattr(speedrun, "LOOK_DEALS", (20, 20, 40, 80))
    played: list[int] = []

    def play(num_deals: int) -> np.ndarray:
        played.append(num_deals)
        return np.full(num_deals, shares)

    look(play, TRICKS, goal, 0.05)
    return sum(played)


def test_a_look_ends_once_its_interval_excludes_the_goal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert deals_of_look(2.0, 0.5, monkeypatch) == 20
    assert deals_of_look(0.0, 0.5, monkeypatch) == 20
    assert deals_of_look(1.3, 0.5, monkeypatch) == 80
    assert deals_of_look(1.0, 0.5, monkeypatch) == 160


def trained(share: float, monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, Any], list[float]]:
    """A short run with a goal, each look of which sees 0.5 exactly; and the errors of its looks."""
    goal = Goal(2, "first_play", share, "ppo", {**SMALL, "hidden": (8,)})
    alphas: list[float] = []

    def seen(*arguments: Any) -> Estimate:
        alphas.append(arguments[-1])
        return Estimate(0.5, 0.5, 0.5)

    monkeypatch.setattr(Goal, "game", lambda self, name: TRICKS)
    monkeypatch.setitem(speedrun.GOALS, "trick_taking", goal)
    monkeypatch.setattr(speedrun, "FIRST_LOOK", 0.0)
    monkeypatch.setattr(speedrun, "NEXT_LOOK", 0.0)
    monkeypatch.setattr(speedrun, "look", seen)
    return train("trick_taking", 0, (4,)), alphas


def test_a_run_that_does_not_reach_it_ends_too_and_its_looks_share_their_errors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run, alphas = trained(0.6, monkeypatch)
    assert not run["is_reached"] and run["decisions"] == 160
    assert alphas == pytest.approx([0.05 / 2, 0.05 / 6, 0.05 / 12, 0.05 / 20, 0.05 / 30])


def test_more_seeds_take_the_place_of_fewer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = tmp_path / "speedrun.json"
    run = {"hidden": [8], "is_reached": True, "cpu_minutes": 1.5, "seconds": 120, "decisions": 4000}
    for count, change in ((1, "first"), (2, "first"), (1, "second")):
        note(record, "president", change, "abc", [run | {"cpu_minutes": 3.5 - count}] * count)
    note(record, "president", "third", "abc", [run | {"is_reached": False, "cpu_minutes": 0.5}])
    assert [len(entry["runs"]) for entry in json.loads(record.read_text())] == [2, 1, 1]
    monkeypatch.setattr(speedrun, "RECORD", record)
    fastest, slower, failed = speedrun.table().splitlines()[2:]
    assert "| 1.50 1.50 | 2.00 2.00 | 4,000 4,000 | 2 of 2 reached it | first |" in fastest
    assert "| 2.50 | 2.00 | 4,000 | 1 of 1 reached it | second |" in slower
    assert "| 0.50 | 2.00 | 4,000 | 0 of 1 reached it | third |" in failed
