"""What the recipes of `training/recipes` learn, with other frameworks, each in its own environment.

python -m docs.studies.frameworks NAME [GAME]

`make frameworks NAME=torchrl_ppo GAME=trick_taking` makes the environment and runs it. A recipe
must reach the floors below with each seed, as the lower bound of the 95 % interval; they were set
before the recorded runs. The record docs/studies/frameworks.json has a row for each game and
recipe, with the digest of the recipe's code.
"""

import argparse
import dataclasses
import hashlib
import importlib
import importlib.metadata
import inspect
import json
import re
import sys
import time
import warnings
from argparse import RawTextHelpFormatter
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import torch

import parlour
from parlour.envs import find_game
from parlour.scripts.bench.measure import machine
from parlour.training import recipes

from .recorded import STUDIES, lines_of_code

RECORD = STUDIES / "frameworks.json"
SEEDS = (0, 1, 2)
_FROM_HERE = re.compile(r"^from \.(\w*) import", re.MULTILINE)
NUM_DEALS, FIRST_DEAL = 1_000, 940_000_000  # misses here led to longer runs of three recipes


class Task(NamedTuple):
    """A game with its default settings, whom recipes learn against, and the least first places."""

    opponent: str
    floors: dict[str, float]  # by opponent; an equal player has 0.25 at four seats, 0.5 at two


TASKS = {
    "president": Task("lowest", {"random": 0.5, "lowest": 0.25}),
    "trick_taking": Task("high_low", {"random": 0.6, "high_low": 0.6}),
}


@dataclasses.dataclass(frozen=True)
class Recipe:
    """A recipe, the package of its framework, and how long it learns."""

    package: str
    total_steps: int
    num_envs: int = 64
    opponent: str | None = None  # instead of the one of the task


RECIPES = {
    "cleanrl_ppo": Recipe("torch", 300_000),
    "torchrl_ppo": Recipe("torchrl", 400_000),
    "skrl_ppo": Recipe("skrl", 100_000),
    "tianshou_dqn": Recipe("tianshou", 100_000),
    "agilerl_ppo": Recipe("agilerl", 1_000_000),
    "rllib_ppo": Recipe("ray", 100_000),
    "sb3_ppo": Recipe("sb3-contrib", 500_000, num_envs=512),
    "sb3_self_play": Recipe("sb3-contrib", 393_216, num_envs=512, opponent="random"),
    "sb3_dqn": Recipe("stable-baselines3", 100_000),
}


def measured(module: ModuleType, name: str, game_name: str, seed: int) -> dict[str, Any]:
    """Learn with one seed; return the strengths, their intervals and what it cost."""
    game, task, recipe = find_game(game_name), TASKS[game_name], RECIPES[name]
    opponent = recipe.opponent or task.opponent
    config = recipes.Config(recipe.total_steps, seed, opponent, recipe.num_envs)
    started, cpu = time.monotonic(), time.process_time()
    player = parlour.make_policy(module.learn(game, config), game)
    row: dict[str, Any] = {
        "seed": seed,
        "minutes": round((time.monotonic() - started) / 60, 2),
        "cpu_seconds": round(time.process_time() - cpu),
    }
    for opponent in task.floors:
        match = parlour.play_match(game, player, opponent, num_deals=NUM_DEALS, seed=FIRST_DEAL)
        row[opponent] = [round(value, 3) for value in match.first_places]
    return row


def digest_of(name: str) -> str:
    """Return a digest of the code of a recipe, and of what it takes from other recipes' files."""
    folder = Path(inspect.getfile(recipes)).parent
    names, codes = [f"{name}.py"], []
    for file in names:  # grows
        text = (folder / file).read_text()
        codes.append("\n".join(lines_of_code(text).values()))
        taken = [f"{module or '__init__'}.py" for module in _FROM_HERE.findall(text)]
        names += [other for other in dict.fromkeys(taken) if other not in names]
    return hashlib.sha256("\n".join(codes).encode()).hexdigest()[:16]


def page_row(key: str, row: dict[str, Any]) -> str:
    """Return the line of a recipe in the table of its game on docs/pages/frameworks.md."""
    game, name = key.split("/")
    strengths = [
        " ".join(f"{100 * seed[opponent][0]:.1f}" for seed in row["seeds"])
        for opponent in TASKS[game].floors
    ]
    minutes = sum(seed["cpu_seconds"] for seed in row["seeds"]) / 60 / len(row["seeds"])
    cells = [f"[{name}.py](../../training/recipes/{name}.py)", row["framework"], str(row["lines"])]
    cells += [f"{row['decisions']:,}", f"{minutes:.1f}", *strengths]
    return "| " + " | ".join(cells) + " |"


def missed(key: str, rows: list[dict[str, Any]]) -> list[str]:
    """Return a line for each floor that a seed misses."""
    return [
        f"{key}, seed {row['seed']}: {row[opponent][1]:.1%} against {opponent}, needs {floor:.0%}"
        for row in rows
        for opponent, floor in TASKS[key.partition("/")[0]].floors.items()
        if row[opponent][1] < floor
    ]


def main() -> int:
    """Measure a recipe, record it and return 1 where it misses a floor."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=RawTextHelpFormatter)
    parser.add_argument("name", choices=RECIPES, help="the recipe")
    parser.add_argument("game", choices=TASKS, nargs="?", default="president", help="the game")
    arguments = parser.parse_args()
    name, key = arguments.name, f"{arguments.game}/{arguments.name}"
    torch.set_num_threads(1)
    warnings.filterwarnings("error", "an illegal action ended")  # a recipe has to use the mask
    module = importlib.import_module(f"parlour.training.recipes.{name}")
    rows = []
    for seed in SEEDS:
        rows.append(measured(module, name, arguments.game, seed))
        print(json.dumps(rows[-1]), flush=True)
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    package = RECIPES[name].package
    record[key] = {
        "framework": f"{package} {importlib.metadata.version(package).partition('+')[0]}",
        "lines": len(lines_of_code(inspect.getsource(module))),
        "decisions": RECIPES[name].total_steps,
        "games": f"{NUM_DEALS * find_game(arguments.game).num_seats} against each opponent",
        "code": digest_of(name),
        "seeds": rows,
        **machine(),
    }
    RECORD.write_text(json.dumps(dict(sorted(record.items())), indent=1) + "\n")
    print(page_row(key, record[key]))
    print("\n".join(missed(key, rows)) or f"{name} reaches the floors with all seeds")
    return bool(missed(key, rows))


if __name__ == "__main__":
    sys.exit(main())
