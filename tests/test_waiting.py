"""Long waits without a terminal get a line now and then, which is logged: a command prints it."""

import itertools
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest

from parlour.baselines import waiting
from parlour.baselines.arena import Plan, play_duplicate, play_match, play_tournament
from parlour.envs import load_game
from parlour.scripts import output
from parlour.scripts.main import main

ROOT = Path(__file__).parents[1]
GAME = load_game("trick_taking", num_values=3)


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten seconds pass between any two looks at the clock."""
    ticks = itertools.count(step=10)
    clock = types.SimpleNamespace(monotonic=lambda: float(next(ticks)))
    monkeypatch.setattr(waiting, "time", clock)


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What has been logged of waits since the last call."""
    lines = [record.getMessage() for record in caplog.records if record.name == "parlour.progress"]
    caplog.clear()
    return lines


def test_matches_and_tournaments_tell(caplog: pytest.LogCaptureFixture) -> None:
    play_match(GAME, "random", "high_low", 5000)
    first, *others = lines(caplog)
    assert re.fullmatch(r"parlour: [\d,]+ of 10,000 games after \d+ s", first)
    assert not any("10,000 of 10,000" in line for line in others)
    play_match(GAME, "random", "random", 5000, plan=Plan(until=1))
    play_duplicate(GAME, "random", "high_low", 5000)
    play_tournament(GAME, ["random", "high_low", "first_play"], 2000)
    assert len(lines(caplog)) >= 3
    play_match(GAME, "random", "high_low", 5000, on_progress=lambda done: None)
    assert lines(caplog) == []


def test_few_lines_in_a_long_wait(caplog: pytest.LogCaptureFixture) -> None:
    wait = waiting.Wait()
    for step in range(100):
        wait.tell(f"step {step}")
    messages = lines(caplog)
    assert messages[0] == "parlour: step 1 after 20 s"
    assert 4 < len(messages) < 12


def test_without_any_setup_of_logging_the_lines_are_on_stderr() -> None:
    script = (
        "from parlour.baselines import waiting\n"
        "waiting.FIRST_LINE_AFTER = 0.0\n"
        "waiting.Wait().tell('half')\n"
        "waiting.progress_logger.setLevel('ERROR')\n"
        "waiting.Wait().tell('all')\n"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr == "parlour: half after 0 s\n"


def test_commands_tell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    game = tmp_path / "game.txt"
    assert main(["watch", GAME.name, "--seed", "1", "--transcript", str(game)]) == 0
    capsys.readouterr()
    page = ["--html", str(tmp_path / "page.html"), "--think", "0.001"]
    assert main(["replay", str(game), *page]) == 0
    line = r"parlour: plies searched, \d+ of 20 after \d+ s"
    assert re.match(line, capsys.readouterr().err)
    assert main(["replay", str(game), *page, "--quiet"]) == 0
    assert capsys.readouterr().err == ""
    with output.progress_bar() as bar:  # as of `bench`, which does not know how much is left
        task = bar.add_task("", total=None)
        for name in ("one", "two", "three"):
            bar.update(task, description=name)
    assert lines(caplog) == ["parlour: two after 20 s", "parlour: three after 30 s"]
