"""Tables of counts whose cells lie in given intervals: how many there are, and each by its number."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from privior.interval_arithmetic import flint
from privior.randomness.entropy import Bits

#: sets of cells that are too full, each as the records they take up at least and the sign of its term
Sets = list[tuple[int, int]]


class Box:
    """All tables z with lowest_i <= z_i <= highest_i in each cell i and a given sum, in lexicographic order.

    Without upper ends, s records can be put into r + 1 cells in C(s + r, r) ways. Taking away the tables in
    which a cell is too full, adding back those in which two are, and so on, is a sum over the 2^r sets of
    cells: exact, and cheap for a few cells.
    """

    __slots__ = ("_offsets", "_room", "_widths", "count", "highest", "lowest")

    def __init__(self, lowest: Sequence[int], highest: Sequence[int], total: int) -> None:
        self.lowest = list(lowest)
        self.highest = list(highest)
        self._widths = [high - low + 1 for low, high in zip(lowest, highest, strict=True)]
        self._room = total - sum(lowest)
        # for the cells after each cell: the signed sets of too full ones, as the records that they take up
        self._offsets: list[Sets] = []
        sets = [(0, 1)]
        for width in reversed(self._widths):
            self._offsets.append(sets)
            sets = sets + [(taken + width, -sign) for taken, sign in sets]
        self._offsets.reverse()
        cells = len(self._widths)
        self.count = _ways(self._room, sets, cells - 1)

    def __contains__(self, table: Sequence[int]) -> bool:
        return all(low <= z <= high for low, z, high in zip(self.lowest, table, self.highest, strict=True))

    def draw(self, bits: Bits) -> list[int]:
        """Draw one of them, all alike."""
        return self.table(bits.below(self.count))

    def table(self, number: int) -> list[int]:
        """Return the table with this number, 0..count-1.

        With s records left, those with at most v in the next cell are D(s) - D(s - v - 1), where D counts
        the ways to fill the later cells with at most so many records. So v is found by bisection.
        """
        found, left = [], self._room
        last = len(self._widths) - 1
        for cell in range(last):
            sets, others = self._offsets[cell], last - cell
            everything = _ways(left, sets, others)

            def up_to(
                v: int, left: int = left, sets: Sets = sets, others: int = others, every: int = everything
            ) -> int:
                """Count those with at most v here; an upper end of this cell plays no part."""
                return every - _ways(left - v - 1, sets, others)

            here = bisect_right(range(self._widths[cell]), number, key=up_to)
            number -= up_to(here - 1)
            left -= here
            found.append(here)
        found.append(left)
        return [low + z for low, z in zip(self.lowest, found, strict=True)]


def _ways(records: int, sets: Sets, others: int) -> int:
    """Count the ways to put records into one cell without an upper end and `others` that have one."""
    kept = ((taken, sign) for taken, sign in sets if taken <= records)
    return int(sum(sign * flint.fmpz.bin_uiui(records - taken + others, others) for taken, sign in kept))
