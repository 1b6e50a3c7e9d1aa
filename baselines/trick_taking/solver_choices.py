"""The choices of a two-seat player in every position, if it uses only the order of cards.

Each position between tricks is laid out with the lowest cards of each colour,
and the player chooses its lead and its reply to every lead.
"""

from collections.abc import Iterator

import numpy as np

from ...envs.core.bits import lowest_bit
from ...envs.core.compile import array_rule, rule
from ...envs.core.game import Game
from ...envs.core.play.tables import Tables, action_masks, random_actions
from ...envs.core.rng import streams
from ...envs.trick_taking.rules import open_trick
from ..players import generic
from ..players.policy import Policy
from ..search.best_response import possible_actions
from .best_replies import Opponent, check_has_table, no_choices
from .position import bit_of, position_seen, sizes_of
from .solver import solution_of

_BATCH = 1 << 14  # positions laid out together
_SAMPLE = 4096  # positions of random play in which choices are compared


def choices_of(game: Game, policy: Policy) -> Opponent | None:
    """Return the choices of a player in all positions; None if it uses more than the order.

    Positions of random play decide whether it does. Raises ValueError for a player that uses random
    numbers, unless it is `random`, and for a game too large for a table of all positions.
    """
    num_values = game.config.num_values
    check_has_table(num_values)
    choices = no_choices(num_values)
    if policy.row_function is generic.random:
        return choices
    if not _uses_order_alone(game, policy):
        return None
    for tricks, size, words in _positions(num_values):
        _ask(game, policy, choices, tricks, size, words)
    return choices


def _positions(num_values: int) -> Iterator[tuple[int, int, np.ndarray]]:
    """All positions, as batches of words [B] for a number of tricks and a size."""
    for tricks in range(1, num_values + 1):
        words = np.arange(1 << 2 * tricks)
        words = words[np.bitwise_count(words) == tricks]
        for size in range(*sizes_of(num_values, tricks)):
            for start in range(0, len(words), _BATCH):
                yield tricks, size, words[start : start + _BATCH]


def _ask(
    game: Game, policy: Policy, choices: Opponent, tricks: int, size: int, words: np.ndarray
) -> None:
    first = np.full(len(words), size)
    tables = _laid_out(game, np.full(len(words), tricks), first, words)
    slots = solution_of(game.config.num_values).starts[tricks, size] + words
    choices.leads[slots] = _indices(game, first, _actions(policy, tables))
    for lead in range(2 * tricks):
        rows = np.flatnonzero(words >> lead & 1)
        after = Tables(game, tables.rngs[rows])
        after.states[:] = tables.states[rows]
        after.apply(after.all_rows, _cards(game, first[rows], np.full(len(rows), lead)))
        choices.replies[slots[rows], lead] = _indices(game, first[rows], _actions(policy, after))


def _laid_out(game: Game, tricks: np.ndarray, sizes: np.ndarray, words: np.ndarray) -> Tables:
    tables = Tables(game, streams(np.zeros(len(words), np.int64)))
    _lay_out(tables.states, tricks, sizes, words)
    return tables


def _actions(policy: Policy, tables: Tables) -> np.ndarray:
    _, observations, words = tables.show(tables.all_rows)
    masks = action_masks(words, policy.game.num_actions)
    return possible_actions(policy, observations, masks).argmax(axis=1)


def _indices(game: Game, sizes: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """The indices of cards if the lowest of each colour are left."""
    colours, values = np.divmod(actions, game.config.num_values)
    return values + sizes * colours


def _cards(game: Game, sizes: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """The inverse of `_indices`."""
    return np.where(indices < sizes, indices, game.config.num_values + indices - sizes)


@rule
def _lay_out(states, tricks, sizes, words):
    for row in range(states.shape[0]):
        lay_out(states[row], tricks[row], sizes[row], words[row])


@array_rule
def lay_out(state, tricks, size, word):
    """Lay out positions: seat 0 leads, and the lowest cards of each colour are left."""
    num_values = state.dealt.shape[1]
    state.hands[:] = 0
    state.played[:] = 0
    num_dealt = np.zeros(2, np.int64)
    num_gone = 0
    for card in range(2 * num_values):
        colour = card // num_values
        value = card - colour * num_values
        index = value + colour * size
        is_left = value < (size if colour == 0 else 2 * tricks - size)
        seat = 1 - (word >> index & 1) if is_left else num_gone & 1
        num_gone += not is_left
        cards = state.hands if is_left else state.played
        cards[seat, colour] |= np.int64(1) << value
        state.dealt[seat, num_dealt[seat]] = card
        num_dealt[seat] += 1
    state.tricks_left = tricks
    open_trick(state, 0)


# Whether the player uses only the order of cards


def _uses_order_alone(game: Game, policy: Policy) -> bool:
    """Whether its choices in random play equal those in the positions laid out for them."""
    tables = _random_positions(game)
    positions = np.empty((len(tables.states), 4), np.int64)
    seen = np.empty(len(tables.states), np.int64)
    _describe(tables.states, _actions(policy, tables), positions, seen)
    tricks, sizes, words, leads = positions.T.copy()
    alike = _laid_out(game, tricks, sizes, words)
    rows = np.flatnonzero(leads >= 0)
    alike.apply(rows, _cards(game, sizes[rows], leads[rows]))
    return bool((_indices(game, sizes, _actions(policy, alike)) == seen).all())


def _random_positions(game: Game) -> Tables:
    """Games of random play, stopped before their ends."""
    tables = Tables(game, streams(range(_SAMPLE)))
    tables.deal(tables.all_rows)
    for ply in range(2 * game.config.num_values - 1):
        rows = tables.all_rows[tables.all_rows % (2 * game.config.num_values) > ply]
        seats, _, words = tables.show(rows)
        rngs = tables.rngs[rows][:, None]
        tables.apply(rows, random_actions(words, rngs, np.arange(len(rows)), np.zeros_like(seats)))
        tables.rngs[rows] = rngs[:, 0]
    return tables


@rule
def _describe(states, actions, positions, seen):
    """Tricks, size, word and lead (-1: none) of each state, and the index of the action there."""
    num_values = states[0].dealt.shape[1]
    for row in range(states.shape[0]):
        state = states[row]
        seat, led = np.int64(state.seat_to_act), np.int64(state.led_colour)
        hand, unseen, table = state.hands[seat], state.hands[1 - seat], state.table
        position, lead = position_seen(hand, unseen, table, led)
        positions[row, 0], positions[row, 1] = position.tricks, position.size
        positions[row, 2] = position.word
        positions[row, 3] = -1 if lead == 0 else lowest_bit(lead)
        colour = actions[row] // num_values
        left = hand[colour] | unseen[colour] | table[colour]
        value = actions[row] - colour * num_values
        seen[row] = lowest_bit(bit_of(position, left, colour, value))
