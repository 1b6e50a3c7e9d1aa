"""What the sandbox adds to a move: games without it, in unshare and in bubblewrap.

The three take turns, so that a busy machine slows all of them alike. The figure is the median
difference of neighbouring games.
"""

import itertools
import json
import os
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import numpy as np

from parlour.baselines.arena import guard, isolation, namespaces, player_process, sandbox
from parlour.baselines.arena.contest.referee import IsolatedPlayer
from parlour.baselines.arena.contest.sandbox import BWRAP, NONE, UNSHARE, refusal
from parlour.baselines.arena.contest.time_control import TimeControl, isolated
from parlour.envs import load_game
from parlour.envs.core.play.tables import Tables, action_masks
from parlour.envs.core.rng import streams

from .recorded import STUDIES, code_digest

RECORD: Final = STUDIES / "sandbox_cost.json"
MODULES: Final = (isolation, guard, player_process, namespaces, sandbox)
BLOCK: Final = 200  # moves of a game that are timed
WARM_UP: Final = 20  # moves before them
ALLOWED: Final = (5.0, 50.0)  # per cent, microseconds: one of the two is promised
_GAME = load_game("trick_taking", num_values=4)
_PLAYER = f"{Path(__file__).parent / 'bad_players.py'}:legal"
_RESAMPLES = 10_000


def measure(num_games: int, logs: Path) -> dict[str, Any]:
    """Time `num_games` games of each method, by turns; return the results as plain data.

    A game has a fresh process, so that no method keeps a process that happens to be slow.
    """
    methods = [method for method in (NONE, UNSHARE, BWRAP) if refusal(method) is None]
    micros = np.zeros((num_games, len(methods)))
    with ExitStack() as stack:
        players = []
        for method in methods:
            limits = TimeControl(start_seconds=120.0, sandbox=method)
            (player,) = stack.enter_context(isolated(_GAME, [_PLAYER], limits, logs / method))
            players.append(player)
        for index, turn in itertools.product(range(num_games), range(len(methods))):
            k = (index + turn) % len(methods)
            players[k].begin()
            _time_moves(players[k], WARM_UP)
            micros[index, k] = _time_moves(players[k], BLOCK)
            players[k].close()
    rows = [_row(method, micros[:, 0], micros[:, k]) for k, method in enumerate(methods)]
    return {
        "code": code_digest(MODULES),
        "num_games": num_games,
        "cores": os.cpu_count(),
        "busy": round(os.getloadavg()[0], 1),
        "rows": rows,
    }


def _time_moves(player: IsolatedPlayer, num_moves: int) -> float:
    """The median over moves of the microseconds from the arena's request to the answer.

    The median leaves out the moves during which the machine worked for somebody else.
    """
    tables = Tables(_GAME, streams([0]))
    tables.deal(tables.all_rows)
    _, observations, words = tables.show(tables.all_rows)
    masks, rngs = action_masks(words, _GAME.num_actions), streams([1])
    ticks = [time.perf_counter()]
    for _ in range(num_moves):
        player(observations, masks, rngs)
        ticks.append(time.perf_counter())
    return 1e6 * float(np.median(np.diff(ticks)))


def _row(method: str, without: np.ndarray, within: np.ndarray) -> dict[str, Any]:
    """The times of a method, and the median of the paired differences with its interval."""
    differences = within - without
    rng = np.random.default_rng(0)
    chosen = rng.integers(len(differences), size=(_RESAMPLES, len(differences)))
    low, high = np.percentile(np.median(differences[chosen], axis=1), [2.5, 97.5])
    return {
        "sandbox": method,
        "best": float(within.min()),
        "median": float(np.median(within)),
        "added": [float(np.median(differences)), float(low), float(high)],
    }


def verdict(row: dict[str, Any], without: dict[str, Any]) -> str:
    """Whether the whole interval is within one of the two bounds, or beyond both, or neither."""
    per_cent, micros = ALLOWED
    bound = max(micros, per_cent / 100 * without["median"])
    _, low, high = row["added"]
    return "kept" if high <= bound else "not kept" if low > bound else "undecided"


def write_record(found: dict[str, Any]) -> None:
    """Write the result as JSON, and as a page to read beside it."""
    RECORD.write_text(json.dumps(found, indent=2) + "\n")
    RECORD.with_suffix(".md").write_text(page(found))


def page(found: dict[str, Any]) -> str:
    """The result in Markdown."""
    without, *others = found["rows"]
    lines = [
        "# What the sandbox adds to a move",
        "",
        "Written by `python -m tests.arena.study sandbox_cost`; do not edit. A move under contest "
        "time is a request of the arena and an answer of the player, from process to process; "
        f"this player answers at once. {found['num_games']:,} games of {BLOCK} moves for each "
        "sandbox, by turns. The time of a game is its median move, in microseconds by the clock; "
        f"{found['cores']} cores, load {found['busy']}. `Added` is the median difference to the "
        "neighbouring game without a sandbox, with a 95 % interval (bootstrap over pairs).",
        "",
        "| sandbox | best game | median game | added | added, % of the median |",
        "|" + " --- |" * 5,
    ]
    for row in found["rows"]:
        added = [f"{value:+.1f}" for value in row["added"]]
        share = [f"{100 * value / without['median']:+.1f}" for value in row["added"]]
        shown = [f"{mean} [{low}, {high}]" for mean, low, high in (added, share)]
        cells = [row["sandbox"], f"{row['best']:.0f}", f"{row['median']:.0f}", *shown]
        lines.append(f"| {' | '.join(cells if row is not without else [*cells[:3], '', ''])} |")
    per_cent, micros = ALLOWED
    kept = ", ".join(f"{row['sandbox']} {verdict(row, without)}" for row in others)
    lines += ["", f"Promised: at most {per_cent:.0f} % or {micros:.0f} microseconds: {kept}."]
    return "\n".join(lines) + "\n"
