"""What inference from a table will take, told before the spend, from public facts alone.

True counts are summed out along a tree of cells (`posterior.summation`), up to a limit; the estimate adds up
the convolutions of that tree for cells of equal width. It is rough: within a factor of about three. A shape
that is learned takes what it took when it was measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

#: nothing is summed beyond this many multiply-adds (about 25 seconds on an idle core) or values (2 GB)
MOST_COST, MOST_VALUES = 5e10, 2.5e8
#: what calling numpy costs, and one point of a Fourier transform per log2 N, in multiply-adds
CALL, POINT = 60_000, 6
#: multiply-adds of a node: up once, down twice
PASSES = 3
#: seconds of a multiply-add, and megabytes of a value with what is kept beside it
_SECONDS, _MEGABYTES = 5e-10, 8e-6
#: a table summed over totals that are not known takes so many blocks
_BLOCKS = 4
#: seconds of learning a shape, and more for each cell; numbers that are kept for each cell, and in all
_LEARNING, _A_CELL = 1.5, 1.5e-4
_KEPT, _MOST_KEPT = 20_000, 200_000_000
#: likewise of learning how uneven a table is, without an order of its cells
_ALIKE, _ALIKE_CELL = 0.3, 5e-3
#: seconds that chains over a table take which cannot be summed, all cores together, and more for each cell
_CHAINS, _CHAIN_CELL = 20.0, 1.2e-5
#: of more cells no tables are kept to be asked
MOST_DRAWN = 200_000
#: sooner is not worth a word
_LONG = 5.0


@dataclass(frozen=True)
class Effort:
    """About what an exact sum over all tables takes.

    Attributes:
        cells: of the table
        cost: in multiply-adds
        values: that are stored
        learned: whether the shape of the table is learned instead
        tables: how many these are, each of which is summed by itself
        chained: whether chains visit what all tables may have been together instead
        apart: why several tables are taken each by itself, where they might be together
    """

    cells: int
    cost: float
    values: float
    learned: bool = False
    tables: int = 1
    chained: bool = False
    apart: str = ""

    @staticmethod
    def of_chains(cells: int, tables: int, seconds: float, megabytes: float) -> Effort:
        """Say what chains over the data sets behind several tables take."""
        return Effort(cells, seconds / _SECONDS, megabytes / _MEGABYTES, tables=tables, chained=True)

    @staticmethod
    def of_learning(cells: int) -> Effort:
        """Estimate what it takes to learn the shape of a table."""
        cost = (_LEARNING + _A_CELL * cells) / _SECONDS
        return Effort(cells, cost, min(_KEPT * cells, _MOST_KEPT), learned=True)

    @staticmethod
    def of_alike(cells: int) -> Effort:
        """Estimate what it takes to learn how uneven a table is whose cells are in no order."""
        return Effort(cells, (_ALIKE + _ALIKE_CELL * cells) / _SECONDS, _KEPT * cells, learned=True)

    @staticmethod
    def together(parts: Sequence[Effort], apart: str = "") -> Effort:
        """Add up what several tables take, one after the other, and say why each is taken by itself."""
        values = max(one.values if one.summed else math.inf for one in parts)
        cells, learned = sum(one.cells for one in parts), any(one.learned for one in parts)
        return Effort(cells, sum(one.cost for one in parts), values, learned, len(parts), apart=apart)

    @staticmethod
    def of(cells: int, width: float, most: int, *, known: bool) -> Effort:
        """Estimate it for cells whose counts may lie in a window of this width, of `most` records in all."""
        cost, values, nodes = 0.0, 2 * cells * min(width, most + 1.0), cells / 2
        while nodes >= 1:
            points = 2 * width
            cost += PASSES * nodes * (CALL + min(width * width, POINT * points * math.log2(points + 1)))
            width = min(1.1 * math.sqrt(2) * width, most + 1.0)
            values += nodes * width
            nodes /= 2
        blocks = 1 if known else _BLOCKS
        return Effort(cells, blocks * cost, blocks * values)

    @property
    def summed(self) -> bool:
        """Whether the sum is made at all."""
        small = self.cost <= MOST_COST * self.tables and self.values <= MOST_VALUES
        return self.learned or self.chained or small

    @property
    def seconds(self) -> float:
        """About how long it takes one core: to sum, or to sample what cannot be summed."""
        if not self.summed:
            return _CHAINS * self.tables + _CHAIN_CELL * self.cells
        return self.cost * _SECONDS

    @property
    def about(self) -> str:
        """About how long it takes, in words; nothing if that is a few seconds."""
        return f"about {_rounded(self.seconds)} s" if self.seconds >= _LONG else ""

    @property
    def in_short(self) -> str:
        """What it takes, in few words, however little."""
        alone = f"; each table by itself: {self.apart}" if self.apart else ""
        if not self.summed:
            return f"about {_rounded(self.seconds)} s of one core, by sampling{alone}"
        return f"about {_rounded(max(self.seconds, 1.0))} s of one core, {self._megabytes} MB{alone}"

    @property
    def _megabytes(self) -> str:
        return _rounded(max(self.values * _MEGABYTES + 0.002 * self.cells, 1.0))

    def warning(self) -> str:
        """Say what inference will take; nothing if that is a few seconds."""
        if not self.summed:
            return (
                f"A posterior of {self.cells} cells cannot be summed exactly: pv.infer samples it instead, "
                f"for {self.about} of one core, and may not converge, which it then says.{self._single} Take "
                "fewer cells (fewer columns, coarser levels); the noisy counts themselves, and "
                'pv.infer(noise="ignore"), remain.'
            )
        if not self.about:
            return ""
        does = f"it sums over all tables of {self.cells} cells"
        if self.learned:
            of = "a table" if self.tables == 1 else f"{self.tables} tables"
            does = f"it learns the shape of {of} of {self.cells} cells; a prior such as 1 takes less"
        elif self.chained:
            does = f"chains visit the data sets that {self.tables} tables of {self.cells} cells may describe"
        return (
            f"Inference from this release takes {self.about} of one core and "
            f"{self._megabytes} MB, each time: {does}. A question "
            "about many cells may take three times that. Fewer cells take less."
        )

    @property
    def _single(self) -> str:
        """What cannot be asked, if these are too many cells for whole tables to be kept."""
        if self.cells <= MOST_DRAWN or self.tables > 1:
            return ""
        return (
            f" Of more than {MOST_DRAWN:,} cells no whole tables are kept: only single cells can be asked, "
            "as in P(column=value), and the counts; events of several, means and quantiles are refused."
        )


def _rounded(value: float) -> str:
    return f"{float(f'{value:.1g}'):,.0f}"
