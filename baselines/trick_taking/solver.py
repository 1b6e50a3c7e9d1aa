"""The exact solution of two-seat trick-taking: the value of every position and legal card.

Between tricks only the order of the cards left in each colour matters. For the leader, a colour is
its size and a word: bit `rank` is set if the leader owns the card of that rank among the cards
left. The colours may be exchanged. A value is the number of tricks that the leader will take.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...envs.core.bits import lowest_bit, popcount
from ...envs.core.game import Game
from ...envs.core.jit import rule

MAX_TABLE_VALUES = 12  # a table of all positions takes at most a second and 40 MB
MAX_SEARCH_VALUES = 24  # the first lead of a deal takes seconds; with more values, minutes
ENDGAME_TRICKS = 8  # here the search ends in a table of the last tricks
_LOG2_MEMORY = 22  # positions that the search remembers, 18 bytes each
_UNKNOWN = -1


class Position(NamedTuple):
    """What is left of both colours as the leader sees it, int64."""

    word: int
    size: int
    word2: int
    size2: int


class Solution(NamedTuple):
    """A table for the last tricks, and a memory for the search before them.

    `values[starts[tricks, size] + (word of a colour of that size | the other's word << size)]`.
    A row of `bounds` has the least and the greatest possible value of the position in `keys`.
    `frames` is the stack of one search: a thread that searches needs one of its own.
    """

    num_values: int
    table_tricks: int
    starts: np.ndarray  # int64 [tricks + 1, sizes]
    values: np.ndarray  # int8
    keys: np.ndarray  # int64 [slots, 2]
    bounds: np.ndarray  # int8 [slots, 2]
    frames: np.ndarray  # records [num_values + 1]


_FRAME_FIELDS = (
    *Position._fields,  # the colour led first
    "goal",
    "low",  # the bounds known before of the position with this key
    "high",
    "slot",
    "key",
    "key2",
    "is_last_colour",
    "leads",  # cards of the first colour still to be led
    "lead",
    "choice",  # of the next reply to it
    "reply",
    "can_follow",
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
    starts, size = _lay_out_table(num_values, table_tricks)
    slots = 1 if has_table else 1 << _LOG2_MEMORY
    solution = Solution(
        num_values,
        table_tricks,
        starts,
        np.full(size, _UNKNOWN, np.int8),
        np.zeros((slots, 2), np.int64),
        np.zeros((slots, 2), np.int8),
        np.zeros(0, _FRAME),
    )
    _fill_table(solution)
    return solution


def _lay_out_table(num_values: int, table_tricks: int) -> tuple[np.ndarray, int]:
    starts = np.zeros((table_tricks + 1, num_values + 1), np.int64)
    size = 0
    for tricks in range(table_tricks + 1):
        for colour_size in range(max(0, 2 * tricks - num_values), min(num_values, 2 * tricks) + 1):
            starts[tricks, colour_size] = size
            size += 1 << 2 * tricks
    return starts, size


# Positions


@rule
def without(word, card):
    """A colour after one of its cards has gone; the card is given as its bit."""
    below = card - 1
    return (word & below) | (word >> 1 & ~below)


@rule
def flipped(word, size):
    """The same colour seen by the other seat."""
    return ~word & ((np.int64(1) << size) - 1)


@rule
def lowest_of_runs(cards):
    """The lowest card of each run: cards of one owner with no other card between them are equal."""
    return cards & ~(cards << 1)


@rule
def other_first(position):
    """The same position with its colours exchanged."""
    return Position(position.word2, position.size2, position.word, position.size)


@rule
def tricks_left(position):
    """The number of tricks to come."""
    return (position.size + position.size2) >> 1


@rule
def dominant_reply(position, lead, choice):
    """A reply to consider: the lowest card that loses (choice 0) or wins (choice 1).

    Keeping a higher card is never worse; this was checked for every position of up to 12 values
    against all cards. Returns the reply, or 0 if there is none, and whether it is of the colour
    led, which is the first.
    """
    own = flipped(position.word, position.size)
    if own == 0:
        other = flipped(position.word2, position.size2)
        return (other & -other if choice == 0 else np.int64(0)), False
    fitting = own & (lead - 1) if choice == 0 else own & ~(lead - 1)
    return fitting & -fitting, True


@rule
def after_trick(position, lead, reply, can_follow):
    """Whether the leader wins, and the position as the next leader sees it."""
    word, size, word2, size2 = position
    if not can_follow:
        return True, Position(without(word, lead), size - 1, without(word2, reply), size2 - 1)
    word = without(without(word, max(lead, reply)), min(lead, reply))
    if lead > reply:
        return True, Position(word, size - 2, word2, size2)
    return False, Position(flipped(word, size - 2), size - 2, flipped(word2, size2), size2)


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
    words = (np.int64(1) << tricks) - 1
    while words < np.int64(1) << (2 * tricks):
        word, word2 = words & below, words >> size
        if size < size2 or word <= word2:
            position = Position(word, size, word2, size2)
            value = best_lead(solution, position, np.int64(_UNKNOWN))
            value = best_lead(solution, other_first(position), value)
            solution.values[start + words] = value
            solution.values[mirror + (word2 | word << size2)] = value
        words = next_with_as_many_bits(words)


@rule
def next_with_as_many_bits(word):
    """The next larger word with the same number of bits set (Gosper)."""
    lowest = word & -word
    ripple = word + lowest
    return ripple | (((word ^ ripple) >> 2) // lowest)


@rule
def best_lead(solution, position, best):
    """The highest value of leading a card of the first colour, or `best` if that is more."""
    leads = lowest_of_runs(position.word)
    while leads != 0 and best < tricks_left(position):
        lead = leads & -leads
        leads ^= lead
        best = max(best, lead_value(solution, position, lead, best))
    return best


@rule
def lead_value(solution, position, lead, enough):
    """The value of leading this card of the first colour against the best reply.

    It is exact only if it is more than `enough`; otherwise it may be too high.
    """
    worst = tricks_left(position)
    for choice in range(2):
        reply, can_follow = dominant_reply(position, lead, choice)
        if reply != 0 and worst > enough:
            worst = min(worst, trick_value(solution, position, lead, reply, can_follow))
    return worst


@rule
def trick_value(solution, position, lead, reply, can_follow):
    """The tricks of the leader from this trick on, once both cards are on the table."""
    leader_wins, rest = after_trick(position, lead, reply, can_follow)
    value = value_of(solution, rest)
    return 1 + value if leader_wins else tricks_left(rest) - value


@rule
def value_of(solution, position):
    """The tricks that the leader takes under perfect play."""
    if tricks_left(position) <= solution.table_tricks:
        return table_value(solution, position)
    return search_value(solution, position)


@rule
def table_value(solution, position):
    """The value of a position of the last tricks."""
    start = solution.starts[tricks_left(position), position.size]
    return np.int64(solution.values[start + (position.word | position.word2 << position.size)])


# The search: alpha-beta above the table, with a memory of bounds


@rule
def search_value(solution, position):
    """Find the value by searches that each decide whether it is at least some goal."""
    low, high = sure_tricks(position), tricks_left(position)
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
    tricks = tricks_left(position)
    if tricks <= solution.table_tricks:
        return table_value(solution, position)
    sure = sure_tricks(position)
    if goal <= sure or sure == tricks:
        return sure
    if goal > tricks:
        return tricks
    slot, key, key2 = slot_of(solution, position)
    low, high = sure, tricks
    if solution.keys[slot, 0] == key and solution.keys[slot, 1] == key2:
        low, high = np.int64(solution.bounds[slot, 0]), np.int64(solution.bounds[slot, 1])
    if low >= goal or high < goal:
        return low if low >= goal else high
    frame.goal = goal
    frame.low, frame.high = low, high
    frame.slot, frame.key, frame.key2 = slot, key, key2
    frame.best, frame.worst = 0, 0
    frame.is_last_colour = 0
    set_colours(frame, position)
    return np.int64(_UNKNOWN)


@rule
def set_colours(frame, position):
    """Prepare the leads of the first colour of a position."""
    frame.word, frame.size, frame.word2, frame.size2 = position
    frame.leads = lowest_of_runs(position.word)


@rule
def position_in(frame):
    """The position of a frame, the colour led first."""
    return Position(frame.word, frame.size, frame.word2, frame.size2)


@rule
def next_reply(frame):
    """Find the next reply to examine, to this lead or another; return whether there is one."""
    while True:
        while frame.worst >= frame.goal and frame.choice < 2:
            reply, can_follow = dominant_reply(position_in(frame), frame.lead, frame.choice)
            frame.reply, frame.can_follow = reply, can_follow
            frame.choice += 1
            if reply != 0:
                return True
        frame.best = max(frame.best, frame.worst)
        if frame.best >= frame.goal or not next_lead(frame):
            return False


@rule
def next_lead(frame):
    """Find the next lead, the highest first; return whether there is one."""
    if frame.leads == 0 and frame.is_last_colour == 0:
        frame.is_last_colour = 1
        set_colours(frame, other_first(position_in(frame)))
    if frame.leads == 0:
        return False
    frame.lead = np.int64(1) << highest_bit(frame.leads)
    frame.leads ^= frame.lead
    frame.choice = 0
    frame.worst = tricks_left(position_in(frame))
    return True


@rule
def play_reply(solution, frame, following):
    """Play lead and reply of a frame: return the next leader's bound, or begin the frame after."""
    leader_wins, rest = after_trick(
        position_in(frame), frame.lead, frame.reply, frame.can_follow != 0
    )
    frame.leader_wins = leader_wins
    goal = frame.goal - 1 if leader_wins else tricks_left(rest) + 1 - frame.goal
    return open_frame(solution, following, rest, goal)


