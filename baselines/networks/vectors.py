"""Sums of rows of an array: what the layers of a network are made of.

Four rows are added in one pass, because every pass loads and stores all units. Indices are read
before a pass: where they could change in it, LLVM does not use vectors.
"""

from ...envs.core.compile import vector_rule


@vector_rule
def add_rows(table, rows, count, units):
    """Add the rows of a table [R, H] that the first `count` of `rows` name to units [H]."""
    k = 0
    while k + 4 <= count:
        a, b, c, d = rows[k], rows[k + 1], rows[k + 2], rows[k + 3]
        for unit in range(table.shape[1]):
            units[unit] += table[a, unit] + table[b, unit] + table[c, unit] + table[d, unit]
        k += 4
    while k < count:
        row = rows[k]
        for unit in range(table.shape[1]):
            units[unit] += table[row, unit]
        k += 1


@vector_rule
def add_multiples(table, rows, count, factors, units):
    """Add the same rows, each multiplied by its factor in factors [R]."""
    k = 0
    while k + 4 <= count:
        a, b, c, d = rows[k], rows[k + 1], rows[k + 2], rows[k + 3]
        e, f, g, h = factors[a], factors[b], factors[c], factors[d]
        for unit in range(table.shape[1]):
            units[unit] += (
                e * table[a, unit] + f * table[b, unit] + g * table[c, unit] + h * table[d, unit]
            )
        k += 4
    while k < count:
        row, factor = rows[k], factors[rows[k]]
        for unit in range(table.shape[1]):
            units[unit] += factor * table[row, unit]
        k += 1
