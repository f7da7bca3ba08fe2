"""Sums over records whose errors do not grow with their number: in blocks, and then in pairs.

A sum of k products of floats is wrong by at most 1.01 k u of the sum of their absolute values, in any order
that a library takes (u = 2^-53, k u small). Of a million records that is a part of 1e-10, more than what a
prior is of all curvature. So records are summed `BLOCK` at a time, blocks in pairs, these in pairs, and so
on: no product is rounded more than `roundings(n)` = BLOCK + log2(n / BLOCK) times, rounded up, and the sum is
wrong by at most 1.01 roundings(n) u of the sum of absolute values. Records that a block lacks are 0, which
adds nothing and rounds nothing.

What is done with records is done for `_CHUNK` of them at once: no copy of all is made, and what is computed
of them stays near the processor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from privior.arrays import Floats

#: records whose products a library sums in its own order, and blocks that are summed in one go
BLOCK, _BLOCKS = 128, 256
_CHUNK = BLOCK * _BLOCKS
#: numbers of some records
SomeRecords = Callable[[slice], Floats]


def roundings(records: int) -> int:
    """Return how often a product is rounded at most, the product itself counted."""
    blocks = -(-records // BLOCK)
    return min(records, BLOCK) + max(blocks - 1, 0).bit_length()


def chunks(records: int) -> Iterator[slice]:
    """Return which records are looked at at once; one empty part if there are none."""
    return (slice(start, start + _CHUNK) for start in range(0, max(records, 1), _CHUNK))


def totals(values: Floats) -> Floats:
    """Return the sum of each block of numbers."""
    return np.asarray(_blocks(values[:, None])[:, :, 0].sum(axis=1))


def weighted_sum(rows: Floats, weights: SomeRecords) -> Floats:
    """Return the sum of w_i a_i."""
    parts = [
        np.matmul(_blocks(weights(some)[:, None]).transpose(0, 2, 1), _blocks(rows[some]))[:, 0, :]
        for some in chunks(len(rows))
    ]
    return _paired([_paired(one) for one in parts])


def weighted_squares(rows: Floats, weights: SomeRecords) -> Floats:
    """Return the sum of w_i a_i a_i': w_i a_i is rounded once before it is multiplied."""
    found = []
    for some in chunks(len(rows)):
        part = rows[some]
        weighted = _blocks(part * weights(some)[:, None])
        found.append(_paired(np.matmul(weighted.transpose(0, 2, 1), _blocks(part))))
    return _paired(found)


def _blocks(rows: Floats) -> Floats:
    """Return rows in blocks, the last one filled up with zeros."""
    lacking = -len(rows) % BLOCK if len(rows) else BLOCK
    if lacking:
        rows = np.concatenate([rows, np.zeros((lacking, rows.shape[1]))])
    return rows.reshape(-1, BLOCK, rows.shape[1])


def _paired(parts: list[Floats] | Floats) -> Floats:
    """Return the sum of parts: of the first half and the second one, and so on."""
    left = np.asarray(parts)
    while len(left) > 1:
        half = len(left) // 2
        left = np.concatenate([left[:half] + left[half : 2 * half], left[2 * half :]])
    return np.asarray(left[0])
