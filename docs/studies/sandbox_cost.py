"""What the sandbox adds to a game and to a move: games without it and in bubblewrap, by turns.

So a busy machine slows both alike. The figure is the median difference of neighbouring games.
"""

import os
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import numpy as np

from parlour.baselines.arena.contest import (
    confine,
    fork_server,
    game_process,
    player_process,
    referee,
    sandbox,
    usage,
)
from parlour.baselines.arena.contest.referee import IsolatedPlayer
from parlour.baselines.arena.contest.sandbox import BWRAP, NONE
from parlour.baselines.arena.contest.time_control import TimeControl, isolated
from parlour.baselines.arena.results.export import markdown_table
from parlour.envs import load_game
from parlour.envs.core.play.tables import Tables, action_masks
from parlour.envs.core.rng import streams

from .recorded import STUDIES, code_digest

RECORD: Final = STUDIES / "sandbox_cost.json"
MODULES: Final = (confine, fork_server, game_process, player_process, referee, sandbox, usage)
METHODS: Final = (NONE, BWRAP)
BLOCK: Final = 200  # moves of a game that are timed
WARM_UP: Final = 20  # moves before them
_GAME = load_game("trick_taking", num_values=4)
_PLAYER = f"{Path(__file__).parents[2] / 'tests/arena/bad_players.py'}:legal"
_RESAMPLES = 10_000


def measure(num_games: int, logs: Path) -> dict[str, Any]:
    """Time `num_games` games of each method, by turns; return the results as plain data."""
    micros = np.zeros((2, num_games, len(METHODS)))  # of the start, of a move
    with ExitStack() as stack:
        players = []
        for method in METHODS:
            limits = TimeControl(start_seconds=120.0, sandbox=method)
            players += stack.enter_context(isolated(_GAME, [_PLAYER], limits, logs / method))
        for index in range(num_games):
            for k in np.roll(range(len(METHODS)), index):
                start = time.perf_counter()
                players[k].begin()
                micros[0, index, k] = 1e6 * (time.perf_counter() - start)
                _time_moves(players[k], WARM_UP)
                micros[1, index, k] = _time_moves(players[k], BLOCK)
                players[k].close()
    return {
        "code": code_digest(MODULES),
        "num_games": num_games,
        "cores": os.cpu_count(),
        "busy": round(os.getloadavg()[0], 1),
        "rows": [_row("start of a game", micros[0]), _row("move", micros[1])],
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


def _row(label: str, micros: np.ndarray) -> dict[str, Any]:
    """The median times, and the median of the paired differences with its interval."""
    differences = micros[:, 1] - micros[:, 0]
    rng = np.random.default_rng(0)
    chosen = rng.integers(len(differences), size=(_RESAMPLES, len(differences)))
    low, high = np.percentile(np.median(differences[chosen], axis=1), [2.5, 97.5])
    return {
        "what": label,
        "median": dict(zip(METHODS, np.median(micros, axis=0).tolist(), strict=True)),
        "added": [float(np.median(differences)), float(low), float(high)],
    }


def page(record: dict[str, Any]) -> str:
    """The result in Markdown."""
    lines = [
        "# Overhead of the sandbox",
        "",
        "Written by `python -m docs.studies.arena sandbox_cost`; do not edit. In a contest a "
        "player gets a new process for each game, in a new sandbox; a move is a request of the "
        f"arena and an answer of the player, who answers at once. {record['num_games']:,} games "
        f"of {BLOCK} moves without and with bubblewrap, by turns; the time of a game is its median "
        f"move, in microseconds by the clock; {record['cores']} cores, load {record['busy']}. "
        "`Added` is the median difference to the neighbouring game without a sandbox, with a 95 % "
        "interval (bootstrap over pairs).",
        "",
        *markdown_table(
            ("", "without", "bubblewrap", "added"), [_cells(row) for row in record["rows"]]
        ),
    ]
    return "\n".join(lines) + "\n"


def _cells(row: dict[str, Any]) -> list[str]:
    added, low, high = (f"{value:+,.0f}" for value in row["added"])
    return [row["what"], *(f"{row['median'][m]:,.0f}" for m in METHODS), f"{added} [{low}, {high}]"]
