"""How a game ended, in three lines: for `parlour play --text` and `parlour watch`."""

from collections.abc import Sequence

from ..words import headline, placed


def result_lines(
    who: Sequence[str],
    returns: Sequence[float],
    scores: Sequence[str],
    num_plies: int,
    seed: int,
) -> list[str]:
    """Return who won, what all seats achieved, best first, and how to deal this deal again.

    `who` names the seats, in order.
    """
    return [
        f"The game is over after {num_plies} plies: {headline(who, returns, scores)}.",
        ", ".join(f"{name} {score}" for name, score in placed(who, returns, scores)),
        f"The same deal again: --seed {seed}",
    ]
