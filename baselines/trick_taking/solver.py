"""The exact solution of two-seat trick-taking: the value of every position and legal card.

A value is the number of tricks that the leader of a `CardsLeft` will take. The last tricks are a
table; before them an alpha-beta search with a transposition table finds the value.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...envs.core.bits import popcount
from ...envs.core.compile import rule
from ...envs.core.game import Game
from .position import (
    CardsLeft,
    after_trick,
    card_values_by,
    cards_in,
    colour_of,
    highest_bit,
    highest_card,
    lay_out_table,
    lowest_of_runs,
    next_with_as_many_bits,
    other_hand,
    place_in,
    position_key,
    slot_of,
)

MAX_TABLE_VALUES = 12  # a table of all positions takes at most a second and 40 MB
MAX_SEARCH_VALUES = 24  # the first lead of a deal takes seconds; with more values, minutes
ENDGAME_TRICKS = 8  # here the search ends in a table of the last tricks
_LOG2_MEMORY = 22  # positions that the search remembers, 10 bytes each
_UNKNOWN = -1


class Solution(NamedTuple):
    """A table for the last tricks, and a transposition table for the search before them.

    `values` are laid out as `lay_out_table` says. A row of `bounds` has the least and the greatest
    possible value of the position in `keys`. `frames` is the stack of one search: a thread that
    searches needs one of its own.
    """

    num_values: int
    table_tricks: int
    starts: np.ndarray  # int64 [tricks + 1, sizes]
    values: np.ndarray  # int8
    keys: np.ndarray  # int64 [slots]
    bounds: np.ndarray  # int8 [slots, 2]
    frames: np.ndarray  # records [num_values + 1]


_FRAME_FIELDS = (
    "word",  # the position; each record of NumPy has a `size` of its own
    "first_size",
    "tricks",
    "goal",
    "low",  # the bounds known before of the position with this key
    "high",
    "slot",
    "key",
    "leads",  # cards still to be led
    "lead",
    "choice",  # of the next reply to it
    "reply",
    "leader_wins",
    "worst",  # value of the replies to the lead so far
    "best",  # value of the leads before
)
_FRAME = np.dtype((np.record, [(name, np.int64) for name in _FRAME_FIELDS]))


def solution_of(num_values: int) -> Solution:
    """The solution for colours of this many values, with a stack of its own for the search."""
    return _solution_of(num_values)._replace(frames=np.zeros(num_values + 1, _FRAME))


@lru_cache(maxsize=4)
def _solution_of(num_values: int) -> Solution:
    """The solution, made once per process."""
    has_table = num_values <= MAX_TABLE_VALUES
    table_tricks = num_values if has_table else ENDGAME_TRICKS
    starts, size = lay_out_table(num_values, table_tricks)
    slots = 1 if has_table else 1 << _LOG2_MEMORY
    solution = Solution(
        num_values,
        table_tricks,
        starts,
        np.full(size, _UNKNOWN, np.int8),
        np.zeros(slots, np.int64),
        np.zeros((slots, 2), np.int8),
        np.zeros(0, _FRAME),
    )
    _fill_table(solution)
    return solution


@rule
def dominant_reply(position, lead, choice):
    """A reply to consider: the lowest card that loses (choice 0) or wins (choice 1), or 0.

    Keeping a higher card is never worse; this was checked for every position of up to 12 values
    against all cards.
    """
    own = other_hand(position)
    fitting = own & colour_of(position, lead)
    if fitting == 0:
        return own & -own if choice == 0 else np.int64(0)
    fitting &= lead - 1 if choice == 0 else -lead
    return fitting & -fitting


# The table: bottom-up over the number of tricks left


@rule
def _fill_table(solution):
    """Compute the value of every position of up to `table_tricks` tricks."""
    most = solution.num_values
    solution.values[solution.starts[0, 0]] = 0
    for tricks in range(1, solution.table_tricks + 1):
        for size in range(max(0, 2 * tricks - most), tricks + 1):
            fill_positions(solution, tricks, size)


@rule
def fill_positions(solution, tricks, size):
    """All positions in which one colour has `size` cards left, and their mirror images."""
    size2 = 2 * tricks - size
    start, mirror = solution.starts[tricks, size], solution.starts[tricks, size2]
    below = (np.int64(1) << size) - 1
    word = (np.int64(1) << tricks) - 1
    while word < np.int64(1) << (2 * tricks):
        first, second = word & below, word >> size
        if size < size2 or first <= second:
            value = best_lead(solution, CardsLeft(word, size, tricks))
            solution.values[start + word] = value
            solution.values[mirror + (second | first << size2)] = value
        word = next_with_as_many_bits(word)


@rule
def best_lead(solution, position):
    """The highest value of leading a card."""
    best = np.int64(_UNKNOWN)
    leads = lowest_of_runs(position, position.word)
    while leads != 0 and best < position.tricks:
        best = max(best, lead_value(solution, position, leads & -leads, best))
        leads &= leads - 1
    return best


@rule
def lead_value(solution, position, lead, alpha):
    """The value of leading this card against the best response.

    It is exact only if it is more than `alpha`; otherwise it may be too high.
    """
    worst = position.tricks
    for choice in range(2):
        reply = dominant_reply(position, lead, choice)
        if reply != 0 and worst > alpha:
            worst = min(worst, trick_value(solution, position, lead, reply))
    return worst


@rule
def trick_value(solution, position, lead, reply):
    """The tricks of the leader from this trick on, once both cards are on the table."""
    leader_wins, rest = after_trick(position, lead, reply)
    value = value_of(solution, rest)
    return 1 + value if leader_wins else rest.tricks - value


@rule
def value_of(solution, position):
    """The tricks that the leader takes under perfect play."""
    if position.tricks <= solution.table_tricks:
        return table_value(solution, position)
    return search_value(solution, position)


@rule
def table_value(solution, position):
    """The value of a position of the last tricks."""
    return np.int64(solution.values[place_in(solution.starts, position)])


# The search: alpha-beta above the table of the last tricks, with a transposition table of bounds


@rule
def search_value(solution, position):
    """Find the value by null-window searches, as in MTD(f) (Plaat et al. 1996)."""
    low, high = sure_tricks(position), position.tricks
    guess = (low + high + 1) // 2
    while low < high:
        value = search(solution, position, guess)
        if value >= guess:
            low = value
            guess = low + 1
        else:
            high = value
            guess = high
    return low


@rule
def search(solution, position, goal):
    """A bound on the value: a lower one if it is at least `goal`, else an upper one.

    The search keeps its own stack, because Numba crashes when it loads a recursive function from
    disk.
    """
    frames = solution.frames
    value = open_frame(solution, frames[0], position, goal)
    last = 0 if value == _UNKNOWN else -1
    while last >= 0:
        if next_reply(frames[last]):
            value = play_reply(solution, frames[last], frames[last + 1])
            if value == _UNKNOWN:
                last += 1
                continue
        else:
            value = close_frame(solution, frames[last])
            last -= 1
        if last >= 0:
            take_value(frames[last], value)
    return value


@rule
def open_frame(solution, frame, position, goal):
    """Return a bound that is known, else begin to search for one in this frame."""
    tricks = position.tricks
    if tricks <= solution.table_tricks:
        return table_value(solution, position)
    sure = sure_tricks(position)
    if goal <= sure or sure == tricks:
        return sure
    if goal > tricks:
        return tricks
    key = position_key(position)
    slot = slot_of(key, solution.keys.shape[0])
    low, high = sure, tricks
    if solution.keys[slot] == key:
        low, high = np.int64(solution.bounds[slot, 0]), np.int64(solution.bounds[slot, 1])
    if low >= goal or high < goal:
        return low if low >= goal else high
    frame.goal = goal
    frame.low, frame.high = low, high
    frame.slot, frame.key = slot, key
    frame.best, frame.worst = 0, 0
    frame.word, frame.first_size, frame.tricks = position
    frame.leads = lowest_of_runs(position, position.word)
    return np.int64(_UNKNOWN)


@rule
def position_in(frame):
    """The position of a frame."""
    return CardsLeft(frame.word, frame.first_size, frame.tricks)


@rule
def next_reply(frame):
    """Find the next reply to examine, to this lead or another; return whether there is one."""
    while True:
        while frame.worst >= frame.goal and frame.choice < 2:
            frame.reply = dominant_reply(position_in(frame), frame.lead, frame.choice)
            frame.choice += 1
            if frame.reply != 0:
                return True
        frame.best = max(frame.best, frame.worst)
        if frame.best >= frame.goal or not next_lead(frame):
            return False


@rule
def next_lead(frame):
    """Find the next lead, the highest first; return whether there is one."""
    if frame.leads == 0:
        return False
    frame.lead = highest_card(frame.leads)
    frame.leads ^= frame.lead
    frame.choice = 0
    frame.worst = frame.tricks
    return True


@rule
def play_reply(solution, frame, following):
    """Play lead and reply of a frame: return the next leader's bound, or begin the frame after."""
    leader_wins, rest = after_trick(position_in(frame), frame.lead, frame.reply)
    frame.leader_wins = leader_wins
    goal = frame.goal - 1 if leader_wins else rest.tricks + 1 - frame.goal
    return open_frame(solution, following, rest, goal)


