"""David beats Goliath at Top Trumps: it compares the fields of its top card in re-deals.

In each re-deal it plays a field, lets two goliath play until every card was seen, and then searches
whether it can win. A field that wins in the most re-deals is best.
"""

import math
import time
from typing import NamedTuple

import numpy as np

from ...envs.core.bits import WORD_BITS, lowest_bit, num_allowed, popcount
from ...envs.core.compile import rule
from ...envs.core.game import Game
from ...envs.core.rng import below, next_word
from ...envs.top_trumps.observation import possible_cards, reshuffle_unseen
from ...envs.top_trumps.rules import NO_CARD, apply_action, is_terminal, top_card
from ..policies.policy import Policy
from ..search.playouts import checked_budget
from .endgame import LOSE, Endgame, can_win, new_endgame, note_outcomes, outcome_of, read_position

NAME = "david"
NUM_PLAYOUTS = 400  # re-deals
MAX_KNOWN_PLAYOUTS = 16  # re-deals where the opponent's top card is known
PLAYOUTS_BETWEEN_CHECKS = 16  # whether a field is clearly worse, or time is up

# What a field is worth before any re-deal: its chance to win the trick, times a slope. This counts
# like some re-deals. u is the number of cards that the opponent has never played. `fit/leads.py`
# fitted these numbers.
PRIOR_PLAYOUTS = 1.2  # times u^2
PRIOR_SLOPE, PRIOR_SLOPE_LATE = 0.04, 1.3  # the slope is the first plus the second over u
KNOWN_PRIOR = 0.01  # decides among fields that win in equally many re-deals
TIE = 0.9  # of a trick won
HIDING = 1.05  # of a trick won with a card that the opponent then cannot place
SPREAD = 0.35  # standard deviation of the difference between two fields in one re-deal
CLEARLY = 2.5  # standard deviations below the best field

NOT_PLAYED = -1.0
TOP = np.int64(0)  # the depth of a top card


class FieldSearch(NamedTuple):
    """The memory of a decision."""

    games: np.ndarray  # states [2]: a re-deal, and the game after a field
    endgame: Endgame
    scores: np.ndarray  # float [fields]: re-deals won, and what the prior is worth
    is_open: np.ndarray  # int8 [fields]: 0 once it is clearly worse than another field
    values: np.ndarray  # float [LOSE + 1]: whether the re-deal is won after this outcome
    num_playouts: np.ndarray  # float [2]: re-deals so far, and those that the prior is worth


def new_field_search(game: Game) -> FieldSearch:
    """Return the memory of decisions in this game."""
    return FieldSearch(
        game.new_states(2),
        new_endgame(game),
        np.zeros(game.num_actions),
        np.zeros(game.num_actions, np.int8),
        np.zeros(LOSE + 1),
        np.zeros(2),
    )


def david(game: Game, num_playouts: int | None = None, milliseconds: float | None = None) -> Policy:
    """Compare the fields in determinizations: play on as goliath, then search for a win.

    A move takes `num_playouts` re-deals (400), or as many as fit into `milliseconds`; it ends when
    all fields but one are clearly worse. In each re-deal a field is played, two goliath play until
    every card was seen, and a depth-first search finds whether the seat can then beat a goliath.
    The field that wins in the most re-deals is played. The chance to win the trick, known without
    them, counts like some re-deals more; the earlier in the game, the more.
    """
    num_playouts = checked_budget(NAME, "num_playouts", num_playouts, milliseconds, NUM_PLAYOUTS)

    def choose(
        observations: np.ndarray, action_masks: np.ndarray, rngs: np.ndarray, positions: np.ndarray
    ) -> np.ndarray:
        actions = np.empty(len(positions), np.int64)
        search = new_field_search(game)
        if milliseconds is None:
            _choose_rows(positions, rngs, search, num_playouts, actions)
            return actions
        for row in range(len(positions)):
            end = time.perf_counter() + milliseconds / 1000
            num_left = begin(positions[row], search)
            while num_left > 0 and time.perf_counter() < end:
                num_left = play_out(positions[row], rngs[row], search, num_left)
            actions[row] = highest_open_field(search)
        return actions

    return Policy(NAME, game, choose, needs_positions=True)


@rule
def _choose_rows(positions, rngs, search, num_playouts, actions):
    """Decide in each position."""
    for row in range(positions.shape[0]):
        num_left = min(num_playouts, begin(positions[row], search))
        while num_left > 0:
            num_left = play_out(positions[row], rngs[row], search, num_left)
        actions[row] = highest_open_field(search)


# A decision


@rule
def begin(position, search):
    """Write what the fields are worth without any re-deal; return how many it can take."""
    seat = np.int64(position.starter)
    note_outcomes(position.values, search.endgame.outcomes)
    write_prior(position, seat, search)
    if is_certain(position):
        return 1
    if known_top(position, 1 - seat) != NO_CARD:
        return MAX_KNOWN_PLAYOUTS
    return np.iinfo(np.int64).max


@rule
def write_prior(position, seat, search):
    """Write the chance of each field to win the trick, as a number of re-deals won."""
    weight = KNOWN_PRIOR
    search.num_playouts[:] = 0.0
    if known_top(position, 1 - seat) == NO_CARD:
        num_unseen = np.float64(max(1, position.num_unplayed[1 - seat]))
        search.num_playouts[1] = PRIOR_PLAYOUTS * num_unseen**2
        weight = search.num_playouts[1] * (PRIOR_SLOPE + PRIOR_SLOPE_LATE / num_unseen)
    for field in range(search.scores.shape[0]):
        search.scores[field] = weight * chance_to_win(position, seat, field)
        search.is_open[field] = 1


