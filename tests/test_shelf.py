"""An array is given again once nobody holds it, and never before."""

import copy
import pickle
from functools import partial

import numpy as np
import torch

from parlour.baselines.environments import vector_env
from parlour.envs import load_game
from parlour.envs.core.shelf import Shelf


def new_shelf() -> Shelf:
    return Shelf(partial(np.zeros, (3, 2)))


def test_an_array_is_given_again_once_its_holders_have_let_go_of_it() -> None:
    shelf = new_shelf()
    address = shelf.take().ctypes.data
    for hold in (lambda a: a, lambda a: a[1:, 0], lambda a: memoryview(a), torch.from_numpy):
        held = hold(shelf.take())
        assert shelf.take().ctypes.data != address
        del held
        assert shelf.take().ctypes.data == address


def test_who_keeps_many_gets_new_ones() -> None:
    shelf = new_shelf()
    kept = [shelf.take() for _ in range(9)]
    for number, array in enumerate(kept):
        array[:] = number
    assert [int(array[0, 0]) for array in kept] == list(range(9))
    del kept, array
    assert len(shelf._arrays) == 4


def test_a_copy_of_a_shelf_gives_arrays_of_its_own() -> None:
    shelf = new_shelf()
    shelf.take()
    for other in (copy.deepcopy(shelf), pickle.loads(pickle.dumps(shelf))):
        mine, theirs = shelf.take(), other.take()
        assert mine.shape == theirs.shape and not np.shares_memory(mine, theirs)


def test_last_observations_are_kept_where_all_games_end_at_once() -> None:
    game = load_game("trick_taking")
    envs = vector_env(game, 4, self_play=True)
    _, info = envs.reset(seed=0)
    kept, ends = [], 0
    for _ in range(150):
        observations, *_, info = envs.step(info["action_mask"].argmax(axis=1))
        kept += [observations, *info.get("final_obs", ())]
        ends += "final_obs" in info
        if ends == 1 and "final_obs" in info:
            first = copy.deepcopy(kept)
    assert ends > 2
    for array, as_it_was in zip(kept, first, strict=False):
        np.testing.assert_array_equal(array, as_it_was)
