"""The enumeration audit: every pair of neighbouring tables, the exact output law, the largest loss.

For small numbers of records n and cells k all tables of counts are listed, and for each the probability
of every output in a box around them is computed from the mechanism's own `log_likelihood`. The largest
log ratio between neighbours, in both directions, is the true epsilon up to the box. What lies outside the
box is reported and not judged, and that `release` follows `log_likelihood` is for another test to show.
A passed audit is evidence, not a proof.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from privior.arrays import Floats
from privior.checks import is_whole
from privior.errors import AuditError, shown
from privior.mechanisms import TableMechanism
from privior.models import ExactStatistics, Observed
from privior.privacy import REPLACE_ONE

SmallTable = tuple[int, ...]
_MOST_OUTPUTS = 3_000_000


@dataclass(frozen=True)
class EnumerationAudit:
    """What enumeration found.

    Attributes:
        largest_loss: the largest log ratio of output probabilities between neighbours
        claimed: the pure epsilon of the mechanism's guarantee; None if it claims none
        claimed_deltas: what the guarantee states at each epsilon asked for
        pair: two neighbouring tables that attain the largest loss
        output: an output at which they do
        pairs: how many ordered pairs of neighbours were compared
        outside: the largest probability, over tables, of an output outside the box
        deltas: the largest hockey-stick divergence found at each epsilon asked for, the box only
    """

    largest_loss: float
    claimed: float | None
    claimed_deltas: dict[float, float]
    pair: tuple[SmallTable, SmallTable]
    output: SmallTable
    pairs: int
    outside: float
    deltas: dict[float, float]

    def __str__(self) -> str:
        verdict = "nothing exceeds the claim" if self.holds else "THE CLAIM DOES NOT HOLD"
        claimed = "no pure epsilon" if self.claimed is None else f"epsilon {self.claimed:g}"
        return (
            f"{verdict}: claimed {claimed}, largest loss {self.largest_loss:.6g} over {self.pairs} pairs "
            f"(between {self.pair[0]} and {self.pair[1]}, at {self.output}); probability outside the box "
            f"{self.outside:.2g}"
        )

    @property
    def holds(self) -> bool:
        """Whether nothing in the box exceeds what is claimed: no loss, and no divergence (up to rounding).

        A mechanism that claims no pure epsilon is judged by its divergences alone.
        """
        pure = self.claimed is None or self.largest_loss <= self.claimed * (1 + 1e-9)
        allowed = self.claimed_deltas
        return pure and all(self.deltas[e] <= allowed[e] * (1 + 1e-9) + 1e-12 for e in self.deltas)


def audit(
    mechanism: TableMechanism, *, records: int, margin: int = 3, epsilons: tuple[float, ...] = ()
) -> EnumerationAudit:
    """Audit a mechanism on all tables with this many records.

    Args:
        mechanism: any mechanism for a table of counts
        records: the number of records n of the largest tables; smaller ones, down to what one unit can
            take away, are listed too where the total is not public
        margin: how far the box of outputs reaches below 0 and above n
        epsilons: where to compute the divergence
    """
    for name, number, least in (("records", records, 1), ("margin", margin, 0)):
        if not is_whole(number, least):
            raise AuditError(f"{name} is out of range", asked=shown(number), allowed=f"{least} or more")
    if not hasattr(mechanism, "outcomes"):
        raise AuditError(
            "not a mechanism for one table of counts",
            asked=shown(mechanism),
            advice="Give plan.mechanism, or pv.KNorm(...).",
        )
    if mechanism.records not in (None, records):
        raise AuditError(
            "the mechanism is for another number of records", asked=records, allowed=mechanism.records
        )
    if mechanism.guarantee.pure is None and not epsilons:
        raise AuditError(
            "a guarantee with delta needs an epsilon to be checked at", advice="Say epsilons=(1.0,)."
        )
    levels, side = mechanism.cells, mechanism.outcomes(records, margin)
    if len(side) ** levels > _MOST_OUTPUTS:
        raise AuditError(
            "too many outputs to enumerate",
            asked=f"{len(side)}^{levels}",
            allowed=_MOST_OUTPUTS,
            advice="Use fewer records, levels or a smaller margin.",
        )
    outputs = [Observed.of(box) for box in product(side, repeat=levels)]
    laws = {table: _law(mechanism, table, outputs) for table in _all_tables(mechanism, records)}
    for law in laws.values():
        if np.isnan(law).any() or np.exp(law).sum() > 1 + 1e-9:
            raise AuditError("what the mechanism states is no law", asked=mechanism.name)
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
            with np.errstate(over="ignore"):  # e^epsilon may exceed all floats: nothing is gained there
                gain = np.exp(laws[left]) - np.exp(epsilon + laws[right])
            deltas[epsilon] = max(deltas[epsilon], float(gain[gain > 0].sum()))
    if pair is None or output is None:
        raise AuditError("there are no neighbouring tables", asked=f"{records} records, {levels} levels")
    guarantee = mechanism.guarantee
    claimed_deltas = {epsilon: guarantee.delta(epsilon) for epsilon in epsilons}
    outside = max(0.0, *(1 - float(np.exp(law).sum()) for law in laws.values()))
    if guarantee.pure is None and outside > min(claimed_deltas.values()) / 10:
        raise AuditError(
            "the box leaves out too much probability to judge delta",
            asked=f"margin {margin}, which leaves out {outside:.2g}",
            allowed=f"a tenth of the delta claimed, {min(claimed_deltas.values()):.2g}",
            advice="Use a larger margin.",
        )
    return EnumerationAudit(
        largest_loss=largest,
        claimed=None if guarantee.pure is None else float(guarantee.pure),
        claimed_deltas=claimed_deltas,
        pair=pair,
        output=output,
        pairs=pairs,
        outside=outside,
        deltas=deltas,
    )


def _all_tables(mechanism: TableMechanism, records: int) -> Iterator[SmallTable]:
    """List all tables with this many records, and their neighbours' totals."""
    rows = _rows(mechanism)
    if mechanism.sensitivity.total_fixed:
        totals = range(records, records + 1)
    else:
        totals = range(max(0, records - rows), records + 1)
    for total in totals:
        yield from _tables(total, mechanism.cells)


