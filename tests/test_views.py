"""The three views of a game: what each promises, and that they agree."""

import copy
import re
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

import parlour.envs
from parlour.baselines import make_policy
from parlour.baselines.environments import make_solo, make_vector
from parlour.envs import GAMES, find_game, load_game, registry
from parlour.envs.core.environments.aec import CheckedEnv, RawEnv
from parlour.envs.core.environments.solo import SoloEnv
from parlour.envs.core.environments.vector import TablesEnv
from parlour.envs.core.play.playthrough import Playthrough
from parlour.envs.core.played.transcript import record
from parlour.envs.core.rng import player_streams, streams
from tests.president.playing import ladder
from tests.view_tools import (
    an_illegal_action,
    case_name,
    choose,
    configs,
    raw_env,
    short,
    state_bytes,
)

pytestmark = pytest.mark.plain

every_game = pytest.mark.parametrize("name", GAMES)
every_config = pytest.mark.parametrize(("name", "config"), configs(), ids=case_name)


def vector(name: str, num_envs: int, **settings: Any) -> TablesEnv:
    envs = gymnasium.make_vec(f"parlour:{GAMES[name]}", num_envs=num_envs, **short(name, settings))
    assert isinstance(envs, TablesEnv)
    return envs


def solo(name: str, **settings: Any) -> SoloEnv:
    env = gymnasium.make(f"parlour:{GAMES[name]}", **short(name, settings)).unwrapped
    assert isinstance(env, SoloEnv)
    return env