@rule
def play_out(position, rng, search, num_left):
    """Compare the open fields in a few re-deals; return how many are left, 0 if one is best."""
    num_playouts = min(num_left, PLAYOUTS_BETWEEN_CHECKS)
    for _ in range(num_playouts):
        compare_fields(position, rng, search)
    search.num_playouts[0] += num_playouts
    return num_left - num_playouts if close_fields(search) > 1 else 0


@rule
def close_fields(search):
    """Close the fields that are clearly worse than the best; return how many are open."""
    best = search.scores[highest_open_field(search)]
    limit = CLEARLY * SPREAD * math.sqrt(search.num_playouts.sum())
    num_open = 0
    for field in range(search.scores.shape[0]):
        search.is_open[field] &= best - search.scores[field] <= limit
        num_open += search.is_open[field]
    return num_open


@rule
def highest_open_field(search):
    """The open field with the highest score."""
    best = np.int64(-1)
    for field in range(search.scores.shape[0]):
        if search.is_open[field] and (best < 0 or search.scores[field] > search.scores[best]):
            best = np.int64(field)
    return best


# A re-deal


@rule
def compare_fields(position, rng, search):
    """Add to the score of each open field whether the seat can win a re-deal after it."""
    seat = np.int64(position.starter)
    search.games[0] = position
    reshuffle_unseen(search.games[0], seat, rng)
    salt = next_word(rng)
    search.values[:] = NOT_PLAYED
    if known_top(position, 1 - seat) == NO_CARD and not is_decisive(search, seat):
        return
    for field in range(search.scores.shape[0]):
        outcome = outcome_on_top(search.games[0], seat, field)
        if search.is_open[field] and search.values[outcome] == NOT_PLAYED:
            search.values[outcome] = play_field(search, seat, field, rng, salt)
        if search.is_open[field]:
            search.scores[field] += search.values[outcome]


@rule
def is_decisive(search, seat):
    """Whether the open fields have different outcomes in this re-deal."""
    outcomes = 0
    for field in range(search.scores.shape[0]):
        if search.is_open[field]:
            outcomes |= outcome_on_top(search.games[0], seat, field)
    return outcomes & (outcomes - 1) != 0


@rule
def outcome_on_top(state, seat, field):
    """The outcome of the next trick for a seat."""
    return outcome_of(state.values, top_card(state, seat), top_card(state, 1 - seat), field)


@rule
def play_field(search, seat, field, rng, salt):
    """Whether the seat can win after this field, if two goliath play until all cards were seen."""
    game = search.games[1]
    search.games[1] = search.games[0]
    apply_action(game, field)
    while not is_terminal(game) and max(game.num_unplayed[0], game.num_unplayed[1]) > 1:
        apply_action(game, goliath_field(game, np.int64(game.starter), rng))
    if is_terminal(game):
        return np.float64(game.deck_sizes[seat] > game.deck_sizes[1 - seat])
    read_position(game, seat, search.endgame)
    return np.float64(can_win(search.endgame, game.values, salt))


# What a seat knows: these functions read only what the seat can know of the position


@rule
def is_certain(state):
    """Whether both seats know every card's place."""
    return num_allowed(state.unplaced[0]) <= 1 and num_allowed(state.unplaced[1]) <= 1


@rule
def known_top(state, owner):
    """The top card of a deck if the other seat knows it, else NO_CARD."""
    num_possible = 0
    card = np.int64(NO_CARD)
    for word in range(state.unplaced.shape[1]):
        cards = possible_cards(state, owner, TOP, word)
        num_possible += popcount(cards)
        if cards != 0:
            card = np.int64(word * WORD_BITS + lowest_bit(cards))
    return card if num_possible == 1 else np.int64(NO_CARD)


@rule
def chance_to_win(state, seat, field):
    """The chance to win the trick; a card that the opponent cannot place then is worth more."""
    value = state.values[top_card(state, seat), field]
    num_lower, num_equal, num_cards = compare_tops(state, 1 - seat, value, field)
    num_alike = compare_tops(state, seat, value, field)[1]
    worth = HIDING if num_alike > 1 else 1.0
    return (worth * num_lower + TIE * num_equal) / num_cards


@rule
def compare_tops(state, owner, value, field):
    """Count a deck's possible top cards: those below a value, those equal to it, and all."""
    num_lower = num_equal = num_cards = 0
    for word in range(state.unplaced.shape[1]):
        cards = possible_cards(state, owner, TOP, word)
        while cards != 0:
            other = state.values[word * WORD_BITS + lowest_bit(cards), field]
            cards &= cards - 1
            num_lower += other < value
            num_equal += other == value
            num_cards += 1
    return num_lower, num_equal, num_cards


@rule
def goliath_field(state, seat, rng):
    """The field that goliath chooses: it beats the most possible top cards, a tie counts half."""
    own = top_card(state, seat)
    best = np.int64(0)
    best_score = num_best = -1
    for field in range(state.values.shape[1]):
        value = state.values[own, field]
        num_lower, num_equal, _ = compare_tops(state, 1 - seat, value, field)
        score = 2 * num_lower + num_equal
        if score > best_score:
            best, best_score, num_best = np.int64(field), score, 1
        elif score == best_score:
            num_best += 1
            if below(rng, num_best) == 0:
                best = np.int64(field)
    return best
