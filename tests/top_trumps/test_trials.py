"""Trials from a list: rows, results and files."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlour.baselines.arena.play.batches import play_deals
from parlour.baselines.arena.play.seatings import one_against_field
from parlour.baselines.players.making import make_policy
from parlour.baselines.top_trumps import agent_template as top_trumps_agent_template
from parlour.baselines.top_trumps import trials
from parlour.baselines.top_trumps.trials import (
    SHIPPED,
    TrialSettings,
    TrialSpec,
    play_trial,
    read_trials,
    reserve_files,
)
from parlour.envs import load_game
from parlour.scripts.main import main

pytestmark = pytest.mark.plain

SMALL = TrialSettings(num_fields=3, trick_limit=60)


def test_the_list_that_ships_is_the_documents() -> None:
    trials = read_trials(json.loads(SHIPPED.read_text()))
    assert len(trials) == 19
    pairs = Counter((trial.player_1, trial.player_2) for trial in trials)
    assert set(pairs.values()) == {1}
    assert all((second, first) in pairs for first, second in pairs)
    assert sum(first == second for first, second in pairs) == 5
    assert all(trial.num_cards == 50 for trial in trials)
    assert TrialSettings().num_fields == 5


def test_a_trial_plays_player_1_in_the_first_seat_and_is_repeatable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(trials, "BATCH_DEALS", 64)
    trial = TrialSpec("maxer", "goliath", 2, 70)
    done: list[int] = []
    first, again = play_trial(trial, SMALL, done.append), play_trial(trial, SMALL)
    assert first[:4] == again[:4]
    assert first.wins + first.losses + first.draws == 70
    assert done == [64, 70]
    game = load_game("top_trumps", num_cards=2, num_fields=3, trick_limit=60)
    policies = (make_policy("maxer", game), make_policy("goliath", game))
    seeds = np.arange(70)
    returns = play_deals(game, policies, seeds, one_against_field(2, seeds))[:, 0, 0]
    assert (first.wins, first.losses) == ((returns == 1).sum(), (returns == -1).sum())


def test_fractions_and_ms_reach_the_players_they_are_for() -> None:
    """As maxer always, and as rander always."""
    always = play_trial(TrialSpec("rand_maxer", "expert", 7, 20, 1.0, None, None, 0.3), SMALL)
    assert always[1:4] == play_trial(TrialSpec("maxer", "expert", 7, 20, p2_m=0.3), SMALL)[1:4]
    never = play_trial(TrialSpec("rand_maxer", "expert", 7, 20, 0.0, None, None, 0.3), SMALL)
    assert never[1:4] != always[1:4]


@pytest.mark.parametrize(
    ("rows", "named"),
    [
        ({}, "list of rows"),
        ([], "list of rows"),
        ([["maxer", "rander", 50]], "row 1 must be"),
        ([["maxer", "rander", 50, 10], "maxer"], "row 2 must be"),
        ([["maxer", 3, 50, 10]], "row 1 must be"),
        ([["maxer", "nobody", 50, 10]], "row 1: top_trumps has no player 'nobody'"),
        ([["maxer", "rander", 1, 10]], "row 1: num_cards"),
        ([["maxer", "rander", 50, 0]], "row 1: num_trials"),
        ([["maxer", "rander", 50, 2.5]], "row 1: num_trials"),
        ([["maxer", "rander", 50, 10, 0.5]], "row 1: .*fraction"),
        ([["expert", "rander", 50, 10, None, None, 2]], "row 1: m must be"),
    ],
)
def test_a_wrong_row_is_named(rows: Any, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        read_trials(rows)


def test_a_batch_writes_data_and_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With an agent of the user's among the players, twice into the same folder."""
    agent = tmp_path / "my_agent.py"
    agent.write_text(Path(top_trumps_agent_template.__file__).read_text())
    trials = tmp_path / "trials.json"
    rows = [["maxer", "rand_maxer", 7, 40, None, 0.25], [f"{agent}:MyAgent", "goliath", 7, 3]]
    trials.write_text(json.dumps(rows))
    command = f"batch {trials} --num-fields 3 --trick-limit 60 --out {tmp_path / 'out'}"
    for _ in range(2):
        assert main(["trials", "top_trumps", *command.split()]) == 0
    shown = capsys.readouterr().out
    files = sorted((tmp_path / "out").glob("*.json"))
    assert len(files) == 2
    first, second = (json.loads(file.read_text()) for file in files)
    assert first["is_complete"] and first["num_fields"] == 3
    for one, other in zip(first["trials"], second["trials"], strict=True):
        assert one["wins"] + one["losses"] + one["draws"] == one["num_trials"]
        assert one["seconds"] >= 0
        assert one["share"][1] <= one["share"][0] <= one["share"][2]
        assert {**one, "seconds": 0} == {**other, "seconds": 0}
    for file in files:
        text = file.with_suffix(".txt").read_text()
        assert text in shown
        assert "rand_maxer (fraction 0.25)" in text


def test_two_runs_never_get_the_same_files(tmp_path: Path) -> None:
    """Not within one second either, before anything is written to them."""
    files = [file for _ in range(3) for file in reserve_files(tmp_path)]
    assert len(set(files)) == 6 and all(file.exists() for file in files)


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("", "required"),
        ("batch --num-fields 17", "num_fields"),
        ("batch --seed -1", "seed"),
        ("batch no-such-file.json", "no-such-file.json"),
    ],
)
def test_a_wrong_argument_gets_one_line_and_status_2(
    command: str, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(["trials", "top_trumps", *command.split()])
    text = capsys.readouterr().err
    assert left.value.code == 2
    assert named in text
    assert text.count("\n") == 1
