"""What the documents say of a game is what its code declares."""

from pathlib import Path

import pytest

from parlour.envs.registry import GAMES, find_game

ENVS = Path(__file__).resolve().parents[1] / "envs"


@pytest.mark.parametrize("name", GAMES)
def test_the_readme_of_a_game_has_its_observation_table(name: str) -> None:
    readme = (ENVS / name / "README.md").read_text(encoding="utf-8")
    table = find_game(name).layout.readme_table()
    assert table in readme, f"envs/{name}/README.md should have this table:\n{table}"
