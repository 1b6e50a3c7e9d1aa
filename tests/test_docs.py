"""What the documents say of a game is what its code declares."""

import re
from pathlib import Path

import gymnasium
import pytest

from parlour.baselines.players.settings import parse_settings
from parlour.envs.registry import GAMES, find_game

pytestmark = pytest.mark.plain

ENVS = Path(__file__).resolve().parents[1] / "envs"


@pytest.mark.parametrize("name", GAMES)
def test_the_readme_of_a_game_has_its_observation_table(name: str) -> None:
    readme = (ENVS / name / "README.md").read_text(encoding="utf-8")
    table = find_game(name).layout.readme_table()
    assert table in readme, f"envs/{name}/README.md should have this table:\n{table}"


def start_positions() -> list[tuple[str, str]]:
    """Every example of a deal, with the name of its game; those with "..." are abridged."""
    return [
        (name, example)
        for name in GAMES
        for example in re.findall(
            r"^```python\n(.*?)^```",
            (ENVS / name / "README.md").read_text(encoding="utf-8"),
            re.MULTILINE | re.DOTALL,
        )
        if "env.reset(options=" in example and "..." not in example
    ]


@pytest.mark.parametrize(("name", "example"), start_positions())
def test_a_start_position_in_the_readme_of_a_game_can_be_played(name: str, example: str) -> None:
    """In `gym.make` as it is; a comment names the settings of a smaller game."""
    settings = re.findall(r"# of a game with (.*)", example)
    env = gymnasium.make(f"parlour:{GAMES[name]}", **parse_settings("".join(settings)))
    for _ in range(20):  # the other seats play at random before your first move
        exec(compile(example, f"<{name}>", "exec"), {"env": env})


def test_the_start_positions_of_most_games_are_found() -> None:
    assert len({name for name, _ in start_positions()}) >= 4
