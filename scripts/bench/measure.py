"""Measure speed: plies per second in every view.

Each figure is the best of a few repeats. All are plain data.
"""

import contextlib
import os
import platform
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np

from ...baselines import make_policy
from ...baselines.arena.play.batches import play_deals
from ...envs import GAMES, find_game
from ...envs.core.catalogue import games_by_seats
from ...envs.core.game import Game
from ...envs.core.play.playthrough import turns
from ...envs.core.play.tables import Tables
from ...envs.core.rng import player_streams, streams
from ...envs.registry import make_aec, make_raw_aec
from ..table.catalogue import middling_player
from .plays import Timed, aec_replay, best_rate, fused, solo_replay, timed, vector_replay

BATCH = 4096  # tables of the vector environment
FIGURE_LABELS = {
    "vector": "vector, observed",
    "vector integer": "vector, whole numbers",
    "vector opponents": "vector, step(): plies of all seats",
    "match": "compiled match",
    "playouts": "playouts, unobserved",
    "aec raw": "AEC, raw_env(): last(), step()",
    "aec": "AEC, env(): last(), step()",
    "solo": "solo, gym.make(): own plies",
}
COUNTED_GAMES = 512
Tell = Callable[[str], None]  # is called with what is being measured


class Effort(NamedTuple):
    """How often each figure is measured, and for how many seconds at least."""

    repeats: int = 3
    seconds: float = 0.5


QUICK = Effort(1, 0.02)


def speed_report(names: Sequence[str], batch: int, effort: Effort, tell: Tell) -> dict[str, Any]:
    """Return the plies per second of processor time of games."""
    report: dict[str, Any] = {"machine": machine(), "batch": batch, "games": {}, "peers": []}
    for name in names:
        report["games"][name] = {
            "opponents": compiled_rival(find_game(name)),
            "plies_per_cpu_second": _rates(name, batch, effort, tell),
        }
    return report


def _rates(name: str, batch: int, effort: Effort, tell: Tell) -> dict[str, dict[str, float]]:
    """Return rates by what is measured and by number of players."""
    rates: dict[str, dict[str, float]] = {figure: {} for figure in FIGURE_LABELS}
    for game in sorted(games_by_seats(name), key=lambda game: game.num_seats):
        for figure, play in _plays(game, batch):
            tell(f"{name}, {game.num_seats} seats: {FIGURE_LABELS[figure]}")
            rates[figure][str(game.num_seats)] = best_rate(play, *effort)
    return rates


def _plays(game: Game, batch: int) -> Iterator[tuple[str, Timed]]:
    """Yield everything that is timed for one number of players, by the keys of FIGURE_LABELS."""
    name, settings = game.name, game.config_dict()
    made = f"parlour:{GAMES[name]}"
    player = compiled_rival(find_game(name))
    sizes: dict[str, Any] = {"num_envs": batch, "self_play": True, **settings}
    scaled = gymnasium.make_vec(made, **sizes)
    whole = gymnasium.make_vec(made, observation="integer", **sizes)
    scaled.reset(seed=0)
    whole.reset(seed=0)
    yield "vector", fused(scaled, observe=True)
    yield "vector integer", fused(whole, observe=True)
    yield "playouts", fused(scaled, observe=False)
    yield "vector opponents", _scripted_vector(game, player, batch)
    yield "match", _scripted_match(game, player, batch)
    yield "aec raw", aec_replay(make_raw_aec(name, **settings))
    yield "aec", aec_replay(make_aec(name, **settings))
    yield "solo", solo_replay(gymnasium.make(made, opponents=player, **settings))


def compiled_rival(game: Game) -> str:
    """Return a compiled player of middling strength; `random` for a game without scripts."""
    player = middling_player(game)
    return player if make_policy(player, game).row_function else "random"


def _scripted_vector(game: Game, player: str, batch: int) -> Timed:
    """Play with a script in the other seats, and repeat its choices in the seat that learns.

    The plies of all seats are counted.
    """
    envs: Any = gymnasium.make_vec(
        f"parlour:{GAMES[game.name]}", num_envs=batch, opponents=player, **game.config_dict()
    )
    policy, rngs = make_policy(player, game), player_streams(np.arange(batch), 1)[:, 0]

    def choose() -> np.ndarray:
        tables = envs._tables
        observations = tables.observe(tables.all_rows, envs._episodes.shown_seats())
        return policy(observations, envs.action_masks(), rngs)

    num_plies, num_own = _count_plies(game, player)
    return vector_replay(envs, choose, num_plies / num_own)


def _scripted_match(game: Game, player: str, num_games: int) -> Timed:
    """Play whole games with a script in every seat, in one compiled loop."""
    policy = make_policy(player, game)
    seated = np.zeros((num_games, 1, game.num_seats), np.int64)
    num_plies = _count_plies(game, player)[0] * num_games // COUNTED_GAMES

    def play() -> int:
        play_deals(game, (policy,), np.arange(num_games), seated)
        return num_plies

    return timed(play)


def _count_plies(game: Game, player: str) -> tuple[int, int]:
    """Return the plies of all seats, and those of seat 0, in `COUNTED_GAMES` games."""
    policy, seeds = make_policy(player, game), np.arange(COUNTED_GAMES)
    tables, rngs = Tables(game, streams(seeds)), player_streams(seeds, game.num_seats)
    tables.deal(tables.all_rows)
    num_plies, num_own = 0, 0
    for turn in turns(tables):
        num_plies += len(turn.rows)
        num_own += int((turn.seats == 0).sum())
        turn.ask(policy, rngs)
    return num_plies, num_own


def machine() -> dict[str, Any]:
    """Describe the machine that is measured."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
    }


def _processor() -> str:
    """Return the name of the processor, where the system tells more than its kind."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
