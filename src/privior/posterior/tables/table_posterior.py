"""The posterior of the probabilities of a table's cells, given noisy counts or draws.

Given the true counts c the probabilities are Dirichlet(alpha + c); the counts themselves are latent, and
`LatentCounts` knows their posterior. Every number shown therefore includes both what a finite number of
records leaves open and what the privacy noise hides.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from privior.errors import InferenceError
from privior.models import DirichletTable, ExchangeablePrior, LearnedPrior
from privior.pictures import SplitBars
from privior.posterior.cells import CellsPosterior
from privior.posterior.conflict import Conflict
from privior.posterior.contract import with_prior
from privior.posterior.counts.certain import Betas
from privior.posterior.counts.contract import CellProbabilities, LatentCounts, LearnedShape
from privior.posterior.counts.variance import VarianceParts
from privior.posterior.events import Event
from privior.posterior.findings import MOST_ROWS, Finding, Table
from privior.posterior.named_numbers import NamedNumbers
from privior.posterior.numbers import Floats
from privior.posterior.quantity import DRAWS, Quantity, check_level
from privior.posterior.seeds import drawing, seed_said
from privior.posterior.tables.counts_given import certain_counts, counts_given, learned_given
from privior.posterior.tables.counts_posterior import CountsPosterior, MarginalCounts
from privior.posterior.tables.dirichlet_probabilities import DirichletProbabilities
from privior.posterior.tables.drawn import MOST_CELLS, DrawnProbabilities, too_many
from privior.posterior.tables.groups import Groups
from privior.posterior.tables.learned_probabilities import LearnedProbabilities
from privior.posterior.tables.mode import dirichlet_mode
from privior.posterior.tables.table_conflict import table_conflict
from privior.posterior.tables.value_bins import UNCERTAIN, UNCERTAIN_NOTE
from privior.release import Release

#: no probability is taken for less where a Beta law is to have it as its mean
_LEAST = 1e-12


@dataclass(frozen=True, repr=False)
class TablePosterior(CellsPosterior):
    """The posterior of the cell probabilities theta.

    Attributes:
        releases: what it follows from
        model: the model with the prior that was used
        latent: the posterior of the true counts
        learned: the same, if the prior was learned with them
        ignored: whether noisy counts are taken as true ones
        seed: of what is drawn to read answers off
    """

    releases: tuple[Release, ...]
    model: DirichletTable
    latent: LatentCounts
    learned: LearnedShape | None = None
    ignored: bool = False
    seed: int = field(default_factory=seed_said, kw_only=True)

    understands: ClassVar[Mapping[str, str]] = {
        **CellsPosterior.understands,
        "counts": "counts",
        "share": "counts",
        "table": "counts",
    }

    @classmethod
    def given(cls, releases: tuple[Release, ...], prior: object, *, ignore_noise: bool) -> Self:
        """Infer from releases of one table: parameters as a prior, "learned", or `pv.ExchangeablePrior()`."""
        plan = releases[0].plan
        alike = isinstance(prior, ExchangeablePrior)
        model = plan.model if alike else with_prior(plan.model, prior)
        if alike or isinstance(model.prior, LearnedPrior):
            own = prior if alike else model.prior
            learned = learned_given(releases, own, ignore_noise=ignore_noise)
            return cls(releases, model, learned, learned)
        parameters = model.parameters(plan.schema)
        if ignore_noise:
            return cls(releases, model, certain_counts(releases, parameters), ignored=True)
        return cls(releases, model, counts_given(releases, parameters))

    @property
    def state(self) -> object:
        """The posterior of the true counts."""
        return None if self.ignored else self.latent

    @classmethod
    def with_state(cls, releases: tuple[Release, ...], prior: object, state: object) -> Self:
        """Take the posterior of the true counts as it was inferred before."""
        if not isinstance(state, LatentCounts):
            raise TypeError("not the posterior of counts")
        model = releases[0].plan.model
        if isinstance(state, LearnedShape):
            alike = isinstance(prior, ExchangeablePrior)
            return cls(releases, model if alike else with_prior(model, prior), state, state)
        return cls(releases, with_prior(model, prior), state)

    @cached_property
    def prior(self) -> Floats:
        """The prior parameter of each cell; that of forecasts, if the prior was learned instead."""
        return self.model.typical_parameters(self.schema)

    @property
    def dirichlet_prior(self) -> Floats | None:
        """The prior parameters, unless another law was learned instead."""
        return self.prior if self.learned is None else None

    def mean(self) -> NamedNumbers:
        """Return the expected probability of each cell."""
        return self._named(self._marginals.mean)

    def stddev(self) -> NamedNumbers:
        """Return the standard deviation of each cell's probability."""
        return self._named(self._marginals.stddev)

    def interval(self, level: float = 0.9) -> NamedNumbers:
        """Return the equal-tailed interval of each cell's probability: lower and upper, as (k, 2)."""
        return self._named(self._marginals.interval(check_level(level)))

    def variance_parts(self) -> VarianceParts:
        """Return the variance of each cell's probability: that of the records, and that of the noise."""
        return self._marginals.variance_parts

    def mode(self) -> Floats:
        """Return about the most likely probabilities, if there are such."""
        return dirichlet_mode(self.draws(DRAWS, self.seed))

    def counts(self, *columns: str) -> CountsPosterior:
        """Return the posterior of the true table of counts.

        Args:
            columns: sum over all others, and keep these in this order; without any, the whole table
        """
        axes = tuple(self.numbers.events.place(column) for column in columns)
        if len(set(axes)) < len(axes):
            raise InferenceError("a column is named twice", asked=", ".join(columns))
        if not axes or axes == tuple(range(len(self.model.columns))):
            return CountsPosterior(self.latent, self, self.model.columns)
        return CountsPosterior(
            MarginalCounts(self.latent, self.numbers.shape, axes, self.seed), self, columns
        )

    def quantity(self, name: str, function: Callable[[Floats], Floats]) -> Quantity:
        """Return the law of a number that follows from the probabilities, by the draws that are kept."""
        return Quantity.of(name, function(self._drawn.kept))

    def probability(self, event: Event | object, given: Event | object | None = None) -> Quantity:
        """Return the posterior of the probability of an event, such as {"sex": "female"}.

        Args:
            event: a level, or several, for some columns: {"education": ["master", "doctorate"]}; for a
                model of one column a level alone will do
            given: another event to condition on
        """
        name, function = self.numbers.probability(event, given)
        if given is not None:
            return self._number(name, function, given)
        cells = self.numbers.events.cells(event)
        places = np.flatnonzero(cells)
        if places.size == 1:
            if self._closed is None:
                cell = int(places[0])
                if self.prior.size > MOST_CELLS:
                    return Quantity.of(name, self._drawn_alone(cell))
                return Quantity(name, float(self.mean()[cell]), self._drawn.each[:, cell])
            return self._exactly(name, function, self._closed, int(places[0]))
        together = self.latent.of_event(cells) if self.learned is None and places.size else None
        if together is None:
            return self._number(name, function, given)
        return self._exactly(name, function, together, 0)

    def average(self, column: str, given: Event | object | None = None) -> Quantity:
        """Return the posterior of the mean of a column of numbers, or of the share of true.

        Args:
            column: a column of whole numbers, of numbers on a grid, or true or false
            given: an event to condition on
        """
        return self._number(*self.numbers.average(column, given), given)

    def _drawn_alone(self, cell: int) -> Floats:
        """Return draws of one cell's probability, where those of all cells would fill the memory."""
        kept = None if self.learned is not None else self.latent.kept_of(cell)
        counts, totals = too_many(self.prior.size) if kept is None else kept
        first, whole = self.prior[cell] + counts, float(self.prior.sum()) + totals
        return np.asarray(drawing(0, self.seed).beta(first, whole - first))

    def _number(
        self, name: str, function: Callable[[Floats], Floats], given: Event | object | None
    ) -> Quantity:
        """Return a number that is linear in the probabilities, perhaps given an event."""
        if given is None:
            mean = float(function(self.mean()[np.newaxis])[0])
            return Quantity(name, mean, function(self._drawn.kept))
        return Quantity.of(name, function(self._drawn.kept_given(self.numbers.events.cells(given))))

    def _exactly(
        self, name: str, function: Callable[[Floats], Floats], closed: CellProbabilities, cell: int
    ) -> Quantity:
        """Return a probability whose law has a closed form."""

        def interval(level: float) -> tuple[float, float]:
            low, high = closed.interval(level)[cell]
            return float(low), float(high)

        mean, stddev = float(closed.mean[cell]), float(closed.stddev[cell])
        return Quantity(name, mean, lambda: function(self._drawn.kept), interval, stddev)

    def _draws(self, number: int, rng: np.random.Generator) -> Floats:
        return self._drawn.draws(number, rng)

    # How it is shown

    @property
    def warnings(self) -> tuple[str, ...]:
        """What must be known before the numbers are trusted: chains that disagree, a prior that is wrong."""
        diagnostics = self.latent.diagnostics
        chains = () if diagnostics.warning is None else (f"WARNING: {diagnostics.warning}",)
        return (*chains, *self.contradictions)

    @cached_property
    def conflict(self) -> Conflict | None:
        """How improbable the noisy counts are, judged by draws of the true ones."""
        columns = ((name, self.schema.column(name).labels) for name in self.model.columns)
        return table_conflict(self.releases, self.latent, self.dirichlet_prior, Groups(tuple(columns)))

    @property
    def _doubted(self) -> str:  # type: ignore[override]
        prior, plan = "this prior" if self.learned is None else "the learned prior", self.releases[0].plan
        noise = plan.mechanism.cell_noise
        if noise is not None and noise.sums_to_zero:
            return prior
        return f"{prior} or the stated number of records ({plan.records_in_words})"

    @property
    def _instead(self) -> str:  # type: ignore[override]
        return "try --prior learned" if self.learned is None else "try another: --prior"

    @property
    def caveats(self) -> tuple[str, ...]:
        """The warnings, and that the noise is ignored, which print says with the diagnostics."""
        noise = ("WARNING: the privacy noise is IGNORED: intervals are too narrow",) if self.ignored else ()
        return (*self.warnings, *noise)

    @property
    def computed(self) -> tuple[str, ...]:
        """The source, the diagnostics, and what was learned of the prior."""
        learned = () if self.learned is None else (str(self.learned),)
        return (f"{self.source}; {self.latent.diagnostics}", *learned)

    @property
    def _expected_parameters(self) -> Floats:
        """The parameters of the Dirichlet law of the cells, if the expected table were the true one.

        Where the prior was learned, it adds no numbers to counts: the law has the mean that was inferred.
        """
        if self.learned is None:
            return np.asarray(self.prior + self.latent.mean)
        return np.maximum(self.mean(), _LEAST) * max(float(self.latent.mean.sum()), 1.0)

    def _without_noise(self, level: float) -> Floats:
        """Where the prior was learned neighbours tell of a cell too: then no more than all that is open."""
        first = self._expected_parameters
        inner = Betas(first, first.sum() - first).interval(level)
        if self.learned is None:
            return inner
        low, high = np.asarray(self.interval(level)).T[:, :, np.newaxis]
        return np.clip(inner, low, high)

    def uncertainty_picture(self) -> SplitBars:
        """Draw how uncertain each cell is, and which part of that comes from the privacy noise."""
        parts = self.variance_parts()
        return SplitBars(
            self.labels,
            parts.sampling,
            parts.privacy,
            title=UNCERTAIN,
            note=UNCERTAIN_NOTE,
        )

    @abstractmethod
    def findings(self, level: float = 0.9) -> list[Finding]:
        """Return the numbers of each cell, and what a model of this kind says besides."""

    def _of_cells(self, level: float) -> list[Finding]:
        """Return the numbers of each cell, and where their uncertainty comes from."""
        return [
            Finding(
                "The numbers",
                self._in_short(level),
                lambda: self._at_length(level),
                lambda: self.picture(level),
                self._in_words(level),
            ),
            Finding(UNCERTAIN, picture=self.uncertainty_picture, words=self._noise_share),
        ]

    def _in_words(self, level: float) -> Callable[[], str] | None:
        """Return what pages say beside the numbers of the cells, if anything."""
        return None

    def _in_short(self, level: float) -> Table:
        mean, ends = self.mean(), self.interval(level)
        counts = self.counts()
        expected, spread = counts.mean(), counts.stddev()
        rows = [
            [
                ", ".join(self.cells[i]),
                f"{mean[i]:.4f}",
                f"{ends[i, 0]:.4f} to {ends[i, 1]:.4f}",
                f"{expected[i]:.0f} ± {spread[i]:.0f}"
                if spread[i] >= 10
                else f"{expected[i]:.0f} ± {spread[i]:.2g}",
            ]
            for i in self._shown(mean)
        ]
        kind = "noisy count" if self.ignored else "true count ± stddev"
        more = len(self.cells) - MOST_ROWS
        header = [" x ".join(self.model.columns), "probability", f"{100 * level:g}% interval", kind]
        return Table(header, rows, f"... and {more} more cells, less probable" if more > 0 else "")

    def _at_length(self, level: float) -> Table:
        parts, mean, ends, counts = self.variance_parts(), self.mean(), self.interval(level), self.counts()
        expected, (low, high) = counts.mean(), counts.interval(level).T
        share = f"{100 * level:g}%"
        rows = [
            [
                ", ".join(self.cells[i]),
                f"{mean[i]:.4g}",
                f"{ends[i, 0]:.4g} to {ends[i, 1]:.4g}",
                f"{parts.sampling[i] ** 0.5:.2g}",
                f"{parts.privacy[i] ** 0.5:.2g}",
                f"{expected[i]:.0f} ({low[i]:.0f} to {high[i]:.0f})",
            ]
            for i in self._shown(mean)
        ]
        stddevs = ["stddev from the records", "stddev from the noise"]
        columns = ", ".join(self.model.columns)
        return Table([columns, "probability", f"{share} interval", *stddevs, f"true count ({share})"], rows)

    def _noise_share(self) -> str:
        parts = self.variance_parts()
        total = float(parts.total.sum())
        share = float(parts.privacy.sum()) / total if total > 0 else 0.0
        return (
            f"The privacy noise accounts for {100 * share:.0f}% of the variance of these probabilities, the "
            "finite number of records for the rest. All intervals include both."
        )

    def to_document(self, level: float = 0.9) -> dict[str, object]:
        """Write what is known of each cell as plain values, for JSON."""
        return {
            "columns": list(self.model.columns),
            "level": level,
            "cells": self._cells_document(level),
            "warnings": list(self.warnings),
        }

    def __repr__(self) -> str:
        return f"<posterior of {' x '.join(self.model.columns)}: {len(self.prior)} cells, {self.source}>"

    @cached_property
    def _closed(self) -> CellProbabilities | None:
        return self.latent.beta_mixture()

    @property
    def _marginals(self) -> CellProbabilities:
        return self._drawn if self._closed is None else self._closed

    @cached_property
    def _drawn(self) -> DrawnProbabilities:
        if self.learned is not None:
            return LearnedProbabilities(self.prior, self.learned, self.seed)
        return DirichletProbabilities(self.prior, self.latent, self.seed)
