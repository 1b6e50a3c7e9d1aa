"""Test whether one strength for each player explains the first places."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse, special

from ...statistics.estimates import effective_number, variance_of_deals
from .choice_model import ChoiceModel, choice_chances
from .rankings import Choice

_MIN_DEALS = 1.5  # effective; fewer show nothing of the variance between deals


class Fit(NamedTuple):
    """The result of Pearson's test; a small p-value means that one number is not enough."""

    statistic: float  # corrected for the likeness of a deal's games (Rao and Scott 1981)
    degrees_of_freedom: int
    p_value: float


def goodness_of_fit(
    model: ChoiceModel,
    counts: sparse.csr_matrix,
    best: np.ndarray,
    choices: list[Choice],
    num_players: int,
) -> Fit:
    """Test the first places in each kind of game; count shared ones in part.

    Strengths fitted to first places alone take a degree of freedom each. Those fitted to later
    places too take less; the test then subtracts none, which is cautious.
    A single deal is not tested.
    """
    chances = choice_chances(model, best)[0]
    places = np.array([_first_places(choice, num_players) for choice in choices])
    columns = counts.tocsc()
    statistic = spread = 0.0
    num_cells = 0
    for start, stop in zip(model.starts, [*model.starts[1:], len(choices)], strict=True):
        here = slice(start, stop)
        expected = chances[here] @ places[here]
        if (expected > 0).sum() > 1:
            deviation, variance = _deviation(columns[:, here], chances[here], places[here])
            statistic += deviation
            spread += variance
            num_cells += int((expected > 0).sum()) - 1
    num_deals = float(effective_number(np.asarray(counts.sum(axis=1)))[0])
    has_later_places = any(not choice.is_first for choice in choices)
    freedom = num_cells if has_later_places else num_cells - (num_players - 1)
    if freedom < 1 or spread == 0 or num_deals < _MIN_DEALS:
        return Fit(0.0, 0, 1.0)
    corrected = statistic * num_cells / spread
    return Fit(corrected, freedom, _p_value(corrected, freedom, num_deals))


def _deviation(
    counts: sparse.csc_matrix, chances: np.ndarray, places: np.ndarray
) -> tuple[float, float]:
    """Return Pearson's statistic of one kind of game, and its mean under the model.

    `counts` [deals, choices], `chances` [choices], `places` [choices, players]. The variance
    between deals is corrected as everywhere (see `statistics`).
    """
    expected = chances @ places
    players = np.flatnonzero(expected)
    games = np.asarray(counts.sum(axis=1))
    points = (counts @ places)[:, players]
    residuals = points - games * (points.sum(axis=0) / games.sum())
    of_one_game = (chances @ places**2 - expected**2)[players]
    variance = variance_of_deals(
        residuals, games.sum() * of_one_game, float(effective_number(games)[0])
    )
    away = (points - games * expected[players]).sum(axis=0)
    weights = games.sum() * expected[players]
    return float((away**2 / weights).sum()), float((variance / weights).sum())


def _p_value(statistic: float, freedom: int, num_deals: float) -> float:
    """Return the p-value by the F distribution, for an estimated variance (Thomas and Rao 1987)."""
    return float(special.fdtrc(freedom, freedom * (num_deals - 1), statistic / freedom))


def add_fits(fits: Sequence[Fit]) -> Fit:
    """Combine tests of groups without common players: the worst fit, corrected by Bonferroni."""
    tested = [fit for fit in fits if fit.degrees_of_freedom]
    if not tested:
        return Fit(0.0, 0, 1.0)
    worst = min(tested, key=lambda fit: fit.p_value)
    return worst._replace(p_value=min(1.0, worst.p_value * len(tested)))


def _first_places(choice: Choice, num_players: int) -> np.ndarray:
    """Return each player's part of the first place; 0 for choices of later places."""
    points = np.zeros(num_players)
    if choice.is_first:
        np.add.at(points, list(choice.chosen), 1 / len(choice.chosen))
    return points
