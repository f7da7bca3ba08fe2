"""The enumeration audit: every pair of neighbouring tables, the exact output law, the largest loss.

For small numbers of records n and cells k all tables of counts are listed, and for each the probability
of every output in a box around them is computed from the mechanism's own `log_likelihood`. The largest
log ratio between neighbours, in both directions, is the true epsilon up to the box; the probability
outside the box is reported, since delta may hide there. A passed audit is evidence, not a proof.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from privior.errors import AuditError
from privior.mechanisms import Mechanism
from privior.models import ExactStatistics, NoisyStatistics
from privior.privacy import REPLACE_ONE

Table = tuple[int, ...]
_MOST_OUTPUTS = 3_000_000


@dataclass(frozen=True)
class EnumerationAudit:
    """What enumeration found.

    Attributes:
        largest_loss: the largest log ratio of output probabilities between neighbours
        claimed: the pure epsilon of the mechanism's guarantee; None if it claims none
        pair: two neighbouring tables that attain the largest loss
        output: an output at which they do
        pairs: how many ordered pairs of neighbours were compared
        outside: the largest probability, over tables, of an output outside the box
        deltas: the largest hockey-stick divergence found at each epsilon asked for, the box only
    """

    largest_loss: float
    claimed: float | None
    pair: tuple[Table, Table]
    output: Table
    pairs: int
    outside: float
    deltas: dict[float, float]

    @property
    def holds(self) -> bool:
        """Whether no loss exceeds the pure epsilon claimed (up to rounding)."""
        return self.claimed is not None and self.largest_loss <= self.claimed * (1 + 1e-9)


def audit(
    mechanism: Mechanism, *, records: int, margin: int = 3, epsilons: tuple[float, ...] = ()
) -> EnumerationAudit:
    """Audit a mechanism on all tables with this many records.

    Args:
        mechanism: any mechanism for a table of counts
        records: the number of records n; under add-or-remove-one tables with n and n-1 records are paired
        margin: how far the box of outputs reaches below 0 and above n
        epsilons: where to compute the divergence
    """
    levels = mechanism.levels
    side = range(-margin, records + margin + 1)
    if len(side) ** levels > _MOST_OUTPUTS:
        raise AuditError(
            "too many outputs to enumerate",
            asked=f"{len(side)}^{levels}",
            allowed=_MOST_OUTPUTS,
            advice="Use fewer records, levels or a smaller margin.",
        )
    outputs = [NoisyStatistics(box) for box in product(side, repeat=levels)]
    laws = {table: _law(mechanism, table, outputs) for table in _all_tables(mechanism, records)}
    possible = np.any([np.isfinite(law) for law in laws.values()], axis=0)
    laws = {table: law[possible] for table, law in laws.items()}
    kept = [box for box, use in zip(outputs, possible, strict=True) if use]

    largest, pair, output, pairs = -math.inf, None, None, 0
    deltas = dict.fromkeys(epsilons, 0.0)
    for left, right in _neighbours(mechanism, laws):
        pairs += 1
        loss = _losses(laws[left], laws[right])
        worst = int(np.argmax(loss))
        if loss[worst] > largest:
            largest, pair, output = float(loss[worst]), (left, right), kept[worst].counts
        for epsilon in epsilons:
            gain = np.exp(laws[left]) - math.exp(epsilon) * np.exp(laws[right])
            deltas[epsilon] = max(deltas[epsilon], float(gain[gain > 0].sum()))
    if pair is None or output is None:
        raise AuditError("there are no neighbouring tables", asked=f"{records} records, {levels} levels")
    pure = mechanism.guarantee.pure
    outside = max(1 - float(np.exp(law).sum()) for law in laws.values())
    return EnumerationAudit(
        largest, None if pure is None else float(pure), pair, output, pairs, max(0.0, outside), deltas
    )


def _all_tables(mechanism: Mechanism, records: int) -> Iterator[Table]:
    """List all tables that are or have neighbours with this many records."""
    totals = [records] if mechanism.sensitivity.neighbours is REPLACE_ONE else [records - 1, records]
    for total in totals:
        yield from _tables(total, mechanism.levels)


def _tables(total: int, cells: int) -> Iterator[Table]:
    if cells == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _tables(total - first, cells - 1):
            yield (first, *rest)


def _neighbours(
    mechanism: Mechanism, laws: dict[Table, NDArray[np.float64]]
) -> Iterator[tuple[Table, Table]]:
    """List ordered pairs: every pair appears in both directions."""
    if mechanism.sensitivity.neighbours is REPLACE_ONE:
        moves = [
            tuple((cell == enters) - (cell == leaves) for cell in range(mechanism.levels))
            for enters in range(mechanism.levels)
            for leaves in range(mechanism.levels)
            if enters != leaves
        ]
    else:
        moves = [
            tuple(sign * (cell == moved) for cell in range(mechanism.levels))
            for moved in range(mechanism.levels)
            for sign in (-1, 1)
        ]
    for table in laws:
        for move in moves:
            other = tuple(count + step for count, step in zip(table, move, strict=True))
            if other in laws:
                yield table, other


def _law(mechanism: Mechanism, table: Table, outputs: list[NoisyStatistics]) -> NDArray[np.float64]:
    statistics = ExactStatistics(np.array(table, dtype=np.int64))
    return np.array([mechanism.log_likelihood(output, statistics) for output in outputs])


def _losses(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log ratios; infinite where only the first table can give the output."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isneginf(left), -np.inf, left - right)
