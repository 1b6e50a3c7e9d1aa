"""President for two seats, solved: each seat knows the other's hand, so every position has a value.

A depth-first search for a win. It sees runs to the end at once, tries first what leaves fewest weak
groups, and remembers leads up to renamings of the ranks that change nothing.
"""

import numpy as np

from ...envs.core.bits import gather_mask, is_allowed, lowest_bit, popcount
from ...envs.core.game import NO_ACTION, Game
from ...envs.core.jit import rule
from ...envs.president.rules import (
    ALL_OF_RANK,
    ALL_PLAYS,
    NUM_CARDS,
    NUM_RANKS,
    NUM_SUITS,
    PASS,
    RANK_BITS,
    beating,
    remove_cards,
)

MEMORY_ENTRIES = 1 << 20  # 16 MB; a power of two
_NOT_THE_LARGEST = 0x7777777777  # of each rank, all bits but that of four cards
_HAND_BITS = 40

# Which plays to try first: measured on deals of 14 to 20 cards each, ten times fewer positions than
# in order of rank.
_OWN_WEAK_GROUP, _OTHER_WEAK_GROUP, _GROUP, _TO_LEAD, _TO_PASS = -6, 3, -3, 6, -6
_WINS, _LOSES = 1000, -1000

_MIX_1 = np.uint64(0x9E3779B97F4A7C15)
_MIX_2 = np.uint64(0xBF58476D1CE4E5B9)

_MAX_PLIES = 2 * NUM_CARDS + 1  # each play is followed by at most one pass
_MAX_MOVES = NUM_CARDS + 1


_UNKNOWN = -1
FRAME = np.dtype(
    (
        np.record,
        [
            ("own", np.int64),  # hands of the seat to act and of the other
            ("other", np.int64),
            ("key_own", np.int64),  # the same as remembered
            ("key_other", np.int64),
            ("is_leading", np.int64),
            ("num_moves", np.int64),
            ("next_move", np.int64),
            ("keeps_turn", np.int64),  # whether who made the last move also acts after it
            ("value", np.int64),  # of the last move: 1 wins
        ],
    )
)


class Solver:
    """Exact values of two-seat positions, with a memory that only makes later answers faster."""

    def __init__(self, game: Game) -> None:
        if game.name != "president" or game.num_seats != 2:
            raise ValueError(f"only President with 2 players can be solved, not {game!r}")
        self._memory = np.zeros((MEMORY_ENTRIES, 2), np.int64)
        self._moves = np.zeros((_MAX_PLIES, _MAX_MOVES, 2), np.int64)
        self._frames = np.zeros(_MAX_PLIES, FRAME)

    def winning_actions(
        self, observations: np.ndarray, action_masks: np.ndarray, most_cards: int = NUM_CARDS
    ) -> np.ndarray:
        """For each row an action that wins this game against any defence: int64 [B].

        NO_ACTION where there is none, where cards are still to be given back, and where both seats
        together hold more than `most_cards`.
        """
        actions = np.empty(len(observations), np.int64)
        words = np.zeros(1, np.int64)
        _solve_rows(
            observations,
            action_masks,
            most_cards,
            words,
            self._memory,
            self._moves,
            self._frames,
            actions,
        )
        return actions

    def can_win(self, own: int, other: int, table_action: int = PASS) -> bool:
        """Whether the seat to act wins, from both hands (as in the state) and the play to beat."""
        is_leading = table_action == PASS
        plays = own if is_leading else own & int(beating(np.int64(table_action - 1)))
        hands = np.array([own, other, plays, is_leading], np.int64)
        return bool(_solve_one(hands, self._memory, self._moves, self._frames))


@rule
def _solve_one(hands, memory, moves, frames):
    return mover_wins(hands[0], hands[1], hands[2], hands[3], memory, moves, frames)


@rule
def _solve_rows(observations, action_masks, most_cards, words, memory, moves, frames, actions):
    for row in range(observations.shape[0]):
        observation = observations[row]
        num_cards = observation.hand_sizes[0] + observation.hand_sizes[1]
        actions[row] = NO_ACTION
        if observation.gives_left == 0 and num_cards <= most_cards:
            gather_mask(action_masks[row], words)
            own, other = both_hands(observation)
            actions[row] = winning_action(own, other, words, memory, moves, frames)


@rule
def both_hands(observation):
    """The own hand as a word of plays, and the other's: all cards neither held nor played."""
    own = np.int64(0)
    other = np.int64(0)
    for rank in range(NUM_RANKS):
        held = np.int64(observation.hand[rank])
        unseen = NUM_SUITS - held - observation.played[rank]
        own |= ((1 << held) - 1) << (RANK_BITS * rank)
        other |= ((1 << unseen) - 1) << (RANK_BITS * rank)
    return own, other


