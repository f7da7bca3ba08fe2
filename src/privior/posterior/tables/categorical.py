"""The posterior of the probabilities of a table's cells, given noisy counts.

Given the true counts c the probabilities are Dirichlet(alpha + c); the counts themselves are latent, and
`LatentCounts` knows their posterior. Every number shown therefore includes both what a finite number of
records leaves open and what the privacy noise hides.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privior.errors import InferenceError
from privior.models import DirichletCategorical
from privior.pictures import IntervalChart, SplitBars, listing, markup
from privior.plans import TablePlan
from privior.posterior.averages import numbers_of
from privior.posterior.counts.certain import Betas, CertainCounts
from privior.posterior.counts.latent import CellProbabilities, LatentCounts
from privior.posterior.counts.learned_counts import LearnedCounts
from privior.posterior.counts.variance import VarianceParts
from privior.posterior.events import Event, Events, quoted
from privior.posterior.quantity import Quantity, check_level, check_number, generator
from privior.posterior.shown import Shown
from privior.posterior.tables.counts_posterior import CountsPosterior, MarginalCounts
from privior.posterior.tables.drawn import DRAWS, DrawnProbabilities
from privior.posterior.tables.learned_probabilities import LearnedProbabilities
from privior.release import Release

if TYPE_CHECKING:
    pass

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class CategoricalPosterior(Shown):
    """The posterior of the cell probabilities theta. Cells are in the order of `cells`.

    Attributes:
        releases: what it follows from
        model: the model with the prior that was used
        latent: the posterior of the true counts
    """

    releases: tuple[Release[TablePlan], ...]
    model: DirichletCategorical
    latent: LatentCounts

    @cached_property
    def cells(self) -> tuple[tuple[str, ...], ...]:
        """The levels of each cell, one per column of the model."""
        return tuple(product(*(self._schema.column(name).labels for name in self.model.columns)))

    @cached_property
    def prior(self) -> Floats:
        """The prior parameter of each cell; the model's, if another one was learned instead."""
        return self.model.parameters(self._schema)

    def mean(self) -> Floats:
        """Return the expected probability of each cell."""
        return self._marginals.mean

    def stddev(self) -> Floats:
        """Return the standard deviation of each cell's probability."""
        return self._marginals.stddev

    def interval(self, level: float = 0.9) -> Floats:
        """Return the equal-tailed interval of each cell's probability: lower and upper, as (k, 2)."""
        return self._marginals.interval(check_level(level))

    def variance_parts(self) -> VarianceParts:
        """Return the variance of each cell's probability: that of the records, and that of the noise."""
        return self._marginals.variance_parts

    def predictive(self) -> Floats:
        """Return the probability that the next record falls into each cell: the posterior mean."""
        return self.mean()

    def counts(self, *columns: str) -> CountsPosterior:
        """Return the posterior of the true table of counts.

        Args:
            columns: sum over all others, and keep these in this order; without any, the whole table
        """
        axes = tuple(self._events.place(column) for column in columns)
        if len(set(axes)) < len(axes):
            raise InferenceError("a column is named twice", asked=", ".join(columns))
        if not axes or axes == tuple(range(len(self.model.columns))):
            return CountsPosterior(self.latent)
        return CountsPosterior(MarginalCounts(self.latent, self._shape, axes))

    def probability(self, event: Event | object, given: Event | object | None = None) -> Quantity:
        """Return the posterior of the probability of an event, such as {"sex": "female"}.

        Args:
            event: a level, or several, for some columns: {"education": ["master", "doctorate"]}; for a
                model of one column a level alone will do
            given: another event to condition on
        """
        wanted, name = self._events.cells(event), self._events.name(event)
        if given is not None:
            condition = self._events.cells(given)
            shares = self._drawn.kept_given(condition)[:, wanted[condition]].sum(axis=1)
            return Quantity(f"P({name} | {self._events.name(given)})", float(shares.mean()), shares)
        chosen = np.flatnonzero(wanted)
        if chosen.size == 1:
            return self._of_cell(f"P({name})", int(chosen[0]))
        return Quantity(
            f"P({name})", float(self.mean()[wanted].sum()), self._drawn.kept[:, wanted].sum(axis=1)
        )

    def average(self, column: str, given: Event | object | None = None) -> Quantity:
        """Return the posterior of the mean of a column of numbers, or of the share of true.

        Args:
            column: a column of whole numbers, of numbers on a grid, or true or false
            given: an event to condition on
        """
        place = self._events.place(column)
        numbers = numbers_of(column, self._schema.column(column))
        around = [1] * len(self._shape)
        around[place] = -1
        values = np.broadcast_to(numbers.reshape(around), self._shape).ravel()
        name = quoted(column)
        if given is None:
            return Quantity(f"mean({name})", float(self.mean() @ values), self._drawn.kept @ values)
        condition = self._events.cells(given)
        means = self._drawn.kept_given(condition) @ values[condition]
        return Quantity(f"mean({name} | {self._events.name(given)})", float(means.mean()), means)

    def draws(self, n: int, seed: int | None = None) -> Floats:
        """Return n draws of all cell probabilities, as (n, k)."""
        return self._drawn.draws(check_number(n, "n", len(self.prior)), generator(seed))

    def sample(
        self, n: int, seed: int | None = None, *, released: int | None = None
    ) -> dict[str, list[object]]:
        """Return n synthetic records, column by column: one draw of theta, then records from it.

        Args:
            n: how many
            seed: of the draw and the records
            released: take this one of the released draws as theta, counted from 0, instead of a new draw
        """
        number, rng = check_number(n, "n"), generator(seed)
        theta = self._drawn.draws(1, rng)[0] if released is None else self._released(released)
        codes = rng.choice(theta.size, size=number, p=theta / theta.sum())
        values = [self._schema.column(name).values for name in self.model.columns]
        places = np.unravel_index(codes, self._shape)
        return {
            name: [known[code] for code in some]
            for name, known, some in zip(self.model.columns, values, places, strict=True)
        }

    def to_arviz(self, draws: int = DRAWS, seed: int | None = None) -> Any:
        """Return an ArviZ InferenceData with the posterior draws alone: no data, no likelihood."""
        try:
            import arviz
        except ImportError:
            raise InferenceError("ArviZ is not installed", advice='Run pip install "arviz<1".') from None
        theta = self.draws(draws, seed)
        labels = [", ".join(cell) for cell in self.cells]
        return arviz.from_dict(
            posterior={"theta": theta[np.newaxis]}, coords={"cell": labels}, dims={"theta": ["cell"]}
        )

    def picture(self, level: float = 0.9) -> IntervalChart:
        """Draw each cell's interval, with the part that the records alone would leave open."""
        check_level(level)
        first = self.prior + self.latent.mean
        return IntervalChart(
            [", ".join(cell) for cell in self.cells],
            self.mean(),
            self.interval(level),
            Betas(first, first.sum() - first).interval(level),
            title=" x ".join(self.model.columns),
            note=self._note(level),
        )

    def uncertainty_picture(self) -> SplitBars:
        """Draw how uncertain each cell is, and which part of that comes from the privacy noise."""
        parts = self.variance_parts()
        return SplitBars(
            [", ".join(cell) for cell in self.cells],
            parts.sampling,
            parts.privacy,
            title="Where the uncertainty comes from",
            note="length: standard deviation of the probability; colours: shares of its variance",
        )

    def _parts(self) -> list[markup.Markup]:
        return [self.picture().html(), self.uncertainty_picture().html()]

    def to_document(self, level: float = 0.9) -> dict[str, object]:
        """Write what is known of each cell as plain values, for JSON."""
        ends = self.interval(level)
        numbers = zip(self.cells, self.mean(), self.stddev(), ends, strict=True)
        return {
            "columns": list(self.model.columns),
            "level": level,
            "cells": [
                {
                    "levels": list(levels),
                    "mean": float(mean),
                    "stddev": float(stddev),
                    "low": float(low),
                    "high": float(high),
                }
                for levels, mean, stddev, (low, high) in numbers
            ],
            "warnings": list(self.warnings),
        }

    def __repr__(self) -> str:
        return f"<posterior of {' x '.join(self.model.columns)}: {len(self.prior)} cells, {self._source}>"

    def text(self, level: float = 0.9) -> str:
        """Return the table of cells with intervals of this level, how they were computed, and warnings."""
        mean, ends = self.mean(), self.interval(level)
        counts = self.counts()
        expected, spread = counts.mean(), counts.stddev()
        order = range(len(self.cells)) if len(self.cells) <= 40 else np.argsort(-mean, kind="stable")[:40]
        rows = [
            [
                ", ".join(self.cells[i]),
                f"{mean[i]:.4f}",
                f"{ends[i, 0]:.4f} to {ends[i, 1]:.4f}",
                f"{expected[i]:.0f} ± {spread[i]:.0f}"
                if spread[i] >= 10
                else f"{expected[i]:.0f} ± {spread[i]:.2g}",
            ]
            for i in order
        ]
        kind = "noisy count" if isinstance(self.latent, CertainCounts) else "true count ± stddev"
        header = [" x ".join(self.model.columns), "probability", f"{100 * level:g}% interval", kind]
        more = [f"... and {len(self.cells) - 40} more cells, less probable"] if len(self.cells) > 40 else []
        lines = [*listing.table(header, rows), *more, "", f"{self._source}; {self.latent.diagnostics}"]
        if isinstance(self.latent, LearnedCounts):
            lines.append(str(self.latent))
        return "\n".join([*lines, *self.warnings])

    @property
    def warnings(self) -> tuple[str, ...]:
        """What must be known before the numbers are trusted: chains that disagree, counts that do not fit."""
        diagnostics = self.latent.diagnostics
        found = [] if diagnostics.warning is None else [f"WARNING: {diagnostics.warning}"]
        # Squared noises in units of their variance have mean 1 and variance 5 at most (Laplace).
        if diagnostics.misfit is not None and diagnostics.misfit > 1 + 8 * (5 / len(self.prior)) ** 0.5:
            stated = self.releases[0].plan.records_in_words
            found.append(
                f"WARNING: the noisy counts do not fit the stated number of records ({stated}) or the prior"
            )
        return tuple(found)

    @property
    def noise_ignored(self) -> bool:
        """Whether noisy counts were taken as true ones."""
        return isinstance(self.latent, CertainCounts)

    @cached_property
    def _shape(self) -> tuple[int, ...]:
        return tuple(self._schema.column(name).size for name in self.model.columns)

    def _of_cell(self, name: str, cell: int) -> Quantity:
        mean, closed = float(self.mean()[cell]), self._closed
        if closed is None:
            return Quantity(name, mean, self._drawn.each[:, cell])
        stddev = float(closed.stddev[cell])
        return Quantity(
            name, mean, self._drawn.kept[:, cell], lambda level: _pair(closed.interval(level)[cell]), stddev
        )

    @cached_property
    def _events(self) -> Events:
        return Events(self._schema, self.model.columns)

    @cached_property
    def _closed(self) -> CellProbabilities | None:
        return self.latent.beta_mixture()

    @property
    def _marginals(self) -> CellProbabilities:
        return self._drawn if self._closed is None else self._closed

    @cached_property
    def _drawn(self) -> DrawnProbabilities:
        if isinstance(self.latent, LearnedCounts):
            return LearnedProbabilities(self.prior, self.latent)
        return DrawnProbabilities(self.prior, self.latent)


def _pair(ends: Floats) -> tuple[float, float]:
    return float(ends[0]), float(ends[1])
