"""Seats around the table, numbered clockwise from 0."""

from .compile import rule


@rule
def next_seat(seat, num_seats):
    """The next seat clockwise."""
    seat += 1
    return 0 if seat == num_seats else seat


@rule
def seat_after(seat, places, num_seats):
    """The seat `places` places clockwise from `seat`, fewer than there are seats."""
    seat += places
    return seat if seat < num_seats else seat - num_seats


@rule
def relative_seat(seat, other, num_seats):
    """The number of places from `seat` clockwise to `other`."""
    distance = other - seat
    return distance if distance >= 0 else distance + num_seats
