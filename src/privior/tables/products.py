"""The sums of all products of two whole numbers of each record: X'X, exactly, by multiplying floats.

Features that are slope * code + shift follow from codes and 1, so that codes are multiplied. What is
multiplied is cut into pieces of few bits, by public bounds alone; then a product of blocks of `_ROWS` records
is below 2**53 and exact, whatever the order in which it is summed. Blocks are added as 64-bit integers, and
before these could overflow as integers of any length.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Integers
from privior.models.summands import ONE, Factor, Summand
from privior.tables.tallies import Block, cut, pieces

#: records that are multiplied at once
_ROWS = 2**13
#: the bits of a piece: two of them and the records make 53
_BITS = 20
#: products of so many blocks are below 2**62
_MOST_BLOCKS = 2**9


class Products:
    """The sums of products of features, for blocks of records.

    Attributes:
        features: what is multiplied
    """

    def __init__(self, features: tuple[Summand, ...], sizes: dict[str, int]) -> None:
        self.features = features
        self._parts = [_part(feature) for feature in features]
        self._atoms = tuple(dict.fromkeys((ONE, *(part[0] for part in self._parts))))
        self._pieces = [pieces(_bound(atom, sizes), _BITS) for atom in self._atoms]
        width = sum(self._pieces)
        self._matrix = np.empty((width, _ROWS))
        self._recent: Integers = np.zeros((width, width), np.int64)
        self._blocks = 0
        self._total = np.zeros((width, width), object)

    def add(self, block: Block, rows: int) -> None:
        """Add the products of features of some records."""
        for start in range(0, rows, _ROWS):
            stop = min(start + _ROWS, rows)
            self._multiply({name: codes[start:stop] for name, codes in block.items()}, stop - start)

    def _multiply(self, block: Block, rows: int) -> None:
        matrix, place = self._matrix[:, :rows], 0
        for atom, many in zip(self._atoms, self._pieces, strict=True):
            if many == 1 and len(atom.factors) == 1 and atom.factors[0] == Factor(atom.factors[0].column):
                matrix[place] = block[atom.factors[0].column]
            elif atom == ONE:
                matrix[place] = 1.0
            else:
                wide = {name: block[name].astype(np.int64) for name in atom.columns}
                for step, piece in enumerate(cut(atom.of(wide), many, _BITS)):
                    matrix[place + step] = piece
            place += many
        self._recent += (matrix @ matrix.T).astype(np.int64)
        self._blocks += 1
        if self._blocks == _MOST_BLOCKS:
            self._settle()

    def _settle(self) -> None:
        self._total += self._recent.astype(object)
        self._recent[:] = 0
        self._blocks = 0

    def sums(self) -> NDArray[np.object_]:
        """Return the matrix of sums, in whole numbers of any length."""
        self._settle()
        once = self._combined(self._total)
        return self._combined(once.T)

    def _combined(self, rows: NDArray[np.object_]) -> NDArray[np.object_]:
        """Return a row for each feature, by the rows of the pieces that it is made of."""
        starts = np.concatenate([[0], np.cumsum(self._pieces)])
        made = np.zeros((len(self.features), rows.shape[1]), object)
        for row, (atom, slope, shift) in enumerate(self._parts):
            place = self._atoms.index(atom)
            made[row] = shift * rows[0]
            for step in range(self._pieces[place]):
                made[row] += (slope << _BITS * step) * rows[starts[place] + step]
        return made


def _part(feature: Summand) -> tuple[Summand, int, int]:
    """Return what to multiply instead of a feature, which is slope times that plus a shift."""
    if len(feature.factors) == 1 and not feature.factors[0].absolute:
        factor = feature.factors[0]
        return Summand((Factor(factor.column, level=factor.level),)), factor.slope, factor.shift
    return feature, 1, 0


def _bound(atom: Summand, sizes: dict[str, int]) -> int:
    """Return what nothing exceeds that is multiplied."""
    bound = 1
    for factor in atom.factors:
        most = sizes[factor.column] - 1 if factor.level is None else 1
        bound *= abs(factor.slope) * most + abs(factor.shift)
    return bound
