"""How many bits are set, with every version of NumPy that Parlour runs with."""

from typing import Any

import numpy as np


def num_bits(words: Any) -> np.ndarray:
    """Return the number of bits set in each word, as `np.bitwise_count` does from NumPy 2.0 on."""
    octets = np.ascontiguousarray(words)[..., None].view(np.uint8)
    return np.unpackbits(octets, axis=-1).sum(axis=-1)
