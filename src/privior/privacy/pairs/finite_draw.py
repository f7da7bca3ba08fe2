"""A draw from the posterior of a finite family: pure privacy, whatever the family.

Model m gives level i the chance p_mi > 0 and has the prior weight v_m; a record counts w times, so that after
counts c model m is drawn with the probability q_c(m) = v_m prod_i p_mi^(w c_i) / Z(c).

Replacing a record of level j by one of level i turns c into c' = c - e_j + e_i, and the loss at m is

    log q_c'(m) / q_c(m) = w (log p_mi - log p_mj) - log Z(c') / Z(c).

The second term does not depend on m, and Z(c') / Z(c) is the mean of (p_mi / p_mj)^w under q_c, hence between
its least and its largest value over the models. So the loss lies in an interval [t - eta, t] that holds 0,
with eta = w max_ij (max_m - min_m)(log p_mi - log p_mj): pure eta, and `BoundedRangePair(eta)` dominates.
Adding a record of level i is the same with log p_mi alone. A unit of up to r records: differences of sums of
so many terms, which vary by at most r times as much. In none of this does the number of records play a part.

For a public number n of records, one record replaced, the largest loss is the largest over all tables of the
n - 1 others, all i, j and m. Where these can be listed it is computed, with a bound of the rounding errors
added: `listed`. It is below eta, for eta is reached only where data make all but one model impossible.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, pairwise
from math import comb

import numpy as np

from privior.arrays import Floats
from privior.errors import NumberError
from privior.privacy.neighbours import REPLACE_ONE, Neighbours
from privior.privacy.pairs.balls import ball, upper
from privior.privacy.pairs.bounded_range import BoundedRangePair

#: tables are listed up to this much work: tables x levels x (levels + models)
_MOST_LISTED = 3_000_000
#: ratios of chances that are compared, exactly
_MOST_RATIOS = 3_000_000


@dataclass(frozen=True)
class FiniteDraw:
    """One draw of a model.

    Attributes:
        chances: of each model, one for each level, all positive
        prior: the weight of each model
        neighbours: the relation
        records: how many there are, if that is public
        max_rows: records of one unit, at most
    """

    chances: tuple[tuple[Fraction, ...], ...]
    prior: tuple[Fraction, ...]
    neighbours: Neighbours
    records: int
    max_rows: int = 1

    def __post_init__(self) -> None:
        if min(min(law) for law in self.chances) <= 0:
            raise NumberError("a model excludes a level: the loss of a draw is unbounded")
        models, levels = len(self.chances), len(self.chances[0])
        if min(models, levels) * models * levels > _MOST_RATIOS:
            raise NumberError("too many models and levels to compare", asked=f"{models} x {levels}")

    @cached_property
    def spread(self) -> Fraction:
        """e^eta of one record at weight 1, exactly: the largest ratio of two ratios of chances."""
        if self.neighbours is not REPLACE_ONE:
            return max((max(one) / min(one) for one in zip(*self.chances, strict=True)), default=Fraction(1))
        by_models = len(self.chances) <= len(self.chances[0])
        rows = self.chances if by_models else tuple(zip(*self.chances, strict=True))
        found = Fraction(1)
        for one, other in combinations(rows, 2):
            ratios = [a / b for a, b in zip(one, other, strict=True)]
            found = max(found, max(ratios) / min(ratios))
        return found

    def oscillation(self, weight: Fraction) -> Fraction:
        """Return eta at a weight, rounded up."""
        return Fraction(upper(lambda: ball(weight * self.max_rows) * ball(self.spread).log()))

    def bounded_range(self, weight: Fraction) -> BoundedRangePair:
        """Return the pair that dominates one draw, whatever the number of records."""
        return BoundedRangePair(self.oscillation(weight))

    @property
    def listable(self) -> bool:
        """Whether all tables of the other records can be looked at."""
        models, levels = len(self.chances), len(self.chances[0])
        if self.neighbours is not REPLACE_ONE or self.max_rows > 1 or levels > 40:
            return False
        tables = comb(self.records + levels - 2, levels - 1)
        return tables * levels * (levels + models) <= _MOST_LISTED

    def pure(self, weight: Fraction) -> Fraction:
        """Return the largest loss of one draw, rounded up: over all tables if they can be listed."""
        eta = self.oscillation(weight)
        return min(eta, self.listed(weight)) if self.listable else eta

    def listed(self, weight: Fraction) -> Fraction:
        """Return the largest loss over all pairs of neighbouring tables, its rounding errors added.

        A log weight is a sum of k + 1 terms of size at most S in all, its error at most (k + 3) S 2^-52; the
        logarithm of a sum of M exponentials adds no more than that and (M + 8) 2^-52; a loss has two of them.
        """
        logs = float(weight) * self._log_chances
        rises = (logs[:, :, None] - logs[:, None, :]).max(axis=0)  # [i, j]: from level j to level i
        largest = -np.inf
        for tables in self._blocks:
            others = self._log_prior + tables @ logs.T
            masses = np.stack([_log_sum(others + row) for row in logs.T], axis=1)  # log Z with level i added
            found = rises[None] - masses[:, :, None] + masses[:, None, :]
            largest = max(largest, float(found.max()))
        levels, models = logs.shape[1], logs.shape[0]
        size = self.records * float(np.abs(logs).max()) + float(np.abs(self._log_prior).max()) + 1
        return Fraction(largest) + Fraction(4 * (levels + models + 12) * size) / 2**52

    @cached_property
    def _log_chances(self) -> Floats:
        return np.asarray(np.log([[float(chance) for chance in law] for law in self.chances]))

    @cached_property
    def _log_prior(self) -> Floats:
        return np.asarray(np.log([float(one / max(self.prior)) for one in self.prior]))

    @cached_property
    def _blocks(self) -> list[Floats]:
        """All tables of the n - 1 other records, some at a time."""
        every = np.array(list(_tables(self.records - 1, len(self.chances[0]))), dtype=np.float64)
        return [every[start : start + 20_000] for start in range(0, len(every), 20_000)]


def _tables(records: int, levels: int) -> Iterator[tuple[int, ...]]:
    """Yield all tables of so many records, by the places of bars among stars."""
    for bars in combinations(range(records + levels - 1), levels - 1):
        edges = (-1, *bars, records + levels - 1)
        yield tuple(after - before - 1 for before, after in pairwise(edges))


def _log_sum(logs: Floats) -> Floats:
    most = logs.max(axis=1)
    return np.asarray(most + np.log(np.exp(logs - most[:, None]).sum(axis=1)))