@rule
def take_value(frame, value):
    """Take the next leader's bound for that of the reply."""
    if frame.leader_wins != 0:
        value += 1
    else:
        value = tricks_left(position_in(frame)) - 1 - value
    frame.worst = min(frame.worst, value)


@rule
def close_frame(solution, frame):
    """Remember what the search found, and return it."""
    if frame.best >= frame.goal:
        frame.low = max(frame.low, frame.best)
    else:
        frame.high = min(frame.high, frame.best)
    remember(solution, frame)
    return frame.best


@rule
def sure_tricks(position):
    """The tricks the leader can take at once: its top cards, and all once the other is void."""
    word, size, word2, size2 = position
    return sure_in_colour(word, size) + sure_in_colour(word2, size2)


@rule
def sure_in_colour(word, size):
    """The tricks that leading a colour from the top wins before the other seat wins one."""
    own = popcount(word)
    masters = size - 1 - highest_bit(flipped(word, size))
    return own if masters >= size - own else masters


@rule
def highest_bit(word):
    """The index of the highest bit set in a word of up to 32 bits; -1 for an empty one."""
    word |= word >> 1
    word |= word >> 2
    word |= word >> 4
    word |= word >> 8
    word |= word >> 16
    return popcount(word) - 1


@rule
def slot_of(solution, position):
    """The memory slot of a position, and the two words of its key, the lower first."""
    key = position.word | np.int64(1) << position.size
    key2 = position.word2 | np.int64(1) << position.size2
    if key > key2:
        key, key2 = key2, key
    mixed = (key * np.int64(0x1E3779B97F4A7C15)) ^ (key2 * np.int64(0x3F58476D1CE4E5B9))
    mixed ^= mixed >> 29
    mixed *= np.int64(0x14D049BB133111EB)
    return (mixed >> 32) & (solution.keys.shape[0] - 1), key, key2


