"""Long waits without a terminal get a line on stderr now and then."""

import itertools
import re
import types
from pathlib import Path

import pytest

from parlour.baselines.arena import Sprt, play_duplicate, play_match, play_tournament
from parlour.envs import load_game
from parlour.envs.core import waiting
from parlour.scripts import output
from parlour.scripts.main import main

GAME = load_game("trick_taking", num_values=3)


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten seconds pass between any two looks at the clock."""
    ticks = itertools.count(step=10)
    clock = types.SimpleNamespace(monotonic=lambda: float(next(ticks)))
    monkeypatch.setattr(waiting, "time", clock)


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    err = capsys.readouterr().err.splitlines()
    return [line for line in err if line.startswith("parlour: ") and "compiling" not in line]


def test_matches_and_tournaments_tell(capsys: pytest.CaptureFixture[str]) -> None:
    play_match(GAME, "random", "high_low", 5000)
    first, *_ = lines(capsys)
    assert re.fullmatch(r"parlour: [\d,]+ of 10,000 games after \d+ s", first)
    play_match(GAME, "random", "random", 5000, sprt=Sprt(0, 5))
    play_duplicate(GAME, "random", "high_low", 5000)
    play_tournament(GAME, ["random", "high_low", "first_play"], 2000)
    assert len(lines(capsys)) >= 3
    play_match(GAME, "random", "high_low", 5000, on_progress=lambda done: None)
    assert lines(capsys) == []


def test_few_lines_in_a_long_wait(capsys: pytest.CaptureFixture[str]) -> None:
    wait = waiting.Wait()
    for step in range(100):
        wait.tell(f"step {step}")
    told = lines(capsys)
    assert told[0] == "parlour: step 1 after 20 s"
    assert 4 < len(told) < 12


def test_commands_tell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = tmp_path / "game.txt"
    assert main(["watch", GAME.name, "--seed", "1", "--transcript", str(game)]) == 0
    lines(capsys)
    page = ["--html", str(tmp_path / "page.html"), "--think", "0.001"]
    assert main(["replay", str(game), *page]) == 0
    assert re.match(r"parlour: plies searched, \d+ of 20 after \d+ s", lines(capsys)[0])
    with output.progress_bar() as bar:  # as of `bench`, which does not know how much is left
        task = bar.add_task("", total=None)
        for what in ("one", "two", "three"):
            bar.update(task, description=what)
    assert lines(capsys) == ["parlour: two after 20 s", "parlour: three after 30 s"]
