"""The records of games that run: where a table stands, who plays there, what a step tells."""

from functools import cache

import numpy as np

PROGRESS = np.dtype(
    (
        np.record,
        [
            ("seat", np.int64),  # to act; NO_SEAT at the end
            ("actor", np.int64),  # the EXTERNAL seat that has acted last; NO_SEAT before
            ("steps", np.int64),  # of EXTERNAL seats in this game so far
            ("fault", np.int64),  # the illegal action that a compiled player has chosen
            ("plies", np.int64),  # of all seats in this game so far
            ("start_state", np.uint64),  # the stream of the table when the game began
            ("start_gamma", np.uint64),
        ],
    )
)

# A player in the compiled loops. Without a `function` it is ASKED, in Python.
PLAYER = np.dtype(
    (np.record, [("function", np.int64), ("weights", np.int64), ("is_blind", np.int64)])
)

# A policy in a pool, and the probability to draw it or one before it.
CHANCE_OF_POLICY = np.dtype((np.record, [("policy", np.int64), ("cumulative", np.float64)]))

COMMON = (PROGRESS, PLAYER, CHANCE_OF_POLICY)


@cache  # Numba recognises the same dtype object much faster than an equal one
def result_dtype(num_seats: int) -> np.dtype:
    """Return the record of what a step tells about a table; all is 0 where no game has ended."""
    return np.dtype(
        (
            np.record,
            [
                ("returns", np.float64, (num_seats,)),
                ("reward", np.float64),  # of the seat that has acted
                ("seat", np.int64),  # that acts next; at the end the one that has acted last
                ("actor", np.int64),  # the one that has acted last in the game that has ended
                ("length", np.int64),  # the steps of the game that has ended
                ("ended", np.bool_),
                ("illegal", np.bool_),  # whether by an illegal action
                ("padding", np.int8, (6,)),  # PyTorch takes views whose strides are whole numbers
            ],
        )
    )
