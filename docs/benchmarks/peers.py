"""Measure Parlour and other libraries in the same run, at random legal play with observations.

    python docs/benchmarks/peers.py            writes peers.json, peers.md and peers.png beside this
    python docs/benchmarks/peers.py --quick    to see that it runs: each figure once, nothing kept

Each library is installed into an environment of its own when it is first measured, since they ask
for versions that exclude each other. There this file runs as `peers.py LIBRARY GAME SECONDS
REPEATS`, which prints the rate and the version as JSON; it then needs NumPy only.
"""

import argparse
import importlib
import importlib.metadata
import json
import os
import random
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]
MANY_AT_ONCE, ONE_BY_ONE = "many games at once", "one game at a time"
INSTALL_SECONDS, MEASURE_SECONDS = 1200.0, 600.0
GAMES_A_LOOK = 5  # games between two looks at the clock
NUM_TABLES = 4096  # of libraries that play many games at once
VECTOR_PLIES = 32  # at each table between two looks

Play = Callable[[], int]  # plays some plies and returns their number


class Peer(NamedTuple):
    """Another library, as pip installs it, and games of it."""

    name: str
    module: str
    requirement: str
    how: str
    games: tuple[str, ...]


ZOO = ("connect_four_v3", "leduc_holdem_v4", "texas_holdem_v4")
SPIEL = ("leduc_poker", "gin_rummy", "crazy_eights")
PEERS = (
    Peer("PettingZoo", "pettingzoo", "pettingzoo[classic]", ONE_BY_ONE, ZOO),
    Peer("RLCard", "rlcard", "rlcard", ONE_BY_ONE, ("leduc-holdem", "gin-rummy", "doudizhu")),
    Peer("OpenSpiel", "open_spiel", "open_spiel", ONE_BY_ONE, SPIEL),
    Peer("pgx", "pgx", "pgx", MANY_AT_ONCE, ("leduc_holdem", "sparrow_mahjong")),
)


class NotMeasured(Exception):
    """A library that does not install or run here; the message says why."""


def main() -> None:
    """Measure Parlour and the other libraries, and write the record beside this file."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="measure for a moment, and write nothing"
    )
    is_quick = parser.parse_args().quick
    sys.path.insert(0, str(CHECKOUT))
    from docs.site.speed import page, peer_rows, plot
    from docs.site.tables import write_tables
    from parlour.envs import GAMES
    from parlour.scripts.bench.measure import BATCH, QUICK, Effort, speed_report

    effort = QUICK if is_quick else Effort()
    report = speed_report(list(GAMES), BATCH, effort, tell)
    report["peers"] = measure(effort.seconds, effort.repeats)
    print("\n".join("  ".join(row) for row in peer_rows(report)))
    if not is_quick:
        record = HERE / "peers.json"
        record.write_text(json.dumps(report, indent=2) + "\n")
        record.with_suffix(".md").write_text(page(report))
        plot(report, record.with_suffix(".png"))
        write_tables()


def tell(subject: str) -> None:
    """Say on stderr what is measured."""
    print(subject, file=sys.stderr, flush=True)


def measure(seconds: float, repeats: int) -> list[dict[str, Any]]:
    """Return one entry for each game: its rate and version, or the reason under `missing`."""
    return [entry for peer in PEERS for entry in _measure_peer(peer, seconds, repeats)]


def _measure_peer(peer: Peer, seconds: float, repeats: int) -> list[dict[str, Any]]:
    about = {"library": peer.name, "how": peer.how}
    try:
        tell(f"{peer.name}: installing")
        python = environment(peer)
    except NotMeasured as error:
        return [{**about, "what": game, "missing": str(error)} for game in peer.games]
    entries = []
    for game in peer.games:
        tell(f"{peer.name}: {game}")
        command = [str(python), __file__, peer.module, game, str(seconds), str(repeats)]
        try:
            figures = json.loads(_output(command, MEASURE_SECONDS).splitlines()[-1])
        except NotMeasured as error:
            figures = {"missing": str(error)}
        entries.append({**about, "what": game, **figures})
    return entries


def environment(peer: Peer) -> Path:
    """Return the Python of the library's environment, made where it is missing.

    Raises NotMeasured where the library does not install.
    """
    import platformdirs

    folder = platformdirs.user_cache_path("parlour") / "peers" / peer.module
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    installed = folder / "installed"
    if not installed.is_file() or installed.read_text() != peer.requirement:
        venv.create(folder, clear=True, with_pip=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        _output([*pip, peer.requirement], INSTALL_SECONDS)
        installed.write_text(peer.requirement)
    return python


def _output(command: list[str], seconds: float) -> str:
    """Return what a command prints. Raises NotMeasured with its last words."""
    variables = {**os.environ, "PYTHONPATH": "", "PYGAME_HIDE_SUPPORT_PROMPT": "1"}
    try:
        shown = subprocess.run(
            command, env=variables, capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise NotMeasured(f"not done after {seconds:.0f} seconds") from error
    if shown.returncode != 0:
        words = [line.strip() for line in shown.stderr.splitlines() if line.strip()]
        reason = next((line for line in words if line.lower().startswith("error:")), None)
        raise NotMeasured(reason or (words[-1] if words else f"status {shown.returncode}"))
    return shown.stdout


# What runs in the environment of a library


def pettingzoo(name: str) -> Play:
    """`env()`, with `last()` and `step()` of recorded actions."""
    replay = _plays().aec_replay(importlib.import_module(f"pettingzoo.classic.{name}").env())
    return lambda: replay()[0]


def rlcard(name: str) -> Play:
    """`step()`, which returns the observation."""
    env = importlib.import_module("rlcard").make(name, config={"seed": 0})
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


def open_spiel(name: str) -> Play:
    """`apply_action()`, and the observation tensor of the player to act."""
    game = importlib.import_module("pyspiel").load_game(name)
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


def pgx(name: str) -> Play:
    """A compiled loop of random plies at many tables, which deals anew where a game ends."""
    jax = importlib.import_module("jax")
    env = importlib.import_module("pgx").make(name)
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


MAKERS: dict[str, Callable[[str], Play]] = {
    maker.__name__: maker for maker in (pettingzoo, rlcard, open_spiel, pgx)
}


def _plays() -> Any:
    """Import `scripts.bench.plays` of this checkout, which needs NumPy only."""
    sys.path.insert(0, str(CHECKOUT))
    return importlib.import_module("scripts.bench.plays")


def print_rate(library: str, name: str, seconds: str, repeats: str) -> None:
    """Print the best rate of the repeats, after one call to warm up, and the version."""
    plays = _plays()
    play = plays.timed(MAKERS[library](name))
    rate = plays.best_rate(play, int(repeats), float(seconds))
    version = importlib.metadata.version(library)
    print(json.dumps({"plies_per_cpu_second": rate, "version": version}))


if __name__ == "__main__":
    if len(sys.argv) == 5:
        print_rate(*sys.argv[1:])
    else:
        main()
