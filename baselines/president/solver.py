"""Solve President for two seats: each knows the other's hand, so every position has a value.

The solver searches depth first for a win. It recognises runs to the end at once, leaves out plays
that another play dominates, tries plays that leave the fewest weak groups first, of them those of
more cards, and remembers leads up to renamings of ranks that change nothing.

Four facts are used.

* Raise some cards of a hand, and keep cards of one rank together, though ranks may merge. Whatever
  the hand could play before, it can play now, at least as high, and no reply to it is added: so it
  still wins if it did.
* Of plays that the same replies answer, only the hands that remain matter.
* A play that loses to one reply shows that others lose to the same reply; see `note_refutation`.
* Without its lowest group, if the other seat holds no lower card, a seat does no worse; see
  `try_without_lowest`.
"""

import threading

import numpy as np

from ...envs.core.bits import gather_mask, is_allowed, lowest_bit, popcount
from ...envs.core.compile import rule
from ...envs.core.game import NO_ACTION, Game
from ...envs.president.rules import (
    ALL_OF_RANK,
    ALL_PLAYS,
    NUM_ACTIONS,
    NUM_CARDS,
    NUM_RANKS,
    NUM_SUITS,
    ONE_OF_EACH_RANK,
    PASS,
    RANK_BITS,
    beating,
    remove_cards,
)

MEMORY_ENTRIES = 1 << 20  # 16 MB; a power of two
MEMORY_OF_FULL_DEALS = 1 << 23  # 128 MB
_NOT_THE_LARGEST = 0x7777777777  # for each rank all bits but that of four cards
_HAND_BITS = 40

# The order of plays. On deals of 14 to 20 cards each, earlier weights visited ten times fewer
# positions than the order of ranks. These visit 45 % fewer than the earlier ones; they were chosen
# by hand on 88 full deals, none of which the study has (docs/studies/president_perfect.py).
_OWN_WEAK_GROUP, _OTHER_WEAK_GROUP, _GROUP, _CARD, _TO_LEAD, _TO_PASS = -6, 6, -3, 2, 6, -10
_WINS, _LOSES = 1000, -1000

_MIX_1 = np.uint64(0x9E3779B97F4A7C15)
_MIX_2 = np.uint64(0xBF58476D1CE4E5B9)

_MAX_PLIES = 2 * NUM_CARDS + 1  # each play is followed by at most one pass
_MAX_MOVES = NUM_CARDS + 1  # plays, and a pass or a drop


_UNKNOWN = -1

# What the search may do instead of a play
_PASS, _DROP_OWN, _DROP_OTHER = -1, -2, -3  # see `try_without_lowest`
_FIRST = 999  # the merit of a drop

FRAME = np.dtype(
    (
        np.record,
        [
            ("own", np.int64),  # hands of the seat to act and of the other
            ("other", np.int64),
            ("key_own", np.int64),  # the hands as the memory has them
            ("key_other", np.int64),
            ("is_leading", np.int64),
            ("num_moves", np.int64),
            ("next_move", np.int64),
            ("keeps_turn", np.int64),  # whether the seat that made the last move also acts next
            ("value", np.int64),  # of the last move: 1 wins
            ("refuted", np.int64),  # the plays that lose to a reply found before
        ],
    )
)


