"""SipHash-2-4: a compiled keyed hash of two words, which cannot be inverted without the key.

Aumasson and Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012.
"""

import numpy as np

from .jit import rule

_WORD_BITS = np.uint64(64)


@rule
def _rotate(word, count):
    return (word << np.uint64(count)) | (word >> (_WORD_BITS - np.uint64(count)))


@rule
def _mix_round(v0, v1, v2, v3):
    """One SipRound."""
    v0 += v1
    v1 = _rotate(v1, 13) ^ v0
    v0 = _rotate(v0, 32)
    v2 += v3
    v3 = _rotate(v3, 16) ^ v2
    v0 += v3
    v3 = _rotate(v3, 21) ^ v0
    v2 += v1
    v1 = _rotate(v1, 17) ^ v2
    v2 = _rotate(v2, 32)
    return v0, v1, v2, v3


@rule
def siphash(key_low, key_high, first, last):
    """Return the 64-bit hash of 8 to 15 bytes; all arguments are uint64, little-endian.

    `first` has the first eight bytes, `last` the others and, in its highest byte, the length.
    """
    v0 = key_low ^ np.uint64(0x736F6D6570736575)
    v1 = key_high ^ np.uint64(0x646F72616E646F6D)
    v2 = key_low ^ np.uint64(0x6C7967656E657261)
    v3 = key_high ^ np.uint64(0x7465646279746573)
    for word in (first, last):
        v3 ^= word
        for _ in range(2):
            v0, v1, v2, v3 = _mix_round(v0, v1, v2, v3)
        v0 ^= word
    v2 ^= np.uint64(0xFF)
    for _ in range(4):
        v0, v1, v2, v3 = _mix_round(v0, v1, v2, v3)
    return v0 ^ v1 ^ v2 ^ v3
