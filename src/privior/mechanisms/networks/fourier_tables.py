"""Noise on the parities of binary columns: tables that agree with each other, from fewer numbers."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Self, final

import numpy as np

from privior.arrays import Floats, Integers
from privior.checks import fill
from privior.errors import shown
from privior.exact import rational, round_down, round_up
from privior.mechanisms.contract import Asked, CellNoise, CellTerm, ParityTerm, offered_for
from privior.mechanisms.laws import gaussian_log_pmf, gaussian_variance, laplace_log_pmf, laplace_variance
from privior.mechanisms.networks.gaussian_tables import WIDENING, WIDEST_EXACT, certified_scales
from privior.mechanisms.networks.network_mechanism import NetworkMechanism
from privior.mechanisms.networks.parities import Subset, listed, most_turned, subsets, transformed
from privior.mechanisms.tables.table_mechanism import true_counts
from privior.models import ExactStatistics, Layout, Model, Network, Observed
from privior.privacy import (
    REPLACE_ONE,
    Budget,
    Concentrated,
    DiscreteGaussianShift,
    DominatingPair,
    Guarantee,
    Neighbours,
    Sensitivity,
    SignedSteps,
)
from privior.privacy.composition import Composed, compose_symmetric
from privior.randomness import OPENDP, WIDEST, discrete_gaussian, discrete_laplace
from privior.schema import Schema

_APPROXIMATE = "Laplace noise of parities taken as Gaussian noise of cells"


@final
@offered_for(Network)
@dataclass(frozen=True)
class FourierTables(NetworkMechanism):
    """Independent noise of one scale on the parities of all subsets of all families, each subset once.

    A family is a node with its parents. Its table follows from its parities (`parities`), so tables agree
    wherever they overlap. With c_g the number of records of odd parity on the subset g:

    Replace-one, one record a unit: n is public, and c_g is published for every g but the empty one. It moves
    by one if g has an odd number of the columns in which the two records differ, and not otherwise: that are
    at most M of them (`most_turned`). Otherwise s_g = n - 2 c_g is published, n among them. A unit that is
    added moves each by at most its number of records m. One that is replaced moves M of them by 2m, or all by
    m if it had none before: what counts is convex in the records, 2M >= |N|, so the first is the worst. (To
    publish c_g and n, of which a record moves M + 1, takes noise of s_g that is wider, for the same reason.)

    Delta 0: discrete Laplace noise of scale L1 / epsilon (Ghosh, Roughgarden, Sundararajan 2009); else
    discrete Gaussian noise, composed over the numbers that move (`GaussianTables`). The algorithm is that of
    Zhang, Rubinstein, Dimitrakakis (2016, Algorithm 2) with M for their |N|, and without the shift by which
    tables are seldom negative: to cut them at zero is post-processing, `pv.infer(release, noise="ignore")`.

    Attributes:
        epsilon: what is spent
        delta: likewise; 0 for Laplace noise
        scale: of the noise of each number, exactly a float
    """

    model: Network
    schema: Schema
    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours
    max_rows: int
    scale: Fraction
    name: ClassVar[str] = "fourier-tables"
    about: ClassVar[str] = "discrete noise on every parity of binary columns, from which tables follow"
    randomness: ClassVar[str] = OPENDP

    def __init__(
        self,
        model: Network,
        schema: Schema,
        epsilon: object,
        delta: object = 0,
        *,
        neighbours: Neighbours | str = REPLACE_ONE,
        max_rows: int = 1,
        scale: object = None,
    ) -> None:
        budget = Budget.of(epsilon, delta)
        fill(self, epsilon=budget.epsilon, delta=budget.delta)
        self._set_tables(model, schema, neighbours, max_rows)
        self._check_binary()
        found = self._calibrated() if scale is None else rational(scale, "scale")
        if found > WIDEST:
            raise self.refusal(
                "this budget needs more noise than can be drawn",
                advice="Ask for a larger epsilon, or take fewer nodes.",
            )
        if found <= 0 or Fraction(float(found)) != found or not self._enough((found,)):
            raise self.refusal("this scale does not give the stated guarantee", asked=shown(scale))
        fill(self, scale=found)

    def _check_binary(self) -> None:
        wide = [node for node in self.model.columns if self.schema.column(node).size != 2]
        if wide:
            more = f", and {len(wide) - 1} more columns have others" if len(wide) > 1 else ""
            raise self.refusal(
                "only columns of two levels have parities; "
                f"{wide[0]} has {self.schema.column(wide[0]).size}{more}",
                advice="Use LaplaceTables or GaussianTables.",
            )
        if self.most_turned is None:
            raise self.refusal(
                "the graph is too dense to tell how many parities one record turns",
                advice="Take fewer parents, or use LaplaceTables or GaussianTables.",
            )

    @classmethod
    def built(cls, asked: Asked) -> Self:
        """Spend epsilon, and delta where Gaussian noise is smaller than Laplace noise."""
        unit = {"neighbours": asked.neighbours, "max_rows": asked.schema.unit.max_rows}
        budget = asked.budget
        pure = cls(asked.model, asked.schema, budget.epsilon, **unit)  # type: ignore[arg-type]
        if not budget.delta:
            return pure
        other = cls(asked.model, asked.schema, budget.epsilon, budget.delta, **unit)  # type: ignore[arg-type]
        return other if other.variance < pure.variance else pure

    # What is counted

    @cached_property
    def families(self) -> tuple[tuple[int, ...], ...]:
        """The numbers of the columns of each table: the parents, then the node."""
        numbers = {node: number for number, node in enumerate(self.model.columns)}
        return tuple(tuple(numbers[name] for name in table) for table in self.model.tables)

    @cached_property
    def subsets(self) -> tuple[Subset, ...]:
        """The sets of columns whose parities are published; the first is empty, and counts the records."""
        return subsets(self.families)

    @cached_property
    def _places(self) -> tuple[Integers, ...]:
        """Where the parities of each table stand among all."""
        order = {one: place for place, one in enumerate(self.subsets)}
        return tuple(np.array([order[one] for one in listed(family)]) for family in self.families)

    @cached_property
    def most_turned(self) -> int | None:
        """M: the largest number of parities in which two records differ; None if that takes too long."""
        return most_turned(self.families)

    @property
    def public_total(self) -> bool:
        """Whether the number of records is public, so that it needs no noise."""
        return self.one_table.total_fixed

    @property
    def moved(self) -> tuple[int, int]:
        """How many of the published numbers one unit moves, and by how much each: that is attained."""
        turned = self.most_turned or 0
        if self.public_total:
            return turned, 1
        if self.neighbours is REPLACE_ONE:
            return turned, 2 * self.max_rows
        return len(self.subsets), self.max_rows

    # What it promises

    def _calibrated(self) -> Fraction:
        many, by = self.moved
        if not self.delta:
            return Fraction(round_up(many * by / self.epsilon))
        found = certified_scales(self.epsilon, self.delta, [Fraction(many * by**2)], self._enough)
        if found is None:
            raise self.refusal(
                "this budget needs more noise than can be certified",
                asked=str(Budget(self.epsilon, self.delta)),
                advice="Ask for a larger epsilon or delta, or use a pure mechanism.",
            )
        return found[0]

    def _enough(self, scales: tuple[Fraction, ...]) -> bool:
        (scale,) = scales
        many, by = self.moved
        if not self.delta:
            return many * by <= self.epsilon * scale
        return Fraction(self._pair(scale).delta(round_down(self.epsilon))) <= self.delta

    def _exact(self, scale: Fraction) -> bool:
        """Whether each parity moves by one, and the exact curve is soon found."""
        return self.moved[1] == 1 and (not self.delta or scale <= WIDEST_EXACT)

    def _pair(self, scale: Fraction) -> DominatingPair:
        many, by = self.moved
        if not self.delta:
            steps = (
                (SignedSteps(1 / scale), many) if self._exact(scale) else (SignedSteps(many * by / scale), 1)
            )
            return compose_symmetric([steps])
        if not self._exact(scale):
            return Concentrated(many * by**2 / (2 * scale**2))
        if many <= 2:
            return DiscreteGaussianShift(scale**2, many)
        return Composed(((DiscreteGaussianShift(scale**2, 1), many),), WIDENING)

    @cached_property
    def _own_pair(self) -> DominatingPair:
        return self._pair(self.scale)

    @property
    def guarantee(self) -> Guarantee:
        """What was asked for, and the whole curve."""
        many, by = self.moved
        moves = f"{many} of {len(self.subsets)} parities, which move by {by}"
        if not self.delta:
            reason = f"discrete Laplace noise on {moves} (Ghosh et al. 2009)"
        elif self._exact(self.scale):
            reason = f"composed hockey-stick divergence of discrete Gaussians on {moves}"
        else:
            reason = f"concentrated divergence (Canonne, Kamath, Steinke 2020) on {moves}"
        unit = Sensitivity.unit(self.max_rows)
        return Guarantee(self._own_pair, self.neighbours, Budget(self.epsilon, self.delta), reason, unit)

    # What it publishes

    @cached_property
    def layouts(self) -> tuple[Layout, ...]:
        """One number for each subset; none for the empty one if the number of records is public."""
        if self.public_total:
            return (Layout("odd records", (len(self.subsets) - 1,)),)
        return (Layout("even minus odd records", (len(self.subsets),)),)

    def _numbers(self, statistics: ExactStatistics) -> Integers:
        """Return the exact numbers that noise is added to."""
        sums = np.zeros(len(self.subsets), dtype=np.int64)
        counts = true_counts(statistics, sum(self.sizes))
        for places, table in zip(self._places, np.split(counts, np.cumsum(self.sizes)[:-1]), strict=True):
            sums[places] = transformed(table)
        return (sums[0] - sums[1:]) // 2 if self.public_total else sums

    def release(self, statistics: ExactStatistics) -> Observed:
        """Add an exact draw to each number."""
        exact = self._numbers(statistics).tolist()
        draw = discrete_gaussian if self.delta else discrete_laplace
        noise = draw(len(exact), self.scale)
        return Observed(self.layouts, (tuple(one + z for one, z in zip(exact, noise, strict=True)),))

    def log_likelihood(self, observed: Observed, statistics: ExactStatistics) -> float:
        """Sum the log probabilities of all noises."""
        noise, scale = np.asarray(observed.counts) - self._numbers(statistics), float(self.scale)
        law = gaussian_log_pmf(noise, scale**2) if self.delta else laplace_log_pmf(noise, 1 / scale)
        return float(law.sum())

    def noisy_tables(self, observed: Observed, records: int) -> Floats:
        """Return the tables that have these parities: they agree, and may have any numbers, also halves."""
        seen = np.array(observed.counts, dtype=np.float64)
        sums = np.concatenate([[records], records - 2 * seen]) if self.public_total else seen
        return np.concatenate([transformed(sums[places]) / places.size for places in self._places])

    def cell_terms(self, observed: Observed, records: int) -> tuple[CellTerm, ...]:
        """The tables that follow, and the noise of their cells."""
        noise = self.cell_noise
        return (CellTerm(self.noisy_tables(observed, records), noise.rates, noise.curvatures),)

    def parity_term(self, observed: Observed) -> ParityTerm:
        """The published numbers themselves, with their own noise."""
        names, scale = self.model.columns, float(self.scale)
        sets = tuple(tuple(names[one] for one in some) for some in self.subsets[self.public_total :])
        law = (0.0, 1 / scale**2) if self.delta else (1 / scale, 0.0)
        return ParityTerm(sets, not self.public_total, observed.counts, *law)

    @property
    def variance(self) -> float:
        """The variance of the noise of each number."""
        scale = float(self.scale)
        return gaussian_variance(scale**2) if self.delta else laplace_variance(1 / scale)

    @property
    def cell_noise(self) -> CellNoise:
        """The noise of the cells of each table by itself: what its own parities say.

        The noises e of a table of K cells and those of its sums, w = H e, have |w|^2 = K |e|^2, H being the
        Walsh-Hadamard matrix. So with Gaussian noise of parameter v on the sums s_g the likelihood of a table
        is exactly that of independent Gaussian noise of v / K on its cells; if n is public, v is 4 scale^2
        and e sums to zero. Laplace noise is taken as Gaussian noise of its variance.
        """
        v = (float(self.scale) ** 2 if self.delta else self.variance) * (4 if self.public_total else 1)
        curvatures = np.repeat(np.array(self.sizes) / v, self.sizes)
        words = "" if self.delta else _APPROXIMATE
        return CellNoise(
            np.zeros(curvatures.size), curvatures, sums_to_zero=self.public_total, approximate=words
        )

    # Words

    def facts(self, model: Model, schema: Schema) -> list[tuple[str, str]]:
        """Say how many parities there are, and how large the noise of counts is."""
        many, _ = self.moved
        each = {
            size: self.variance * (4 * (size - 1) / size if self.public_total else 1) / size
            for size in self.sizes
        }
        said = ", ".join(
            f"{math.sqrt(each[size]):.3g} in {number} table{'s' if number > 1 else ''}"
            for size, number in sorted(Counter(self.sizes).items())
        )
        law = "Gaussian" if self.delta else "Laplace"
        numbers = len(self.subsets) - self.public_total
        return [
            ("parities", f"{numbers} numbers with {law} noise, of which one unit moves at most {many}"),
            ("noise", f"standard deviation of each count: {said}"),
        ]
