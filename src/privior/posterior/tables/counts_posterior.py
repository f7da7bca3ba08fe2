"""The posterior of the true table of counts, whole or summed over some of its columns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privior.errors import InferenceError, shown
from privior.posterior.counts.contract import LatentCounts, quantiles_of_tables
from privior.posterior.diagnostics import Diagnostics
from privior.posterior.quantity import SEED, check_level, check_number, generator
from privior.posterior.tables.distances import EUCLIDEAN, Distance
from privior.posterior.tables.drawn import affordable

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

#: no more counts than this are drawn at once
_AT_ONCE = 20_000_000


@dataclass(frozen=True, repr=False)
class CountsPosterior:
    """The posterior of the true table of counts."""

    latent: LatentCounts

    def mean(self) -> Floats:
        """Return the expected true count of each cell."""
        return self.latent.mean

    def stddev(self) -> Floats:
        """Return how uncertain each true count is: privacy noise alone."""
        return self.latent.stddev

    def interval(self, level: float = 0.9) -> Floats:
        """Return lower and upper ends for each true count, as (k, 2)."""
        return self.latent.interval(check_level(level))

    def shares(self, distance: Distance = EUCLIDEAN) -> Floats:
        """Return the share of each cell, with the least expected distance to the true shares.

        Read off draws with a fixed seed. For the least expected squared Euclidean distance take the mean
        instead; for single cells, too.

        Args:
            distance: how errors are counted: `pv.EUCLIDEAN` or `pv.HELLINGER`
        """
        if not isinstance(distance, Distance):
            raise InferenceError(
                "not a distance", asked=shown(distance), allowed="pv.EUCLIDEAN, pv.HELLINGER"
            )
        return distance.nearest(self._kept)

    def draws(self, n: int, seed: int | None = None) -> Integers:
        """Return n possible true tables, as (n, k)."""
        return self.latent.draws(check_number(n, "n", self.latent.mean.size), generator(seed))

    @cached_property
    def _kept(self) -> Integers:
        """The draws that are kept, with a fixed seed."""
        return self.latent.draws(affordable(self.latent.mean.size), np.random.default_rng(SEED))

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
    """

    whole: LatentCounts
    shape: tuple[int, ...]
    axes: tuple[int, ...]

    @property
    def exact(self) -> bool:
        """Whether nothing is read off draws."""
        return self.whole.exact and self._complete

    @cached_property
    def diagnostics(self) -> Diagnostics:  # type: ignore[override]
        """Those of the whole table."""
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
        return self.draws(affordable(math.prod(self.shape)), np.random.default_rng(SEED))

    def _summed(self, tables: NDArray[np.generic]) -> Integers:
        """Sum tables (size, cells) over the columns that are left out, and put the others in order."""
        size = len(tables)
        left_out = tuple(1 + axis for axis in range(len(self.shape)) if axis not in self.axes)
        summed = tables.reshape(size, *self.shape).sum(axis=left_out, keepdims=True)
        order = [0, *(1 + axis for axis in self.axes), *left_out]
        return np.asarray(summed.transpose(order).reshape(size, -1))