def _rows(mechanism: TableMechanism) -> int:
    """Return how many records one unit contributes at most."""
    sensitivity = mechanism.sensitivity
    return sensitivity.l1 // 2 if sensitivity.neighbours is REPLACE_ONE else sensitivity.l1


def _tables(total: int, cells: int) -> Iterator[SmallTable]:
    if cells == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _tables(total - first, cells - 1):
            yield (first, *rest)


def _neighbours(
    mechanism: TableMechanism, tables: Collection[SmallTable]
) -> Iterator[tuple[SmallTable, SmallTable]]:
    """List ordered pairs: every pair appears in both directions.

    Neighbours differ by what one unit contributes: a table of 1 to m records appears, disappears or, under
    replace-one, takes the place of another such table.
    """
    sizes = range(1, _rows(mechanism) + 1)
    contributions = [part for size in sizes for part in _tables(size, mechanism.cells)]
    nothing = (0,) * mechanism.cells
    if mechanism.sensitivity.neighbours is REPLACE_ONE:
        swaps = list(product(contributions, contributions))
    else:
        swaps = [(nothing, part) for part in contributions] + [(part, nothing) for part in contributions]
    moves = {tuple(new - old for old, new in zip(*swap, strict=True)) for swap in swaps} - {nothing}
    for table in tables:
        for move in sorted(moves):
            other = tuple(count + step for count, step in zip(table, move, strict=True))
            if other in tables:
                yield table, other


def _law(mechanism: TableMechanism, table: SmallTable, outputs: list[Observed]) -> Floats:
    statistics = ExactStatistics(np.array(table, dtype=np.int64))
    return np.array([mechanism.log_likelihood(output, statistics) for output in outputs])


def _losses(left: Floats, right: Floats) -> Floats:
    """Return log ratios; infinite where only the first table can give the output."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isneginf(left), -np.inf, left - right)
