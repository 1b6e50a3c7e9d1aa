"""How often a seat of President could be first against scripts, if it saw all hands: a bound.

python -m docs.studies.president_hindsight --deals 2000

A seat that sees all hands and knows the player of all other seats tries everything. Nobody can be
first more often against that player. The deals are those of no other study. Deals that are in the
record are not solved again, unless the rules or the scripts have changed.
"""

import argparse
import dataclasses
import json
from typing import Any, Final, NamedTuple

import numpy as np

from parlour.baselines.players.making import make_policy
from parlour.baselines.president import players
from parlour.baselines.search import best_response
from parlour.baselines.statistics.estimates import proportion_of_deals
from parlour.envs import load_game
from parlour.envs.core.compile import rule
from parlour.envs.core.game import Game
from parlour.envs.core.play.tables import Tables
from parlour.envs.core.rng import streams
from parlour.envs.president import rules

from .recorded import STUDIES, code_digest

RECORD: Final = STUDIES / "president_hindsight.json"
FIRST_SEED: Final = 970_000_000
_BATCH: Final = 20  # deals between two savings


class Field(NamedTuple):
    """A number of seats, and the player of all but one."""

    num_players: int
    player: str


FIELDS: Final = tuple(
    Field(num_players, player) for num_players in (8, 5) for player in ("lowest", "planner")
)


@rule
def somebody_is_out(state):
    """The first place is decided."""
    return state.num_out > 0


@rule
def is_first(state, out):
    """One for the seat that went out first, and zero for all others."""
    for seat in range(out.shape[0]):
        out[seat] = state.placings[seat] == 1


def race(num_players: int) -> Game:
    """President up to the first place, which alone counts."""
    game = load_game("president", num_players=num_players)
    return dataclasses.replace(game, is_terminal=somebody_is_out, returns=is_first)


def first_places(field: Field, seeds: range) -> np.ndarray:
    """Return for each deal how many of its seats can be first against the player: int64 [B]."""
    game, num_players = race(field.num_players), field.num_players
    tables = Tables(game, streams(seeds))
    tables.deal(tables.all_rows)
    states = np.repeat(tables.states, num_players)
    seats = np.tile(np.arange(num_players), len(seeds))
    policy = make_policy(field.player, game)
    values, _ = best_response.best_replies(game, policy, states, seats)
    return values.reshape(-1, num_players).sum(axis=1).astype(np.int64)


def measure(num_deals: int) -> dict[str, Any]:
    """Solve deals until the record has `num_deals` of each field, and return it."""
    record = load()
    for field in FIELDS:
        seats = record["seats"].setdefault(_key(field), [])
        while len(seats) < num_deals:
            first = FIRST_SEED + len(seats)
            seeds = range(first, min(first + _BATCH, FIRST_SEED + num_deals))
            seats += first_places(field, seeds).tolist()
            write_record(record)
    return record


def _key(field: Field) -> str:
    return f"{field.num_players} {field.player}"


def load() -> dict[str, Any]:
    """The record, or an empty one where there is none of the present rules and scripts."""
    code = code_digest([rules, players, best_response])
    if RECORD.exists() and (record := json.loads(RECORD.read_text()))["code"] == code:
        return dict(record)
    return {"code": code, "seats": {}}


def write_record(record: dict[str, Any]) -> None:
    """Write the result as JSON, and as a page to read beside it."""
    RECORD.write_text(json.dumps(record) + "\n")
    RECORD.with_suffix(".md").write_text(page(record))


def page(record: dict[str, Any]) -> str:
    """The result in Markdown."""
    lines = [
        "# An upper bound on first places at President",
        "",
        "Written by `python -m docs.studies.president_hindsight`; do not edit. One seat sees all "
        "hands, knows which script plays all other seats, and tries everything. "
        "No player can be first "
        f"more often on these deals, from seed {FIRST_SEED:,} on, each played from every seat. "
        "Brackets: 95 % intervals.",
        "",
        "| seats | against | deals | can be first, % of games | equal strength, % |",
        "| --- | --- | --- | --- | --- |",
    ]
    for key, seats in record["seats"].items():
        num_players, player = key.split()
        can = proportion_of_deals(np.array(seats), int(num_players)).scaled(100.0)
        fair = 100 / int(num_players)
        lines.append(f"| {num_players} | `{player}` | {len(seats):,} | {can:.1f} | {fair:.1f} |")
    return "\n".join([*lines, ""])


def main() -> None:
    """Run the study, or go on with it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--deals", type=int, default=2000, help="deals of each field in the record")
    print(page(measure(parser.parse_args().deals)))


if __name__ == "__main__":
    main()
