"""What releases say of one data set of a network: of cells of its tables, of parities, or of drawn sticks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.arrays import Floats, Integers
from privior.errors import InferenceError
from privior.mechanisms import DrawnSticks
from privior.models import Network
from privior.posterior.counts.evidence import CellEvidence, Total
from privior.posterior.networks.joint_layout import DIFFERENCE, JointLayout, joint_layout
from privior.release import Release


@dataclass(frozen=True, eq=False)
class JointEvidence:
    """The releases, as a function of the counts of one data set.

    The log likelihood is a sum over places of a layout, of counts or of differences of two counts, and over
    the sticks of released draws.

    Attributes:
        layout: where the counts are
        observed: a row of noisy numbers for each term, one for each place
        rates: likewise, of Laplace noise; 0 where nothing was seen
        curvatures: likewise, of Gaussian noise
        precisions: about one over the variance of each number
        total: what is known of the number of records
        guess: noisy counts of the cells of all tables, as a start
        drawn: for each release of draws the sticks of each table; None for a table that was not drawn
        worth: about one over the variance of each count, as far as draws tell it
    """

    layout: JointLayout
    observed: Floats
    rates: Floats
    curvatures: Floats
    precisions: Floats
    total: Total
    guess: Floats
    drawn: tuple[tuple[DrawnSticks | None, ...], ...]
    worth: Floats

    @property
    def of_cells(self) -> bool:
        """Whether it tells of single cells alone: of no parities, and of no sticks."""
        return not self.layout.parities and not self.drawn

    @property
    def table_precisions(self) -> Floats:
        """About one over the variance of what is known of each cell of all tables, each table by itself."""
        return self.noise_precisions + self.worth

    @cached_property
    def noise_precisions(self) -> Floats:
        """The same, as far as noisy numbers tell it: they tell also how many records there are."""
        found = self.precisions.sum(axis=0)[self.layout.places]
        sets = [margin for margin in self.layout.parity_margins if margin.columns]
        if sets:
            # A cell is the mean of its table's sums of even less odd records: each speaks of every cell.
            each = sum(float(self.precisions[:, one.start : one.start + 2].sum()) for one in sets)
            each /= len(sets) * (1 if sets[0].kind == DIFFERENCE else 4)
            sizes = self.layout.model.sizes(self.layout.schema)
            found = found + np.repeat([each * size for size in sizes], sizes)
        return np.asarray(found)

    def misfit(self, tables: Integers) -> float | None:
        """Return the mean of ((observed - number) / sd)² over all numbers and some data sets: about 1.

        None if there are no noisy numbers.

        Args:
            tables: counts of the cells of all tables, a data set a row
        """
        total, many = 0.0, 0
        places, values = [self.layout.places], [tables]
        ends = np.cumsum([0, *self.layout.model.sizes(self.layout.schema)])
        for margin in self.layout.parity_margins:
            place, signs = self._signs(margin.columns)
            signed = margin.kind == DIFFERENCE
            some = tables[:, ends[place] : ends[place + 1]] @ (signs if signed else (1 - signs) // 2)
            places.append(np.array([margin.start if signed else margin.start + 1]))
            values.append(some[:, np.newaxis])
        where, numbers = np.concatenate(places), np.concatenate(values, axis=1)
        for observed, precisions in zip(self.observed[:, where], self.precisions[:, where], strict=True):
            total += float((precisions * (observed - numbers) ** 2).mean(axis=0).sum())
            many += int((precisions > 0).sum())
        return total / many if many else None

    def _signs(self, columns: tuple[str, ...]) -> tuple[int, Integers]:
        """Return a table that holds some columns, and for its cells 1 if their ones are even, else -1."""
        tables = self.layout.model.tables
        place = next(k for k, names in enumerate(tables) if set(columns) <= set(names))
        shape = [self.layout.tree.size_of[name] for name in tables[place]]
        codes = np.indices(shape).reshape(len(shape), -1)
        ones = codes[[tables[place].index(name) for name in columns]].sum(axis=0)
        return place, 1 - 2 * (ones % 2)


def joint_evidence(releases: Sequence[Release], model: Network, total: Total) -> JointEvidence:
    """Return what the releases of a network say together."""
    schema = releases[0].plan.schema
    parity = [one.plan.mechanism.parity_term(one.statistics) for one in releases]
    seen = {(columns, term.signed): None for term in parity if term for columns in term.columns}
    layout = joint_layout(model, schema, tuple(seen))
    rows: list[list[Floats]] = []
    margins = dict(zip(layout.parities, layout.parity_margins, strict=True))
    weighted, weight = np.zeros(layout.places.size), np.zeros(layout.places.size)
    drawn, worth = list[tuple[DrawnSticks | None, ...]](), np.zeros(layout.places.size)
    for release, term in zip(releases, parity, strict=True):
        mechanism = release.plan.mechanism
        sticks = mechanism.drawn_sticks(release.statistics)
        if sticks is not None:
            drawn.append(sticks)
            each = mechanism.cell_noise.curvatures
            worth += each
            weighted += each * _expected(release, layout, total)
            weight += each
            continue
        for cells in _terms(release):
            if term is None:
                seen_here = (cells.observed, cells.rates, cells.curvatures, cells.precisions)
                rows.append(_placed(layout, layout.places, seen_here))
            weighted += cells.precisions * cells.observed
            weight += cells.precisions
        if term is not None:
            odd = 0 if term.signed else 1
            places = np.array([margins[columns, term.signed].start + odd for columns in term.columns])
            law = [np.full(places.size, one) for one in (term.rate, term.curvature)]
            noise = CellEvidence(np.asarray(term.observed), *law)
            rows.append(_placed(layout, places, (noise.observed, *law, noise.precisions)))
    guess = np.divide(weighted, weight, out=np.zeros(weight.size), where=weight > 0)
    placed = np.array(rows).reshape(len(rows), 4, layout.size).transpose(1, 0, 2).copy()
    observed, rates, curvatures, precisions = placed
    return JointEvidence(layout, observed, rates, curvatures, precisions, total, guess, tuple(drawn), worth)


def _expected(release: Release, layout: JointLayout, total: Total) -> Floats:
    """Return counts in proportion to the average draw, as many records in each row of a table."""
    entries = np.asarray(release.plan.mechanism.parameters_drawn(release.statistics)).mean(axis=0)
    sizes = layout.model.sizes(layout.schema)
    rows = [size // layout.tree.size_of[node] for node, size in zip(layout.model.columns, sizes, strict=True)]
    return np.asarray(entries * total.most / np.repeat(rows, sizes))


def _placed(layout: JointLayout, places: Integers, numbers: Sequence[Integers | Floats]) -> list[Floats]:
    """Put numbers at some places, zeros elsewhere."""
    found = []
    for values in numbers:
        row = np.zeros(layout.size)
        row[places] = values
        found.append(row)
    return found


def _terms(release: Release) -> list[CellEvidence]:
    terms = release.plan.mechanism.cell_terms(release.statistics, release.plan.records)
    if terms is None:
        raise InferenceError("this release has no noisy tables", asked=release.plan.mechanism.name)
    return [CellEvidence(one.observed, one.rates, one.curvatures, one.precisions) for one in terms]
