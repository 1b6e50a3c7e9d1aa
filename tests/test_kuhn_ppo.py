"""PPO learns to bluff: Kuhn poker by self-play, measured by exact exploitability.

What is bounded is the time average, the policies after each batch of the second half of a run.
The last iterate circles around the equilibrium.
"""

import dataclasses
from collections.abc import Iterator

import pytest

from parlour.training import ppo

from .example_games import imported
from .kuhn_poker import Kuhn

CONFIG = ppo.Config(
    total_steps=1_000_000,
    hidden=(64,),
    num_tables=512,
    batch_decisions=8,
    epochs=4,
    learning_rate=5e-3,
    final_learning_rate=5e-3,
    entropy_coefficient=0.2,  # high, as it is what keeps the policy from circling far out
    final_entropy_coefficient=0.05,
    clip=0.1,
    gae_lambda=1.0,
    num_threads=1,
)
MOST = 0.05  # chips a game


@pytest.fixture(scope="module")
def kuhn() -> Iterator[Kuhn]:
    with imported("kuhn") as (module,):
        yield Kuhn(module)


@pytest.mark.release
@pytest.mark.parametrize("seed", [0, 1])
def test_ppo_becomes_hard_to_exploit(kuhn: Kuhn, seed: int) -> None:
    """An untrained network is exploitable by about 0.46; seeds 0 and 1 reached 0.02."""
    config = dataclasses.replace(CONFIG, seed=seed)
    steps = ppo.Learner(kuhn.game, config).run()
    policies = [kuhn.probabilities(network) for progress, network in steps if progress.done > 0.5]
    average, last = kuhn.exploitability(policies), kuhn.exploitability(policies[-1:])
    print(f"seed {seed}: time average {average:.3f}, last iterate {last:.3f}")
    assert average < MOST