@rule
def winning_action(own, other, mask, memory, moves, frames):
    """The first of the legal actions, best chances first, that wins; NO_ACTION if none does."""
    is_leading = 0 if is_allowed(mask, PASS) else 1
    plays = (mask[0] >> 1) & ALL_PLAYS
    if mover_wins(own, other, plays, is_leading, memory, moves, frames):
        return moves[0, 0, 0] + 1
    return np.int64(NO_ACTION)


@rule
def mover_wins(own, other, plays, is_leading, memory, moves, frames):
    """Whether the seat to act, which may make these plays (or pass unless it leads), wins.

    Leaves the winning move at moves[0, 0, 0]. The search keeps its own stack of frames: Numba
    crashes where it loads a function that calls itself from its disk cache.
    """
    open_frame(frames[0], own, other, plays, is_leading, moves[0])
    depth = 0
    while True:
        frame = frames[depth]
        if frame.value == 1 or frame.next_move == frame.num_moves:
            if depth == 0:
                moves[0, 0, 0] = moves[0, frame.next_move - 1, 0]
                return frame.value == 1
            remember_frame(memory, frame)
            depth -= 1
            take_value(frames[depth], frame.value)
        else:
            play = moves[depth, frame.next_move, 0]
            frame.next_move += 1
            value = follow_move(frame, play, frames[depth + 1], memory, moves[depth + 1])
            if value == _UNKNOWN:
                depth += 1
            else:
                take_value(frame, value)


@rule
def open_frame(frame, own, other, plays, is_leading, moves):
    """Begin the search of a position: nothing tried so far, and so nothing won."""
    frame.own = own
    frame.other = other
    frame.is_leading = is_leading
    frame.value = 0
    frame.next_move = 0
    frame.num_moves = list_moves(own, other, plays, is_leading, moves)


@rule
def take_value(frame, value):
    """What the position after the last move is worth to who made it."""
    frame.value = value if frame.keeps_turn else 1 - value


@rule
def follow_move(frame, play, child, memory, moves):
    """The value, for its seat to act, of the position after a play (a pass: -1) where it is known.

    Otherwise _UNKNOWN, and `child` is ready to be searched.
    """
    own = frame.own
    other = frame.other
    frame.keeps_turn = 1
    if play < 0:
        frame.keeps_turn = 0
        return enter_lead(child, other, own, memory, moves)
    mine = remove_cards(own, play >> 2, (play & 3) + 1)
    if mine == 0:
        return np.int64(1)
    replies = other & beating(play)
    if replies == 0:
        return enter_lead(child, mine, other, memory, moves)
    frame.keeps_turn = 0
    open_frame(child, other, mine, replies, 0, moves)
    return np.int64(_UNKNOWN)


@rule
def enter_lead(child, own, other, memory, moves):
    """The value of a lead that may be any play: by running home, from memory, or _UNKNOWN."""
    if runs_home(own, other):
        return np.int64(1)
    key = canonical(own, other)
    value = recall(memory, key)
    if value == _UNKNOWN:
        open_frame(child, own, other, own, 1, moves)
        child.key_own = key[0]
        child.key_other = key[1]
    return value


@rule
def remember_frame(memory, frame):
    """Only leads are remembered: within a round few positions come twice."""
    if frame.is_leading:
        remember(memory, (frame.key_own, frame.key_other), frame.value)


# Which moves, in which order


@rule
def list_moves(own, other, plays, is_leading, out):
    """Write the moves that do not lose at once as (play, merit), best first; returns how many.

    Where one wins at once, it is the only one.
    """
    num_moves = 0
    while plays != 0:
        play = lowest_bit(plays)
        plays &= plays - 1
        merit = merit_of_play(own, other, play)
        if merit == _WINS:
            out[0, 0] = play
            return 1
        num_moves = insert_move(out, num_moves, play, merit)
    if is_leading == 0 and not runs_home(other, own):
        num_moves = insert_move(out, num_moves, -1, merit_of_hands(own, other) + _TO_PASS)
    return num_moves


@rule
def insert_move(out, num_moves, play, merit):
    """Put a move in its place; one that loses at once is left out."""
    if merit == _LOSES:
        return num_moves
    place = num_moves
    while place > 0 and out[place - 1, 1] < merit:
        out[place, 0] = out[place - 1, 0]
        out[place, 1] = out[place - 1, 1]
        place -= 1
    out[place, 0] = play
    out[place, 1] = merit
    return num_moves + 1


