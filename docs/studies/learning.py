"""Train learners with several seeds, and record strength against CPU minutes. Stopped, it goes on.

python -m docs.studies.learning                                      # the list below
python -m docs.studies.learning --train "ppo president --total-steps 30000000" --seeds 3

What follows --train is what follows `parlour train`. The result is docs/studies/learning.json, with
its page and its plot. Another length or setting of the same learner in the same game replaces what
was recorded.
"""

import argparse
import hashlib
import shlex
from pathlib import Path
from typing import Any

from parlour.baselines.policies.roster import own_players
from parlour.baselines.policies.settings import parse_settings
from parlour.envs import find_game
from parlour.envs.core.game import Game
from parlour.scripts.bench.measure import machine
from parlour.scripts.main import main as parlour
from parlour.training.session import read_curve

from .learning_record import RECORD, Entry, draw, page, read_record
from .recorded import write_record

LIST = (
    "ppo top_trumps --num-threads 1 --total-steps 4000000 --hidden 64,64 --num-tables 512"
    " --batch-decisions 96 --entropy-coefficient 0.01 --final-entropy-coefficient 0.001",
    "ppo notty --num-threads 1 --total-steps 6000000",
    "expert_iteration splendor --num-threads 1 --teacher planner --teacher-steps 400000"
    " --value-scale 0.25 --epochs 3 --total-steps 1000000",
    "ppo trick_taking --num-threads 1 --total-steps 12000000",
    "ppo president --num-threads 1 --total-steps 15000000 --first-place-weight 0.6"
    " --learning-rate 2e-3",
)
POINTS = 12  # of each curve
DEALS = 500  # duplicate deals at each point
SEEDS = 3
RUNS = Path("runs/learning")


def new_entry(command: str) -> Entry:
    """Return the entry of what follows `parlour train`, without its runs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("algorithm")
    parser.add_argument("game")
    parser.add_argument("--set", default="")
    words, _ = parser.parse_known_args(shlex.split(command))
    game = find_game(words.game, **parse_settings(words.set))
    return {
        "title": f"{game.name}, {game.num_seats} seats",
        "algorithm": words.algorithm,
        "command": command,
        "against": best_script(game),
        "fair_share": 1 / game.num_seats,
        "runs": {},
    }


def best_script(game: Game) -> str:
    """Return the strongest of a game's own players that are one compiled function."""
    own = own_players(game)  # weakest first
    return [name for name, player in own.items() if player.row_function is not None][-1]


def run_seed(entry: Entry, seed: int, folder: Path) -> list[dict[str, Any]]:
    """Train with one seed, from where an earlier call was stopped; return the learning curve."""
    digest = hashlib.sha256(entry["command"].encode()).hexdigest()[:8]
    folder = folder / f"{entry['title'].replace(', ', '-').replace(' ', '-')}-{digest}-{seed}"
    curve = read_curve(folder)
    if not curve or curve[-1]["done"] < 1.0:
        options = f"--seed {seed} --points {POINTS} --point-deals {DEALS} --deals {DEALS}"
        words = shlex.split(
            f"train {entry['command']} {options} --evaluate-against {entry['against']}"
        )
        parlour([*words, "--out", str(folder), "--resume" if curve else "--overwrite"])
    kept = ("cpu_seconds", "decisions", "first_places", "low", "high")
    return [{key: point[key] for key in kept} for point in read_curve(folder)]


def study(commands: list[str], num_seeds: int, record: Path, folder: Path) -> None:
    """Record the curves of all commands, seed by seed: all of the first seed come first."""
    entries = {(e["title"], e["algorithm"]): e for e in read_record(record)}
    for command in commands:
        entry = new_entry(command)
        key = entry["title"], entry["algorithm"]
        if key not in entries or entries[key]["command"] != command:
            entries[key] = entry
    chosen = [entry for entry in entries.values() if entry["command"] in commands]
    for seed in range(num_seeds):
        for entry in chosen:
            if str(seed) not in entry["runs"]:
                entry["runs"][str(seed)] = run_seed(entry, seed, folder)
                measured = [entry for entry in entries.values() if entry["runs"]]
                results = {"machine": machine(), "entries": measured}
                write_record(record, results, page(results))
                draw(measured, record.with_suffix(".png"))


def main() -> None:
    """Record the learners of the command line, or those of LIST."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--train", action="append", help="what follows `parlour train`; may be repeated"
    )
    parser.add_argument(
        "--seeds", type=int, default=SEEDS, help=f"number of seeds (default {SEEDS})"
    )
    arguments = parser.parse_args()
    study(arguments.train or list(LIST), arguments.seeds, RECORD, RUNS)


if __name__ == "__main__":
    main()
