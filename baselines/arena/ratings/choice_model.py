"""Model rankings: players are chosen by their strength, one place after another.

The model is that of Davidson and Luce (Turner, van Etten, Firth and Kosmidis 2020): a set of equals
is chosen with weight d(size) times the geometric mean of their strengths. With two places it is
Davidson's (1970), without draws Bradley and Terry's (1952), with more places and no draws that of
Plackett (1975) and Luce (1959). Nothing in it depends on an order of games or players.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy import linalg, optimize, special

from .rankings import Choice, alternatives

_SMALL_GAIN = 1e-6  # of the log likelihood, by a last step: the search for the maximum has ended


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
    model: ChoiceModel, counts: np.ndarray, start: np.ndarray, constraints: np.ndarray | None = None
) -> np.ndarray:
    """Find the parameters [B, P] of greatest likelihood for counts [choices]: its slope is 0 there.

    With `constraints` [B, P] each row @ parameters keeps the value that it has at the start.
    """
    if constraints is None:
        free = [np.eye(start.shape[1])] * len(start)
    else:
        free = [linalg.null_space(row[None]) for row in constraints]
    return np.stack([_highest(model, counts, *one) for one in zip(start, free, strict=True)])


def _highest(
    model: ChoiceModel, counts: np.ndarray, start: np.ndarray, free: np.ndarray
) -> np.ndarray:
    """Find the best parameters [P] that differ from `start` by a sum of the columns of `free`."""

    def loss(moves: np.ndarray) -> float:
        return -float(log_likelihood(model, counts, (start + free @ moves)[None])[0])

    def slope(moves: np.ndarray) -> np.ndarray:
        return -gradient(model, counts, start + free @ moves) @ free

    def bend(moves: np.ndarray) -> np.ndarray:
        return free.T @ curvature(model, counts, start + free @ moves) @ free

    # A trust region comes to the maximum from anywhere, where a root of the slope may be missed. It
    # ends where rounding hides a gain; the last step of Newton's method is exact there.
    solved = optimize.minimize(
        loss, np.zeros(free.shape[1]), jac=slope, hess=bend, method="trust-exact"
    )
    step = linalg.solve(bend(solved.x), slope(solved.x), assume_a="pos")
    if slope(solved.x) @ step > _SMALL_GAIN:
        raise ArithmeticError("the ratings did not converge")
    return start + free @ (solved.x - step)


def gradient(model: ChoiceModel, counts: np.ndarray, parameters: np.ndarray) -> np.ndarray:
    """Return the slope [P] of the log likelihood at parameters [P]."""
    chances = choice_chances(model, parameters[None])[0]
    expected = np.add.reduceat(counts, model.starts)[model.set_of] * chances
    return (counts - expected) @ model.design + 0.5 - special.expit(parameters)


def curvature(model: ChoiceModel, counts: np.ndarray, parameters: np.ndarray) -> np.ndarray:
    """Return how fast the slope falls [P, P]: Fisher's information and the prior's."""
    chances = choice_chances(model, parameters[None])
    prior = special.expit(parameters)
    return information(model, counts, chances)[0] + np.diag(prior * (1 - prior))


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