class Solver:
    """Exact values of two-seat positions, with a transposition table.

    The table keeps values from call to call; it only makes later answers faster.
    """

    def __init__(self, game: Game, memory_entries: int = MEMORY_ENTRIES) -> None:
        """Make a transposition table of `memory_entries` positions of 16 bytes, a power of two."""
        if game.name != "president" or game.num_seats != 2:
            raise ValueError(f"only President with 2 players can be solved, not {game!r}")
        self._lock = threading.Lock()  # threads must not share the memory
        self._memory = np.zeros((memory_entries, 2), np.int64)
        self._moves = np.zeros((_MAX_PLIES, _MAX_MOVES, 2), np.int64)
        self._frames = np.zeros(_MAX_PLIES, FRAME)

    def winning_actions(
        self, observations: np.ndarray, action_masks: np.ndarray, most_cards: int = NUM_CARDS
    ) -> np.ndarray:
        """Return for each row an action that wins this game against any defence: int64 [B].

        It is NO_ACTION if there is none, if cards are still to be given back, and if both seats
        together hold more than `most_cards`.
        """
        actions = np.empty(len(observations), np.int64)
        scratch = np.zeros(1, np.int64), self._memory, self._moves, self._frames
        with self._lock:
            _solve_rows(observations, action_masks, most_cards, *scratch, actions)
        return actions

    def action_wins(self, observations: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """Return for each row whether its action, a play or pass, wins: bool [B]."""
        masks = np.zeros((len(observations), NUM_ACTIONS), np.int8)
        masks[np.arange(len(masks)), actions] = 1
        return self.winning_actions(observations, masks) != NO_ACTION

    def forget(self) -> None:
        """Clear the transposition table."""
        self._memory[:] = 0


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
    """Both hands as words of plays; the other's is all cards neither held nor played."""
    own = np.int64(0)
    other = np.int64(0)
    for rank in range(NUM_RANKS):
        count = np.int64(observation.hand[rank])
        unseen = NUM_SUITS - count - observation.played[rank]
        own |= ((1 << count) - 1) << (RANK_BITS * rank)
        other |= ((1 << unseen) - 1) << (RANK_BITS * rank)
    return own, other


@rule
def winning_action(own, other, mask, memory, moves, frames):
    """The first legal action that wins, most promising first; NO_ACTION if none does."""
    is_leading = 0 if is_allowed(mask, PASS) else 1
    plays = (mask[0] >> 1) & ALL_PLAYS
    if mover_wins(own, other, plays, is_leading, memory, moves, frames):
        return moves[0, 0, 0] + 1
    return np.int64(NO_ACTION)


@rule
def mover_wins(own, other, plays, is_leading, memory, moves, frames):
    """Whether the seat to act, which may make these plays (or pass unless it leads), wins.

    Leaves the winning move at moves[0, 0, 0]. The search keeps its own stack of frames, because
    Numba crashes when it loads a recursive function from its disk cache.
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
            note_refutation(frames[depth], moves[depth], frame, moves[depth + 1])
            take_value(frames[depth], moves[depth], frame.value)
            continue
        play = moves[depth, frame.next_move, 0]
        frame.next_move += 1
        if play >= 0 and (frame.refuted >> play) & 1:
            continue
        value = follow_move(frame, play, frames[depth + 1], memory, moves[depth + 1])
        if value == _UNKNOWN:
            depth += 1
        else:
            take_value(frame, moves[depth], value)


@rule
def open_frame(frame, own, other, plays, is_leading, moves):
    """Begin the search of a position."""
    frame.own = own
    frame.other = other
    frame.is_leading = is_leading
    frame.value = 0
    frame.refuted = 0
    frame.next_move = 0
    frame.num_moves = list_moves(own, other, plays, is_leading, moves)


@rule
def take_value(frame, moves, value):
    """The value of the position after the last move for the seat that made it.

    A seat that loses without its lowest group loses; one that wins without it may win or lose.
    """
    if moves[frame.next_move - 1, 0] != _DROP_OWN:
        frame.value = value if frame.keeps_turn else 1 - value
    elif value == 0:
        frame.next_move = frame.num_moves


@rule
def note_refutation(frame, moves, child, replies):
    """Note which plays lose, now that a play has lost to the winning reply (or pass) of `child`.

    If the play was a whole group, they are those of as many cards that are higher, but lower than
    the reply. The same reply answers them. They keep the group and give cards of a higher rank
    instead: raise the group to that rank, and the hand is the one that loses.
    """
    play = moves[frame.next_move - 1, 0]
    if play < 0 or child.is_leading or child.value == 0:
        return
    group = (frame.own >> (play & -RANK_BITS)) & ALL_OF_RANK
    if group >> (play & 3) == 1:
        reply = replies[child.next_move - 1, 0]
        lower = ALL_PLAYS if reply < 0 else (1 << (reply & -RANK_BITS)) - 1
        frame.refuted |= beating(play) & lower


@rule
def follow_move(frame, play, child, memory, moves):
    """The value of the position after a play, pass or drop for its seat to act, if known.

    Otherwise return _UNKNOWN and prepare `child` for the search.
    """
    own = frame.own
    other = frame.other
    frame.keeps_turn = 1
    if play == _DROP_OWN:
        return enter_lead(child, without_lowest(own), other, memory, moves)
    if play == _DROP_OTHER:
        return enter_lead(child, own, without_lowest(other), memory, moves)
    if play == _PASS:
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
    """The value of a position to lead from: by running home, from memory, or _UNKNOWN."""
    if runs_home(own, other):
        return np.int64(1)
    key = canonical(own, other)
    value = recall(memory, key)
    if value == _UNKNOWN:
        open_frame(child, own, other, own, 1, moves)
        child.key_own = key[0]
        child.key_other = key[1]
        try_without_lowest(child, moves)
    return value


@rule
def try_without_lowest(frame, moves):
    """Before its other moves, solve a lead without the lowest group of one seat, where that helps.

    If the other seat holds no lower card, the group can beat nothing, now or later: it can only be
    led. A seat that wins with it wins without it too, if it makes the same moves, but for leads of
    the group: there it goes on as if the other seat had passed. (Its hand is then empty no later.)
    So a leader that loses without it loses, and a leader that wins against a hand without it wins.
    Whether the first or the second is likelier depends on who has more weak groups.
    """
    if frame.num_moves < 2:
        return
    own_lowest = lowest_bit(frame.own) >> 2
    other_lowest = lowest_bit(frame.other) >> 2
    num_own = popcount(weak_groups(frame.own, frame.other))
    num_other = popcount(weak_groups(frame.other, frame.own))
    if num_own >= num_other and own_lowest <= other_lowest:
        frame.num_moves = insert_move(moves, frame.num_moves, _DROP_OWN, _FIRST)
    if num_own < num_other and other_lowest <= own_lowest:
        frame.num_moves = insert_move(moves, frame.num_moves, _DROP_OTHER, _FIRST)


@rule
def without_lowest(hand):
    """The hand without its lowest group."""
    return hand & ~(ALL_OF_RANK << (lowest_bit(hand) & -RANK_BITS))


@rule
def remember_frame(memory, frame):
    """Remember leads only, because within a round few positions recur."""
    if frame.is_leading:
        remember(memory, (frame.key_own, frame.key_other), frame.value)


# Moves and their order


@rule
def list_moves(own, other, plays, is_leading, out):
    """Write the moves that do not lose at once as (play, merit), best first; return their number.

    If a move wins at once, it is the only one.
    """
    num_moves = 0
    left = plays
    while left != 0:
        play = lowest_bit(left)
        left &= left - 1
        if is_dominated(own, other, plays, play):
            continue
        merit = merit_of_play(own, other, play)
        if merit == _WINS:
            out[0, 0] = play
            return 1
        num_moves = insert_move(out, num_moves, play, merit)
    if is_leading == 0 and not runs_home(other, own):
        num_moves = insert_move(out, num_moves, _PASS, merit_of_hands(own, other) + _TO_PASS)
    return num_moves


@rule
def is_dominated(own, other, plays, play):
    """Whether a lower play that is also possible is at least as good.

    It is if both play as many cards of groups of the same size, and if either

    * both play the whole group, and the other seat has no reply to the lower play that is none to
      the higher one. Then the lower play leaves the same hand but for a higher group; or
    * the other seat holds no cards from the lower rank up to the higher one. Then the groups are
      alike but for their names.
    """
    count = play & 3
    rank = play >> 2
    size = (own >> (RANK_BITS * rank)) & ALL_OF_RANK
    is_whole = size >> count == 1
    for lower in range(rank - 1, -1, -1):
        answers = other >> (RANK_BITS * (lower + 1)) & ALL_OF_RANK
        if answers >> (count if is_whole else 0) & 1:
            return False
        is_shared = not is_whole and (other >> (RANK_BITS * lower)) & 1
        is_alike = (own >> (RANK_BITS * lower)) & ALL_OF_RANK == size
        if is_alike and not is_shared:
            return plays >> (RANK_BITS * lower + count) & 1 == 1
    return False


@rule
def insert_move(out, num_moves, play, merit):
    """Insert a move in order of merit; leave out one that loses at once."""
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
    """The merit of a play; _WINS or _LOSES if that is clear at once."""
    mine = remove_cards(own, play >> 2, (play & 3) + 1)
    replies = other & beating(play)
    if mine == 0 or (replies == 0 and runs_home(mine, other)):
        return _WINS
    if replies == 0:
        return merit_of_hands(mine, other) + _CARD * (play & 3) + _TO_LEAD
    if answers_home(other, mine, replies):
        return _LOSES
    return merit_of_hands(mine, other) + _CARD * (play & 3)


@rule
def merit_of_hands(own, other):
    """A merit that prefers few groups, few weak ones, and many weak ones of the other seat."""
    return (
        _OWN_WEAK_GROUP * popcount(weak_groups(own, other))
        + _OTHER_WEAK_GROUP * popcount(weak_groups(other, own))
        + _GROUP * popcount(groups(own))
    )


@rule
def groups(hand):
    """The plays of all cards of a rank: one bit for each rank held."""
    return hand & ~((hand >> 1) & _NOT_THE_LARGEST)


@rule
def beatable(hand):
    """All plays that this hand can beat: lower ranks with the count of one of its plays."""
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
    """Whether a leader runs home: with at most one weak group, played last, nothing stops it.

    It may have more if it can take the lead back each time; see `takes_back`.
    """
    weak = weak_groups(own, other)
    return weak & (weak - 1) == 0 or takes_back(own, other, weak)


@rule
def takes_back(own, other, weak):
    """Whether a leader can lead all weak groups but one, and take the lead back each time.

    A taker is a group that beats every play of its size that the other hand can make, now and
    later, because that hand only shrinks. The leader leads each weak group but the last that has a
    taker of its own size. If the other seat answers, the taker beats the answer, and nothing beats
    the taker. All other groups, spare takers too, keep the lead. The last weak group empties the
    hand. The other seat cannot go out before, if it holds more cards than it answers with.
    """
    takers = groups(own) & ~(beatable(other) | other)
    if takers == 0:
        return False
    without_taker = 0
    answered = 0
    largest = 0
    for size in range(1, NUM_SUITS + 1):
        of_size = ONE_OF_EACH_RANK << (size - 1)
        num_weak = popcount(weak & of_size)
        if num_weak > 0:
            paired = min(num_weak, popcount(takers & of_size))
            without_taker += num_weak - paired
            answered += size * paired
            largest = size
    if without_taker == 0:
        answered -= largest  # this one is played last
    return without_taker <= 1 and answered < popcount(other)


@rule
def answers_home(own, other, replies):
    """Whether one of the replies empties the hand, or cannot be beaten and then runs home."""
    ranks = groups(own)
    if ranks & (ranks - 1) == 0 and replies & ranks != 0:
        return True
    safe = replies & ~beatable(other)
    while safe != 0:
        play = lowest_bit(safe)
        safe &= safe - 1
        if runs_home(remove_cards(own, play >> 2, (play & 3) + 1), other):
            return True
    return False


# The transposition table


@rule
def canonical(own, other):
    """Rename the ranks of both hands so that equivalent positions become equal.

    Only the order between the ranks of the two seats matters: ranks that nobody holds are left out,
    and neighbouring ranks that only one seat holds are sorted by size.
    """
    new_own = np.int64(0)
    new_other = np.int64(0)
    shift = 0
    run_start = 0  # start of the neighbouring ranks held only by the seat of the last rank
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
    """Insert a group into the run that begins at `run_start`, smaller groups lower."""
    while shift > run_start and (hand >> (shift - RANK_BITS)) & ALL_OF_RANK > group:
        larger = (hand >> (shift - RANK_BITS)) & ALL_OF_RANK
        hand ^= (larger << (shift - RANK_BITS)) | (larger << shift)
        shift -= RANK_BITS
    return hand | (group << shift)


@rule
def bucket_of(memory, key):
    """The first of the two memory slots of a position."""
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
    """Store a value: the first slot keeps the position with more cards, the second the latest."""
    place = bucket_of(memory, key)
    num_cards = popcount(key[0]) + popcount(key[1])
    if num_cards < memory[place, 1] >> _HAND_BITS:
        place += 1
    memory[place, 0] = key[0] | (np.int64(value) << _HAND_BITS)
    memory[place, 1] = key[1] | (num_cards << _HAND_BITS)
