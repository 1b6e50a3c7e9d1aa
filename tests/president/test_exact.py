"""Perfect play of two-seat President, what it is built on, and how players are measured by it."""

import json
from pathlib import Path

import numpy as np
import pytest

from docs.studies.president_perfect import RECORD, load, page
from parlour.baselines import make_policy
from parlour.baselines.arena import play_match
from parlour.baselines.president.measures import blunders
from parlour.envs import load_game
from parlour.scripts.main import main
from tests.president.test_solver import (
    late_positions,
    value_after,
)

pytestmark = pytest.mark.plain

GAME = load_game("president", num_players=2)


@pytest.mark.long
def test_perfect_play_wins_each_won_deal_and_makes_no_blunder() -> None:
    seeds = range(40, 42)
    assert blunders(GAME, "perfect", "planner", len(seeds), seeds[0]).mean == 0
    result = play_match(GAME, "perfect", "planner", len(seeds), seed=seeds[0])
    assert result.first_places.mean >= 0.5  # one seat of each deal wins against any play


@pytest.mark.long
def test_blunders_are_counted_in_won_positions_only() -> None:
    bad, good = (blunders(GAME, player, "lowest", 2, 40).mean for player in ("hoarder", "planner"))
    assert 0 < good < bad < 100


def test_its_values_say_which_actions_win() -> None:
    game, observations, masks = late_positions("free")
    policy = make_policy("perfect", game)
    assert policy.values is not None
    values = policy.values(observations[:15], masks[:15])
    for observation, mask, row in zip(observations, masks, values, strict=False):
        for action in np.flatnonzero(mask):
            assert row[action] == 2 * value_after(observation, int(action)) - 1


def test_it_refuses_what_is_not_solved() -> None:
    with pytest.raises(ValueError, match="2 players"):
        make_policy("perfect", load_game("president"))
    with pytest.raises(ValueError, match="num_games=3"):
        make_policy("perfect", load_game("president", num_players=2, num_games=3))


@pytest.mark.compiled
def test_the_command_measures_blunders(tmp_path: Path) -> None:
    out = tmp_path / "exact.json"
    command = (
        f"evaluate president hoarder --set num_players=2 --exact --deals 2 --seed 40 --json {out}"
    )
    assert main(command.split()) == 0
    (result,) = json.loads(out.read_text())
    assert "blunders" in result["measure"] and result["value"][0] > 0


def test_the_page_of_the_study_is_that_of_its_record() -> None:
    record = json.loads(RECORD.read_text())
    assert RECORD.with_suffix(".md").read_text() == page(record)
    assert len(record["seconds"]) >= 100 and record == load()  # of the present solver
