"""Tallies: sums of whole numbers within cells, block of rows by block, exactly.

Whole numbers are cut into pieces of few bits, how many is said by public bounds alone. The pieces of a block
are added as floats, which are then exact in any order, and blocks as 64-bit integers.
"""

from __future__ import annotations

from itertools import pairwise
from math import prod

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Codes, Integers
from privior.tables.question import LIMIT

Block = dict[str, Codes]

#: the bits of a piece: of a block of up to 2**31 rows the pieces add up to less than 2**53, and those of
#: 2**40 rows, more than any plan is for, to less than 2**63
_BITS = 22
#: the sums of so many cells are held for all of them, those of more cells for the cells that occur
_FEW_CELLS = 2**16
#: sums for cells that occur are put together when there are so many, or as many as there were before
_MANY_SUMS = 2**20


class Tally:
    """The sums of some whole numbers of each record within cells. Without any number, records are counted.

    Attributes:
        cells: how many cells there are
        bounds: what no number exceeds, whatever its sign
    """

    def __init__(self, cells: int, bounds: tuple[int, ...] = ()) -> None:
        self.cells = cells
        self.bounds = bounds
        self._pieces = tuple(pieces(bound, _BITS) for bound in bounds) or (1,)
        width = sum(self._pieces)
        self._all = np.zeros((width, cells if cells <= _FEW_CELLS else 0), np.int64)
        self._known: Integers = np.zeros(0, np.int64)
        self._sums: Integers = np.zeros((width, 0), np.int64)
        self._new: list[tuple[Integers, Integers]] = []

    def add(self, cell: Codes, numbers: tuple[Integers, ...] = ()) -> None:
        """Add a block: the cell of each record, and its numbers."""
        if self.cells <= _FEW_CELLS:
            self._all += self._summed(cell, numbers, self.cells)
            return
        known, place = np.unique(cell, return_inverse=True)
        self._new.append((known.astype(np.int64), self._summed(place, numbers, known.size)))
        if sum(known.size for known, _ in self._new) > max(_MANY_SUMS, self._known.size):
            self._put_together()

    def _summed(self, cell: Codes, numbers: tuple[Integers, ...], cells: int) -> Integers:
        if not numbers:
            return np.bincount(cell, minlength=cells).astype(np.int64)[None]
        weights = (
            piece
            for number, many in zip(numbers, self._pieces, strict=True)
            for piece in cut(number, many, _BITS)
        )
        sums = [np.bincount(cell, piece, minlength=cells).astype(np.int64) for piece in weights]
        return np.stack(sums)

    def _put_together(self) -> None:
        parts = [(self._known, self._sums), *self._new]
        known, place = np.unique(np.concatenate([cells for cells, _ in parts]), return_inverse=True)
        sums = np.zeros((len(self._sums), known.size), np.int64)
        start = 0
        for cells, part in parts:
            sums[:, place[start : start + cells.size]] += part  # the cells of a part are different
            start += cells.size
        self._known, self._sums, self._new = known, sums, []

    def occurring(self) -> tuple[Integers, list[Integers]]:
        """Return the cells that occur, rising, and their sums of each number, in no more than 64 bits."""
        if self.cells <= _FEW_CELLS:
            known = np.flatnonzero(self._all.any(axis=0))
            sums = self._all[:, known]
        else:
            self._put_together()
            known, sums = self._known, self._sums
        starts = np.concatenate([[0], np.cumsum(self._pieces)])
        return known, [_joined(sums[one:other]) for one, other in pairwise(starts)]


def pieces(bound: int, bits: int) -> int:
    """Return into how many pieces numbers up to a bound are cut."""
    return max(1, -(-(bound.bit_length()) // bits))


def cut(numbers: Integers, many: int, bits: int) -> list[Integers]:
    """Cut numbers into pieces, the lowest first; the last one has the sign."""
    if many == 1:
        return [numbers]
    mask = (1 << bits) - 1
    low = [(numbers >> bits * place) & mask for place in range(many - 1)]
    return [*low, numbers >> bits * (many - 1)]


def limited(sums: NDArray[np.object_]) -> Integers:
    """Keep sums in 64 bits, as engines are told to; no plan lets them grow so large."""
    return np.asarray(np.clip(sums, -LIMIT, LIMIT).astype(np.int64))


def _joined(sums: Integers) -> Integers:
    """Return the sums of numbers by those of their pieces."""
    if len(sums) == 1:
        return np.asarray(np.clip(sums[0], -LIMIT, LIMIT))
    scales = (1 << _BITS * place for place in range(len(sums)))
    return limited(sum(scale * part.astype(object) for scale, part in zip(scales, sums, strict=True)))


def numbered(block: Block, names: tuple[str, ...], sizes: tuple[int, ...], rows: int) -> Codes:
    """Return the number of the cell that each record is in, row-major, in as few bits as will do."""
    cells = prod(sizes)
    kind = np.int16 if cells < 2**15 else np.int32 if cells < 2**31 else np.int64
    number: Codes = np.zeros(rows, kind)
    for place, (name, size) in enumerate(zip(names, sizes, strict=True)):
        if place:
            number = np.multiply(number, kind(size), out=number)
            number = np.add(number, block[name], out=number, casting="same_kind")
        else:
            number = block[name].astype(kind)
    return number
