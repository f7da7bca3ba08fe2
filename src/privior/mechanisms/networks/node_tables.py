"""What mechanisms for networks have in common: noise on every count of every table, one budget for all."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np

from privior.arrays import Floats, Integers
from privior.checks import fill
from privior.errors import shown
from privior.exact import rational
from privior.mechanisms.contract import Asked, CellNoise, Offer
from privior.mechanisms.networks.network_mechanism import NetworkMechanism
from privior.mechanisms.tables.table_mechanism import true_counts
from privior.models import ExactStatistics, Layout, Model, Observed
from privior.privacy import Budget, Sensitivity
from privior.randomness import WIDEST
from privior.schema import Schema

#: tables have at most so many different scales of noise: composing few is quick, and loses little
MOST_SCALES = 4
#: ways to share the budget among tables: by the root of their cells, or alike
CELLS, EQUAL = "cells", "equal"
#: binary digits of a root
_DIGITS = 24


class NodeTables(NetworkMechanism):
    """Independent noise on the counts of all tables of a network, of one scale for each table.

    A unit moves each table as it moves a single one, and the tables' noises are independent: what a table's
    noise costs is composed over the tables. What each gets of the budget follows from the numbers of cells
    alone: in proportion to the root of its number of cells (`shares`), or, to compare, the same for all.

    Attributes:
        scales: of the noise of each table, in the order of the nodes: exactly floats, which the sampler reads
    """

    scales: tuple[Fraction, ...]
    options: ClassVar[Mapping[str, object]] = {"shares": CELLS}

    @classmethod
    def offers(cls, asked: Asked) -> Sequence[Offer]:
        """Offer shares by the cells of tables, and equal ones where these differ, unless it is said."""
        said = asked.options.get("shares")
        if said is not None or len(set(asked.model.sizes(asked.schema))) == 1:  # type: ignore[attr-defined]
            return super().offers(asked)
        other = replace(asked, options={**asked.options, "shares": EQUAL})
        return (*super().offers(asked), Offer(f"{cls.name}, equal shares", lambda: cls.built(other)))

    @property
    def taken(self) -> dict[str, Any]:
        """How the budget is shared."""
        alike = len(set(self.scales)) == 1 < len(set(self.sizes))
        return {"shares": EQUAL if alike else CELLS}

    def _set_scales(self, scales: Sequence[object] | None, by: object = CELLS) -> None:
        """Take the scales that are given, or calibrate them; either way they must be enough."""
        if by not in (CELLS, EQUAL):
            raise self.refusal("not a way to share the budget", asked=shown(by), allowed=f"{CELLS}, {EQUAL}")
        if scales is not None and (not isinstance(scales, (list, tuple)) or len(scales) != len(self.sizes)):
            raise self.refusal("not one scale for each table", asked=shown(scales))
        found = (
            self._calibrated(self._shares(by))
            if scales is None
            else tuple(rational(one, "scale") for one in scales)
        )
        if max(found) > WIDEST:
            raise self.refusal(
                "this budget needs more noise than can be drawn",
                advice="Ask for a larger epsilon, or take fewer nodes.",
            )
        if min(found) <= 0 or any(Fraction(float(one)) != one for one in found) or not self._enough(found):
            raise self.refusal("these scales do not give the stated guarantee", asked=shown(scales))
        fill(self, scales=found)

    def _shares(self, by: object) -> tuple[Fraction, ...]:
        tables = len(self.sizes)
        return shares(self.sizes) if by == CELLS else (Fraction(1, tables),) * tables

    @abstractmethod
    def _calibrated(self, each: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
        """Return scales that spend the budget, of which each table has its share."""

    @abstractmethod
    def _enough(self, scales: tuple[Fraction, ...]) -> bool:
        """Say whether these scales give the stated guarantee."""

    @abstractmethod
    def _noise(self, cells: int, scale: Fraction) -> list[int]:
        """Draw the noise of one table, exactly."""

    @abstractmethod
    def _log_pmf(self, noise: Integers, scale: float) -> Floats:
        """Return the log probability of each noise."""

    @abstractmethod
    def variance(self, scale: float) -> float:
        """Return the variance of noise of this scale."""

    # What it publishes

    @cached_property
    def layouts(self) -> tuple[Layout, ...]:
        """One array for each table of the network, shaped as the table is."""
        return self.model.layouts(self.schema, self.neighbours)

    def release(self, statistics: ExactStatistics) -> Observed:
        """Add exact draws, one to each count."""
        counts = true_counts(statistics, sum(self.sizes))
        numbers, start = [], 0
        for cells, scale in zip(self.sizes, self.scales, strict=True):
            noise = self._noise(cells, scale)
            exact = counts[start : start + cells].tolist()
            numbers.append(tuple(one + z for one, z in zip(exact, noise, strict=True)))
            start += cells
        return Observed(self.layouts, tuple(numbers))

    def log_likelihood(self, observed: Observed, statistics: ExactStatistics) -> float:
        """Sum the log probabilities of all noises."""
        noise = np.asarray(observed.counts) - true_counts(statistics, sum(self.sizes))
        parts = np.split(noise, np.cumsum(self.sizes)[:-1])
        pairs = zip(parts, self.scales, strict=True)
        return math.fsum(float(self._log_pmf(part, float(scale)).sum()) for part, scale in pairs)

    @abstractmethod
    def _weights(self, scales: Floats) -> CellNoise:
        """Return the noise of cells of these scales as inference sees it."""

    @property
    def cell_noise(self) -> CellNoise:
        """The noise of every cell, table after table."""
        return self._weights(np.repeat([float(one) for one in self.scales], self.sizes))

    def small(self, cells: int, records: int, max_rows: int) -> Any:
        """Take two columns of two levels, with the same budget for both tables."""
        from privior.mechanisms.networks.network_twin import TWO, TwoColumns, two_columns

        budget = Budget(self.epsilon, self.guarantee.cost.delta)
        law = self.built(Asked(TWO, two_columns(max_rows), records, self.neighbours, budget))
        return TwoColumns(law, Sensitivity.of_counts(self.neighbours, max_rows))

    # Words and files

    def facts(self, model: Model, schema: Schema) -> list[tuple[str, str]]:
        """Say how the budget is shared."""
        alike = sorted(Counter(self.scales).items())
        said = ", ".join(
            f"{math.sqrt(self.variance(float(scale))):.3g} in {many} table{'s' if many > 1 else ''}"
            for scale, many in alike
        )
        return [("noise", f"standard deviation of each count: {said}")]


@lru_cache(maxsize=64)
def shares(sizes: tuple[int, ...]) -> tuple[Fraction, ...]:
    """Return what each table gets of the budget: in proportion to the root of its number of cells, about.

    Noise of variance proportional to 1/share makes the expected squared error of all cells least if shares
    are proportional to the roots. Tables are put into at most four classes of similar size, each with one
    share, that of its average size: the classes that lose least, sum over classes of the root of (tables x
    cells) being smallest. Roots are rounded to rationals; shares add up to 1, exactly.
    """
    kinds = sorted(set(sizes))
    many = [sizes.count(one) for one in kinds]
    best: list[dict[int, tuple[float, tuple[int, ...]]]] = [{0: (0.0, ())}]
    for _ in range(min(MOST_SCALES, len(kinds))):
        after: dict[int, tuple[float, tuple[int, ...]]] = {}
        for start, (cost, cuts) in best[-1].items():
            tables, cells = 0, 0
            for end in range(start, len(kinds)):
                tables, cells = tables + many[end], cells + many[end] * kinds[end]
                found = cost + math.sqrt(tables * cells), (*cuts, end + 1)
                if end + 1 not in after or found < after[end + 1]:
                    after[end + 1] = found
        best.append(after)
    _, cuts = min(one[len(kinds)] for one in best if len(kinds) in one)
    root: dict[int, Fraction] = {}
    for start, end in zip((0, *cuts), cuts, strict=False):
        tables = sum(many[start:end])
        cells = sum(number * size for number, size in zip(many[start:end], kinds[start:end], strict=True))
        whole = Fraction(math.isqrt((cells << 2 * _DIGITS) // tables), 1 << _DIGITS)
        root.update(dict.fromkeys(kinds[start:end], whole))
    total = sum(root[one] for one in sizes)
    return tuple(root[one] / total for one in sizes)
