"""The start positions in the README of a game can be played."""

import re
from pathlib import Path

import gymnasium
import pytest

from parlour.baselines.policies.settings import parse_settings
from parlour.envs.registry import GAMES

pytestmark = pytest.mark.plain

ENVS = Path(__file__).resolve().parents[1] / "envs"


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
