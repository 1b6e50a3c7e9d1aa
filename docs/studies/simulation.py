"""Matches between players of known strength, the games of a deal being as alike as one wishes."""

import itertools

import numpy as np
from scipy import special

from parlour.baselines.arena.ratings.rankings import Scored
from parlour.baselines.statistics.estimates import ELO_SCALE

ELO = np.array([-150.0, -60.0, 0.0, 70.0, 140.0])
LIKENESS = 0.6  # correlation between the games of one deal, whoever plays them
DRAWS = 0.8  # weight of a draw between equals, as against 1 for either's win


def duels(rng: np.random.Generator, num_deals: int, elo: np.ndarray = ELO) -> list[Scored]:
    """Everybody against everybody at two seats, two games a deal, by Davidson's model.

    Each game has exactly the chances of the model; one luck of the deal favours the same hand in
    all games of all pairs.
    """
    luck = rng.standard_normal((num_deals, 1))
    contests = []
    for first, second in itertools.combinations(range(len(elo)), 2):
        own = rng.standard_normal((num_deals, 2))
        chance = special.ndtr(np.sqrt(LIKENESS) * luck + np.sqrt(1 - LIKENESS) * own)
        players = np.array([[first, second], [second, first]])
        contests.append(_duel(chance, players, elo))
    return contests


def _duel(chance: np.ndarray, players: np.ndarray, elo: np.ndarray) -> Scored:
    strength = np.exp(elo[players] / ELO_SCALE)  # [games, seats]
    draw = DRAWS * np.sqrt(strength.prod(axis=1))
    total = strength.sum(axis=1) + draw
    result = np.select(
        [chance < strength[:, 0] / total, chance < (strength[:, 0] + draw) / total], [1, 0], -1
    )
    values = np.stack([result, -result], axis=2)
    return Scored(np.broadcast_to(players, values.shape), values, np.arange(len(chance)))


def tables(rng: np.random.Generator, num_deals: int, elo: np.ndarray = ELO) -> list[Scored]:
    """Every four of the players at a table of four, each seating once round, by Plackett and Luce.

    What is left of a player's luck from one sitting of a deal to the next is LIKENESS.
    """
    contests = []
    for group in itertools.combinations(range(len(elo)), 4):
        players = np.array(group)[(np.arange(4)[:, None] + np.arange(4)) % 4]
        deal_luck = rng.standard_normal((num_deals, 1, len(elo)))
        own = rng.standard_normal((num_deals, 4, len(elo)))
        mixed = np.sqrt(LIKENESS) * deal_luck + np.sqrt(1 - LIKENESS) * own
        gumbel = -np.log(-np.log(special.ndtr(mixed)))
        performance = elo / ELO_SCALE + gumbel  # [deals, sittings, players]
        seated = np.broadcast_to(players, (num_deals, 4, 4))
        values = np.take_along_axis(performance, seated, axis=2)
        contests.append(Scored(seated, values, np.arange(num_deals)))
    return contests


def paired_scores(rng: np.random.Generator, mean: float, num_deals: int) -> np.ndarray:
    """Scores 0 .. 1 of deals with this mean: two games each, of which a deal often splits both."""
    values = np.linspace(0, 1, 5)
    weights = np.array([0.08, 0.17, 0.5, 0.17, 0.08])
    low, high = -50.0, 50.0
    for _ in range(100):  # tilt the weights until the mean is right
        tilt = (low + high) / 2
        chances = weights * np.exp(tilt * values)
        chances /= chances.sum()
        low, high = (tilt, high) if chances @ values < mean else (low, tilt)
    return rng.choice(values, p=chances, size=num_deals)
