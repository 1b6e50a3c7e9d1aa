"""The finisher's expected result after each move, for people who ask what moves are worth.

A search tells them little: nearly all games that it plays to their end are drawn.
"""

import numpy as np

from ...envs.core.game import Game
from ...envs.core.rng import fresh_seed, streams
from ...envs.notty.cards import GROUP_WORDS, hand_size
from ...envs.notty.rules import (
    DRAW,
    HAS_BOTH,
    HAS_DRAWN,
    HAS_TAKEN,
    NOTHING_YET,
    PASS,
    TAKE,
    first_discard,
)
from ..advice.move_values import Values
from .finisher import (
    CORRECTED,
    VALUES,
    chance_after_card,
    chance_after_draw,
    demands_of,
    position_value,
    smallest_other,
    table_index,
    waits_in_vain,
)
from .players import hands_of

NUM_ROUNDS = 8  # of random draws of two or three cards; the finisher itself makes one


def chances(game: Game) -> Values:
    """Return the function that values moves by the finisher's tables, up to 1 for a win.

    With one opponent a loss counts -1; with more it counts 0, as a draw does.
    """

    def values(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        out = np.zeros(masks.shape)
        rng = streams([fresh_seed()])[0]
        for row, action in zip(*np.nonzero(masks), strict=True):
            out[row, action] = _chance(game, observations[row], int(action), rng)
        return out

    return values


def _chance(game: Game, observation: np.record, action: int, rng: np.ndarray) -> float:
    """The expected result after one legal action, by the tables of the finisher."""
    turns = observation["turns_played"], observation["turn_limit"]
    table = table_index(*turns, observation["takes"])
    tables, phase, hands = VALUES[table], int(observation["phase"]), hands_of(observation)
    about = (smallest_other(hands), demands_of(hands, observation["passes"]))
    (once, twice), goes_on = hands[0], phase == NOTHING_YET
    if action == PASS:
        waiting = float(position_value(tables[NOTHING_YET], table, once, twice, hands, *about))
        if goes_on and table == CORRECTED and waits_in_vain(hands[0], about[1]):
            return min(waiting, _chance(game, observation, DRAW + 1, rng))
        return waiting
    if action >= first_discard(game.num_seats):
        group = GROUP_WORDS[action - first_discard(game.num_seats)]
        left = once & (twice | ~group), twice & ~group
        now = tables[NOTHING_YET if phase == HAS_BOTH else phase]
        return float(position_value(now, table, *left, hands, *about))
    if action > TAKE:
        after = tables[HAS_TAKEN if goes_on else NOTHING_YET]
        smallest = min(about[0], hand_size(hands[action - TAKE]) - 1)
        return float(chance_after_card(after, table, hands, action - TAKE, smallest, about[1]))
    after = tables[HAS_DRAWN if goes_on else NOTHING_YET]
    rounds = 1 if action == 1 else NUM_ROUNDS  # a draw of one card is counted exactly
    estimates = [chance_after_draw(after, table, hands, action, *about, rng) for _ in range(rounds)]
    return float(np.mean(estimates))
