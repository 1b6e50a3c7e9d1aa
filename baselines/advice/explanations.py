"""Why a player chose a move, as far as another seat may know it.

The values of the player are averaged over positions that the onlooker cannot tell from the true
one, so that an explanation reveals nothing of hidden cards.
"""

import time
from typing import NamedTuple

import numpy as np

from ...envs.core.game import Game
from ...envs.core.play.tables import Tables
from ...envs.core.play.turns import Turns, turns_at
from ...envs.core.rng import fresh_seed, streams
from ..policies.policy import Policy, values_of
from ..search.halving import single_rows
from .judgements import Judgement, judgement_of, rivals_of
from .move_values import SEARCH, MoveSearch, MoveValues

NUM_DRAWN = 400  # positions drawn for the onlooker; those in which the move is legal are kept
MAX_VALUED = 64  # positions that a player values
MIN_SEARCHED, MAX_SEARCHED = 4, 16  # positions that a search values, which takes time
SEARCH_SECONDS = 1.2  # for all of them
_COMMON = 0.5  # actions legal in this part of the positions are compared with the move


class Explanation(NamedTuple):
    """What a move was worth to the player that made it, on average over `num_positions`.

    Half of the positions pick the best other move, and the other half measures its lead.
    """

    num_positions: int  # drawn and valued; 1 where the onlooker knows everything
    num_moves: float  # to choose from
    judgement: Judgement  # its values: over all positions, of the moves that are legal in most


def explain(
    game: Game, state: np.record, action: int, onlooker: int | None, policy: Policy | None
) -> Explanation | None:
    """Explain the `action` of the seat to act in `state` to the seat `onlooker`.

    An onlooker of None may know everything. The values are those of `policy` where it has values,
    and of a search otherwise. Return None where the action is legal in none of the positions drawn,
    or has no value there.
    """
    drawn = _that_fit(game, state, action, onlooker)
    is_quick = policy is not None and policy.values is not None and not policy.needs_positions
    most = MAX_VALUED if is_quick else MAX_SEARCHED
    num_positions = min(len(drawn.rows), most)
    if num_positions == 0:
        return None
    if len(drawn.rows) == 1 and not is_quick:  # it is searched again and again
        drawn = drawn[[0] * MAX_SEARCHED]
    source, values = _values(game, drawn[:most], policy)
    masks = drawn.masks[: len(values)]
    is_valued = ~np.isnan(values[:, action])  # a search may leave moves aside
    if not is_valued.any():
        return None
    masks, values = masks[is_valued], np.where(masks == 1, values, np.nan)[is_valued]
    legal = (masks.mean(axis=0) >= _COMMON) | (np.arange(game.num_actions) == action)
    actions = np.flatnonzero(legal)
    whole, *halves = (
        MoveValues(actions, part[:, actions], source, 0)
        for part in (values, values[::2], values[1::2])
    )
    picked, measured = halves if len(values) > 1 else (whole, whole)
    return Explanation(
        min(num_positions, len(values)),
        float(masks.sum(axis=1).mean()),
        judgement_of(picked, dict.fromkeys(rivals_of(picked, action), measured), action)._replace(
            move_values=whole
        ),
    )


def _that_fit(game: Game, state: np.record, action: int, onlooker: int | None) -> Turns:
    """Draw positions that look like `state` to the onlooker and in which the action is legal."""
    is_drawn = onlooker is not None and game.has_hidden
    tables = Tables(game, _fresh_streams(NUM_DRAWN if is_drawn else 1))
    tables.states[:] = state
    rows = tables.all_rows
    if is_drawn:
        tables.states[:] = tables.determinize(rows, np.full(len(rows), onlooker), tables.rngs)
    turns = turns_at(tables, rows)
    return turns[turns.masks[:, action] == 1]


def _fresh_streams(count: int) -> np.ndarray:
    return streams([fresh_seed() for _ in range(count)])


def _values(game: Game, turns: Turns, policy: Policy | None) -> tuple[str, np.ndarray]:
    """Return the source and the values [K, A] for the seat to act of each position."""
    count, observations = len(turns.rows), turns.observations
    masks = np.ascontiguousarray(turns.masks)  # solvers would be compiled again for another layout
    rngs = _fresh_streams(count)
    searched = turns.determinized(rngs)
    if policy is not None and policy.values is not None:
        if not policy.needs_positions:
            return policy.name, values_of(policy, observations, masks, rngs, None)
        until, rows = time.perf_counter() + SEARCH_SECONDS, []
        for row in single_rows(count):
            rows.append(
                values_of(policy, observations[row], masks[row], rngs[row], searched[row])[0]
            )
            if len(rows) >= MIN_SEARCHED and time.perf_counter() >= until:
                break
        return policy.name, np.array(rows)
    values = np.full(masks.shape, np.nan)
    source = SEARCH
    for row in single_rows(count):
        study = MoveSearch(game, searched[row], observations[row], masks[row], rngs[row])
        result = study.think(SEARCH_SECONDS / count)
        values[row, result.actions] = result.samples.mean(axis=0)
        source = result.source
    return source, values