@rule
def merit_of_play(own, other, play):
    """How promising a play is; _WINS or _LOSES where that can be seen at once."""
    mine = remove_cards(own, play >> 2, (play & 3) + 1)
    replies = other & beating(play)
    if mine == 0 or (replies == 0 and runs_home(mine, other)):
        return _WINS
    if replies == 0:
        return merit_of_hands(mine, other) + _TO_LEAD
    if answers_home(other, mine, replies):
        return _LOSES
    return merit_of_hands(mine, other)


@rule
def merit_of_hands(own, other):
    """Few groups, few of them weak, and many weak ones on the other side."""
    return (
        _OWN_WEAK_GROUP * popcount(weak_groups(own, other))
        + _OTHER_WEAK_GROUP * popcount(weak_groups(other, own))
        + _GROUP * popcount(groups(own))
    )


@rule
def groups(hand):
    """The plays that take all cards of a rank: one bit for each rank held."""
    return hand & ~((hand >> 1) & _NOT_THE_LARGEST)


@rule
def beatable(hand):
    """All plays that this hand can beat: as many cards of a lower rank than one of its plays."""
    lower = hand >> RANK_BITS
    for shift in (RANK_BITS, 2 * RANK_BITS, 4 * RANK_BITS, 8 * RANK_BITS):
        lower |= lower >> shift
    return lower


@rule
def weak_groups(own, other):
    """The groups that the other hand can beat."""
    return groups(own) & beatable(other)


@rule
def runs_home(own, other):
    """Whoever leads and has at most one weak group plays it last, and is not stopped."""
    weak = weak_groups(own, other)
    return weak & (weak - 1) == 0


@rule
def answers_home(own, other, replies):
    """Whether one of the replies empties the hand, or cannot be beaten and then runs home."""
    held = groups(own)
    if held & (held - 1) == 0 and replies & held != 0:
        return True
    safe = replies & ~beatable(other)
    while safe != 0:
        play = lowest_bit(safe)
        safe &= safe - 1
        if runs_home(remove_cards(own, play >> 2, (play & 3) + 1), other):
            return True
    return False


# The memory


@rule
def canonical(own, other):
    """Both hands renamed so that positions of equal value look alike.

    Only the order between one's own ranks and the other's matters: ranks that nobody holds are
    left out, and neighbouring ranks that one seat alone holds are put in order of size.
    """
    new_own = np.int64(0)
    new_other = np.int64(0)
    shift = 0
    run_start = 0  # of the neighbouring ranks that the seat of the last rank alone holds
    was_own = False
    for _ in range(NUM_RANKS):
        mine = own & ALL_OF_RANK
        theirs = other & ALL_OF_RANK
        own >>= RANK_BITS
        other >>= RANK_BITS
        if mine == 0 and theirs == 0:
            continue
        is_shared = mine != 0 and theirs != 0
        if is_shared or was_own != (mine != 0):
            run_start = shift
        if mine != 0:
            new_own = insert_group(new_own, run_start, shift, mine)
        if theirs != 0:
            new_other = insert_group(new_other, run_start, shift, theirs)
        shift += RANK_BITS
        was_own = mine != 0
        if is_shared:
            run_start = shift
    return new_own, new_other


@rule
def insert_group(hand, run_start, shift, group):
    """Put a group into the run that begins at `run_start`, smaller groups lower."""
    while shift > run_start and (hand >> (shift - RANK_BITS)) & ALL_OF_RANK > group:
        larger = (hand >> (shift - RANK_BITS)) & ALL_OF_RANK
        hand ^= (larger << (shift - RANK_BITS)) | (larger << shift)
        shift -= RANK_BITS
    return hand | (group << shift)


@rule
def bucket_of(memory, key):
    """The first of the two places of a position."""
    word = (np.uint64(key[0]) * _MIX_1) ^ (np.uint64(key[1]) * _MIX_2)
    word = (word ^ (word >> np.uint64(29))) * _MIX_2
    return np.int64(word >> np.uint64(33)) & (memory.shape[0] - 2)


@rule
def recall(memory, key):
    """1 or 0 for a remembered win or loss of the leader, else _UNKNOWN."""
    first = bucket_of(memory, key)
    for place in range(first, first + 2):
        if memory[place, 0] & ALL_PLAYS == key[0] and memory[place, 1] & ALL_PLAYS == key[1]:
            return memory[place, 0] >> _HAND_BITS
    return np.int64(_UNKNOWN)


@rule
def remember(memory, key, value):
    """The first place keeps what took more cards, the second what came last."""
    place = bucket_of(memory, key)
    num_cards = popcount(key[0]) + popcount(key[1])
    if num_cards < memory[place, 1] >> _HAND_BITS:
        place += 1
    memory[place, 0] = key[0] | (np.int64(value) << _HAND_BITS)
    memory[place, 1] = key[1] | (num_cards << _HAND_BITS)
