"""What one version of Python has written, another reads."""

import subprocess
from pathlib import Path

import pytest

from parlour.scripts.main import main

pytestmark = pytest.mark.plain

CHECKOUT = Path(__file__).resolve().parents[1]
PYTHON = CHECKOUT / ".venv" / "bin" / "python"  # of `make test`; the tests run by it or by another
PLAYER = CHECKOUT / "tests" / "arena" / "bad_players.py"


@pytest.mark.long
@pytest.mark.skipif(not PYTHON.exists(), reason="there is no .venv")
def test_stored_results_are_not_played_again_by_another_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = f"{PLAYER}:legal,mlp"
    command = ["match", "trick_taking", players, "--deals", "2", "--store", str(tmp_path / "s.db")]
    subprocess.run([PYTHON, "-m", "parlour", *command], check=True, cwd=CHECKOUT)
    play_all = "parlour.baselines.arena.play.playing.play_all"
    monkeypatch.setattr(play_all, lambda batches, _: iter(batches))  # fails where one is played
    assert main(command) == 0
