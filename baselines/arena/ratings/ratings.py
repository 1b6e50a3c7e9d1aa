"""Rate players by maximum likelihood, with intervals that take the deal as the unit.

The intervals are those of the profile likelihood, which takes the games of a deal for independent.
It is divided by the ratio in which deals vary more, or less, than independent games would (Chandler
and Bate 2007), and compared with Student's quantile instead of the normal one.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse, special

from ...statistics.estimates import (
    ELO_SCALE,
    Estimate,
    degrees_of_freedom,
    quantile,
    variance_of_deals,
)
from .choice_model import (
    ChoiceModel,
    build_model,
    choice_chances,
    curvature,
    log_likelihood,
    maximise,
    set_means,
)
from .goodness_of_fit import Fit, add_fits, goodness_of_fit
from .rankings import Choices, groups_of, select_group

_MAX_ROUNDS = 60
_PRECISE = 1e-5  # in log strength: less than a hundredth of an Elo point
_ALIKE = 1e-8  # in log strength; a smaller difference is rounding


class Ratings(NamedTuple):
    """Elo points above the mean of the player's group.

    Players belong to one group where games connect them, directly or through others. Ratings of
    different groups cannot be compared.
    """

    elo: list[Estimate]  # for each player
    group: list[int]  # of each player: 0 is the largest
    superiority: np.ndarray  # [players, players]: how likely the row is stronger; nan across groups
    fit: Fit


class _Rated(NamedTuple):
    """One group's model at its maximum."""

    model: ChoiceModel
    counts: sparse.csr_matrix  # [deals, choices that could have been made]
    totals: np.ndarray  # [choices]
    best: np.ndarray  # [1, P]


def rate(made: Choices, num_players: int) -> Ratings:
    """Rate the players 0 .. num_players - 1, each group of connected players by itself.

    Every strength has a prior of half a game won and half a game lost against an average player, so
    that a player that wins all games is rated high but not infinitely high. Its interval is open.
    """
    group = groups_of(made, num_players)
    elo = [Estimate(0.0, -np.inf, np.inf)] * num_players
    superiority = np.full((num_players, num_players), np.nan)
    np.fill_diagonal(superiority, 0.5)
    fits = []
    for number in range(max(group) + 1):
        members = [player for player in range(num_players) if group[player] == number]
        if len(members) > 1:
            estimates, likely, fit = _rate_group(select_group(made, members), len(members))
            for player, estimate in zip(members, estimates, strict=True):
                elo[player] = estimate
            superiority[np.ix_(members, members)] = likely
            fits.append(fit)
    return Ratings(elo, group, superiority, add_fits(fits))


def _rate_group(made: Choices, num_players: int) -> tuple[list[Estimate], np.ndarray, Fit]:
    number_of, model = build_model(made.choices, num_players)
    column = np.array([number_of[choice] for choice in made.choices])
    place = sparse.csr_matrix(
        (np.ones(len(column)), (np.arange(len(column)), column)), (len(column), len(number_of))
    )
    counts = sparse.csr_matrix(made.counts @ place)
    totals = np.asarray(counts.sum(axis=0)).ravel()
    best = maximise(model, totals, np.zeros((1, model.design.shape[1])))
    rated = _Rated(model, counts, totals, best)
    fit = goodness_of_fit(rated.model, counts, best, list(number_of), num_players)
    return _intervals(rated, made, num_players), _superiority(rated, num_players), fit


def _intervals(rated: _Rated, made: Choices, num_players: int) -> list[Estimate]:
    """Return each player's Elo above the mean; open where it won, or lost, every game."""
    above_mean = np.zeros((num_players, rated.best.shape[1]))
    above_mean[:, :num_players] = np.eye(num_players) - 1 / num_players
    means = above_mean @ rated.best[0]
    scale, num_deals = _design_effects(rated, above_mean)
    reach = scale * quantile(num_deals)
    has_lost, has_won = _has_lost_and_won(made, num_players)
    is_closed = np.concatenate([has_won, has_lost])
    ends: np.ndarray = np.repeat([-np.inf, np.inf], num_players)
    reaches = np.concatenate([-reach, reach])[is_closed]
    ends[is_closed] = _bounds(rated, np.tile(above_mean, (2, 1))[is_closed], reaches)
    elo = ELO_SCALE * np.stack([means, *np.split(ends, 2)], axis=1)
    return [Estimate(*map(float, row)) for row in elo]


