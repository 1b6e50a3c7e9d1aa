"""Compiled policies over batches: one loop, however the masks lie in memory."""

from typing import Any

import numpy as np
import pytest
from numba import config

from parlour.baselines import make_policy
from parlour.baselines.policies import policy
from parlour.envs import load_game
from parlour.envs.core.rng import streams
from tests.searching import after_plies

BATCH = 3


def signatures_of(loop: Any) -> set[Any]:
    """Return the types of arguments that a loop has been compiled for, for calls from Python."""
    return {signature for kept in loop._kept.values() for signature in kept.signatures}


@pytest.mark.parametrize(("name", "num_loops"), [("random", 1), ("first_legal", 1), ("smart", 2)])
def test_a_loop_is_compiled_once_for_any_masks_and_for_any_game_if_it_looks_at_nothing_else(
    name: str, num_loops: int
) -> None:
    compiled: set[Any] = set()
    for num_values in (3, 5):
        game = load_game("trick_taking", num_values=num_values)
        _, _, observations, masks = after_plies(game, 0, BATCH)
        whole = np.ascontiguousarray(masks)
        assert not masks.flags.c_contiguous
        player = make_policy(name, game)
        assert player.row_function is not None
        loop: Any = policy._choose_rows
        before = set() if config.DISABLE_JIT else signatures_of(loop)
        chosen = [player(observations, each, streams(range(BATCH))) for each in (masks, whole)]
        assert (chosen[0] == chosen[1]).all()
        assert whole[np.arange(BATCH), chosen[0]].all()
        compiled |= set() if config.DISABLE_JIT else signatures_of(loop) - before
    assert len(compiled) <= num_loops  # fewer where another test needed one