@rule
def remember(solution, frame):
    """Store the bounds of a position, replacing another one in its slot."""
    slot = frame.slot
    solution.keys[slot, 0], solution.keys[slot, 1] = frame.key, frame.key2
    solution.bounds[slot, 0], solution.bounds[slot, 1] = frame.low, frame.high


# Cards: from an observation to the value of each legal card


def card_values(game: Game, observations: np.ndarray) -> np.ndarray:
    """The tricks that the seat to act takes from now on, by card: int8 [B, A], -1 if illegal.

    `observations` are those of the seats to act in the two-seat game. Both seats play perfectly
    after the card.
    """
    check_solved(game)
    out = np.full((len(observations), game.num_actions), _UNKNOWN, np.int8)
    led = observations["led_colour"].astype(np.int64)
    hands, others, tables = (
        np.ascontiguousarray(observations[name]) for name in ("hand", "unseen", "table")
    )
    _value_cards(solution_of(game.config.num_values), hands, others, tables, led, out)
    return out


@rule
def _value_cards(solution, hands, others, tables, led, out):
    for row in range(hands.shape[0]):
        if led[row] < 0:
            value_leads(solution, hands[row], others[row], out[row])
        else:
            value_replies(solution, hands[row], others[row], tables[row], led[row], out[row])


@rule
def value_leads(solution, hand, other, out):
    """The value of each card that the leader may play."""
    for colour in range(2):
        position = position_of(hand, other, colour)
        cards = hand[colour]
        while cards != 0:
            value = lowest_bit(cards)
            cards &= cards - 1
            lead = np.int64(1) << rank_of(hand[colour] | other[colour], value)
            none = np.int64(_UNKNOWN)
            worth = lead_value(solution, position, lead, none)
            out[colour * solution.num_values + value] = worth


@rule
def value_replies(solution, hand, other, table, led, out):
    """The value of each card that the follower may play; the leader's card is on the table."""
    tricks = popcount(hand[0]) + popcount(hand[1])
    word, size = ranked(other[led] | table[led], hand[led])
    word2, size2 = ranked(other[1 - led], hand[1 - led])
    position = Position(word, size, word2, size2)
    all_led = hand[led] | other[led] | table[led]
    lead = np.int64(1) << rank_of(all_led, lowest_bit(table[led]))
    can_follow = hand[led] != 0
    colour = led if can_follow else 1 - led
    all_cards = all_led if can_follow else hand[colour] | other[colour]
    cards = hand[colour]
    while cards != 0:
        value = lowest_bit(cards)
        cards &= cards - 1
        reply = np.int64(1) << rank_of(all_cards, value)
        worth = trick_value(solution, position, lead, reply, can_follow)
        out[colour * solution.num_values + value] = tricks - worth


@rule
def position_of(hand, other, colour):
    """The position for the leader, who holds `hand`; this colour is the first."""
    word, size = ranked(hand[colour], other[colour])
    word2, size2 = ranked(hand[1 - colour], other[1 - colour])
    return Position(word, size, word2, size2)


@rule
def rank_of(cards, value):
    """The number of these cards that are lower."""
    return popcount(cards & ((np.int64(1) << value) - 1))


@rule
def ranked(own, other):
    """A colour as a word of ranks, and its size."""
    cards = own | other
    word, size = np.int64(0), np.int64(0)
    while cards != 0:
        lowest = cards & -cards
        if own & lowest != 0:
            word |= np.int64(1) << size
        size += 1
        cards ^= lowest
    return word, size


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
