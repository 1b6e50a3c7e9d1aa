"""`parlour evaluate` with the document's duplicate match and with the measures of a solver."""

import json
from typing import Final

import pytest

from parlour.baselines.players.measures import measures_of
from parlour.envs import load_game
from tests.commands import told

GAME: Final = "trick_taking"


def test_a_thousand_deals_of_first_play_against_itself_are_all_drawn(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The document's own check: 0.0 0.0 100.0."""
    shown = told(f"evaluate {GAME} first_play --against first_play --duplicate", capsys)
    last = shown.strip().splitlines()[-1]
    assert last.split()[:3] == ["first_play", "first_play", "1,000"]
    assert [last.split()[column] for column in (3, 6, 9)] == ["0.0", "0.0", "100.0"]


@pytest.mark.plain
def test_perfect_play_has_no_regret_and_no_exact_reply(capsys: pytest.CaptureFixture[str]) -> None:
    command = f"evaluate {GAME} perfect --set num_values=5 --exact --deals 5 --json -"
    command += " --against random,smart"
    against_random, against_smart, exploitability = json.loads(told(command, capsys))
    assert against_random["value"][0] == against_smart["value"][0] == 0
    assert exploitability["value"] is None and "chooses at random" in exploitability["refusal"]


@pytest.mark.plain
def test_all_deals_of_a_small_game_can_be_measured(capsys: pytest.CaptureFixture[str]) -> None:
    command = f"evaluate {GAME} smart --set num_values=3 --exact --deals all --json -"
    regret, exploitability = json.loads(told(command, capsys))
    assert 0 < regret["value"][0] <= exploitability["value"][0] < 1


def test_a_game_without_a_solver_has_no_measures() -> None:
    assert measures_of(load_game("splendor")) == {}
    assert len(measures_of(load_game(GAME))) == 2
