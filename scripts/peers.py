"""Time other installed libraries at the same task, for `parlour bench --peers`.

The task is random legal play through the library's Python interface, with its observations.
"""

import importlib
import random
from collections.abc import Callable
from typing import Any

from .replays import aec_replay

Rate = Callable[[Callable[[], int]], float]
GAMES_A_LOOK = 5  # games between two looks at the clock

PETTINGZOO = ("connect_four_v3", "leduc_holdem_v4", "texas_holdem_v4")
RLCARD = ("leduc-holdem", "gin-rummy", "doudizhu")
OPEN_SPIEL = ("leduc_poker", "gin_rummy", "crazy_eights")


def measure(rate: Rate, tell: Callable[[str], None]) -> list[dict[str, Any]]:
    """Return one entry for each game: its rate, or the reason under `missing`."""
    return [
        _entry(library, what, make, rate, tell)
        for library, games, make in (
            ("PettingZoo", PETTINGZOO, _pettingzoo),
            ("RLCard", RLCARD, _rlcard),
            ("OpenSpiel", OPEN_SPIEL, _open_spiel),
        )
        for what in games
    ]


def _entry(
    library: str,
    what: str,
    make: Callable[[str], Callable[[], int]],
    rate: Rate,
    tell: Callable[[str], None],
) -> dict[str, Any]:
    tell(f"{library}: {what}")
    entry: dict[str, Any] = {"library": library, "what": what}
    try:
        entry["plies_per_cpu_second"] = rate(make(what))
    except ImportError as error:
        entry["missing"] = f"{what}: {error}"
    return entry


def _pettingzoo(what: str) -> Callable[[], int]:
    return aec_replay(importlib.import_module(f"pettingzoo.classic.{what}").env())


def _rlcard(what: str) -> Callable[[], int]:
    rlcard = importlib.import_module("rlcard")
    env = rlcard.make(what, config={"seed": 0})
    rng = random.Random(0)

    def play() -> int:
        num_plies = 0
        for _ in range(GAMES_A_LOOK):
            state, _ = env.reset()
            while not env.is_over():
                state, _ = env.step(rng.choice(list(state["legal_actions"])))
                num_plies += 1
        return num_plies

    return play


def _open_spiel(what: str) -> Callable[[], int]:
    game = importlib.import_module("pyspiel").load_game(what)
    rng = random.Random(0)

    def play() -> int:
        return sum(_open_spiel_game(game, rng) for _ in range(GAMES_A_LOOK))

    return play


def _open_spiel_game(game: Any, rng: random.Random) -> int:
    state = game.new_initial_state()
    num_plies = 0
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(outcomes, chances)[0])
            continue
        state.observation_tensor(state.current_player())
        state.apply_action(rng.choice(state.legal_actions()))
        num_plies += 1
    return num_plies
