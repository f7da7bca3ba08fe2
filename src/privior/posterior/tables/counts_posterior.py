"""The posterior of the true table of counts, whole or summed over some of its columns.

It is asked like the posterior of the process behind the table, but means the records that were counted: their
shares, means and quantiles, about which privacy noise is all that is uncertain.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Floats, Integers
from privior.errors import InferenceError, shown
from privior.models import DirichletCategorical, DirichletTable
from privior.posterior.cells import CellNumbers
from privior.posterior.contract import Belief
from privior.posterior.counts.contract import LatentCounts, quantiles_of_tables
from privior.posterior.counts.law import IntegerLaw
from privior.posterior.counts.share_law import ShareLaw
from privior.posterior.counts.sum_with_total import SumWithTotal
from privior.posterior.diagnostics import Diagnostics
from privior.posterior.events import Event
from privior.posterior.named_numbers import NamedNumbers, named
from privior.posterior.ordered_quantity import OrderedQuantity, as_value
from privior.posterior.quantity import (
    DRAWS,
    Quantity,
    check_level,
    check_number,
    check_share,
    generator,
)
from privior.posterior.seeds import drawing
from privior.posterior.summary import Summary
from privior.posterior.tables.counts_given import total_of
from privior.posterior.tables.distances import EUCLIDEAN, TableDistance
from privior.posterior.tables.drawn import MOST_CELLS, affordable
from privior.release import Release

#: no more counts than this are drawn at once
_AT_ONCE = 20_000_000


@dataclass(frozen=True, repr=False)
class CountsPosterior(Belief):
    """The posterior of the true table of counts.

    Attributes:
        latent: the posterior of the counts
        behind: what the same releases say of the process behind the table
        columns: those of the table
    """

    latent: LatentCounts
    behind: Belief = field(compare=False)
    columns: tuple[str, ...]

    @property
    def releases(self) -> tuple[Release, ...]:  # type: ignore[override]
        """The releases that the process behind the table was inferred from."""
        return self.behind.releases

    @cached_property
    def model(self) -> DirichletTable:
        """The model of these columns."""
        model: DirichletTable = self.behind.model
        return model if self.columns == model.columns else DirichletCategorical(self.columns)

    @property
    def seed(self) -> int:  # type: ignore[override]
        """Of what is drawn to read answers off."""
        return self.behind.seed

    @property
    def ignored(self) -> bool:  # type: ignore[override]
        """Whether noisy counts are taken as true ones."""
        return self.behind.ignored

    @property
    def warnings(self) -> tuple[str, ...]:
        """What must be known before the numbers are trusted."""
        return self.behind.warnings

    @property
    def caveats(self) -> tuple[str, ...]:
        """What goes with every answer."""
        return self.behind.caveats

    @property
    def about(self) -> str:
        """What its numbers are of: the table, whose number of records may be private."""
        known = "itself" if self._total is None else f"of {self._total:,} records"
        return f"of the table {known}{self.whose}"

    @cached_property
    def numbers(self) -> CellNumbers:
        """What the shares of cells say about records."""
        return CellNumbers(self.model, self.schema)

    @property
    def labels(self) -> list[str]:
        """The name of each cell."""
        return [", ".join(cell) for cell in self.numbers.cells]

    def _named(self, numbers: Floats) -> NamedNumbers:
        return named(numbers, lambda: self.labels)

    def mean(self) -> NamedNumbers:
        """Return the expected true count of each cell."""
        return self._named(self.latent.mean)

    def stddev(self) -> NamedNumbers:
        """Return how uncertain each true count is: privacy noise alone."""
        return self._named(self.latent.stddev)

    def interval(self, level: float = 0.9) -> NamedNumbers:
        """Return lower and upper ends for each true count, as (k, 2)."""
        return self._named(self.latent.interval(check_level(level)))

    def summary(self, level: float = 0.9) -> Summary:
        """Return the count of every cell, with its levels."""
        ends = self.interval(level)
        return Summary.of_cells(self.columns, self.schema, self.mean(), self.stddev(), ends, level)

    def to_pandas(self, level: float = 0.9) -> Any:
        """Return the summary as a frame of pandas: mean, stddev, low and high by the levels of each cell."""
        return self.summary(level).to_pandas()

    def shares(self, distance: TableDistance = EUCLIDEAN) -> NamedNumbers:
        """Return the share of each cell, with the least expected distance to the true shares.

        Read off draws with a fixed seed. For the least expected squared Euclidean distance take the mean
        instead; for single cells, too.

        Args:
            distance: how errors are counted: `pv.EUCLIDEAN` or `pv.HELLINGER`
        """
        if not isinstance(distance, TableDistance):
            raise InferenceError(
                "not a distance", asked=shown(distance), allowed="pv.EUCLIDEAN, pv.HELLINGER"
            )
        return self._named(distance.nearest(self._kept))

    def draws(self, n: int, seed: int | None = None) -> Integers:  # type: ignore[override]
        """Return n possible true tables, as (n, k)."""
        return self.latent.draws(check_number(n, "n", self.latent.mean.size), generator(seed))

    def probability(self, event: Event | object, given: Event | object | None = None) -> Quantity:
        """Return the share of the table's records that are as an event says, exactly where that is possible.

        Args:
            event: a level, or several, for some columns
            given: another event: the share among the records of which this holds
        """
        name, function = self.numbers.probability(event, given)
        name, total = f"share{name[1:]}", self._total
        law = (
            None
            if given is not None or total is None
            else self.latent.sum_of(self.numbers.events.cells(event))
        )
        if law is None or total is None:
            found = None if given is not None or self.ignored else self._of_private(event)
            alone = None if given is not None or found is not None else self._alone(event)
            if alone is not None:
                return Quantity.of(name, alone)
            if found is None:
                return self._linear(name, function, given)
            spread, shares = found.stddev, found.draws(DRAWS, drawing(0, self.seed))
            return Quantity(name, found.mean, shares, found.interval, spread, found.undefined)

        def interval(level: float) -> tuple[float, float]:
            low, high = law.quantiles(level)
            return low / total, high / total

        rng = drawing(0, self.seed)
        drawn = rng.choice(law.low + np.arange(law.mass.size), size=DRAWS, p=law.mass) / total
        return Quantity(name, law.mean / total, drawn, interval, float(np.sqrt(law.variance)) / total)

    def _of_private(self, event: Event | object) -> ShareLaw | None:
        """Return the law of a share of a private number of records, where it needs no draws of tables."""
        cells = self.numbers.events.cells(event)
        found = self.latent.sum_with_total(cells)
        return None if found is None else ShareLaw(found)

    def _alone(self, event: Event | object) -> Floats | None:
        """Return draws of one cell's share, where those of all cells would fill the memory."""
        places = np.flatnonzero(self.numbers.events.cells(event))
        few = places.size != 1 or self.latent.mean.size <= MOST_CELLS
        kept = None if few else self.latent.kept_of(int(places[0]))
        if kept is None:
            return None
        counts, totals = kept
        return np.asarray(np.divide(counts, totals, out=np.full(counts.shape, np.nan), where=totals > 0))

    def average(self, column: str, given: Event | object | None = None) -> Quantity:
        """Return the mean of a column over the table's records, or over those of which an event holds."""
        name, function = self.numbers.average(column, given)
        return self._linear(f"table({name})", function, given)

    def quantile(
        self, column: str, share: float, given: Event | object | None = None
    ) -> Quantity | OrderedQuantity:
        """Return the least value that at least this share of the table's records does not exceed."""
        name, function = self.numbers.quantile(column, check_share(share), given)
        return as_value(self.quantity(f"table({name})", function), self.schema.column(column))

    def quantity(self, name: str, function: Callable[[Floats], Floats]) -> Quantity:
        """Return the law of a number that follows from the shares of the cells, by draws of the table."""
        return Quantity.of(name, function(self._kept_shares))

    def _linear(
        self, name: str, function: Callable[[Floats], Floats], given: Event | object | None
    ) -> Quantity:
        """Return a number that is linear in the counts; its mean needs no draws if nothing is given."""
        found = self.quantity(name, function)
        if given is not None or self._total is None:
            return found
        mean = float(function(self.latent.mean[np.newaxis] / self._total)[0])
        return replace(found, mean=mean)

    @cached_property
    def _total(self) -> int | None:
        """The number of records, if it is public."""
        total = total_of(self.releases)
        return total.most if total.known and not self.ignored else None

    @cached_property
    def _kept_shares(self) -> Floats:
        """The share of each cell in the tables that are kept; nan in a table without records."""
        totals = self._kept.sum(axis=1, keepdims=True)
        with np.errstate(invalid="ignore"):
            return np.asarray(self._kept / totals)

    @cached_property
    def _kept(self) -> Integers:
        """The draws that are kept, with a fixed seed."""
        return self.latent.draws(affordable(self.latent.mean.size), drawing(0, self.seed))

    def __str__(self) -> str:
        return "\n".join([str(self.summary()), "", self.about, *self.caveats])

    def __repr__(self) -> str:
        return f"<posterior of {self.latent.mean.size} true counts>"


