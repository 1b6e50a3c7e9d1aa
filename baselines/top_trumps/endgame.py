"""Can a seat of Top Trumps beat `goliath` from a position in which it knows every card's place?

A `goliath` that knows the seat's card wins the trick if it can, else draws if it can. A depth-first
search looks for tricks that the seat should not play as `goliath` would. Few such trees are large:
a search plays about 100 tricks.
"""

from typing import NamedTuple

import numpy as np

from ...envs.core.bits import WORD_BITS, lowest_bit, num_allowed, popcount
from ...envs.core.compile import rule
from ...envs.core.game import Game
from ...envs.core.rng import STREAM, below
from ...envs.top_trumps.rules import NO_CARD, place_at

WIN, DRAW, LOSE = 1, 2, 4  # outcomes of a trick for one seat, as bits
MAX_DEVIATIONS = 2  # leads of one game at which the seat does not play as goliath
MAX_LEADS = 100  # of one game at which it may deviate
MAX_GAME = 400  # tricks of one game
MAX_TRICKS = 3_000  # of one search
OWN, OTHER, PILE = 0, 1, 2  # rows of `cards`

# A position is a row of numbers. Cards are only ever put behind the last one, so that the cards of
# an earlier position are still in their places.
OWN_TOP, OWN_END, OTHER_TOP, OTHER_END, PILE_TOP, PILE_END = range(6)  # hold columns of `cards`
LEADS = 6  # 1: the seat leads, 0: goliath
NUM_TRICKS = 7
DOUBTS = 8  # a set: the seat's cards that goliath cannot place
NUM_DEVIATIONS = 9
UNTRIED = 10  # outcomes of this trick that the search has not tried
LIMIT = 11  # tricks until the trick limit, or until the search gives up
ROW_SIZE = 12

NO_DEPTH = -1


class Endgame(NamedTuple):
    """The position searched, `rows` [0], and the memory of the search."""

    outcomes: np.ndarray  # int8 [own, other]: those that the leader can choose with its card
    cards: np.ndarray  # int16 [OWN .. PILE, columns]
    possible: np.ndarray  # int64 [columns]: what goliath takes a doubted card of the seat for
    rows: np.ndarray  # int64 [leads + 2, ROW_SIZE]
    ties: np.ndarray  # a stream [1], of goliath's choices among equal fields


def new_endgame(game: Game) -> Endgame:
    """Return the memory of a search in positions of this game."""
    num_cards = game.config.num_cards
    size = 2 * num_cards + 2 * MAX_GAME + 2
    return Endgame(
        np.zeros((num_cards, num_cards), np.int8),
        np.zeros((3, size), np.int16),
        np.zeros(size, np.int64),
        np.zeros((MAX_LEADS + 2, ROW_SIZE), np.int64),
        np.zeros(1, STREAM),
    )


# The position


@rule
def note_outcomes(values, outcomes):
    """[own, other]: what the leader of a trick can choose against the other card."""
    for own in range(values.shape[0]):
        for other in range(values.shape[0]):
            choices = 0
            for field in range(values.shape[1]):
                choices |= outcome_of(values, own, other, field)
            outcomes[own, other] = choices


@rule
def outcome_of(values, own, other, field):
    """The outcome of a trick for the seat with the first card."""
    lead = np.int64(values[own, field]) - np.int64(values[other, field])
    return WIN if lead > 0 else DRAW if lead == 0 else LOSE


@rule
def read_position(state, seat, endgame):
    """Make this the position to search; its cards are taken as known to the seat."""
    row = endgame.rows[0]
    row[:] = 0
    row[OWN_END] = cards_from_top(state, seat, endgame.cards[OWN])
    row[OTHER_END] = cards_from_top(state, 1 - seat, endgame.cards[OTHER])
    row[PILE_END] = state.pile_size
    for index in range(state.pile_size):
        endgame.cards[PILE, index] = state.pile[index]
    row[LEADS] = state.starter == seat
    row[LIMIT] = min(MAX_GAME, np.int64(state.trick_limit) - state.num_tricks)
    row[DOUBTS] = read_doubts(state, seat, endgame.possible)


@rule
def cards_from_top(state, owner, cards):
    """Write a deck from the top; return its size."""
    place = np.int64(state.heads[owner])
    for depth in range(state.deck_sizes[owner]):
        cards[depth] = state.decks[owner, place]
        place = place + 1 if place + 1 < state.decks.shape[1] else 0
    return np.int64(state.deck_sizes[owner])


