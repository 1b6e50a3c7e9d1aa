"""Policy rollouts of Nim, played out once more in plain Python."""

from pathlib import Path

import numpy as np
import pytest

from parlour.baselines import make_policy
from parlour.baselines.players.policy import Policy
from parlour.baselines.search.rollout import policy_rollout
from parlour.envs.core.play.playthrough import Playthrough
from parlour.envs.core.rng import streams

from ..example_games import imported
from ..searching import after_plies, saved

pytestmark = pytest.mark.plain

with imported("nim") as (nim,):
    GAME = nim.game(num_heaps=3)
NUM_TABLES = 8


def worth(network: Policy, position: np.record, action: int) -> float:
    """What an action brings its seat when the network plays on."""
    playthrough = Playthrough(GAME, network, deal=position)
    for turn in playthrough:
        if turn.number == 1:
            seat = turn.seat
            turn.play(action)
    return float(playthrough.returns[seat])


@pytest.mark.parametrize(("num_plies", "weight"), [(1, 0.0), (2, 0.75)])
def test_actions_are_worth_what_the_network_makes_of_them(
    tmp_path: Path, num_plies: int, weight: float
) -> None:
    path = str(saved(GAME, tmp_path))
    network = make_policy(path, GAME)
    rollout = policy_rollout(
        GAME, path, num_playouts=100, num_considered=16, first_place_weight=weight
    )
    assert rollout.needs_positions and rollout.values is not None
    tables, _, *seen = after_plies(GAME, num_plies)
    observations, masks, states = (array[:NUM_TABLES] for array in (*seen, tables.states))
    inputs = observations, masks, streams(range(NUM_TABLES), 4), states
    expected = np.full(masks.shape, np.nan)
    for row, action in zip(*np.nonzero(masks), strict=True):
        score = worth(network, states[row], int(action))
        expected[row, action] = (1 - weight) * score + weight * np.sign(score)
    np.testing.assert_allclose(rollout.values(*inputs), expected, rtol=1e-12)
    own = network(*inputs[:3])
    rows = np.arange(NUM_TABLES)
    has_better = expected[rows, own] < np.nanmax(expected, axis=1)
    chosen = rollout(*inputs)
    np.testing.assert_array_equal(chosen[~has_better], own[~has_better])
    np.testing.assert_array_equal(expected[rows, chosen], np.nanmax(expected, axis=1))
    assert 0 < has_better.sum() < NUM_TABLES