@dataclass(frozen=True, eq=False)
class MarginalCounts(LatentCounts):
    """The posterior of a table summed over some of its columns, or with its columns in another order.

    Means are sums of means. Counts that are summed depend on each other, so the spread of their sum is read
    off draws of the whole table, with a fixed seed. Another order alone leaves everything as exact as it was.

    Attributes:
        whole: the posterior of the whole table
        shape: the number of levels of each of its columns
        axes: which of its columns are kept, in order
        seed: of the draws that are kept
    """

    whole: LatentCounts
    shape: tuple[int, ...]
    axes: tuple[int, ...]
    seed: int = 0

    @property
    def exact(self) -> bool:
        """Whether nothing is read off draws."""
        return self.whole.exact and self._complete

    @cached_property
    def diagnostics(self) -> Diagnostics:  # type: ignore[override]
        """The diagnostics of the whole table, from which the margin is summed."""
        return self.whole.diagnostics

    @cached_property
    def mean(self) -> Floats:  # type: ignore[override]
        """The expected count of each cell."""
        return np.asarray(self._summed(self.whole.mean[np.newaxis])[0], dtype=np.float64)

    @cached_property
    def stddev(self) -> Floats:  # type: ignore[override]
        """The standard deviation of each count."""
        return self.whole.stddev[self._order] if self._complete else self._kept.std(axis=0)

    def interval(self, level: float) -> Floats:
        """Return the equal-tailed interval of each count, as (cells, 2)."""
        if self._complete:
            return self.whole.interval(level)[self._order]
        return quantiles_of_tables(self._kept, level)

    def sum_of(self, cells: NDArray[np.bool_]) -> IntegerLaw | None:
        """Return the law of the sum of some cells: of all cells of the whole table that go into them."""
        return self.whole.sum_of(self._spread(cells))

    def sum_with_total(self, cells: NDArray[np.bool_]) -> SumWithTotal | None:
        """Return likewise the joint law of the sum and the total."""
        return self.whole.sum_with_total(self._spread(cells))

    def _spread(self, cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the cells of the whole table that go into some of these."""
        kept = cells.reshape([self.shape[axis] for axis in self.axes])
        order = [self.axes.index(axis) for axis in sorted(self.axes)]
        spread = [size if axis in self.axes else 1 for axis, size in enumerate(self.shape)]
        return np.broadcast_to(kept.transpose(order).reshape(spread), self.shape).ravel()

    def draws(self, size: int, rng: np.random.Generator) -> Integers:
        """Return tables from the posterior, as (size, cells)."""
        few = max(1, _AT_ONCE // math.prod(self.shape))
        parts = [self._summed(self.whole.draws(min(few, size - start), rng)) for start in range(0, size, few)]
        return np.concatenate(parts)

    @property
    def _complete(self) -> bool:
        return len(self.axes) == len(self.shape)

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        """Where each cell stands in the whole table, if no column is left out."""
        return np.arange(math.prod(self.shape)).reshape(self.shape).transpose(self.axes).ravel()

    @cached_property
    def _kept(self) -> Integers:
        return self.draws(affordable(math.prod(self.shape)), drawing(0, self.seed))

    def _summed(self, tables: NDArray[np.generic]) -> Integers:
        """Sum tables (size, cells) over the columns that are left out, and put the others in order."""
        size = len(tables)
        left_out = tuple(1 + axis for axis in range(len(self.shape)) if axis not in self.axes)
        summed = tables.reshape(size, *self.shape).sum(axis=left_out, keepdims=True)
        order = [0, *(1 + axis for axis in self.axes), *left_out]
        return np.asarray(summed.transpose(order).reshape(size, -1))
