"""Positions laid out by hand: what lies in which pile, in words, and what a game makes of it.

A game that has the function `arrange` can be laid out from an empty table. `lay_out` says where the
pieces of a position lie; `arrange` lays them out and says which parts of the picture show them.
What is nowhere yet lies in a pile that comes first, so that it is seen first.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .game import Game, check_range

Piles = Mapping[str, Sequence[str]]  # the names of the pieces in each pile


class Pile(NamedTuple):
    """Pieces that lie together, such as a hand."""

    label: str
    pieces: Sequence[str]
    kind: str = "card"  # pieces move between piles of the same kind
    parts: tuple[str, ...] = ()  # of the picture: where pieces are put down
    faces: Sequence[str] = ()  # of the picture: the part that shows each piece; none: none is shown
    stock: str = ""  # the pile from which, and into which, pieces are counted one by one


def sorted_out(piles: Piles, names: Collection[str], whole: Sequence[str]) -> dict[str, list[str]]:
    """Return the pieces of every pile in `names`, in the order given, and under "" all others.

    Raises ValueError for a pile or a piece that the game does not have.
    """
    if not isinstance(piles, Mapping) or not set(piles) <= set(names):
        raise ValueError(f"piles are {', '.join(names)}; got {', '.join(map(str, piles))}")
    left = Counter(whole)
    for name, pieces in piles.items():
        if not isinstance(pieces, list | tuple):
            raise ValueError(f"{name} is a list of pieces; got {pieces!r:.60}")
        for piece in pieces:
            if not isinstance(piece, str) or piece not in left:
                raise ValueError(f"the game has no piece {piece!r:.60}")
            left[piece] -= 1
            if left[piece] < 0:
                raise ValueError(f"{piece} is there more often than in the game")
    rest = [piece for piece in dict.fromkeys(whole) for _ in range(left[piece])]
    return {"": rest, **{name: list(piles.get(name, ())) for name in names}}


def arranged(
    game: Game, dealt: np.record, piles: Piles | None, seat: Any
) -> tuple[np.record, dict[str, Pile], str]:
    """Lay pieces out: return the position, where they lie, and why it cannot be played, or "".

    `dealt` is a position of the game, for what the pieces do not say, such as the values of a deck.
    Without `piles` its own are laid out. What was played before is forgotten. Raises ValueError for
    pieces that cannot lie so, and for a game that cannot be laid out.
    """
    if game.arrange is None or game.lay_out is None:
        raise ValueError(f"{game.name} cannot be laid out by hand")
    check_range("seat", seat, 0, game.num_seats - 1)
    state = dealt.copy()
    shown = game.arrange(state, game.lay_out(dealt) if piles is None else piles, seat)
    try:
        game.check_position(state)
        problem = "the game would be over" if game.is_terminal(state) else ""
    except ValueError as error:
        problem = str(error)
    return state, shown, problem