@rule
def take_value(frame, value):
    """Take the next leader's bound for that of the reply."""
    value = value + 1 if frame.leader_wins != 0 else frame.tricks - 1 - value
    frame.worst = min(frame.worst, value)


@rule
def close_frame(solution, frame):
    """Remember what the search found, in place of another position, and return it."""
    if frame.best >= frame.goal:
        frame.low = max(frame.low, frame.best)
    else:
        frame.high = min(frame.high, frame.best)
    solution.keys[frame.slot] = frame.key
    solution.bounds[frame.slot, 0], solution.bounds[frame.slot, 1] = frame.low, frame.high
    return frame.best


@rule
def sure_tricks(position):
    """The tricks the leader can take at once: its top cards, and all once the other is void."""
    word, size, tricks = position
    first = word & ((np.int64(1) << size) - 1)
    return sure_in_colour(first, size) + sure_in_colour(word >> size, 2 * tricks - size)


@rule
def sure_in_colour(word, size):
    """The tricks that leading a colour from the top wins before the other seat wins one."""
    own = popcount(word)
    masters = size - 1 - highest_bit(~word & ((np.int64(1) << size) - 1))
    return own if masters >= size - own else masters


# Cards


def card_values(game: Game, observations: np.ndarray) -> np.ndarray:
    """The tricks that the seat to act takes from now on, by card: int8 [B, A], -1 if illegal.

    `observations` are those of the seats to act in the two-seat game. Both seats play perfectly
    after the card.
    """
    check_solved(game)
    out = np.full((len(observations), game.num_actions), _UNKNOWN, np.int8)
    _value_cards(solution_of(game.config.num_values), *cards_in(observations), out)
    return out


@rule
def card_worth(solution, position, lead, card):
    """The tricks that the seat to act takes by this card."""
    if lead == 0:
        return lead_value(solution, position, card, np.int64(_UNKNOWN))
    return position.tricks - trick_value(solution, position, lead, card)


_value_cards = card_values_by(card_worth)


def is_solved(game: Game) -> bool:
    """Return whether the solver handles the game."""
    return game.num_seats == 2 and game.config.num_values <= MAX_SEARCH_VALUES


def check_solved(game: Game) -> None:
    """Raise ValueError for a game that is not solved, or takes minutes per card."""
    if game.num_seats != 2:
        raise ValueError(f"only trick-taking with two seats is solved, not with {game.num_seats}")
    if game.config.num_values > MAX_SEARCH_VALUES:
        raise ValueError(
            f"trick-taking is solved for up to {MAX_SEARCH_VALUES} values, "
            f"not for {game.config.num_values}"
        )
