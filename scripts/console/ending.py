"""How a game ended, in three lines: for `parlour play --text` and `parlour watch`."""

from collections.abc import Sequence


def result_lines(
    who: Sequence[str], returns: Sequence[float], num_plies: int, seed: int
) -> list[str]:
    """Return who won, the returns of all seats, best first, and how to deal this deal again.

    `who` names the seats, in order.
    """
    ranked = sorted(range(len(returns)), key=lambda seat: -returns[seat])
    winners = [who[seat] for seat in ranked if returns[seat] == max(returns)]
    headline = "a draw" if len(winners) == len(returns) else f"{' and '.join(winners)} won"
    return [
        f"The game is over after {num_plies} plies: {headline}.",
        ", ".join(f"{who[seat]} {returns[seat]:+.2f}" for seat in ranked),
        f"The same deal again: --seed {seed}",
    ]
