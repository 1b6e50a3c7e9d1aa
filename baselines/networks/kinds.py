"""The kinds of network that a checkpoint can hold: how each is built, and how it plays."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from ...envs.core.game import Function, Game
from ..policies.policy import Policy, compiled_policy
from .compiled import network_functions, num_layers
from .derived import bind_extended
from .inputs import row_function
from .modules import ActionValues, mask_values
from .perceptron import Perceptron
from .policy_value import PolicyValue, num_other_values


class Kind(NamedTuple):
    """The networks that one learner makes."""

    build: Callable[[Game, Mapping[str, Any]], nn.Module]  # untrained, from a learner's settings
    has_values: bool  # whether its outputs are the returns expected of the actions


def _perceptron(game: Game, settings: Mapping[str, Any]) -> nn.Module:
    return Perceptron(game, settings["inputs"], settings["hidden"], settings["dropout"])


def _policy_value(game: Game, settings: Mapping[str, Any], num_others: int = 0) -> nn.Module:
    derived_inputs = settings.get("derived_inputs", False)
    return PolicyValue(game, settings["hidden"], derived_inputs, num_others)


def _guide(game: Game, settings: Mapping[str, Any]) -> nn.Module:
    return _policy_value(game, settings, num_other_values(game))


KINDS = {  # by the name of the learner
    "dqn": Kind(lambda game, settings: ActionValues(game, settings["hidden"]), True),
    "expert_iteration": Kind(_guide, False),
    "mlp": Kind(_perceptron, False),
    "ppo": Kind(_policy_value, False),
}


def new_network(algorithm: str, game: Game, settings: Mapping[str, Any]) -> Any:
    """An untrained network of a learner. Raises ValueError for an unknown one."""
    if algorithm not in KINDS:
        raise ValueError(f"unknown algorithm {algorithm!r}; there is {', '.join(KINDS)}")
    return KINDS[algorithm].build(game, settings)


_MADE_BY = {ActionValues: "dqn", Perceptron: "mlp", PolicyValue: "ppo"}


def algorithm_of(network: nn.Module) -> str | None:
    """Return a learner that makes networks of this class; None for anybody else's module."""
    return _MADE_BY.get(type(network))


def policy_of(algorithm: str, game: Game, network: nn.Module, name: str | None = None) -> Policy:
    """The learned policy: always the legal action with the highest output."""
    network.eval()

    def values(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return action_values(game, network, observations, masks)

    name = name or algorithm
    opinion = values if KINDS[algorithm].has_values else None
    if isinstance(network, ActionValues | PolicyValue):
        record = network.record(game)
        choose = _compiled_choice(network, game, num_layers(record))
        return compiled_policy(name, game, choose, record, opinion)
    return Policy(
        name,
        game,
        lambda observations, masks, rngs: values(observations, masks).argmax(axis=1),
        values=opinion,
    )


def _compiled_choice(network: nn.Module, game: Game, num_layers: int) -> Function:
    """Return the row function of a network of this many hidden layers."""
    shown = network.seen(game) if isinstance(network, PolicyValue) else game
    choose = row_function(network_functions(num_layers).best_action, shown.observation_dtype)
    return choose if shown is game else bind_extended(game, choose)


def action_values(
    game: Game, network: nn.Module, observations: np.ndarray, masks: np.ndarray
) -> np.ndarray:
    """The outputs for records [B]: float32 [B, A], BLOCKED where `masks` [B, A] say illegal."""
    with torch.inference_mode():
        values = network(torch.from_numpy(game.layout.integers(observations)))
        return mask_values(values, torch.tensor(masks)).numpy()