@rule
def read_doubts(state, seat, possible):
    """Write what goliath takes each card of the seat for; return the set that it cannot place.

    Decks of more than 64 cards would need more words: there goliath is thought to know all.
    """
    if state.unplaced.shape[1] > 1 or num_allowed(state.unplaced[seat]) <= 1:
        return np.int64(0)
    for depth in range(state.deck_sizes[seat]):
        if depth < state.num_unplayed[seat]:
            possible[depth] = state.unplaced[seat, 0]
        else:
            possible[depth] = state.candidates[seat, place_at(state, seat, depth), 0]
    return np.int64(state.unplaced[seat, 0])


# The search


@rule
def can_win(endgame, values, salt):
    """Whether the search finds a win; `salt` decides how goliath chooses among equal fields."""
    rows = endgame.rows
    depth = np.int64(0)
    num_left = np.int64(MAX_TRICKS)
    while num_left > 0:
        first_trick = rows[depth, NUM_TRICKS]
        depth = play_to_end(endgame, values, depth, salt)
        num_left -= rows[depth, NUM_TRICKS] - first_trick
        if is_won(rows[depth]):
            return True
        depth = last_untried(rows, depth)
        if depth == NO_DEPTH:
            return False
        deviate(endgame, values, depth)
        depth += 1
    return False


@rule
def play_to_end(endgame, values, depth, salt):
    """Play to the end as goliath for both; note where the seat may deviate. Return the depth."""
    row = endgame.rows[depth]
    while not is_over(row):
        own = np.int64(endgame.cards[OWN, row[OWN_TOP]])
        other = np.int64(endgame.cards[OTHER, row[OTHER_TOP]])
        if row[LEADS] == 0:
            follow_goliath(endgame, values, row, own, other, salt)
            continue
        possible = np.int64(endgame.outcomes[own, other])
        best = possible & -possible
        can_deviate = depth < MAX_LEADS and row[NUM_DEVIATIONS] < MAX_DEVIATIONS
        if possible != best and can_deviate:
            row[UNTRIED] = possible ^ best
            copy_row(endgame.rows, depth)
            depth += 1
            row = endgame.rows[depth]
        lead_trick(endgame, values, row, own, other, best)
    return depth


@rule
def last_untried(rows, depth):
    """The depth of the last lead at which an outcome is untried, or NO_DEPTH."""
    depth -= 1
    while depth >= 0 and rows[depth, UNTRIED] == 0:
        depth -= 1
    return depth


@rule
def deviate(endgame, values, depth):
    """Choose the next untried outcome at this lead, in the row below."""
    untried = endgame.rows[depth, UNTRIED]
    endgame.rows[depth, UNTRIED] = untried & (untried - 1)
    copy_row(endgame.rows, depth)
    row = endgame.rows[depth + 1]
    row[NUM_DEVIATIONS] += 1
    own, other = endgame.cards[OWN, row[OWN_TOP]], endgame.cards[OTHER, row[OTHER_TOP]]
    lead_trick(endgame, values, row, np.int64(own), np.int64(other), untried & -untried)


@rule
def copy_row(rows, depth):
    """Copy a position to the row below."""
    for column in range(rows.shape[1]):
        rows[depth + 1, column] = rows[depth, column]


@rule
def is_over(row):
    """Whether a seat has no card left, or the tricks are played."""
    has_empty_seat = row[OWN_TOP] == row[OWN_END] or row[OTHER_TOP] == row[OTHER_END]
    return has_empty_seat or row[NUM_TRICKS] >= row[LIMIT]


@rule
def is_won(row):
    """Whether the seat has more cards at the end; a game that is too long does not count."""
    has_more_cards = row[OWN_END] - row[OWN_TOP] > row[OTHER_END] - row[OTHER_TOP]
    return has_more_cards and row[NUM_TRICKS] < MAX_GAME


# A trick


@rule
def lead_trick(endgame, values, row, own, other, outcome):
    """The seat leads; where several fields win, goliath learns least from the one it chooses."""
    possible = possible_top(endgame, row, own)
    if outcome == WIN and possible != 0:
        possible = least_telling(values, own, other, possible)
    end_trick(endgame, row, own, other, outcome, possible)


