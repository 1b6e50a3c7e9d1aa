"""Expert iteration with actors on a Ray cluster of this machine, whatever is killed on the way."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from parlour.envs import load_game
from parlour.training import actors, expert_iteration
from parlour.training.actors import Actors, PlayBatch
from parlour.training.expert_iteration import ANY_CLUSTER, Learner, packed, player_of, unpacked
from parlour.training.session import CHECKPOINT_FILE, STATE_FILE
from tests.commands import refusal
from tests.probe_duel import probe_duel

GAME = probe_duel()
CONFIG = expert_iteration.Config(
    total_steps=160, num_tables=8, batch_decisions=4, num_simulations=4, hidden=(8,),
    minibatch_size=16, num_threads=1, derived_inputs=False,
)  # fmt: skip
RAY = pytest.mark.release
TRAIN = (
    "train expert_iteration trick_taking --set num_values=3 --total-steps 6400 --num-tables 16"
    " --num-simulations 4 --hidden 8 --points 40 --point-deals 2 --deals 2 --cluster"
)


@pytest.mark.plain
def test_a_batch_of_an_actor_is_packed_without_loss() -> None:
    weights = Learner(GAME, CONFIG).average.record(GAME)
    lesson = player_of(GAME, CONFIG, 7)(weights)
    again = unpacked(lesson, GAME.num_actions)
    assert again.policies.shape == (8 * 4, GAME.num_actions)
    np.testing.assert_allclose(again.policies.sum(axis=1), 1, atol=1e-5)
    assert lesson.policies.shape == (8 * 4 * 2,)  # two of six actions are legal
    for one, other in zip(packed(again, GAME.num_actions), lesson, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.plain
def test_a_cluster_without_ray_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    said = refusal(f"{TRAIN} --out {tmp_path / 'run'}", capsys)
    assert "a cluster needs Ray: " in said and "[cluster]" in said


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The address of a cluster with two processors."""
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    memory = 100 * 2**20
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=memory)
    yield ray.get_runtime_context().gcs_address
    ray.shutdown()


def exits(seed: int) -> PlayBatch:
    """What plays nothing and ends its process."""

    def play_batch(weights: np.ndarray) -> Any:
        os._exit(3)

    return play_batch


def pid_of(seed: int) -> PlayBatch:
    """What returns its process instead of a batch."""

    def play_batch(weights: np.ndarray) -> Any:
        time.sleep(0.05)
        return os.getpid()

    return play_batch


@RAY
def test_a_run_on_a_cluster_learns_to_its_end(cluster: str) -> None:
    config = dataclasses.replace(CONFIG, cluster=ANY_CLUSTER)
    learner = Learner(GAME, config)
    before = [weights.clone() for weights in learner.network.parameters()]
    steps = [progress for progress, _ in learner.run()]
    assert [progress.decisions for progress in steps] == [32, 64, 96, 128, 160]
    assert steps[-1].done == 1.0
    pairs = zip(before, learner.network.parameters(), strict=True)
    assert not all(torch.equal(old, new) for old, new in pairs)


@RAY
def test_an_actor_that_is_killed_is_replaced(cluster: str) -> None:
    crew = Actors(None, 2, pid_of, np.random.default_rng(0))
    played = crew.played(lambda: np.zeros(1))
    first: set[Any] = set()
    while len(first) < 2:
        first.add(next(played)[0])
    killed = min(first)
    os.kill(killed, signal.SIGKILL)
    later: set[Any] = set()
    while len(later - first) < 1:
        later.add(next(played)[0])
    assert later - first and first - {killed} <= later
    crew.end()


@RAY
def test_actors_that_all_end_end_the_run(cluster: str) -> None:
    crew = Actors(None, 2, exits, np.random.default_rng(0))
    with pytest.raises(RuntimeError, match=f"{actors.FAILURES} actors ended without a batch"):
        next(crew.played(lambda: np.zeros(1)))


@RAY
def test_a_run_whose_driver_is_killed_goes_on_from_its_last_state(
    cluster: str, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "parlour.scripts.main", *TRAIN.split(), cluster]
    command += ["--out", str(tmp_path)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while not (tmp_path / STATE_FILE).is_file():
        assert process.poll() is None
        time.sleep(0.1)
    process.kill()
    process.wait()
    learned = Learner(load_game("trick_taking", num_values=3), expert_iteration.Config(hidden=(8,)))
    learned.load(tmp_path / STATE_FILE)
    done = learned.progress.decisions
    assert 0 < done < 6400
    said = subprocess.run([*command, "--resume"], capture_output=True, text=True, check=True)
    assert "saved in" in said.stdout
    card = (tmp_path / CHECKPOINT_FILE).with_suffix(".md").read_text()
    assert "* actors: 2\n" in card and "* done: 1\n" in card
