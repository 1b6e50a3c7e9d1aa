"""The README: one page, whose figures of speed are those of the record.

`tests/test_pages.py` runs its examples; `tests/documents` compares what else it says.
"""

import json
from pathlib import Path

from docs.site import games
from docs.site.speed import speed_table

CHECKOUT = Path(__file__).resolve().parents[1]
README = (CHECKOUT / "README.md").read_text(encoding="utf-8")
MAX_LINES = 150
VECTOR = "vector environment, scaled observations"
AEC = "PettingZoo, `env()`: `last()` and `step()`"


def test_it_is_one_page() -> None:
    assert len(README.splitlines()) <= MAX_LINES


def rates(table: str, line: str) -> list[str]:
    """The cells of a line of the table of speed."""
    (row,) = [row for row in table.splitlines() if row.startswith(f"| {line} |")]
    return row.strip("| ").split(" | ")[1:]


def test_the_times_of_the_best_players_are_those_of_the_league() -> None:
    """Those that are named last: with two players some games are solved, and others not."""
    times: dict[tuple[str, str], list[str]] = {}
    for line in games.best_table().splitlines()[2:]:
        _, gym_id, _, player, time = line.strip("| ").split(" | ")
        times.setdefault((gym_id, player), []).append(time)
    for (gym_id, player), measured in times.items():
        (row,) = [row for row in README.splitlines() if f"| {gym_id} |" in row]
        ordered = sorted(measured, key=lambda time: float(time.split()[0]))
        low, high = ordered[0], ordered[-1]
        span = high if low == high else f"{low.split()[0]} to {high}"
        assert f" {span}" in row or player == "`perfect`", (gym_id, player, span)
    assert (
        "takes 2 microseconds per move | `ppo`" in README
        and times["`President-v0`", "`ppo`"][0] == "2 µs"
    )


def test_the_speed_is_that_of_the_record() -> None:
    record = json.loads((CHECKOUT / "docs/benchmarks/peers.json").read_text())
    table = speed_table(record)
    millions = [float(x.removesuffix(" M")) for x in rates(table, VECTOR)]
    assert f"{min(millions)} to {max(millions)} million plies" in README
    plies = sorted(rates(table, AEC), key=lambda x: int(x.replace(",", "")))
    assert f"{plies[0]} to {plies[-1]} through PettingZoo" in README
    measured = (CHECKOUT / "docs/pages/measured.md").read_text()
    assert record["machine"]["processor"] in measured
    assert (CHECKOUT / "docs/benchmarks/peers.png").is_file()
