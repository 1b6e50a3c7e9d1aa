"""The checkers of PettingZoo, Gymnasium and stable-baselines3, and ours, pass for every game."""

import warnings
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env as gymnasium_check_env
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test
from pettingzoo.utils import wrappers

from parlour.envs import GAMES, check_game, find_game, registry
from parlour.envs.core.checks.report import NO_CHANCE
from tests.view_tools import case_name, configs, is_all_legal

EXPECTED_WARNINGS = (  # of any environment with masks in a Dict, as PettingZoo's own have them
    "Observation space for each agent probably should be",
    "Observation is not a NumPy array",
    "Action mask numpy array is all zeros",
)

pytestmark = pytest.mark.plain  # `test_views.py` compares what they check with compiled code

every_config = pytest.mark.parametrize(("name", "config"), configs(), ids=case_name)
every_game = pytest.mark.parametrize("name", GAMES)
AEC = [
    *(pytest.param(*case.values, registry.make_aec, marks=case.marks) for case in configs()),
    ("notty", {}, registry.make_raw_aec),
]


@pytest.mark.parametrize(("name", "config", "factory"), AEC, ids=case_name)
def test_pettingzoo_api_test_and_seed_test(name: str, config: dict[str, Any], factory: Any) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(factory(name, **config), num_cycles=60)
        seed_test(lambda: factory(name, **config), num_cycles=20)
    messages = [str(warning.message) for warning in caught]
    assert [m for m in messages if not m.startswith(EXPECTED_WARNINGS)] == []


@every_config
def test_pettingzoo_parallel_api_test(name: str, config: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(registry.make_parallel(name, **config), num_cycles=200)


@every_game
def test_the_parallel_environment_plays_what_the_other_plays(name: str) -> None:
    env, parallel = registry.make_raw_aec(name), registry.make_parallel(name)
    env.reset(seed=3)
    view, infos = parallel.reset(seed=3)
    for _ in range(60):
        agent = env.agent_selection
        assert [one for one in view if view[one]["action_mask"].any()] == [agent]
        np.testing.assert_array_equal(view[agent]["observation"], env.observe(agent)["observation"])
        action = int(view[agent]["action_mask"].argmax())
        env.step(action)
        view, rewards, ended, _, infos = parallel.step(dict.fromkeys(env.possible_agents, action))
        assert (rewards, ended) == (env.rewards, env.terminations)
        if any(ended.values()):
            break
    assert set(infos) == set(env.possible_agents)


@every_game
@pytest.mark.parametrize(("view", "kind"), [("aec", AECEnv), ("parallel", ParallelEnv)])
def test_pettingzoo_makes_it_by_its_id(name: str, view: Any, kind: Any) -> None:
    if not hasattr(pettingzoo, "make"):
        pytest.skip(f"PettingZoo {pettingzoo.__version__} has no registry; 1.27 has")
    version = find_game(name).version
    for env_id in (f"parlour/{name}-v{version}", f"parlour/{name}_v{version}", f"parlour/{name}"):
        env = pettingzoo.make(view, env_id, observation="integer")
        assert isinstance(env, kind) and env.unwrapped.game.name == name
        assert env.observation_space("player_0")["observation"].dtype.kind == "i"
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        pettingzoo.make(view, f"parlour/{name}-v{version}", colour=1)


def test_an_environment_is_made_by_the_name_of_its_game() -> None:
    with pytest.raises(ValueError, match=r"name the game, .* got <Game notty"):
        registry.make_aec(find_game("notty"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "options", [{"observation": "integer"}, {"skip_forced": True}, {"layout": "flat"}]
)
def test_pettingzoo_api_test_with_options(options: dict[str, Any]) -> None:
    api_test(registry.make_aec("splendor", **options), num_cycles=40)  # masks of many words


@pytest.mark.parametrize("name", ["notty", "president"])
def test_the_flat_layout_shows_the_same_with_the_mask_in_infos(name: str) -> None:
    flat, other = registry.make_aec(name, layout="flat"), registry.make_aec(name)
    flat.reset(seed=3)
    other.reset(seed=3)
    for _ in range(60):
        for each in flat.possible_agents:
            view: Any = flat.observe(each)
            shown = other.observe(each)
            assert flat.observation_space(each).contains(view)
            np.testing.assert_array_equal(view, shown["observation"])
            np.testing.assert_array_equal(flat.infos[each]["action_mask"], shown["action_mask"])
        if any(flat.terminations.values()):
            break
        action = int(flat.infos[flat.agent_selection]["action_mask"].argmax())
        flat.step(action)
        other.step(action)


def test_pettingzoo_stock_wrappers_fit() -> None:
    env = wrappers.TerminateIllegalWrapper(registry.make_raw_aec("notty"), illegal_reward=-1)
    api_test(wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(env)), num_cycles=60)


def test_pettingzoo_render_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one game: `test_render.py` draws them all."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr("parlour.envs.core.environments.rendering.RENDER_FPS", 1000)
    render_test(lambda render_mode: registry.make_aec("notty", render_mode=render_mode))


@every_config
def test_gymnasium_check_env(name: str, config: dict[str, Any]) -> None:
    env = gymnasium.make(f"parlour:{GAMES[name]}", **config)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gymnasium_check_env(env.unwrapped, skip_render_check=True)


@every_config
@pytest.mark.parametrize("layout", ["flat", "dict"])
def test_stable_baselines3_check_env(name: str, config: dict[str, Any], layout: str) -> None:
    sb3 = pytest.importorskip("stable_baselines3.common.env_checker")
    env = gymnasium.make(f"parlour:{GAMES[name]}", layout=layout, **config)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sb3.check_env(env.unwrapped)


DEAR = ("splendor", "top_trumps")  # in plain Python; `test_contract.py` checks their rules


@pytest.mark.parametrize(
    ("name", "config"),
    [
        pytest.param(*case.values, marks=pytest.mark.long if case.values[0] in DEAR else case.marks)
        for case in configs()
    ],
    ids=case_name,
)
def test_check_game_of_the_aec_environments(
    name: str, config: dict[str, Any], capfd: pytest.CaptureFixture[str]
) -> None:
    env = registry.make_aec(name, **config)
    expected = [] if env.unwrapped.game.has_chance else 3 * [NO_CHANCE]
    expected += ["No referee was given."]
    expected += ["No action was ever illegal."] if is_all_legal(env) else []
    report = check_game(registry.make_aec(name, **config), num_games=1)
    assert [line.rpartition(". ")[2] for line in report.not_checked] == expected
    assert capfd.readouterr() == ("", "")


@every_config
def test_check_game_of_the_solo_environment(name: str, config: dict[str, Any]) -> None:
    report = check_game(gymnasium.make(f"parlour:{GAMES[name]}", **config), num_games=1)
    of_rules = [line for line in report.not_checked if not line.endswith(NO_CHANCE)]
    unchecked = 3  # what only a referee, or an AEC environment, can show
    assert len(of_rules) == unchecked + is_all_legal(registry.make_raw_aec(name, **config))
