"""Model rankings: players are chosen by their strength, one place after another.

The model is that of Davidson and Luce (Turner, van Etten, Firth and Kosmidis 2020): a set of equals
is chosen with weight d(size) times the geometric mean of their strengths. With two places it is
Davidson's (1970), without draws Bradley and Terry's (1952), with more places and no draws that of
Plackett (1975) and Luce (1959). Nothing in it depends on an order of games or players.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy import special

from .rankings import Choice, alternatives

_MAX_ROUNDS = 200
_MAX_HALVINGS = 30
_ROUNDING = 1e-12  # of a log likelihood, relatively
_LONGEST_STEP = 2.0  # in log strength; Newton's own would overshoot where all games are won
# From here on Newton's step leaves nothing but rounding: in log likelihood, and in log strength.
_SMALL_GAIN = 1e-12
_SMALL_STEP = 1e-9


class ChoiceModel(NamedTuple):
    """A conditional logit: design[c] @ parameters + offset[c] is choice c's log weight."""

    design: np.ndarray  # [choices, parameters]: strengths, then ties of 2, 3, ...
    offset: np.ndarray  # [choices]
    starts: np.ndarray  # [sets]: where each set of choices begins
    set_of: np.ndarray  # [choices]


def build_model(choices: list[Choice], num_players: int) -> tuple[dict[Choice, int], ChoiceModel]:
    """Number every choice that could have been made, and build the model of them."""
    most_equal = max(len(choice.chosen) for choice in choices)
    number_of: dict[Choice, int] = {}
    design, offset, starts = [], [], []
    for among, is_first in sorted({(choice.among, choice.is_first) for choice in choices}):
        starts.append(len(number_of))
        for chosen, ways in sorted(alternatives(among, is_first, most_equal).items()):
            number_of[Choice(among, is_first, chosen)] = len(number_of)
            row = np.zeros(num_players + most_equal - 1)
            np.add.at(row, list(chosen), 1 / len(chosen))
            if len(chosen) > 1:
                row[num_players + len(chosen) - 2] = 1
            design.append(row)
            offset.append(math.log(ways))
    sizes = np.diff([*starts, len(number_of)])
    set_of = np.repeat(np.arange(len(starts)), sizes)
    return number_of, ChoiceModel(np.array(design), np.array(offset), np.array(starts), set_of)


def log_likelihood(model: ChoiceModel, counts: np.ndarray, parameters: np.ndarray) -> np.ndarray:
    """Return the log likelihood [B] of counts [choices] at parameters [B, P], with the prior.

    The prior is half a game won and half a game lost against an average player, for each strength
    and in the same form for each tie parameter, so that the maximum is always finite.
    """
    logs = _log_chances(model, parameters) @ counts
    prior = special.log_expit(parameters) + special.log_expit(-parameters)
    return logs + prior.sum(axis=1) / 2


def maximise(
    model: ChoiceModel, counts: np.ndarray, start: np.ndarray, held: np.ndarray | None = None
) -> np.ndarray:
    """Find the parameters [B, P] of greatest likelihood for counts [choices], by Newton's method.

    With `held` [B, P] each row's held @ parameters keeps the value that it has at the start.
    """
    parameters = start.copy()
    for _ in range(_MAX_ROUNDS):
        step, gain = _newton_step(model, counts, parameters, held)
        longest = np.abs(step).max(axis=1, keepdims=True)
        step *= _LONGEST_STEP / np.maximum(longest, _LONGEST_STEP)
        parameters = _go_uphill(model, counts, parameters, step)
        if ((gain < _SMALL_GAIN) | (longest[:, 0] < _SMALL_STEP)).all():
            return parameters
    raise ArithmeticError("the ratings did not converge")


def _go_uphill(
    model: ChoiceModel, counts: np.ndarray, parameters: np.ndarray, step: np.ndarray
) -> np.ndarray:
    """Take each step [B, P], halved until the likelihood does not fall."""
    level = log_likelihood(model, counts, parameters)
    lowest = level - _ROUNDING * np.abs(level)
    for _ in range(_MAX_HALVINGS):
        is_lower = log_likelihood(model, counts, parameters + step) < lowest
        if not is_lower.any():
            break
        step = np.where(is_lower[:, None], step / 2, step)
    return parameters + step


def _newton_step(
    model: ChoiceModel, counts: np.ndarray, parameters: np.ndarray, held: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return Newton's step [B, P], and twice what it should add to the log likelihood [B].

    The step is orthogonal to `held`, by a multiplier in the system of equations.
    """
    num_parameters = parameters.shape[1]
    chances = choice_chances(model, parameters)
    expected = np.add.reduceat(counts, model.starts)[model.set_of] * chances
    prior = special.expit(parameters)
    gradient = (counts - expected) @ model.design + 0.5 - prior
    size = num_parameters + (held is not None)
    system = np.zeros((len(parameters), size, size))
    system[:, :num_parameters, :num_parameters] = information(model, counts, chances)
    diagonal = np.arange(num_parameters)
    system[:, diagonal, diagonal] += prior * (1 - prior)
    right = np.zeros((len(parameters), size, 1))
    right[:, :num_parameters, 0] = gradient
    if held is not None:
        system[:, :num_parameters, -1] = system[:, -1, :num_parameters] = held
    step = np.linalg.solve(system, right)[:, :num_parameters, 0]
    return step, (step * gradient).sum(axis=1)


def information(model: ChoiceModel, counts: np.ndarray, chances: np.ndarray) -> np.ndarray:
    """Return Fisher's information [B, P, P] of the games at the chances [B, choices]."""
    made = np.add.reduceat(counts, model.starts)
    means = set_means(model, chances)
    expected = made[model.set_of] * chances
    out = np.swapaxes(expected[:, :, None] * model.design, 1, 2) @ model.design
    out -= np.swapaxes(made[:, None] * means, 1, 2) @ means
    return out


def set_means(model: ChoiceModel, chances: np.ndarray) -> np.ndarray:
    """Return the expected row of the design in each set: [B, sets, P]."""
    return np.add.reduceat(chances[:, :, None] * model.design, model.starts, axis=1)


def choice_chances(model: ChoiceModel, parameters: np.ndarray) -> np.ndarray:
    """Return the probability of each choice within its set: [B, choices]."""
    return np.exp(_log_chances(model, parameters))


def _log_chances(model: ChoiceModel, parameters: np.ndarray) -> np.ndarray:
    logs = parameters @ model.design.T + model.offset
    logs -= np.maximum.reduceat(logs, model.starts, axis=1)[:, model.set_of]
    return logs - np.log(np.add.reduceat(np.exp(logs), model.starts, axis=1))[:, model.set_of]
