"""How much stronger searching players become with four times the time. Stopped, it goes on.

    python -m docs.studies.growth                                      as far as it takes
    python -m docs.studies.growth splendor --most 1600 --minutes 60    up to 1,600 simulations

Each step is a match of a player with four times the simulations in one seat, against the same
player in all others, every deal from every seat. The smallest budgets come first. Results are kept
in runs/growth.db after every batch; docs/studies/growth.json and .md show what is known so far.
"""

import argparse
import json
import time
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from parlour.baselines import list_policies, make_policy
from parlour.baselines.arena import Plan, Store, play_match
from parlour.baselines.arena.play.league import SEED, seconds_a_decision
from parlour.baselines.arena.results.export import markdown_table
from parlour.envs import GAMES
from parlour.envs.core.catalogue import games_by_seats
from parlour.envs.core.game import Game
from parlour.scripts.bench.measure import machine
from parlour.scripts.validators import positive

from .recorded import STUDIES, write_record

RECORD = STUDIES / "growth.json"
STORE = Path("runs/growth.db")
SETTINGS = {"mcts": "num_simulations", "guided": "num_simulations", "david": "num_playouts"}
BUDGETS = (25, 100, 400, 1600, 6400, 25_600)
STEP_GAMES = 400
BATCH_GAMES = 40
MAX_SECONDS = 1.0  # a move
LITTLE = 50  # Elo
Record = dict[str, Any]


class Step(NamedTuple):
    """A player with `more` simulations against itself with `fewer`."""

    game: Game
    player: str
    fewer: int
    more: int

    @property
    def key(self) -> str:
        """The name of the step in the record."""
        return f"{self.line}: {self.more}"

    @property
    def line(self) -> str:
        """The name of the step's line in the table."""
        return f"{self.game.name}, {self.game.num_seats} seats, {self.player}"

    def spec(self, budget: int) -> str:
        """Return the player with a budget."""
        return f"{self.player}:{SETTINGS[self.player]}={budget}"


def steps(names: Iterable[str] = GAMES, most: int = BUDGETS[-1]) -> list[Step]:
    """Return every step up to a budget, the smallest budgets first."""
    players = [
        (game, player)
        for name in names
        for game in games_by_seats(name)
        for player in list_policies(game, kind="search")
        if player in SETTINGS
    ]
    chosen = [pair for pair in pairwise(BUDGETS) if pair[1] <= most]
    return [Step(*player, *pair) for pair in chosen for player in players]


def measure(chosen: list[Step], num_games: int, store: Path, file: Path) -> Iterator[Record]:
    """Play until each step has `num_games`; write and yield the record after every batch.

    A step whose larger budget takes more than MAX_SECONDS a move is left out, and noted with its
    time alone.
    """
    record: Record = json.loads(file.read_text()) if file.is_file() else {"times": {}, "steps": {}}
    record |= {"machine": machine(), "games": num_games}
    store.parent.mkdir(parents=True, exist_ok=True)
    with Store(store) as results:
        plan = Plan(store=results, batch_deals=1)
        for step in chosen:
            num_seats = step.game.num_seats
            if _seconds(record, step, step.more) > MAX_SECONDS:
                continue
            done = record["steps"].get(step.key, {"games": 0})["games"]
            while done < num_games:
                done = min(done + BATCH_GAMES, num_games)
                deals = -(-done // num_seats)
                players = step.spec(step.more), step.spec(step.fewer)
                result = play_match(step.game, *players, deals, SEED, lambda _: None, plan)
                elo, first = result.elo, result.first_places
                record["steps"][step.key] = {
                    "games": result.num_games,
                    "elo": [elo.mean, elo.low, elo.high],
                    "first_places": [first.mean, first.low, first.high],
                }
                done = result.num_games
                write_record(file, record, page(record))
                yield record


def _seconds(record: Record, step: Step, budget: int) -> float:
    """Return the processor time of a move, measured once and noted for both budgets of a step."""
    for each in (step.fewer, budget):
        key = f"{step.line}: {each}"
        if key not in record["times"]:
            policy = make_policy(step.spec(each), step.game)
            record["times"][key] = seconds_a_decision(step.game, policy)
    return float(record["times"][f"{step.line}: {budget}"])


def page(record: Record) -> str:
    """The record in Markdown."""
    chosen = steps()
    lines = list(dict.fromkeys(step.line for step in chosen))
    budgets = [f"{fewer:,} to {more:,}" for fewer, more in pairwise(BUDGETS)]
    text = [
        "# Strength by time",
        "",
        "Written by `make growth`; do not edit. How many Elo a search gains by four times the "
        "simulations: it has one seat, the same player with a quarter of them has all others, and "
        "every deal is played from every seat. Each cell has the gain with its 95 % interval, and "
        f"the games; {record['games']} are wanted. A dash is not yet measured. "
        + "{processor}, {cores} cores.".format(**record["machine"]),
        "",
        *markdown_table(
            ("player", *budgets),
            [[line, *(_cell(record, line, more) for more in BUDGETS[1:])] for line in lines],
        ),
        "",
        "## Time a move",
        "",
        "Processor time of a move in milliseconds, by simulations, measured beside other work.",
        "",
        *markdown_table(
            ("player", *(f"{budget:,}" for budget in BUDGETS)),
            [[line, *(_time(record, line, budget) for budget in BUDGETS)] for line in lines],
        ),
        "",
        f"## Steps that gain less than {LITTLE} Elo",
        "",
        *(_small_steps(record, chosen) or ["None of those measured."]),
    ]
    return "\n".join(text) + "\n"


def _cell(record: Record, line: str, more: int) -> str:
    one = record["steps"].get(f"{line}: {more}")
    if one is None:
        return "-"
    return "{:+.0f} [{:+.0f}, {:+.0f}]".format(*one["elo"]) + f", {one['games']}"


def _time(record: Record, line: str, budget: int) -> str:
    seconds = record["times"].get(f"{line}: {budget}")
    return "-" if seconds is None else f"{1000 * seconds:.3g}"


def _small_steps(record: Record, chosen: list[Step]) -> list[str]:
    """Return the steps that have all their games and whose whole interval lies below LITTLE."""
    measured = [(step, one) for step in chosen if (one := record["steps"].get(step.key))]
    return [
        f"* {step.line}: {step.fewer:,} to {step.more:,}"
        for step, one in measured
        if one["games"] >= record["games"] and one["elo"][2] < LITTLE
    ]


def main() -> None:
    """Measure the steps of the command line until they have their games or the time is over."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", metavar="GAME", nargs="*", help="games (default: all)")
    parser.add_argument("--games", type=positive, default=STEP_GAMES, help="games of each step")
    parser.add_argument("--most", type=int, default=BUDGETS[-1], help="largest budget")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="time to stop after")
    arguments = parser.parse_args()
    if unknown := sorted(set(arguments.names) - set(GAMES)):
        parser.error(f"unknown game {unknown[0]!r}; the games are {', '.join(GAMES)}")
    if arguments.most < BUDGETS[1]:
        parser.error(f"--most is {arguments.most}; the first step ends at {BUDGETS[1]}")
    end = time.monotonic() + 60 * arguments.minutes
    chosen = steps(arguments.names or GAMES, arguments.most)
    for record in measure(chosen, arguments.games, STORE, RECORD):
        print(list(record["steps"].items())[-1], flush=True)
        if time.monotonic() > end:
            return


if __name__ == "__main__":
    main()
