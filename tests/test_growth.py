"""The study of strength by time: which steps there are, that it goes on, what its page says."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.studies import growth
from docs.studies.growth import Step, measure, steps
from parlour.envs import load_game

pytestmark = pytest.mark.plain

TRICKS = load_game("trick_taking", num_values=3)
STEP = Step(TRICKS, "mcts", 1, 4)


@pytest.fixture
def timed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Batches of four games, and moves of as many seconds as simulations, divided by a hundred."""
    names: list[str] = []

    def seconds(_: object, policy: object) -> float:
        names.append(str(policy))
        return len(names) / 100

    monkeypatch.setattr(growth, "seconds_a_decision", seconds)
    monkeypatch.setattr(growth, "BATCH_GAMES", 4)
    return names


def test_the_steps_are_those_of_every_search_the_cheapest_first() -> None:
    chosen = steps(["splendor", "top_trumps"], 400)
    assert [step.more for step in chosen] == [100] * 8 + [400] * 8
    assert {step.player for step in chosen} == {"mcts", "guided", "david"}
    assert {step.game.num_seats for step in chosen if step.player == "guided"} == {2, 3, 4}
    assert chosen[0].spec(chosen[0].more) == "mcts:num_simulations=100"


def test_a_stopped_run_goes_on_where_it_was(timed: list[str], tmp_path: Path) -> None:
    store, file = tmp_path / "runs" / "growth.db", tmp_path / "growth.json"
    first = next(measure([STEP], 12, store, file))
    assert first["steps"][STEP.key]["games"] == 4
    rest = [dict(each["steps"][STEP.key]) for each in measure([STEP], 12, store, file)]
    assert [each["games"] for each in rest] == [8, 12]
    assert len(timed) == 2
    assert list(measure([STEP], 12, store, file)) == []
    file.unlink()  # the store has all results
    again = [dict(each["steps"][STEP.key]) for each in measure([STEP], 12, store, file)]
    assert again[-1] == rest[-1]
