"""Tournaments on a Ray cluster of this machine: the same tables, whatever is killed on the way."""

import dataclasses
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from docs.studies import killing
from parlour.baselines.arena import Plan, Store, Workers, play_match, play_tournament
from parlour.baselines.statistics.result_data import as_data
from parlour.envs import load_game
from parlour.envs.core.play.legal import PlayerError
from tests.arena.test_nothing_lost import check_replacement
from tests.commands import refusal

ray = pytest.importorskip("ray", reason="Ray is not installed")
pytestmark = pytest.mark.release
GAME = load_game("trick_taking", num_values=4)
EXITING = """
import os
from pathlib import Path

def leave(observations, action_masks, rngs):
    if Path({sign!r}).exists():
        os._exit(3)
    return action_masks.argmax(axis=1)
"""
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


def test_results_are_kept_as_they_come(tmp_path: Path) -> None:
    """The first batch is on disk when a player ends every worker from the second on."""
    file, path, sign = tmp_path / "exits.py", tmp_path / "store.db", tmp_path / "sign"
    file.write_text(EXITING.format(sign=str(sign)))
    message = "a worker process ended 3 times in a row, in games of leave, first_play"
    with Store(path) as store:
        plan = Plan(Workers(1, cluster=True), batch_deals=2, store=store)
        with pytest.raises(PlayerError, match=message):
            play_match(
                GAME, f"{file}:leave", "first_play", 6, 0, lambda games: sign.touch(), plan=plan
            )
    assert killing.batches_in(path) == 1


def test_a_player_that_fails_is_reported_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def choose(*_):\n    return 1 / 0\n")
    said = refusal(f"match trick_taking {file}:choose,random --deals 1 --cluster", capsys)
    assert f"{file}:choose failed: ZeroDivisionError" in said


def test_a_run_that_is_killed_goes_on_to_the_same_table(tmp_path: Path) -> None:
    table, (survived,) = killing.with_kills(tmp_path / "store.db", 1, 3, "cluster")
    assert 0 < survived < killing.CLUSTER_BATCHES
    local = play_tournament(load_game("trick_taking"), killing.PLAYERS, killing.CLUSTER_DEALS)
    assert json.loads(table) == as_data(dataclasses.replace(local, origin={}))
