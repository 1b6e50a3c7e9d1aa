"""Ratings by maximum likelihood: one strength a player, from who was preferred to whom.

The model is that of Davidson and Luce (Turner, van Etten, Firth and Kosmidis 2020): a set of equals
is chosen with weight d(size) times the geometric mean of their strengths. With two places it is
Davidson's (1970), without draws Bradley and Terry's (1952), with more places and no draws that of
Plackett (1975) and Luce (1959). Nothing in it depends on an order of games or players.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy import special

from .rankings import Choice, Choices, alternatives
from .statistics import ELO_SCALE, LEVEL, Estimate

NUM_RESAMPLES = 1000
_RESAMPLES_AT_ONCE = 50
_RESAMPLING_SEED = 20_260_101
_MAX_ROUNDS = 100
_LONGEST_STEP = 2.0  # in log strength; Newton's own would overshoot where all games are won
_PRECISE = 1e-9
_ALIKE = 1e-5  # Elo; less is the rounding of equals


class Fit(NamedTuple):
    """Whether one strength a player explains the first places that were seen."""

    statistic: float  # Pearson's, corrected for deals (Rao and Scott 1981)
    degrees_of_freedom: int
    p_value: float  # small: there is more to it, such as a player that only some can beat


class Ratings(NamedTuple):
    """Elo points above the mean of all players."""

    elo: list[Estimate]  # for each player; bootstrap intervals over deals
    superiority: np.ndarray  # [players, players]: how likely the row is stronger than the column
    fit: Fit


class _Model(NamedTuple):
    """A conditional logit: design[c] @ parameters + offset[c] is choice c's log weight."""

    design: np.ndarray  # [choices, parameters]: strengths, then ties of 2, 3, ...
    offset: np.ndarray  # [choices]
    starts: np.ndarray  # [sets]: where each set of choices begins
    set_of: np.ndarray  # [choices]


def rate(made: Choices, num_players: int, num_resamples: int = NUM_RESAMPLES) -> Ratings:
    """The ratings of players 0 .. num_players - 1, with 95 % intervals.

    Every strength has a prior of half a game won and half a game lost against an average player, so
    that who wins all games is rated high and not without end.
    """
    listed, model = _model_of(made.choices, num_players)
    column = np.array([listed[choice] for choice in made.choices])
    totals = np.zeros((1, len(listed)))
    totals[0, column] = made.counts.sum(axis=0)
    best = _maximise(model, totals, np.zeros((1, model.design.shape[1])))
    resampled = np.concatenate(
        [
            _maximise(model, _spread(counts, column, len(listed)), np.repeat(best, len(counts), 0))
            for counts in _resamples(made, num_resamples)
        ]
    )
    strengths = _centred(best, num_players)[0]
    draws = _centred(resampled, num_players)
    low, high = np.quantile(draws, [0.5 - LEVEL / 2, 0.5 + LEVEL / 2], axis=0)
    return Ratings(
        [Estimate(*map(float, row)) for row in zip(strengths, low, high, strict=True)],
        _superiority(draws),
        _goodness_of_fit(made, listed, model, best, num_players),
    )


def _centred(parameters: np.ndarray, num_players: int) -> np.ndarray:
    strengths = parameters[:, :num_players]
    return ELO_SCALE * (strengths - strengths.mean(axis=1, keepdims=True))


def _superiority(draws: np.ndarray) -> np.ndarray:
    ahead = draws[:, :, None] - draws[:, None, :]
    ahead[np.abs(ahead) < _ALIKE] = 0
    return (1 + np.sign(ahead).mean(axis=0)) / 2


def _spread(counts: np.ndarray, column: np.ndarray, num_choices: int) -> np.ndarray:
    out = np.zeros((len(counts), num_choices))
    out[:, column] = counts
    return out


def _resamples(made: Choices, num_resamples: int) -> list[np.ndarray]:
    """Counts [resamples, choices] over as many deals as there are, drawn with replacement."""
    rng = np.random.default_rng(_RESAMPLING_SEED)
    num_deals = len(made.seeds)
    parts = []
    for start in range(0, num_resamples, _RESAMPLES_AT_ONCE):
        size = min(_RESAMPLES_AT_ONCE, num_resamples - start)
        drawn = rng.integers(num_deals, size=(size, num_deals))
        times = np.stack([np.bincount(row, minlength=num_deals) for row in drawn])
        parts.append((made.counts.T @ times.T).T)
    return parts


