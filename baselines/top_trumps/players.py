"""Players of Top Trumps, weakest first.

All choose a field of their top card; they differ in what they compare it with.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from ...envs.core.bits import nth_allowed, random_allowed
from ...envs.core.compile import bind, rule, unbound
from ...envs.core.game import Function, Game
from ...envs.core.rng import below, uniform
from ...envs.top_trumps.rules import deviation_of, mean_of
from ..policies.policy import Policy, compiled_policy
from ..policies.roster import Player, scripted, searching
from ..policies.settings import checked_number
from .david import david
from .inputs import compared

FRACTION = 0.5  # the probability that rand_maxer plays as maxer
WEIGHT = 0.5  # the worth of a tie to expert and goliath
NO_SPREAD = 1e-6  # a field with at most this standard deviation counts with its raw values
TIE = 1e-9  # scores that differ by less are equal

# Names to which `bind` gives a meaning.
fraction = weight = unbound


@rule
def rander(observation, mask, rng):
    """Choose a random field, all equally likely."""
    return random_allowed(mask, rng)


@rule
def maxer(observation, mask, rng):
    """Choose the field with the highest value; of equals the first."""
    best = nth_allowed(mask, 0)
    for field in range(observation.top_values.shape[0]):
        if observation.top_values[field] > observation.top_values[best]:
            best = field
    return best


def _rand_maxer(observation, mask, rng):
    """Play as maxer with probability `fraction`, else as rander."""
    if uniform(rng) < fraction:
        return maxer(observation, mask, rng)
    return random_allowed(mask, rng)


@rule
def meaner_max(observation, mask, rng):
    """Choose the field most standard deviations above the deck's mean; of equals the first."""
    best = nth_allowed(mask, 0)
    best_value = -np.inf
    for field in range(observation.top_values.shape[0]):
        value = np.float64(observation.top_values[field])
        mean = mean_of(observation.values, field)
        deviation = deviation_of(observation.values, field, mean)
        if deviation > NO_SPREAD:
            value = (value - mean) / deviation
        if value > best_value:
            best, best_value = field, value
    return best


def _expert(observation, mask, rng):
    """Choose the field that beats the most cards of the opponent; a tie counts `weight`."""
    return best_against(observation, observation.opponent_cards, weight, rng)


def _goliath(observation, mask, rng):
    """Choose the field that beats the most possible top cards; a tie counts `weight`."""
    return best_against(observation, observation.opponent_top, weight, rng)


@rule
def best_against(observation, cards, weight, rng):
    """Choose the field that wins most often against these cards; of equals a random one."""
    best = np.int64(0)
    best_score = -1.0
    num_best = 0
    for field in range(observation.top_values.shape[0]):
        score = expected_score(observation, cards, weight, field)
        if score > best_score + TIE:
            best, best_score, num_best = field, score, 1
        elif score > best_score - TIE:
            num_best += 1
            if below(rng, num_best) == 0:
                best = field
    return best


@rule
def expected_score(observation, cards, weight, field):
    """The fraction of these cards that the top card beats in a field; ties count `weight`."""
    num_lower, num_equal, num_cards = compared(observation, cards, field)
    return (num_lower + weight * num_equal) / num_cards


def rand_maxer(game: Game, fraction: float = FRACTION) -> Policy:
    """Play as maxer with probability `fraction` (0.5), else as rander."""
    row_function = bind(_rand_maxer, fraction=checked_number("fraction", fraction, 1))
    return compiled_policy("rand_maxer", game, row_function)


def _counting(name: str, template: Function, game: Game, m: float = WEIGHT) -> Policy:
    row_function = bind(template, weight=checked_number("m", m, 1))
    return compiled_policy(name, game, row_function)


def _with_weight(name: str, template: Function) -> Player:
    """Make a player with the setting `m`, the worth of a tie."""
    make: Callable[..., Policy] = partial(_counting, name, template)
    summary = (template.__doc__ or "").splitlines()[0].replace("`weight`", "m (0.5)")
    return Player(make, summary, bind(template, weight=WEIGHT))


PLAYERS = {
    "rander": scripted(rander),
    "rand_maxer": Player(
        rand_maxer,
        (rand_maxer.__doc__ or "").splitlines()[0],
        bind(_rand_maxer, fraction=FRACTION),
    ),
    "maxer": scripted(maxer),
    "meaner_max": scripted(meaner_max),
    "expert": _with_weight("expert", _expert),
    "goliath": _with_weight("goliath", _goliath),
    "david": searching(david),
}


def strongest(game: Game) -> tuple[str, ...]:
    """Name the strongest players head to head, the strongest first."""
    return ("david",)


def searches(game: Game) -> tuple[str, ...]:
    """Name the searches of the league, at about 2 ms a move."""
    return ("david",)
