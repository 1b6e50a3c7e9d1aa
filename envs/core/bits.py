"""Sets of actions as machine words: bit `action` of an action mask is set if it is legal.

A mask is an int64 array of `mask_words(num_actions)` words. Words are signed so that game code
mixes them with ordinary integers; only the counting below treats them as unsigned.
"""

import numpy as np

from .compile import rule
from .rng import below

WORD_BITS = 64
LOG2_WORD = 6
BIT_IN_WORD = WORD_BITS - 1

_PAIRS = np.uint64(0x5555555555555555)
_NIBBLES = np.uint64(0x3333333333333333)
_BYTES = np.uint64(0x0F0F0F0F0F0F0F0F)
_EVERY_BYTE = np.uint64(0x0101010101010101)
_TOP_BITS = np.uint64(0x8080808080808080)
_BYTES_IN_WORD = 8

_BITS_OF_BYTE = (np.arange(256)[:, None] >> np.arange(8)) & 1
_NTH_BIT_OF_BYTE = np.argsort(1 - _BITS_OF_BYTE, axis=1, kind="stable").astype(np.uint8)  # [256, 8]
_SPREAD_BYTE = np.ascontiguousarray(_BITS_OF_BYTE, np.int8).view(np.int64)[:, 0]  # bit i in byte i


def mask_words(num_actions: int) -> int:
    """The number of 64-bit words of a mask of `num_actions`."""
    return -(-num_actions // WORD_BITS)


def new_mask_rows(num_rows: int, num_actions: int) -> np.ndarray:
    """Return empty rows for `spread_masks`, int64 [num_rows, 8 * words]."""
    return np.empty((num_rows, mask_words(num_actions) * _BYTES_IN_WORD), np.int64)


def mask_rows_as_bytes(rows: np.ndarray, num_actions: int) -> np.ndarray:
    """Return the rows of `spread_masks` as int8 [num_rows, num_actions], 1 = legal: a view."""
    return rows.view(np.int8)[:, :num_actions]


def allowed_list(mask: np.ndarray) -> list[int]:
    """The actions of a mask in ascending order; for Python code."""
    return np.flatnonzero(np.unpackbits(mask.view(np.uint8), bitorder="little")).tolist()


@rule
def popcount(word):
    """The number of bits set in a 64-bit word."""
    return np.int64((bits_of_bytes(word) * _EVERY_BYTE) >> np.uint64(56))


@rule
def bits_of_bytes(word):
    """The number of bits set in each byte of a word, in that byte."""
    x = np.uint64(word)
    x = x - ((x >> np.uint64(1)) & _PAIRS)
    x = (x & _NIBBLES) + ((x >> np.uint64(2)) & _NIBBLES)
    return (x + (x >> np.uint64(4))) & _BYTES


@rule
def lowest_bit(word):
    """The index of the lowest bit set; 64 for an empty word."""
    return popcount(~word & (word - 1))


@rule
def nth_bit(word, n):
    """The index of the n-th bit set, counting from 0; the word must have more than n.

    It finds the byte, then the bit, without branches: half of them would be mispredicted.
    """
    sums = bits_of_bytes(word) * _EVERY_BYTE  # in each byte, the bits set up to its end
    is_below = ((np.uint64(n) * _EVERY_BYTE) | _TOP_BITS) - sums  # its top bit: at most n
    start = _BYTES_IN_WORD * popcount(is_below & _TOP_BITS)
    before = np.int64(((sums << np.uint64(8)) >> np.uint64(start)) & np.uint64(0xFF))
    return start + np.int64(_NTH_BIT_OF_BYTE[(word >> start) & 0xFF, n - before])


@rule
def clear(mask):
    """Make no action legal. The first word is set outside the loop: one word needs no memset."""
    mask[0] = 0
    for index in range(1, mask.shape[0]):
        mask[index] = 0


@rule
def allow(mask, action):
    """Mark an action as legal."""
    mask[action >> LOG2_WORD] |= np.int64(1) << (action & BIT_IN_WORD)


@rule
def forbid(mask, action):
    """Mark an action as not legal."""
    mask[np.uint64(action >> LOG2_WORD)] &= ~(np.int64(1) << (action & BIT_IN_WORD))


@rule
def is_allowed(mask, action):
    """Whether an action is legal."""
    return (mask[np.uint64(action >> LOG2_WORD)] >> (action & BIT_IN_WORD)) & 1 == 1


@rule
def is_legal(mask, action):
    """Whether a number is an action, and legal."""
    return 0 <= action < mask.shape[0] * WORD_BITS and is_allowed(mask, action)


@rule
def has_allowed(mask):
    """Whether any action is legal."""
    either = mask[0]
    for index in range(1, mask.shape[0]):
        either |= mask[index]
    return either != 0


@rule
def num_allowed(mask):
    """The number of legal actions."""
    total = popcount(mask[0])
    for index in range(1, mask.shape[0]):
        total += popcount(mask[index])
    return total


@rule
def nth_allowed(mask, n):
    """The n-th legal action in ascending order, counting from 0."""
    for index in range(mask.shape[0]):
        here = popcount(mask[index])
        if n < here:
            return index * WORD_BITS + nth_bit(mask[index], n)
        n -= here
    return -1


@rule
def random_allowed(mask, rng):
    """A random legal action, all equally likely."""
    return nth_allowed(mask, below(rng, num_allowed(mask)))


@rule
def spread_masks(masks, out):
    """Write masks [B, words] with one byte for each action, eight in a number: [B, 8 * words].

    An `out` without columns is left alone.
    """
    for row in range(masks.shape[0]):
        for index in range(out.shape[1] // _BYTES_IN_WORD):
            word = np.uint64(masks[row, index])
            for part in range(_BYTES_IN_WORD):
                bits = (word >> np.uint64(8 * part)) & np.uint64(0xFF)
                out[row, index * _BYTES_IN_WORD + part] = _SPREAD_BYTE[bits]


@rule
def gather_mask(flags, out):
    """The inverse of `spread_masks`: a row of 0/1 bytes into words."""
    out[:] = 0
    for action in range(flags.shape[0]):
        if flags[action] != 0:
            allow(out, action)
