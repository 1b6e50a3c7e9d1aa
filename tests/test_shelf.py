"""An array is given again once nobody holds it, and never before."""

import copy
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from parlour.envs.core.shelf import RowShelf, Shelf

from parlour.baselines.environments import vector_env
from parlour.envs import load_game
from parlour.envs.core import shelf as shelf_module


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


def given(shelf: RowShelf, number: int, *rows: int) -> np.ndarray:
    """Write `number` to the array, then its row to each row; return what is given of `rows`."""
    shelf.array[:] = [[number, row] for row in range(5)]
    shelf.prepare()
    found = shelf.give(np.array(rows))
    shelf.array[:] = -1
    check(found, number, *rows)
    return found


def check(found: np.ndarray, number: int, *rows: int) -> None:
    """Check that `found` still has what was given."""
    as_lists = [row if row is None else row.tolist() for row in found]
    assert as_lists == [[number, row] if row in rows else None for row in range(5)]


def new_row_shelf() -> RowShelf:
    return RowShelf((5, 2), np.dtype(np.float64))


@pytest.fixture
def row_shelf(monkeypatch: pytest.MonkeyPatch) -> RowShelf:
    monkeypatch.setattr(shelf_module, "FEW_ROWS", 1)
    return new_row_shelf()


HOLDS: tuple[Callable[[np.ndarray], Any], ...] = (
    lambda found: found,
    lambda found: found[2:],
    lambda found: found[[3]],
    lambda found: found[3],
    lambda found: found[3][1:],
    lambda found: memoryview(found[3]),
    lambda found: torch.from_numpy(found[3]),
)


@pytest.mark.parametrize("hold", HOLDS)
def test_rows_are_given_again_once_their_holders_have_let_go(
    hold: Callable[[np.ndarray], Any], row_shelf: RowShelf
) -> None:
    def address(number: int) -> int:
        return given(row_shelf, number, 0, 3)[3].ctypes.data

    for _ in range(3):
        found = given(row_shelf, 1, 2, 3)
        its_address, held = found[3].ctypes.data, hold(found)
        del found
        assert its_address not in [address(number) for number in range(3)]
        del held
        assert its_address in [address(number) for number in range(3)]


def test_all_rows_are_given_without_a_copy(row_shelf: RowShelf) -> None:
    addresses = set()
    for number in range(6):
        address = row_shelf.array.ctypes.data
        assert given(row_shelf, number, *range(5))[0].ctypes.data == address
        addresses.add(address)
    assert len(addresses) == 2  # one is written to while the other is given


@pytest.mark.parametrize("few", [1, 3, 9])
@pytest.mark.parametrize("take_rows", [False, True])
def test_who_keeps_many_rows_gets_new_ones(
    take_rows: bool, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shelf_module, "FEW_ROWS", few)
    shelf, kept = new_row_shelf(), []
    for number in range(40):
        rows = range(number % 3, 3 + number % 3) if number % 7 else range(5)
        found = given(shelf, number, *rows)
        kept.append((number, rows, found.copy() if take_rows else found))
        for expected, places, array in kept:
            check(array, expected, *places)


def test_more_or_fewer_rows_than_before_are_given(row_shelf: RowShelf) -> None:
    for number, num_rows in enumerate((1, 2, 4, 1, 5, 3, 5, 5)):
        given(row_shelf, number, *range(num_rows))


def test_rows_are_given_to_whoever_has_written_to_what_was_given(
    row_shelf: RowShelf,
) -> None:
    addresses = set()
    for number in range(3):
        found = given(row_shelf, number, 2)
        addresses.add(found[2].ctypes.data)
        found[0] = "mine"
        found.setflags(write=False)
        found.shape = (1, 5)
        del found
    assert len(addresses) == 1


def test_a_copy_of_a_row_shelf_gives_rows_of_its_own(row_shelf: RowShelf) -> None:
    given(row_shelf, 1, 2)
    for other in (copy.deepcopy(row_shelf), pickle.loads(pickle.dumps(row_shelf))):
        mine, theirs = given(row_shelf, 2, 3), given(other, 3, 3)
        assert not np.shares_memory(mine[3], theirs[3])
        check(mine, 2, 3)


@pytest.mark.parametrize("few", [1, 9])
def test_last_observations_are_kept_where_all_games_end_at_once(
    few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shelf_module, "FEW_ROWS", few)
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


def test_who_changes_what_a_step_returned_does_not_change_the_next_step() -> None:
    envs, twin = (vector_env(load_game("president"), 4, self_play=True) for _ in range(2))
    ours: list[tuple[Any, ...]] = [envs.reset(seed=0)]
    theirs: tuple[Any, ...] = twin.reset(seed=0)
    for _ in range(300):
        compare_and_change(ours.pop(), theirs)
        actions = theirs[-1]["action_mask"].argmax(axis=1)
        ours, theirs = [envs.step(actions)], twin.step(actions)


def compare_and_change(ours: tuple[Any, ...], theirs: tuple[Any, ...]) -> None:
    arrays = ours[0], ours[-1]["action_mask"]
    np.testing.assert_equal(arrays, (theirs[0], theirs[-1]["action_mask"]))
    for array in arrays:
        array[:] = 9
        array.setflags(write=False)
        array.shape = (1, *array.shape)