def _design_effects(rated: _Rated, contrasts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the root of the design effect of each contrast [M, P], and its effective deals: [M].

    The design effect is the variance between deals divided by that of independent games (see
    `statistics`). Where nearly all games are won, deals are alike by necessity and show little of
    how much they can differ; the variance is then estimated with about as many effective deals as
    there are upsets (its degrees of freedom, Satterthwaite 1946). The effective deals returned are
    Kish's, by the weights of the deals (see `effective_number`).
    """
    model, counts, best = rated.model, rated.counts, rated.best
    chances = choice_chances(model, best)
    away = model.design - set_means(model, chances)[0, model.set_of]
    influence = away @ np.linalg.solve(
        curvature(model, rated.totals, best[0]), contrasts.T
    )  # [choices, M]
    made = counts @ sparse.csr_matrix(np.eye(len(model.starts))[model.set_of])  # [deals, sets]
    second, fourth = (
        np.add.reduceat(chances[0, :, None] * influence**power, model.starts) for power in (2, 4)
    )  # moments of one game: [sets, M]
    variance = made @ second  # [deals, M]
    independent = variance.sum(axis=0)
    sums = counts @ influence
    sums -= variance * (sums.sum(axis=0) / independent)
    fourth_cumulant = (made @ (fourth - 3 * second**2)).sum(axis=0)
    of_deals = (variance**2).sum(axis=0)
    num_telling = independent**2 / (of_deals + np.maximum(fourth_cumulant, 0) / 2)
    ratio = variance_of_deals(sums, independent, num_telling) / independent
    return np.sqrt(ratio), independent**2 / of_deals


def _bounds(rated: _Rated, contrasts: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """Find the value of each contrast [M, P] where its signed likelihood root is `reach` [M].

    The root grows nearly in proportion to the distance from the maximum. The distance is therefore
    corrected in proportion until the root is right.
    """
    inverse = np.linalg.inv(curvature(rated.model, rated.totals, rated.best[0]))
    variance = np.einsum("mp,pq,mq->m", contrasts, inverse, contrasts)
    direction = contrasts @ inverse / variance[:, None]  # changes its contrast by 1
    distance = reach * np.sqrt(variance)
    parameters = rated.best + direction * distance[:, None]
    for _ in range(_MAX_ROUNDS):
        parameters = maximise(rated.model, rated.totals, parameters, contrasts)
        change = distance * (np.abs(reach) / _likelihood_root(rated, parameters) - 1)
        distance += change
        if (np.abs(change) < _PRECISE).all():
            break
        parameters += direction * change[:, None]
    return contrasts @ rated.best[0] + distance


def _likelihood_root(rated: _Rated, parameters: np.ndarray) -> np.ndarray:
    """Return the root of twice the loss in log likelihood from the maximum to each of [M, P]."""
    top = log_likelihood(rated.model, rated.totals, rated.best)
    lost = top - log_likelihood(rated.model, rated.totals, parameters)
    return np.sqrt(2 * np.maximum(lost, np.finfo(float).tiny))


def _superiority(rated: _Rated, num_players: int) -> np.ndarray:
    """Return the one-sided confidence [players, players] that the row beats the column."""
    first, second = np.triu_indices(num_players, 1)
    differences = np.zeros((len(first), rated.best.shape[1]))
    pairs = np.arange(len(first))
    differences[pairs, first], differences[pairs, second] = 1, -1
    scale, num_deals = _design_effects(rated, differences)
    ahead = differences @ rated.best[0]
    start = rated.best - differences * (ahead / 2)[:, None]
    equal = maximise(rated.model, rated.totals, start, differences)
    root = np.where(np.abs(ahead) < _ALIKE, 0, np.sign(ahead) * _likelihood_root(rated, equal))
    freedom = degrees_of_freedom(num_deals)
    out = np.full((num_players, num_players), 0.5)
    out[first, second] = special.stdtr(freedom, root / scale)
    out[second, first] = special.stdtr(freedom, -root / scale)
    return out


def _has_lost_and_won(made: Choices, num_players: int) -> np.ndarray:
    """Return whether each player ever lost or drew, and ever won or drew: [2, players]."""
    out: np.ndarray = np.zeros((2, num_players), bool)
    has_lost, has_won = out
    for choice in made.choices:
        if len(set(choice.among)) > 1:
            for player in set(choice.among):
                has_won[player] |= player in choice.chosen
                has_lost[player] |= any(chosen != player for chosen in choice.chosen)
    return out
