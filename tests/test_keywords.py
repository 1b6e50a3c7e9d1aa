"""The keywords of the environments: as declared, as in the signatures, and as documented."""

import re
from collections.abc import Callable
from enum import Enum
from inspect import Parameter, signature
from typing import Any

import gymnasium
import pytest
from gymnasium.vector import AutoresetMode

import parlour.envs
from parlour.baselines.environments import make_solo, make_vector, solo_env, vector_env
from parlour.envs import GAMES, find_game
from parlour.envs.core.environments.aec import CheckedEnv, RawEnv
from parlour.envs.core.environments.common import ILLEGAL_ACTIONS, LAYOUTS, OBSERVATIONS
from parlour.envs.core.environments.keywords import (
    KEYWORDS,
    PETTINGZOO,
    SOLO,
    VECTOR,
)
from parlour.envs.core.environments.rendering import RENDER_MODES
from parlour.envs.core.environments.solo import SoloEnv
from parlour.envs.core.environments.vector import TablesEnv

pytestmark = pytest.mark.plain

MAKERS: dict[str, list[Callable[..., Any]]] = {  # the later one has the last word
    PETTINGZOO: [RawEnv],
    SOLO: [SoloEnv, solo_env],
    VECTOR: [TablesEnv, vector_env],
}
FACES: list[tuple[str, Any]] = [(PETTINGZOO, view) for view in (RawEnv, CheckedEnv)]
FACES += [(SOLO, view) for view in (SoloEnv, make_solo, type(make_solo("president")))]
FACES += [(VECTOR, view) for view in (TablesEnv, make_vector, type(make_vector("president")))]


def defaults_of(view: str) -> dict[str, Any]:
    """The keywords of a view and their defaults, in the signatures."""
    parameters = {
        name: parameter
        for make in MAKERS[view]
        for name, parameter in signature(make).parameters.items()
        if name != "game" and parameter.kind is not Parameter.VAR_KEYWORD
    }
    if view == SOLO:  # gym.make makes it a wrapper
        parameters["max_episode_steps"] = signature(gymnasium.make).parameters["max_episode_steps"]
    defaults = {name: parameter.default for name, parameter in parameters.items()}
    return {
        name: value.value if isinstance(value, Enum) else value for name, value in defaults.items()
    }


@pytest.mark.parametrize("view", MAKERS)
def test_the_declaration_has_the_keywords_and_defaults_of_the_signatures(view: str) -> None:
    declared = {one.name: one.defaults[view] for one in KEYWORDS if view in one.defaults}
    assert declared == defaults_of(view)


def test_the_declaration_has_the_values_that_are_checked() -> None:
    values = {one.name: re.findall(r'"(\w+)"', one.values) for one in KEYWORDS}
    assert tuple(values["observation"]) == OBSERVATIONS
    assert tuple(values["layout"]) == LAYOUTS
    assert tuple(values["illegal_action"]) == ILLEGAL_ACTIONS
    assert tuple(values["render_mode"]) == RENDER_MODES
    assert set(values["autoreset_mode"]) == {mode.value for mode in AutoresetMode}


@pytest.mark.parametrize(("view", "documented"), FACES)
def test_docstrings_have_the_keywords_of_their_view(view: str, documented: Any) -> None:
    shown = re.findall(r"^\* `(\w+)=", documented.__doc__, re.MULTILINE)
    assert shown == [one.name for one in KEYWORDS if view in one.defaults]


@pytest.mark.parametrize("name", GAMES)
def test_docstrings_of_the_module_of_a_game_have_those_of_pettingzoo(name: str) -> None:
    module = getattr(parlour.envs, f"{name}_v{find_game(name).version}")
    for make in (module.env, module.raw_env, module.parallel_env):
        test_docstrings_have_the_keywords_of_their_view(PETTINGZOO, make)
