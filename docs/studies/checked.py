"""Let `check_game` look at every game with every number of seats, and record what it tested.

python -m docs.studies.checked    takes a few minutes, and writes docs/studies/checked.json
"""

import json
from typing import Any

from parlour.envs import GAMES, check_game
from parlour.envs.core.catalogue import games_by_seats

from .recorded import STUDIES

RECORD = STUDIES / "checked.json"
NUM_GAMES = 3  # of each number of seats


def measure() -> dict[str, Any]:
    """Return games and plies by seats, and the checks, for each game by its name."""
    record: dict[str, Any] = {}
    for name in GAMES:
        reports = {
            game.num_seats: check_game(game, num_games=NUM_GAMES) for game in games_by_seats(name)
        }
        record[name] = {
            "seats": {
                seats: {"games": report.num_games, "plies": report.num_plies}
                for seats, report in sorted(reports.items())
            },
            "checked": list(dict.fromkeys(c for r in reports.values() for c in r.checked)),
            "not_checked": list(dict.fromkeys(c for r in reports.values() for c in r.not_checked)),
        }
        print(name, record[name]["seats"], flush=True)
    return record


if __name__ == "__main__":
    RECORD.write_text(json.dumps(measure(), indent=1) + "\n", encoding="utf-8")
