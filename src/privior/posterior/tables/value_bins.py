"""The values of one ordered column in their order: of very many, neighbours put together.

Single values are in no order of what they say if the most probable come first, and of hundreds most would be
left out. What is shown of a bin is the sum of its cells: drawn together, so that its interval is the sum's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from privior.arrays import Floats, Integers
from privior.pictures import IntervalChart, SplitBars
from privior.posterior.counts.certain import Betas
from privior.posterior.counts.contract import quantiles_of_tables
from privior.posterior.findings import MOST_ROWS, Table
from privior.posterior.quantity import quantiles

#: what stands above and below a picture of how uncertain cells are
UNCERTAIN = "Where the uncertainty comes from"
UNCERTAIN_NOTE = "length: standard deviation of the probability; colours: shares of its variance"


@dataclass(frozen=True, eq=False)
class ValueBins:
    """What is known of runs of neighbouring values.

    Attributes:
        column: the column
        labels: the values of each bin: the first and the last
        width: how many values a bin has, but perhaps the last
        mean: the expected probability of each bin
        chances: draws of the probabilities, as (draws, bins)
        parameters: of the Dirichlet law of the bins if the expected table were the true one
        expected: the expected count of each bin
        counts: draws of the counts, as (draws, bins)
    """

    column: str
    labels: Sequence[str]
    width: int
    mean: Floats
    chances: Floats
    parameters: Floats
    expected: Floats
    counts: Integers

    def picture(self, level: float, note: str) -> IntervalChart:
        """Draw the interval of each bin, in the order of the values."""
        first = self.parameters
        inner = Betas(first, first.sum() - first).interval(level)
        return IntervalChart(
            self.labels, self.mean, quantiles(self.chances, level), inner, title=self.column, note=note
        )

    def uncertainty(self) -> SplitBars:
        """Draw how uncertain each bin is, and about which part of that comes from the privacy noise."""
        whole = self.chances.var(axis=0)
        shares = self.counts / np.maximum(self.counts.sum(axis=1, keepdims=True), 1)
        noise = np.minimum(shares.var(axis=0), whole)
        return SplitBars(self.labels, whole - noise, noise, title=UNCERTAIN, note=UNCERTAIN_NOTE)

    def table(self, level: float) -> Table:
        """Return probability and true count of each bin."""
        share, ends = f"{100 * level:g}%", quantiles(self.chances, level)
        spans = quantiles_of_tables(self.counts, level)
        rows = [
            [
                label,
                f"{self.mean[i]:.4f}",
                f"{ends[i, 0]:.4f} to {ends[i, 1]:.4f}",
                f"{self.expected[i]:.0f} ({spans[i, 0]:.0f} to {spans[i, 1]:.0f})",
            ]
            for i, label in enumerate(self.labels)
        ]
        note = f"{self.width} neighbouring values of {self.column} are put together; each can be asked for"
        return Table([self.column, "probability", f"{share} interval", f"true count ({share})"], rows, note)


def width_for(size: int) -> int:
    """Return how many of so many values are put together, a round number, so that there are few bins.

    >>> [width_for(size) for size in (40, 41, 78, 551, 1000, 10_001)]
    [1, 2, 2, 20, 25, 500]
    """
    least = -(-size // MOST_ROWS)
    rounds: list[int] = [1, *(part * 10**zeros for zeros in range(6) for part in (2, 5, 10, 25))]
    return min(one for one in rounds if one >= least)


def value_bins(
    column: str,
    levels: Sequence[str],
    numbers: tuple[Floats, Floats, Floats, Floats, Integers],
) -> ValueBins:
    """Put neighbouring values together.

    Args:
        column: the column
        levels: the name of each value
        numbers: of the values mean, draws of probabilities, parameters, expected counts and draws of counts
    """
    width = width_for(len(levels))
    starts = list(range(0, len(levels), width))
    last = [min(start + width, len(levels)) - 1 for start in starts]
    labels = [f"{levels[one]} to {levels[end]}" for one, end in zip(starts, last, strict=True)]
    mean, chances, parameters, expected, counts = (
        np.add.reduceat(np.asarray(one), starts, axis=-1) for one in numbers
    )
    return ValueBins(column, labels, width, mean, chances, parameters, expected, counts)
