"""What other libraries expect of an environment, with the libraries themselves if installed."""

import dataclasses
import json
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import vector as vector_wrappers
from pettingzoo.utils import wrappers

from parlour.baselines import make_policy
from parlour.baselines.arena import play_match
from parlour.baselines.environments import make_solo, make_vector
from parlour.envs.core.catalogue import find_game
from parlour.envs.core.drawing.render import Window
from parlour.envs.core.environments.rendering import RENDER_MODES
from parlour.envs.core.environments.vector import TablesEnv
from parlour.envs.registry import make_aec

pytestmark = pytest.mark.plain

ID = "parlour:TrickTaking-v0"
SHORT: dict[str, Any] = {"num_values": 3}
NEXT_STEP = AutoresetMode.NEXT_STEP


# NumPy


def test_settings_may_be_numbers_of_numpy() -> None:
    game = find_game("trick_taking", num_values=np.int64(3))
    assert json.dumps(game.config_dict()) == json.dumps(find_game(game.name, **SHORT).config_dict())
    options = {"seat": np.int64(1), "skip_forced": np.True_, "observation": np.str_("integer")}
    assert make_solo(game.name, num_values=np.int64(3), **options).reset(seed=0)[1]["seat"] == 1
    assert make_vector(game.name, num_envs=np.int64(2), num_threads=np.int64(1)).num_envs == 2
    assert make_aec(game.name, num_values=np.int64(3), render_seat=np.int64(1)).game.num_seats == 2
    make_policy("mcts", game, num_simulations=np.int64(5))
    numbers: Any = {"num_deals": np.int64(2), "seed": np.int64(1)}
    result = play_match(game, "random", "random", **numbers)
    json.dumps(dataclasses.asdict(result))


# Gymnasium


@pytest.mark.parametrize("make", [make_solo, make_vector])
def test_gymnasium_knows_the_render_modes_before_there_is_an_environment(make: Any) -> None:
    assert make.metadata["render_modes"] == list(RENDER_MODES)


@pytest.mark.parametrize("make", [make_solo, partial(make_vector, num_envs=3)])
def test_the_seed_of_an_environment_without_one_is_in_np_random_seed(make: Any) -> None:
    env = make("trick_taking")
    without, _ = env.reset()
    np.testing.assert_array_equal(make("trick_taking").reset(seed=env.np_random_seed)[0], without)


def test_lists_of_frames_can_be_collected() -> None:
    env = gymnasium.make(ID, render_mode="rgb_array_list", **SHORT)
    _, info = env.reset(seed=0)
    env.step(info["action_mask"].argmax())
    frames = env.render()
    assert isinstance(frames, list)
    assert [np.asarray(frame).dtype for frame in frames] == [np.uint8] * 2


@pytest.mark.parametrize(
    "wrap",
    [
        vector_wrappers.NormalizeObservation,
        vector_wrappers.FlattenObservation,
        lambda envs: vector_wrappers.DtypeObservation(envs, np.float64),
        lambda envs: vector_wrappers.RescaleObservation(envs, np.float32(0), np.float32(1)),
        vector_wrappers.NormalizeReward,
        vector_wrappers.RecordEpisodeStatistics,
        vector_wrappers.DictInfoToList,
    ],
)
def test_gymnasiums_vector_wrappers_take_the_next_step_mode(wrap: Any) -> None:
    faulty = (vector_wrappers.NormalizeObservation, vector_wrappers.DictInfoToList)
    if wrap in faulty and gymnasium.__version__.startswith("1.1"):
        pytest.skip("the wrapper is faulty in Gymnasium 1.1")
    plain = gymnasium.make_vec(ID, 3, autoreset_mode=NEXT_STEP, **SHORT)
    envs = wrap(gymnasium.make_vec(ID, 3, autoreset_mode=NEXT_STEP, **SHORT))
    observations, info = envs.reset(seed=0)
    _, own_info = plain.reset(seed=0)
    num_ended = 0
    for _ in range(20):
        actions = own_info["action_mask"].argmax(axis=1)
        _, _, own_ended, _, own_info = plain.step(actions)
        observations, _, ended, _, info = envs.step(actions)
        np.testing.assert_array_equal(ended, own_ended)
        num_ended += ended.sum()
    assert num_ended > 3
    assert observations in envs.observation_space
    assert info


@pytest.mark.parametrize("self_play", [False, True])
def test_every_table_of_the_vector_environment_is_rendered(self_play: bool) -> None:
    settings = {"self_play": self_play, **SHORT}
    envs = gymnasium.make_vec(ID, 3, render_mode="rgb_array", **settings)
    assert (envs.render_mode, envs.metadata["render_fps"]) == ("rgb_array", 2)
    with pytest.raises(ValueError, match=r"call reset\(\) before render\(\)"):
        envs.render()
    envs.reset(seed=0)
    frames: Any = envs.render()
    assert [frame.dtype for frame in frames] == [np.uint8] * 3
    assert len({frame.tobytes() for frame in frames}) == 3
    texts = gymnasium.make_vec(ID, 3, render_mode="ansi", **settings)
    texts.reset(seed=0)
    shown: Any = texts.render()
    tables: Any = texts.unwrapped
    seats = [None] * 3 if self_play else [0] * 3
    states = tables._tables.states
    assert shown == tuple(map(tables.game.describe, states, seats))


def test_an_environment_that_was_refused_is_closed() -> None:
    """Gymnasium's versions with `VectorEnv.__del__` close it when it is collected."""
    refused = TablesEnv.__new__(TablesEnv)
    with pytest.raises(ValueError, match="illegal_action must be one of"):
        TablesEnv.__init__(refused, find_game("trick_taking"), illegal_action="win")
    refused.close()


def test_a_window_shows_the_first_table(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[np.ndarray] = []
    monkeypatch.setattr(Window, "show", lambda self, frame: shown.append(frame))
    human = gymnasium.make_vec(ID, 3, render_mode="human", **SHORT)
    pixels = gymnasium.make_vec(ID, 3, render_mode="rgb_array", **SHORT)
    human.reset(seed=0)
    pixels.reset(seed=0)
    assert human.render() is None
    frames: Any = pixels.render()
    np.testing.assert_array_equal(shown[0], frames[0])
    human.close()


# PettingZoo


def test_a_wrapper_that_adds_a_render_mode_changes_no_other_environment() -> None:
    wrappers.CaptureStdoutWrapper(make_aec("trick_taking", render_mode="human"))
    for env in (make_aec("trick_taking"), gymnasium.make(ID), gymnasium.make_vec(ID, 2)):
        assert env.metadata["render_modes"] == list(RENDER_MODES)


# TorchRL


@pytest.mark.parametrize("make", [make_solo, make_vector])
def test_an_unknown_keyword_is_refused_in_pythons_words(make: Any) -> None:
    """TorchRL tries `frameskip`, and leaves it out if the TypeError says this."""
    with pytest.raises(TypeError, match=r"got an unexpected keyword argument 'frameskip': .*num_v"):
        make("trick_taking", frameskip=1)
