"""How long perfect play of two-seat President takes, as a command that can be interrupted.

python -m docs.studies.president_perfect --deals 1000

Every deal is solved from its first card with a cleared memory, on seeds that nothing else uses.
Deals that are in the record are not solved again, unless the solver has changed.
"""

import argparse
import json
import resource
import time
from typing import Any, Final

import numpy as np

from parlour.baselines.president import solver as solver_module
from parlour.baselines.president.exact_player import solver_of_games
from parlour.baselines.statistics.estimates import Estimate, wilson
from parlour.envs import load_game
from parlour.envs.core.play.tables import Tables, action_masks
from parlour.envs.core.rng import streams

from .recorded import STUDIES, code_digest

RECORD: Final = STUDIES / "president_perfect.json"
FIRST_SEED: Final = 7_500_000
LIMITS: Final = (1.0, 10.0)  # seconds
_KEEP_EVERY: Final = 5  # deals
_SHARES: Final = (50, 90, 95, 99, 100)


def measure(num_deals: int) -> dict[str, Any]:
    """Solve deals until the record has `num_deals`, and return it."""
    record = load()
    game = load_game("president", num_players=2)
    solver = solver_of_games(game)
    solver.winning_actions(*_deal(game, 0), most_cards=0)  # compile
    while len(record["seconds"]) < num_deals:
        position = _deal(game, len(record["seconds"]))
        solver.forget()
        start = time.process_time()
        action = int(solver.winning_actions(*position)[0])
        record["seconds"].append(round(time.process_time() - start, 4))
        record["wins"] += action >= 0
        kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        record["most_megabytes"] = max(record["most_megabytes"], kilobytes // 1024)
        if len(record["seconds"]) % _KEEP_EVERY == 0 or len(record["seconds"]) == num_deals:
            write_record(record)
    return record


def load() -> dict[str, Any]:
    """The record, or an empty one where there is none of the present solver."""
    code = code_digest([solver_module])
    if RECORD.exists() and (record := json.loads(RECORD.read_text()))["code"] == code:
        return dict(record)
    return {"code": code, "first_seed": FIRST_SEED, "wins": 0, "most_megabytes": 0, "seconds": []}


def _deal(game: Any, index: int) -> tuple[np.ndarray, np.ndarray]:
    tables = Tables(game, streams([FIRST_SEED + index]))
    tables.deal(tables.all_rows)
    _, observations, words = tables.show(tables.all_rows)
    return observations, action_masks(words, game.num_actions)


def write_record(record: dict[str, Any]) -> None:
    """Write the result as JSON, and as a page to read beside it."""
    RECORD.write_text(json.dumps(record) + "\n")
    RECORD.with_suffix(".md").write_text(page(record))


def page(record: dict[str, Any]) -> str:
    """The result in Markdown."""
    seconds = np.array(record["seconds"])
    shares = " | ".join(f"{np.percentile(seconds, share):.3f}" for share in _SHARES)
    lines = [
        "# Time of perfect play at President with two seats",
        "",
        "Written by `python -m docs.studies.president_perfect`; do not edit. "
        f"{len(seconds):,} random deals are solved from the first card, each with a cleared "
        f"memory, on seeds from {record['first_seed']:,} on. Times are seconds of processor time, "
        "other programs running beside it. The process took at most "
        f"{record['most_megabytes']} MB, the code of Python and its packages included.",
        "",
        f"The mean is {seconds.mean():.3f} seconds. Percentiles:",
        "",
        "| " + " | ".join(f"{share} %" for share in _SHARES) + " |",
        "|" + " --- |" * len(_SHARES),
        f"| {shares} |",
        "",
        *(
            f"* Within {limit:g} s: {_share((seconds <= limit).mean(), seconds)}"
            for limit in LIMITS
        ),
        f"* Won by the seat that leads: {_share(record['wins'] / len(seconds), seconds)}",
        "",
    ]
    return "\n".join(lines)


def _share(share: float, seconds: np.ndarray) -> str:
    estimate = Estimate(*(100 * value for value in wilson(float(share), len(seconds))))
    return f"{estimate:.1f} %"


def main() -> None:
    """Run the study, or go on with it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--deals", type=int, default=1000, help="how many deals are solved")
    print(page(measure(parser.parse_args().deals)))


if __name__ == "__main__":
    main()
