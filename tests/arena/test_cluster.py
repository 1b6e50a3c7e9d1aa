"""Tournaments on a Ray cluster of this machine: the same tables, whatever is killed on the way."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from docs.studies import killing
from parlour.baselines.arena import Plan, Workers, play_tournament
from parlour.baselines.statistics.result_data import as_data
from parlour.envs import load_game
from tests.arena.test_nothing_lost import check_replacement

ray = pytest.importorskip("ray", reason="Ray is not installed")
pytestmark = pytest.mark.release
GAME = load_game("trick_taking", num_values=4)
ON_CLUSTER = Workers(2, cluster=True)


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    """A cluster that commands and drivers of their own find too."""
    memory = 100 * 2**20
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=memory)
    os.environ["RAY_ADDRESS"] = ray.get_runtime_context().gcs_address
    yield
    del os.environ["RAY_ADDRESS"]
    ray.shutdown()


def test_the_table_does_not_depend_on_a_cluster() -> None:
    players = ("random", "first_play", "smart", "playout:num_playouts=6")
    local = play_tournament(GAME, players, 40, seed=5)
    assert play_tournament(GAME, players, 40, seed=5, plan=Plan(ON_CLUSTER, 16)) == local


def test_a_worker_that_is_killed_is_replaced_and_nothing_is_lost(tmp_path: Path) -> None:
    check_replacement(ON_CLUSTER, tmp_path / "once")


def test_a_run_that_is_killed_goes_on_to_the_same_table(tmp_path: Path) -> None:
    table, (survived,) = killing.with_kills(tmp_path / "store.db", 1, 3, "cluster")
    assert 0 < survived < killing.CLUSTER_BATCHES
    local = play_tournament(load_game("trick_taking"), killing.PLAYERS, killing.CLUSTER_DEALS)
    assert json.loads(table) == json.loads(json.dumps(as_data(local)))
