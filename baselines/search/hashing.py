"""A hash of positions and observations for compiled searches."""

import numpy as np

from ...envs.core.compile import rule

WORD_BYTES = 8


@rule
def hashed(mixed, values):
    """Mix the integers of an array into a hash, int64."""
    for index in range(values.shape[0]):
        mixed = (mixed ^ np.int64(values[index])) * np.int64(0x00000100000001B3)
        mixed ^= mixed >> 29
    return mixed
