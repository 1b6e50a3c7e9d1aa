"""After an error: what was refused has changed nothing, and a game that was stopped is over."""

import copy
from functools import partial
from typing import Any

import numpy as np
import pytest

from parlour.baselines import make_policy
from parlour.baselines.environments import solo_env, vector_env
from parlour.baselines.policies.policy import compiled_policy
from parlour.envs import GAMES, find_game, load_game
from parlour.envs.core.compile import rule
from parlour.envs.core.environments.aec import CheckedEnv
from parlour.envs.core.environments.solo import SoloEnv
from parlour.envs.core.play.legal import PlayerError
from tests.view_tools import first_legal

pytestmark = pytest.mark.plain

# The deal leaves no choice: after the only trick one seat has both cards.
ONE_TRICK = {
    "cards": [[1, 2], [3, 4]],
    "ids": ["AAAAAA", "BBBBBB"],
    "hands": [[0], [1]],
    "starter": 1,
}
VIEWS = {
    "solo": partial(solo_env, seat="random"),
    "vector": partial(vector_env, num_envs=3, seat="random"),
    "self-play": partial(vector_env, num_envs=3, self_play=True),
    "aec": CheckedEnv,
}
every_view = pytest.mark.parametrize("make", VIEWS.values(), ids=VIEWS)
with_opponents = pytest.mark.parametrize("make", [solo_env, partial(vector_env, num_envs=3)])


@rule
def compiled_illegal(observation: Any, words: Any, rng: Any) -> int:
    """Plays the last card of the game, whether it has it or not."""
    return 19


class Failing:
    """A function over batches that fails at its fourth call, and only then."""

    def __init__(self) -> None:
        self.num_calls = 0

    def __call__(self, observations: Any, masks: np.ndarray, rngs: Any) -> np.ndarray:
        self.num_calls += 1
        if self.num_calls == 4:
            raise RuntimeError("no connection")
        return masks.argmax(axis=1)


def play_on(env: Any, info: dict[str, Any]) -> None:
    for _ in range(100):
        *_, info = env.step(first_legal(info))


@with_opponents
@pytest.mark.parametrize("is_compiled", [False, True])
def test_no_game_goes_on_after_an_opponent_has_failed(make: Any, is_compiled: bool) -> None:
    game = load_game("trick_taking")
    bad: Any = compiled_policy("bad", game, compiled_illegal) if is_compiled else Failing()
    env = make(game, opponents=bad)
    error = PlayerError if is_compiled else RuntimeError
    said = r"bad chose 19 \(card:1\.9\).* legal: card:" if is_compiled else "no connection"
    _, info = env.reset(seed=1)
    with pytest.raises(error, match=said):
        play_on(env, info)
    with pytest.raises(ValueError, match=r"call reset\(\)"):
        env.step(first_legal(info))
    _, info = env.reset(seed=1)
    if not is_compiled:  # it would fail again
        env.step(first_legal(info))


@every_view
@pytest.mark.parametrize("name", GAMES)
def test_an_impossible_deal_changes_nothing(make: Any, name: str) -> None:
    env = make(find_game(name))
    deal = {"deal": {"nonsense": 1}}
    with pytest.raises(ValueError, match="deal"):
        env.reset(seed=3, options=deal)
    with pytest.raises((ValueError, AssertionError), match=r"reset\(\)"):
        env.step(0)
    env.reset(seed=3)
    before = copy.deepcopy(env)
    with pytest.raises(ValueError, match="deal"):
        env.reset(seed=4, options=deal)
    assert played(env) == played(before)


def masks_of(env: Any) -> np.ndarray:
    if isinstance(env, SoloEnv):
        return env.action_masks()
    if isinstance(env, CheckedEnv):
        return env.last()[0]["action_mask"]
    return env.action_masks().astype(np.int8)


def played(env: Any) -> list[bytes]:
    """Play on for a few plies; return the positions and the streams."""
    results = []
    for _ in range(5):
        masks = masks_of(env)
        if not masks.any():  # a short game is over
            break
        env.step(masks.argmax(axis=-1))
        tables = env._episodes.tables if isinstance(env, SoloEnv) else env._tables
        results += [tables.states.tobytes(), tables.rngs.tobytes()]
    return results


@with_opponents
def test_after_a_deal_that_leaves_no_choice_no_game_goes_on(make: Any) -> None:
    env = make(load_game("top_trumps", num_cards=2, num_fields=2), opponents="first_legal")
    _, info = env.reset(seed=1)
    with pytest.raises(ValueError, match="ends before you have a choice"):
        env.reset(options={"deal": ONE_TRICK})
    with pytest.raises(ValueError, match=r"call reset\(\)"):
        env.step(first_legal(info))


def test_after_an_error_all_tables_start_anew() -> None:
    game = load_game("trick_taking")
    envs = vector_env(game, 3, opponents=Failing(), autoreset_mode="Disabled")
    _, info = envs.reset(seed=1)
    with pytest.raises(RuntimeError):
        play_on(envs, info)
    with pytest.raises(ValueError, match="one after an error start"):
        envs.reset(options={"reset_mask": np.array([True, False, False])})


@pytest.mark.parametrize("illegal_action", ["lose", "raise", "random"])
def test_what_is_no_integer_is_refused_and_the_episode_goes_on(illegal_action: str) -> None:
    env = solo_env(load_game("trick_taking"), illegal_action=illegal_action)
    _, info = env.reset(seed=1)
    for wrong in (1.0, None, "x", [1], np.array([1])):
        with pytest.raises(ValueError, match=r"an action is an integer in 0 \.\. 19; got "):
            env.step(wrong)
    env.step(first_legal(info))


@every_view
def test_options_that_are_no_dict_or_unknown_are_refused(make: Any) -> None:
    env = make(load_game("trick_taking"))
    for wrong in (3, "deal", ["deal"]):
        with pytest.raises(ValueError, match="options must be a dict"):
            env.reset(seed=1, options=wrong)
    with pytest.raises(ValueError, match="reset has no option 'dael'"):
        env.reset(seed=1, options={"dael": 1})


def test_a_seed_may_be_an_array_without_axes() -> None:
    env: Any = vector_env(load_game("trick_taking"), 2)
    np.testing.assert_array_equal(env.reset(seed=np.array(5))[0], env.reset(seed=5)[0])


@pytest.mark.parametrize("other", [load_game("president"), load_game("notty")])
def test_a_policy_of_another_game_is_refused(other: Any) -> None:
    game = load_game("president", num_players=2)
    policy = make_policy("random", other)
    with pytest.raises(ValueError, match=r"random was made for <Game .*, not for <Game president"):
        make_policy(policy, game)


def test_an_array_of_names_is_no_player() -> None:
    names: Any = np.array(["lowest"] * 3)
    with pytest.raises(ValueError, match="a player must be a name"):
        make_policy(names, load_game("president"))
