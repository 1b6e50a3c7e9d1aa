"""Who sits where: the games that a deal is played in, so that no seat or hand favours anybody.

Each seating gives int [deals, sittings, seats]: the player, by number, at each seat of each game.
"""

import itertools
import math
from collections.abc import Callable

import numpy as np

MAX_ORDERS = 120  # of `every_order`: five seats
_GOLDEN_RATIO = (math.sqrt(5) - 1) / 2


def one_against_field(num_seats: int, seeds: np.ndarray) -> np.ndarray:
    """Player 0 once in every seat, player 1 in all the others: sitting s has player 0 at seat s."""
    sittings = 1 - np.eye(num_seats, dtype=np.int64)
    return np.broadcast_to(sittings, (len(seeds), num_seats, num_seats))


def latin_square(num_seats: int, seeds: np.ndarray) -> np.ndarray:
    """As many players as seats, each once in every seat; the order around the table changes.

    A deal is played once for each rotation of one order of the players. Any (n - 1)! deals in
    succession have every order, and so every seating once: a sample of them is balanced.
    """
    orders = np.array([_order(num_seats, int(seed)) for seed in seeds]).reshape(-1, num_seats)
    seats = np.arange(num_seats)
    return orders[:, (seats[:, None] + seats) % num_seats]


def every_order(num_seats: int, seeds: np.ndarray) -> np.ndarray:
    """As many players as seats, in all n! seatings. Raises ValueError for more than five seats."""
    if math.factorial(num_seats) > MAX_ORDERS:
        raise ValueError(
            f"every order of {num_seats} players is {math.factorial(num_seats):,} games a deal; "
            f"at most {MAX_ORDERS} are played: take the balanced sample"
        )
    orders = np.array(list(itertools.permutations(range(num_seats))))
    return np.broadcast_to(orders, (len(seeds), *orders.shape))


def _order(num_seats: int, seed: int) -> list[int]:
    """The seed's order of the players after player 0; near seeds have orders that differ widely."""
    num_orders = math.factorial(num_seats - 1)
    index = seed % num_orders * _stride(num_orders) % num_orders
    left = list(range(1, num_seats))
    order = [0]
    for size in range(num_seats - 1, 0, -1):
        place, index = divmod(index, math.factorial(size - 1))
        order.append(left.pop(place))
    return order


def _stride(num_orders: int) -> int:
    """A step that visits all orders before it comes back, far from the last with each step."""
    stride = max(1, int(num_orders * _GOLDEN_RATIO))
    while math.gcd(stride, num_orders) != 1:
        stride += 1
    return stride


SEATINGS: dict[str, Callable[[int, np.ndarray], np.ndarray]] = {
    "field": one_against_field,
    "balanced": latin_square,
    "every": every_order,
}


def sittings_a_deal(seating: str, num_seats: int) -> int:
    """How many games one deal is played in."""
    return SEATINGS[seating](num_seats, np.zeros(1, np.int64)).shape[1]
