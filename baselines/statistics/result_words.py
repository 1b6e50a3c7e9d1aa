"""Words for results that cannot be misread.

With more than two seats a player that is not first has not lost: its place counts in its return.
A draw, or a first place that several share, counts in part, so it is never called a win.
"""

from typing import NamedTuple

FIXED = "for a number of deals fixed beforehand"  # intervals of `estimates`
ANYTIME = "valid at any time"  # of `anytime`


class Words(NamedTuple):
    """What outcomes are called."""

    won: str
    drawn: str
    lost: str
    score: str  # wins, with draws in part
    counting: str  # what a draw counts in the score
    note: str  # the same as a sentence


def words_of(num_seats: int) -> Words:
    """Return the words for games of this many seats."""
    if num_seats == 2:
        half = "a draw counts half"
        return Words("won", "drawn", "lost", "score", half, f"In the score, {half}.")
    part = "a first place that k players share counts 1/k"
    note = f"In first places, {part}; Elo and mean return count the whole result."
    return Words("first alone", "first shared", "not first", "first places", part, note)
