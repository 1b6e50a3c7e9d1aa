"""Seat the players in each game of a deal, so that luck favours nobody.

Each function returns int [deals, sittings, seats]: the number of the player at each seat.
"""

import math
from collections.abc import Callable

import numpy as np

_GOLDEN_RATIO = (math.sqrt(5) - 1) / 2


def one_against_field(num_seats: int, seeds: np.ndarray) -> np.ndarray:
    """Seat player 0 at seat s in sitting s, and player 1 at all other seats."""
    sittings = 1 - np.eye(num_seats, dtype=np.int64)
    return np.broadcast_to(sittings, (len(seeds), num_seats, num_seats))


def single_game(num_seats: int, seeds: np.ndarray) -> np.ndarray:
    """Seat player 0 at seat `seed % num_seats` in the only game of a deal, and player 1 elsewhere.

    So any `num_seats` deals in succession have player 0 once at every seat.
    """
    own = np.asarray(seeds)[:, None, None] % num_seats
    return (np.arange(num_seats) != own).astype(np.int64)


def latin_square(num_seats: int, seeds: np.ndarray) -> np.ndarray:
    """Seat as many players as there are seats, each once in every seat.

    A deal is played once for each rotation of one order of the players; the order changes from deal
    to deal. Any (n - 1)! deals in succession use every order once, and so every seating once.
    """
    orders = np.array([_order(num_seats, int(seed)) for seed in seeds]).reshape(-1, num_seats)
    seats = np.arange(num_seats)
    return orders[:, (seats[:, None] + seats) % num_seats]


def _order(num_seats: int, seed: int) -> list[int]:
    """Return the seed's order of the players, player 0 first; near seeds differ widely."""
    num_orders = math.factorial(num_seats - 1)
    index = seed % num_orders * _stride(num_orders) % num_orders
    left = list(range(1, num_seats))
    order = [0]
    for size in range(num_seats - 1, 0, -1):
        place, index = divmod(index, math.factorial(size - 1))
        order.append(left.pop(place))
    return order


def _stride(num_orders: int) -> int:
    """Return a step coprime to the number of orders, near its golden section.

    Steps of this length visit every order once, and successive orders differ widely.
    """
    stride = max(1, int(num_orders * _GOLDEN_RATIO))
    while math.gcd(stride, num_orders) != 1:
        stride += 1
    return stride


SEATINGS: dict[str, Callable[[int, np.ndarray], np.ndarray]] = {
    "field": one_against_field,
    "balanced": latin_square,
    "single": single_game,
}
