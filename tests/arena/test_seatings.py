"""Seatings: every player in every seat, and all orders alike."""

import math
from collections import Counter

import numpy as np
import pytest

from parlour.baselines.arena.play.seatings import SEATINGS, latin_square


@pytest.mark.parametrize("seats", [2, 3, 4, 8, 16])
def test_a_field_has_the_first_player_once_in_every_seat(seats: int) -> None:
    seated = SEATINGS["field"](seats, np.arange(3))
    assert seated.shape == (3, seats, seats)
    assert (np.argmin(seated, axis=2) == np.arange(seats)).all()
    assert (seated.sum(axis=2) == seats - 1).all()


@pytest.mark.parametrize("seats", [2, 3, 4, 8, 16])
def test_in_a_balanced_deal_everybody_has_every_seat_once(seats: int) -> None:
    seated = latin_square(seats, np.arange(50, 70))
    assert (np.sort(seated, axis=1) == np.arange(seats)[:, None]).all()
    assert (np.sort(seated, axis=2) == np.arange(seats)).all()


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("first", [0, 2**40 + 17])
def test_deals_in_succession_have_every_seating_once(seats: int, first: int) -> None:
    seeds = first + np.arange(math.factorial(seats - 1))
    seated = latin_square(seats, seeds).reshape(-1, seats)
    assert len({tuple(row) for row in seated}) == len(seated) == math.factorial(seats)


def test_with_many_seats_any_two_are_neighbours_about_as_often() -> None:
    seated = latin_square(8, np.arange(2000))[:, 0]
    pairs = Counter(zip(seated[:, 0].tolist(), seated[:, 1].tolist(), strict=True))
    followers = [pairs[0, other] for other in range(1, 8)]
    assert min(followers) > 0.8 * 2000 / 7
