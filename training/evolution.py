"""Tune the weights of a script by an evolution strategy, in duplicate matches.

In each generation steps away from the present weights and their mirror images play the same deals,
and the weights move along the steps by the rank of their results (Salimans et al. 2017, "Evolution
strategies as a scalable alternative to reinforcement learning"). No derivative is needed.
`python -m parlour.training.evolution GAME` tunes a game's planner: see its `fit/planner.py`.
"""

import argparse
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..baselines.arena.play.match import play_match
from ..baselines.players.tuned import Script, Weights
from ..baselines.policies.game_parts import part_of
from ..baselines.policies.policy import Policy, compiled_policy
from ..envs.core.game import Game
from ..envs.registry import GAMES, find_game


class Evolution(NamedTuple):
    """How weights are tuned."""

    num_generations: int = 60
    num_steps: int = 8  # and as many mirror images
    num_deals: int = 300  # for each opponent of each candidate, in each of the games
    step_size: float = 0.15  # standard deviation of a step, in units of the weight or of MIN_SCALE
    learning_rate: float = 1.5  # how far the weights move, in units of a mean step
    num_remembered: int = 10  # generations: an earlier self is drawn from the last ones


MIN_SCALE = 0.5  # of a weight, so that one near 0 moves too
FIRST_DEAL = 60_000_000
KEPT_SEED, KEPT_DEALS = 990_000_000, 10_000  # of the match that measures the result


def main() -> None:
    """Tune a script; print its weights and matches against the shipped ones and the opponent."""
    scripts = _scripts()
    parser = argparse.ArgumentParser(description="Tune the weights of a game's script.")
    parser.add_argument("game", choices=scripts, help=f"one of {', '.join(scripts)}")
    parser.add_argument(
        "--generations", type=int, default=60, help="number of generations (default 60)"
    )
    parser.add_argument("--deals", type=int, default=300, help="deals of a match (default 300)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the steps (default 0)")
    arguments = parser.parse_args()
    for name, lowest in (("generations", 1), ("deals", 1), ("seed", 0)):
        if getattr(arguments, name) < lowest:
            parser.error(f"--{name} must be at least {lowest}; got {getattr(arguments, name)}")
    script = scripts[arguments.game]
    start = time.process_time()
    settings = Evolution(arguments.generations, num_deals=arguments.deals)
    generations = []
    for weights in evolve(script, arguments.seed, settings):
        generations.append(weights)
        print(f"generation {len(generations)} of {settings.num_generations}", flush=True)
    weights = generations[-1]
    for name, value in weights.items():
        print(f"{name}: {np.round(value, 2).tolist()}")
    print(f"{time.process_time() - start:.0f} s of processor time")
    for game in script.games:
        for rival in (script.name, script.opponent):
            print(play_match(game, _player(script, weights, game), rival, KEPT_DEALS, KEPT_SEED))


def _scripts() -> dict[str, Script]:
    """Return the script that is tuned for each game that has one."""
    modules = {name: part_of(find_game(name), "fit.planner") for name in GAMES}
    return {name: module.SCRIPT for name, module in modules.items() if module is not None}


def _player(script: Script, weights: Weights, game: Game) -> Policy:
    record = script.make_record(weights)
    return compiled_policy("tuned", game, script.row_function, weights=record)


def evolve(script: Script, seed: int, settings: Evolution) -> Iterator[Weights]:
    """Yield the weights after each generation, whose deals begin at FIRST_DEAL.

    Half of the games are against the opponent, half against the weights of an earlier generation.
    """
    rng = np.random.default_rng(seed)
    start, deal = script.start, FIRST_DEAL
    mean, past = _vector(start), [_vector(start)]
    for _ in range(settings.num_generations):
        scale = settings.step_size * np.maximum(np.abs(mean), MIN_SCALE)
        half = rng.normal(size=(settings.num_steps, len(mean))) * scale
        steps = np.concatenate([half, -half])
        former = _weights(past[int(rng.integers(len(past)))], start)
        results = np.zeros(len(steps))
        for game in script.games:
            rivals = script.opponent, _player(script, former, game)
            for index, step in enumerate(steps):
                tried = _player(script, _weights(mean + step, start), game)
                for rival in rivals:
                    match = play_match(game, tried, rival, settings.num_deals, deal)
                    results[index] += match.mean_return.mean
        deal += settings.num_deals
        ranks = results.argsort().argsort() / (len(steps) - 1) - 0.5
        mean = mean + settings.learning_rate * (ranks @ steps) / np.abs(ranks).sum()
        past = [*past, mean][-settings.num_remembered :]
        yield _weights(mean, start)


def _vector(weights: Weights) -> np.ndarray:
    return np.concatenate([np.ravel(value) for value in weights.values()]).astype(np.float64)


def _weights(vector: np.ndarray, like: Weights) -> Weights:
    ends = np.cumsum([np.size(value) for value in like.values()])
    parts = zip(like.items(), np.split(vector, ends[:-1]), strict=True)
    return {name: part.reshape(np.shape(value)) for (name, value), part in parts}


if __name__ == "__main__":
    main()
