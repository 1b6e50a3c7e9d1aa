"""Time one game of another library; `peers` runs this in an environment that has the library.

The task is random legal play through the library's Python interface, with its observations:
`python -m scripts.bench.peer_plies LIBRARY GAME SECONDS REPEATS` prints the rate and the version
as JSON.
It imports nothing of Parlour but `replays`, which needs only NumPy.
"""

import importlib
import importlib.metadata
import json
import random
import sys
import time
from collections.abc import Callable
from typing import Any

from .replays import Play, aec_replay

GAMES_A_LOOK = 5  # games between two looks at the clock
NUM_TABLES = 4096  # of libraries that play many games at once
VECTOR_PLIES = 32  # at each table between two looks


def pettingzoo(what: str) -> Play:
    """`env()`, with `last()` and `step()` of recorded actions."""
    return aec_replay(importlib.import_module(f"pettingzoo.classic.{what}").env())


def rlcard(what: str) -> Play:
    """`step()`, which returns the observation."""
    env = importlib.import_module("rlcard").make(what, config={"seed": 0})
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


def open_spiel(what: str) -> Play:
    """`apply_action()`, and the observation tensor of the player to act."""
    game = importlib.import_module("pyspiel").load_game(what)
    rng = random.Random(0)
    return lambda: sum(_open_spiel_game(game, rng) for _ in range(GAMES_A_LOOK))


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


def pgx(what: str) -> Play:
    """A compiled loop of random plies at many tables, which deals anew where a game ends."""
    jax = importlib.import_module("jax")
    env = importlib.import_module("pgx").make(what)
    auto_reset = importlib.import_module("pgx.experimental").auto_reset
    step = jax.vmap(auto_reset(env.step, env.init))

    def ply(carried: Any, _: Any) -> Any:
        states, key = carried
        key, choice, deals = jax.random.split(key, 3)
        weights = jax.numpy.where(states.legal_action_mask, 0.0, -jax.numpy.inf)
        actions = jax.random.categorical(choice, weights)
        return (step(states, actions, jax.random.split(deals, NUM_TABLES)), key), None

    plies = jax.jit(lambda carried: jax.lax.scan(ply, carried, None, length=VECTOR_PLIES)[0])
    key = jax.random.PRNGKey(0)
    running = [(jax.jit(jax.vmap(env.init))(jax.random.split(key, NUM_TABLES)), key)]

    def play() -> int:
        running[0] = plies(running[0])
        jax.block_until_ready(running[0])
        return VECTOR_PLIES * NUM_TABLES

    return play


def pufferlib(what: str) -> Play:
    """`step()` of its vector environment, with random actions chosen beforehand."""
    numpy = importlib.import_module("numpy")
    env = importlib.import_module("pufferlib.ocean").env_creator(what)(num_envs=NUM_TABLES)
    env.reset(seed=0)
    shape = (VECTOR_PLIES, env.num_agents)
    actions = numpy.random.default_rng(0).integers(env.single_action_space.n, size=shape)

    def play() -> int:
        for chosen in actions:
            env.step(chosen)
        return int(actions.size)

    return play


MAKERS: dict[str, Callable[[str], Play]] = {
    maker.__name__: maker for maker in (pettingzoo, rlcard, open_spiel, pgx, pufferlib)
}


def rate(play: Play, seconds: float, repeats: int) -> float:
    """Plies per second of processor time: the best repeat, after one call to warm up."""
    play()
    rates = []
    for _ in range(repeats):
        plies, start = 0, time.process_time()
        while (spent := time.process_time() - start) < seconds:
            plies += play()
        rates.append(plies / spent)
    return max(rates)


def main(library: str, what: str, seconds: str, repeats: str) -> None:
    """Print the rate and the version of the library."""
    measured = rate(MAKERS[library](what), float(seconds), int(repeats))
    version = importlib.metadata.version(library)
    print(json.dumps({"plies_per_cpu_second": measured, "version": version}))


if __name__ == "__main__":
    main(*sys.argv[1:])