@rule
def follow_goliath(endgame, values, row, own, other, salt):
    """Goliath leads: it wins if it can, else draws if it can, if it knows the seat's card."""
    possible = possible_top(endgame, row, own)
    if possible == 0:
        outcomes = np.int64(endgame.outcomes[other, own])
        outcome = WIN if outcomes == LOSE else DRAW if outcomes & WIN == 0 else LOSE
    else:
        endgame.ties[0].state = salt + np.uint64(row[NUM_TRICKS])
        field = goliath_field_against(values, other, possible, endgame.ties[0])
        outcome = outcome_of(values, own, other, field)
        possible = with_value(values, possible, values[own, field], field)
    end_trick(endgame, row, own, other, outcome, possible)


@rule
def end_trick(endgame, row, own, other, outcome, possible):
    """Move both cards; `possible` is what goliath takes the seat's card for if the seat wins."""
    cards = endgame.cards
    row[OWN_TOP] += 1
    row[OTHER_TOP] += 1
    row[NUM_TRICKS] += 1
    if outcome == WIN:
        endgame.possible[row[OWN_END]] = possible
        put_behind(cards, row, OWN, own, other)
    elif outcome == LOSE:
        put_behind(cards, row, OTHER, other, own)
    else:
        first, second = (other, own) if row[LEADS] == 1 else (own, other)
        cards[PILE, row[PILE_END]] = first
        cards[PILE, row[PILE_END] + 1] = second
        row[PILE_END] += 2
    if outcome != DRAW:
        row[LEADS] = outcome == WIN
    is_revealed = outcome != WIN or popcount(possible) == 1
    if is_revealed and is_in(row[DOUBTS], own):
        row[DOUBTS] = without(endgame, row, own)


@rule
def put_behind(cards, row, owner, own, lost):
    """The winner puts its card, the loser's and the pile behind its deck."""
    end = row[2 * owner + 1]
    cards[owner, end] = own
    cards[owner, end + 1] = lost
    end += 2
    for index in range(row[PILE_TOP], row[PILE_END]):
        cards[owner, end] = cards[PILE, index]
        end += 1
    row[PILE_TOP] = row[PILE_END]
    row[2 * owner + 1] = end


# What goliath knows


@rule
def is_in(cards, card):
    """Whether a set contains a card."""
    return card < WORD_BITS and (cards >> card) & 1 == 1


@rule
def possible_top(endgame, row, own):
    """What goliath takes the seat's top card for, or no card if it knows it."""
    if not is_in(row[DOUBTS], own):
        return np.int64(0)
    possible = endgame.possible[row[OWN_TOP]] & row[DOUBTS]
    return possible if popcount(possible) > 1 else np.int64(0)


@rule
def with_value(values, cards, value, field):
    """The cards with this value."""
    matches = np.int64(0)
    rest = cards
    while rest != 0:
        bit = rest & -rest
        rest ^= bit
        if values[lowest_bit(bit), field] == value:
            matches |= bit
    return matches


@rule
def least_telling(values, own, other, possible):
    """The largest set of cards that a field leaves possible with which the seat wins."""
    best = np.int64(0)
    for field in range(values.shape[1]):
        if values[own, field] > values[other, field]:
            left = with_value(values, possible, values[own, field], field)
            if popcount(left) > popcount(best):
                best = left
    return best


@rule
def goliath_field_against(values, own, possible, rng):
    """The field that goliath chooses: it beats the most of these cards, a tie counts half."""
    best = np.int64(0)
    best_score = num_best = -1
    for field in range(values.shape[1]):
        score = 0
        rest = possible
        while rest != 0:
            other = values[lowest_bit(rest), field]
            rest &= rest - 1
            score += other < values[own, field]
            score += other <= values[own, field]
        if score > best_score:
            best, best_score, num_best = np.int64(field), score, 1
        elif score == best_score:
            num_best += 1
            if below(rng, num_best) == 0:
                best = np.int64(field)
    return best


@rule
def without(endgame, row, card):
    """The doubted cards after one is known, and so in turn any other that this makes known."""
    doubts = row[DOUBTS]
    while card != NO_CARD:
        doubts &= ~(np.int64(1) << card)
        card = np.int64(NO_CARD)
        for place in range(row[OWN_TOP], row[OWN_END]):
            own = np.int64(endgame.cards[OWN, place])
            if is_in(doubts, own) and popcount(endgame.possible[place] & doubts) == 1:
                card = own
    return doubts