def _model_of(choices: list[Choice], num_players: int) -> tuple[dict[Choice, int], _Model]:
    """Every choice that could have been made, by its number, and the model of them."""
    most_equal = max(len(choice.chosen) for choice in choices)
    listed: dict[Choice, int] = {}
    design, offset, starts = [], [], []
    for among, is_first in sorted({(choice.among, choice.is_first) for choice in choices}):
        starts.append(len(listed))
        for chosen, ways in sorted(alternatives(among, is_first, most_equal).items()):
            listed[Choice(among, is_first, chosen)] = len(listed)
            row = np.zeros(num_players + most_equal - 1)
            np.add.at(row, list(chosen), 1 / len(chosen))
            if len(chosen) > 1:
                row[num_players + len(chosen) - 2] = 1
            design.append(row)
            offset.append(math.log(ways))
    sizes = np.diff([*starts, len(listed)])
    set_of = np.repeat(np.arange(len(starts)), sizes)
    return listed, _Model(np.array(design), np.array(offset), np.array(starts), set_of)


def _maximise(model: _Model, counts: np.ndarray, start: np.ndarray) -> np.ndarray:
    """The parameters [B, P] of greatest likelihood for counts [B, choices], by Newton's method."""
    parameters = start.copy()
    for _ in range(_MAX_ROUNDS):
        step = _newton_step(model, counts, parameters)
        parameters += np.clip(step, -_LONGEST_STEP, _LONGEST_STEP)
        if np.abs(step).max() < _PRECISE:
            return parameters
    raise ArithmeticError("the ratings did not converge")


def _newton_step(model: _Model, counts: np.ndarray, parameters: np.ndarray) -> np.ndarray:
    design, starts, set_of = model.design, model.starts, model.set_of
    chances = _chances(model, parameters)
    made = np.add.reduceat(counts, starts, axis=1)  # [B, sets]
    expected = made[:, set_of] * chances
    prior = special.expit(parameters)
    gradient = (counts - expected) @ design + 0.5 - prior
    means = np.add.reduceat(chances[:, :, None] * design, starts, axis=1)  # [B, sets, P]
    curvature = np.swapaxes(expected[:, :, None] * design, 1, 2) @ design
    curvature -= np.swapaxes(made[:, :, None] * means, 1, 2) @ means
    diagonal = np.arange(design.shape[1])
    curvature[:, diagonal, diagonal] += prior * (1 - prior)
    return np.linalg.solve(curvature, gradient[:, :, None])[:, :, 0]


def _chances(model: _Model, parameters: np.ndarray) -> np.ndarray:
    """Of each choice within its set: [B, choices]."""
    logs = parameters @ model.design.T + model.offset
    logs -= np.maximum.reduceat(logs, model.starts, axis=1)[:, model.set_of]
    weights = np.exp(logs)
    return weights / np.add.reduceat(weights, model.starts, axis=1)[:, model.set_of]


def _goodness_of_fit(
    made: Choices,
    listed: dict[Choice, int],
    model: _Model,
    best: np.ndarray,
    num_players: int,
) -> Fit:
    """Pearson's test of the first places in each kind of game, shared ones counted in part.

    Strengths that were fitted to first places alone take a degree of freedom each. Where they were
    fitted to later places too they take less, and none is taken: the test then errs to caution.
    """
    chances = _chances(model, best)[0]
    places = np.array([_first_places(choice, num_players) for choice in listed])
    expected = np.add.reduceat(chances[:, None] * places, model.starts, axis=0)  # [sets, players]
    column = np.array([listed[choice] for choice in made.choices])
    statistic = spread = 0.0
    cells = 0
    for index in np.unique(model.set_of[column]):
        here = model.set_of[column] == index
        counts = made.counts[:, np.flatnonzero(here)]
        games = np.asarray(counts.sum(axis=1))
        shares, chance = counts @ places[column[here]], expected[index]
        players = np.flatnonzero(chance)
        if len(players) < 2:
            continue
        residuals = shares - games * (shares.sum(axis=0) / games.sum())
        variance = (residuals**2).sum(axis=0)[players]
        away = (shares.sum(axis=0) - games.sum() * chance)[players]
        weights = games.sum() * chance[players]
        statistic += float((away**2 / weights).sum())
        spread += float((variance / weights).sum())
        cells += len(players) - 1
    has_later_places = any(not choice.is_first for choice in made.choices)
    freedom = cells if has_later_places else cells - (num_players - 1)
    if freedom < 1 or spread == 0:
        return Fit(0.0, 0, 1.0)
    corrected = statistic * cells / spread
    return Fit(corrected, freedom, float(special.chdtrc(freedom, corrected)))


def _first_places(choice: Choice, num_players: int) -> np.ndarray:
    """What the choice gives each player of the first place; nothing where that is taken."""
    shares = np.zeros(num_players)
    if choice.is_first:
        np.add.at(shares, list(choice.chosen), 1 / len(choice.chosen))
    return shares