def random_actions(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.array([choose(mask, rng) for mask in masks])


# The views agree


@pytest.mark.parametrize(
    ("name", "config"),
    [*configs(), pytest.param("president", {"num_players": 4}, marks=pytest.mark.compiled)],
    ids=case_name,
)
def test_self_play_tables_go_through_the_states_of_single_environments(
    name: str, config: dict[str, Any]
) -> None:
    num_envs, seed = 3, 11
    envs = vector(name, num_envs, self_play=True, **config)
    singles = [raw_env(name, **config) for _ in range(num_envs)]
    observations, info = envs.reset(seed=seed)
    for i, single in enumerate(singles):
        single.reset(seed=seed + i)
    rng = np.random.default_rng(0)
    for _ in range(100):
        actions = random_actions(info["action_mask"], rng)
        for i, single in enumerate(singles):
            assert single.agent_selection == f"player_{info['seat'][i]}"
            view = single.observe(single.agent_selection)
            np.testing.assert_array_equal(view["observation"], observations[i])
            np.testing.assert_array_equal(view["action_mask"], info["action_mask"][i])
            assert envs._tables.states[i].tobytes() == state_bytes(single)
            single.step(actions[i])
        actors = info["seat"]
        observations, rewards, ended, _, info = envs.step(actions)
        for i, single in enumerate(singles):
            over = single.terminations[single.agent_selection]
            assert over == ended[i]
            np.testing.assert_array_equal(list(single.rewards.values()), info["returns"][i])
            assert rewards[i] == info["returns"][i, actors[i]]
            if over:
                last = single.observe(f"player_{actors[i]}")["observation"]
                np.testing.assert_array_equal(info["final_obs"][i], last)
                single.reset()


@every_config
@pytest.mark.parametrize("seat", [0, "random"])
def test_tables_with_opponents_play_as_single_environments(
    name: str, config: dict[str, Any], seat: Any
) -> None:
    num_envs, seed = 3, 5
    settings = {**config, "seat": seat, "opponents": "random"}
    envs = vector(name, num_envs, **settings)
    singles = [solo(name, **settings) for _ in range(num_envs)]
    observations, info = envs.reset(seed=seed)
    firsts = [single.reset(seed=seed + i) for i, single in enumerate(singles)]
    for i, (observation, first_info) in enumerate(firsts):
        np.testing.assert_array_equal(observation, observations[i])
        assert first_info["seat"] == info["seat"][i]
    rng = np.random.default_rng(0)
    for _ in range(40):
        actions = random_actions(info["action_mask"], rng)
        observations, rewards, ended, _, info = envs.step(actions)
        for i, single in enumerate(singles):
            view, reward, terminated, truncated, single_info = single.step(actions[i])
            assert (reward, terminated, truncated) == (rewards[i], ended[i], False)
            if terminated:
                np.testing.assert_array_equal(info["final_obs"][i], view)
                returns = info["final_info"]["returns"][i]
                np.testing.assert_array_equal(returns, single_info["returns"])
                view, single_info = single.reset()
            np.testing.assert_array_equal(view, observations[i])
            np.testing.assert_array_equal(single_info["action_mask"], info["action_mask"][i])


@every_game
def test_the_solo_environment_is_a_table_where_policies_have_the_other_seats(name: str) -> None:
    seed, seat = 4, 1  # a deal in which the learner gets to choose, in every game
    env = solo(name, seat=seat, opponents="random")
    policies: list[Any] = [make_policy("random", env.game)] * env.game.num_seats
    policies[seat] = None
    observation, info = env.reset(seed=seed)
    rng, terminated = np.random.default_rng(0), False
    table = Playthrough(env.game, policies, seed)
    for turn in table:
        if turn.seat == seat:
            view = env.game.layout.scaled(np.array([turn.observation]))[0]
            np.testing.assert_array_equal(view, observation)
            np.testing.assert_array_equal(turn.action_mask, info["action_mask"])
            turn.play(choose(info["action_mask"], rng))
            observation, reward, terminated, _, info = env.step(turn.action)
    assert terminated and reward == table.returns[seat]


@every_game
def test_random_play_inside_is_the_player_random_in_every_seat(name: str) -> None:
    envs = vector(name, 1, self_play=True)
    table = raw_env(name)
    policy = make_policy("random", envs.game)
    rngs = player_streams([7], envs.game.num_seats)
    for observe in (True, False):
        envs.reset(seed=7)
        table.reset(seed=7)
        rngs = player_streams([7], envs.game.num_seats)
        num_ended = 0
        for _ in range(100):
            seat = int(table.agent_selection.removeprefix("player_"))
            own = rngs[:, seat].copy()
            mask = table.last()[0]["action_mask"]
            table.step(policy.act(table.record(table.agent_selection), mask, rng=own))
            rngs[:, seat] = own
            if table.terminations[table.agent_selection]:
                num_ended += 1
                table.reset()
        assert envs.play_random(100, observe=observe) == num_ended > 0
        assert envs._tables.states[0].tobytes() == state_bytes(table)


@every_config
def test_skip_forced_leaves_out_the_plies_without_a_choice_and_nothing_else(
    name: str, config: dict[str, Any]
) -> None:
    full, short = raw_env(name, **config), raw_env(name, skip_forced=True, **config)
    full.reset(seed=2)
    short.reset(seed=2)
    rng = np.random.default_rng(0)
    for _ in range(200):
        play_forced(full)
        assert state_bytes(full) == state_bytes(short)
        if full.terminations[full.agent_selection]:
            return
        assert full.agent_selection == short.agent_selection
        assert short.last()[0]["action_mask"].sum() > 1
        action = choose(short.last()[0]["action_mask"], rng)
        full.step(action)
        short.step(action)
    pytest.fail("the game did not end")


def play_forced(env: Any) -> None:
    while not env.terminations[env.agent_selection]:
        legal = np.flatnonzero(env.last()[0]["action_mask"])
        if len(legal) > 1:
            return
        env.step(legal[0])


# Streams, copies, deals


def test_a_deal_can_be_given_in_every_view() -> None:
    options = {"deal": {"hands": ladder(2)}}  # seat 0 has the low cards, seat 1 the high ones
    table = raw_env("president", num_players=2)
    table.reset(seed=0, options=options)
    twos = table.game.layout.records(table.observe("player_0")["observation"][None])
    assert twos["hand"].tolist() == [[4, 4, 4, 4, 4, 0, 0, 0, 0, 0]]
    env = solo("president", num_players=2, seat=1)
    own = env.game.layout.records(env.reset(seed=0, options=options)[0][None])
    assert own["hand"].tolist() == [[0, 0, 0, 0, 0, 4, 4, 4, 4, 4]]
    for self_play in (True, False):
        envs = vector("president", 2, num_players=2, self_play=self_play)
        observations, _ = envs.reset(seed=0, options=options)
        hands = envs.game.layout.records(observations)["hand"]
        assert hands.tolist() == twos["hand"].tolist() * 2


# AEC


@every_game
def test_observing_at_any_time_changes_nothing_and_gives_fresh_arrays(name: str) -> None:
    env = raw_env(name, render_mode="ansi")
    env.reset(seed=0)
    before = state_bytes(env)
    for agent in env.agents:
        first, second = env.observe(agent), env.observe(agent)
        for key in ("observation", "action_mask"):
            assert not np.shares_memory(first[key], second[key])
            as_it_was = second[key].copy()
            first[key][:] = 1 - first[key]
            np.testing.assert_array_equal(second[key], as_it_was)
    assert env.state_space.contains(env.state())
    assert isinstance(env.render(), str)
    position = env.determinize(env.agents[1], streams([0]))
    assert position.dtype == env.game.state_dtype
    assert state_bytes(env) == before


@every_game
def test_the_raw_environment_names_an_illegal_action_and_changes_nothing(name: str) -> None:
    env = raw_env(name)
    env.reset(seed=0)
    before = state_bytes(env)
    agent, mask = env.agent_selection, env.last()[0]["action_mask"]
    illegal = an_illegal_action(mask)
    legal = env.game.action_name(int(np.flatnonzero(mask)[0]))
    with pytest.raises(
        ValueError, match=f"{agent} chose {illegal} .*not legal; legal: {re.escape(legal)}"
    ):
        env.step(illegal)
    for nonsense in (-1, env.game.num_actions, 10**30, None, 0.5):
        with pytest.raises(ValueError, match="not legal"):
            env.step(nonsense)
    assert state_bytes(env) == before
    assert env.agent_selection == agent


@every_game
def test_the_usual_environment_enforces_order_and_bounds(name: str) -> None:
    env = registry.make_aec(name, **short(name, {}))
    with pytest.raises(AttributeError, match="agents cannot be accessed before reset"):
        _ = env.agents
    for use in (lambda: env.step(0), env.render, env.state, lambda: env.observe("player_0")):
        with pytest.raises(AssertionError, match=r"reset\(\) needs to be called before"):
            use()
    env.reset(seed=0)
    num_actions = env.unwrapped.game.num_actions
    for outside in (num_actions, -1, None):
        with pytest.raises(ValueError, match=f"0 .. {num_actions - 1}; got {outside}"):
            env.step(outside)
    with pytest.raises(AssertionError, match=r"need to call step\(\) or reset\(\)"):
        for _ in env.agent_iter():
            pass


# Solo and vector


@every_game
def test_an_illegal_action_loses_raises_or_is_replaced_in_the_solo_environment(name: str) -> None:
    env = solo(name)
    _, info = env.reset(seed=0)
    illegal = an_illegal_action(info["action_mask"])
    _, reward, terminated, truncated, info = env.step(illegal)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert info["illegal_action"]
    assert info["returns"].tolist() == [-float(s == 0) for s in range(env.game.num_seats)]
    assert not info["action_mask"].any()
    with pytest.raises(ValueError, match=r"call reset\(\)"):
        env.step(illegal)
    env = solo(name, illegal_action="raise")
    env.reset(seed=0)
    with pytest.raises(ValueError, match="not legal; legal: "):
        env.step(illegal)
    env = solo(name, illegal_action="random")
    env.reset(seed=0)
    _, _, _, _, info = env.step(illegal)
    assert not info["illegal_action"]


@every_game
@pytest.mark.parametrize("self_play", [True, False])
def test_an_illegal_action_loses_raises_or_is_replaced_at_a_table(
    name: str, self_play: bool
) -> None:
    settings = {"self_play": self_play}
    envs = vector(name, 3, illegal_action="raise", **settings)
    _, info = envs.reset(seed=0)
    actions = info["action_mask"].argmax(axis=1)
    illegal = an_illegal_action(info["action_mask"][1])
    bad = np.array([actions[0], illegal, actions[2]])
    before = envs._tables.states.tobytes()
    with pytest.raises(ValueError, match=f"table 1 chose {illegal} .*not legal; legal: "):
        envs.step(bad)
    assert envs._tables.states.tobytes() == before
    envs = vector(name, 3, **settings)
    _, info = envs.reset(seed=0)
    actor = info["seat"][1]
    _, rewards, ended, _, info = envs.step(bad)
    assert rewards.tolist() == [0.0, -1.0, 0.0]
    assert ended.tolist() == [False, True, False]
    assert info["returns"][1].tolist() == [-float(s == actor) for s in range(envs.game.num_seats)]
    assert info["final_info"]["illegal_action"].tolist() == [False, True, False]
    assert info["action_mask"].any(axis=1).all()
    envs = vector(name, 3, illegal_action="random", **settings)
    envs.reset(seed=0)
    assert not envs.step(bad)[2].any()


def read_only(actions: np.ndarray) -> np.ndarray:
    out = actions.copy()
    out.flags.writeable = False
    return out


@pytest.mark.compiled
@pytest.mark.parametrize("illegal_action", ["lose", "random"])
@pytest.mark.parametrize("self_play", [True, False])
def test_actions_of_any_integer_type_and_layout_are_played_and_left_alone(
    self_play: bool, illegal_action: str
) -> None:
    settings = {"self_play": self_play, "illegal_action": illegal_action}
    forms: list[Callable[[np.ndarray], np.ndarray]] = [
        np.copy,
        read_only,
        lambda actions: np.repeat(actions, 2)[::2],
        lambda actions: actions.astype(np.int32),
        lambda actions: actions.astype(np.uint64),
        lambda actions: actions.astype(">i8"),
    ]
    tables = [vector("president", 5, **settings) for _ in forms]
    *_, (_, info) = [envs.reset(seed=2) for envs in tables]
    for step in range(40):
        actions = info["action_mask"].argmax(axis=1)
        if step % 3 == 0:
            actions[step % 5] = an_illegal_action(info["action_mask"][step % 5])
        batches = [form(actions) for form in forms]
        as_they_were = [one.copy() for one in batches]
        results = [envs.step(one) for envs, one in zip(tables, batches, strict=True)]
        assert all(map(np.array_equal, batches, as_they_were))
        for other in results[1:]:
            assert all(map(np.array_equal, results[0][:4], other[:4]))
        info = results[0][4]


@every_game
@pytest.mark.parametrize(
    ("self_play", "observation"),
    [
        (True, "scaled"),
        (False, "scaled"),
        *(pytest.param(each, "integer", marks=pytest.mark.long) for each in (True, False)),
    ],
)
def test_every_array_of_a_step_is_safe_to_keep(
    name: str, self_play: bool, observation: str
) -> None:
    envs = vector(name, 4, self_play=self_play, observation=observation)
    rng = np.random.default_rng(0)
    observations, info = envs.reset(seed=0)
    kept: list[tuple[np.ndarray, np.ndarray]] = []
    for _ in range(60):
        arrays = [observations, *(v for v in info.values() if isinstance(v, np.ndarray))]
        kept += [(array, copy.deepcopy(array)) for array in arrays]
        observations, *results, info = envs.step(random_actions(info["action_mask"], rng))
        kept += [(array, copy.deepcopy(array)) for array in results]
        assert envs.observation_space.contains(observations)
    for array, as_it_was in kept:
        assert all(map(np.array_equal, array, as_it_was))
    reference = vector(name, 4, self_play=self_play, observation=observation)
    first = reference.reset(seed=0)
    first[1]["seat"][:] = 0  # what the caller does with its arrays changes nothing
    first[1]["action_mask"][:] = 0
    assert reference.action_masks().any()


# Names and errors


@every_game
def test_the_names_lead_to_the_environments(name: str) -> None:
    version = find_game(name).version
    assert GAMES[name].endswith(f"-v{version}")
    face = getattr(parlour.envs, f"{name}_v{version}")
    assert face.env().metadata["name"] == f"{name}_v{version}"
    assert face.raw_env(observation="integer").game.name == name
    assert face.parallel_env(observation="integer").unwrapped.game.name == name
    with pytest.raises(AttributeError, match=f"the environments are .*{name}_v{version}"):
        _ = parlour.envs.no_such_game_v0  # type: ignore[attr-defined]


@every_game
@pytest.mark.parametrize("factory", [registry.make_aec, make_solo, make_vector])
def test_wrong_settings_say_what_is_allowed(name: str, factory: Any) -> None:
    with pytest.raises(TypeError, match=r"no setting 'colour'; .*options are .*observation"):
        factory(name, colour=1)
    with pytest.raises(ValueError, match="observation must be one of 'scaled', 'integer'"):
        factory(name, observation="pixels")


def test_wrong_values_say_what_is_allowed() -> None:
    with pytest.raises(ValueError, match="num_players must be one of 2, 4, 5, 8; got 3"):
        solo("president", num_players=3)
    with pytest.raises(ValueError, match="layout must be one of 'flat', 'dict'"):
        solo("president", layout="tree")
    with pytest.raises(ValueError, match="illegal_action must be one of 'lose', 'raise', 'random'"):
        solo("president", illegal_action="ignore")
    for view in (solo, raw_env):
        with pytest.raises(ValueError, match="skip_forced must be one of False, True; got 'no'"):
            view("president", skip_forced="no")
        with pytest.raises(ValueError, match=r"call reset\(\) before render"):
            view("president").render()
    with pytest.raises(ValueError, match="self_play must be one of False, True; got 'no'"):
        vector("president", 2, self_play="no")
    with pytest.raises(ValueError, match=r"seat .* 0 \.\. 3; got 4"):
        solo("president", seat=4)
    with pytest.raises(ValueError, match="a list of 3"):
        solo("president", opponents=["random"])
    with pytest.raises(ValueError, match="has no player 'nobody'; it has best, random"):
        solo("president", opponents="nobody").reset()
    with pytest.raises(ValueError, match="no seat, no opponents"):
        vector("president", 2, self_play=True, opponents="lowest")
    envs = vector("president", 2)
    with pytest.raises(ValueError, match="2 tables need as many seeds; got 3"):
        envs.reset(seed=[1, 2, 3])
    envs.reset(seed=0)
    with pytest.raises(ValueError, match="actions must be 2 integers"):
        envs.step(np.array([1.0, 2.0]))


# Whole processes


def test_the_string_form_works_in_spawned_workers() -> None:
    envs = gymnasium.make_vec(
        f"parlour:{GAMES['president']}",
        num_envs=2,
        vectorization_mode="async",
        vector_kwargs={"context": "spawn"},
        opponents="lowest",
    )
    observations, _ = envs.reset(seed=3)
    np.testing.assert_array_equal(
        observations[1], solo("president", opponents="lowest").reset(seed=4)[0]
    )
    envs.close()


@pytest.mark.parametrize("wrong", [2**63, -1, 1.5, [1.5]])
def test_a_seed_that_is_none_is_refused_in_every_view(wrong: Any) -> None:
    game = load_game("president")
    said = re.escape("a seed must be an integer in 0 .. 2**63 - 1")
    vectors = [vector("president", 1), vector("president", 1, self_play=True)]
    every_view: list[Any] = [RawEnv(game), CheckedEnv(game), solo("president"), *vectors]
    for view in every_view:
        with pytest.raises(ValueError, match=said):
            view.reset(seed=wrong)
    with pytest.raises(ValueError, match=said):
        record(game, wrong, actions=[])
    with pytest.raises(ValueError, match=said):  # of the second table
        vector("president", 2).reset(seed=2**63 - 1)
